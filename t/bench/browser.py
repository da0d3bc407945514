# SPDX-License-Identifier: ISC
"""The measuring half of t/bench/browser: in its world, which the environment names."""
import argparse, contextlib, glob, http.client, json, os, re, shutil, socket, ssl, statistics, subprocess, sys, tempfile
import threading, time, types

sys.path.insert(0, "t/helper")
from runner import Viewer  # noqa: E402

URL = "http://bench.surfaced-check.net/"
SHELL = "/usr/lib/chromium/chromium-headless-shell"
FPS, TICKS = 8, os.sysconf("SC_CLK_TCK")
W, KEY, PROJECT = (os.environ[name] for name in ("W", "KEY", "PROJECT"))


def until(condition, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.002)
    raise TimeoutError(condition)


def text(path):
    with contextlib.suppress(OSError), open(path, "rb") as f:
        return f.read().decode(errors="replace")
    return ""


def family(root):
    children = {}
    for stat in glob.glob("/proc/[0-9]*/stat"):
        words = text(stat).rsplit(")", 1)
        if len(words) == 2:
            children.setdefault(int(words[1].split()[1]), []).append(int(stat.split("/")[2]))
    found, todo = [], [root]
    while todo:
        found.append(todo.pop())
        todo += children.get(found[-1], [])
    return found


def pss_mb(pids):
    lines = [line for pid in pids for line in text("/proc/%d/smaps_rollup" % pid).splitlines()]
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def cpu(pids):
    stats = [text("/proc/%d/stat" % pid).rsplit(")", 1)[-1].split() for pid in pids]
    return sum(int(s[11]) + int(s[12]) for s in stats if len(s) > 12) / TICKS


class Unix(http.client.HTTPSConnection):
    def connect(self):
        raw = socket.socket(socket.AF_UNIX)
        raw.connect(W + "/run/web.sock")
        self.sock = ssl.create_default_context(cafile=W + "/ca.crt").wrap_socket(raw, server_hostname="localhost")


def api(method, path, body=None):
    link = Unix("localhost")
    link.request(method, "/api/v1/projects/%s/sessions%s" % (PROJECT, path), body and json.dumps(body),
                 {"X-API-Key": KEY, "Content-Type": "application/json"})
    return json.loads(link.getresponse().read())


class Ours:
    """A session of the service, watched where the stream proxy would."""
    name = "surfaced"

    def __init__(self):
        began = time.monotonic()
        self.id = api("POST", "", {"start_url": URL})["session"]["uuid"]
        at = "%s/run/sessions/%s/" % (W, self.id)
        path = until(lambda: glob.glob(at + "*.sock"))[0]
        self.viewer = until(lambda: self.look(int(os.path.basename(path)[:-5])))
        until(lambda: self.viewer.frames)
        self.first = self.viewer.frames[0][0] - began
        self.root = until(lambda: self.find())

    def look(self, epoch):
        with contextlib.suppress(OSError):
            return Viewer(types.SimpleNamespace(id=self.id, epoch=epoch, dispatch=types.SimpleNamespace(run=W + "/run")))

    def find(self):
        started = re.search("started session=%s .* pid=([1-9][0-9]*) " % self.id, text(W + "/log/surfaced-dispatch.log"))
        return started and int(started[1])

    def frames(self):
        return len(self.viewer.frames)

    def pace(self):
        self.viewer.send(type="quality", fps=FPS, quality=60)

    def end(self):
        api("DELETE", "/" + self.id)
        until(lambda: api("GET", "/" + self.id)["session"]["state"] == "terminal")


