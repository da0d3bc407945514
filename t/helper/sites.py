#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""An Internet of the test's own, inside a network namespace of its own (unshare -Urnm): sites.py DIR

Puts public addresses on lo, with a DNS server (9.9.9.9), HTTP on port 80 and TLS on port 443 of each; and
addresses that no browser may reach, where every packet and connection that arrives is counted. DIR/sites.json:

  {"addresses": ["93.184.216.34", "2606:2800:220:1::34"],      more public addresses (these two are the default)
   "closed": ["10.1.2.4"],                                     more of the others, beyond CLOSED below
   "ours": ["10.9.9.9"],                                       neither: not counted (a proxy of a route)
   "names": {"a.net": {"A": ["93.184.216.34"], "AAAA": [...], "CNAME": "b.net"},
             "rebind.net": {"A": [["93.184.216.34"], ["127.0.0.1"]]},   one list a query, the last for ever
             "many.net": {"A": 2000},                                   so many of 93.184.0.0/16
             "bad.net": {"rcode": 2, "delay": 1.5, "drop": true},       SERVFAIL, seconds, never an answer
             "*.c.net": {...}},                                         what has no entry is NXDOMAIN
   "pages": {"a.net/x": {"status": 302, "headers": {"Location": "http://127.0.0.1/"}, "body": "text"}}}

It is read again when it changes, and the lists of a query begin anew. "names" and "pages" count at once, addresses
at the start alone. A host's files are DIR/www/HOST/PATH. Every site has /echo (the request as JSON), /bytes?n=,
/sink (POST: how many bytes came), /redirect?to=, /ws (WebSocket echo), /hang. The authority of the certificates is
DIR/ca.crt (made if there is none, for every name and address in sites.json at that time).

DIR/resolv.conf is for a bind mount over /etc/resolv.conf; DIR/ready appears when everything listens. Logs, a
JSON object a line: DIR/arrived (what came to a closed address), DIR/access.log, DIR/sent.log (bytes received and sent of a
request that is over), DIR/dns.log."""
import base64, hashlib, http.server, ipaddress, json, mimetypes, os, socket, ssl, struct, subprocess, sys
import threading, time, urllib.parse

DNS = "9.9.9.9"
OPEN = ["93.184.216.34", "2606:2800:220:1::34"]
CLOSED = ["10.1.2.3", "100.64.1.1", "127.0.0.1", "127.9.9.9", "169.254.169.254", "172.16.1.1", "192.168.1.1",
          "198.18.1.1", "168.63.129.16", "::1", "fd00::1", "fd00:ec2::254", "2001:db8::1"]
CLOSED_PORTS = [80, 443, 8080]
TYPES = {1: "A", 5: "CNAME", 28: "AAAA"}
NXDOMAIN = 3


class Config:
    """sites.json as it stands now."""

    def __init__(self, path):
        self.path, self.seen, self.lock = path, None, threading.Lock()
        self.asked, self.data = {}, {}

    def read(self):
        with self.lock:
            try:
                now = os.stat(self.path).st_mtime_ns
                if now != self.seen:
                    with open(self.path, encoding="utf-8") as f:
                        self.data = json.load(f)
                    self.seen, self.asked = now, {}
            except (FileNotFoundError, ValueError):
                pass  # between two states
            return self.data

    def name(self, name):
        names = self.read().get("names", {})
        found = names.get(name)
        while found is None and "." in name:
            name = name.split(".", 1)[1]
            found = names.get("*." + name)
        return found

    def answers(self, name, entry, kind):
        """The list of this query: the nth of a list of lists."""
        given = entry.get(kind, [])
        if isinstance(given, int):
            return ["93.184.%d.%d" % divmod(i, 256) for i in range(given)]
        if given and isinstance(given[0], list):
            with self.lock:
                n = self.asked.get((name, kind), 0)
                self.asked[name, kind] = n + 1
            return given[min(n, len(given) - 1)]
        return given


class Log:
    def __init__(self, path):
        self.file, self.lock = open(path, "a", encoding="utf-8"), threading.Lock()

    def write(self, **row):
        with self.lock:
            self.file.write(json.dumps(row) + "\n")
            self.file.flush()


def thread(fn, *args):
    threading.Thread(target=fn, args=args, daemon=True).start()


# ---- DNS ----

def encode(name):
    return b"".join(bytes([len(part)]) + part.encode("latin-1") for part in name.split(".") if part) + b"\0"


def record(name, kind, value):
    data = {1: lambda: socket.inet_pton(socket.AF_INET, value), 28: lambda: socket.inet_pton(socket.AF_INET6, value),
            5: lambda: encode(value)}[kind]()
    return encode(name) + struct.pack(">HHIH", kind, 1, 0, len(data)) + data


def question(query):
    """Name, type, and the question's bytes."""
    at, parts = 12, []
    while query[at]:
        parts.append(query[at + 1:at + 1 + query[at]].decode("latin-1"))
        at += 1 + query[at]
    return ".".join(parts).lower(), struct.unpack(">H", query[at + 1:at + 3])[0], query[12:at + 5]


