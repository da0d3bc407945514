#!/bin/sh
# SPDX-License-Identifier: ISC
# Who is next: one project that has much to judge or to send, or receivers that stall, delays itself alone; nor
# does one destination delay the others of its project. Asked as surfaced-alert asks.
. t/lib.sh
pg_start

as_alert() { psql -XqAt -U surfaced_alert -v ON_ERROR_STOP=1 -c "$1"; }
A=$(sql "INSERT INTO project (account_uuid, name) SELECT account_uuid, 'A' FROM project LIMIT 1 RETURNING uuid")
B=$(sql "INSERT INTO project (account_uuid, name) SELECT account_uuid, 'B' FROM project LIMIT 1 RETURNING uuid")
C=$(sql "INSERT INTO project (account_uuid, name) SELECT account_uuid, 'C' FROM project LIMIT 1 RETURNING uuid")
# targets PROJECT N NAME: N destinations; deliver NAME N AGO: N deliveries to each, due since then.
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
# claim ROOM [PROJECT AFTER]: how many of each it takes, by the name of their destination.
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
is "$(claim 64)" "16 a, 3 b" "a project has so many under way, and another one's are sent although they came last"
is "$(claim 64)" "" "no more of either"
free
is "$(claim 2)" "1 a, 1 b" "where there is little room each has its part"
free
last=$(sql "SELECT greatest('$A', '$B')")
other=$A
[ "$last" = "$B" ] || other=$B
name() { if [ "$1" = "$A" ]; then echo a; else echo b; fi; }
is "$(claim 1 16 "$other"), $(claim 1 16 "$last")" "1 $(name "$last"), 1 $(name "$other")" "and its turn, one after the other"
free
is "$(claim 64 100), $(claim 29 100)" "32 a, 3 b, 29 a" "as many as the configuration says"
free

sql "DELETE FROM alert_attempt; DELETE FROM alert_delivery"
targets "$C" 1 stalls
targets "$C" 1 good
deliver stalls 500 '1 hour'
deliver good 1 '1 second'
is "$(claim 64)" "1 good, 4 stalls" "one destination has four at most, and leaves the others theirs"
deliver good 1 '1 second'
is "$(claim 64)" "1 good" "also when all that has waited longer is of one that has its four"
free
sql "UPDATE alert_delivery SET due_at = now() + interval '1 hour' WHERE state = 'pending'"
is "$(claim 64)" "" "what is not due waits"
sql "UPDATE alert_delivery SET leased_until = now() - interval '1 second', due_at = now() - interval '1 second'
	WHERE uuid = (SELECT uuid FROM alert_delivery LIMIT 1)"
is "$(claim 64 | cut -c1-2)" "1 " "one whose lease has ended is taken again"

# ---- judgement ----

sql "INSERT INTO alert_rule (project_uuid, name, source, min_severity) SELECT uuid, 'x', 'finding', 'info' FROM project WHERE name IN ('A', 'B')"
find_some()
{
	sql "INSERT INTO finding (project_uuid, finding_key, finding_type, title, first_seen_at, last_seen_at)
		SELECT '$1', 'k' || n, 'x', 'x', now(), now() FROM generate_series(1, $2) AS n"
}
find_some "$A" 1000
find_some "$B" 3
take() { as_alert "SELECT string_agg(n || '', ' ' ORDER BY n) FROM (SELECT count(*) AS n FROM alert_take($1) GROUP BY project_uuid) AS s"; }
is "$(take 100)" "3 50" "changes are judged in equal parts"
is "$(take 100)" "100" "and as many as there is room for where one project has all"
is "$(take 1)" "1" "or one"
find_some "$C" 1
is "$(sql "SELECT count(*) FROM alert_change WHERE project_uuid = '$C'")" 0 "of a project with rules"
# alert_defer puts off what alert_take(1) would take.
sql "UPDATE alert_change SET due_at = now() - interval '1 hour' WHERE id = (SELECT max(id) FROM alert_change)"
one=$(sql "SELECT source_uuid FROM alert_change ORDER BY id DESC LIMIT 1")
as_alert "SELECT alert_defer()" >"$W/out"
is "$(sql "SELECT source_uuid FROM alert_change WHERE due_at > now()")" "$one" "the one that cannot be judged waits"
isnt "$(as_alert "BEGIN; SELECT source_uuid FROM alert_take(1); ROLLBACK")" "$one" "and is not the next"