class Bound:
    """The same browser without a service: a process, a pipe, a screencast."""
    name = "bound"

    def __init__(self):
        began = time.monotonic()
        self.folder = tempfile.mkdtemp()
        (to_child, out), (into, from_child) = os.pipe(), os.pipe()
        self.out, self.into = os.fdopen(out, "wb", 0), os.fdopen(into, "rb", 0)
        command = 'exec 3<&%d 4>&%d; exec "$@"' % (to_child, from_child)
        self.process = subprocess.Popen(
            ["bash", "-c", command, "bash", SHELL, "--headless=new", "--remote-debugging-pipe", "--window-size=1280,720",
             "--user-data-dir=" + self.folder, "--no-first-run", "--disable-gpu", "--disable-background-networking",
             "--disable-component-update", "--disable-sync", "--disable-extensions", "--mute-audio",
             "--disable-dev-shm-usage", "about:blank"],
            pass_fds=(to_child, from_child), stderr=subprocess.DEVNULL)
        os.close(to_child)
        os.close(from_child)
        self.root, self.gap, self.replies, self.seen = self.process.pid, 0, {}, []
        self.n, self.lock, self.session, self.there = 0, threading.Lock(), None, False
        threading.Thread(target=self.hear, daemon=True).start()
        page = until(lambda: [t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page"])[0]
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("Page.navigate", url=URL)
        until(lambda: self.there)
        until(lambda: "error" not in self.call("Page.startScreencast", format="jpeg", quality=60))
        until(lambda: self.seen)
        self.first = self.seen[0] - began

    def send(self, method, **params):
        with self.lock:
            self.n += 1
            message = {"id": self.n, "method": method, "params": params}
            if self.session:
                message["sessionId"] = self.session
            with contextlib.suppress(OSError, ValueError):  # its end
                self.out.write(json.dumps(message).encode() + b"\0")
            return self.n

    def call(self, method, **params):
        n = self.send(method, **params)
        return until(lambda: self.replies.get(n))

    def hear(self):
        data = b""
        with contextlib.suppress(OSError, ValueError):
            while True:
                got = self.into.read(1 << 16)
                if not got:
                    return
                *whole, data = (data + got).split(b"\0")
                for message in whole:
                    self.take(json.loads(message))

    def take(self, message):
        if "id" in message:
            self.replies[message["id"]] = message.get("result") or {"error" if "error" in message else "none": True}
        elif message.get("method") == "Page.frameNavigated":
            self.there = True
        elif message.get("method") == "Page.screencastFrame":
            self.seen.append(time.monotonic())
            token = message["params"]["sessionId"]
            threading.Timer(self.gap, lambda: self.send("Page.screencastFrameAck", sessionId=token)).start()

    def frames(self):
        return len(self.seen)

    def pace(self):
        self.gap = 1 / FPS

    def end(self):
        self.out.close()
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def measure(kind, args):
    times, more = [], []
    for _ in range(args.sessions):
        one = kind()
        times.append(one.first * 1000)
        one.end()
    many, memory = [], []
    for _ in range(args.several):
        many.append(kind())
        many[-1].pace()
        time.sleep(1)
        memory.append(sum(pss_mb(family(each.root)) for each in many))
    more = [b - a for a, b in zip(memory, memory[1:])]
    before, pictures, at = sum(cpu(family(each.root)) for each in many), sum(e.frames() for e in many), time.monotonic()
    time.sleep(args.seconds)
    spent, took = sum(cpu(family(each.root)) for each in many) - before, time.monotonic() - at
    pictures = sum(e.frames() for e in many) - pictures
    for each in many:
        each.end()
    share = spent / took / args.several
    times.sort()
    return {"median_ms": statistics.median(times), "p95_ms": times[min(len(times) - 1, int(len(times) * 0.95))],
            "first_mb": memory[0], "next_mb": statistics.mean(more) if more else memory[0],
            "fps": pictures / took / args.several, "sessions_a_core": 1 / share if share else 0}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--sessions", type=int, default=20)
    p.add_argument("--several", type=int, default=4)
    p.add_argument("--seconds", type=float, default=10)
    args = p.parse_args()
    ours, bound = measure(Ours, args), measure(Bound, args)
    print("%-40s %10s %10s" % ("", "surfaced", "bound"))
    for name, what in (("median_ms", "create to first frame, median, ms"), ("p95_ms", "p95, ms"),
                       ("first_mb", "memory of the first session, MB PSS"), ("next_mb", "of each further one"),
                       ("fps", "pictures a second and session"), ("sessions_a_core", "sessions a core")):
        print("%-40s %10.1f %10.1f" % (what, ours[name], bound[name]))
    for name in ("median_ms", "p95_ms", "next_mb", "sessions_a_core"):
        print("RATIO %s %.2f" % (name, ours[name] / bound[name] if bound[name] else 0))


main()
