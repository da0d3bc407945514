#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Pages that want to be overlooked, or to have their session break: they are seen, and it goes on."""
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
ok(s.wait("ready"), "the session runs", d.logged())
ok(s.shot("ready"), "a screenshot", d.logged())


def request(path, want=lambda e: True):
    return s.event("request", lambda e: e["url"].startswith("http://a.sites.net" + path) and want(e))


e = request("/type")
ok(e and e["status"] == 200 and len(e["mime"]) <= 256, "a request whose answer has an endless media type is told of")
e = request("/many")
ok(e and e["status"] == 200, "one with many headers that all grow when they are written down")
ok(request("/hidden"), "one of a function whose name is no text", d.logged())
ok(request("/x?"), "one with an address that is cut")
ok(request("/sent"), "one with a header and a method of its own")
viewer = s.watch()
viewer.send(type="nav", url="http://a.sites.net/last")
ok(request("/last", lambda e: e["status"] == 200), "the session goes on", d.logged())
ended = s.close()
ok(ended and ended["failed"] is False, "to its own end", ended)
shot = s.shot("close")
ok(shot, "with a last screenshot")
d.finish()
