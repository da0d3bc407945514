#!/bin/sh
# SPDX-License-Identifier: ISC
# Our own export of STIX is a source of reports like any other: imported again it has the same indicators and marking.
. t/lib.sh
world_start

# reports_of VALUE: the UUIDs of the reports that have it.
reports_of() { api POST /reports/indicators/lookup "{\"values\":[\"$1\"]}" && field '.results[0].reports[].uuid'; }
# indicators REPORT: type, value and confidence of each.
indicators() { api GET "/reports/$1/indicators?disposition=indicator&limit=100" && field '.indicators[] | "\(.type) \(.value) \(.confidence)"' | sort; }

ctl import reports t/cli/data/reports/stix-2.1.json >/dev/null 2>&1
first=$(reports_of heron-update.example)
api GET "/reports/$first/indicators.stix"
is "$STATUS" 200 "the indicators of a report are exported as STIX"
is "$(t/helper/valid stix-2.1 "$W/body" 2>&1)" "" "our export of STIX has the members and types of STIX 2.1 (C-141)"
cp "$W/body" "$W/export.json"
isnt "$(indicators "$first")" "" "the report has indicators"
ctl import reports --format stix "$W/export.json" >"$W/out" 2>"$W/err"
like "$? $(cat "$W/out")" '^0 1 read, 1 new, 0 changed, 0 unchanged, 0 bad' "our own export of STIX is imported (C-141)"
diag "$(cat "$W/err")"
second=$(reports_of heron-update.example | grep -v "$first")
is "$(indicators "$second")" "$(indicators "$first")" "the import of our own export gives the same indicators (C-141)"
api GET "/reports/$second"
is "$(field .report.tlp)" green "the import of our own export gives the same marking"
