#!/bin/sh
# SPDX-License-Identifier: ISC
# The feed of observations while four writers commit in an order that differs from the order of their first writes: each
# event arrives once, and none behind a cursor that a client holds (C-162).
. t/lib.sh
pg_start
api_start
web_start
stranger_new

EVENTS=1500 WRITERS=4
F=/rules/observations/feed

rule() { sql "INSERT INTO rule (account_uuid, id, name, dataset, scope, query, severity, status)
	VALUES ('$1', gen_random_uuid(), 'x', 'hosts', '$2', '*', 'low', 'stable') RETURNING uuid"; }
run() { sql "INSERT INTO rule_run (rule_uuid, account_uuid, rule_version) VALUES ('$1', $2, 1) RETURNING uuid"; }
seen() { sql "INSERT INTO rule_observation (run_uuid, record_key, document_key, project_uuid, dataset, rule_version, record, first_seen_at, last_seen_at)
	VALUES ('$1', '$2', 'x', $3, 1, 1, '{\"ip\":\"192.0.2.1\"}', now(), now()) RETURNING uuid"; }
event() { sql "INSERT INTO observation_event (run_uuid, observation_uuid, event) SELECT run_uuid, uuid, '$2' FROM rule_observation WHERE uuid = '$1' RETURNING id"; }

# A run for each writer, and one of another account.
for n in 0 $(seq $WRITERS); do
	account=$ACCOUNT
	[ "$n" -gt 0 ] || account=$ACCOUNT2
	run=$(run "$(rule "$account" all)" NULL)
	echo "$run $(seen "$run" 192.0.2.1 NULL)" >"$W/run.$n"
done
event "$(cut -d' ' -f2 "$W/run.0")" appeared >/dev/null

# The transactions of a writer: 1 to 20 events, then work of random length, then COMMIT or, for one in ten, ROLLBACK.
cat >"$W/writer.py" <<'END'
import random, sys
number, events, run, observation = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
dice = random.Random(number)
out = ["SET synchronous_commit = off;"]
at = 0
while at < events:
    n = min(dice.randint(1, 20), events - at)
    out.append("BEGIN;")
    for i in range(n):
        out.append("INSERT INTO observation_event (run_uuid, observation_uuid, event, at)"
            " VALUES ('%s', '%s', '%s', '2026-01-01'::timestamptz + %d * interval '1 s');"
            % (run, observation, "gone" if (at + i) % 2 else "returned", number * 1000000 + at + i))
    # Other writers run while this transaction is open.
    out.append("SELECT count(*) FROM generate_series(1, %d) \\g /dev/null" % dice.randint(0, 20000))
    out.append("ROLLBACK;" if dice.random() < 0.1 else "COMMIT;")
    if out[-1] == "COMMIT;":
        at += n
print("\n".join(out))
END
pids=''
for n in $(seq $WRITERS); do
	# shellcheck disable=SC2046 # a run and an observation
	/usr/bin/python3 "$W/writer.py" "$n" "$EVENTS" $(cat "$W/run.$n") >"$W/writer.$n"
	psql -Xq -v ON_ERROR_STOP=1 -f "$W/writer.$n" >"$W/writer.$n.out" 2>&1 &
	pids="$pids $!"
done

# follow: reads pages until one has no more; appends their events to $W/read.
after=''
follow()
{
	while :; do
		api GET "$F${after:+?after=$after}"
		[ "$STATUS" = 200 ] || { diag "$STATUS $BODY"; return 1; }
		printf '%s' "$BODY" | jq -r '.events[] | "\(.at) \(.event) \(.observation.uuid)"' >>"$W/read"
		after=$(field .next_cursor)
		[ "$(field .has_more)" = true ] || return 0
	done
}
running()
{
	for _pid in $pids; do
		! kill -0 "$_pid" 2>/dev/null || return 0
	done
	return 1
}
: >"$W/read"
rounds=0
while running; do
	follow || break
	rounds=$((rounds + 1))
done
failed=0
for pid in $pids; do
	wait "$pid" || failed=1
done
is "$failed" 0 "four writers have written their events"
caught_up() { follow && [ "$(wc -l <"$W/read")" -ge $((EVENTS * WRITERS)) ]; }
ok "the feed comes to the last event" world_until 30 caught_up
diag "the feed was read $rounds times while the writers wrote"
is "$(sort "$W/read" | uniq -d | wc -l)" 0 "no event of 6,000 arrives twice (C-162)"
is "$(sort -u "$W/read" | wc -l)" $((EVENTS * WRITERS)) "each event of 6,000 arrives, and none of another account (C-162, C-158)"
sql "SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"') || ' ' || event || ' ' || observation_uuid
	FROM observation_event WHERE run_uuid <> '$(cut -d' ' -f1 "$W/run.0")' ORDER BY changed, id" >"$W/order"
ok "the events arrive in the order of transactions, which never goes back (C-162)" cmp "$W/read" "$W/order"

# An open transaction holds back what is written after it, and nothing is lost.
one=$(cut -d' ' -f2 "$W/run.1") two=$(cut -d' ' -f2 "$W/run.2")
mkfifo "$W/open"
psql -Xq -v ON_ERROR_STOP=1 <"$W/open" >"$W/open.out" 2>&1 &
exec 9>"$W/open"
printf '%s\n' "BEGIN; INSERT INTO observation_event (run_uuid, observation_uuid, event)
	SELECT run_uuid, uuid, 'gone' FROM rule_observation WHERE uuid = '$one' RETURNING 'ready';" >&9
ready() { grep -q ready "$W/open.out"; }
ok "a slow transaction has written its event" world_until 60 ready
event "$two" returned >/dev/null
: >"$W/read"
follow
is "$(cat "$W/read")" "" "events after an open transaction wait for its end (C-162)"
isnt "$(field .next_cursor)" null "an empty page has a cursor"
echo "COMMIT;" >&9
exec 9>&-
both() { follow && [ "$(wc -l <"$W/read")" -eq 2 ]; }
ok "both events arrive after the open transaction has ended" world_until 60 both
is "$(cut -d' ' -f2,3 "$W/read" | tr '\n' ' ')" "gone $one returned $two " "the earlier transaction comes first (C-162)"

# What an event shows.
sql "UPDATE rule_observation SET state = 'gone', gone_at = now(), gone_reason = 'removed', returns = 2 WHERE uuid = '$two'"
event "$two" gone >/dev/null
last() { api GET "$F?after=$after" && [ "$(field '.events | length')" = 1 ]; }
ok "an event arrives alone" world_until 60 last
is "$(field '.events[0] | [(keys_unsorted | join(",")), .event, .observation.state, .observation.gone_reason, .observation.returns] | join(" ")')" \
	"event,at,observation gone gone removed 2" "an event has its kind, its time and the observation"
api GET "$F?limit=2"
is "$(field '[(.events | length), .has_more, (.next_cursor | type)] | join(" ")')" "2 true string" "a page has the number of events that was asked for"

# Whose events a key reads.
surface=$(run "$(rule "$ACCOUNT" surface)" "'$ACCOUNT'")
other=$(ctl --json projects create --account "$ACCOUNT" Other | jq -er .project.uuid)
limited=$(key_new --scope rules.view --project "$P")
event "$(seen "$surface" 192.0.2.7 "'$P'")" appeared >/dev/null
event "$(seen "$surface" 192.0.2.8 "'$other'")" appeared >/dev/null
sql "DELETE FROM observation_event WHERE run_uuid <> '$surface' AND at < '2026-06-01'"
arrived() { api GET "$F" && [ "$(field '[.events[] | select(.event == "appeared")] | length')" = "$1" ]; }
ok "a key that is not limited gets the events of every project" world_until 60 arrived 2
key=$limited
api GET "$F"
is "$(field '[.events[] | select(.event == "appeared") | .observation.record_key] | join(" ")')" 192.0.2.7 \
	"a key limited to a project gets the events of its project alone (C-158)"
api GET "$F?after=$after"
is "$STATUS $(field .error.code)" "400 invalid_pagination" "a cursor of another key is refused"
key=$KEY
api GET "$F?after=x"
is "$STATUS $(field .error.code)" "400 invalid_pagination" "a cursor that is none is refused"

# Cursors outlive events, which go after 90 days; a restored database has other ones.
api GET "$F"
after=$(field .next_cursor)
count=$(sql "SELECT count(*) FROM observation_event WHERE run_uuid <> '$(cut -d' ' -f1 "$W/run.0")'")
sql "CREATE TABLE kept AS SELECT * FROM observation_event; DELETE FROM observation_event"
api GET "$F?after=$after"
is "$STATUS $(field '.events | length')" "200 0" "a cursor whose event has gone stands"
sql "INSERT INTO observation_event OVERRIDING SYSTEM VALUE SELECT * FROM kept; UPDATE observation_event SET changed = '0'"
api GET "$F?after=$after"
is "$STATUS $(field .error.code)" "400 invalid_pagination" "a cursor is refused after the database was restored from a backup (C-928)"
api GET "$F"
is "$(field '.events | length')" "$count" "the feed of a restored database begins with what was restored"
sql "DELETE FROM observation_event; SELECT setval(pg_get_serial_sequence('observation_event', 'id'), 1)" >/dev/null
api GET "$F?after=$after"
is "$STATUS $(field .error.code)" "400 invalid_pagination" "a cursor is refused whose number no event has had"
