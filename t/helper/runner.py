# SPDX-License-Identifier: ISC
"""What the tests of surfaced-runner need: a stand-in of the dispatcher in front of a real egress, a real runner with
a real browser, and a viewer. A script calls enter(sites) first."""
import base64, contextlib, glob, hashlib, json, os, shutil, signal, socket, struct, subprocess, sys, threading, time
import urllib.parse, uuid

from egress import BUILD, PATIENCE, TOP, Dispatcher as Egress, Tap, diag, done, is_, ok, skip_all, until  # noqa: F401

LEASE_MS = 15000
LOG = ("shot", "net", "truncated")
CHROMIUM = "/usr/lib/chromium/chromium-headless-shell"


def enter(sites=None):
    """Goes on in the world of t/helper/browser-world."""
    if "BROWSER_WORLD" in os.environ:
        return
    for program in (CHROMIUM, "/usr/bin/bwrap"):
        if not os.access(program, os.X_OK):
            skip_all("there is no " + program)
    os.environ["SITES"] = json.dumps(sites or {})
    world = os.path.join(TOP, "t/helper/browser-world")
    os.execv(world, [world, sys.executable, *sys.argv])


def browsers():
    """The pids of everything that belongs to a browser."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        with contextlib.suppress(OSError), open(path, "rb") as f:
            if b"chromium-headless-shell" in f.read():
                found.append(int(path.split("/")[2]))
    return found


def trusting_browser():
    """Chromium, but with trust in the certificates of sites.py: the path of a script."""
    world = os.environ["BROWSER_WORLD"]
    der = subprocess.run("openssl x509 -in %s/site.crt -pubkey -noout | openssl pkey -pubin -outform der" % world,
                         shell=True, check=True, capture_output=True).stdout
    os.makedirs(world + "/browser", exist_ok=True)
    path = world + "/browser/trusting"
    with open(path, "w", encoding="utf-8", opener=lambda p, f: os.open(p, f, 0o755)) as f:
        f.write("#!/bin/sh\nexec %s --ignore-certificate-errors-spki-list=%s \"$@\"\n" %
                (CHROMIUM, base64.b64encode(hashlib.sha256(der).digest()).decode()))
    return path


def access():
    """What has come to the sites."""
    with open(os.path.join(os.environ["BROWSER_WORLD"], "access.log"), encoding="utf-8") as f:
        return [json.loads(line) for line in f]


class Dispatch:
    """R/dispatch.sock, egress, and the sessions that connect."""

    def __init__(self, conf=""):
        self.dir = os.path.join(os.environ["BROWSER_WORLD"], "host")
        self.run = os.path.join(self.dir, "run")
        self.sessions, self.conf_file = {}, os.path.join(self.dir, "runner.conf")
        self.egress_process = self.egress = None
        os.makedirs(os.path.join(self.dir, "secrets"))
        os.mkdir(self.run)
        self.egress_file = os.path.join(self.dir, "egress.conf")
        with open(self.conf_file, "w", encoding="utf-8") as f:
            f.write("run_directory = %s\n%s" % (self.run, conf))
        with open(self.egress_file, "w", encoding="utf-8") as f:
            f.write("run_directory = %s\negress_secrets = %s/secrets\negress_dns = 9.9.9.9\n" % (self.run, self.dir))
        self.log = open(os.path.join(self.dir, "log"), "a", encoding="utf-8")
        self.listen()
        threading.Thread(target=self.keep_leases, daemon=True).start()

    def listen(self):
        path = os.path.join(self.run, "dispatch.sock")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.bind(path)
        self.socket.listen()
        threading.Thread(target=self.accept, args=(self.socket,), daemon=True).start()

    def deaf(self):
        """As if it were away: its connections are gone, and there are no new ones."""
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        os.unlink(os.path.join(self.run, "dispatch.sock"))
        for s in self.sessions.values():
            s.hang_up()

    def start_egress(self):
        self.egress_process = subprocess.Popen([BUILD + "/surfaced-egress", "-c", self.egress_file], stderr=self.log)
        self.egress = Egress(os.path.join(self.run, "egress.sock"))
        threading.Thread(target=self.forward, daemon=True).start()

    def forward(self):
        """What egress says of a session, to its runner."""
        told = 0
        while not self.egress.closed or told < len(self.egress.said):
            while told < len(self.egress.said):
                name, doc = self.egress.said[told]
                told += 1
                s = self.sessions.get(doc.get("session"))
                if name == "traffic" and s:
                    s.send("egress", {k: doc[k] for k in ("event", "host", "port", "address", "reason") if k in doc})
            time.sleep(0.005)

    def accept(self, listener):
        with contextlib.suppress(OSError):
            while True:
                link = listener.accept()[0]
                threading.Thread(target=self.hear, args=(link,), daemon=True).start()

    def hear(self, link):
        session = None
        with contextlib.suppress(OSError):
            while True:
                packet, fds, _, _ = socket.recv_fds(link, 65536, 4)
                if not packet:
                    break
                name, _, text = packet.decode().partition(" ")
                doc = json.loads(text or "{}")
                if name == "hello":
                    session = self.sessions[doc["session"]]
                    session.link = link
                session.hear(name, doc, fds[0] if fds else None)
        if session and session.link is link:
            session.link = None

    def keep_leases(self):
        while True:
            for s in list(self.sessions.values()):
                if s.renewed:
                    s.send("lease", {"ms": LEASE_MS})
            time.sleep(2)

    def create(self, url, **more):
        s = Session(self, url, **more)
        self.sessions[s.id] = s
        s.start()
        return s

    def logged(self):
        self.log.flush()
        with open(os.path.join(self.dir, "log"), encoding="utf-8") as f:
            return f.read()

    def finish(self):
        """The tests that every script ends with."""
        for s in self.sessions.values():
            if s.process.poll() is None:
                s.close()
        faults = [line for line in self.logged().splitlines()
                  if any(word in line for word in ("panic", "Sanitizer", "runtime error"))]
        is_(faults, [], "no panic and no sanitizer report in the log")
        is_(until(lambda: not browsers()) and [] or browsers(), [], "no browser is left")
        with open(os.path.join(os.environ["BROWSER_WORLD"], "arrived"), encoding="utf-8") as f:
            is_(f.read(), "", "nothing arrived at an address that no browser may reach (C-095)")
        if self.egress_process:
            self.egress_process.terminate()
            self.egress_process.wait(PATIENCE)
        if os.environ.get("KEEP"):
            shutil.copytree(self.dir, os.environ["KEEP"], dirs_exist_ok=True,
                            ignore=lambda d, names: [n for n in names if n.endswith(".sock")])
        done()


class Session:
    """One runner, as the dispatcher sees it."""

    def __init__(self, dispatch, url, **job):
        self.dispatch, self.id, self.epoch = dispatch, str(uuid.uuid4()), 1
        self.job = {"session": self.id, "epoch": 1, "start_url": url, "profile": "windows", "width": 1280,
                    "height": 720, "country": "DE", "lifetime_ms": 1800000, "idle_ms": 300000, "lease_ms": LEASE_MS,
                    **job}
        self.said, self.shots, self.events = [], [], []
        self.renewed, self.link, self.process, self.stores, self.answers = True, None, None, True, True
        self.logged, self.answered, self.silent, self.starts = 0, 0, False, 0

    def start_again(self):
        """As the dispatcher does with a browser that a slow machine did not bring up in time."""
        self.process.wait()
        self.said, self.shots, self.events, self.logged, self.answered = [], [], [], 0, 0
        self.start()

    def start(self):
        self.starts += 1
        self.began = time.monotonic()
        ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with its:
            self.process = subprocess.Popen([BUILD + "/surfaced-runner", "-c", self.dispatch.conf_file],
                                            stderr=self.dispatch.log, stdin=its)
        self.link = ours
        self.send("job", self.job)
        threading.Thread(target=self.dispatch.hear, args=(ours,), daemon=True).start()

    def hear(self, name, doc, fd):
        doc["heard"] = time.monotonic()
        if name == "ended" and doc["detail"] == "the browser did not come up in time" and self.starts < 10:
            threading.Thread(target=self.start_again, daemon=True).start()
            return
        if name == "socks" and self.dispatch.egress:
            self.dispatch.egress.send("open", {"session": self.id, "kind": "direct"}, fd)
        elif name == "ready":
            self.send("running", {"expires_in_ms": self.job["lifetime_ms"]})
        elif name in LOG and self.stores:
            self.log(name, doc, fd)
        self.said.append((name, doc))
        if fd is not None:
            os.close(fd)

    def log(self, name, doc, fd):
        """Stored, once: what has a number that has been is only answered."""
        if doc["seq"] > self.logged and name == "shot":
            doc["image"] = os.pread(fd, os.fstat(fd).st_size, 0)
            with contextlib.suppress(PermissionError, OSError):
                os.pwrite(fd, b"x", 0)
                doc["image"] = None
            self.shots.append(doc)
        elif doc["seq"] > self.logged and name == "net":
            self.events += doc["events"]
        self.logged = max(self.logged, doc["seq"])
        if self.answers:
            self.answered = doc["seq"]
            self.send("logged", {"seq": doc["seq"]})

    def send(self, name, doc=None):
        link = self.link
        if link and not self.silent:
            with contextlib.suppress(OSError):
                link.send(("%s %s" % (name, json.dumps(doc)) if doc is not None else name).encode())

    def hang_up(self):
        if self.link:
            with contextlib.suppress(OSError):
                self.link.shutdown(socket.SHUT_RDWR)

    def wait(self, name, want=lambda doc: True, seconds=PATIENCE):
        """The first of this name that is as wanted; None at the deadline."""
        return until(lambda: next((d for n, d in list(self.said) if n == name and want(d)), None), seconds)

    def shot(self, reason, want=lambda doc: True, seconds=PATIENCE):
        return until(lambda: next((s for s in list(self.shots) if s["reason"] == reason and want(s)), None), seconds)

    def event(self, kind, want=lambda doc: True, seconds=PATIENCE):
        return until(lambda: next((e for e in list(self.events) if e["kind"] == kind and want(e)), None), seconds)

    def close(self, reason="closed_by_creator"):
        """Ended as it says, and the process is gone."""
        self.send("close", {"reason": reason})
        ended = self.wait("ended")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(PATIENCE)
        return ended

    def keep(self, doc, name):
        """A picture for people, where KEEP says."""
        if os.environ.get("KEEP"):
            os.makedirs(os.environ["KEEP"], exist_ok=True)
            with open(os.path.join(os.environ["KEEP"], name), "wb") as f:
                f.write(doc["image"])

    def watch(self):
        return Viewer(self)


class Viewer:
    """An open WebSocket behind the stream proxy: what it hears, decoded."""

    def __init__(self, session):
        self.said, self.frames, self.code = [], [], None
        self.socket = socket.socket(socket.AF_UNIX)
        path = os.path.join(session.dispatch.run, "sessions", session.id, "%d.sock" % session.epoch)
        if not until(lambda: self.socket.connect_ex(path) == 0):
            raise SystemExit("Bail out! the runner does not listen for viewers")
        self.acks = True
        threading.Thread(target=self.hear, daemon=True).start()

    def exact(self, n):
        data = b""
        while len(data) < n:
            got = self.socket.recv(n - len(data))
            if not got:
                raise OSError("closed")
            data += got
        return data

    def hear(self):
        with contextlib.suppress(OSError):
            while True:
                first, n = self.exact(2)
                if n == 126:
                    n = struct.unpack(">H", self.exact(2))[0]
                elif n == 127:
                    n = struct.unpack(">Q", self.exact(8))[0]
                self.take(first & 15, self.exact(n))
        self.code = self.code or 1006

    def take(self, opcode, payload):
        if opcode == 1:
            doc = json.loads(payload)
            self.said.append((doc["type"], doc))
        elif opcode == 2:
            self.frames.append((time.monotonic(), payload))
            if self.acks:
                self.send(type="ack", frame=struct.unpack(">I", payload[4:8])[0])
        elif opcode == 8:
            self.code = struct.unpack(">H", payload[:2])[0]
            self.frame(8, payload)
        elif opcode == 9:
            self.frame(10, payload)

    def frame(self, opcode, payload):
        mask = os.urandom(4)
        n = len(payload)
        head = bytes([0x80 | opcode, 0x80 | n]) if n < 126 else struct.pack(">BBH", 0x80 | opcode, 0x80 | 126, n)
        with contextlib.suppress(OSError):
            self.socket.sendall(head + mask + bytes(b ^ mask[i & 3] for i, b in enumerate(payload)))

    def send(self, **message):
        self.frame(1, json.dumps(message).encode())

    def wait(self, kind, want=lambda doc: True, seconds=PATIENCE):
        return until(lambda: next((d for n, d in list(self.said) if n == kind and want(d)), None), seconds)

    def click(self, x, y):
        for action in ("move", "down", "up"):
            self.send(type="mouse", action=action, x=x, y=y, button="left" if action != "move" else "none",
                      buttons=1 if action == "down" else 0, clicks=1, modifiers=0)

    def key(self, key, code, text=None, modifiers=0):
        for action in ("down", "up"):
            more = {"text": text} if text and action == "down" else {}
            self.send(type="key", action=action, key=key, code=code, modifiers=modifiers, **more)
