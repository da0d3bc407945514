#!/bin/sh
# SPDX-License-Identifier: ISC
# The life of sessions under surfaced-dispatch, with runners that have no browser: C-091, C-092, C-104,
# C-106, and what a key, a clock and a full house do.
. t/lib.sh
pg_start
api_start
web_start
S=/projects/$P/sessions
# begin NAME [URL]: a new session, whose UUID the variable NAME gets.
c='' v=''
begin()
{
	session_new ${2+"$2"} >"$W/new"
	read -r "$1" <"$W/new"
}
begin u "https://example.com/?shots=0&events=0"
is "$STATUS $(field .session.state)" "202 queued" "C-091: created while there is no dispatcher"
begin c
api DELETE "$S/$c"
is "$STATUS $(field .session.state)" "202 closing" "C-104: closed before there is one"
dispatch_start
row() { sql "SELECT $2 FROM browser_session WHERE uuid = '$1'"; }
moves() { sql "SELECT string_agg(after ->> 'state', ' ' ORDER BY id) FROM audit WHERE subject = 'browser_session' AND subject_id = '$1'"; }
ended() { session_at "$1" terminal && [ "$(row "$1" terminal_reason)" = "$2" ]; }

ok "C-092: it is started when there is one" session_at "$u" running
is "$(moves "$u")" "queued starting running" "through its states"
ok "C-104: the closed one ends" ended "$c" closed_by_creator
is "$(moves "$c") $(row "$c" starts)" "queued closing terminal 0" "C-104: and was never started"
api GET "$S/$u"
is "$(field '.session.state') $(field '.session.ready_at != null')" "running true" "the API says so"
is "$(row "$u" "lease_until - now() BETWEEN interval '0 s' AND interval '15 s'")" t "its lease stands"
world_until 30 [ "$(row "$u" "lease_until")" '!=' "" ]
before=$(row "$u" lease_until)
renewed() { [ "$(row "$u" lease_until)" != "$before" ]; }
ok "and is renewed" world_until 30 renewed

# ---- ends ----
api DELETE "$S/$u"
is "$(field .session.state)" closing "close"
ok "its runner ends" ended "$u" closed_by_creator
is "$(moves "$u")" "queued starting running closing terminal" "by its states"
again=$(row "$u" "(updated_at, terminal_at)")
api DELETE "$S/$u"
is "$STATUS $(row "$u" "(updated_at, terminal_at)")" "200 $again" "C-103: again: nothing"

ctl sessions limits --close 1 >/dev/null
begin u "https://example.com/?noclose"
session_at "$u" running
api DELETE "$S/$u"
ok "one that does not close is killed" ended "$u" closed_by_creator
like "$(cat "$W/log/surfaced-dispatch.log")" 'killed session='"$u" "and that is logged"

begin u
session_at "$u" running
sql "UPDATE browser_session SET expires_at = now() WHERE uuid = '$u'"
ok "time ends one" ended "$u" expired
begin u
begin v "https://example.com/?active"
session_at "$u" running && session_at "$v" running
active() { [ "$(row "$v" "last_activity_at > ready_at")" = t ]; }
ok "input and navigation are activity" world_until 30 active
sql "UPDATE browser_session SET ready_at = now() - interval '1 hour' WHERE uuid = '$u'"
ok "idleness ends one" ended "$u" idle_timeout
is "$(row "$v" state)" running "not the one that was used"
sql "UPDATE browser_session SET last_activity_at = now() - interval '1 hour', ready_at = now() - interval '2 hours' WHERE uuid = '$v'"
ok "until it is idle too" ended "$v" idle_timeout

# ---- rights that are lost ----
owner=$KEY
for way in key account entitlement project scope; do
	key=$(ctl --json keys create --account "$ACCOUNT" --name "$way" --scope browser.sessions.create --scope browser.sessions.view | jq -er .key.key)
	begin u
	session_at "$u" running
	k=$(row "$u" key_uuid)
	case $way in
	key) sql "UPDATE api_key SET revoked_at = now() WHERE uuid = '$k'" ;;
	account) sql "UPDATE account SET state = 'suspended' WHERE uuid = '$ACCOUNT'" ;;
	entitlement) sql "UPDATE entitlement SET expires_at = now() WHERE account_uuid = '$ACCOUNT' AND name = 'browser'" ;;
	project) sql "UPDATE api_key SET projects = '{}' WHERE uuid = '$k'" ;;
	scope) sql "DELETE FROM account_scope WHERE account_uuid = '$ACCOUNT' AND scope = 'browser.sessions.create'" ;;
	esac
	ok "$way lost: it ends" ended "$u" access_revoked
	sql "UPDATE account SET state = 'active'"
	sql "UPDATE entitlement SET expires_at = NULL WHERE account_uuid = '$ACCOUNT'"
	sql "INSERT INTO account_scope VALUES ('$ACCOUNT', 'browser.sessions.create') ON CONFLICT DO NOTHING"
done
# shellcheck disable=SC2034 # for api
key=$owner

# ---- starts that fail ----
begin u "https://example.com/?die=job"
ok "C-092: a start that never comes to anything ends" ended "$u" failed
is "$(moves "$u") $(row "$u" "starts || ' ' || lease_epoch")" \
	"queued starting queued starting queued starting terminal 3 3" "C-092: after three tries, each of its own epoch"
