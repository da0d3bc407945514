#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Tabs with and without a viewer: popups, dialogs, downloads, certificates, crashes."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../helper")
from runner import *  # noqa

HTML = {"Content-Type": "text/html; charset=utf-8"}
TALK = "const tell = (what) => fetch('/tell?' + encodeURIComponent(what));"
PAGES = {
    "/": "<title>main</title><script>%s window.open('/popup'); addEventListener('message', (e) => tell(e.data))</script>" % TALK,
    "/popup": "<title>popup</title><script>opener.postMessage('the opener hears', '*')</script>",
    "/alone": "<title>alone</title><script>%s tell('confirm ' + confirm('sure?')); alert('x'); tell('alert over')</script>" % TALK,
    "/watched": "<title>watched</title><script>%s onclick = () => tell('prompt ' + prompt('name?', 'nobody'))</script>" % TALK,
    "/download": "<title>download</title><script>location = '/file.bin'</script>",
    "/many": "<title>many</title><script>onclick = () => { for (let i = 0; i < 40; i++) window.open('/popup2?' + i) }</script>",
}
PAGES = {"a.sites.net" + path: {"headers": HTML, "body": body} for path, body in PAGES.items()}
PAGES["a.sites.net/file.bin"] = {"headers": {"Content-Type": "application/octet-stream",
                                             "Content-Disposition": "attachment; filename=\"a file.exe\""}, "body": "MZ"}
enter({"names": {"a.sites.net": {"A": ["93.184.216.34"]}}, "pages": PAGES})
d = Dispatch()
d.start_egress()


def told():
    return [urllib.parse.unquote(r["path"][6:]) for r in access() if r["path"].startswith("/tell?")]


def renderers(session):
    """Pids of the renderers of a session, the newest last."""
    found = []
    for pid in browsers():
        with contextlib.suppress(OSError), open("/proc/%d/cmdline" % pid, "rb") as f:
            if b"--type=renderer" in f.read():
                found.append(pid)
    return sorted(found)


def pictured(session, viewer, want):
    """A screenshot of the load; on request if a slow machine did not paint in time, which the runner logs."""
    return session.shot("load", want, 20) or "given up" in d.logged() and until(
        lambda: viewer.send(type="shot") or session.shot("request", want, 20))


# ---- popups ----
s = d.create("http://a.sites.net/")
ok(s.wait("ready"), "the session of the page is ready", d.logged())
v = s.watch()
tabs = v.wait("tabs", lambda m: [t["title"] for t in m["tabs"]] == ["main", "popup"])
ok(tabs, "a popup opens as a second tab", v.said)
ok(tabs and v.wait("tabs", lambda m: m["active"] == m["tabs"][-1]["tab"] and len(m["tabs"]) == 2),
   "a popup becomes the active tab")
ok(until(lambda: "the opener hears" in told()), "a popup reaches its opener by postMessage")
ok(pictured(s, v, lambda m: m["url"].endswith("/popup") and m["tab"] == 2),
   "a popup has its own screenshot")
ok(s.event("request", lambda e: e["url"].endswith("/popup") and e["tab"] == 2),
   "a popup has events with its tab")
v.send(type="tab", tab=1)
ok(v.wait("url", lambda m: m["tab"] == 1) and v.wait("tabs", lambda m: m["active"] == 1),
   "the viewer can switch back to the first tab")
v.send(type="close_tab", tab=1)
ok(v.wait("tabs", lambda m: [t["tab"] for t in m["tabs"]] == [2] and m["active"] == 2),
   "the viewer can close the first tab", v.said)
v.send(type="close_tab", tab=77)
ok(v.wait("error", lambda m: m["code"] == "tab_not_found"),
   "closing an unknown tab gets the error tab_not_found")
v.send(type="close_tab", tab=2)
ok(v.wait("tabs", lambda m: [t["url"] for t in m["tabs"]] == ["about:blank"] and m["active"] == 3),
   "an empty tab opens when the last one is closed", v.said)
v.send(type="nav", url="http://a.sites.net/many")
ok(v.wait("title", lambda m: m["title"] == "many"), "the empty tab can navigate to a page", v.said[-8:])
v.click(100, 100)
ok(v.wait("tabs", lambda m: len(m["tabs"]) > 1), "a page can open further tabs")
ok(until(lambda: len([r for r in access() if r["path"].startswith("/popup2")]) >= 1) and
   all(len(m["tabs"]) <= 20 for n, m in v.said if n == "tabs"), "a session never has more than 20 tabs")
