#!/bin/sh
# SPDX-License-Identifier: ISC
# The answers of reports: indicators, files, pivots, look-ups, verdicts, rights (C-136, C-141 to C-144).
. t/lib.sh
world_start
stranger_new
ctl entitlements grant --account "$ACCOUNT2" reports >/dev/null
own=$key

R=0190a8c1-0000-7000-8000-000000000001
tr -d '\n' >"$W/in" <<'J'
{"uuid":"0190a8c1-0000-7000-8000-000000000001","published_at":"2026-01-01T00:00:00Z","title":"Loader","publisher":"Acme","tlp":"green","body":"secretword","indicators":[
{"type":"domain","value":"evil.example","confidence":80,"context":"=cmd|' /C calc'!A0","labels":["c2"]},
{"type":"ipv4","value":"192.0.2.7","confidence":95},
{"type":"ipv6","value":"2001:db8::7","confidence":94},
{"type":"url","value":"http://evil.example/it's\\a","confidence":70},
{"type":"sha256","value":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","confidence":60,"disposition":"ignored","ignored_by":"empty files"},
{"type":"cve","value":"CVE-2026-12345","confidence":30},
{"type":"md5","value":"00000000000000000000000000000007","confidence":75},
{"type":"asn","value":"AS64500","confidence":90}]}
J
ctl import reports "$W/in" >"$W/out" 2>"$W/err"
is "$(cat "$W/out" "$W/err")" "1 read, 1 new, 0 changed, 0 unchanged, 0 bad, 0 skipped" "a report is imported with all members of its indicators"

# ---- indicators ----

values() { api GET "/reports/$R/indicators?$1"; field '[.indicators[].value]|join(" ")'; }
is "$(values '')" "192.0.2.7 2001:db8::7 AS64500 evil.example 00000000000000000000000000000007 http://evil.example/it's\\a CVE-2026-12345" \
	"indicators come by confidence, without those that are ignored (C-800)"
is "$(values type=domain) $(values min_confidence=90) $(values disposition=mention)" \
	"evil.example 192.0.2.7 2001:db8::7 AS64500 CVE-2026-12345" "type, confidence and disposition filter the indicators"
is "$(values 'value=hxxp://EVIL%5B.%5Dexample/x') $(values 'value=EVIL%5B.%5Dexample') $(values 'value=192.0.2%5B.%5D7')" " evil.example 192.0.2.7" \
	"a value is normalised and refanged before it is compared (C-800)"
api GET "/reports/$R/indicators?value=%20"
is "$STATUS $(field '.error.field_errors[0].field')" "400 value" "a value of no type is refused by its name"
is "$(values disposition=ignored)" e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 "the ignored ones are answered when they are asked for"
seen='' more=''
for _ in 1 2 3 4 5; do
	api GET "/reports/$R/indicators?limit=2$more"
	seen="$seen $(field '[.indicators[].value]|join(" ")')"
	[ "$(field .has_more)" = true ] || break
	more="&cursor=$(field .next_cursor)"
done
is "$seen" " $(values '')" "pages of indicators join without gap"
api GET "/reports/$(uuid_new)/indicators"
is "$STATUS $(field .error.code)" "404 report_not_found" "indicators of an unknown report are not found"
api GET "/reports/$R"
is "$STATUS $(grep -c secretword "$W/body")" "200 0" "no answer has the text of a report (C-143)"

# ---- files ----

api GET "/reports/$R/indicators.csv"
is "$STATUS $(grep -i '^content-type' "$W/headers" | tr -d '\r' | cut -d ' ' -f 2) $(head -1 "$W/body" | cut -d, -f1-4)" "200 text/csv uuid,type,value,disposition" "the CSV begins with its header"
/usr/bin/python3 - "$W/body" >"$W/cells" <<'J'
import csv, sys
rows = list(csv.reader(open(sys.argv[1], newline="")))
print(len(rows), {len(r) for r in rows}, [c for r in rows for c in r if c[:1] in "=+-@\t" and c])
J
is "$(cat "$W/cells")" "8 {15} []" "no cell of the CSV begins a formula, and each row has every column (C-141)"
api GET "/reports/$R/indicators.csv?include_ignored=true"
is "$(wc -l <"$W/body")" 9 "an export has the ignored indicators when they are asked for (C-800)"
api GET "/reports/$R/indicators.ndjson"
is "$STATUS $(jq -rs 'map(.value)|join(" ")' "$W/body")" "200 $(values '')" "the lines of NDJSON are the indicators"
api GET "/reports/$R/indicators.stix"
cp "$W/body" "$W/first.json"
is "$STATUS $(grep -i '^content-type' "$W/headers" | tr -d '\r' | cut -d ' ' -f 2) $(jq -r '.type, (.objects|map(.type)|join(" "))' "$W/body" | tr '\n' ' ')" \
	"200 application/stix+json;version=2.1 bundle identity indicator indicator indicator indicator indicator indicator vulnerability report " "the STIX bundle has the publisher, the indicators and the report"
is "$(t/helper/valid stix-2.1 "$W/body" 2>&1)" "" "the STIX bundle has the members and types of STIX 2.1 (C-141)"
is "$(jq -r '.objects[]|select(.type == "indicator")|.pattern' "$W/body")" "[ipv4-addr:value = '192.0.2.7']
[ipv6-addr:value = '2001:db8::7']
[autonomous-system:number = 64500]
[domain-name:value = 'evil.example']
[file:hashes.MD5 = '00000000000000000000000000000007']
[url:value = 'http://evil.example/it\\'s\\\\a']" "patterns escape quotes and backslashes (C-141)"
is "$(jq -c '[.objects[].object_marking_refs] | unique' "$W/body")" '[["marking-definition--bab4a63c-aed9-4cf5-a766-dfca5abac2bb"]]' \
	"each object of the bundle has the marking of its report, since programs store objects one by one"
is "$(jq -r '(.objects[]|select(.type == "report")|.object_refs) - [.objects[].id]|length' "$W/body") $(jq '[.objects[].id]|length == (unique|length)' "$W/body")" "0 true" \
	"every reference of the bundle resolves (C-141)"
api GET "/reports/$R/indicators.stix"
ok "the same report gives the same bundle (C-141)" cmp -s "$W/body" "$W/first.json"

# ---- pivots ----

cat >"$W/hosts" <<'J'
{"ip":"192.0.2.7","asn":64501,"last_seen":"2026-01-02T00:00:00Z"}
{"ip":"2001:db8::7","asn":64502,"last_seen":"2026-01-02T00:00:00Z"}
{"ip":"192.0.2.8","hostnames":["evil.example"],"last_seen":"2026-01-02T00:00:00Z"}
{"ip":"192.0.2.9","asn":64500,"last_seen":"2026-01-02T00:00:00Z"}
{"ip":"192.0.2.10","last_seen":"2026-01-02T00:00:00Z"}
J
ctl import hosts "$W/hosts" >/dev/null 2>&1
found()
{
	: >"$W/found"
	api GET "/reports/$R/pivots"
	field '.pivots[]|.query' >"$W/queries"
	while read -r q; do
		api GET "/search/hosts?fields=ip&q=$(printf %s "$q" | jq -sRr @uri)"
		printf '%s %s\n' "$STATUS" "$(field '[.hosts[].ip]|sort|join(" ")')" >>"$W/found"
	done <"$W/queries"
	[ "$(sort "$W/found")" = "200 192.0.2.7 2001:db8::7
200 192.0.2.8
200 192.0.2.9" ]
}
ok "each pivot parses and finds the seeded hosts (C-142)" world_until 60 found || diag "$(cat "$W/queries" "$W/found")"
is "$(awk 'length > 8192' "$W/queries" | wc -l)" 0 "each pivot is within the limit of queries (C-142)"
is "$(grep -o 'evil\.example' "$W/queries" | wc -l)" 1 "a name that is also the host of a URL is searched once"
awk 'BEGIN { printf "{\"uuid\":\"0190a8c1-0000-7000-8000-000000000002\",\"published_at\":\"2026-01-01T00:00:00Z\",\"indicators\":["
	for (i = 0; i < 600; i++) printf "%s{\"type\":\"domain\",\"value\":\"h%d.%s.example\"}", (i ? "," : ""), i, "a-long-label-of-a-name-that-is-long"
	print "]}" }' >"$W/in"
ctl import reports "$W/in" >/dev/null 2>"$W/err"
api GET /reports/0190a8c1-0000-7000-8000-000000000002/pivots
is "$(field '[.pivots[].indicators]|add') $(field '[.pivots[]|select(.indicators > 256 or (.query|length) > 8192)]|length') $(field '.pivots[-1].rest')" "600 0 0" \
	"the pivots of many indicators have all of them, within the limits of queries (C-142)"

# ---- look-ups and verdicts ----

look() { api POST /reports/indicators/lookup "{\"values\":$1${2-}}"; field '[.results[]|"\(.type):\(.value):\(.reports_total)"]|join(" ")'; }
is "$(look '["hxxp://evil[.]example/none","EVIL[.]example","E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855"]')" \
	"url:http://evil.example/none:0 domain:evil.example:1 sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855:0" \
	"a look-up normalises each value, and leaves out what is ignored (C-801)"
is "$(look '["e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"]' ',"include_ignored":true')" \
	"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855:1" "a look-up has the ignored ones when they are asked for (C-801)"
for bad in '[]' '["what is this"]' '"x"' null; do
	api POST /reports/indicators/lookup "{\"values\":$bad}"
	is "$STATUS $(field .error.code)" "400 invalid_indicator_batch" "a look-up of $bad is refused"
done
api POST /reports/verdicts '{"type":"domain","value":"EVIL[.]example","disposition":"ignored","reason":"ours"}'
is "$STATUS $(field .verdict.value)" "201 evil.example" "a verdict is given on a value in any spelling"
verdict=$(field .verdict.uuid)
shown() { printf '%s/' "$(values type=domain)" "$(look '["evil.example"]')"; for _f in csv ndjson stix; do api GET "/reports/$R/indicators.$_f"; grep -c 'name:value\|,domain,\|"domain"\|"evil.example"' "$W/body"; done | tr '\n' '/'; api GET "/reports/$R"; field .report.indicator_counts.domain; }
is "$(shown)" "/domain:evil.example:0/0/0/0/null" "a verdict changes every answer, export and look-up at once (C-136)"
key=$KEY2
is "$(shown)" "evil.example/domain:evil.example:1/1/1/1/1" "a verdict changes no answer of another organisation (C-136)"
api GET /reports/verdicts
is "$STATUS $(field '.verdicts|length')" "200 0" "another organisation sees no verdict"
api DELETE "/reports/verdicts/$verdict"
is "$STATUS $(field .error.code)" "404 verdict_not_found" "another organisation cannot take the verdict back"
key=$own
api POST /reports/verdicts '{"type":"domain","value":"evil.example","disposition":"indicator","reason":"theirs"}'
is "$STATUS $(field .verdict.uuid) $(field .verdict.disposition)" "200 $verdict indicator" "a second verdict replaces the first and keeps its uuid (C-805)"
api POST /reports/verdicts '{"type":"sha256","value":"E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855","disposition":"indicator","reason":"mine"}'
is "$(look '["e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"]') $(values type=sha256)" \
	"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855:1 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" "a verdict wins over a list (C-136)"
api DELETE "/reports/verdicts/$verdict"
is "$STATUS" 200 "a verdict is taken back"
api POST /reports/verdicts '{"type":"md5","value":"x","disposition":"mention","reason":""}'
is "$STATUS $(field '[.error.field_errors[].field]|sort|join(" ")')" "400 disposition reason" "each fault of a verdict is named"

# ---- texts ----

api POST /reports/extract '{"text":"# Indicators of compromise\n\n- evil[.]test.example.com\n"}'
is "$STATUS $(field '.indicators|type')" "200 array" "a text is read for indicators and not stored (C-802)"
is "$(sql 'SELECT count(*) FROM report')" 2 "extracting stores no report (C-802)"
api POST /reports '{"title":"t","text":"x","url":"ftp://x","tlp":"purple"}'
is "$STATUS $(field '[.error.field_errors[].field]|sort|join(" ")')" "400 tlp url" "each fault of a report is named"
jq -n '{title: "t", text: ("a" * 1048577)}' >"$W/large"
api POST /reports "$(cat "$W/large")"
is "$STATUS $(field '.error.field_errors[0].field')" "400 text" "a text of more than 1 MiB is refused"

# ---- rights ----

key=$(key_new --scope reports.view)
for path in "" /indicators /indicators.csv /pivots; do
	api GET "/reports/$R$path"
	is "$STATUS" 200 "reports.view reads $path of a report (C-144)"
done
api POST /reports '{"title":"t","text":"x"}'
is "$STATUS $(field .error.code)" "403 permission_denied" "reports.view adds no report (C-144)"
api POST /reports/verdicts '{"type":"md5","value":"00000000000000000000000000000007","disposition":"ignored","reason":"r"}'
is "$STATUS" 403 "reports.view gives no verdict (C-144)"
key=$(key_new --scope reports.manage)
for path in "/reports/$R" "/reports/$R/indicators" "/reports/$R/indicators.stix" "/reports/$R/pivots" /reports/verdicts /search/reports; do
	api GET "$path"
	is "$STATUS $(field .error.code)" "403 permission_denied" "reports.manage alone does not read $path (C-144)"
done
api POST /reports '{"title":"t","text":"x"}'
is "$STATUS" 201 "reports.manage adds a report (C-144)"
key=$own
ctl entitlements revoke --account "$ACCOUNT" reports >/dev/null
refused()
{
	api GET "/reports/$R"
	[ "$STATUS $(field .error.code)" = "403 entitlement_required" ]
}
ok "without the entitlement reports an organisation reads none (C-144)" world_until 60 refused
api GET /search/reports
is "$STATUS $(field .error.code)" "503 entitlement_required" "without the entitlement a search of reports is 503 (C-144, C-017)"
