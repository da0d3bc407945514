#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""The first page of a session: its screenshot, its requests, its end. KEEP=DIR keeps the screenshots."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../helper")
from runner import *  # noqa

HTML = {"Content-Type": "text/html; charset=utf-8"}
PAGE = """<!doctype html><title>Hello</title><body style='background:#2060a0;color:#fff;font:60px sans-serif'>
<h1>A page &auml;</h1><script src=/s.js></script><script>
new WebSocket('ws://a.sites.net/ws'); fetch('/sink', {method: 'POST', body: 'x'.repeat(1000),
headers: {'X-Api-Key': 'geheim', 'Authorization': 'Bearer geheim', 'X-Other': 'shown'}});
fetch('http://user:geheim@a.sites.net/echo').catch(() => {}); fetch('http://nowhere.sites.net/').catch(() => {});
fetch('http://inside.sites.net/').catch(() => {});
</script>"""
enter({"names": {"a.sites.net": {"A": ["93.184.216.34"]}, "inside.sites.net": {"A": ["10.1.2.3"]}},
       "pages": {"a.sites.net/": {"headers": {**HTML, "Set-Cookie": "token=geheim"}, "body": PAGE},
                 "a.sites.net/s.js": {"headers": {"Content-Type": "text/javascript"},
                                      "body": "document.title = 'Changed'"}}})
d = Dispatch("browser = %s\n" % trusting_browser())
d.start_egress()
began = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 1))
s = d.create("http://a.sites.net/redirect?to=http://a.sites.net/")
ok(s.wait("ready"), "the session becomes ready after a redirect", d.logged())
shot = s.shot("ready")
if ok(shot, "the runner takes a screenshot when the session is ready", d.logged()):
    s.keep(shot, "ready.jpg")
    is_((shot["url"], shot["title"], shot["width"], shot["height"], shot["mime"], shot["tab"]),
        ("http://a.sites.net/", "Changed", 1280, 720, "image/jpeg", 1),
        "the screenshot has URL, title, size and tab of the page")
    ok(shot["image"] and shot["image"][:3] == b"\xff\xd8\xff", "the screenshot is a JPEG in a sealed file")
    is_(struct.unpack(">HH", shot["image"][shot["image"].find(b"\xff\xc0") + 5:][:4]), (720, 1280),
        "the JPEG has the size of the viewport")


def request(path, want=lambda e: True):
    return s.event("request", lambda e: e["url"] == "http://a.sites.net" + path and want(e))


first = request("/redirect?to=http://a.sites.net/")
ok(first and first["status"] == 302 and first["redirected_from"] is None,
   "the redirect is recorded as an event", first)
page = request("/", lambda e: e["status"] == 200)
ok(page and page["redirected_from"] == "http://a.sites.net/redirect?to=http://a.sites.net/",
   "the event of the page names the redirect before it", page)
if page:
    is_((page["method"], page["resource_type"], page["mime"], page["remote_address"], page["remote_port"], page["tab"],
         page["failure"], page["tls"]), ("GET", "Document", "text/html", "93.184.216.34", 80, 1, None, None),
        "the event of the page has the address that egress connected to")
    ok(page["bytes_received"] > 100 and page["duration_ms"] is not None and page["protocol"] == "http/1.1",
       "the event of the page has size, duration and protocol", page)
    is_([h["value"] for h in page["response_headers"] if h["name"] == "Set-Cookie"], ["[redacted]"],
        "the event of the page has no cookie")
    ok(began <= page["at"] <= time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 1)),
       "the event of the page has the time of the request", page["at"])
sink = request("/sink")
if ok(sink, "a request that the page sends is recorded as an event"):
    got = {h["name"].lower(): h["value"] for h in sink["request_headers"]}
    is_((sink["method"], got.get("x-api-key"), got.get("authorization"), got.get("cookie"), got.get("x-other")),
        ("POST", "[redacted]", "[redacted]", "[redacted]", "shown"),
        "credentials in headers are redacted and other headers are kept")
ws = s.event("websocket")
ok(ws and ws["url"] == "ws://a.sites.net/ws" and ws["status"] == 101,
   "a WebSocket is recorded as an event", ws)
lost = s.event("request", lambda e: e["url"] == "http://nowhere.sites.net/")
ok(lost and lost["failure"] and "failed" in lost["failure"] and lost["status"] is None,
   "a failed request is recorded with its failure", lost)
denied = s.event("request", lambda e: e["url"] == "http://inside.sites.net/")
ok(denied and "denied" in (denied["failure"] or "") and denied["remote_address"] is None,
   "a request that egress denied is recorded with its failure", denied)
ok(not s.event("request", lambda e: e["url"].startswith("data:"), 0),
   "a data URL is not recorded as an event")
is_([e for e in s.events if "geheim" in json.dumps(e)], [], "no event contains a secret of the page")

ended = s.close()
ok(ended and ended["failed"] is False, "the session ends without a failure when it is closed", ended)
is_(s.process.returncode, 0, "the runner exits with status 0")
ok(s.shot("close"), "the runner takes a last screenshot when it closes")
is_(s.said[-1][0], "ended", "the last message of the runner is ended")
is_(os.path.exists("%s/sessions/%s" % (d.run, s.id)), False, "the directory of the session is removed")

tls = d.create("https://a.sites.net/echo")
page = tls.event("request", lambda e: e["url"] == "https://a.sites.net/echo")
ok(page and page["tls"] and page["tls"]["version"].startswith("TLS") and page["tls"]["cipher"] and
   page["tls"]["issuer"] == "the test's authority" and page["tls"]["not_after"] > page["at"],
   "the event of a TLS request describes the certificate", page)
d.finish()
