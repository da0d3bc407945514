#!/bin/sh
# SPDX-License-Identifier: ISC
# The text of a report with its indicators marked, and changes of a report by its organisation.
. t/lib.sh
world_start
stranger_new
ctl entitlements grant --account "$ACCOUNT2" reports >/dev/null
own=$key

# marked: each mark as TEXT=VALUE:DISPOSITION, where TEXT is what a client cuts out by the offsets.
marked()
{
	python3 - "$W/body" <<'J'
import json, sys
t = json.load(open(sys.argv[1], encoding="utf-8"))["report_text"]
print(" ".join(f'{t["text"][m["start"]:m["end"]]}={m["value"]}:{m["disposition"]}' for m in t["marks"]))
J
}

prose='# Ünïcode 😀 campaign

The loader “evil[.]com” and hxxps://evil[.]com/a; see also www.wikipedia.org.
This sentence names no value.

# Indicators of compromise

- evil.com
- 44d88612fea8a8f36de82e1278abb02f
'
api POST /reports "$(printf %s "$prose" | jq -Rs '{title: "Campaign", text: ., url: "https://blog.example.com/campaign", tags: ["Loader"], tlp: "green"}')"
is "$STATUS $(field .report.tags[0])" "201 loader" "a report is added, and its tag is in lower case"
report=$(field .report.uuid)

# ---- the text ----

api GET "/reports/$report/text"
is "$STATUS $(field .report_text.report_uuid) $(field .report_text.truncated)" "200 $report false" "an organisation reads the text of its report"
is "$(field .report_text.text)" "$(printf %s "$prose")" "the text is as it was sent"
is "$(marked)" "evil[.]com=evil.com:indicator hxxps://evil[.]com/a=https://evil.com/a:indicator www.wikipedia.org=www.wikipedia.org:ignored evil.com=evil.com:indicator 44d88612fea8a8f36de82e1278abb02f=44d88612fea8a8f36de82e1278abb02f:indicator" \
	"each occurrence of an indicator is marked by characters, also behind characters of several bytes (C-803)"
