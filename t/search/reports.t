#!/bin/sh
# SPDX-License-Identifier: ISC
# The dataset reports, from its import to the answers over nginx (C-401, C-402, C-404, C-414, C-415, C-418).
. t/lib.sh
world_start

# reports: imports standard input.
reports()
{
	cat >"$W/in"
	ctl import reports "$W/in" >"$W/out" 2>"$W/err" || diag "$(cat "$W/err")"
}
uuid() { printf '0190a8c1-0000-7000-8000-%012d' "$1"; }

# 40 reports of 28 days, published in no order. Each has five indicators of types that differ, and a third of them is about hospitals.
awk 'BEGIN { for (i = 1; i <= 40; i++)
	printf "{\"uuid\":\"0190a8c1-0000-7000-8000-%012d\",\"title\":\"Report %d about %s\",\"body\":\"secretword%d in the text\",\"publisher\":\"Publisher %d\",\"tlp\":\"%s\",\"malware_families\":[\"Family %d\"%s],\"sectors\":[\"Sector %d\"],\"techniques\":[\"T10%02d\"],\"published_at\":\"2026-01-%02dT00:00:00Z\",\"last_seen\":\"2026-02-01T00:00:00Z\",\"indicators\":[{\"type\":\"ipv4\",\"value\":\"192.0.2.%d\"},{\"type\":\"domain\",\"value\":\"c%d.example.org\",\"labels\":[\"c2\"]},{\"type\":\"url\",\"value\":\"http://c%d.example.net/a/%d\",\"labels\":[\"%s\"]},{\"type\":\"domain\",\"value\":\"x.example.com\"},{\"type\":\"md5\",\"value\":\"%032x\"}]}\n", \
		i, i, i % 3 ? "banks" : "hospitals", i, i % 4, i % 2 ? "clear" : "green", i % 5, i % 2 ? ",\"Common\"" : "", i % 3, i % 20, 1 + i * 11 % 28, i, i, i, i, i % 2 ? "c2" : "phishing", i }' |
	reports
is "$(cat "$W/out")" "40 read, 40 new, 0 changed, 0 unchanged, 0 bad, 0 skipped" "the format of reports is guessed (C-404)"
cp "$W/in" "$W/forty"

counted()
{
	api GET "/search/reports/count?q=$2"
	[ "$(field .count)" = "$1" ]
}
ok "each report becomes searchable (C-401)" world_until 60 counted 40

# ---- pages ----

# pages QUERY EXPRESSION: reads all pages of 7; sets SEEN and TOTAL.
pages()
{
	SEEN='' _more='' _n=0
	while [ $((_n += 1)) -le 20 ]; do
		api GET "/search/reports?limit=7&q=$1$_more"
		TOTAL=$(field .total.value)
		[ "$STATUS" = 200 ] || break
		SEEN="$SEEN$(field ".reports[]|$2")
"
		[ "$(field .has_more)" = true ] || break
		_more="&cursor=$(field .next_cursor)"
	done
}
pages '' .uuid
is "$STATUS $TOTAL $(printf '%s' "$SEEN" | sort -u | wc -l)" "200 40 40" "the pages of reports have each report once (C-401)"
is "$SEEN" "$(sql "SELECT doc::json->>'uuid' FROM record WHERE dataset = 6 ORDER BY (doc::json->>'published_at')::timestamptz DESC, doc::json->>'uuid'")
" "reports come newest first, and those of one time by their UUID (C-401)"
api GET '/search/reports?limit=1000'
is "$STATUS $(field '.reports|length') $(field .has_more)" "200 40 false" "a page has up to 1000 reports (C-415)"
api GET '/search/reports?limit=1001'
is "$STATUS $(field .error.code)" "400 invalid_pagination" "a limit of 1001 is refused (C-415)"
api GET '/search/reports?limit=1'
next=$(field .next_cursor)
api GET "/search/reports?limit=1&q=tlp:clear&cursor=$next"
is "$STATUS $(field .error.code)" "400 invalid_search_cursor" "a cursor of another query is refused"
api GET "/search/certificates?limit=1&cursor=$next"
is "$STATUS $(field .error.code)" "400 invalid_search_cursor" "a cursor of reports is refused elsewhere (C-703)"

# ---- documents ----

