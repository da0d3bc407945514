#!/bin/sh
# SPDX-License-Identifier: ISC
# Runners that a service manager starts at R/runner.sock: the dispatcher treats them like its own children (t/6200),
# though it can neither start nor kill them. t/helper/activate is the manager; debian/tests/browser uses systemd.
. t/lib.sh
pg_start
api_start
web_start
S=/projects/$P/sessions
dispatch_conf "$W/nowhere"
install -m 755 t/helper/activate "$W/activate"
manager_start()
{
	world_spawn manager "$W/activate" "$W/run/runner.sock" "$W/fake-runner" -c "$W/etc/surfaced-runner.conf"
	ok "the manager listens on runner.sock" world_until 10 [ -S "$W/run/runner.sock" ]
}
manager_start
world_egress_start
world_dispatch_resume
row() { sql "SELECT $2 FROM browser_session WHERE uuid = '$1'"; }
ended() { session_at "$1" terminal && [ "$(row "$1" terminal_reason)" = "$2" ]; }
begin()
{
	session_new ${2+"$2"} >"$W/new"
	read -r "$1" <"$W/new"
}
log() { cat "$W/log/surfaced-dispatch.log"; }
# pid_of SESSION: the pid of its runner that the dispatcher logged last.
pid_of() { log | sed -nE "s/.*(started|adopted) session=$1 .* pid=([0-9]+) .*/\\2/p" | tail -1; }
parent() { sed -n 's/^PPid:\t//p' "/proc/$1/status"; }
alive() { [ -d "/proc/$1" ] && ! grep -q '^State:.Z' "/proc/$1/status"; }
dead() { ! alive "$1"; }

u=
begin u
ok "a session with a runner of the manager runs" session_at "$u" running
pid=$(pid_of "$u")
is "$(parent "$(parent "$pid")")" "$(world_pid manager)" "the runner is a child of the manager"
is "$(row "$u" starts)" 1 "the runner starts at the first attempt"
shots() { [ "$(sql "SELECT count(*) FROM screenshot WHERE session_uuid = '$u'")" = 1 ]; }
ok "the evidence of the runner is stored" world_until 10 shots

# ---- a process that pretends to have the session ----
other=$(python3 - "$W/run/dispatch.sock" "$u" 2>&1 <<'END'
import json, os, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.settimeout(60)
s.connect(sys.argv[1])
s.send(b"hello " + json.dumps({"session": sys.argv[2], "epoch": 1, "pid": os.getpid(), "state": "running"}).encode())
print(s.recv(65536).decode(), s.recv(1) == b"")
END
)
is "$other" 'close {"reason":"failed"} True' "another process is refused for the session"
ok "the session keeps running after the refusal" session_is "$u" running

# ---- the dispatcher is killed ----
lease=$(row "$u" lease_until)
kill -KILL "$(pgrep -P "$(world_pid surfaced-dispatch)")"
renewed() { [ "$(row "$u" lease_until)" != "$lease" ] && log | grep -q "adopted session=$u .*pid=$pid "; }
ok "the next dispatcher adopts the session (C-092)" world_until 30 renewed
api DELETE "$S/$u"
ok "the next dispatcher closes the session" ended "$u" closed_by_creator
ok "the process of the runner exits" world_until 10 dead "$pid"

# ---- the connection is the only sign of a runner's end ----
begin u
session_at "$u" running
pid=$(pid_of "$u")
kill -KILL "$pid"
ok "a session fails when its runner is killed" ended "$u" failed
like "$(log)" "gone session=$u epoch=1 state=terminal" \
	"the session ends with the connection, before its lease"
begin u "https://example.com/?die=job"
ok "a session whose runner always dies at the start fails (C-092)" ended "$u" failed
is "$(row "$u" starts)" 3 "a session is started three times at most (C-092)"
begin u "https://example.com/?bad=word"
ok "a session fails when its runner sends an unknown message" ended "$u" failed

# ---- a runner that hangs ----
ctl sessions limits --close 1 >/dev/null
begin u "https://example.com/?noclose"
session_at "$u" running
pid=$(pid_of "$u")
api DELETE "$S/$u"
given_up() { log | grep -q "given_up session=$u .*why=\"it does not close\""; }
ok "a runner that does not close is given up" world_until 20 given_up
ok "a runner that was given up is not killed" alive "$pid"
ok "the session of a given-up runner ends with its lease (C-092)" ended "$u" closed_by_creator
kill -KILL "$pid"
ok "the runner is gone after its manager killed it" world_until 10 dead "$pid"

# ---- the dry run of a manager's runner ----
fault() { sql "SELECT fault FROM browser_host" | grep -q "$1"; }
again() { kill -KILL "$(pgrep -P "$(world_pid surfaced-dispatch)")"; }
echo '# fake: missing user namespaces: set user.max_user_namespaces' >>"$W/etc/surfaced-runner.conf"
again
ok "the host reports the fault of the manager's dry run" world_until 30 fault 'missing user namespaces: set'
doctor() { ctl "$@" doctor --etc "$W/etc" --nginx "$W/etc/nginx.conf" --sql-dir "$SQL"; }
# hears CHECK: prints the fault and the advice of the check.
hears() { doctor --json | jq -r --arg c "$1" '.checks[]|select(.check == $c and .state == "failed")|.detail + " -> " + .advice'; }
is "$(hears host)" "takes no sessions: missing user namespaces -> set user.max_user_namespaces" \
	"doctor repeats the fault of the host with advice"
like "$(doctor)" 'failed +host +takes no sessions: missing user namespaces' \
	"doctor prints the fault of the host as text"
is "$(hears browser)" "" "doctor does not repeat the dry run of the browser"
sed -i '/# fake/d' "$W/etc/surfaced-runner.conf"
again
ok "the host has no fault after the next dry run" world_until 30 fault '^$'
world_kill surfaced-dispatch
echo '# fake: missing a browser: install one' >>"$W/etc/surfaced-runner.conf"
is "$(hears browser)" "missing a browser -> install one" \
	"doctor runs the manager's dry run without a dispatcher"
sed -i '/# fake/d' "$W/etc/surfaced-runner.conf"
is "$(hears browser)$(hears runner)" "" "doctor reports no fault after a good dry run"
world_dispatch_resume
world_kill manager
begin u
ok "the host takes no sessions without the manager" \
	world_until 30 fault 'runner.sock: Connection refused; systemctl start surfaced-runner.socket'
is "$(row "$u" "state || ' ' || (starts <= 1)")" "queued true" \
	"a session waits in the queue without the manager (C-092)"
again
ok "the next dispatcher reports the missing manager too" world_until 30 fault 'Connection refused'
manager_start
again
ok "a waiting session is started when the manager is back (C-092)" session_at "$u" running