api GET "/reports/$report/indicators?type=domain"
uuid=$(field '.indicators[] | select(.value == "evil.com") | .uuid')
api GET "/reports/$report/text"
is "$(field ".report_text.marks | map(select(.indicator_uuid == \"$uuid\")) | length")" 2 "marks name the indicator of the report"
api POST /reports/verdicts '{"type":"domain","value":"evil.com","disposition":"ignored","reason":"ours"}'
api GET "/reports/$report/text"
is "$(field '.report_text.marks[0].disposition')" ignored "marks have the verdict of the organisation (C-803)"
for path in "" /indicators /indicators.csv /indicators.ndjson /indicators.stix /pivots; do
	api GET "/reports/$report$path"
	is "$STATUS $(grep -c 'names no value' "$W/body")" "200 0" "the answer of $path does not have the text (C-143)"
done

key=$KEY2
api GET "/reports/$report/text"
is "$STATUS $(field .error.code)" "404 report_not_found" "another organisation does not find the text (C-131)"
key=$own
printf '{"uuid":"0190a8c1-0000-7000-8000-000000000001","published_at":"2026-01-01T00:00:00Z","title":"Shared","body":"evil[.]com"}\n' |
	ctl import reports - >/dev/null 2>"$W/err" || diag "$(cat "$W/err")"
api GET /reports/0190a8c1-0000-7000-8000-000000000001/text
is "$STATUS $(field .error.code)" "404 report_not_found" "the text of a shared report is not answered (C-143)"
ctl import reports --account "$ACCOUNT" t/cli/data/reports/misp-event.json >/dev/null 2>"$W/err"
misp=$(api POST /reports/indicators/lookup '{"values":["heron-mail.example"]}' && field '.results[0].reports[0].uuid')
api GET "/reports/$misp/text"
is "$STATUS $(field '.report_text | [.text, .marks] | tojson')" "200 [null,[]]" "a report that came without a text has none"
jq -n '{title: "Long", text: ("evil-59[.]top " * 74000)}' >"$W/long"
api POST /reports "$(cat "$W/long")"
api GET "/reports/$(field .report.uuid)/text"
is "$STATUS $(field '.report_text | [(.text | length), (.marks | length), .truncated] | tojson')" "200 [1036000,20000,true]" \
	"a text with more occurrences than an answer has says so"

# ---- changes ----

put() { api PUT "/reports/$report" "$1"; }
put '{"title":"  A better title ","tlp":"red","tags":["Loader","zebra"]}'
is "$STATUS $(field '.report | [.title, .tlp, .tags, .revision] | tojson')" '200 ["A better title","red",["loader","zebra"],2]' \
	"an organisation changes title, TLP and tags of its report"
api GET "/access/audit?limit=1&action=report.change"
is "$(field '.entries[0] | [.subject_id, .after.title, .before.title] | tojson')" "[\"$report\",\"A better title\",\"Campaign\"]" "the change is in the audit log"
found() { api GET "/search/reports/count?q=$1" && [ "$(field .count)" = "$2" ]; }
ok "searches find the new members (C-807)" world_until 60 found 'title:better+tags:zebra+tlp:red+revision:2' 1
ok "searches do not find the old title" world_until 60 found 'title:campaign' 0
ok "searches find the text as before" world_until 60 found 'body:loader+title:better' 1
put '{"title":"A better title","tlp":"red","tags":["zebra","loader"]}'
is "$STATUS $(field .report.revision)" "200 2" "equal values are no new revision"
put '{"title":"A better title"}'
is "$STATUS $(field '.report | [.tlp, .tags] | tojson')" '200 [null,[]]' "members that are not sent are removed (C-807)"
ok "searches do not find the removed tag" world_until 60 found 'tags:zebra' 0

body=$(printf %s "$prose" | jq -Rs '{title: "Campaign", text: ., url: "https://blog.example.com/campaign", tags: ["Loader"], tlp: "green"}')
api POST /reports "$body"
is "$STATUS $(field .report.title)" "200 A better title" "the same contents again keep the change (C-807)"
api POST /reports "$(printf %s "$body" | jq '.text += "- more[.]com\n"')"
is "$STATUS $(field .report.title)" "201 Campaign" "other contents of the source replace the whole report (C-807)"

put '{"title":"","tlp":"purple","tags":["fine","not fine",""]}'
is "$STATUS $(field '[.error.field_errors[].field] | sort | join(" ")')" "400 tags[1] tags[2] title tlp" "each fault of a change is named"
put '{"tags":[]}'
is "$STATUS $(field '.error.field_errors[0].field')" "400 title" "a change needs a title"
api POST /reports '{"title":"t","text":"x","tags":["a b","ok"],"url":"https://x.example.com/a b"}'
is "$STATUS $(field '[.error.field_errors[].field] | sort | join(" ")')" "400 tags[0] url" "a new report refuses each tag that is none, and a URL with a blank"

key=$KEY2
put '{"title":"Mine"}'
is "$STATUS $(field .error.code)" "404 report_not_found" "another organisation cannot change the report (C-131)"
key=$own
api PUT /reports/0190a8c1-0000-7000-8000-000000000001 '{"title":"Mine"}'
is "$STATUS $(field .error.code)" "404 report_not_found" "no organisation changes a shared report (C-131)"
key=$(key_new --scope reports.view)
put '{"title":"Mine"}'
is "$STATUS $(field .error.code)" "403 permission_denied" "reports.view changes no report (C-144)"
key=$(key_new --scope reports.manage)
api GET "/reports/$report/text"
is "$STATUS $(field .error.code)" "403 permission_denied" "reports.manage alone does not read a text (C-144)"
key=$own
api DELETE "/reports/$report"
put '{"title":"Late"}'
is "$STATUS $(field .error.code)" "404 report_not_found" "a withdrawn report is not changed"
api GET "/reports/$report/text"
is "$STATUS $(field .error.code)" "404 report_not_found" "the text of a withdrawn report is not answered (C-808)"
