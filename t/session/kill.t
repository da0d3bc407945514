#!/bin/sh
# SPDX-License-Identifier: ISC
# kill -9 of workers while sessions are created: no session is half created, the same Idempotency-Key works again
# and creates one session for each client (C-089), and the counters are right (C-090).
# shellcheck disable=SC2034 # for t/lib.sh
LOG_EXPECTED='upstream prematurely closed|recv\(\) failed|killed'
. t/lib.sh
pg_start
api_start
web_start

S=/projects/$P/sessions
N=400
sql "UPDATE session_policy SET caller_sessions = 10000, organisation_sessions = 10000"

# Each client posts with each of its keys, and repeats the request until it is answered.
cat >"$W/client" <<'CLIENT'
n=$1
while [ "$n" -le "$2" ]; do
	for try in $(seq 100); do
		# shellcheck disable=SC2086 # CURL is a list of options
		status=$(curl -sS $CURL -o "$W/answer.$n" -w '%{http_code}' -H "X-API-Key: $KEY" -H "Idempotency-Key: $n" \
			-H 'Content-Type: application/json' -d '{"start_url":"https://example.com/"}' "$URL" 2>/dev/null)
		echo "$n $status" >>"$W/statuses.$1"
		[ "$status" != 202 ] || break
	done
	n=$((n + 4))
done
CLIENT
export W KEY CURL URL="$BASE_URL$S"
clients=
for c in 1 2 3 4; do
	sh "$W/client" "$c" "$N" &
	clients="$clients $!"
done
kills=0
while [ "$kills" -lt 60 ] && kill -0 "${clients##* }" 2>/dev/null; do
	kill -KILL "$(workers | shuf -n 1)" 2>/dev/null && kills=$((kills + 1))
	sleep 0.05 # between two kills, not for anything to happen
done
# shellcheck disable=SC2086 # a list of pids
wait $clients
diag "$kills workers killed, $(cat "$W"/statuses.* | grep -vc ' 202$') answers lost"
ok "at least ten workers were killed" test "$kills" -ge 10
is "$(cat "$W"/statuses.* | awk '$2 != 202 && $2 != 502 && $2 != 503' | head -3)" "" \
	"every other answer is the envelope of a lost worker"
is "$(cat "$W"/answer.* | jq -r .session.uuid | sort -u | wc -l)" "$N" \
	"every Idempotency-Key has its own session"
is "$(sql "SELECT count(*) FROM browser_session") $(sql "SELECT count(*) FROM idempotency")" "$N $N" \
	"the database has exactly one session for each key (C-089)"
is "$(sql "SELECT active FROM session_organisation") $(sql "SELECT active FROM session_caller")" "$N $N" \
	"the counters equal the number of sessions (C-090)"
is "$(sql "SELECT count(*) FROM audit WHERE action = 'browser_session.create'")" "$N" \
	"the audit has one entry for each session"
