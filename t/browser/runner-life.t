#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""The life of a session's runner: with the dispatcher, without it, killed, and with a browser that cannot start.
KILLS=50 is the long form of the kills."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../helper")
from runner import *  # noqa

enter({"names": {"a.sites.net": {"A": ["93.184.216.34"]}},
       "pages": {"a.sites.net/": {"headers": {"Content-Type": "text/html"}, "body": "<title>here</title>x"}}})
URL = "http://a.sites.net/"
d = Dispatch()
d.start_egress()


def gone(s, what):
    began = time.monotonic()
    ok(until(lambda: not browsers()), what)
    diag("after %.2f s" % (time.monotonic() - began))
    ok(until(lambda: s.process.poll() is not None), what + " and the runner exits")


# ---- kill -9 ----
for i in range(int(os.environ.get("KILLS", "2"))):
    s = d.create(URL)
    s.shot("ready")
    ok(len(browsers()) > 3, "a browser has more than three processes")
    s.process.kill()
    gone(s, "the browser exits after kill -9 of the runner")
    s = d.create(URL)
    s.wait("ready")
    main = [pid for pid in browsers() if b"--type=" not in open("/proc/%d/cmdline" % pid, "rb").read() and
            b"bwrap" not in open("/proc/%d/cmdline" % pid, "rb").read()]
    ok(main, "the main process of the browser is found")
    for pid in main:
        os.kill(pid, signal.SIGKILL)
    ended = s.wait("ended")
    ok(ended and ended["failed"] and "browser ended" in ended["detail"],
       "the session fails after kill -9 of the browser", ended)
    gone(s, "no process of the killed browser is left")

# ---- the lease ----
s = d.create(URL)
s.shot("ready")
v = s.watch()
v.wait("hello")
is_(s.process.poll(), None, "the runner runs while its lease is valid")
s.renewed = False
s.send("lease", {"ms": 3000})
gone(s, "the browser exits with the lease that is not renewed")
is_(v.wait("bye") and v.wait("bye")["reason"], "failed", "the viewer gets bye with the reason failed")

# ---- the dispatcher goes and comes ----
s = d.create(URL)
s.shot("ready")
v = s.watch()
v.wait("hello")
d.deaf()
v.send(type="shot")
m = v.wait("shot", lambda m: m["reason"] == "request")
v.send(type="nav", url=URL + "?again")
v.wait("url", lambda m: m["url"] == URL + "?again")
is_([x for x in s.shots if x["reason"] == "request"], [], "a screenshot waits while the dispatcher is away")
d.listen()
ok(s.wait("hello", lambda h: h["state"] == "running"),
   "the runner reconnects with the state running", s.said)
ok(m and s.shot("request", lambda p: p["id"] == m["id"]),
   "the waiting screenshot reaches the new dispatcher")
ok(s.event("request", lambda e: e["url"] == URL + "?again"), "the waiting events reach the new dispatcher")
is_(len([1 for n, _ in s.said if n == "socks"]), 2, "the runner sends the SOCKS5 socket again")
is_(len([1 for n, doc in s.said if n == "shot"]), len({doc["id"] for n, doc in s.said if n == "shot"}),
    "no screenshot is sent to the dispatchers twice")
s.stores = False
v.send(type="shot")
s.wait("shot", lambda m: m["reason"] == "request" and m["id"] not in [x["id"] for x in s.shots])
d.deaf()
s.stores = True
d.listen()
ok(until(lambda: len([x for x in s.shots if x["reason"] == "request"]) == 2),
   "a screenshot that was not stored is sent again")
s.send("refused", {"id": str(uuid.uuid4()), "why": "200 screenshots are enough"})
ok(v.wait("error", lambda m: m["message"] == "200 screenshots are enough"),
   "the viewer is told of the limit of screenshots")
n = len(s.shots)
v.send(type="shot")
ok(until(lambda: len([1 for k, e in v.said if k == "error"]) == 2),
   "a second screenshot above the limit gets an error")
is_([x for x in s.shots[n:]], [], "no screenshot is taken above the limit")
is_((s.close("access_revoked") or {}).get("failed"), False,
    "the session ends without a failure when access is revoked")
