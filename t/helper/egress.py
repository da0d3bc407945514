# SPDX-License-Identifier: ISC
"""What the tests of surfaced-egress need: a namespace of their own with sites.py in it, the daemon, a stand-in for
the dispatcher, browsers' empty namespaces with a SOCKS client, TAP. A script calls enter() first."""
import atexit, contextlib, ctypes, fcntl, json, os, re, shutil, signal, socket, struct, subprocess, sys, tempfile
import threading, time, uuid

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("TOP_BUILDDIR", TOP)
CLONE_NEWNET = 0x40000000
PATIENCE = 300  # seconds for what comes at once where nothing else runs
libc = ctypes.CDLL(None, use_errno=True)


# ---- TAP ----

class Tap:
    n = bad = 0
    ended = False


def ok(good, title, *more):
    Tap.n += 1
    Tap.bad += not good
    print("%sok %d - %s" % ("" if good else "not ", Tap.n, title))
    if not good:
        for text in more:
            print("# " + str(text).replace("\n", "\n# "))
    sys.stdout.flush()
    return good


def is_(got, wanted, title):
    return ok(got == wanted, title, "got:    %r" % (got,), "wanted: %r" % (wanted,))


def diag(text):
    print("# " + str(text).replace("\n", "\n# "), flush=True)


def skip_all(why):
    print("1..0 # SKIP " + why)
    sys.exit(0)


def enter():
    """Goes on in namespaces of its own, as their root."""
    if os.environ.get("EGRESS_TEST_INSIDE") != "1":
        if subprocess.run(["unshare", "-Urnm", "true"], stderr=subprocess.DEVNULL, check=False).returncode:
            skip_all("this machine forbids user namespaces")
        os.environ["EGRESS_TEST_INSIDE"] = "1"
        os.execvp("unshare", ["unshare", "-Urnm", sys.executable, *sys.argv])


def done():
    """The plan, and this process's status."""
    Tap.ended = True
    print("1..%d" % Tap.n, flush=True)
    sys.exit(Tap.bad > 0)


def until(condition, seconds=PATIENCE):
    """Polls; the last value of condition()."""
    end = time.monotonic() + seconds
    while not (value := condition()) and time.monotonic() < end:
        time.sleep(0.01)
    return value


# ---- namespaces ----

def up():
    """Sets lo up in the namespace of this thread."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        fcntl.ioctl(s, 0x8914, struct.pack("16sH14x", b"lo", 0x41))


class Namespace:
    """An empty network namespace with lo, as a browser's."""

    def __init__(self):
        self.fd = None
        self.run(lambda: None)

    def run(self, fn):
        """fn() in a thread that lives there: its sockets are of that namespace for ever."""
        result = []

        def body():
            try:
                if self.fd is None:
                    if libc.unshare(CLONE_NEWNET):
                        raise OSError(ctypes.get_errno(), "unshare")
                    up()
                    self.fd = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
                elif libc.setns(self.fd, CLONE_NEWNET):
                    raise OSError(ctypes.get_errno(), "setns")
                result.append((fn(), None))
            except Exception as e:  # pylint: disable=broad-except
                result.append((None, e))

        t = threading.Thread(target=body)
        t.start()
        t.join()
        value, error = result[0]
        if error:
            raise error
        return value


# ---- processes ----

