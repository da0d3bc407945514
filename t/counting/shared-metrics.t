#!/bin/sh
# SPDX-License-Identifier: ISC
# Metrics of the whole installation on each host's socket: alerts, deliveries, sessions, streams, egress.
. t/lib.sh
pg_start
api_start
web_start

scrape() { curl -sS --max-time 60 --unix-socket "$W/run/metrics.sock" http://localhost/metrics >"$W/scrape"; }
# shows TITLE LINE...: each line appears in the metrics.
shown()
{
	scrape
	for line; do
		grep -qxF "$line" "$W/scrape" || return 1
	done
}
shows()
{
	_title=$1
	shift
	if world_until 30 shown "$@"; then pass "$_title"; else fail "$_title"; diag "$(grep -E '^surfaced_(alert|session|stream|egress)' "$W/scrape" | grep -v ' 0$')"; fi
}

shows "every shared metric is 0 at first" \
	'surfaced_alerts_total{event="raise"} 0' 'surfaced_alert_deliveries_total{event="failed"} 0' \
	'surfaced_sessions{state="queued"} 0' 'surfaced_streams_refused_total{status="409"} 0' 'surfaced_alert_lag_seconds 0'
is "$(sed -n 's/^TOTAL([A-Z_0-9]*,[[:space:]]*"\(.*\)").*/\1/p' src/tbl/totals.h | tr -d '\\' | while read -r series; do
	grep -qF "$series 0" "$W/scrape" || echo "$series"
done)" "" "every series of src/tbl/totals.h is in the metrics"
is "$(grep -c '^# TYPE' "$W/scrape")" "$(grep '^# TYPE' "$W/scrape" | sort -u | wc -l)" \
	"each metric has one TYPE line"
if command -v promtool >/dev/null; then
	ok "promtool accepts the shared metrics" eval 'promtool check metrics <"$W/scrape" >"$W/out" 2>&1'
else
	skip "no promtool"
fi

D=$(sql "INSERT INTO alert_destination (project_uuid, name, url, secret) VALUES ('$P', 'd', 'https://hooks.example.com/',
	'whsec_' || repeat('A', 43) || '=') RETURNING uuid")
R=$(sql "INSERT INTO alert_rule (project_uuid, name, source, min_severity) VALUES ('$P', 'r', 'finding', 'info') RETURNING uuid")
sql "INSERT INTO alert (project_uuid, rule_uuid, source, source_uuid, title)
	SELECT '$P', '$R', 'finding', gen_random_uuid(), 'x' FROM generate_series(1, 5)"
sql "UPDATE alert SET raised_count = 2 WHERE uuid = (SELECT uuid FROM alert LIMIT 1)"
sql "UPDATE alert SET state = 'closed', state_event = 'clear', closed_at = now() WHERE uuid IN (SELECT uuid FROM alert LIMIT 2)"
shows "the metrics count raised and cleared alerts" \
	'surfaced_alerts_total{event="raise"} 5' 'surfaced_alerts_total{event="raise_again"} 1' 'surfaced_alerts_total{event="clear"} 2'

sql "INSERT INTO alert_delivery (project_uuid, kind, destination_uuid, due_at) SELECT '$P', 'test', '$D', now() + interval '1 day' FROM generate_series(1, 4)"
sql "UPDATE alert_delivery SET due_at = now() - interval '100 seconds' WHERE uuid = (SELECT uuid FROM alert_delivery LIMIT 1)"
lags() { scrape; awk '/^surfaced_alert_delivery_lag_seconds/ { exit !($2 >= 100 && $2 < 1000) } ' "$W/scrape"; }
shows "the metrics count deliveries that wait" \
	'surfaced_alert_deliveries_waiting 4' 'surfaced_alert_deliveries_total{event="created"} 4'
ok "the metrics have the delay of the oldest due delivery" world_until 30 lags
sql "UPDATE alert_delivery SET due_at = now() + interval '1 day'"
one=$(sql "SELECT uuid FROM alert_delivery LIMIT 1")
sql "INSERT INTO alert_attempt VALUES ('$one', 1, now()), ('$one', 2, now()), ('$one', 3, now())"
sql "UPDATE alert_attempt SET ended_at = now(), http_status_code = 503, failure = 'x' WHERE number = 1"
sql "UPDATE alert_attempt SET failure = 'interrupted: x' WHERE number = 2; UPDATE alert_attempt SET ended_at = now() WHERE number = 2"
sql "UPDATE alert_attempt SET ended_at = now(), failure = 'x' WHERE number = 3"
sql "UPDATE alert_delivery SET state = 'failed' WHERE uuid = '$one'"
sql "SELECT alert_delivery_retry('$P', '$one')" >"$W/out"
sql "UPDATE alert_delivery SET state = 'silenced' WHERE uuid = '$one'"
shows "the metrics count deliveries and attempts by their end" \
	'surfaced_alert_deliveries_total{event="failed"} 1' 'surfaced_alert_deliveries_total{event="retried"} 1' \
	'surfaced_alert_deliveries_total{event="silenced"} 1' 'surfaced_alert_attempts_total{answer="5xx"} 1' \
	'surfaced_alert_attempts_total{answer="interrupted"} 1' 'surfaced_alert_attempts_total{answer="none"} 1' 'surfaced_alert_retries_total 2'

for _ in 1 2 3; do api POST "/projects/$P/sessions" '{"start_url":"https://example.com/"}'; done
sql "INSERT INTO browser_host (name, slots) VALUES ('h', 1)"
s=$(sql "SELECT session_claim('h')")
sql "UPDATE browser_session SET created_at = created_at" # a lease is nothing that counts
sql "SELECT session_ready('$s', 1)" >"$W/out"
sql "SELECT session_apply(uuid, 'fail', 'failed') FROM browser_session WHERE state = 'queued' LIMIT 1" >"$W/out"
shows "the metrics count sessions by state and end" \
	'surfaced_sessions_created_total 3' 'surfaced_sessions{state="running"} 1' 'surfaced_sessions{state="queued"} 1' \
	'surfaced_sessions_ended_total{reason="failed"} 1' 'surfaced_session_start_seconds_count 1' \
	'surfaced_session_start_seconds_bucket{le="300"} 1' 'surfaced_session_start_seconds_bucket{le="+Inf"} 1'

psql -XqAt -U surfaced_stream -c "SELECT metric_add(ARRAY['surfaced_stream_bytes_total{direction=\"in\"}', 'surfaced_nothing'], '{1000000000000,1}')" >"$W/out" 2>&1
shows "the metrics sum the bytes of streams" 'surfaced_stream_bytes_total{direction="in"} 1000000000000'
is "$(sql "SELECT count(*) FROM metric_step WHERE series = 'surfaced_nothing'")" 0 \
	"a series that is not in the table is not counted"
isnt "$(sql "SELECT count(*) FROM metric_step")" 0 "new counts are stored as steps at first"
echo "alert_poll = 20" >>"$W/etc/surfaced-alert.conf"
sql "UPDATE alert_rule SET enabled = false"
world_alert_start
folded() { [ "$(sql "SELECT count(*) FROM metric_step")" = 0 ]; }
ok "surfaced-alert adds the steps up" world_until 30 folded
shows "the sums of the steps are unchanged" \
	'surfaced_stream_bytes_total{direction="in"} 1000000000000' 'surfaced_alerts_total{event="raise"} 5' 'surfaced_sessions_created_total 3'
