#!/bin/sh
# SPDX-License-Identifier: ISC
# The scenarios of dangling DNS records as documents, from the import to the finding (C-169 to C-173).
. t/lib.sh
. t/helper/detect.sh
. t/helper/takeover.sh
pg_start
index_start
echo 'detect_poll = 50' >>"$W/etc/surfaced-detect.conf"

takeover_scenarios t/detect/data/takeover.ndjson
takeover_load "$SCENARIOS"
detect_start
detect_idle
takeover_judge "$SCENARIOS"
is "$RIGHT" "$ALL" "every scenario has exactly its findings (C-169 to C-173)"
isnt "$ALL" 0 "the corpus has scenarios"
# A page needs a capture, which has a scenario of its own.
for kind in $(sed -n 's/^DANGLING([A-Z_]*, "\([a-z_]*\)".*/\1/p' src/tbl/dangling_kinds.h); do
	[ "$kind" != cname_page ] || [ -n "$(sql "SELECT to_regclass('capture')")" ] || continue
	isnt "$(sql "SELECT count(*) FROM dangling_dns WHERE kind = '$kind'")" 0 "the corpus has the kind $kind"
done
