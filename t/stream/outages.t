#!/bin/sh
# SPDX-License-Identifier: ISC
# How streams survive or end: the database away or hung, a reload, a stop, rotated keys of tickets.
# C-109, C-113.
. t/lib.sh
WORLD_CONF='stream_recheck = 5'
pg_start
api_start
stream_start
web_start
export W KEY P CTL PYTHONPATH=t/helper PYTHONDONTWRITEBYTECODE=1
for i in 1 2 3; do
	eval "s$i=\$(session_new)"
	eval "session_run \$s$i"
done
# shellcheck disable=SC2154 # s1 to s3
python3 - "$s1" "$s2" "$s3" "$(world_pid surfaced-stream)" "$(head -1 "$W/db/pg/postmaster.pid")" >"$W/out" <<'PY' || fail "the script of the client ends without an error"
import hmac
import signal
import sys
from streams import *
one, two, three = sys.argv[1:4]
master, postgres = map(int, sys.argv[4:])
tap = Tap()

def lives(c, text):
    c.send(frame(0x81, text))
    return c.frame() == (0x81, text)

def workers():
    return [int(p) for p in open(f'/proc/{master}/task/{master}/children').read().split()]

def fresh(t):
    """The same ticket, signed again now: without a database there is no other one."""
    prefix, head, claims, _ = t.rsplit('.', 3)
    doc = json.loads(base64.urlsafe_b64decode(claims + '=='))
    doc['iat'] = doc['nbf'] = int(time.time())
    doc['exp'] = doc['iat'] + 30
    key = bytes.fromhex(open(keys).readline().strip().split(':')[1])
    text = head + '.' + plain64(json.dumps(doc, separators=(',', ':')).encode())
    return f"{prefix}.{text}.{plain64(hmac.digest(key, text.encode(), 'sha256'))}"

def plain64(data):
    return base64.urlsafe_b64encode(data).decode().rstrip('=')

def database():
    """The database server's processes that serve surfaced-stream."""
    return [int(p) for p in sql("SELECT string_agg(pid::text, ' ') FROM pg_stat_activity WHERE usename = 'surfaced_stream'").split()]

# ---- keys ----
keys = f'{W}/etc/stream-keys'
before = open(keys).read().splitlines()
old = ticket(one)
rotate = os.environ['CTL'].split() + ['stream-keys', 'rotate']
subprocess.run(rotate, check=True)
after = open(keys).read().splitlines()
tap.ok(len(after) == 2 and after[1] == before[0] and after[0] != before[0],
       'stream-keys rotate puts a new key before the old one')
tap.is_(os.stat(keys).st_mode & 0o777, 0o600, 'stream-keys rotate keeps the mode of the file')
tap.is_(Client(one, old).bye(), 1000, 'a ticket of the previous key is accepted')
old = ticket(one)
tap.is_(again(one).bye(), 1000, 'a ticket of the new key is accepted without a reload')
subprocess.run(rotate, check=True)
subprocess.run(rotate, check=True)
tap.is_(refused(one, old), (401, 'stream_ticket_invalid'),
        'a ticket of the key before the previous one is refused')

# ---- the database hangs, then is stopped ----
# A stream continues for four failed rechecks, 20 s, for which a slow machine may need several tries.
for _ in range(10):
    c, spare = again(one), ticket(two)
    pids, began = [postgres] + database(), time.monotonic()
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        hung = all(lives(c, b'%d' % i) for i in range(100)), refused(two, fresh(spare)), lives(c, b'x')
    except (OSError, EOFError) as e:
        hung = e
    for pid in pids:
        os.kill(pid, signal.SIGCONT)
    if hung == (True, (503, 'service_unavailable'), True) or time.monotonic() - began < 14:
        break
tap.is_(hung, (True, (503, 'service_unavailable'), True),
        'a hung database stalls no stream and new streams get 503')
tap.ok(until(lambda: refused(two, ticket(two))[0] == 101),
       'tickets are accepted after the database answers again')
tap.ok(lives(c, b'y'), 'a stream survives an outage of the database')
subprocess.run(['t/helper/pg', 'stop', f'{W}/db'], check=True)
tap.is_(refused(two, fresh(spare)), (503, 'service_unavailable'),
        'a new stream gets 503 without a database')
tap.ok(lives(c, b'z'), 'a stream continues without a database')
tap.is_(c.closed(), 1013, 'a stream that cannot be rechecked closes with 1013 (C-749)')
subprocess.run(['t/helper/pg', 'resume', f'{W}/db'], check=True)
c.sock.close()
c = None
def reopened():
    global c
    try:
        c = again(one)
        return True
    except Exception:
        return False
tap.ok(until(reopened), 'a new stream is accepted after the database has restarted')

# ---- reload, stop ----
was = workers()
os.kill(master, signal.SIGHUP)
tap.ok(until(lambda: set(workers()) > set(was)), 'a reload starts a new process beside the old one')
until(lambda: ' '.join(open(f'{W}/log/surfaced-stream.log')).count('draining') == 1)
new = again(two)
tap.ok(lives(c, b'old') and lives(new, b'new'),
       'existing streams continue after a reload and new ones are accepted')
c2 = again(three)
c.send(close_frame())
tap.is_(c.closed(), 1000, 'a stream of the old process closes with 1000')
c.sock.close()
tap.ok(until(lambda: not set(workers()) & set(was)), 'an old process exits after its last stream')
tap.ok(lives(new, b'new') and lives(c2, b'x'), 'the other streams continue when the old process exits')
os.kill(master, signal.SIGTERM)
tap.is_([new.closed(), c2.closed()], [1001, 1001], 'a stop closes every stream with 1001 (C-749)')
for c in new, c2:
    c.send(close_frame(1001))
tap.ok(until(lambda: not os.path.exists(f'/proc/{master}')), 'the master exits after the stop')
tap.is_(sql('SELECT count(*) FROM stream_slot'), '0', 'a stop leaves no slot behind')
tap.done()
PY
relay "$W/out"
unlike "$(cat "$W"/log/surfaced-stream.log)" "$(cut -d: -f2 "$W/etc/stream-keys" | head -1)" \
	"no log contains a key of tickets"
