#!/bin/sh
# SPDX-License-Identifier: ISC
# The scenarios of dangling DNS records as documents, from the import to the finding (C-169 to C-173).
. t/lib.sh
. t/helper/detect.sh
. t/helper/takeover.sh
pg_start
index_start

takeover_load t/detect/data/takeover.ndjson
detect_start
detect_idle
takeover_judge t/detect/data/takeover.ndjson
is "$RIGHT" "$ALL" "every scenario has exactly its findings (C-169 to C-173)"
isnt "$ALL" 0 "the corpus has scenarios"
for kind in $(sed -n 's/^DANGLING([A-Z_]*, "\([a-z_]*\)".*/\1/p' src/tbl/dangling_kinds.h); do
	isnt "$(sql "SELECT count(*) FROM dangling_dns WHERE kind = '$kind'")" 0 "the corpus has the kind $kind"
done