def resolve(config, log, query, room):
    """The answer to a query, or None for none."""
    name, kind, asked = question(query)
    log.write(name=name, type=kind)
    records, rcode, at = [], 0, name
    for _ in range(16):
        entry = config.name(at)
        if entry is None:
            rcode = 0 if records else NXDOMAIN
            break
        time.sleep(entry.get("delay", 0))
        if entry.get("drop"):
            return None
        rcode = entry.get("rcode", 0)
        if "CNAME" in entry:
            records.append(record(at, 5, entry["CNAME"]))
            at = entry["CNAME"]
            continue
        if kind in TYPES and not rcode:
            records += [record(at, kind, value) for value in config.answers(at, entry, TYPES[kind])]
        break
    body = b"".join(records)
    head = query[:2] + struct.pack(">HHHHH", 0x8180 | rcode, 1, len(records), 0, 0)
    if len(head) + len(asked) + len(body) > room:
        return query[:2] + struct.pack(">HHHHH", 0x8380, 1, 0, 0, 0) + asked
    return head + asked + body


def dns_udp(config, log):
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind((DNS, 53))

    def answer(query, peer):
        reply = resolve(config, log, query, 512)
        if reply:
            server.sendto(reply, peer)

    def serve():
        while True:
            thread(answer, *server.recvfrom(4096))

    thread(serve)


def dns_tcp(config, log):
    server = socket.create_server((DNS, 53), backlog=64)

    def answer(connection):
        with connection, connection.makefile("rb") as stream:
            while len(head := stream.read(2)) == 2:
                reply = resolve(config, log, stream.read(struct.unpack(">H", head)[0]), 65535)
                if reply:
                    connection.sendall(struct.pack(">H", len(reply)) + reply)

    def serve():
        while True:
            thread(answer, server.accept()[0])

    thread(serve)


# ---- sites ----

class Counted:
    """A file, and how many bytes were written to it."""

    def __init__(self, file):
        self.file, self.n = file, 0

    def write(self, data):
        self.n += len(data)
        return self.file.write(data)

    def __getattr__(self, name):
        return getattr(self.file, name)


