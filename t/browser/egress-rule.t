#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""The addresses that egress refuses, tested with the real daemon: every spelling of an address, every kind of answer
of a DNS server. A refused connection is not tried: no packet arrives."""
import os, socket, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../helper")
from egress import *  # noqa

enter()
PUBLIC, PUBLIC6 = "93.184.216.34", "2606:2800:220:1::34"
w = World({"names": {
    "good.net": {"A": [PUBLIC], "AAAA": [PUBLIC6]},
    "four.net": {"A": [PUBLIC]},
    "six.net": {"AAAA": [PUBLIC6]},
    "rebind.net": {"A": [[PUBLIC], ["127.0.0.1"]]},
    "turn.net": {"A": [["127.0.0.1"], [PUBLIC]]},
    "loop.net": {"A": ["127.0.0.1"]},
    "meta.net": {"A": ["169.254.169.254"]},
    "ten.net": {"A": ["10.1.2.3"]},
    "wire.net": {"A": ["168.63.129.16"]},
    "mixed.net": {"A": [PUBLIC, "10.1.2.3"]},
    "mixed6.net": {"A": [PUBLIC], "AAAA": ["fd00::1"]},
    "mapped.net": {"A": [PUBLIC], "AAAA": ["::ffff:127.0.0.1"]},
    "mappedpublic.net": {"AAAA": ["::ffff:" + PUBLIC]},
    "lo6.net": {"AAAA": ["::1"]},
    "nat64.net": {"AAAA": ["64:ff9b::7f00:1"]},
    "sixtofour.net": {"AAAA": ["2002:7f00:1::"]},
    "zero.net": {"A": ["0.0.0.0"]},
    "chain.net": {"CNAME": "chain2.net"},
    "chain2.net": {"CNAME": "good.net"},
    "inward.net": {"CNAME": "loop.net"},
    "tolocal.net": {"CNAME": "localhost"},
    "localhost": {"A": ["127.0.0.1"]},
    "many.net": {"A": [PUBLIC] * 2000},
    "manybad.net": {"A": [PUBLIC] * 300 + ["127.0.0.1"]},
    "empty.net": {},
    "fail.net": {"rcode": 2},
    "refuse.net": {"rcode": 5},
    "drop.net": {"drop": True},
    "slow.net": {"A": [PUBLIC], "delay": 1.2},
    "dead.net": {"A": ["93.184.216.35"]},
    "half.net": {"A": ["93.184.216.35", PUBLIC]},
    "xn--bcher-kva.net": {"A": [PUBLIC]},
    "own.net": {"A": ["93.184.217.1"]},
    "halfown.net": {"A": [PUBLIC], "AAAA": ["2606:2800:221::1"]},
}, "closed": ["93.184.217.1", "2606:2800:221::1"]},
          "egress_connect = 4000\negress_closed = 93.184.217.0/24, 2606:2800:221::/48\n")
d = w.start()
s = Session(d)

# ---- what works ----

ok(b'"site": "%s"' % PUBLIC6.encode() in (s.get("good.net") or b""),
   "a name is resolved and its IPv6 address comes first")
t = d.traffic(s.id, "good.net")
is_((t["event"], t["port"], t["address"], "reason" in t), ("connected", 80, PUBLIC6, False),
    "the dispatcher gets the connection with its address")
for host in ("four.net", "six.net", "FOUR.net", "four.net.", "chain.net", "many.net", "slow.net", PUBLIC, PUBLIC6,
             "[" + PUBLIC6 + "]", "xn--bcher-kva.net"):
    is_(s.code(host), 0, "egress connects to %s" % host)
is_(s.code(socket.inet_pton(socket.AF_INET, PUBLIC), kind=1), 0,
    "egress connects to an IPv4 address in bytes")
is_(s.code(socket.inet_pton(socket.AF_INET6, PUBLIC6), kind=4), 0,
    "egress connects to an IPv6 address in bytes")
ok(b'"site": "%s"' % PUBLIC.encode() in (s.get("half.net") or b""),
   "egress tries the next address after one that refuses")

# ---- answers ----

is_([s.code("rebind.net"), s.code("rebind.net")], [0, 2],
    "a name that rebinds to 127.0.0.1 is refused then (C-095)")
is_(s.why("rebind.net"), ("denied", "answer"), "the dispatcher gets the reason of the refusal")
is_([s.code("turn.net"), s.code("turn.net")], [2, 0], "egress resolves a name again for each connection")
for host in ("loop.net", "meta.net", "ten.net", "wire.net", "mixed.net", "mixed6.net", "mapped.net",
             "mappedpublic.net", "lo6.net", "nat64.net", "sixtofour.net", "zero.net", "inward.net", "tolocal.net",
             "manybad.net"):
    is_(s.why(host), ("denied", "answer"), "%s is refused because its answer is not public (C-095)" % host)
for host in ("empty.net", "none.net"):
    is_(s.why(host), ("failed", "dns"), "the connection to %s fails without an address" % host)
for host in ("fail.net", "refuse.net", "drop.net"):
    is_(s.why(host), ("failed", "resolver"), "the connection to %s fails without an answer of the DNS server" % host)
is_(s.why("dead.net"), ("failed", "unreachable"), "the connection to an unreachable address fails")

is_([s.why(h) for h in ("own.net", "halfown.net", "93.184.217.1", "2606:2800:221::1")],
    [("denied", "answer")] * 2 + [("denied", "address")] * 2,
    "egress_closed refuses further networks by name and by address")

# ---- spellings ----

for host in ("127.0.0.1", "10.1.2.3", "169.254.169.254", "172.16.1.1", "192.168.1.1", "100.64.1.1", "0.0.0.0",
             "198.18.1.1", "168.63.129.16", "224.0.0.1", "255.255.255.255", "::1", "[::1]", "::", "fd00::1",
             "fd00:ec2::254", "fe80::1", "::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:%s" % PUBLIC, "::127.0.0.1",
             "64:ff9b::7f00:1", "2002:7f00:1::", "2001:0:7f00:1::", "2001:db8::1", "ff02::1", "127.0.0.1."):
    is_(s.why(host), ("denied", "address"), "the address %s is refused as not public (C-094)" % host)
for host in ("2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001", "127.1", "127.0.1", "127.0.0.01",
             "0", "0x7f.1", "127.0.0.1.1", "256.1.1.1", "93.184.55330", "1572395042", "localhost", "LOCALHOST",
             "localhost.", "a.localhost", "printer.local", "metadata.google.internal", "x.internal", "router",
             "router.home.arpa", "a.test", "127.0.0.1.nip.io", "10-1-2-3.sslip.io", "lvh.me", "fe80::1%lo", "[::1",
             "a..net", "-a.net", "a b.net", "a/b.net", "user@good.net", "good.net:80", "good.net%00.net", "good\0.net",
             "\xe9.net", "%31%32%37.0.0.1", "a" * 64 + ".net", "."):
    is_(s.why(host), ("denied", "name"), "the name %r is refused as not public (C-094)" % host[:30])
is_([s.code(socket.inet_pton(f, a), kind=k) for f, a, k in (
    (socket.AF_INET, "127.0.0.1", 1), (socket.AF_INET, "169.254.169.254", 1), (socket.AF_INET6, "::1", 4),
    (socket.AF_INET6, "::ffff:10.1.2.3", 4), (socket.AF_INET6, "fd00::1", 4))], [2] * 5,
    "private addresses in bytes are refused (C-094)")

# ---- ports and commands ----

for port in (0, 22, 25, 53, 6000, 10080):
    is_(s.why("good.net", port), ("denied", "port"), "the port %d is refused to browsers" % port)
is_([s.code("good.net", command=c) for c in (2, 3, 0, 255)], [7] * 4,
    "egress refuses BIND, UDP ASSOCIATE and other commands")
is_(s.why("good.net", 81), ("failed", "refused"), "a connection to a closed port fails as refused")

# ---- clients that do not speak SOCKS5 ----

def answer(data, n=64):
    with s.plain() as c:
        c.sendall(data)
        return exact(c, n)

is_(answer(b"GET / HTTP/1.1\r\n\r\n"), b"\5\xff", "egress refuses a client that speaks HTTP")
is_(answer(b"\4\1\0\x50\x7f\0\0\1\0"), b"\5\xff", "egress refuses a client that speaks SOCKS4")
is_(answer(b"\5\0"), b"\5\xff", "egress refuses a greeting without methods")
is_(answer(b"\5\1\2"), b"\5\xff", "egress refuses a client that insists on a password")
is_(answer(b"\5\1\0\5\1\0\2\0"), b"\5\0" + b"\5\x08\0\1" + b"\0" * 6,
    "egress refuses an unknown kind of address")
is_(answer(b"\5\1\0\5\1\0\3\0\0\x50"), b"\5\0" + b"\5\1\0\1" + b"\0" * 6,
    "egress refuses an empty host name")
is_(answer(b"\5\1\0\4"), b"\5\0" + b"\5\1\0\1" + b"\0" * 6, "egress refuses another version in the request")
with s.plain() as c:
    for byte in b"\5\2\2\0":
        c.sendall(bytes([byte]))
    is_(exact(c, 2), b"\5\0", "egress accepts a greeting that arrives byte by byte")
    for byte in b"\5\1\0\3\x08good.net\0\x50":
        c.sendall(bytes([byte]))
    is_(exact(c, 10), b"\5\0\0\1" + b"\0" * 6,
        "egress accepts a request byte by byte and its reply does not show the address")

w.finish()
done()
