#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""egress relays all bytes in both directions in bounded memory, and passes the end of either side on.
MEGABYTES=1000 t/browser/egress-relay.t is the long form."""
import fcntl, hashlib, os, socket, struct, sys, termios, threading
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../helper")
from egress import *  # noqa

enter()
MB = 1 << 20
SIZE = int(os.environ.get("MEGABYTES", "100")) * MB
w = World({"names": {"site.net": {"A": ["93.184.216.34"]}}}, "egress_connections = 210\n")
s = Session(w.start())


def connect(server):
    code, c = s.ask("site.net", server.port)
    if code:
        raise SystemExit("Bail out! code %r" % code)
    return c


def blocks(seed, size):
    block = hashlib.shake_128(seed).digest(MB)
    for i in range(size // MB):
        yield block[i % 251:] + block[:i % 251]


def send_all(c, seed, size):
    for block in blocks(seed, size):
        c.sendall(block)
    c.shutdown(socket.SHUT_WR)


def digest(c):
    h, n = hashlib.blake2b(), 0
    while got := c.recv(MB):
        h.update(got)
        n += len(got)
    return n, h.hexdigest()


def wanted(seed, size):
    h = hashlib.blake2b()
    for block in blocks(seed, size):
        h.update(block)
    return size, h.hexdigest()


# ---- both ways at once ----

def both(c):
    result = []
    t = threading.Thread(target=lambda: result.append(digest(c)))
    t.start()
    send_all(c, b"down", SIZE)
    t.join()
    seen.append(result[0])


seen = []
with connect(Server(both)) as c:
    idle = rss(w.worker())
    t = threading.Thread(target=send_all, args=(c, b"up", SIZE))
    t.start()
    down, grown = hashlib.blake2b(), 0
    n = 0
    while got := c.recv(MB):
        down.update(got)
        n += len(got)
        if n % (16 * MB) < len(got):
            grown = max(grown, rss(w.worker()) - idle)
    t.join()
is_((n, down.hexdigest()), wanted(b"down", SIZE), "%d MB reach the browser while as many go to the site" % (SIZE // MB))
until(lambda: seen)
is_(seen, [wanted(b"up", SIZE)], "all bytes of the browser reach the site")
ok(grown < 2 * MB, "egress relays in less than 2 MB of memory", grown)

# ---- ends ----

def after_end(c):
    text = rest(c)
    c.sendall(b"you said " + text)

with connect(Server(after_end)) as c:
    c.sendall(b"all")
    c.shutdown(socket.SHUT_WR)
    is_(rest(c), b"you said all", "the browser's end is passed on and the answer still arrives")

def end_first(c):
    c.sendall(b"bye")
    c.shutdown(socket.SHUT_WR)
    heard.append(rest(c))

heard = []
with connect(Server(end_first)) as c:
    first = rest(c)
    c.sendall(b"one more thing")
    c.shutdown(socket.SHUT_WR)
    until(lambda: heard)
    is_((first, heard), (b"bye", [b"one more thing"]),
        "the site's end is passed on and the browser may still send")

def reset(c):
    c.recv(1)
    c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

with connect(Server(reset)) as c:
    c.sendall(b"x")
    try:
        c.recv(1)
        broken = "an end"
    except ConnectionResetError:
        broken = "a reset"
is_(broken, "a reset", "a reset of the site reaches the browser as a reset")

def reset_behind(c):
    c.sendall(b"x" * (4 * MB))
    while struct.unpack("i", fcntl.ioctl(c, termios.TIOCOUTQ, b"\0" * 4))[0]:
        time.sleep(0.01)
    c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    gone.set()

gone, got = threading.Event(), 0
with connect(Server(reset_behind)) as c:
    c.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)  # the rest stays with egress
    gone.wait(PATIENCE)
    try:
        while n := len(c.recv(65536)):
            got += n
        broken = "an end"
    except ConnectionResetError:
        broken = "a reset"
is_((got, broken), (4 * MB, "a reset"), "the bytes before a reset reach the browser")

def wait_end(c):
    try:
        ends.append(len(c.recv(10)))
    except ConnectionResetError:
        ends.append("a reset")

ends = []
c = connect(Server(wait_end))
c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
c.close()
until(lambda: ends)
is_(ends, ["a reset"], "a reset of the browser reaches the site as a reset")

server = Server(after_end)
with s.plain() as c:
    c.sendall(b"\5\1\0")
    exact(c, 2)
    c.sendall(b"\5\1\0\3\x08site.net" + struct.pack(">H", server.port) + b"early")
    c.shutdown(socket.SHUT_WR)
    is_(rest(c)[10:], b"you said early", "bytes sent with the SOCKS5 request reach the site")

# ---- a reader that does not read ----

def flood(c):
    block = b"x" * 65536
    for _ in range(SIZE // 65536):
        c.sendall(block)
        sent[0] += len(block)

sent = [0]
c = connect(Server(flood))
before = rss(w.worker())
until(lambda: sent[0])
last = -1
while sent[0] != last:
    last = sent[0]
    time.sleep(0.2)
ok(0 < last < SIZE / 2, "the site is slowed down while the browser does not read", last)
ok(rss(w.worker()) - before < MB, "egress buffers less than 1 MB for a browser that does not read")
total = 0
while got := c.recv(MB):
    total += len(got)
c.close()
is_(total, SIZE, "a browser that reads late gets every byte")

# ---- many ----

def echo(c):
    while got := c.recv(65536):
        c.sendall(got)

server = Server(echo)
many = []

def one(i):
    c = connect(server)
    text = b"%d " % i * 20000
    threading.Thread(target=c.sendall, args=(text,)).start()
    many.append((exact(c, len(text)) == text, c))

threads = [threading.Thread(target=one, args=(i,)) for i in range(200)]
for t in threads:
    t.start()
for t in threads:
    t.join()
is_([good for good, _ in many], [True] * 200, "each of 200 concurrent connections gets its own bytes")

# ---- bounds ----

more = [connect(server) for _ in range(10)]
late = s.plain(0.3)
late.sendall(b"\5\1\0")
try:
    early = late.recv(2)
except TimeoutError:
    early = b"nothing"
is_(early, b"nothing", "a connection above egress_connections has to wait")
more.pop().close()
late.settimeout(PATIENCE)
is_(exact(late, 2), b"\5\0", "a waiting connection is served after another has ended")
late.close()

# ---- idle connections: no other connection has to last longer from here on ----

for _, c in many:
    c.close()
for c in more:
    c.close()
w.stop()
w.conf("egress_idle = 2\n")
s.open(w.start())
idle = [connect(server) for _ in range(20)]

def is_over(c):
    c.settimeout(PATIENCE)
    try:
        return c.recv(1) == b""
    except ConnectionResetError:
        return True

is_([is_over(c) for c in idle], [True] * 20, "an idle connection is closed after egress_idle")
fds = until(lambda: len(os.listdir("/proc/%d/fd" % w.worker())) < 30)
ok(fds, "egress leaves no descriptor open", os.listdir("/proc/%d/fd" % w.worker()))

w.finish()
done()
