#!/bin/sh
# SPDX-License-Identifier: ISC
# Runners that a service manager starts at R/runner.sock: what the dispatcher does for its children (t/6200) it does
# for those whom it can neither start nor kill. t/helper/activate is the manager; debian/tests/browser has systemd.
. t/lib.sh
pg_start
api_start
web_start
S=/projects/$P/sessions
dispatch_conf "$W/nowhere"
cp t/helper/activate "$W/activate"
manager_start()
{
	world_spawn manager "$W/activate" "$W/run/runner.sock" "$W/fake-runner" -c "$W/etc/surfaced-runner.conf"
	ok "the manager listens" world_until 10 [ -S "$W/run/runner.sock" ]
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
# pid_of SESSION: as the dispatcher knows it now.
pid_of() { log | sed -nE "s/.*(started|adopted) session=$1 .* pid=([0-9]+) .*/\\2/p" | tail -1; }
parent() { sed -n 's/^PPid:\t//p' "/proc/$1/status"; }
alive() { [ -d "/proc/$1" ] && ! grep -q '^State:.Z' "/proc/$1/status"; }
dead() { ! alive "$1"; }

u=
begin u
ok "a session runs" session_at "$u" running
pid=$(pid_of "$u")
is "$(parent "$(parent "$pid")")" "$(world_pid manager)" "its runner is the manager's"
is "$(row "$u" starts)" 1 "at the first try"
shots() { [ "$(sql "SELECT count(*) FROM screenshot WHERE session_uuid = '$u'")" = 1 ]; }
ok "its evidence is stored" world_until 10 shots

# ---- whoever else says that it has the session ----
other=$(python3 - "$W/run/dispatch.sock" "$u" 2>&1 <<'END'
import json, os, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.settimeout(60)
s.connect(sys.argv[1])
s.send(b"hello " + json.dumps({"session": sys.argv[2], "epoch": 1, "pid": os.getpid(), "state": "running"}).encode())
print(s.recv(65536).decode(), s.recv(1) == b"")
END
)
is "$other" 'close {"reason":"failed"} True' "another process is not let in for it"
ok "it stays where it is" session_is "$u" running

# ---- the dispatcher ----
lease=$(row "$u" lease_until)
kill -KILL "$(pgrep -P "$(world_pid surfaced-dispatch)")"
renewed() { [ "$(row "$u" lease_until)" != "$lease" ] && log | grep -q "adopted session=$u .*pid=$pid "; }
ok "C-092: the next dispatcher adopts it" world_until 30 renewed
api DELETE "$S/$u"
ok "and ends it" ended "$u" closed_by_creator
ok "its process is gone" world_until 10 dead "$pid"

# ---- ends that a manager tells by the connection alone ----
begin u
session_at "$u" running
pid=$(pid_of "$u")
kill -KILL "$pid"
ok "a runner that is killed has failed" ended "$u" failed
like "$(log)" "gone session=$u epoch=1 state=terminal" "as soon as its connection ends, not with its lease"
begin u "https://example.com/?die=job"
ok "C-092: a start that never comes to anything ends" ended "$u" failed
is "$(row "$u" starts)" 3 "C-092: after three tries"
begin u "https://example.com/?bad=word"
ok "one that says what is no word has failed" ended "$u" failed

# ---- one that hangs ----
ctl sessions limits --close 1 >/dev/null
begin u "https://example.com/?noclose"
session_at "$u" running
pid=$(pid_of "$u")
api DELETE "$S/$u"
given_up() { log | grep -q "given_up session=$u .*why=\"it does not close\""; }
ok "one that does not close is given up" world_until 20 given_up
ok "nobody here may kill it" alive "$pid"
ok "C-092: its session ends with its lease" ended "$u" closed_by_creator
kill -KILL "$pid"
ok "its manager may" world_until 10 dead "$pid"

# ---- what its manager lets it do ----
fault() { sql "SELECT fault FROM browser_host" | grep -q "$1"; }
again() { kill -KILL "$(pgrep -P "$(world_pid surfaced-dispatch)")"; }
echo '# fake: missing user namespaces: set user.max_user_namespaces' >>"$W/etc/surfaced-runner.conf"
again
ok "the dry run is the manager's too" world_until 30 fault 'missing user namespaces: set'
doctor() { ctl "$@" doctor --etc "$W/etc" --nginx "$W/etc/nginx.conf" --sql-dir "$SQL"; }
# hears CHECK: what is wrong there, and what to do.
hears() { doctor --json | jq -r --arg c "$1" '.checks[]|select(.check == $c and .state == "failed")|.detail + " -> " + .advice'; }
is "$(hears host)" "takes no sessions: missing user namespaces -> set user.max_user_namespaces" "the doctor relays that"
like "$(doctor)" 'failed +host +takes no sessions: missing user namespaces' "in words too"
is "$(hears browser)" "" "and does not try it again"
sed -i '/# fake/d' "$W/etc/surfaced-runner.conf"
again
ok "and good again" world_until 30 fault '^$'
world_kill surfaced-dispatch
echo '# fake: missing a browser: install one' >>"$W/etc/surfaced-runner.conf"
is "$(hears browser)" "missing a browser -> install one" "without a dispatcher the doctor has the manager try"
sed -i '/# fake/d' "$W/etc/surfaced-runner.conf"
is "$(hears browser)$(hears runner)" "" "and hears that it is good"
world_dispatch_resume
world_kill manager
begin u
ok "without it no session is taken" world_until 30 fault 'runner.sock: Connection refused; systemctl start surfaced-runner.socket'
is "$(row "$u" "state || ' ' || (starts <= 1)")" "queued true" "C-092: one waits"
again
ok "of which the next dispatcher hears too" world_until 30 fault 'Connection refused'
manager_start
again
ok "C-092: until it is there" session_at "$u" running
