#!/bin/sh
# SPDX-License-Identifier: ISC
# Fairness between projects: one with many changes or deliveries, or with receivers that stall, delays only
# itself; a destination does not delay the others of its project. The test calls what surfaced-alert calls.
. t/lib.sh
pg_start

as_alert() { psql -XqAt -U surfaced_alert -v ON_ERROR_STOP=1 -c "$1"; }
A=$(sql "INSERT INTO project (account_uuid, name) SELECT account_uuid, 'A' FROM project LIMIT 1 RETURNING uuid")
B=$(sql "INSERT INTO project (account_uuid, name) SELECT account_uuid, 'B' FROM project LIMIT 1 RETURNING uuid")
C=$(sql "INSERT INTO project (account_uuid, name) SELECT account_uuid, 'C' FROM project LIMIT 1 RETURNING uuid")
# targets PROJECT N NAME: makes N destinations. deliver NAME N AGO: makes N deliveries to each, due AGO.
targets()
{
	sql "INSERT INTO alert_destination (project_uuid, name, url, secret) SELECT '$1', '$3', 'https://slow.example.com/',
		'whsec_' || repeat('A', 43) || '=' FROM generate_series(1, $2)"
}
deliver()
{
	sql "INSERT INTO alert_delivery (project_uuid, kind, destination_uuid, due_at, created_at)
		SELECT project_uuid, 'test', uuid, now() - interval '$3' - n * interval '1 ms', now() - interval '1 day'
		  FROM alert_destination, generate_series(1, $2) AS n WHERE name = '$1'"
}
# claim ROOM [PROJECT AFTER]: prints how many deliveries are claimed, by the name of their destination.
claim()
{
	as_alert "SELECT uuid FROM delivery_claim($1, 4, 60000, 10, ${2:-16}, '${3:-00000000-0000-0000-0000-000000000000}')" | sort >"$W/claimed"
	sql "SELECT string_agg(n || ' ' || name, ', ' ORDER BY name) FROM (SELECT count(*) AS n, t.name FROM alert_delivery d
		JOIN alert_destination t ON t.uuid = d.destination_uuid WHERE d.uuid = ANY ('{$(paste -sd, "$W/claimed")}') GROUP BY t.name) AS s"
}
free() { sql "UPDATE alert_delivery SET leased_until = NULL, due_at = now() - interval '1 hour' WHERE leased_until IS NOT NULL"; }

targets "$A" 1000 a
targets "$B" 1 b
deliver a 1 '1 hour'
deliver b 3 '1 second'
is "$(claim 64)" "16 a, 3 b" "a claim takes sixteen deliveries of a busy project and all of another"
is "$(claim 64)" "" "a second claim takes nothing of a project at its maximum"
free
is "$(claim 2)" "1 a, 1 b" "a claim with little room takes one delivery of each project"
free
last=$(sql "SELECT greatest('$A', '$B')")
other=$A
[ "$last" = "$B" ] || other=$B
name() { if [ "$1" = "$A" ]; then echo a; else echo b; fi; }
is "$(claim 1 16 "$other"), $(claim 1 16 "$last")" "1 $(name "$last"), 1 $(name "$other")" \
	"a claim with room for one takes the next project in turn"
free
is "$(claim 64 100), $(claim 29 100)" "32 a, 3 b, 29 a" \
	"a claim respects the maximum of deliveries per project"
free

sql "DELETE FROM alert_attempt; DELETE FROM alert_delivery"
targets "$C" 1 stalls
targets "$C" 1 good
deliver stalls 500 '1 hour'
deliver good 1 '1 second'
is "$(claim 64)" "1 good, 4 stalls" \
	"a claim takes four deliveries of one destination and those of the others"
deliver good 1 '1 second'
is "$(claim 64)" "1 good" "a delivery is claimed though older ones of a busy destination wait"
free
sql "UPDATE alert_delivery SET due_at = now() + interval '1 hour' WHERE state = 'pending'"
is "$(claim 64)" "" "a delivery that is not due is not claimed"
sql "UPDATE alert_delivery SET leased_until = now() - interval '1 second', due_at = now() - interval '1 second'
	WHERE uuid = (SELECT uuid FROM alert_delivery LIMIT 1)"
is "$(claim 64 | cut -c1-2)" "1 " "a delivery whose lease has expired is claimed again"

# ---- evaluation ----

sql "INSERT INTO alert_rule (project_uuid, name, source, min_severity) SELECT uuid, 'x', 'finding', 'info' FROM project WHERE name IN ('A', 'B')"
find_some()
{
	sql "INSERT INTO finding (project_uuid, finding_key, finding_type, title, first_seen_at, last_seen_at)
		SELECT '$1', 'k' || n, 'x', 'x', now(), now() FROM generate_series(1, $2) AS n"
}
find_some "$A" 1000
find_some "$B" 3
take() { as_alert "SELECT string_agg(n || '', ' ' ORDER BY n) FROM (SELECT count(*) AS n FROM alert_take($1) GROUP BY project_uuid) AS s"; }
is "$(take 100)" "3 50" "changes are taken in equal parts from the projects"
is "$(take 100)" "100" "one project alone gets the whole room for changes"
is "$(take 1)" "1" "a take with room for one takes one change"
find_some "$C" 1
is "$(sql "SELECT count(*) FROM alert_change WHERE project_uuid = '$C'")" 0 \
	"a project without rules queues no changes"
# alert_defer defers the change that alert_take(1) would take.
sql "UPDATE alert_change SET due_at = now() - interval '1 hour' WHERE id = (SELECT max(id) FROM alert_change)"
one=$(sql "SELECT source_uuid FROM alert_change ORDER BY id DESC LIMIT 1")
as_alert "SELECT alert_defer()" >"$W/out"
is "$(sql "SELECT source_uuid FROM alert_change WHERE due_at > now()")" "$one" \
	"the change that fails is deferred"
isnt "$(as_alert "BEGIN; SELECT source_uuid FROM alert_take(1); ROLLBACK")" "$one" \
	"the deferred change is not taken next"