api GET "/search/reports?q=uuid:$(uuid 7)"
is "$(printf '%s' "$BODY" | jq -c '.reports[0]|del(.imported_at, .updated_at)')" "{\"uuid\":\"$(uuid 7)\",\"title\":\"Report 7 about banks\",\"source_kind\":\"native\",\"revision\":1,\"publisher\":\"Publisher 3\",\"tlp\":\"clear\",\"malware_families\":[\"Common\",\"Family 2\"],\"techniques\":[\"T1007\"],\"sectors\":[\"Sector 1\"],\"indicator_types\":[\"domain\",\"ipv4\",\"md5\",\"url\"],\"published_at\":\"2026-01-22T00:00:00.000000Z\",\"first_seen\":\"2026-02-01T00:00:00.000000Z\",\"last_seen\":\"2026-02-01T00:00:00.000000Z\",\"indicators\":[{\"type\":\"domain\",\"value\":\"c7.example.org\",\"labels\":[\"c2\"]},{\"type\":\"domain\",\"value\":\"x.example.com\"},{\"type\":\"ipv4\",\"value\":\"192.0.2.7\"},{\"type\":\"md5\",\"value\":\"00000000000000000000000000000007\"},{\"type\":\"url\",\"value\":\"http://c7.example.net/a/7\",\"labels\":[\"c2\"]}],\"matched_indicators\":[]}" \
	"a report has its members in the order of the table, and neither its text nor hidden members (C-414)"
api GET '/search/reports?q=secretword9&fields=uuid,body'
is "$STATUS $(field .error.code)" "400 invalid_search_parameter" "the text of a report cannot be asked for"
api GET '/search/reports?q=secretword9&fields=uuid,indicators'
is "$(field .total.value) $(field '.reports[0].uuid') $(printf '%s' "$BODY" | grep -c -e secretword9\ in -e '"name"')" "1 $(uuid 9) 0" \
	"a report is found by its text, which is in no answer"
api GET '/search/reports?q=title:hospitals&fields=title,indicators.value&limit=1'
is "$(printf '%s' "$BODY" | jq -c '[.total.value, (.reports[0].indicators[0]|keys)]')" '[13,["value"]]' "fields selects the members of indicators (C-414)"
api GET '/search/reports?fields=colour'
is "$STATUS $(field .error.code)" "400 invalid_search_parameter" "an unknown field is refused (C-414)"

# ---- indicators ----

pages 'indicators:(type:domain+AND+value:c12.example.org)' '"\(.uuid) \(.matched_indicators|tojson)"'
is "$TOTAL $SEEN" "1 $(uuid 12) [{\"type\":\"domain\",\"value\":\"c12.example.org\"}]
" "one indicator must pass all tests in brackets, and is named in matched_indicators (C-878)"
pages 'indicators:(type:domain+AND+labels:phishing)' .uuid
is "$TOTAL" 0 "two indicators do not pass the tests of one (C-878)"
pages 'indicators.type:domain+AND+indicators.labels:phishing' .uuid
is "$TOTAL" 20 "tests of indicators without brackets may be passed by different ones"
pages 'indicators.value:"http://c8.example.net/a/8"' '.matched_indicators|tojson'
is "$TOTAL $SEEN" '1 [{"type":"url","value":"http://c8.example.net/a/8"}]
' "the value of an indicator may have slashes, also in matched_indicators"
pages '192.0.2.8/30' '"\(.uuid) \(.matched_indicators[].value)"'
is "$TOTAL $(printf '%s' "$SEEN" | sort)" "4 $(for i in 8 9 10 11; do echo "$(uuid $i) 192.0.2.$i"; done)" "a network finds the reports that name an address of it"
pages 'indicators.name:example.net' '.matched_indicators|length'
is "$TOTAL $(printf '%s' "$SEEN" | sort -u)" "40 1" "a domain finds the URLs below it"
pages 'indicators.name:c5.example.net' '.matched_indicators[0].value'
is "$TOTAL $SEEN" "1 http://c5.example.net/a/5
" "the host of a URL finds the report"
api GET '/search/reports?q=indicators:(word)'
is "$STATUS $(field .error.code)" "400 invalid_search_query" "an indicator has no text for a word without a field"

# ---- count, validate, aggregate, schemas ----

