#!/bin/sh
# SPDX-License-Identifier: ISC
# C-122: openapi.json comes from the tables, says 1.0.0, and a linter that is not ours accepts it.
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=t/helper/tap.sh
. t/helper/tap.sh
bin=${TOP_BUILDDIR:-.}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

redocly() {
	modules=$(t/helper/npm) || return 1
	REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true node "$modules/@redocly/cli/bin/cli.js" lint \
		--config t/helper/redocly.yaml "$work/openapi.json"
}

"$bin/surfaced" -D openapi >"$work/openapi.json"
jq -S . "$work/openapi.json" >"$work/sorted.json"
ok "it is JSON" jq -e . "$work/openapi.json"
ok "C-122: version 1.0.0" jq -e '.info.version == "1.0.0" and (.openapi | startswith("3.1"))' "$work/openapi.json"
ok "the contract did not change unseen (t/golden/openapi.json)" diff -u t/golden/openapi.json "$work/sorted.json"
ok "redocly accepts it" redocly
done_testing
