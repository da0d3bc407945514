#!/bin/sh
# SPDX-License-Identifier: ISC
# Our own export of STIX, imported again (C-141).
. t/lib.sh
world_start

# indicators REPORT-TITLE: type and value of each
indicators() { sql "SELECT type, value FROM indicator i JOIN report r ON r.uuid = i.report_uuid WHERE r.title = '$1' AND withdrawn_at IS NULL AND disposition = 'indicator' ORDER BY 1, 2"; }

ctl import reports t/cli/data/reports/stix-2.1.json >/dev/null 2>&1
uuid=$(sql "SELECT uuid FROM report")
api GET "/reports/$uuid/indicators.stix"
is "$STATUS" 200 "the indicators of a report are exported as STIX"
is "$(t/helper/valid stix-2.1 "$W/body" 2>&1)" "" "our export of STIX has the members and types of STIX 2.1 (C-141)"
wanted=$(indicators 'Quiet Heron moves to loaders')
isnt "$wanted" "" "the report has indicators"
cp "$W/body" "$W/export.json"
ctl import reports --format stix "$W/export.json" >"$W/out" 2>"$W/err"
like "$? $(cat "$W/out")" '^0 1 read, 1 new, 0 changed, 0 unchanged, 0 bad' "our own export of STIX is imported (C-141)"
diag "$(cat "$W/err")"
is "$(sql "SELECT type, value FROM indicator WHERE report_uuid <> '$uuid' AND disposition = 'indicator' ORDER BY 1, 2")" "$wanted" \
	"the import of our own export gives the same indicators (C-141)"
