#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""What happens in tabs: popups, dialogs, downloads, certificates, crashes; with a viewer and without."""
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
    """A picture of its load; on request where a slow machine did not paint it in time, which the runner says."""
    return session.shot("load", want, 20) or "given up" in d.logged() and until(
        lambda: viewer.send(type="shot") or session.shot("request", want, 20))


# ---- popups ----
s = d.create("http://a.sites.net/")
ok(s.wait("ready"), "the session runs", d.logged())
v = s.watch()
tabs = v.wait("tabs", lambda m: [t["title"] for t in m["tabs"]] == ["main", "popup"])
ok(tabs, "a popup is a tab", v.said)
ok(tabs and v.wait("tabs", lambda m: m["active"] == m["tabs"][-1]["tab"] and len(m["tabs"]) == 2), "and the active one")
ok(until(lambda: "the opener hears" in told()), "which reaches its opener")
ok(pictured(s, v, lambda m: m["url"].endswith("/popup") and m["tab"] == 2), "and has a screenshot")
ok(s.event("request", lambda e: e["url"].endswith("/popup") and e["tab"] == 2), "and events of its own")
v.send(type="tab", tab=1)
ok(v.wait("url", lambda m: m["tab"] == 1) and v.wait("tabs", lambda m: m["active"] == 1), "the viewer goes back")
v.send(type="close_tab", tab=1)
ok(v.wait("tabs", lambda m: [t["tab"] for t in m["tabs"]] == [2] and m["active"] == 2), "a tab can be closed", v.said)
v.send(type="close_tab", tab=77)
ok(v.wait("error", lambda m: m["code"] == "tab_not_found"), "one that is not there cannot")
v.send(type="close_tab", tab=2)
ok(v.wait("tabs", lambda m: [t["url"] for t in m["tabs"]] == ["about:blank"] and m["active"] == 3),
   "after the last there is an empty one", v.said)
v.send(type="nav", url="http://a.sites.net/many")
ok(v.wait("title", lambda m: m["title"] == "many"), "which can be used", v.said[-8:])
v.click(100, 100)
ok(v.wait("tabs", lambda m: len(m["tabs"]) > 1), "a page opens more")
ok(until(lambda: len([r for r in access() if r["path"].startswith("/popup2")]) >= 1) and
   all(len(m["tabs"]) <= 20 for n, m in v.said if n == "tabs"), "never more than 20 tabs")
s.close()

# ---- dialogs ----
s = d.create("http://a.sites.net/alone")
ok(until(lambda: "confirm false" in told()), "a dialog that nobody sees is dismissed", d.logged())
ok(until(lambda: "alert over" in told()), "and the next one too")
ok(s.event("dialog", lambda e: e["resource_type"] == "confirm" and e["url"].endswith("/alone")), "with an event")
v = s.watch()
v.send(type="nav", url="http://a.sites.net/watched")
v.wait("title", lambda m: m["title"] == "watched")
v.send(type="dialog", accept=True)
ok(v.wait("error", lambda m: m["code"] == "no_dialog"), "no dialog, no answer", v.said)
v.click(50, 50)
m = v.wait("dialog", lambda m: m["open"])
is_(m and (m["kind"], m["message"], m["default"], m["tab"]), ("prompt", "name?", "nobody", 1), "the viewer sees a prompt")
second = s.watch()
ok(second.wait("dialog", lambda m: m["open"]), "also one who comes while it is open")
second.send(type="dialog", accept=True, text="J\u00f6rg")
ok(until(lambda: "prompt J\u00f6rg" in told()), "and answers it", told())
ok(second.wait("dialog", lambda m: not m["open"]), "it is gone")

# ---- downloads ----
second.send(type="nav", url="http://a.sites.net/download")
m = second.wait("download_blocked")
is_(m and (m["name"], m["url"], m["tab"]), ("a file.exe", "http://a.sites.net/file.bin", 1), "a download is denied")
e = s.event("download")
ok(e and e["url"].endswith("/file.bin") and e["failure"], "and recorded", e)

# ---- certificates ----
second.send(type="nav", url="https://a.sites.net/")
m = second.wait("cert")
is_(m and (m["url"], m["error"], m["tab"]), ("https://a.sites.net/", "net::ERR_CERT_AUTHORITY_INVALID", 1),
    "a certificate that is not to be trusted is said")
ok(s.event("certificate", lambda e: e["failure"] == "net::ERR_CERT_AUTHORITY_INVALID"), "and recorded")

# ---- egress ----
second.send(type="nav", url="http://rebound.a.net.sites.net/")
ok(second.wait("url", lambda m: "rebound" in m["url"]), "an address that does not answer is shown as that", second.said)

# ---- crashes ----
shots = len(s.shots)
second.send(type="nav", url="http://a.sites.net/watched")
pictured(s, second, lambda m: m["url"].endswith("/watched") and s.shots.index(m) >= shots)
shots = len(s.shots)
for pid in renderers(s):
    os.kill(pid, signal.SIGKILL)
m = second.wait("crashed")
is_(m and (m["tab"], m["reloading"]), (1, True), "a page that crashes is said to, and loaded again")
ok(s.event("crash", lambda e: e["url"] == "http://a.sites.net/watched"), "and recorded")
ok(pictured(s, second, lambda m: m["url"].endswith("/watched") and s.shots.index(m) >= shots), "it is there again", d.logged())
second.click(60, 60)
ok(until(lambda: len([1 for n, m in second.said if n == "dialog" and m["open"]]) > 1), "and works")
second.send(type="dialog", accept=False)
ok(until(lambda: "prompt null" in told()), "as before")
for pid in renderers(s):
    os.kill(pid, signal.SIGKILL)
ended = s.wait("ended")
ok(ended and ended["failed"] and "crash" in ended["detail"], "the second time the session fails", ended)
is_(second.wait("bye") and second.wait("bye")["reason"], "failed", "which the viewer hears")
ok(until(lambda: second.code == 1000), "with the code of a terminal session", second.code)
d.finish()
