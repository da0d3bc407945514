#!/bin/sh
# SPDX-License-Identifier: ISC
# How long records are kept: settled deliveries with their attempts, and usage, for a time; the rest for ever.
. t/lib.sh
pg_start
api_start
web_start

D=$(sql "INSERT INTO alert_destination (project_uuid, name, url, secret) VALUES ('$P', 'd', 'https://hooks.example.com/',
	'whsec_' || repeat('A', 43) || '=') RETURNING uuid")
R=$(sql "INSERT INTO alert_rule (project_uuid, name, source, min_severity) VALUES ('$P', 'r', 'finding', 'info') RETURNING uuid")
sql "INSERT INTO alert (project_uuid, rule_uuid, source, source_uuid, title, state, closed_at, created_at)
	VALUES ('$P', '$R', 'finding', gen_random_uuid(), 'Old', 'closed', now() - interval '2 years', now() - interval '2 years')"
sql "INSERT INTO alert_silence (project_uuid, rule_uuid, reason, starts_at, ends_at, created_at) VALUES
	('$P', '$R', 'x', now() - interval '2 years', now() - interval '23 months', now() - interval '2 years')"
# deliveries FAILURE N STATE CREATED LAST: makes N deliveries that are distinguished by their failure.
deliveries()
{
	sql "WITH d AS (INSERT INTO alert_delivery (project_uuid, alert_uuid, destination_uuid, state, failure, attempts, due_at,
			created_at, last_attempt_at, delivered_at)
		SELECT project_uuid, uuid, '$D', '$3', '$1', 1, now() + interval '1 day', now() - interval '$4', now() - interval '$5',
			CASE '$3' WHEN 'delivered' THEN now() - interval '$5' END FROM alert, generate_series(1, $2) RETURNING uuid)
		INSERT INTO alert_attempt SELECT uuid, 1, now() - interval '$5', now() - interval '$5', 500, 'x' FROM d"
}
deliveries made 1200 delivered '91 days' '91 days'
deliveries failed 5 failed '91 days' '91 days'
deliveries silenced 5 silenced '91 days' '91 days'
deliveries young 5 failed '89 days' '89 days'
deliveries again 5 failed '1 year' '89 days'
deliveries pending 5 pending '1 year' '1 year'
deliveries held 1 failed '1 year' '1 year'
left() { sql "SELECT string_agg(n || ' ' || failure, ', ' ORDER BY failure) FROM (SELECT count(*) AS n, failure FROM alert_delivery GROUP BY failure) AS s"; }
sql "INSERT INTO meter_host (incarnation, host, flushed_through) VALUES ('$D', 'old', now())"
sql "INSERT INTO usage_daily (key_uuid, day, incarnation, taken, given_back) SELECT k.uuid, (now() AT TIME ZONE 'UTC')::date - n, '$D', 1, 0
	FROM (SELECT uuid FROM api_key WHERE kind = 'key' LIMIT 1) AS k, generate_series(0, 1000) AS n"
# A month is a number: the first and the current month of the quotas.
sql "INSERT INTO quota_month (owner_uuid, month) VALUES ('$D', 24000), ('$D', extract(year FROM now()) * 12 + extract(month FROM now()) - 1)"
sql "INSERT INTO quota_lease (owner_uuid, month, incarnation) SELECT owner_uuid, month, '$D' FROM quota_month WHERE owner_uuid = '$D'"
# Idempotency-Keys of requests for reports, by their age in days.
sql "WITH r AS (INSERT INTO report SELECT (jsonb_populate_record(NULL::report, to_jsonb(v))).* FROM (SELECT gen_random_uuid() AS uuid,
		'text' AS source_kind, 'one' AS source_ref, 'published' AS status, 1 AS revision, '$ACCOUNT'::uuid AS account_uuid,
		'{}'::text[] AS threat_actors, '{}'::text[] AS malware_families, '{}'::text[] AS sectors, '{}'::text[] AS techniques,
		'{}'::text[] AS cves, '{}'::text[] AS countries, '{}'::text[] AS tags, now() AS imported_at, now() AS updated_at,
		now() AS first_seen, now() AS last_seen, false AS truncated, sha256('') AS digest) AS v RETURNING uuid)
	INSERT INTO report_request (space, request, report_uuid, created_at)
	SELECT decode(lpad(to_hex(n), 8, '0'), 'hex'), '', uuid, now() - n * interval '1 day' FROM r, generate_series(1, 60) AS n"
