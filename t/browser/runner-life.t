#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""How a session's runner lives and ends: with the dispatcher, without it, killed, with a browser that is not to be had.
KILLS=50 is the long form of what kill -9 must lead to."""
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
    ok(until(lambda: s.process.poll() is not None), "and its runner")


# ---- kill -9 ----
for i in range(int(os.environ.get("KILLS", "2"))):
    s = d.create(URL)
    s.shot("ready")
    ok(len(browsers()) > 3, "a browser is processes")
    s.process.kill()
    gone(s, "kill -9 of the runner ends its browser")
    s = d.create(URL)
    s.wait("ready")
    main = [pid for pid in browsers() if b"--type=" not in open("/proc/%d/cmdline" % pid, "rb").read() and
            b"bwrap" not in open("/proc/%d/cmdline" % pid, "rb").read()]
    ok(main, "one of them is the browser itself")
    for pid in main:
        os.kill(pid, signal.SIGKILL)
    ended = s.wait("ended")
    ok(ended and ended["failed"] and "browser ended" in ended["detail"], "kill -9 of the browser fails the session", ended)
    gone(s, "nothing of it is left")

# ---- the lease ----
s = d.create(URL)
s.shot("ready")
v = s.watch()
v.wait("hello")
is_(s.process.poll(), None, "it runs while its lease does")
s.renewed = False
s.send("lease", {"ms": 3000})
gone(s, "without a renewal the browser ends with the lease")
is_(v.wait("bye") and v.wait("bye")["reason"], "failed", "the viewer hears")

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
is_([x for x in s.shots if x["reason"] == "request"], [], "what is seen while the dispatcher is away waits")
d.listen()
ok(s.wait("hello", lambda h: h["state"] == "running"), "it comes back as what it is", s.said)
ok(m and s.shot("request", lambda p: p["id"] == m["id"]), "the screenshot is told then")
ok(s.event("request", lambda e: e["url"] == URL + "?again"), "the events too")
is_(len([1 for n, _ in s.said if n == "socks"]), 2, "with the SOCKS5 socket again")
is_(len([1 for n, doc in s.said if n == "shot"]), len({doc["id"] for n, doc in s.said if n == "shot"}), "nothing twice")
s.stores = False
v.send(type="shot")
s.wait("shot", lambda m: m["reason"] == "request" and m["id"] not in [x["id"] for x in s.shots])
d.deaf()
s.stores = True
d.listen()
ok(until(lambda: len([x for x in s.shots if x["reason"] == "request"]) == 2), "what was not stored is told again")
s.send("refused", {"id": str(uuid.uuid4()), "why": "200 screenshots are enough"})
ok(v.wait("error", lambda m: m["message"] == "200 screenshots are enough"), "a bound is told to the viewer")
n = len(s.shots)
v.send(type="shot")
ok(until(lambda: len([1 for k, e in v.said if k == "error"]) == 2), "and then no more are taken")
is_([x for x in s.shots[n:]], [], "not one")
is_((s.close("access_revoked") or {}).get("failed"), False, "it ends as it is told")
is_(v.wait("bye") and v.wait("bye")["reason"], "access_revoked", "the viewer is told that access was withdrawn")
ok(until(lambda: v.code == 1008), "C-113: the stream of a session that lost its access closes with 1008", v.code)

# ---- SIGTERM ----
s = d.create(URL)
s.shot("ready")
s.process.terminate()
ended = s.wait("ended")
ok(ended and ended["failed"] and "signal" in ended["detail"], "a signal ends it", ended)
gone(s, "with its browser")

# ---- what cannot be ----
for more, why in (({"profile": "amiga"}, "profile"), ({"start_url": "http://127.0.0.1/"}, "start_url")):
    s = d.create(URL, **more)
    ended = s.wait("ended")
    ok(ended and ended["failed"] and why in ended["detail"], "a job that cannot be: " + why, ended)
    ok(until(lambda: s.process.poll() is not None), "its runner ends")
for conf, why in (("browser = /nonexistent/chromium\n", "chromium-headless-shell"),
                  ("bubblewrap = /nonexistent/bwrap\n", "install the package bubblewrap"),
                  ("browser = /usr/bin/false\n", "--version does not answer")):
    with open(d.conf_file, "a", encoding="utf-8") as f:
        f.write(conf)
    s = d.create(URL)
    ended = s.wait("ended")
    ok(ended and ended["failed"] and why in ended["detail"], "the reason says what to do: " + why, ended)
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
is_((code, [line.split()[0] for line in said.splitlines()]), (0, ["ok"] * 5), "a host that can have browsers")
code, said = check(wrap=["unshare", "-Ur"])
ok(code == 1 and "missing" in said and "root" in said, "root cannot", said)
none = "echo 1 >/proc/sys/user/max_user_namespaces; exec unshare -U --map-user=65534 --map-group=65534 \"$@\""
code, said = check(wrap=["unshare", "-Ur", "sh", "-c", none, "sh"])
ok(code == 1 and "missing user and network namespaces" in said and "max_user_namespaces" in said,
   "without namespaces it says what to change", said)


def asked(word, conf=d.conf_file):
    """What a runner that begins with the word answers, and its exit status."""
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with its, ours:
        p = subprocess.Popen([BUILD + "/surfaced-runner", "-c", conf], stdin=its, stderr=d.log)
        its.close()
        ours.send(word.encode())
        ours.settimeout(PATIENCE)
        return ours.recv(65536).decode().split(" ", 1), p.wait(PATIENCE)


(name, text), code = asked("check")
is_((name, json.loads(text), code), ("checked", {"good": True, "said": check()[1]}, 0), "over a connection it says the same")
with open(d.dir + "/bad.conf", "w", encoding="utf-8") as f:
    f.write("nonsense = 1\n")
(name, text), code = asked("check", d.dir + "/bad.conf")
ok(not json.loads(text)["good"] and "bad.conf:1: unknown" in json.loads(text)["said"] and code == 1,
   "a faulty configuration is answered", text)
(name, text), code = asked("job " + json.dumps(s.job), d.dir + "/bad.conf")
ok(name == "hello" and code == 1, "a job with one too: it fails as any other", text)
for more in (["x"], ["-t", "x"], []):
    p = subprocess.run([BUILD + "/surfaced-runner", *more], capture_output=True, check=False, stdin=subprocess.DEVNULL)
    is_(p.returncode, 2, "wrong arguments, or nobody at the other end: %s" % more)
ok(b"standard input is no connection" in p.stderr, "and that is said")
d.finish()
