#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""A session's page, as its evidence has it."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/helper")
from runner import *  # noqa

PAGE = "<!doctype html><title>Hello</title><body style='background:#2060a0;color:#fff;font:60px sans-serif'>" \
       "<h1>A page &auml;</h1><img src=/pic.png><script src=/s.js></script>"
enter({"names": {"a.site.net": {"A": ["93.184.216.34"]}},
       "pages": {"a.site.net/": {"headers": {"Content-Type": "text/html; charset=utf-8", "Set-Cookie": "secret=1"},
                                 "body": PAGE},
                 "a.site.net/s.js": {"headers": {"Content-Type": "text/javascript"}, "body": "document.title='Changed'"}}})
d = Dispatch()
d.start_egress()
s = d.create("http://a.site.net/")
ok(s.wait("ready"), "the session runs", d.logged())
shot = s.shot("ready")
ok(shot, "a screenshot when it is ready", d.logged())
print(shot and {k: v for k, v in shot.items() if k != "image"}, s.wait("ready") and s.wait("ready")["heard"] - s.began)
if shot:
    s.keep(shot, "ready.jpg")
import time
time.sleep(2)
for e in s.events: print("#", json.dumps(e)[:1500])
print("#", s.close())
d.finish()
