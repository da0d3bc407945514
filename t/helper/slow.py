# SPDX-License-Identifier: ISC
"""Clients that never end what they begin, and a client with a key beside them; t/helper/slow-world.sh has their nginx.

slow.py attack CONNECTIONS ADDRESSES
    opens that many connections from that many addresses, half of them IPv4 and half networks of IPv6, and opens
    each again when nginx closes it. Prints "ready" when every connection has sent its first bytes, and one line of
    JSON when standard input ends: connections opened, and answers received by their status.
slow.py silent
    opens one connection of each kind, sends its first bytes and nothing more, and waits until nginx closes it.
    Prints the kinds that are still open after a minute.
slow.py measure ROUNDS
    sends each request of MEASURED that often, one after another, from an address of its own. Prints JSON: the
    median and the 99th percentile in milliseconds, and the answers by request and status.

W, KEY and P (the project) come from the environment. The address of a client is the one in the line of the PROXY
protocol that it sends before the first byte of TLS or HTTP: nginx knows it from the beginning, as with TCP."""
import asyncio
import collections
import contextlib
import json
import os
import random
import resource
import socket
import ssl
import sys
import time

W, KEY, P = (os.environ.get(name, "") for name in ("W", "KEY", "P"))
API = "/api/v1"
SEARCH = ("POST", API + "/search/hosts/aggregate")
OTHER = ("POST", API + f"/projects/{P}/alerting/silences")
STREAM = ("GET", API + f"/projects/{P}/sessions/{P}/stream")
UPGRADE = ("Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
           "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: surfaced.stream.v1.x\r\n")
JSON_TYPE = "Content-Type: application/json\r\n"
STREAMS = 100  # requests of one HTTP/2 connection
TRICKLE_S = 2  # between two bytes of a trickling client
REOPEN_S = 5  # at most: connections that return all at once would measure the cost of TLS handshakes
SILENT_S = 60


# ---- what a slow client sends first ----

def head(target, fields):
    return f"{target[0]} {target[1]} HTTP/1.1\r\nHost: localhost\r\n{fields}".encode()


def body_begun(target):
    return head(target, (UPGRADE if target is STREAM else JSON_TYPE) + "Content-Length: 30000\r\n\r\n")


def chunk_begun(target):
    return head(target, JSON_TYPE + "Transfer-Encoding: chunked\r\n\r\n7000\r\n")


def head_begun(target):
    return head(target, (UPGRADE if target is STREAM else "") + "X-Slow: ")


def length(n):
    return bytes([n]) if n < 127 else bytes([127, n - 127])


def frame(kind, flags, stream, payload):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def h2_headers(target, stream, flags):
    """A HEADERS frame of literal fields; HPACK allows them without a table."""
    fields = {":method": target[0], ":scheme": "https", ":authority": "localhost", ":path": target[1]}
    block = b"".join(b"\0" + length(len(n)) + n.encode() + length(len(v)) + v.encode() for n, v in fields.items())
    return frame(1, flags, stream, block)


def h2_begun(target, streams, flags):
    preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, b"")
    return preface + b"".join(h2_headers(target, 2 * n + 1, flags) for n in range(streams))


def h2_bodies(target):
    return h2_begun(target, STREAMS, 0x4)  # END_HEADERS without END_STREAM: a body would follow


def h2_head(target):
    return h2_begun(target, 1, 0)  # CONTINUATION would follow


def hello_begun(_target):
    return bytes.fromhex("16030102000100")  # a record of 512 bytes, of which none follows


# socket, ALPN (None: no TLS of ours), first bytes, whether a byte follows now and then
KINDS = [("proxied", "http/1.1", body_begun, True), ("proxied", "http/1.1", chunk_begun, True),
         ("proxied", "http/1.1", head_begun, True), ("proxied", "h2", h2_bodies, False),
         ("proxied", "h2", h2_head, False)]
SLOW = [(*kind, target) for target in (SEARCH, OTHER, STREAM) for kind in KINDS]
SLOW += [("proxied", None, hello_begun, False, SEARCH), ("proxied-plain", None, head_begun, True, SEARCH),
         ("proxied-plain", None, body_begun, True, OTHER)]


# ---- connections ----

def address(n, addresses):
    """Each second one is an IPv6 network, whose clients have an address each."""
    client = n % addresses
    return f"2001:db8:0:{client:x}::{n:x}" if client % 2 else f"192.0.2.{client + 1}"


def proxied_socket(name, client):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(120)
    s.connect(f"{W}/run/{name}.sock")
    family, server = ("TCP6", "2001:db8:ffff::1") if ":" in client else ("TCP4", "198.51.100.1")
    s.sendall(f"PROXY {family} {client} {server} 50000 443\r\n".encode())
    return s