class World:
    """The folder, sites.py, the daemon, and one dispatcher."""

    def __init__(self, sites=None, conf=""):
        self.dir = tempfile.mkdtemp(prefix="t.", dir="/tmp")
        self.sites_process = self.daemon = self.dispatcher = None
        self.logs = []
        atexit.register(self.end)
        for name in ("run", "secrets"):
            os.mkdir(self.path(name), 0o755)
        self.write("sites.json", json.dumps(sites or {}))
        self.conf(conf)
        self.sites_process = subprocess.Popen([sys.executable, TOP + "/t/helper/sites.py", self.dir])
        if not until(lambda: os.path.exists(self.path("ready"))):
            raise SystemExit("Bail out! sites.py is not ready")

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, text, mode=0o644):
        with open(self.path(name), "w", encoding="utf-8", opener=lambda p, f: os.open(p, f, mode)) as f:
            f.write(text)

    def read(self, name):
        try:
            with open(self.path(name), encoding="utf-8", errors="replace") as f:
                return f.read()
        except FileNotFoundError:
            return ""

    def conf(self, more=""):
        self.write("egress.conf", "run_directory = %s\negress_secrets = %s\negress_dns = 9.9.9.9\n%s" %
                   (self.path("run"), self.path("secrets"), more))

    def sites(self, data):
        """New answers."""
        self.write("sites.new", json.dumps(data))
        os.rename(self.path("sites.new"), self.path("sites.json"))

    def start(self):
        """The daemon; and a dispatcher that is connected."""
        with open(self.path("egress.log"), "a", encoding="utf-8") as log:
            self.daemon = subprocess.Popen([BUILD + "/surfaced-egress", "-c", self.path("egress.conf")], stderr=log)
        self.dispatcher = Dispatcher(self.path("run/egress.sock"))
        return self.dispatcher

    def worker(self):
        """The pid of the process that does the work."""
        pids = subprocess.run(["pgrep", "-P", str(self.daemon.pid)], stdout=subprocess.PIPE, text=True,
                              check=False).stdout.split()
        return int(pids[0]) if pids else None

    def stop(self):
        if self.daemon:
            self.daemon.terminate()
            self.daemon.wait(PATIENCE)
            self.daemon = None

    def arrived(self):
        """What came to a closed address."""
        return self.read("arrived").splitlines()

    def faults(self):
        """What no sound log holds."""
        return [line for line in self.read("egress.log").splitlines()
                if re.search("panic|Sanitizer|runtime error", line)]

    def finish(self):
        """The tests that every script ends with."""
        self.stop()
        is_(self.arrived()[:5], [], "no packet and no connection arrived at a closed address (C-095)")
        is_(self.faults(), [], "no panic and no sanitizer report in the log")

    def end(self):
        for process in (self.daemon, self.sites_process):
            if process:
                process.kill()
                process.wait()
        if not Tap.ended:
            ok(False, "the script came to its end")
        if os.environ.get("KEEP"):
            diag("kept: " + self.dir)
        else:
            shutil.rmtree(self.dir)


class Dispatcher:
    """One connection to egress, and what it has said."""

    def __init__(self, path):
        self.said, self.closed = [], False
        self.link = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)

        def connected():
            try:
                self.link.connect(path)
                return True
            except (FileNotFoundError, ConnectionRefusedError):
                return False

        if not until(connected):
            raise SystemExit("Bail out! egress does not listen")
        threading.Thread(target=self.hear, daemon=True).start()

    def hear(self):
        with contextlib.suppress(OSError):
            while packet := self.link.recv(65536):
                name, _, doc = packet.decode().partition(" ")
                self.said.append((name, json.loads(doc)))
        self.closed = True

    def send(self, name, doc, fd=None):
        packet = ("%s %s" % (name, json.dumps(doc))).encode()
        socket.send_fds(self.link, [packet], [] if fd is None else [fd])

    def wait(self, want, seconds=PATIENCE):
        """The first thing said for which want(name, doc); None at the deadline."""
        return until(lambda: next((d for n, d in list(self.said) if want(n, d)), None), seconds)

    def traffic(self, session, host, port=None, seconds=PATIENCE):
        """The newest line about a host, when there is one."""
        return until(lambda: next((d for n, d in reversed(list(self.said)) if n == "traffic" and
                                   d["session"] == session and d.get("host") == host and port in (None, d["port"])),
                                  None), seconds)

    def probe(self, target, port=80, route=None):
        name = str(uuid.uuid4())
        self.send("probe", {"id": name, "kind": "direct", **(route or {}), "target_host": target, "target_port": port})
        return self.wait(lambda n, d: n == "probed" and d["id"] == name)

    def close(self):
        self.link.shutdown(socket.SHUT_RDWR)
        self.link.close()


