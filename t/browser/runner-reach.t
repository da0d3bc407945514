#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""As t/browser/browser-reach.t, of a session as it is served: the runner's own browser with the runner's flags, behind
egress, and a viewer who tries to go where nobody may. 0 packets arrive (C-095)."""
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
ok(s.wait("ready"), "the session runs", d.logged())
ok(until(lambda: "/done" in hits(), 90), "its page has tried everything", d.logged())
is_(sorted(WAYS - {p.split("/")[-1] for p in hits()}), [], "%d ways to connect lead to a public site" % len(WAYS))
denied = {t["host"] for n, t in d.egress.said if n == "traffic" and t["event"] == "denied" and "host" in t}
ok(len(denied) > 5, "others were asked of egress, and denied", denied)
is_(read("arrived")[:5], [], "0 packets from its subresources, workers, WebSockets and WebRTC (C-095)")

v = s.watch()
ok(v.wait("hello"), "a viewer")
for host in TARGETS + SPELLINGS:
    v.send(type="nav", url="http://%s/nav" % host)
for host in TARGETS[:8]:
    v.send(type="nav", url="http://home.net/redirect?to=http://%s/" % host)
    v.wait("egress_denied", lambda m, h=host: m["host"].strip("[]") == h.strip("[]"), 2)
ok(v.wait("error"), "is told that such a URL is none")
ok(v.wait("egress_denied"), "or that egress has denied it", v.said[-5:])
v.send(type="nav", url="http://open.net/v/nav")
ok(until(lambda: "/v/nav" in hits()), "a public site is gone to")
is_(read("arrived")[:5], [], "0 packets from where a viewer sends it (C-095)")
d.finish()
