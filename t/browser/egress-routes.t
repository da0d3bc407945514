#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Routes through proxies, of either kind: asked for the checked address alone, with the credential of a file; and
proxies that refuse, want another password, talk nonsense or nothing."""
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
    """What a sound proxy does when it has answered."""
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
    """A proxy that answers this whatever it is asked, and hangs on, or up."""
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
    is_(asked, [REQUEST[kind](PUBLIC)], "which is asked for the address, not for the name (C-095)")
    t = d.traffic(s.id, "site.net")
    is_((t["event"], t["address"]), ("connected", PUBLIC), "and that is what the dispatcher hears")
    asked.clear()
    ok(b'"host": "six.net"' in (s.get("six.net") or b""), "IPv6")
    is_(asked, [REQUEST[kind](PUBLIC6)], "likewise")
    is_((why(s, "loop.net"), asked), (("denied", "answer"), []), "it is not asked for what is not public (C-095)")
    is_((why(s, "10.1.2.3"), asked), (("denied", "address"), []), "nor for an address")
    name = "rebind.%s.net" % kind
    is_([why(s, name), why(s, name), list(asked)], [("connected", ""), ("denied", "answer"), []],
        "nor for a name that rebinds")
    is_((why(s, "two.net"), asked), (("connected", ""), [REQUEST[kind]("93.184.216.40"), REQUEST[kind](PUBLIC)]),
        "an address that it does not get to is followed by the next")
    is_((why(s, "many.net"), len(asked)), (("failed", "route_refused"), 3), "three times at most")
    with s.ask("site.net", 80)[1] as c:
        c.sendall(b"GET /bytes?n=10000000 HTTP/1.0\r\n\r\n")
        c.shutdown(socket.SHUT_WR)
        is_(len(rest(c).partition(b"\r\n\r\n")[2]), 10000000, "ten megabytes, and the ends of both sides")

    # ---- credentials ----
    locked = lambda c, p=proxy: p(c, "user:pass:word")
    is_(why(session(kind, locked, credential="good")), ("connected", ""), "with the credential of its file")
    for file, event in (("other", "route_access"), ("", "route_access"), ("open", "credential"), ("empty", "credential"),
                        ("none", "credential"), ("folder", "credential")):
        is_(why(session(kind, locked, credential=file)), ("failed", event), "credential %r: %s" % (file, event))
    s = session(kind, locked, credential="other")
    why(s)
    w.write("secrets/other", "user:pass:word", 0o640)
    is_(why(s), ("connected", ""), "a file that was mended counts at once")
    w.write("secrets/other", "user:wrong\n", 0o640)

    # ---- bad proxies ----
    junk = {"connect": [b"SSH-2.0-x\r\n", b"HTTP/1.1 2000 OK\r\n\r\n", b"\0" * 100, b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 5000,
                        b"\5\0"], "socks5": [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\4\0", b"\5\2", b"\5\0\4\0\0\1"]}[kind]
    is_([why(session(kind, says(text))) for text in junk], [("failed", "route_protocol")] * len(junk), "nonsense is refused")
    is_(why(session(kind, says(b"", False))), ("failed", "route_protocol"), "a proxy that hangs up")
    is_(why(Session(d, kind=kind, host=PROXY, port=9)), ("failed", "route"), "a proxy that is not there")
    is_(why(Session(d, kind=kind, host="none.inside", port=9)), ("failed", "route"), "one whose name nobody knows")
    server = Server(proxy, PROXY)
    is_(why(Session(d, kind=kind, host="proxy.inside", port=server.port)), ("connected", ""), "one by name, at a private address")

# ---- what a proxy sends first ----

banner = session("connect", says(b"HTTP/1.1 200 OK\r\n\r\nSSH-2.0-first\r\n", False))
code, c = banner.ask("site.net")
is_((code, rest(c)), (0, b"SSH-2.0-first\r\n"), "what comes behind a proxy's answer is the site's")
banner = session("socks5", lambda c: (c.recv(99), c.sendall(b"\5\0"), c.recv(99), c.sendall(b"\5\0\0\1\0\0\0\0\0\0first")))
code, c = banner.ask("site.net")
is_((code, rest(c)), (0, b"first"), "of SOCKS5 too")

# ---- probes ----

good = Server(lambda c: http_proxy(c, "user:pass:word"), PROXY)
route = {"kind": "connect", "host": PROXY, "port": good.port}
p = d.probe("site.net", route={**route, "credential": "good"})
is_((p["answered"], "why" in p), (True, False), "a probe of a route that answers")
for target, more, reason in (("site.net", {}, "route_access"), ("loop.net", {}, "answer"), ("localhost", {}, "name"),
                             ("site.net", {"credential": "none"}, "credential"), ("site.net", {"port": 9}, "route")):
    p = d.probe(target, route={**route, **more})
    is_((p["answered"], p["why"]), (False, reason), "and of one that does not: " + reason)
is_(d.probe("site.net")["answered"], True, "a direct one")

is_([w.read("egress.log").count(word) for word in ("pass:word", "wrong", "dXNlcj")], [0, 0, 0], "no secret is logged")
ok("everybody may read it" in w.read("egress.log"), "but what is wrong with a file is")

# ---- one that says nothing: from here on nobody has to answer ----

w.stop()
w.conf("egress_connect = 1000\n")
d = w.start()
for kind in ("connect", "socks5"):
    is_(why(session(kind, says(b""))), ("failed", "timeout"), kind + ": a proxy that says nothing")

w.finish()
done()
