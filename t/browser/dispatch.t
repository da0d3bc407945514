#!/bin/sh
# SPDX-License-Identifier: ISC
# The life of sessions under surfaced-dispatch with fake runners: C-091, C-092, C-104, C-106; the loss of rights, the
# expiry of times, and full hosts.
. t/lib.sh
pg_start
api_start
web_start
S=/projects/$P/sessions
# begin NAME [URL]: creates a session and sets the variable NAME to its UUID.
c='' v=''
begin()
{
	session_new ${2+"$2"} >"$W/new"
	read -r "$1" <"$W/new"
}
begin u "https://example.com/?shots=0&events=0"
is "$STATUS $(field .session.state)" "202 queued" "a session is created while no dispatcher runs (C-091)"
begin c
api DELETE "$S/$c"
is "$STATUS $(field .session.state)" "202 closing" \
	"a queued session is closed while no dispatcher runs (C-104)"
dispatch_start
row() { sql "SELECT $2 FROM browser_session WHERE uuid = '$1'"; }
moves() { sql "SELECT string_agg(after ->> 'state', ' ' ORDER BY id) FROM audit WHERE subject = 'browser_session' AND subject_id = '$1'"; }
ended() { session_at "$1" terminal && [ "$(row "$1" terminal_reason)" = "$2" ]; }

ok "a queued session is started when a dispatcher runs (C-092)" session_at "$u" running
is "$(moves "$u")" "queued starting running" "a session becomes running through its states"
ok "a session closed in the queue ends (C-104)" ended "$c" closed_by_creator
is "$(moves "$c") $(row "$c" starts)" "queued closing terminal 0" \
	"a session closed in the queue is never started (C-104)"
api GET "$S/$u"
is "$(field '.session.state') $(field '.session.ready_at != null')" "running true" \
	"the API shows a running session with ready_at"
is "$(row "$u" "lease_until - now() BETWEEN interval '0 s' AND interval '15 s'")" t \
	"the lease of a running session is 15 seconds at most"
world_until 30 [ "$(row "$u" "lease_until")" '!=' "" ]
before=$(row "$u" lease_until)
renewed() { [ "$(row "$u" lease_until)" != "$before" ]; }
ok "the dispatcher renews the lease of a session" world_until 30 renewed

# ---- ends ----
api DELETE "$S/$u"
is "$(field .session.state)" closing "a running session is closing after DELETE"
ok "a session ends after DELETE with closed_by_creator" ended "$u" closed_by_creator
is "$(moves "$u")" "queued starting running closing terminal" \
	"a session becomes terminal through its states"
again=$(row "$u" "(updated_at, terminal_at)")
api DELETE "$S/$u"
is "$STATUS $(row "$u" "(updated_at, terminal_at)")" "200 $again" \
	"DELETE of a terminal session changes nothing (C-103)"

ctl sessions limits --close 1 >/dev/null
begin u "https://example.com/?noclose"
session_at "$u" running
api DELETE "$S/$u"
ok "a runner that does not close is killed" ended "$u" closed_by_creator
like "$(cat "$W/log/surfaced-dispatch.log")" 'killed session='"$u" \
	"the log has the killed runner of the session"

begin u
session_at "$u" running
sql "UPDATE browser_session SET expires_at = now() WHERE uuid = '$u'"
ok "a session ends as expired at expires_at" ended "$u" expired
begin u
begin v "https://example.com/?active"
session_at "$u" running && session_at "$v" running
active() { [ "$(row "$v" "last_activity_at > ready_at")" = t ]; }
ok "input and navigation count as activity" world_until 30 active
sql "UPDATE browser_session SET ready_at = now() - interval '1 hour' WHERE uuid = '$u'"
ok "an idle session ends with idle_timeout" ended "$u" idle_timeout
is "$(row "$v" state)" running "a session with activity keeps running"
sql "UPDATE browser_session SET last_activity_at = now() - interval '1 hour', ready_at = now() - interval '2 hours' WHERE uuid = '$v'"
ok "a session ends with idle_timeout once its activity stops" ended "$v" idle_timeout

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
	ok "a session ends after the loss of $way" ended "$u" access_revoked
	sql "UPDATE account SET state = 'active'"
	sql "UPDATE entitlement SET expires_at = NULL WHERE account_uuid = '$ACCOUNT'"
	sql "INSERT INTO account_scope VALUES ('$ACCOUNT', 'browser.sessions.create') ON CONFLICT DO NOTHING"
done
# shellcheck disable=SC2034 # for api
key=$owner

# ---- starts that fail ----
begin u "https://example.com/?die=job"
ok "a session whose runner always dies at the start fails (C-092)" ended "$u" failed
is "$(moves "$u") $(row "$u" "starts || ' ' || lease_epoch")" \
	"queued starting queued starting queued starting terminal 3 3" \
	"a session is started three times with different epochs (C-092)"