audit=$(sql "SELECT count(*) FROM audit")

# One delivery is locked: the others are deleted.
psql -XqAt -c "BEGIN; SELECT uuid FROM alert_delivery WHERE failure = 'held' FOR UPDATE; SELECT pg_sleep(3600)" >"$W/held" 2>&1 &
holder=$!
holds() { [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(3600)%' AND wait_event = 'PgSleep'")" = 1 ]; }
ok "one delivery is locked by another session" world_until 20 holds
echo "delivery_days = 90" >>"$W/etc/surfaced-alert.conf"
world_alert_start
kept="5 again, 1 held, 5 pending, 5 young"
pruned() { [ "$(left)" = "$kept" ]; }
ok "deliveries settled more than 90 days ago are deleted (C-795)" world_until 60 pruned
is "$(left)" "$kept" "pending, recent, recently tried and locked deliveries are kept"
is "$(sql "SELECT count(*) FROM alert_attempt WHERE delivery_uuid NOT IN (SELECT uuid FROM alert_delivery)")" 0 \
	"the attempts of deleted deliveries are deleted"
is "$(sql "SELECT count(*) FROM alert_attempt")" 16 "the attempts of kept deliveries are kept"
api GET "/projects/$P/alerting/alerts"
is "$(field '.alerts[0].title') $(sql "SELECT count(*) FROM alert_silence")" "Old 1" \
	"alerts and silences are kept for ever (C-795)"
ok "the deliveries are deleted in two batches of 500" \
	test "$(grep -c 'pruned what=deliveries rows=500$' "$W/log/surfaced-alert.log")" -eq 2
usage() { sql "SELECT count(*) || ' ' || ((now() AT TIME ZONE 'UTC')::date - min(day)) FROM usage_daily WHERE incarnation = '$D'"; }
short() { [ "$(usage)" = "401 400" ]; }
ok "usage older than 400 days is deleted" world_until 30 short
is "$(sql "SELECT count(*) || ' ' || min(month) / 24001 FROM quota_month WHERE owner_uuid = '$D'") $(sql "SELECT count(*) FROM quota_lease WHERE owner_uuid = '$D'")" \
	"1 1 1" "old months and leases of quotas are deleted"
requests() { [ "$(sql "SELECT count(*) || ' ' || (now()::date - min(created_at)::date) FROM report_request")" = "29 29" ]; }
ok "Idempotency-Keys of reports are deleted after 30 days, and later ones are kept" world_until 60 requests
api GET "/usage?window=180d"
is "$STATUS $(field '.api_usage.totals.requests >= 180')" "200 true" \
	"the usage that GET /usage shows is kept"
is "$(($(sql "SELECT count(*) FROM audit") - audit))" 0 "the deletions make no audit entries"
kill "$holder" 2>/dev/null
sql "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(3600)%' AND pid <> pg_backend_pid()" >"$W/out"
wait "$holder" 2>/dev/null

# delivery_days = 0 keeps deliveries for ever.
deliveries made 10 delivered '10 years' '10 years'

world_kill surfaced-alert
echo "delivery_days = 0" >>"$W/etc/surfaced-alert.conf"
sql "UPDATE usage_daily SET day = day - 1 WHERE incarnation = '$D' AND day < (now() AT TIME ZONE 'UTC')::date - 399"
world_alert_start
ok "usage is still deleted with delivery_days = 0" world_until 30 eval '[ "$(usage)" = "400 399" ]'
is "$(left)" "5 again, 1 held, 10 made, 5 pending, 5 young" "no delivery is deleted with delivery_days = 0"
