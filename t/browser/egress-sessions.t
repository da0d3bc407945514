#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Sessions: opened, opened again, shut; a dispatcher that goes and comes back; the daemon killed; what the
dispatcher is told, and what it may not say. KILLS=50 t/browser/egress-sessions.t is the long form."""
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
    """None: nobody accepts, or not soon."""
    try:
        with s.plain(2) as c:
            c.sendall(b"\5\1\0")
            return exact(c, 2) == b"\5\0"
    except (TimeoutError, ConnectionError):
        return None


# ---- one session ----

a, b = Session(d), Session(d)
ca, cb = open_echo(a), open_echo(b)
ok(ca and cb and echoes(ca) and echoes(cb), "two sessions")
a.open(d)
ok(until(lambda: greets(a)) and echoes(ca), "opened again with the same socket: what stands goes on")
old = a.listener
a.listener = a.namespace.run(lambda: socket.create_server(("127.0.0.1", 1081)))
a.open(d)
new = a.namespace.run(lambda: socket.create_connection(("127.0.0.1", 1081), PATIENCE))
new.sendall(b"\5\1\0")
ok(exact(new, 2) == b"\5\0" and echoes(ca), "with another socket: that one is served")
new.close()
a.listener.close()
a.listener = old
a.open(d)
d.send("shut", {"session": a.id})
ok(is_over(ca) and echoes(cb), "shut: its connections end, those of others do not")
ok(until(lambda: greets(a) is None), "and nobody accepts there")
d.send("shut", {"session": a.id})
a.open(d)
ok(until(lambda: greets(a)), "it may be opened again")

# ---- what is no session ----

with socket.create_server(("93.184.216.34", 0)) as stream, socket.socket() as idle, \
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagram, open("/dev/null", "rb") as file:
    for what, fd in (("no socket", None), ("one that does not listen", idle), ("a datagram socket", datagram),
                     ("a file", file)):
        d.send("open", {"session": str(uuid.uuid4()), "kind": "direct"}, fd.fileno() if fd else None)
    d.send("open", {"session": str(uuid.uuid4()), "kind": "connect"}, stream.fileno())
    d.send("open", {"session": str(uuid.uuid4()), "kind": "connect", "host": "x", "port": 1, "credential": "../x"},
           stream.fileno())
ok(until(lambda: w.read("egress.log").count("not opened") == 6), "what cannot be opened is logged")
ok(not d.closed and echoes(cb), "and hurts nobody")
many = [Session(d) for _ in range(7)]
is_([bool(until(lambda: greets(s))) for s in many[:6]] + [greets(many[6])], [True] * 6 + [None], "egress_sessions is the limit")
for s in many:
    d.send("shut", {"session": s.id})

# ---- a listener that is made to block by whoever holds it beside ----

trap = Session(d)
until(lambda: greets(trap))
trap.listener.setblocking(True)
greets(trap)
ok(until(lambda: "it blocks" in w.read("egress.log")), "a listener that blocks is let go")
ok(echoes(cb) and until(lambda: greets(b)), "and nobody else has to wait for it")
is_(greets(trap), None, "nobody is served there any more")
d.send("shut", {"session": trap.id})

for text in (b"open", b"open {}", b"what {}", b'open {"session":"x","kind":"direct"}', b"shut {\"session\":1}", b"\xff"):
    bad = Dispatcher(w.path("run/egress.sock"))
    bad.link.send(text)
    ok(until(lambda: bad.closed), "%r ends that connection" % text)
ok(echoes(cb) and not d.closed, "and no other")

# ---- what the dispatcher hears ----

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
ok(until(lambda: sum(t["count"] for t in c.lines()) >= 130), "130 tries are told of")
single = [t for t in c.lines() if t["reason"] != "more"]
ok(50 <= len(single) < 130 and all(t["count"] == 1 for t in single), "fifty a second one by one, the rest as sums",
   len(single))
is_({(t["event"], t.get("host"), t["port"]) for t in c.lines() if t["reason"] == "more"}, {("denied", None, 0)},
    "by event")
with c.plain() as plain:
    plain.sendall(b"\5\1\0\5\1\0\3\x08slow.net\0\x50")
    until(lambda: "slow.net" in w.read("dns.log"))
    d.send("shut", {"session": c.id})
    t = d.traffic(c.id, "slow.net")
is_((t["event"], t["reason"]), ("failed", "gone"), "a session that is shut while a name is looked up")

# ---- a dispatcher that goes ----

d.close()
d = Dispatcher(w.path("run/egress.sock"))
b.open(d)
ok(until(lambda: "abandoned" in w.read("egress.log")), "a session that is not opened again in egress_grace is shut")
ok(until(lambda: greets(a) is None), "so nobody accepts there")
ok(echoes(cb), "one that is keeps even its connections")
cb2 = open_echo(b)
is_(until(lambda: b.lines()[-1:])[0]["event"], "connected", "and the new dispatcher hears of it")

# ---- kill -9 ----

def again():
    """A connection by a new dispatcher; None while the daemon that is on its way out still answers."""
    global d
    d = Dispatcher(w.path("run/egress.sock"))
    try:
        b.open(d)
        return open_echo(b)
    except OSError:
        return None


b.patience = 5  # whom the old daemon left in the queue
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
ok(c and echoes(c), "SIGHUP: a new process serves the same socket")
ok(echoes(standing), "a connection that stands goes on in the old one")
standing.close()
ok(until(lambda: not os.path.exists("/proc/%d" % old)), "which ends with it")

# ---- the end ----

standing = until(again)
w.stop()
ok(is_over(standing), "SIGTERM ends it and its connections")
w.start()
w.daemon.terminate()
is_(w.daemon.wait(PATIENCE), 0, "with status 0")
w.daemon = None
for name, value in (("egress_dns", "here"), ("egress_closed", "10.0.0.0/33")):
    w.conf("%s = %s\n" % (name, value))
    bad = subprocess.run([BUILD + "/surfaced-egress", "-t", "-c", w.path("egress.conf")], capture_output=True, text=True,
                         check=False)
    ok(bad.returncode != 0 and name in bad.stderr, "a bad %s is named" % name, bad.stderr)
libraries = subprocess.run(["ldd", BUILD + "/surfaced-egress"], capture_output=True, text=True, check=False).stdout
is_([word for word in ("libpq", "libfcgi") if word in libraries], [], "it cannot even speak to a database")

w.finish()
done()