echo "runner_start = 500" >>"$W/etc/surfaced-dispatch.conf"
world_kill surfaced-dispatch
world_dispatch_resume
begin u "https://example.com/?slow=3600"
ok "a session whose runner hangs at the start fails (C-092)" ended "$u" failed
is "$(row "$u" starts)" 3 "a session whose runner hangs is started three times (C-092)"
sed -i '/^runner_start/d' "$W/etc/surfaced-dispatch.conf"
world_kill surfaced-dispatch
world_dispatch_resume
begin u "https://example.com/?die=ready"
ok "a session that was running fails when its runner dies" ended "$u" failed
is "$(row "$u" starts)" 1 "a session that was running is not started again"
is "$(sql "SELECT session_lost('$u', 1)")" "" "a message of an earlier lease epoch changes nothing"

# No session can start, as when the files on disk have another version than the running dispatcher.
cp "$W/fake-runner" "$W/fake-runner.good"
cp -f /bin/false "$W/fake-runner"
begin u
doubtful() { sql "SELECT fault FROM browser_host" | grep -q '^missing runner: .*journalctl'; }
ok "the host reports a runner that ends before its first message" world_until 30 doubtful
is "$(row "$u" "state || ' ' || starts")" "queued 1" "a session waits in the queue while the host is faulty"
cp -f "$W/fake-runner.good" "$W/fake-runner"
world_kill surfaced-dispatch
world_dispatch_resume
ok "a waiting session is started by the next dispatcher" session_at "$u" running
api DELETE "$S/$u"
session_at "$u" terminal

# ---- a full host, and a host that cannot run browsers ----
sed -i '/^browser_sessions/d' "$W/etc/surfaced-dispatch.conf"
echo "browser_sessions = 2" >>"$W/etc/surfaced-dispatch.conf"
world_kill surfaced-dispatch
world_dispatch_resume
for _ in 1 2 3 4; do session_new >>"$W/four"; done
two() { [ "$(sql "SELECT count(*) FROM browser_session WHERE state = 'running'")" = 2 ]; }
ok "a host with two slots runs two sessions" world_until 20 two
is "$(sql "SELECT count(*) FROM browser_session WHERE state = 'queued'")" 2 \
	"the two other sessions wait in the queue"
is "$(head -2 "$W/four" | sort | tr '\n' ' ')" "$(sql "SELECT uuid FROM browser_session WHERE state = 'running' ORDER BY 1" | tr '\n' ' ')" \
	"the two oldest sessions run first"
api DELETE "$S/$(head -1 "$W/four")"
ok "a free slot is used for the next session" session_at "$(sed -n 3p "$W/four")" running
sql "UPDATE session_policy SET queue_seconds = 10"
sql "UPDATE browser_host SET started_at = now() - interval '1 hour'"
sql "ALTER TABLE browser_session DISABLE TRIGGER USER; UPDATE browser_session SET created_at = now() - interval '1 hour' WHERE uuid = '$(sed -n 4p "$W/four")'; ALTER TABLE browser_session ENABLE TRIGGER USER"
ok "a session that waits too long fails (C-092)" ended "$(sed -n 4p "$W/four")" failed
sql "UPDATE session_policy SET queue_seconds = 3600" # so that the next sessions may wait
for u in $(sed -n 2,3p "$W/four"); do
	api DELETE "$S/$u"
	session_at "$u" terminal
done

world_kill surfaced-egress
away() { sql "SELECT fault FROM browser_host" | grep -q 'egress does not answer'; }
ok "the host reports that egress does not answer" world_until 30 away
begin u
is "$(row "$u" state)" queued "a session waits in the queue without egress (C-092)"
world_egress_start
ok "a waiting session is started after egress has started (C-092)" session_at "$u" running
api DELETE "$S/$u"
session_at "$u" terminal

sql "UPDATE egress_route SET answered = false"
begin u
is "$STATUS" 503 "a session is refused if no route has answered"
sql "UPDATE egress_route SET answered = true"
world_kill surfaced-dispatch
echo '# fake: missing user namespaces: set user.max_user_namespaces' >>"$W/etc/surfaced-runner.conf"
world_dispatch_resume
faulty() { [ "$(sql "SELECT fault FROM browser_host")" = "missing user namespaces: set user.max_user_namespaces" ]; }
ok "the host reports why it cannot run browsers" world_until 30 faulty
begin u
is "$STATUS" 202 "a session is created though the host is faulty (C-091)"
since=$(sql "SELECT clock_timestamp()")
beaten() { [ "$(sql "SELECT heartbeat_at > '$since' FROM browser_host")" = t ]; }
ok "the host has sent a heartbeat since" world_until 60 beaten
is "$(row "$u" state)" queued "no session is started on a faulty host"
like "$(cat "$W/log/surfaced-dispatch.log")" 'host ready=no why="missing user namespaces' \
	"the log has the reason of the faulty host"
world_kill surfaced-dispatch
sed -i '/# fake/d' "$W/etc/surfaced-runner.conf"
world_dispatch_resume
ok "a waiting session is started when the host can run browsers (C-092)" session_at "$u" running
is "$(sql "SELECT (SELECT sum(active) FROM session_organisation) || ' ' || (SELECT sum(active) FROM session_caller) || ' ' || count(*)
	FROM browser_session WHERE state <> 'terminal'")" "1 1 1" \
		"the counters equal the number of active sessions (C-090)"