api GET /search/reports/count
is "$STATUS $(field .count_unit)" "200 report" "the count of reports has the unit report (C-401)"
api GET '/search/reports/validate?q=malware_families:common+cves:*'
is "$STATUS $(field .valid) $(field '.warnings|length')" "200 true 0" "validate accepts a query of reports (C-401)"
api GET '/search/reports/validate?q=services.port:1'
is "$STATUS $(field .valid)" "200 false" "validate refuses a field of another dataset (C-401)"
for test in indicators.type:mutex indicator_types:ip tlp:pink countries:Germany; do
	api GET "/search/reports?q=$test"
	is "$STATUS $(field .total.value) $(field '.warnings|length')" "200 0 1" "$test, which no report can have, is answered with a warning (C-418)"
done
api POST /search/reports/aggregate '{"query":"title:hospitals","aggregations":[{"field":"malware_families","limit":3},{"field":"indicator_types"},{"field":"publisher"}]}'
is "$STATUS $(printf '%s' "$BODY" | jq -c '[.groups[]|[.field,.count_unit,.relation]]')" \
	'200 [["malware_families","report","eq"],["indicator_types","report","eq"],["publisher","report","eq"]]' "the groups of reports have the unit report (C-401)"
is "$(printf '%s' "$BODY" | jq -c '[.groups[].buckets|map([.value,.count])]')" "$(sql "WITH d AS (SELECT doc::json AS doc FROM record
	WHERE dataset = 6 AND doc::json->>'title' LIKE '%hospitals')
	SELECT json_build_array(
	(SELECT json_agg(json_build_array(v, n)) FROM (SELECT v, count(*) AS n FROM d, json_array_elements_text(doc->'malware_families') AS v GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 3) AS x),
	(SELECT json_agg(json_build_array(v, n)) FROM (SELECT v, count(*) AS n FROM d, json_array_elements_text(doc->'indicator_types') AS v GROUP BY 1 ORDER BY 2 DESC, 1) AS x),
	(SELECT json_agg(json_build_array(v, n)) FROM (SELECT doc->>'publisher' AS v, count(*) AS n FROM d GROUP BY 1 ORDER BY 2 DESC, 1) AS x))" | jq -c .)" \
	"the buckets of reports equal those of SQL (C-402)"
for field in language tlp threat_actors techniques cves sectors countries tags; do
	api POST /search/reports/aggregate "{\"aggregations\":[{\"field\":\"$field\"}]}"
	is "$STATUS $(field '.groups[0].field')" "200 $field" "reports are aggregated by $field (C-401)"
done
api POST /search/reports/aggregate '{"aggregations":[{"field":"indicators.type"}]}'
is "$STATUS $(field .error.code)" "400 invalid_aggregation" "members of indicators are not aggregated"
api GET /search/schemas
is "$(field '.schemas[]|select(.dataset == "reports")|[.count_unit, (.fields[]|select(.name == "indicators.ip")|.type, .nested)]|tojson')" '["report","ip",true]' \
	"the schemas list reports and their nested fields (C-401)"

# ---- rights ----

full=$key
key=$(key_new --scope search.view --scope search.aggregate)
for path in '' /validate /count; do
	api GET "/search/reports$path"
	is "$STATUS $(field .error.code)" "403 permission_denied" "GET /search/reports$path needs the scope reports.view (C-009)"
done
api POST /search/reports/aggregate '{"aggregations":[{"field":"tlp"}]}'
is "$STATUS $(field .error.code)" "403 permission_denied" "an aggregation of reports needs the scope reports.view, too (C-009)"
api GET /search/schemas
is "$STATUS $(field '[.schemas[].dataset]|index("reports")')" "200 null" "a key without the scope is not told of reports"
key=$(key_new --scope reports.view)
api GET '/search/reports?limit=1'
is "$STATUS $(field .total.value)" "200 40" "the scope reports.view alone reads reports (C-009)"
api GET /search/dns
is "$STATUS $(field .error.code)" "403 permission_denied" "the scope reports.view reads no other dataset (C-009)"
api GET /search/reports/count
is "$STATUS $(field .error.code)" "403 permission_denied" "counting reports needs the scope search.aggregate, too (C-009)"
key=$full
ctl entitlements revoke --account "$ACCOUNT" reports >/dev/null
refused()
{
	api GET /search/reports
	[ "$STATUS $(field .error.code)" = "503 entitlement_required" ]
}
ok "an organisation without the entitlement reports reads none (C-017)" world_until 60 refused
api GET /search/dns
is "$STATUS" 200 "an organisation without the entitlement reports reads the other datasets"
ctl entitlements grant --account "$ACCOUNT" reports >/dev/null
granted()
{
	api GET /search/reports
	[ "$STATUS" = 200 ]
}
ok "an organisation with the entitlement again reads reports" world_until 60 granted

