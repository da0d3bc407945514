#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Like t/browser/browser-reach.t for a whole session: the runner's own browser with the runner's flags, behind egress,
and a viewer who tries to navigate to forbidden addresses. No packet arrives (C-095)."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../helper")
from runner import *  # noqa
from reach import *  # noqa

HOSTS = TARGETS[:12] + ["loop.net", "meta.net", "mixed.net"]
PAGE = """<!doctype html><title>home</title><body><script src=/vectors.js></script><script>
onload = async () => {
    for (const host of %s) await attack("http://" + host);
    fetch("/done");
};</script>""" % json.dumps(["open.net"] + HOSTS)
enter({"names": NAMES, "pages": {"home.net/": {"body": PAGE}, "home.net/done": {}, "home.net/vectors.js": {"body": VECTORS}}})


def read(name):
    with open(os.path.join(os.environ["BROWSER_WORLD"], name), encoding="utf-8") as f:
        return f.read().splitlines()


def hits():
    return {json.loads(line)["path"].split("?")[0] for line in read("access.log")}


d = Dispatch()
d.start_egress()
s = d.create("http://home.net/")
ok(s.wait("ready"), "the session of the page is ready", d.logged())
ok(until(lambda: "/done" in hits(), 90), "the page has tried every address and way", d.logged())
is_(sorted(WAYS - {p.split("/")[-1] for p in hits()}), [], "%d ways to connect lead to a public site" % len(WAYS))
denied = {t["host"] for n, t in d.egress.said if n == "traffic" and t["event"] == "denied" and "host" in t}
ok(len(denied) > 5, "egress has denied more than five forbidden addresses", denied)
is_(read("arrived")[:5], [], "no packet of the page reaches a forbidden address (C-095)")

v = s.watch()
ok(v.wait("hello"), "a viewer connects to the session")
for host in TARGETS + SPELLINGS:
    v.send(type="nav", url="http://%s/nav" % host)
for host in TARGETS[:8]:
    v.send(type="nav", url="http://home.net/redirect?to=http://%s/" % host)
    v.wait("egress_denied", lambda m, h=host: m["host"].strip("[]") == h.strip("[]"), 2)
ok(v.wait("error"), "the viewer gets an error for a URL that is not allowed")
ok(v.wait("egress_denied"), "the viewer gets egress_denied for a denied address", v.said[-5:])
v.send(type="nav", url="http://open.net/v/nav")
ok(until(lambda: "/v/nav" in hits()), "the viewer reaches a public site")
is_(read("arrived")[:5], [], "no packet of the viewer's navigations reaches a forbidden address (C-095)")
d.finish()
