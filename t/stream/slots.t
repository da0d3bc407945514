#!/bin/sh
# SPDX-License-Identifier: ISC
# One controlling stream per session: which upgrade gets it, how it is lost, and that a killed process does not
# keep it. C-110, C-113, C-114.
. t/lib.sh
WORLD_CONF='stream_recheck = 5'
LOG_EXPECTED='exited on signal 9'
pg_start
api_start
stream_start
web_start
export W KEY P TOP PYTHONPATH=t/helper PYTHONDONTWRITEBYTECODE=1

# stream_with PARAMETER SECONDS: restarts surfaced-stream with a short time, which is reset as soon as possible
# because a slow machine is late with pings and renewals.
stream_with()
{
	world_kill surfaced-stream
	sed -i "/^$1/d" "$W/etc/surfaced-stream.conf"
	echo "$1 = $2" >>"$W/etc/surfaced-stream.conf"
	world_stream_start
}

s=$(session_new)
session_run "$s"
python3 - "$s" >"$W/out" <<'PY' || fail "the script of the concurrent upgrades ends without an error"
import sys
import threading
from streams import *
session = sys.argv[1]
tap = Tap()

def at_once(tickets):
    """The sorted results of the upgrades; the successful ones stay open."""
    got, clients = [], []
    def one(t):
        try:
            clients.append(Client(session, t))
            got.append((101, None))
        except Answer as e:
            got.append((e.status, e.code))
    threads = [threading.Thread(target=one, args=(t,)) for t in tickets]
    for t in threads: t.start()
    for t in threads: t.join()
    for c in clients:
        c.bye()
    return sorted(got)

ROUNDS = 12
wrong = []
for i in range(ROUNDS):
    got = at_once([ticket(session) for _ in range(5)])
    if got != [(101, None)] + [(409, 'stream_already_active')] * 4:
        wrong.append(got)
tap.is_(wrong, [], f'one of five concurrent upgrades succeeds, {ROUNDS} times (C-110)')
wrong = []
for i in range(ROUNDS):
    got = at_once([ticket(session)] * 5)
    if got != [(101, None)] + [(401, 'stream_ticket_invalid')] * 4:
        wrong.append(got)
tap.is_(wrong, [], f'one of five upgrades with one ticket succeeds, {ROUNDS} times (C-109)')
tap.done()
PY
relay "$W/out"

# ---- clients that disconnected or do not respond ----
stream_with stream_silence 3
python3 - "$s" >"$W/out" <<'PY' || fail "the script of the lost clients ends without an error"
import sys
from streams import *
session = sys.argv[1]
tap = Tap()
first = Client(session, ticket(session))
first.sock.close()
tap.is_(again(session).bye(), 1000, 'a client that disconnects without a close frame frees the slot')
first = Client(session, ticket(session))
second = again(session)
tap.is_(second.bye(), 1000, 'a client that answers no ping loses the slot (C-114)')
tap.is_(first.ended(), True, 'a client that lost the slot loses its connection')
stalled = Client(session, ticket(session))
stalled.order('flood 200 65536')
tap.is_(again(session).bye(), 1000, 'a client that reads nothing loses the slot (C-114)')
until(lambda: sql('SELECT count(*) FROM stream_slot') == '0')
tap.is_(sql('SELECT count(*) FROM stream_slot'), '0', 'every slot of a lost client is free')
tap.done()
PY
relay "$W/out"
stream_with stream_silence 30

# ---- rights that are lost (C-113), each with its own key and session ----
while IFS='|' read -r title code change undo; do
	key=$(key_new --scope browser.sessions.create)
	k=$(sql "SELECT uuid FROM api_key ORDER BY created_at DESC, uuid LIMIT 1")
	s=$(session_new)
	session_run "$s"
	fill() { printf '%s' "$1" | sed -e "s/KEY/'$k'/g" -e "s/ACCOUNT/'$ACCOUNT'/g" -e "s/SESSION/'$s'/g"; }
	is "$(KEY=$key python3 -c '
import sys
from streams import *
c = Client(sys.argv[1], ticket(sys.argv[1]))
c.send(frame(0x81, b"x"))
assert c.frame() == (0x81, b"x")
sql(sys.argv[2])
print(c.closed())' "$s" "$(fill "$change")")" "$code" "$title closes its stream with $code (C-113)"
	sql "$(fill "$undo")" >/dev/null
	sql "SELECT session_apply('$s', 'fail', 'failed')" >/dev/null
	world_kill "runner-$s"
