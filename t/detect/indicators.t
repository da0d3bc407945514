#!/bin/sh
# SPDX-License-Identifier: ISC
# The detector threat-indicators, and by it the frame of the detectors. Reports come by surfacectl and POST /reports, assets by
# surfacectl, verdicts and settings by the API: an indicator is what the product itself makes of a report.
. t/lib.sh
. t/helper/detect.sh
world_start
stranger_new

# found: the findings of the project, a line each: key|status|severity|number of reports.
found()
{
	api GET "/projects/$P/esi/findings?finding_type=threat_indicator&limit=100"
	field '.findings | sort_by(.finding_key)[] | "\(.finding_key)|\(.status)|\(.severity)|\(.evidence.report_count)"'
}
# of VALUE: the line of its finding.
of() { found | grep "/$1|"; }
# uuid_of VALUE
uuid_of() { found >/dev/null && field ".findings[] | select(.finding_key | endswith(\"/$1\")) | .uuid"; }
# changes: how many changes the findings have had.
changes()
{
	found >/dev/null
	for _finding in $(field '.findings[].uuid'); do
		api GET "/projects/$P/esi/findings/$_finding/history"
		field '.history | length'
	done
}

# report N TYPE VALUE CONFIDENCE [MEMBERS [OPTION...]]: imports a report of one indicator.
report()
{
	_line=$(printf '{"uuid":"00000000-0000-4000-8000-%012d","title":"Report","published_at":"2026-11-01T00:00:00Z"%s,"indicators":[{"type":"%s","value":"%s","confidence":%s}]}' \
		"$1" "${5-}" "$2" "$3" "$4")
	[ $# -lt 6 ] && shift $# || shift 5
	echo "$_line" | ctl import reports "$@" - >/dev/null 2>"$W/err" || diag "$(cat "$W/err")"
}
# own TEXT...: a report of the organisation, of such lines of indicators.
own()
{
	api POST /reports "$(printf '%s\n' '# Indicators of compromise' '' "$@" |
		jq -Rs '{title: "Own", text: ., tlp: "green", published_at: "2026-11-01T00:00:00Z"}')"
	field .report.uuid
}
verdict() { api POST /reports/verdicts "{\"type\":\"ipv4\",\"value\":\"$1\",\"disposition\":\"$2\",\"reason\":\"ours\"}"; }

detect_asset address 192.0.2.7
detect_asset host www.example.org
detect_start
detect_idle
report 1 ipv4 192.0.2.7 90
detect_idle
is "$(found)" "indicator/ipv4/192.0.2.7|open|high|1" "an indicator that equals an address of the inventory is a finding (C-840)"
found >/dev/null
is "$(field '.findings[0] | "\(.evidence.matched_by) \(.evidence.reasons[0] | tojson) \(.confidence)"')" \
	'address {"code":"report","weight":90} 0.9' "its evidence names how the asset was matched and the weight of each reason (C-927)"
before=$(changes)
report 1 ipv4 192.0.2.7 90 ',"summary":"Written again"'
detect_idle
is "$(changes)" "$before" "a report that is written again with the same indicator changes no finding (C-127)"

report 2 domain www.example.org 59
report 3 domain www.example.com 90
detect_idle
is "$(found | wc -l)" 1 "an indicator below a confidence of 60 or of another name is no finding (C-840)"
report 2 domain www.example.org 60
detect_idle
is "$(of www.example.org)" "indicator/domain/www.example.org|open|medium|1" "a revision with a higher confidence makes the indicator a finding"

# ---- a text ----

detect_asset domain evil-59.top
text=$(own '- evil-59[.]top')
detect_idle
is "$(of evil-59.top)" "indicator/domain/evil-59.top|open|high|1" "an indicator of a text is a finding"
api GET "/reports/$text/indicators"
is "$(field '.indicators[0] | [.first_seen_at, .last_seen_at, .valid_until] | tojson')" "[null,null,null]" \
	"an indicator of a text has no times, since the text has none (C-810)"
api GET "/reports/$text/indicators.csv"
is "$(grep -c 1970 "$W/body")" 0 "the CSV of a text has no times"
api GET "/reports/$text/indicators.stix"
is "$(field '.objects[] | select(.type == "indicator") | .valid_from')" "2026-11-01T00:00:00.000000Z" \
	"in STIX, which needs a time, an indicator of a text is valid from the day of its report (C-810)"

# ---- STIX: the judgement of the source ----