class Session:
    """A browser's namespace and its SOCKS5 socket."""

    def __init__(self, dispatcher, **route):
        self.id, self.route, self.patience = str(uuid.uuid4()), {"kind": "direct", **route}, PATIENCE
        self.namespace = Namespace()
        self.listener = self.namespace.run(lambda: socket.create_server(("127.0.0.1", 1080), backlog=512))
        self.open(dispatcher)

    def open(self, dispatcher):
        self.dispatcher = dispatcher
        dispatcher.send("open", {"session": self.id, **self.route}, self.listener.fileno())

    def plain(self, patience=None):
        """A connection before it greets."""
        s = self.namespace.run(lambda: socket.create_connection(("127.0.0.1", 1080), patience or self.patience))
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return s

    def ask(self, host, port=80, kind=None, command=1):
        """Greets and asks: the code of the reply and the connection. host: a name, or bytes as they are sent."""
        s = self.plain()
        s.sendall(b"\5\1\0")
        if exact(s, 2) != b"\5\0":
            return None, s
        if isinstance(host, str):
            kind, host = 3, bytes([len(host)]) + host.encode("latin-1")
        s.sendall(bytes([5, command, 0, kind]) + host + struct.pack(">H", port))
        reply = exact(s, 10)
        return (reply[1] if len(reply) == 10 else None), s

    def lines(self):
        """What the dispatcher has heard of this session."""
        return [d for n, d in list(self.dispatcher.said) if n == "traffic" and d["session"] == self.id]

    @contextlib.contextmanager
    def heard(self):
        """What is asked within: the dispatcher has heard of it behind."""
        tries = lambda: sum(line["count"] for line in self.lines())
        before = tries()
        yield
        until(lambda: tries() > before)

    def code(self, host, port=80, **more):
        """The code of the reply."""
        with self.heard():
            code, s = self.ask(host, port, **more)
            s.close()
        return code

    def get(self, host, path="/echo", port=80):
        """Body of an HTTP answer, read to the end."""
        with self.heard():
            code, s = self.ask(host, port)
        with s:
            if code:
                return None
            s.sendall(("GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n" % (path, host)).encode())
            data = rest(s)
        return data.partition(b"\r\n\r\n")[2]

    def why(self, host, port=80):
        """Asks: event and reason that the dispatcher hears."""
        while True:
            self.code(host, port)
            line = self.lines()[-1]
            if line.get("reason") != "more":
                return line["event"], line.get("reason", "")


def exact(s, n):
    """n bytes, or what there was before the end."""
    data = b""
    with contextlib.suppress(ConnectionError):
        while len(data) < n and (got := s.recv(n - len(data))):
            data += got
    return data


def rest(s):
    data = []
    while got := s.recv(1 << 20):
        data.append(got)
    return b"".join(data)


class Server:
    """A TCP server in this process; serve(connection) runs in a thread for each."""

    def __init__(self, serve, address="93.184.216.34", port=0):
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind((address, port))
        self.socket.listen(1024)
        self.address, self.port = self.socket.getsockname()[:2]
        self.serve, self.connections = serve, 0
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.socket.accept()
            self.connections += 1
            threading.Thread(target=self.guard, args=(connection,), daemon=True).start()

    def guard(self, connection):
        with connection, contextlib.suppress(OSError):
            self.serve(connection)


def rss(pid):
    """Bytes of memory of a process that are its own."""
    with open("/proc/%d/smaps_rollup" % pid, encoding="utf-8") as f:
        return sum(int(line.split()[1]) for line in f if line.startswith("Private_")) * 1024