done <<'END'
a revoked key|1008|UPDATE api_key SET revoked_at = now() WHERE uuid = KEY|SELECT 1
an expired key without a notification|1008|UPDATE api_key SET expires_at = now() + interval '1 s' WHERE uuid = KEY|SELECT 1
the loss of the key's scope|1008|UPDATE api_key SET scopes = '{browser.sessions.view}' WHERE uuid = KEY|SELECT 1
the loss of the key's projects|1008|UPDATE api_key SET projects = '{}' WHERE uuid = KEY|SELECT 1
the loss of the account's scope|1008|DELETE FROM account_scope WHERE scope = 'browser.sessions.create'|INSERT INTO account_scope SELECT uuid, 'browser.sessions.create' FROM account
the loss of the entitlement|1008|DELETE FROM entitlement WHERE name = 'browser'|INSERT INTO entitlement (account_uuid, name) VALUES (ACCOUNT, 'browser')
an expired entitlement without a notification|1008|UPDATE entitlement SET expires_at = now() + interval '1 s' WHERE name = 'browser'|UPDATE entitlement SET expires_at = NULL
a suspended account|1008|UPDATE account SET state = 'suspended'|UPDATE account SET state = 'active'
a removed member|1008|UPDATE member SET removed_at = now()|UPDATE member SET removed_at = NULL
the end of a session|1000|SELECT session_apply(SESSION, 'fail', 'failed')|SELECT 1
END
key=$KEY

# ---- a right is lost while the session ends (C-113), in both orders, several times ----
key=$(key_new --scope browser.sessions.create)
k=$(sql "SELECT uuid FROM api_key ORDER BY created_at DESC, uuid LIMIT 1")
s=$(session_new)
session_run "$s"
KEY=$key python3 - "$s" "$k" >"$W/out" <<'PY' || fail "the script of the lost rights ends without an error"
import sys
from streams import *
session, key = sys.argv[1:]
tap = Tap()
KEY_ROW = f"UPDATE api_key SET %s WHERE uuid = '{key}'"
ENTITLEMENT = "UPDATE entitlement SET expires_at = %s WHERE name = 'browser'"
LOSSES = (('the key loses its projects', KEY_ROW % "projects = '{}'", KEY_ROW % 'projects = NULL'),
          ('the entitlement ends', ENTITLEMENT % 'now()', ENTITLEMENT % 'NULL'),
          ('the account is suspended', "UPDATE account SET state = 'suspended'", "UPDATE account SET state = 'active'"))
ENDS = (('the runner closes with 1000', 'close 1000'), ('the runner closes with 1013', 'close 1013'),
        ('the runner goes away', 'drop'))