def tls(protocol):
    context = ssl.create_default_context(cafile=W + "/ca.crt")
    context.set_alpn_protocols([protocol])
    return context


class Attack:
    def __init__(self, connections, addresses):
        self.connections, self.addresses = connections, addresses
        self.contexts = {protocol: tls(protocol) for protocol in ("http/1.1", "h2")}
        self.opened, self.standing, self.answers = 0, set(), collections.Counter()
        self.ready = asyncio.Event()

    async def hold(self, n, trickle_s=TRICKLE_S):
        name, protocol, begin, trickles, target = SLOW[n // self.addresses % len(SLOW)]
        s = proxied_socket(name, address(n, self.addresses))
        s.setblocking(False)
        more = {"ssl": self.contexts[protocol], "server_hostname": "localhost"} if protocol else {}
        reader, writer = await asyncio.open_unix_connection(sock=s, **more)
        writer.write(begin(target))
        self.opened += 1
        self.standing.add(n)
        if len(self.standing) == self.connections:
            self.ready.set()
        try:
            while True:
                try:
                    data = await asyncio.wait_for(reader.read(65536), trickle_s if trickles else None)
                except TimeoutError:
                    writer.write(b"x")
                    continue
                if not data:
                    return
                if data.startswith(b"HTTP/1.1 "):
                    self.answers[data[9:12].decode()] += 1
        finally:
            writer.close()

    async def hold_always(self, n):
        while True:
            with contextlib.suppress(OSError):
                await self.hold(n)
            await asyncio.sleep(random.uniform(0, REOPEN_S))

    async def run(self):
        held = [asyncio.create_task(self.hold_always(n)) for n in range(self.connections)]
        await self.ready.wait()
        print("ready", flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
        for task in held:
            task.cancel()
        print(json.dumps({"opened": self.opened, "answers": self.answers}), flush=True)
        os._exit(0)


async def closed(attack, number):
    """Whether nginx closes a connection of that kind; it may reset it."""
    try:
        await asyncio.wait_for(attack.hold(number, trickle_s=None), SILENT_S)
    except TimeoutError:
        return False
    except OSError:
        pass
    return True


async def silent():
    attack = Attack(0, 1)
    ends = await asyncio.gather(*(closed(attack, number) for number in range(len(SLOW))))
    for (_, protocol, begin, _, target), end in zip(SLOW, ends):
        if not end:
            print(begin.__name__, protocol, target[1])


# ---- the client with a key ----

AGGREGATE = b'{"aggregations":[{"field":"services.port"}]}'
WITH_KEY = f"X-API-Key: {KEY}\r\n"
MEASURED = {
    "count": (head(("GET", API + "/search/hosts/count"), WITH_KEY + "\r\n"), "200"),
    "aggregate": (head(SEARCH, f"{WITH_KEY}{JSON_TYPE}Content-Length: {len(AGGREGATE)}\r\n\r\n") + AGGREGATE, "200"),
    "usage": (head(("GET", API + "/usage"), WITH_KEY + "\r\n"), "200"),
    # The ticket is no good, so 401 is what surfaced-stream itself answers.
    "upgrade": (head(STREAM, UPGRADE + "\r\n"), "401"),
}


def ask(context, request):
    """On a connection of its own, which costs a handshake: clients that come anew must get in too."""
    begun = time.monotonic()
    with context.wrap_socket(proxied_socket("proxied", "203.0.113.9"), server_hostname="localhost") as s:
        s.sendall(request)
        status = s.recv(65536)[9:12].decode()
    return (time.monotonic() - begun) * 1000, status


def measure(rounds):
    context, times, answers, refused = tls("http/1.1"), [], collections.Counter(), 0
    for name, (request, wanted) in list(MEASURED.items()) * rounds:
        try:
            took, status = ask(context, request)
        except OSError as e:
            took, status = 0, type(e).__name__
        times.append(took)
        answers[f"{name} {status or 'closed'}"] += 1
        refused += status != wanted
    times.sort()
    print(json.dumps({"p50": round(times[len(times) // 2], 2), "p99": round(times[int(len(times) * 0.99)], 2),
                      "requests": len(times), "refused": refused, "answers": answers}))


def main():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if sys.argv[1] == "attack":
        asyncio.run(Attack(int(sys.argv[2]), int(sys.argv[3])).run())
    elif sys.argv[1] == "silent":
        asyncio.run(silent())
    else:
        measure(int(sys.argv[2]))


main()
