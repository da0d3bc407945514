#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Routes through proxies of both kinds: the proxy is asked for the checked address only, with the credential of a
file; proxies that refuse, require another password, answer nonsense or nothing."""
import base64, os, socket, struct, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../helper")
from egress import *  # noqa

enter()
PUBLIC, PUBLIC6, PROXY = "93.184.216.34", "2606:2800:220:1::34", "10.9.9.9"
w = World({"names": {"site.net": {"A": [PUBLIC]}, "six.net": {"AAAA": [PUBLIC6]}, "loop.net": {"A": ["127.0.0.1"]},
                     "two.net": {"A": ["93.184.216.40", PUBLIC]}, "many.net": {"A": ["93.184.216.%d" % i for i in range(40, 60)]},
                     **{"rebind.%s.net" % kind: {"A": [[PUBLIC], ["127.0.0.1"]]} for kind in ("connect", "socks5")}, "proxy.inside": {"A": [PROXY]}},
           "ours": [PROXY]}, "egress_connect = 60000\n")
w.write("secrets/good", "user:pass:word\n", 0o640)
w.write("secrets/other", "user:wrong\n", 0o640)
w.write("secrets/open", "user:pass:word\n", 0o644)
w.write("secrets/empty", "\n", 0o640)
os.mkdir(w.path("secrets/folder"))
asked = []


def pump(a, b):
    try:
        while got := a.recv(65536):
            b.sendall(got)
        b.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def tunnel(c, host, port):
    """A well-behaved proxy after its answer: relays both directions."""
    far = socket.create_connection((host, port), PATIENCE)
    t = threading.Thread(target=pump, args=(far, c))
    t.start()
    pump(c, far)
    t.join()


def head(c):
    text = b""
    while not text.endswith(b"\r\n\r\n") and (got := c.recv(1)):
        text += got
    return text.decode()


def http_proxy(c, password=None):
    lines = head(c).split("\r\n")
    asked.append(lines[0])
    given = [base64.b64decode(l.split()[2]).decode() for l in lines if l.startswith("Proxy-Authorization: Basic ")]
    if password and given != [password]:
        return c.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n")
    host, _, port = lines[0].split()[1].rpartition(":")
    if host.startswith("93.184.216.4") or host.startswith("93.184.216.5"):
        return c.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
    c.sendall(b"HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n")
    return tunnel(c, host.strip("[]"), int(port))


def socks_proxy(c, password=None):
    version, n = exact(c, 2)
    methods = exact(c, n)
    if password:
        if 2 not in methods:
            return c.sendall(b"\5\xff")
        c.sendall(b"\5\2")
        exact(c, 1)
        user = exact(c, exact(c, 1)[0]).decode()
        if user + ":" + exact(c, exact(c, 1)[0]).decode() != password:
            return c.sendall(b"\1\1")
        c.sendall(b"\1\0")
    else:
        c.sendall(b"\5\0")
    _, command, _, kind = exact(c, 4)
    family, size = {1: (socket.AF_INET, 4), 4: (socket.AF_INET6, 16)}[kind]
    host, port = socket.inet_ntop(family, exact(c, size)), struct.unpack(">H", exact(c, 2))[0]
    asked.append("%d %s %d" % (command, host, port))
    if host.startswith("93.184.216.4") or host.startswith("93.184.216.5"):
        return c.sendall(b"\5\4\0\1\0\0\0\0\0\0")
    c.sendall(b"\5\0\0\3\4name\0\0")
    return tunnel(c, host, port)


def says(text, then=True):
    """A proxy that sends the text in answer to anything; then keeps the connection open, or closes it."""
    def serve(c):
        c.recv(4096)
        c.sendall(text)
        while then and c.recv(4096):
            pass
    return serve


d = w.start()


def session(kind, serve, **more):
    server = Server(serve, PROXY)
    return Session(d, kind=kind, host=PROXY, port=server.port, **more)


def why(s, host="site.net", port=80):
    asked.clear()
    return s.why(host, port)


REQUEST = {"connect": lambda host, port=80: "CONNECT %s:%d HTTP/1.1" % ("[%s]" % host if ":" in host else host, port),
           "socks5": lambda host, port=80: "1 %s %d" % (host, port)}
for kind, proxy in (("connect", http_proxy), ("socks5", socks_proxy)):
    s = session(kind, proxy)
    asked.clear()
    ok(b'"host": "site.net"' in (s.get("site.net") or b""), kind + ": a page comes through the proxy")
    is_(asked, [REQUEST[kind](PUBLIC)], "the proxy is asked for the address instead of the name (C-095)")
    t = d.traffic(s.id, "site.net")
    is_((t["event"], t["address"]), ("connected", PUBLIC), "the dispatcher gets the address of the site")
    asked.clear()
    ok(b'"host": "six.net"' in (s.get("six.net") or b""),
       "a page at an IPv6 address comes through the proxy")
    is_(asked, [REQUEST[kind](PUBLIC6)], "the proxy is asked for the IPv6 address")
    is_((why(s, "loop.net"), asked), (("denied", "answer"), []),
        "the proxy is not asked for a name that is not public (C-095)")
    is_((why(s, "10.1.2.3"), asked), (("denied", "address"), []),
        "the proxy is not asked for an address that is not public")
    name = "rebind.%s.net" % kind
    is_([why(s, name), why(s, name), list(asked)], [("connected", ""), ("denied", "answer"), []],
        "the proxy is not asked for a name that rebinds")
    is_((why(s, "two.net"), asked), (("connected", ""), [REQUEST[kind]("93.184.216.40"), REQUEST[kind](PUBLIC)]),
        "the proxy is asked for the next address after one fails")
    is_((why(s, "many.net"), len(asked)), (("failed", "route_refused"), 3),
        "the proxy is asked for three addresses at most")
    with s.ask("site.net", 80)[1] as c:
        c.sendall(b"GET /bytes?n=10000000 HTTP/1.0\r\n\r\n")
        c.shutdown(socket.SHUT_WR)
        is_(len(rest(c).partition(b"\r\n\r\n")[2]), 10000000,
            "ten megabytes arrive through the proxy with the ends of both sides")

    # ---- credentials ----
    locked = lambda c, p=proxy: p(c, "user:pass:word")
    is_(why(session(kind, locked, credential="good")), ("connected", ""),
        "a proxy accepts the credential of the route's file")
    for file, event in (("other", "route_access"), ("", "route_access"), ("open", "credential"), ("empty", "credential"),
                        ("none", "credential"), ("folder", "credential")):
        is_(why(session(kind, locked, credential=file)), ("failed", event), "a route with the credential %r fails with %s" % (file, event))
    s = session(kind, locked, credential="other")
    why(s)
    w.write("secrets/other", "user:pass:word", 0o640)
    is_(why(s), ("connected", ""), "a corrected credential file is used at once")
    w.write("secrets/other", "user:wrong\n", 0o640)

    # ---- bad proxies ----
    junk = {"connect": [b"SSH-2.0-x\r\n", b"HTTP/1.1 2000 OK\r\n\r\n", b"\0" * 100, b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 5000,
                        b"\5\0"], "socks5": [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\4\0", b"\5\2", b"\5\0\4\0\0\1"]}[kind]
    is_([why(session(kind, says(text))) for text in junk], [("failed", "route_protocol")] * len(junk),
        "a proxy that answers nonsense fails the connection")
    is_(why(session(kind, says(b"", False))), ("failed", "route_protocol"),
        "a proxy that closes the connection fails the request")
    is_(why(Session(d, kind=kind, host=PROXY, port=9)), ("failed", "route"),
        "a proxy that is not running fails the connection")
    is_(why(Session(d, kind=kind, host="none.inside", port=9)), ("failed", "route"),
        "a proxy whose name is unknown fails the connection")
    server = Server(proxy, PROXY)
    is_(why(Session(d, kind=kind, host="proxy.inside", port=server.port)), ("connected", ""),
        "a proxy is found by name at a private address")

# ---- bytes of the site that arrive with the proxy's answer ----

banner = session("connect", says(b"HTTP/1.1 200 OK\r\n\r\nSSH-2.0-first\r\n", False))
code, c = banner.ask("site.net")
is_((code, rest(c)), (0, b"SSH-2.0-first\r\n"),
    "bytes after the answer of an HTTP proxy come from the site")
banner = session("socks5", lambda c: (c.recv(99), c.sendall(b"\5\0"), c.recv(99), c.sendall(b"\5\0\0\1\0\0\0\0\0\0first")))
code, c = banner.ask("site.net")
is_((code, rest(c)), (0, b"first"), "bytes after the answer of a SOCKS5 proxy come from the site")

# ---- probes ----

good = Server(lambda c: http_proxy(c, "user:pass:word"), PROXY)
route = {"kind": "connect", "host": PROXY, "port": good.port}
p = d.probe("site.net", route={**route, "credential": "good"})
is_((p["answered"], "why" in p), (True, False), "a probe of a working route gets an answer")
for target, more, reason in (("site.net", {}, "route_access"), ("loop.net", {}, "answer"), ("localhost", {}, "name"),
                             ("site.net", {"credential": "none"}, "credential"), ("site.net", {"port": 9}, "route")):
    p = d.probe(target, route={**route, **more})
    is_((p["answered"], p["why"]), (False, reason), "a probe of a broken route has the reason " + reason)
is_(d.probe("site.net")["answered"], True, "a probe without a proxy gets an answer")

is_([w.read("egress.log").count(word) for word in ("pass:word", "wrong", "dXNlcj")], [0, 0, 0],
    "the log contains no secret of a route")
ok("every user may read it" in w.read("egress.log"),
   "the log names the credential file that every user may read")

# ---- a proxy that does not answer: no other proxy has to answer from here on ----

w.stop()
w.conf("egress_connect = 1000\n")
d = w.start()
for kind in ("connect", "socks5"):
    is_(why(session(kind, says(b""))), ("failed", "timeout"), kind + ": a proxy that says nothing")

w.finish()
done()
