#!/bin/sh
# SPDX-License-Identifier: ISC
# The Prometheus rules and the Grafana dashboard of debian/monitoring are well-formed, the alerts fire when they
# should, and a running host has every metric and operation that they name.
. t/lib.sh
M=debian/monitoring

pg_start
sql "INSERT INTO search_feed (engine, dataset, snapshot) VALUES ('clickhouse:surfaced', 1, pg_current_snapshot())" # as surfaced-index does that feeds it
index_start
api_start
web_start ''
api GET /search/schemas
printf '%s\n' '{"ip":"9.9.9.9"}' | world_ctl import hosts --format ndjson - >/dev/null
printf '%s\n' '{"ip":"9.9.9.9"}' '{"ip":"no address"}' | world_ctl import hosts --format ndjson - >/dev/null 2>&1
printf '%s\n' 'nothing that is known' | world_ctl import dns - >/dev/null 2>&1
scrape()
{
	curl -sS --max-time 60 --unix-socket "$W/run/metrics.sock" http://localhost/metrics >"$W/scrape"
	grep -q '^surfaced_request_seconds_count' "$W/scrape" && grep -q '^surfaced_sessions{' "$W/scrape" &&
		grep -q '^surfaced_index_age_seconds' "$W/scrape"
}
ok "the metrics of the host are scraped" world_until 10 scrape
imports_counted()
{
	scrape && grep -q '^surfaced_imports_total{result="failed"} 1' "$W/scrape"
}
ok "the metrics of the installation are read again" world_until 60 imports_counted
is "$(sed -n 's/^surfaced_imports_total{result="\(.*\)"} /\1 /p' "$W/scrape" | paste -sd, -)" "complete 1,bad 1,failed 1" \
	"imports are counted by their result"
is "$(grep -c '^surfaced_import_age_seconds{kind="hosts"} ' "$W/scrape")/$(grep -c '^surfaced_import_age_seconds{kind="dns"} ' "$W/scrape")" "1/0" \
	"the last import has an age if it was read to its end"

# Every metric with a # TYPE line, the series of its histogram, and the series that the rules record.
sed -n 's/^# TYPE \([a-z_]*\) \([a-z]*\)$/\1 \2/p' "$W/scrape" | while read -r name type; do
	echo "$name"
	[ "$type" != histogram ] || printf '%s\n' "${name}_bucket" "${name}_count" "${name}_sum"
done >"$W/known"
sed -n 's/^ *- record: //p' "$M/surfaced.rules.yml" >>"$W/known"

# unknown: prints the metrics on standard input that the host does not have.
unknown()
{
	grep -oE 'surfaced[_:][a-z0-9_:]+' | sort -u | grep -vxFf "$W/known"
}
expressions()
{
	jq -r '.. | objects | (.expr, .query) | strings' "$M/surfaced-dashboard.json"
}
is "$(expressions | unknown)" "" "the host has every metric of the dashboard"
is "$(grep -E '^ +(expr|  )' "$M/surfaced.rules.yml" | grep -vE '^ +(description|summary)' | unknown)" "" \
	"the host has every metric of the rules"
is "$(sed -n 's/^COUNTER([A-Z_]*,[[:space:]]*"\([a-z_]*\)".*/\1/p' src/tbl/counters.h | while read -r name; do
	expressions | grep -qw "$name" || echo "$name"
done)" "" "every counter of src/tbl is on the dashboard"
is "$(sql "SELECT name FROM metric_kind" | while read -r name; do
	expressions | grep -qE "$name(_bucket)?\>" || echo "$name"
done)" "" "every shared metric is on the dashboard"
"$BIN/surfaced" -D routes | cut -f3 >"$W/operations"
grep -E '^(search|count|aggregate|bulk_lookup)_' "$W/operations" | sort >"$W/searches"
{
	expressions
	cat "$M/surfaced.rules.yml"
} | grep -oE 'operation=~"[^"]*"' | sort -u | while read -r line; do
	line=${line#*\"} line=${line%\"}
	grep -xE "$line" "$W/operations" | sort | cmp -s - "$W/searches" || echo "$line"
done >"$W/odd"
isnt "$(cat "$W/searches")" "" "there are operations that search"
is "$(cat "$W/odd")" "" "each list of search operations names those of every dataset"
is "$(jq '[.panels[] | select(.type != "row") | .title] | length == (unique | length)' "$M/surfaced-dashboard.json")" true \
	"every panel of the dashboard has its own title"
is "$(jq '[.panels[].id] | length == (unique | length)' "$M/surfaced-dashboard.json")" true \
	"every panel of the dashboard has its own id"
is "$(jq -r '[.panels[] | select(.type != "row") | .targets[] | select(.datasource.uid != "${datasource}")] | length' \
	"$M/surfaced-dashboard.json")" 0 "every panel uses the chosen data source"

if command -v promtool >/dev/null; then
	expressions | grep -v '^label_values\|^prometheus$' | sed 's/\$__rate_interval/5m/; s/\$__rate_interval/5m/; s/\$instance/.*/g' |
		jq -Rr '"  - record: x:\(input_line_number)\n    expr: \(. | tojson)"' |
		{ printf 'groups:\n- name: dashboard\n  rules:\n'; cat; } >"$W/dashboard.yml"
	ok "promtool accepts every expression of the dashboard" \
		sh -c 'promtool check rules "$1" >"$2" 2>&1' sh "$W/dashboard.yml" "$W/out"
	ok "promtool accepts the rules of debian/monitoring" \
		sh -c 'promtool check rules "$1/surfaced.rules.yml" >"$2" 2>&1' sh "$M" "$W/out"
	ok "promtool accepts the configuration of debian/monitoring" \
		sh -c 'promtool check config --syntax-only "$1/prometheus.yml" >"$2" 2>&1' sh "$M" "$W/out"
	promtool test rules "$M/surfaced.rules.test.yml" >"$W/out" 2>&1
	is "$? $(grep -c SUCCESS "$W/out")" "0 1" "each alert fires for its fault and none on a sound host"
	sed 's/> 0.01 and/> 0.9 and/' "$M/surfaced.rules.yml" >"$W/surfaced.rules.yml"
	cp "$M/surfaced.rules.test.yml" "$W/"
	isnt "$(promtool test rules "$W/surfaced.rules.test.yml" >/dev/null 2>&1; echo $?)" 0 \
		"the test of the rules fails if an alert never fires"
else
	skip "no promtool"
fi
