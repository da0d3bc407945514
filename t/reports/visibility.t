#!/bin/sh
# SPDX-License-Identifier: ISC
# Reports from an import to the answers, and that no answer shows a report of another account (C-131). With SHARDS, that many
# servers of ClickHouse answer the searches (t/reports/visibility-clickhouse.t).
[ -z "${SHARDS-}" ] || [ -n "${LOOPBACK-}" ] || exec t/helper/loopback "$0" "$@"
. t/lib.sh
if [ -n "${SHARDS-}" ]; then
	[ -x "$CH_SERVER" ] || skip_all "clickhouse-server is not installed"
	ch_start "$SHARDS"
	WORLD_CONF="$WORLD_CONF
engine_reports = clickhouse"
	world_conf
fi
world_start

uuid() { printf '0190a8c1-0000-7000-8000-%012d' "$1"; }
# report UUID TITLE VALUE [MEMBERS]: a line of an import.
report() { printf '{"uuid":"%s","published_at":"2026-01-01T00:00:00Z","title":"%s","publisher":"Acme","indicators":[{"type":"domain","value":"%s"}]%s}\n' "$(uuid "$1")" "$2" "$3" "${4-}"; }
reports()
{
	cat >"$W/in"
	ctl import reports "$@" "$W/in" >"$W/out" 2>"$W/err"
}
report 1 open open.example | reports
is "$(cat "$W/out")" "1 read, 1 new, 0 changed, 0 unchanged, 0 bad, 0 skipped" "a shared report is imported"
api GET "/reports/$(uuid 1)"
is "$STATUS $(field .report.uuid) $(field .report.visibility) $(field .report.indicator_counts.domain)" "200 $(uuid 1) shared 1" \
	"a report is answered as soon as its import has committed"
api GET "/reports/$(uuid 1)/indicators"
is "$STATUS $(field '.indicators[0]|[.type,.value,.disposition,.search.query]|tojson')" '200 ["domain","open.example","indicator","hostnames:open.example"]' \
	"the indicators of a report are answered with the search that finds them"
report 1 open open.example | reports
is "$(cat "$W/out")" "1 read, 0 new, 0 changed, 1 unchanged, 0 bad, 0 skipped" "the same report again is unchanged (C-806)"
report 1 revised new.example | reports
api GET "/reports/$(uuid 1)"
is "$(field .report.revision) $(field .report.title)" "2 revised" "other contents are a new revision (C-806)"
is "$(sql "SELECT value FROM indicator WHERE withdrawn_at IS NOT NULL")" open.example "an indicator that is gone is marked and kept (C-806)"

# ---- two organisations ----

stranger_new
ctl entitlements grant --account "$ACCOUNT2" reports >/dev/null
ctl entitlements grant --account "$ACCOUNT2" search >/dev/null
own=$key
one_found()
{
	api GET /search/reports/count
	[ "$STATUS $(field .count)" = "200 1" ]
}
ok "a search finds the shared report" world_until 30 one_found
# facets: the buckets of every field that can be aggregated, a line each.
facets()
{
	api GET /search/schemas
	field '.schemas[]|select(.dataset == "reports").fields|map(select(.aggregatable)|{field: .name})|_nwise(8)|{aggregations: .}|tojson' \
		>"$W/aggregations"
	while read -r _body; do
		api POST /search/reports/aggregate "$_body"
		field '.groups[]|tojson'
	done <"$W/aggregations"
}
key=$KEY2
facets >"$W/facets"
key=$own
api POST /reports '{"title":"Private zebra","publisher":"Zebra","tlp":"red","tags":["zebra"],"text":"# Indicators of compromise\n\nzebra-traders[.]com and hxxp://zebra-traders[.]com/x"}' -H 'Idempotency-Key: one'
is "$STATUS $(field .report.visibility) $(field .report.tlp)" "201 account red" "an organisation adds a report of its own, which may be red (C-131)"
private=$(field .report.uuid)
api POST /reports '{"title":"Private zebra","publisher":"Zebra","tlp":"red","tags":["zebra"],"text":"# Indicators of compromise\n\nzebra-traders[.]com and hxxp://zebra-traders[.]com/x"}' -H 'Idempotency-Key: one'
is "$STATUS $(field .report.uuid) $(grep -ci '^idempotency-replayed: true' "$W/headers")" "201 $private 1" "the same Idempotency-Key and body give the same report (C-085)"
api POST /reports '{"title":"Other","text":"nothing"}' -H 'Idempotency-Key: one'
is "$STATUS $(field .error.code)" "409 idempotency_key_conflict" "an Idempotency-Key with another body is refused (C-086)"
counted()
{
	api GET "/search/reports/count?q=${2-}"
	[ "$(field .count)" = "$1" ]
}
ok "the organisation finds its own report beside the shared one" world_until 60 counted 2
all='publisher:zebra+OR+indicators.value:zebra-traders.com+OR+tags:zebra+OR+192.0.2.77+OR+tlp:red+OR+zebra'
# answers: what a search shows of the private report: hits, matches, counts, buckets.
answers()
{
	api GET "/search/reports?q=$all"
	printf '%s ' "$STATUS" "$(field .total.value)" "$(field '[.reports[].matched_indicators[]]|length > 0')" "$(field .next_cursor)"
	api GET "/search/reports/count?q=$all"
	printf '%s ' "$(field .count)"
	for _field in publisher tlp tags indicator_types source_kind; do
		api POST /search/reports/aggregate "{\"aggregations\":[{\"field\":\"$_field\"}]}"
		printf '%s ' "$(field '[.groups[0].buckets[].count]|add // 0')"
	done
	api POST /search/reports/aggregate "{\"query\":\"$(printf %s "$all" | tr + ' ')\",\"aggregations\":[{\"field\":\"publisher\"}]}"
	printf '%s ' "$(field '.groups[0].buckets|length')"
	api GET "/search/reports?q=NOT+title:revised"
	printf '%s ' "$(field .total.value)"
	api GET "/search/reports?limit=1"
	printf '%s ' "$(field .has_more)"
	api POST /reports/indicators/lookup '{"values":["zebra-traders[.]com"]}'
	printf '%s ' "$(field '.results[0].reports_total')"
	for _path in '' /indicators /indicators.csv /indicators.ndjson /indicators.stix /pivots; do
		api GET "/reports/$private$_path"
		printf '%s ' "$STATUS"
	done
}
is "$(answers)" "200 1 true null 1 2 1 1 3 2 1 1 true 1 200 200 200 200 200 200 " "every answer shows the organisation its report"
key=$KEY2
is "$(answers)" "200 0 false null 0 1 0 0 1 1 0 0 false 0 404 404 404 404 404 404 " \
	"no count, facet, cursor, look-up, export or pivot shows the report to another organisation (C-131)"