class Site(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "sites", ""
    where, config, access, sent = "", None, None, None

    def log_message(self, *args):
        pass

    def reply(self, status, body=b"", headers=None, kind="text/html; charset=utf-8"):
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except OSError:  # the browser went away
            self.close_connection = True

    def do_GET(self):
        wfile, self.wfile = self.wfile, Counted(self.wfile)
        try:
            self.answer()
        finally:
            self.sent.write(path=self.path, received=len(self.raw_requestline) + len(b"\r\n") +
                            sum(len(k) + len(v) + len(b": \r\n") for k, v in self.headers.items()) +
                            int(self.headers.get("Content-Length", "0")), sent=self.wfile.n)
            self.wfile = wfile

    def answer(self):
        host = (self.headers.get("Host") or "").rsplit(":", 1)[0] if "]" not in (self.headers.get("Host") or "") \
            else self.headers["Host"].split("]")[0].strip("[")
        url = urllib.parse.urlsplit(self.path)
        args = dict(urllib.parse.parse_qsl(url.query))
        request = {"host": host, "method": self.command, "path": self.path, "peer": self.client_address[0],
                   "site": self.connection.getsockname()[0], "tls": isinstance(self.connection, ssl.SSLSocket),
                   "headers": dict(self.headers.items())}
        self.access.write(**request)
        if self.command != "HEAD" and url.path != "/sink":
            self.rfile.read(int(self.headers.get("Content-Length", "0")))
        page = self.config.read().get("pages", {}).get(host + url.path)
        own = getattr(self, "own_" + url.path.strip("/"), None)
        file = os.path.normpath(os.path.join(self.where, "www", host, url.path.strip("/") or "index.html"))
        if page:
            self.reply(page.get("status", 200), page.get("body", "").encode(), page.get("headers"))
        elif own:
            own(args, request)
        elif file.startswith(self.where + "/www/") and os.path.isfile(file):
            with open(file, "rb") as f:
                self.reply(200, f.read(), kind=mimetypes.guess_type(file)[0] or "text/html")
        else:
            self.reply(404, b"no such page\n")

    do_POST = do_PUT = do_HEAD = do_OPTIONS = do_GET

    def own_echo(self, _args, request):
        self.reply(200, json.dumps(request).encode(), {"Access-Control-Allow-Origin": "*"}, "application/json")

    def own_bytes(self, args, _request):
        left, block = int(args.get("n", "1000")), b"0123456789abcdef" * 4096
        self.send_response(200)
        self.send_header("Content-Length", str(left))
        self.end_headers()
        while left > 0:
            self.wfile.write(block[:left])
            left -= len(block[:left])

    def own_sink(self, _args, _request):
        left, n = int(self.headers.get("Content-Length", "0")), 0
        while n < left and (got := self.rfile.read(min(65536, left - n))):
            n += len(got)
        self.reply(200, b"%d\n" % n)

    def own_redirect(self, args, _request):
        self.reply(int(args.get("code", "302")), headers={"Location": args["to"]})

    def own_hang(self, _args, _request):
        self.rfile.read(1)

    def own_ws(self, _args, _request):
        key = self.headers.get("Sec-WebSocket-Key", "") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        for name, value in (("Upgrade", "websocket"), ("Connection", "Upgrade"),
                            ("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())):
            self.send_header(name, value)
        self.end_headers()
        self.close_connection = True
        while len(head := self.rfile.read(2)) == 2:  # short frames alone
            mask, data = self.rfile.read(4), self.rfile.read(head[1] & 127)
            self.wfile.write(bytes([head[0], len(data)]) + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))
            if head[0] & 15 == 8:
                break


def family(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def listen(address, port):
    server = socket.socket(family(address), socket.SOCK_STREAM)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if ":" in address:
        server.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    server.bind((address, port))
    server.listen(1024)
    return server


def serve_site(handler, address, context):
    server = http.server.ThreadingHTTPServer((address, 443 if context else 80), handler, bind_and_activate=False)
    server.socket.close()
    server.daemon_threads = True
    server.socket = listen(address, 443 if context else 80)

    def handshake(request, peer):
        try:
            request = context.wrap_socket(request, server_side=True)
        except OSError:
            request.close()
            return
        http.server.ThreadingHTTPServer.process_request_thread(server, request, peer)

    if context:
        server.process_request_thread = handshake
    thread(server.serve_forever)


def certificate(where, names, addresses):
    """An authority, and one certificate for all."""
    if not os.path.exists(where + "/ca.crt"):
        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-days", "30"]
        run = lambda *args: subprocess.run(["openssl", *args], cwd=where, check=True, capture_output=True)
        run("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=the test's authority",
            "-addext", "basicConstraints=critical,CA:TRUE")
        run("req", *key[:-2], "-keyout", "site.key", "-out", "site.csr", "-subj", "/CN=the test's sites")
        with open(where + "/site.ext", "w", encoding="utf-8") as f:
            f.write("subjectAltName=" + ",".join(["DNS:" + n for n in names] + ["IP:" + a for a in addresses]) +
                    "\nextendedKeyUsage=serverAuth\n")
        run("x509", "-req", "-in", "site.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-set_serial", "1", "-days", "30",
            "-extfile", "site.ext", "-out", "site.crt")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(where + "/site.crt", where + "/site.key")
    return context


# ---- what must not arrive ----

def count_connections(log, address):
    def serve(server, port):
        while True:
            connection, peer = server.accept()
            log.write(what="connection", to=address, port=port, peer=peer[0])
            connection.close()

    for port in CLOSED_PORTS:
        thread(serve, listen(address, port), port)


def is_closed(address, extra, ours):
    ip = ipaddress.ip_address(address)
    if address in ours or ip.is_multicast:
        return False
    return not ip.is_global or address in CLOSED or address in extra


def count_packets(log, extra, ours):
    """Every packet on lo whose destination is closed."""
    tap = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(3))

    def serve():
        while True:
            packet, where = tap.recvfrom(2048)
            if where[2] == socket.PACKET_OUTGOING or not packet:
                continue
            if packet[0] >> 4 == 4:
                to, protocol, ports = socket.inet_ntop(socket.AF_INET, packet[16:20]), packet[9], packet[20:24]
            else:
                to, protocol, ports = socket.inet_ntop(socket.AF_INET6, packet[24:40]), packet[6], packet[40:44]
            if is_closed(to, extra, ours):
                log.write(what="packet", to=to, protocol=protocol, port=struct.unpack(">HH", ports)[1])

    thread(serve)


def main():
    where = os.path.abspath(sys.argv[1])
    config = Config(where + "/sites.json")
    data = config.read()
    names, extra, ours = list(data.get("names", {})), data.get("closed", []), data.get("ours", [])
    sites = list(dict.fromkeys(OPEN + data.get("addresses", [])))
    arrived = Log(where + "/arrived")
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    for address in [DNS, *sites, *CLOSED, *extra, *ours]:
        subprocess.run(["ip", "address", "add", address + ("/128" if ":" in address else "/32"), "dev", "lo",
                        *(["nodad"] if ":" in address else [])], check=False, capture_output=True)
    with open(where + "/resolv.conf", "w", encoding="utf-8") as f:
        f.write("nameserver %s\n" % DNS)
    count_packets(arrived, extra, ours)
    for address in CLOSED + extra:
        count_connections(arrived, address)
    log = Log(where + "/dns.log")
    dns_udp(config, log)
    dns_tcp(config, log)
    handler = type("Handler", (Site,), {"where": where, "config": config, "access": Log(where + "/access.log"),
                                       "sent": Log(where + "/sent.log")})
    context = certificate(where, names, sites)
    for address in sites:
        serve_site(handler, address, None)
        serve_site(handler, address, context)
    with open(where + "/ready", "w", encoding="utf-8"):
        pass
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    main()