is_(v.wait("bye") and v.wait("bye")["reason"], "access_revoked",
    "the viewer gets bye with the reason access_revoked")
ok(until(lambda: v.code == 1008), "the stream closes with 1008 when access is revoked (C-113)", v.code)

# ---- SIGTERM ----
s = d.create(URL)
s.shot("ready")
s.process.terminate()
ended = s.wait("ended")
ok(ended and ended["failed"] and "signal" in ended["detail"],
   "the session fails when the runner gets a signal", ended)
gone(s, "the browser exits with the runner that got a signal")

# ---- jobs that cannot run ----
for more, why in (({"profile": "amiga"}, "profile"), ({"start_url": "http://127.0.0.1/"}, "start_url")):
    s = d.create(URL, **more)
    ended = s.wait("ended")
    ok(ended and ended["failed"] and why in ended["detail"], "a job with a bad %s fails with the reason" % why, ended)
    ok(until(lambda: s.process.poll() is not None), "the runner of a bad job exits")
for conf, why in (("browser = /nonexistent/chromium\n", "chromium-headless-shell"),
                  ("bubblewrap = /nonexistent/bwrap\n", "install the package bubblewrap"),
                  ("browser = /usr/bin/false\n", "--version does not answer")):
    with open(d.conf_file, "a", encoding="utf-8") as f:
        f.write(conf)
    s = d.create(URL)
    ended = s.wait("ended")
    ok(ended and ended["failed"] and why in ended["detail"], "the failure names the remedy: " + why, ended)
    with open(d.conf_file, encoding="utf-8") as f:
        rest = f.read().replace(conf, "")
    with open(d.conf_file, "w", encoding="utf-8") as f:
        f.write(rest)


# ---- the check of a host ----
def check(*more, wrap=()):
    p = subprocess.run([*wrap, BUILD + "/surfaced-runner", "-c", d.conf_file, "-t", *more], capture_output=True, text=True,
                       check=False)
    return p.returncode, p.stdout


code, said = check()
is_((code, [line.split()[0] for line in said.splitlines()]), (0, ["ok"] * 5),
    "the check succeeds on a host that can run browsers")
code, said = check(wrap=["unshare", "-Ur"])
ok(code == 1 and "missing" in said and "root" in said, "the check fails when it is run as root", said)
none = "echo 1 >/proc/sys/user/max_user_namespaces; exec unshare -U --map-user=65534 --map-group=65534 \"$@\""
code, said = check(wrap=["unshare", "-Ur", "sh", "-c", none, "sh"])
ok(code == 1 and "missing user and network namespaces" in said and "max_user_namespaces" in said,
   "the check without namespaces names the setting to change", said)


def asked(word, conf=d.conf_file):
    """The answer of a runner whose first message is the word, and its exit status."""
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with its, ours:
        p = subprocess.Popen([BUILD + "/surfaced-runner", "-c", conf], stdin=its, stderr=d.log)
        its.close()
        ours.send(word.encode())
        ours.settimeout(PATIENCE)
        return ours.recv(65536).decode().split(" ", 1), p.wait(PATIENCE)


(name, text), code = asked("check")
is_((name, json.loads(text), code), ("checked", {"good": True, "said": check()[1]}, 0),
    "the check over a connection gives the same result")
with open(d.dir + "/bad.conf", "w", encoding="utf-8") as f:
    f.write("nonsense = 1\n")
(name, text), code = asked("check", d.dir + "/bad.conf")
ok(not json.loads(text)["good"] and "bad.conf:1: unknown" in json.loads(text)["said"] and code == 1,
   "the check over a connection reports a bad configuration", text)
(name, text), code = asked("job " + json.dumps(s.job), d.dir + "/bad.conf")
ok(name == "hello" and code == 1, "a job with a bad configuration fails like any other", text)
for more in (["x"], ["-t", "x"], []):
    p = subprocess.run([BUILD + "/surfaced-runner", *more], capture_output=True, check=False, stdin=subprocess.DEVNULL)
    is_(p.returncode, 2, "the runner exits with 2 for the arguments %s" % more)
ok(b"standard input is no connection" in p.stderr,
   "the runner explains that standard input is no connection")
d.finish()
