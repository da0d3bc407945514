#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Pages that try to hide requests or to break their session: the requests are recorded and the session continues."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../helper")
from runner import *  # noqa

HTML = {"Content-Type": "text/html; charset=utf-8"}
PAGE = """<!doctype html><title>Start</title><body>
<script>
fetch('/type'); fetch('/many'); fetch('/x?' + 'q'.repeat(100000)).catch(() => {});
fetch('/sent', {headers: {'X-Long': '"'.repeat(60000)}, method: 'P'.repeat(3000)}).catch(() => {});
({['\\ud800']() { fetch('/hidden'); }})['\\ud800']();
history.pushState(null, '', '/\\u202e' + 'h'.repeat(200000));
document.title = 'a\\0b\\ud800c' + '"\\n'.repeat(30000);
</script>"""
enter({"names": {"a.sites.net": {"A": ["93.184.216.34"]}, "b.sites.net": {"A": ["93.184.216.34"]}},
       "pages": {"a.sites.net/": {"headers": HTML, "body": PAGE},
                 "a.sites.net/type": {"headers": {"Content-Type": "text/" + "x" * 61000}, "body": "type"},
                 "a.sites.net/many": {"headers": {**{"X-%d" % i: '"' * 900 for i in range(15)}, **HTML}, "body": "many"},
                 "a.sites.net/last": {"headers": HTML, "body": "<title>Last</title>"}}})
d = Dispatch("browser = %s\n" % trusting_browser())
d.start_egress()
s = d.create("http://a.sites.net/")
ok(s.wait("ready"), "the session of the hostile page is ready", d.logged())
ok(s.shot("ready"), "the hostile page has a screenshot", d.logged())


def request(path, want=lambda e: True):
    return s.event("request", lambda e: e["url"].startswith("http://a.sites.net" + path) and want(e))


e = request("/type")
ok(e and e["status"] == 200 and len(e["mime"]) <= 256,
   "a request whose answer has a very long media type is recorded")
e = request("/many")
ok(e and e["status"] == 200, "a request whose answer has many headers is recorded")
ok(request("/hidden"), "a request from a function with an invalid name is recorded", d.logged())
ok(request("/x?"), "a request with a very long URL is recorded")
ok(request("/sent"), "a request with a long header and method is recorded")
viewer = s.watch()
viewer.send(type="nav", url="http://a.sites.net/last")
ok(request("/last", lambda e: e["status"] == 200),
   "the session continues after the hostile requests", d.logged())
ended = s.close()
ok(ended and ended["failed"] is False, "the session of the hostile page ends without a failure", ended)
shot = s.shot("close")
ok(shot, "the hostile page has a last screenshot")
d.finish()
