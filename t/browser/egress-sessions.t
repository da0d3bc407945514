#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Sessions are opened, opened again and shut; a dispatcher goes and comes back; the daemon is killed; messages to
the dispatcher, and bad messages from it. KILLS=50 t/browser/egress-sessions.t is the long form."""
import os, signal, socket, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../helper")
from egress import *  # noqa

enter()
KILLS = int(os.environ.get("KILLS", "3"))
w = World({"names": {"site.net": {"A": ["93.184.216.34"]}, "slow.net": {"A": ["93.184.216.34"], "delay": 12}}},
          "egress_grace = 6\negress_sessions = 8\n")
d = w.start()


def echo(c):
    while got := c.recv(65536):
        c.sendall(got)


server = Server(echo)


def open_echo(s):
    code, c = s.ask("site.net", server.port)
    return c if code == 0 else None


def echoes(c, text=b"hello"):
    c.sendall(text)
    return exact(c, len(text)) == text


def is_over(c):
    try:
        return c.recv(1) == b""
    except ConnectionResetError:
        return True


def greets(s):
    """None: the connection is not accepted within two seconds."""
    try:
        with s.plain(2) as c:
            c.sendall(b"\5\1\0")
            return exact(c, 2) == b"\5\0"
    except (TimeoutError, ConnectionError):
        return None


# ---- one session ----

a, b = Session(d), Session(d)
ca, cb = open_echo(a), open_echo(b)
ok(ca and cb and echoes(ca) and echoes(cb), "two sessions relay their connections at once")
a.open(d)
ok(until(lambda: greets(a)) and echoes(ca), "a session opened again with its socket keeps its connections")
old = a.listener
a.listener = a.namespace.run(lambda: socket.create_server(("127.0.0.1", 1081)))
a.open(d)
new = a.namespace.run(lambda: socket.create_connection(("127.0.0.1", 1081), PATIENCE))
new.sendall(b"\5\1\0")
ok(exact(new, 2) == b"\5\0" and echoes(ca), "a session opened again with another socket is served there")
new.close()
a.listener.close()
a.listener = old
a.open(d)
d.send("shut", {"session": a.id})
ok(is_over(ca) and echoes(cb), "shutting a session ends its connections and no others")
ok(until(lambda: greets(a) is None), "egress no longer accepts connections of a shut session")
d.send("shut", {"session": a.id})
a.open(d)
ok(until(lambda: greets(a)), "a session that was shut can be opened again")

# ---- sessions that cannot be opened ----

with socket.create_server(("93.184.216.34", 0)) as stream, socket.socket() as idle, \
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagram, open("/dev/null", "rb") as file:
    for what, fd in (("no socket", None), ("one that does not listen", idle), ("a datagram socket", datagram),
                     ("a file", file)):
        d.send("open", {"session": str(uuid.uuid4()), "kind": "direct"}, fd.fileno() if fd else None)
    d.send("open", {"session": str(uuid.uuid4()), "kind": "connect"}, stream.fileno())
    d.send("open", {"session": str(uuid.uuid4()), "kind": "connect", "host": "x", "port": 1, "credential": "../x"},
           stream.fileno())
ok(until(lambda: w.read("egress.log").count("not opened") == 6),
   "the log has each session that cannot be opened")
ok(not d.closed and echoes(cb), "a session that cannot be opened does not affect others")
many = [Session(d) for _ in range(7)]
is_([bool(until(lambda: greets(s))) for s in many[:6]] + [greets(many[6])], [True] * 6 + [None],
    "egress_sessions limits the number of sessions")
for s in many:
    d.send("shut", {"session": s.id})

# ---- a listener that its other holder makes blocking ----

trap = Session(d)
until(lambda: greets(trap))
trap.listener.setblocking(True)
greets(trap)
ok(until(lambda: "it blocks" in w.read("egress.log")), "egress logs and drops a listener that blocks")
ok(echoes(cb) and until(lambda: greets(b)), "a listener that blocks does not delay other sessions")
is_(greets(trap), None, "a dropped listener accepts no further connection")
d.send("shut", {"session": trap.id})

for text in (b"open", b"open {}", b"what {}", b'open {"session":"x","kind":"direct"}', b"shut {\"session\":1}", b"\xff"):
    bad = Dispatcher(w.path("run/egress.sock"))
    bad.link.send(text)
    ok(until(lambda: bad.closed), "the message %r closes the dispatcher's connection" % text)
ok(echoes(cb) and not d.closed, "a bad message closes no other connection of the dispatcher")

# ---- messages to the dispatcher ----

c = Session(d)
greeted = [c.plain() for _ in range(130)]
for s in greeted:
    s.sendall(b"\5\1\0")
    exact(s, 2)
for s in greeted:  # within a second, on any machine
    s.sendall(b"\5\1\0\1\x0a\0\0\1\0\x50")
for s in greeted:
    exact(s, 10)
    s.close()
ok(until(lambda: sum(t["count"] for t in c.lines()) >= 130),
   "the dispatcher gets all of 130 refused connections")
single = [t for t in c.lines() if t["reason"] != "more"]
ok(50 <= len(single) < 130 and all(t["count"] == 1 for t in single),
   "the dispatcher gets fifty refusals a second singly and the rest as sums",
   len(single))
is_({(t["event"], t.get("host"), t["port"]) for t in c.lines() if t["reason"] == "more"}, {("denied", None, 0)},
    "the sums are reported by kind of event")
with c.plain() as plain:
    plain.sendall(b"\5\1\0\5\1\0\3\x08slow.net\0\x50")
    until(lambda: "slow.net" in w.read("dns.log"))
    d.send("shut", {"session": c.id})
    t = d.traffic(c.id, "slow.net")
is_((t["event"], t["reason"]), ("failed", "gone"),
    "the connection fails if its session is shut during the look-up")

# ---- the dispatcher is replaced ----

d.close()
d = Dispatcher(w.path("run/egress.sock"))
b.open(d)
ok(until(lambda: "abandoned" in w.read("egress.log")),
   "a session not opened again within egress_grace is shut")
ok(until(lambda: greets(a) is None), "an abandoned session accepts no connection")
ok(echoes(cb), "a session opened again by the new dispatcher keeps its connections")
cb2 = open_echo(b)
is_(until(lambda: b.lines()[-1:])[0]["event"], "connected",
    "the new dispatcher gets the connections of the session")

# ---- kill -9 ----

def again():
    """A connection by a new dispatcher; None while the old daemon, which is about to exit, still answers."""
    global d
    d = Dispatcher(w.path("run/egress.sock"))
    try:
        b.open(d)
        return open_echo(b)
    except OSError:
        return None


b.patience = 5  # connections that the old daemon left in the queue
for i in range(KILLS):
    for what, pid in (("worker", w.worker), ("master", lambda: w.daemon.pid)):
        standing = again()
        until(pid)
        os.kill(pid(), signal.SIGKILL)
        over = is_over(standing)
        if what == "master":
            w.daemon.wait()
            w.start()
        c = until(again)
        good = over and c and echoes(c)
        if not good or i == KILLS - 1:
            ok(good, "kill -9 of the %s: pages fail, and it serves the same socket again (%d)" % (what, i + 1))

# ---- a reload ----

standing, old = until(again), w.worker()
w.daemon.send_signal(signal.SIGHUP)
until(lambda: d.closed)
c = until(again)
ok(c and echoes(c), "a new process serves the same socket after SIGHUP")
ok(echoes(standing), "an existing connection continues in the old process")
standing.close()
ok(until(lambda: not os.path.exists("/proc/%d" % old)), "the old process exits after its last connection")

# ---- the end ----

standing = until(again)
w.stop()
ok(is_over(standing), "SIGTERM ends the daemon and its connections")
w.start()
w.daemon.terminate()
is_(w.daemon.wait(PATIENCE), 0, "the daemon exits with status 0 after SIGTERM")
w.daemon = None
for name, value in (("egress_dns", "here"), ("egress_closed", "10.0.0.0/33")):
    w.conf("%s = %s\n" % (name, value))
    bad = subprocess.run([BUILD + "/surfaced-egress", "-t", "-c", w.path("egress.conf")], capture_output=True, text=True,
                         check=False)
    ok(bad.returncode != 0 and name in bad.stderr, "the test of the configuration names a bad %s" % name, bad.stderr)
libraries = subprocess.run(["ldd", BUILD + "/surfaced-egress"], capture_output=True, text=True, check=False).stdout
is_([word for word in ("libpq", "libfcgi") if word in libraries], [],
    "egress is linked to no library of the database or of FastCGI")

w.finish()
done()