# ---- versions ----

rows() { sql "SELECT count(*) || ' ' || count(*) FILTER (WHERE gone) FROM record WHERE dataset = 6 AND substr(key, 9) = decode(translate('$(uuid "$1")', '-', ''), 'hex')"; }
reports <"$W/forty"
is "$(cat "$W/out")" "40 read, 0 new, 0 changed, 40 unchanged, 0 bad, 0 skipped" "the same reports twice change nothing (C-404)"

# version UUID PUBLISHED LAST_SEEN TITLE: the report with one indicator.
version()
{
	printf '{"uuid":"%s","published_at":"2026-%sT00:00:00Z","last_seen":"2026-%sT00:00:00Z","title":"%s","indicators":[{"type":"domain","value":"%s.example"}]}\n' \
		"$(uuid "$1")" "$2" "$3" "$4" "$4"
}
version 7 04-01 03-01 moved | reports
is "$(cat "$W/out") $(rows 7)" "1 read, 0 new, 1 changed, 0 unchanged, 0 bad, 0 skipped 2 1" \
	"a later version with another published_at moves the report and leaves a mark"
ok "the moved report is found by its new indicator" world_until 60 counted 1 'indicators.name:moved.example'
api GET '/search/reports?limit=1000'
is "$(field .total.value) $(field '.reports|length') $(field '.reports[0].uuid') $(field "[.reports[]|select(.uuid == \"$(uuid 7)\")]|length")" \
	"40 40 $(uuid 7) 1" "a moved report is answered once, at its new place (C-882)"
is "$(printf '%s' "$BODY" | jq -c '.reports[0]|[.title, .publisher, .first_seen, .last_seen, [.indicators[].value]]')" \
	'["moved",null,"2026-02-01T00:00:00.000000Z","2026-03-01T00:00:00.000000Z",["moved.example"]]' \
	"the later version replaces the report as a whole, but for first_seen"
api GET '/search/reports/count?q=indicators.value:c7.example.org'
is "$(field .count)" 0 "the indicators of the earlier version are gone"
version 7 05-01 02-15 older | reports
is "$(cat "$W/out") $(rows 7 | cut -d ' ' -f 1)" "1 read, 0 new, 0 changed, 1 unchanged, 0 bad, 0 skipped 2" "an earlier version moves nothing"
{ version 7 01-22 03-03 back && version 7 06-01 03-02 between; } | reports
is "$(cat "$W/out") $(rows 7)" "2 read, 0 new, 1 changed, 0 unchanged, 0 bad, 0 skipped 2 1" \
	"of two versions in one file the later one counts, and a report returns to a key that it had"
ok "the report is found at its former place" world_until 60 counted 1 'title:back+published_at:2026-01-22'
{ version 50 02-02 03-01 first && version 50 02-01 03-02 second; } >"$W/versions"
for order in cat tac; do
	sql "DELETE FROM record WHERE dataset = 6 AND doc LIKE '%$(uuid 50)%'; DELETE FROM indicator WHERE report_uuid = '$(uuid 50)';
		DELETE FROM report WHERE uuid = '$(uuid 50)'" >/dev/null
	$order "$W/versions" >"$W/ordered"
	head -1 "$W/ordered" | reports
	tail -1 "$W/ordered" | reports
	is "$(sql "SELECT (doc::json->>'title') || ' ' || (doc::json->>'published_at') || ' ' || (doc::json->>'first_seen') FROM record WHERE dataset = 6 AND doc LIKE '%$(uuid 50)%'")" \
		"second 2026-02-01T00:00:00.000000Z 2026-03-01T00:00:00.000000Z" "two versions in the order of $order give the same report (C-404)"
done
sql "INSERT INTO record (dataset, key, doc) SELECT 6, '\\x00'::bytea || substr(key, 2), doc FROM record WHERE dataset = 6 AND doc LIKE '%$(uuid 8)%'" >/dev/null 2>"$W/err"
is "$? $(grep -c record_report "$W/err")" "1 1" "the database refuses a second row of a report"

# ---- large reports ----

# A report with a text of 262,144 bytes and 65,536 indicators, of which 20,000 are kept, and eight with 20,000 indicators each.
/usr/bin/python3 - "$W/large" <<'END'
import json, sys
with open(sys.argv[1], "w") as out:
    for i in range(9):
        n = 65536 if i == 0 else 20000
        out.write(json.dumps({"uuid": "0190a8c1-0000-7000-8000-%012d" % (900 + i), "published_at": "2026-07-01T00:00:00Z", "title": "large",
            "body": "ab " * 87381 + "z" if i == 0 else "",
            "indicators": [{"type": "domain", "value": "h%d-%d.example" % (i, k)} for k in range(n)]}) + "\n")
END
reports <"$W/large"
is "$(cat "$W/out")" "9 read, 9 new, 0 changed, 0 unchanged, 0 bad, 0 skipped" "a report with 65,536 indicators and a text of 262,144 bytes is stored"
ok "large reports become searchable" world_until 60 counted 9 title:large
SEEN='' more='' most=0
while :; do
	api GET "/search/reports?limit=100&fields=uuid&q=title:large+AND+indicators.type:domain$more"
	[ "$STATUS" = 200 ] || break
	SEEN="$SEEN $(field '[.reports[]|"\(.uuid):\(.matched_indicators|length)"]|join(" ")')"
	n=$(field '[.reports[].matched_indicators|length]|add')
	[ "$n" -le "$most" ] || most=$n
	[ "$(field .has_more)" = true ] || break
	more="&cursor=$(field .next_cursor)"
done
is "$STATUS$SEEN" "200 $(uuid 900):20000$(for i in 1 2 3 4 5 6 7 8; do printf ' %s:20000' "$(uuid 90$i)"; done)" \
	"the pages of large reports have each report once, with each indicator that matches"
ok "a page has at most 100,000 indicators" test "$most" -le 100000
# Three reports of 2.6 MB, of which a page may have three; but all their indicators match, so the answer has them twice.
awk 'BEGIN { for (i = 1; i <= 3; i++) {
	printf "{\"uuid\":\"0190a8c1-0000-7000-8000-%012d\",\"published_at\":\"2026-08-01T00:00:00Z\",\"title\":\"wide\",\"indicators\":[", 950 + i
	for (k = 1; k <= 20000; k++) printf "%s{\"type\":\"email\",\"value\":\"%0100d@example.org\"}", (k > 1 ? "," : ""), k
	print "]}" } }' | reports