for name in low none high old anon benign; do
	detect_asset domain "$name-56.top"
done
ctl import reports t/cli/data/reports/stix-confidence.json >/dev/null 2>"$W/err" || diag "$(cat "$W/err")"
detect_idle
is "$(found | sed -n 's/.*domain.\(.*-56[^|]*\).*/\1/p' | tr '\n' ' ')" "anon-56.top high-56.top " \
	"indicators that their source calls benign, unsure or over are no findings"

# ---- accounts ----

report 4 ipv4 192.0.2.9 90 '' --account "$ACCOUNT2"
detect_asset address 192.0.2.9
detect_idle
is "$(of 192.0.2.9)" "" "a private report of another account is no finding (C-131)"
private=$(own '- 192[.]0[.]2[.]9')
detect_idle
is "$(of 192.0.2.9)" "" "an address that is not public is no indicator of a text"
report 5 ipv4 192.0.2.9 90 '' --account "$ACCOUNT"
detect_idle
is "$(of 192.0.2.9)" "indicator/ipv4/192.0.2.9|open|high|1" "an indicator of a private report of the account is a finding"
report 6 ipv4 192.0.2.11 90
detect_asset address 192.0.2.11
detect_idle
is "$(of 192.0.2.11)" "indicator/ipv4/192.0.2.11|open|high|1" "an asset that comes after its report is found"

# The account's verdict wins, and closes at once.
uuid=$(uuid_of 192.0.2.9)
verdict 192.0.2.9 ignored
given=$(field .verdict.uuid)
detect_idle
is "$(of 192.0.2.9)" "indicator/ipv4/192.0.2.9|resolved|high|1" "a verdict of the account closes the finding (C-840)"
api DELETE "/reports/verdicts/$given"
detect_idle
is "$(of 192.0.2.9) $(uuid_of 192.0.2.9)" "indicator/ipv4/192.0.2.9|open|high|1 $uuid" \
	"without the verdict the same finding is open again"

# A withdrawn report clears, and not before its data are a day old.
api DELETE /reports/00000000-0000-4000-8000-000000000005
detect_idle
is "$(of 192.0.2.9)" "indicator/ipv4/192.0.2.9|resolved|high|1" "a withdrawn report clears its finding (C-840)"

# ---- the settings of a detector ----

state() { of 192.0.2.7 | cut -d'|' -f2; }
settings() { api PUT "/projects/$P/esi/detectors/threat-indicators" "{\"enabled\":$1,\"exclude\":\"$2\",\"min_severity\":\"$3\"}"; }
open_now() { found | grep -c '|open|'; }

uuid=$(uuid_of 192.0.2.7)
others=$(($(open_now) - 1))
settings true 'asset_name:192.0.2.7' info
detect_idle
is "$(state) $(open_now)" "resolved $others" "an exclude closes what passes it, and nothing else (C-166)"
report 1 ipv4 192.0.2.7 90 ',"summary":"Written a third time"'
detect_idle
is "$(state)" resolved "what is excluded stays closed at later passes (C-166)"
detect_asset address 192.0.2.12
settings true 'asset_name:192.0.2.7 OR asset_name:192.0.2.12' info
report 7 ipv4 192.0.2.12 90
detect_idle
is "$(of 192.0.2.12)" "" "what is excluded is not stored (C-166)"
settings true '' info
detect_idle
is "$(state) $(uuid_of 192.0.2.7)" "open $uuid" "lifting an exclude opens the same finding (C-166)"
is "$(of 192.0.2.12 | cut -d'|' -f2)" open "lifting an exclude finds what was never stored (C-166)"
settings true '' high
detect_idle
is "$(of www.example.org | cut -d'|' -f2,3) $(state)" "resolved|medium open" "min_severity closes what is less severe"
settings false '' info
detect_asset address 192.0.2.10
report 8 ipv4 192.0.2.10 90
report 1 ipv4 192.0.2.7 90 ',"status":"withdrawn"'
detect_idle
is "$(of 192.0.2.10)$(state)" open "a detector that is disabled finds nothing and clears nothing (C-168)"
settings true '' info
detect_idle
is "$(of 192.0.2.10 | cut -d'|' -f2) $(state)" "open resolved" "a detector that is enabled again looks at everything (C-838)"
api GET /access/audit?limit=100
is "$(field '[.entries[] | select(.action == "detector_state.change")] | length > 0')" true "changes of settings are audited"
