#!/bin/sh
# SPDX-License-Identifier: ISC
# If the client disconnects during a change, the change is rolled back and the request still counts: C-069 gives
# back only requests that failed on the server's side.
. t/lib.sh
pg_start
# The request waits for the test, not for the time-outs of statements and locks.
sql "ALTER ROLE surfaced_api SET statement_timeout = '10min'; ALTER ROLE surfaced_api SET lock_timeout = '10min'"
api_start
web_start
key=$(key_new --scope alerts.silences.manage)
prefix=$(printf %.12s "$key")
rule=$(rule_new)
body="{\"rule_uuid\":\"$rule\",\"reason\":\"cut\",\"ends_at\":\"$(date -u -d '+1 day' +%FT%TZ)\"}"

api POST "/projects/$P/alerting/silences" "$body"
is "$STATUS" 201 "a silence is created while the table is free"

# The table is locked: the request waits in the database.
mkfifo "$W/hold"
psql -XqAt <"$W/hold" >/dev/null 2>&1 &
exec 9>"$W/hold"
echo "BEGIN; LOCK TABLE alert_silence IN EXCLUSIVE MODE;" >&9
waits()
{
	[ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE usename = 'surfaced_api' AND wait_event_type = 'Lock'")" = "$1" ]
}
locked()
{
	[ "$(sql "SELECT count(*) FROM pg_locks l JOIN pg_class c ON c.oid = l.relation WHERE c.relname = 'alert_silence' AND l.mode = 'ExclusiveLock' AND l.granted")" = 1 ]
}
world_until 10 locked || fail "the lock of the test is granted"
# shellcheck disable=SC2086 # CURL is a list of options
curl -s $CURL -o /dev/null -H "X-API-Key: $key" -H 'Content-Type: application/json' -d "$body" \
	"$BASE_URL/projects/$P/alerting/silences" &
cut=$!
ok "a second request waits for the lock" world_until 10 waits 1
kill -KILL "$cut"
wait "$cut" 2>/dev/null || :
hung_up() { grep -q 'client prematurely closed\|client closed' "$W"/log/nginx*.log; }
ok "nginx logs that the client disconnected" world_until 10 hung_up
echo "ROLLBACK;" >&9
exec 9>&-
done_with() { grep -q 'op=create_alert_silence .*status=503' "$W"/log/surfaced.log; }
ok "the worker ends the abandoned request with 503" \
	world_until 10 done_with || diag "$(tail -n 5 "$W"/log/surfaced.log "$W"/log/nginx.log)"
is "$(sql "SELECT count(*) FROM alert_silence WHERE reason = 'cut'")" 1 \
	"the abandoned request created no silence"
flushed
is "$(sql "SELECT taken || ' ' || given_back FROM usage_daily JOIN api_key ON uuid = key_uuid WHERE prefix = '$prefix'")" "2 0" \
	"both requests count as usage"