s.close()

# ---- dialogs ----
s = d.create("http://a.sites.net/alone")
ok(until(lambda: "confirm false" in told()), "a dialog without a viewer is dismissed", d.logged())
ok(until(lambda: "alert over" in told()), "the next dialog without a viewer is dismissed too")
ok(s.event("dialog", lambda e: e["resource_type"] == "confirm" and e["url"].endswith("/alone")),
   "a dismissed dialog is recorded as an event")
v = s.watch()
v.send(type="nav", url="http://a.sites.net/watched")
v.wait("title", lambda m: m["title"] == "watched")
v.send(type="dialog", accept=True)
ok(v.wait("error", lambda m: m["code"] == "no_dialog"),
   "an answer without a dialog gets the error no_dialog", v.said)
v.click(50, 50)
m = v.wait("dialog", lambda m: m["open"])
is_(m and (m["kind"], m["message"], m["default"], m["tab"]), ("prompt", "name?", "nobody", 1),
    "the viewer gets a prompt with its message and default")
second = s.watch()
ok(second.wait("dialog", lambda m: m["open"]), "a viewer who connects during a dialog gets it too")
second.send(type="dialog", accept=True, text="J\u00f6rg")
ok(until(lambda: "prompt J\u00f6rg" in told()), "the answer of the viewer reaches the page", told())
ok(second.wait("dialog", lambda m: not m["open"]), "the viewer is told that the dialog is closed")

# ---- downloads ----
second.send(type="nav", url="http://a.sites.net/download")
m = second.wait("download_blocked")
is_(m and (m["name"], m["url"], m["tab"]), ("a file.exe", "http://a.sites.net/file.bin", 1),
    "the viewer gets download_blocked for a download")
e = s.event("download")
ok(e and e["url"].endswith("/file.bin") and e["failure"], "a blocked download is recorded as an event", e)

# ---- certificates ----
second.send(type="nav", url="https://a.sites.net/")
m = second.wait("cert")
is_(m and (m["url"], m["error"], m["tab"]), ("https://a.sites.net/", "net::ERR_CERT_AUTHORITY_INVALID", 1),
    "the viewer is told of an untrusted certificate")
ok(s.event("certificate", lambda e: e["failure"] == "net::ERR_CERT_AUTHORITY_INVALID"),
   "an untrusted certificate is recorded as an event")

# ---- egress ----
second.send(type="nav", url="http://rebound.a.net.sites.net/")
ok(second.wait("url", lambda m: "rebound" in m["url"]),
   "the viewer sees the URL of a page that does not answer", second.said)

# ---- crashes ----
shots = len(s.shots)
second.send(type="nav", url="http://a.sites.net/watched")
pictured(s, second, lambda m: m["url"].endswith("/watched") and s.shots.index(m) >= shots)
shots = len(s.shots)
for pid in renderers(s):
    os.kill(pid, signal.SIGKILL)
m = second.wait("crashed")
is_(m and (m["tab"], m["reloading"]), (1, True), "the viewer is told that a crashed page reloads")
ok(s.event("crash", lambda e: e["url"] == "http://a.sites.net/watched"), "a crash is recorded as an event")
ok(pictured(s, second, lambda m: m["url"].endswith("/watched") and s.shots.index(m) >= shots),
   "the crashed page is loaded again with a screenshot", d.logged())
second.click(60, 60)
ok(until(lambda: len([1 for n, m in second.said if n == "dialog" and m["open"]]) > 1),
   "a dialog opens in the page after the crash")
second.send(type="dialog", accept=False)
ok(until(lambda: "prompt null" in told()), "the page gets the answer after the crash")
for pid in renderers(s):
    os.kill(pid, signal.SIGKILL)
ended = s.wait("ended")
ok(ended and ended["failed"] and "crash" in ended["detail"], "the session fails at the second crash", ended)
is_(second.wait("bye") and second.wait("bye")["reason"], "failed",
    "the viewer gets bye with the reason failed")
ok(until(lambda: second.code == 1000), "the viewer's connection closes with the code 1000", second.code)
d.finish()
