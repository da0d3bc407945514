#!/bin/sh
# SPDX-License-Identifier: ISC
# C-090: 16 clients with four keys create 500 sessions while the dispatcher starts and ends them: a key never has more
# than 5, the organisation never more than 20, and the counters equal the rows.
. t/lib.sh
pg_start
api_start
web_start
echo "browser_sessions = 12" >>"$W/etc/surfaced-dispatch.conf"
dispatch_start
S=$BASE_URL/projects/$P/sessions

cat >"$W/client" <<'CLIENT'
# N KEY: creates one; one in eight is closed again at once.
status=$(curl -sS $CURL -o "$W/answer.$1" -w '%{http_code}' -H "X-API-Key: $2" -H 'Content-Type: application/json' \
	-d '{"start_url":"https://example.com/?shots=1&events=1"}' "$S")
echo "$status"
[ "$status" = 202 ] && [ $(($1 % 8)) -lt 1 ] || exit 0
exec curl -sS $CURL -o /dev/null -H "X-API-Key: $2" -X DELETE "$S/$(jq -r .session.uuid "$W/answer.$1")"
CLIENT
for i in 1 2 3 4; do key_new --scope browser.sessions.create >"$W/key.$i"; done
for n in $(seq 500); do echo "$n $(cat "$W/key.$((n % 4 + 1))")"; done >"$W/work"
live() { sql "SELECT coalesce(max(n), 0) || ' ' || coalesce(sum(n), 0) FROM (SELECT count(*) AS n FROM browser_session WHERE state <> 'terminal' GROUP BY key_uuid) AS k"; }
# Sessions are closed at random meanwhile.
(while [ ! -f "$W/over" ]; do
	live
	sql "SELECT session_close(uuid, false) FROM browser_session WHERE state IN ('queued', 'starting', 'running') ORDER BY random() LIMIT 2" >/dev/null
done >"$W/seen") &
export CURL S W
xargs -P 16 -L 1 sh "$W/client" <"$W/work" >"$W/statuses"
touch "$W/over"
wait
diag "$(sort "$W/statuses" | uniq -c | awk '{print $2 ": " $1}' | tr '\n' ' '); most at once: $(sort -n "$W/seen" | tail -1)"
is "$(sort -u "$W/statuses" | tr '\n' ' ')" "202 429 " "each request is admitted or refused (C-090)"
is "$(wc -l <"$W/statuses")" 500 "all 500 requests get an answer"
ok "more than 25 sessions are admitted one after another" test "$(grep -c 202 "$W/statuses")" -gt 25
is "$(awk '$1 > 5 || $2 > 20' "$W/seen" | head -1)" "" \
	"no key exceeds 5 and the organisation never 20 sessions (C-090)"
ok "the organisation has 20 sessions at times" grep -q ' 20$' "$W/seen"
counters() { sql "SELECT (SELECT sum(active) FROM session_organisation) = n AND (SELECT sum(active) FROM session_caller) = n FROM (SELECT count(*) AS n FROM browser_session WHERE state <> 'terminal') AS live"; }
is "$(counters)" t "the counters equal the number of active sessions (C-090)"
for u in $(sql "SELECT uuid FROM browser_session WHERE state <> 'terminal'"); do ctl sessions close "$u" >/dev/null; done
gone() { [ "$(live)" = "0 0" ]; }
ok "all sessions end after they are closed" world_until 60 gone
is "$(sql "SELECT sum(active) FROM session_organisation") $(sql "SELECT sum(active) FROM session_caller")" "0 0" \
	"the counters are 0 after all sessions have ended (C-090)"
is "$(sql "SELECT count(*) FROM browser_session WHERE starts > 1")" 0 "no session is started a second time"
is "$(sql "SELECT count(*) FROM (SELECT subject_id FROM audit WHERE action = 'browser_session.change' AND after ->> 'state' = 'starting'
	GROUP BY subject_id HAVING count(*) > 1) AS twice")" 0 "the audit has one start for each session"
