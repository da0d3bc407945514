#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""A page that makes more requests than a session records: 20,000 events in batches, one mark, little memory."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../helper")
from runner import *  # noqa

# To a port that Chromium refuses by itself: nothing is waited for.
PAGE = """<title>many</title><script>(async () => { for (let i = 0; i < 410; i++)
await Promise.all([...Array(50).keys()].map((k) => fetch('http://a.sites.net:1/' + i + '.' + k).catch(() => 0)));
document.title = 'done' })()</script>"""
enter({"names": {"a.sites.net": {"A": ["93.184.216.34"]}},
       "pages": {"a.sites.net/": {"headers": {"Content-Type": "text/html"}, "body": PAGE}}})
d = Dispatch()
d.start_egress()
s = d.create("http://a.sites.net/")
ok(s.wait("truncated", seconds=1500), "the runner reports that the events are truncated", len(s.events))
s.wait("ready")
v = s.watch()
ok(v.wait("title", lambda m: m["title"] == "done") or v.wait("tabs", lambda m: m["tabs"][0]["title"] == "done"),
   "the page continues after the limit of events")
ok(s.close(), "the session ends after the limit of events")
is_(len(s.events), 20000, "the runner sends exactly 20,000 events")
is_(len({e["id"] for e in s.events}), 20000, "each of the 20,000 events has its own id")
is_(len([1 for n, _ in s.said if n == "truncated"]), 1, "the mark of truncation is sent once")
batches = [doc["events"] for n, doc in s.said if n == "net"]
ok(max(len(b) for b in batches) <= 32 and max(len(json.dumps(b)) for b in batches) < 65536,
   "the events are sent in batches of 32 at most")
e = next(e for e in s.events if ":1/" in e["url"])
ok(e["failure"] == "net::ERR_UNSAFE_PORT" and e["remote_address"] is None,
   "an event has the failure of its request", e)
d.finish()