facets >"$W/facets.after"
like "$(wc -l <"$W/facets")" '^[1-9][0-9]+$' "an answer has the buckets of each field"
is "$(diff "$W/facets" "$W/facets.after")" "" "no bucket of any field changes for another organisation (C-131)"
key=$own
facets >"$W/facets.own"
isnt "$(diff "$W/facets" "$W/facets.own")" "" "the buckets of the organisation itself have the report"
api GET '/search/reports?limit=1'
cursor=$(field .next_cursor)
key=$KEY2
api GET "/search/reports?limit=1&cursor=$cursor"
is "$STATUS $(field .error.code)" "400 invalid_search_cursor" "no cursor of the organisation works for another one (C-131)"
api DELETE "/reports/$private"
is "$STATUS $(field .error.code)" "404 report_not_found" "another organisation cannot withdraw the report (C-131)"
api DELETE "/reports/$(uuid 1)"
is "$STATUS $(field .error.code)" "404 report_not_found" "no organisation withdraws a shared report (C-808)"
for q in 'visibility:*' '_exists_:visibility' "visibility:$ACCOUNT"; do
	api GET "/search/reports?q=$q"
	is "$STATUS $(field .error.code)" "400 invalid_search_query" "no query can name the visibility: $q (C-131)"
done
api POST /search/reports/aggregate '{"aggregations":[{"field":"visibility"}]}'
is "$STATUS $(field .error.code)" "400 invalid_aggregation" "no aggregation can name the visibility (C-131)"
api GET '/search/reports?fields=visibility'
is "$STATUS" 400 "no answer has the visibility (C-131)"
api GET /search/schemas
is "$STATUS $(grep -c '"visibility"' "$W/body")" "200 0" "no schema has the visibility (C-131)"
key=$own

report 3 red red.example ',"tlp":"red"' | reports
is "$(grep -c 'tlp: ' "$W/err") $(sql "SELECT count(*) FROM report WHERE title = 'red'")" "1 0" "a shared report that is red is refused (C-131)"
report 4 own own.example ',"tlp":"red"' | reports --account "$ACCOUNT2"
is "$(cat "$W/out") $(sql "SELECT account_uuid, tlp FROM report WHERE title = 'own'")" \
	"1 read, 1 new, 0 changed, 0 unchanged, 0 bad, 0 skipped $ACCOUNT2|red" \
	"--account makes our own documents reports of that account, which may be red (C-131)"
api GET "/reports/$(uuid 4)"
is "$STATUS $(field .error.code)" "404 report_not_found" "another account does not find a report that was imported for one (C-131)"
report 5 own own.example | reports --account nowhere
is "$? $(sql "SELECT count(*) FROM report WHERE uuid = '$(uuid 5)'")" "3 0" "an account that is unknown gets no report, and neither do all"
report 5 own own.example | reports --tlp red
like "$(sed -n 1p "$W/err") $(sql "SELECT count(*) FROM report WHERE uuid = '$(uuid 5)'")" '--tlp belongs to --format pdf html text.* 0$' \
	"an option that our own documents do not read is refused"
ctl import reports --title x t/cli/data/reports/stix-2.1.json >"$W/out" 2>"$W/err"
like "$? $(cat "$W/err")" '^1 .*--title belongs to --format pdf html text, and this file is stix' "an option that STIX does not read is refused"
ctl import reports --format misp --language en t/cli/data/reports/misp-event.json >"$W/out" 2>"$W/err"
like "$? $(cat "$W/err")" '^2 .*--language belongs to --format pdf html text' "an option that the named format does not read is a mistake of usage"
ctl import reports --seen 2026-01-01 t/cli/data/reports/stix-2.1.json >"$W/out" 2>"$W/err"
like "$? $(cat "$W/err")" '^2 .*--seen belongs to --format ndjson' "an option of our own documents is refused with another format"
sql "UPDATE report SET tlp = 'red' WHERE account_uuid IS NULL" >/dev/null 2>"$W/err"
is "$? $(grep -c report_tlp_private "$W/err")" "1 1" "the database refuses a shared report that is red (C-131)"

# ---- withdrawn ----

api DELETE "/reports/$private"
is "$STATUS $(field .report.status)" "200 withdrawn" "an organisation withdraws its report"
api GET "/reports/$private"
is "$STATUS" 404 "a withdrawn report is in no answer (C-808)"
ok "a withdrawn report leaves search" world_until 60 counted 1
if [ -n "${SHARDS-}" ]; then
	is "$(ctl --json search status | jq -r '.datasets[]|select(.dataset == "reports").layout')" 1 "ClickHouse has answered the searches"
	world_ch_stop
fi