ok "wide reports become searchable" world_until 60 counted 3 title:wide
SEEN='' more='' most=0
while :; do
	api GET "/search/reports?limit=100&q=title:wide+AND+indicators.type:email$more"
	[ "$STATUS" = 200 ] || break
	SEEN="$SEEN $(field '[.reports[].uuid]|join(" ")')"
	n=$(wc -c <"$W/body")
	[ "$n" -le "$most" ] || most=$n
	[ "$(field .has_more)" = true ] || break
	more="&cursor=$(field .next_cursor)"
done
is "$STATUS$SEEN" "200 $(uuid 951) $(uuid 952) $(uuid 953)" "the pages of wide reports have each report once"
ok "the indicators that match count among the bytes of a page (C-415)" test "$most" -le 8400000
is "$(sql "SELECT truncated || ' ' || count(*) FROM report JOIN indicator ON report_uuid = report.uuid WHERE report.uuid = '$(uuid 900)' GROUP BY truncated")" \
	"true 20000" "a report with more than 20,000 indicators is marked as truncated"
printf '{"uuid":"%s","published_at":"2026-07-01T00:00:00Z","body":"%0262144d behindtheend"}\n' "$(uuid 990)" 0 >"$W/in"
ctl import reports "$W/in" >/dev/null 2>"$W/err"
is "$(cat "$W/err") $(sql "SELECT octet_length(text) FROM report_text WHERE report_uuid = '$(uuid 990)'")" " 262157" "a longer text is kept, and its beginning is searched (C-925)"