echo "runner_start = 500" >>"$W/etc/surfaced-dispatch.conf"
world_kill surfaced-dispatch
world_dispatch_resume
begin u "https://example.com/?slow=3600"
ok "C-092: so does one that hangs" ended "$u" failed
is "$(row "$u" starts)" 3 "C-092: after three tries too"
sed -i '/^runner_start/d' "$W/etc/surfaced-dispatch.conf"
world_kill surfaced-dispatch
world_dispatch_resume
begin u "https://example.com/?die=ready"
ok "one that ran is not resumed" ended "$u" failed
is "$(row "$u" starts)" 1 "and not started again"
is "$(sql "SELECT session_lost('$u', 1)")" "" "a former life says nothing any more"

# Whatever session it is for: as when files on disk are of another version than the dispatcher that runs.
cp "$W/fake-runner" "$W/fake-runner.good"
cp -f /bin/false "$W/fake-runner"
begin u
doubtful() { sql "SELECT fault FROM browser_host" | grep -q '^missing runner: .*journalctl'; }
ok "a runner that ends before its first word is no session's fault: the host says so" world_until 30 doubtful
is "$(row "$u" "state || ' ' || starts")" "queued 1" "and the session waits"
cp -f "$W/fake-runner.good" "$W/fake-runner"
world_kill surfaced-dispatch
world_dispatch_resume
ok "for the next dispatcher" session_at "$u" running
api DELETE "$S/$u"
session_at "$u" terminal

# ---- a full house, and a host that cannot ----
sed -i '/^browser_sessions/d' "$W/etc/surfaced-dispatch.conf"
echo "browser_sessions = 2" >>"$W/etc/surfaced-dispatch.conf"
world_kill surfaced-dispatch
world_dispatch_resume
for _ in 1 2 3 4; do session_new >>"$W/four"; done
two() { [ "$(sql "SELECT count(*) FROM browser_session WHERE state = 'running'")" = 2 ]; }
ok "two places, two sessions" world_until 20 two
is "$(sql "SELECT count(*) FROM browser_session WHERE state = 'queued'")" 2 "two wait"
is "$(head -2 "$W/four" | sort | tr '\n' ' ')" "$(sql "SELECT uuid FROM browser_session WHERE state = 'running' ORDER BY 1" | tr '\n' ' ')" "the oldest first"
api DELETE "$S/$(head -1 "$W/four")"
ok "a place that is free is taken" session_at "$(sed -n 3p "$W/four")" running
sql "UPDATE session_policy SET queue_seconds = 10"
sql "UPDATE browser_host SET started_at = now() - interval '1 hour'"
sql "ALTER TABLE browser_session DISABLE TRIGGER USER; UPDATE browser_session SET created_at = now() - interval '1 hour' WHERE uuid = '$(sed -n 4p "$W/four")'; ALTER TABLE browser_session ENABLE TRIGGER USER"
ok "C-092: one that waits too long ends" ended "$(sed -n 4p "$W/four")" failed
sql "UPDATE session_policy SET queue_seconds = 3600" # what waits below is waited for
for u in $(sed -n 2,3p "$W/four"); do
	api DELETE "$S/$u"
	session_at "$u" terminal
done

world_kill surfaced-egress
away() { sql "SELECT fault FROM browser_host" | grep -q 'egress does not answer'; }
ok "no way out: the host says so" world_until 30 away
begin u
is "$(row "$u" state)" queued "C-092: and a session waits"
world_egress_start
ok "C-092: until there is one" session_at "$u" running
api DELETE "$S/$u"
session_at "$u" terminal

sql "UPDATE egress_route SET answered = false"
begin u
is "$STATUS" 503 "no country, no session"
sql "UPDATE egress_route SET answered = true"
world_kill surfaced-dispatch
echo '# fake: missing user namespaces: set user.max_user_namespaces' >>"$W/etc/surfaced-runner.conf"
world_dispatch_resume
faulty() { [ "$(sql "SELECT fault FROM browser_host")" = "missing user namespaces: set user.max_user_namespaces" ]; }
ok "a host that cannot run browsers says why" world_until 30 faulty
begin u
is "$STATUS" 202 "C-091: sessions are created"
since=$(sql "SELECT clock_timestamp()")
beaten() { [ "$(sql "SELECT heartbeat_at > '$since' FROM browser_host")" = t ]; }
ok "the host has said so since" world_until 60 beaten
is "$(row "$u" state)" queued "and none is started"
like "$(cat "$W/log/surfaced-dispatch.log")" 'host ready=no why="missing user namespaces' "the log says it once"
world_kill surfaced-dispatch
sed -i '/# fake/d' "$W/etc/surfaced-runner.conf"
world_dispatch_resume
ok "C-092: it is when the host can" session_at "$u" running
is "$(sql "SELECT (SELECT sum(active) FROM session_organisation) || ' ' || (SELECT sum(active) FROM session_caller) || ' ' || count(*)
	FROM browser_session WHERE state <> 'terminal'")" "1 1 1" "C-090: the counters are the rows"
