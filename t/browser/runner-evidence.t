#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Evidence that a runner records: bytes of requests, screenshots of changes, all of it until it is stored."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../helper")
from runner import *  # noqa

HTML = {"Content-Type": "text/html; charset=utf-8"}
PAGE = """<title>sizes</title><script src=/kept.js></script><script>(async () => {
for (const [path, how] of [['/bytes?n=100000'], ['/sink?up', {method: 'POST', body: 'x'.repeat(70000)}],
    ['/redirect?to=/echo?redirected'], ['/nothing'], ['/empty'], ['/packed']])
    await (await fetch(path, how)).arrayBuffer();
await fetch('http://inside.sites.net/', {mode: 'no-cors'}).catch(() => 0);
const stop = new AbortController(), half = await fetch('/bytes?n=90000000', {signal: stop.signal});
await half.body.getReader().read(); stop.abort();
await (await fetch('/kept.js', {cache: 'force-cache'})).text(); })()</script>"""
CHANGING = """<title>changing</title><body><script>let n = 0; setInterval(() => { n++;
document.body.style.background = 'hsl(' + n * 47 % 360 + ',80%,50%)'; fetch('/turn?' + n) }, 3500)</script>"""
STEADY = "<title>steady</title><script>let n = 0; setInterval(() => fetch('/tick?' + n++), 20)</script>"
PAGES = {"/": {"headers": HTML, "body": PAGE}, "/changing": {"headers": HTML, "body": CHANGING},
         "/steady": {"headers": HTML, "body": STEADY}, "/nothing": {"status": 404, "headers": HTML, "body": "no"},
         "/tick": {}, "/turn": {}, "/empty": {"status": 200}, "/packed": {"headers": {"X-Long": "y" * 3000}, "body": "z"},
         "/kept.js": {"headers": {"Content-Type": "text/javascript", "Cache-Control": "max-age=600"}, "body": "1" * 5000}}
enter({"names": {"a.sites.net": {"A": ["93.184.216.34"]}, "inside.sites.net": {"A": ["10.1.2.3"]}},
       "pages": {"a.sites.net" + path: page for path, page in PAGES.items()}})
d = Dispatch("shot_interval = 1000\n")
d.start_egress()


def sent():
    """The bytes that the sites received and sent, by path."""
    with open(os.path.join(os.environ["BROWSER_WORLD"], "sent.log"), encoding="utf-8") as f:
        return {row["path"]: (row["received"], row["sent"]) for row in map(json.loads, f)}


# ---- bytes ----
s = d.create("http://a.sites.net/")
ok(s.event("request", lambda e: e["url"].endswith("n=90000000") and e["failure"]),
   "a request that the page aborts is recorded", d.logged())
ok(s.event("request", lambda e: e["url"].endswith("/kept.js") and e["bytes_sent"] == 0),
   "a request served from the cache is recorded too")
s.close()
for path in ("/", "/kept.js", "/bytes?n=100000", "/sink?up", "/redirect?to=/echo?redirected", "/echo?redirected", "/nothing",
             "/empty", "/packed"):
    e = next((e for e in s.events if e["kind"] == "request" and e["url"] == "http://a.sites.net" + path), {})
    is_((e.get("bytes_sent"), e.get("bytes_received")), sent()[path], "the event of %s has the bytes that the site received and sent" % path)
kept = [(e["bytes_sent"], e["bytes_received"]) for e in s.events if e["url"].endswith("/kept.js")]
is_(kept[1:], [(0, 0)], "a request served from the cache has no bytes")
is_([(e["bytes_sent"], e["bytes_received"]) for e in s.events if "inside" in e["url"]], [(0, 0)],
    "a denied request has no bytes")
half = next(e for e in s.events if e["url"].endswith("n=90000000"))
ok(1000 < half["bytes_received"] < 90000000, "an aborted request has the bytes received until then", half)

# ---- screenshots of changes ----
s = d.create("http://a.sites.net/changing")
ok(until(lambda: len([p for p in s.shots if p["reason"] == "interval"]) >= 3, 2 * PATIENCE),
   "a page that changes gets further screenshots", s.said)
shots = list(s.shots)
is_([b["reason"] for a, b in zip(shots, shots[1:]) if b["reason"] == "interval" and a["image"] == b["image"]], [],
    "no screenshot is taken of an unchanged page")
ok(all(a["taken_at"] < b["taken_at"] for a, b in zip(shots, shots[1:])),
   "the screenshots are in the order of time")
s.close()


# ---- the log ----
def numbers(session):
    return [doc["seq"] for name, doc in list(session.said) if name in LOG]


def ticks(session):
    """The ticks that the site received but the session lacks, and the number of ticks recorded twice."""
    there = [e["url"].split("?")[1] for e in session.events if "/tick?" in e["url"]]
    seen = {r["path"].split("?")[1] for r in access() if r["path"].startswith("/tick?")}
    return sorted(seen - set(there)), len(there) - len(set(there))


s = d.create("http://a.sites.net/steady")
s.shot("ready")
s.answers = False
ok(until(lambda: numbers(s)[-1:] == [s.answered + 64], 2 * PATIENCE),
   "the runner sends 64 messages without an acknowledgement at most", numbers(s))
n = numbers(s)[-1]
first = next(doc for name, doc in s.said if name in LOG and doc["seq"] > s.answered)
d.deaf()
s.silent = True
d.listen()
ok(until(lambda: s.said[-1][0] == "ready" and len([1 for name, _ in s.said if name == "hello"]) == 2),
   "the runner reconnects with its unacknowledged messages")
is_(numbers(s)[-1], n, "the runner sends nothing before the dispatcher has answered")
s.answers, s.silent = True, False
ok(until(lambda: numbers(s)[-1] > n), "the runner continues after the dispatcher has answered")
again = [doc for name, doc in s.said if name in LOG and doc["seq"] == first["seq"]]
is_(len(again), 2, "an unacknowledged message is sent a second time")
strip = lambda doc: {k: v for k, v in doc.items() if k not in ("heard", "image")}
is_(strip(again[1]), strip(again[0]), "a message sent again is unchanged")
ended = s.close()
is_(ticks(s), ([], 0), "every request that the site received is recorded once")
is_(s.said[-1][0], "ended", "ended is the last message of the runner")
is_(sorted(set(numbers(s))), list(range(1, max(numbers(s)) + 1)), "the numbers of the messages have no gap")

# ---- the end of a session ----
s = d.create("http://a.sites.net/nothing", close_ms=2000)
s.shot("ready")
s.answers = False
began = time.monotonic()
ended = s.close()
ok(ended and time.monotonic() - began > 2,
   "the runner waits for close_ms if its evidence is not acknowledged", ended)
is_(s.shots[-1]["reason"], "close", "the last screenshot is sent before the runner ends")
s = d.create("http://a.sites.net/nothing", close_ms=600000)
s.shot("ready")
s.answers = False
s.send("close", {"reason": "expired"})
s.shot("close")
is_(s.wait("ended", seconds=0), None, "the runner does not end before its evidence is stored")
s.answers = True
s.send("logged", {"seq": numbers(s)[-1]})
ok(s.wait("ended"), "the runner ends as soon as its evidence is stored")
s = d.create("http://a.sites.net/nothing", close_ms=600000)
s.shot("ready")
s.answers = s.renewed = False
s.send("lease", {"ms": 3000})
s.send("close", {"reason": "expired"})
ok(until(lambda: s.wait("ended", seconds=0) or s.process.poll() is not None),
   "the runner ends with its lease though evidence is not stored")
d.finish()