def stream():
    """The API may know a right that came back a moment later."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return again(session)
        except RuntimeError:
            if time.monotonic() > end:
                raise

for loss, change, undo in LOSSES:
    for how, order in ENDS:
        codes = []
        for _ in range(4):
            c = stream()
            sql(change)
            c.order(order)
            codes.append(c.closed())
            c.sock.close()
            sql(undo)
        tap.is_(codes, [1008] * len(codes), f'C-113: {loss}, then {how}: the stream closes with 1008')
for how, order, code in (*((how, order, int(order.split()[1])) for how, order in ENDS[:2]), (*ENDS[2], 1013)):
    c = stream()
    c.order(order)
    tap.is_(c.closed(), code, f'when no right is lost and {how}, the stream closes with {code}')
    c.sock.close()
PY
relay "$W/out"
world_kill "runner-$s"

for order in "close 1000" "close 1013" drop; do
	codes=
	for _ in 1 2 3 4; do
		key=$(key_new --scope browser.sessions.create)
		s=$(session_new)
		session_run "$s"
		codes="$codes $(KEY=$key python3 -c '
import sys
from streams import *
c = Client(sys.argv[1], ticket(sys.argv[1]))
sql("UPDATE api_key SET revoked_at = now() WHERE uuid = (SELECT key_uuid FROM browser_session WHERE uuid = %r)" % sys.argv[1])
c.order(sys.argv[2])
print(c.closed())' "$s" "$order")"
		sql "SELECT session_apply('$s', 'fail', 'failed')" >/dev/null
		world_kill "runner-$s"
	done
	is "$codes" " 1008 1008 1008 1008" \
		"a stream whose key is revoked before the runner's end ($order) closes with 1008 (C-113)"
done
key=$(key_new --scope browser.sessions.create)

# end_with EVENT REASON CODE TITLE: the session ends in the database before the runner's message; the recheck finds it.
end_with()
{
	s=$(session_new)
	session_run "$s"
	is "$(KEY=$key python3 -c '
import sys
from streams import *
c = Client(sys.argv[1], ticket(sys.argv[1]))
sql(sys.argv[2])
print(c.closed())' "$s" "SELECT session_apply('$s', '$1', '$2'), session_apply('$s', 'end')")" "$3" "$4 closes its stream with $3 (C-113)"
	world_kill "runner-$s"
}
for n in 1 2 3; do
	end_with revoke access_revoked 1008 "a session that lost its access before the recheck, try $n"
done
end_with close closed_by_manager 1000 "a session that a manager closed"
end_with close closed_by_creator 1000 "a session that its creator closed"
end_with expire expired 1000 "a session that has expired"
key=$KEY

# ---- killed processes ----
stream_with stream_lease 6
s=$(session_new)
session_run "$s"
epoch=$(sql "SELECT lease_epoch FROM browser_session WHERE uuid = '$s'")
worker_of() { ps -o pid= --ppid "$(world_pid "$1")" | head -1 | tr -d ' '; }
python3 - "$s" "$(worker_of surfaced-stream)" "$(cat "$W/run/nginx.pid")" "$(world_pid "runner-$s")" >"$W/out" <<'PY' || fail "the script of the killed processes ends without an error"
import signal
import sys
import time
from streams import *
session = sys.argv[1]
proxy, nginx, runner = map(int, sys.argv[2:])
tap = Tap()

def children(pid):
    return [int(c) for c in open(f'/proc/{pid}/task/{pid}/children').read().split()]

def killed(title, pids, code):
    c = Client(session, ticket(session))
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    tap.is_(c.closed(), code, f'{title} cuts the stream')
    before = time.monotonic()
    tap.is_(again(session).bye(), 1000, f'a new ticket works after {title}')
    print(f'# after {time.monotonic() - before:.2f} s')

killed('kill -9 of a process of surfaced-stream', [proxy], 1006)
killed("kill -9 of nginx's workers", children(nginx), 1006)
c = Client(session, ticket(session))
os.kill(runner, signal.SIGKILL)
tap.is_(c.closed(), 1013, 'a killed runner closes its stream with 1013')
tap.ok(until(lambda: refused(session, ticket(session)) == (503, 'service_unavailable')),
       'a stream without a runner gets 503')
tap.ok(until(lambda: sql('SELECT count(*) FROM stream_slot') == '0'),
       'a killed runner leaves no slot behind')
tap.done()
PY
relay "$W/out"
world_spawn "runner-$s" "$W/echo-runner" "$W/run" "$s" "$epoch"
python3 -c '
import sys
from streams import *
session, go = sys.argv[1:]
until(lambda: refused(session, ticket(session))[0] == 101)
c = again(session)
print("open", flush=True)
until(lambda: os.path.exists(go))
print(c.closed())
c = again(session)
c.send(frame(0x81, b"x"))
print(c.frame()[1].decode(), c.bye())' "$s" "$W/go" >"$W/said" 2>&1 &
client=$!
world_until 20 grep -q open "$W/said"
# A killed process holds its lock until the kernel has freed it; a service manager waits for that too.
dead="$(world_pid surfaced-stream) $(worker_of surfaced-stream)"
are_dead()
{
	for pid in $dead; do
		[ ! -d "/proc/$pid" ] || grep -q '^State:.*Z' "/proc/$pid/status" 2>/dev/null || return 1
	done
}
# A stopped worker cannot close its streams with 1001 when its master dies before it.
kill -s STOP "$(worker_of surfaced-stream)"
# shellcheck disable=SC2086 # a list of processes
kill -s KILL $dead
world_until 20 are_dead
rm -f "$W/run/surfaced-stream.pid" "$W/run/stream.sock"
world_stream_start
: >"$W/go"
wait "$client"
is "$(tr '\n' ' ' <"$W/said")" "open 1006 x 1000 " \
	"a new surfaced-stream accepts tickets after all of the old one was killed"
one_file() { [ "$(find "$W/run/stream" -type f | wc -l)" -eq 1 ]; }
ok "a killed surfaced-stream leaves no files behind" world_until 20 one_file
