#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Input of a viewer reaches the page, and the state of the page reaches the viewer. KEEP=DIR keeps screenshots."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../helper")
from runner import *  # noqa

HTML = {"Content-Type": "text/html; charset=utf-8"}
TALK = "const tell = (what) => fetch('/tell?' + encodeURIComponent(what));"
FORM = """<!doctype html><title>form</title><style>body{margin:0}input{position:absolute;left:0;top:0;width:400px;
height:50px;font:30px sans-serif}#z{position:absolute;top:3000px}</style><form action=/got><input name=q></form>
<div id=z>end</div><script>%s
addEventListener('keydown', (e) => tell([e.key, e.code, e.keyCode, e.ctrlKey, e.location, e.repeat].join()));
addEventListener('wheel', (e) => tell('wheel ' + e.deltaY));
addEventListener('mousedown', (e) => tell(['down', e.clientX, e.clientY, e.button, e.buttons, e.detail].join()));
addEventListener('contextmenu', (e) => tell('menu'));
addEventListener('dblclick', (e) => tell('double'));
</script>""" % TALK
MOVING = """<!doctype html><title>moving</title><canvas id=c width=1280 height=720></canvas><script>
const g = c.getContext('2d'); let n = 0;
(function draw() { g.fillStyle = 'hsl(' + (n++ %% 360) + ',80%%,50%%)'; g.fillRect(0, 0, 1280, 720); requestAnimationFrame(draw) })();
</script>""".replace("%%", "%")
SLOW = "<!doctype html><title>slow</title><img src=/hang><script>%s tell('slow')</script>" % TALK
PAGES = {"/": FORM, "/got": "<title>got</title>", "/two": "<title>two</title>", "/moving": MOVING, "/slow": SLOW,
         "/still": "<title>still</title><body style='background:#fff'>"}
enter({"names": {"a.sites.net": {"A": ["93.184.216.34"]}},
       "pages": {"a.sites.net" + path: {"headers": HTML, "body": body} for path, body in PAGES.items()}})
d = Dispatch()
d.start_egress()
URL = "http://a.sites.net"


def told():
    return [urllib.parse.unquote(r["path"][6:]) for r in access() if r["path"].startswith("/tell?")]


def hears(what, title):
    ok(until(lambda: what in told()), title, told())


s = d.create(URL + "/", idle_ms=300000)
ok(s.wait("ready"), "the session of the form is ready", d.logged())
v = s.watch()
m = v.wait("hello")
ok(m and m["session"] == s.id and m["viewport"] == {"width": 1280, "height": 720} and m["profile"] == "windows" and
   m["country"] == "DE" and m["idle_seconds"] == 300, "hello describes the session to the viewer", m)
is_(v.wait("state") and v.wait("state")["state"], "running", "the viewer gets the state running")
ok(v.wait("hello", lambda m: m["expires_at"]), "the viewer gets the time when the session expires")
ok(until(lambda: v.frames), "a still page sends its first frame")
frame = v.frames[0][1]
is_(struct.unpack(">BBHI", frame[:8])[:3] + struct.unpack(">HH", frame[16:20]), (1, 1, 1, 1280, 720),
    "a frame has its header with the size of the viewport")
ok(frame[32:35] == b"\xff\xd8\xff" and len(frame) == 32 + struct.unpack(">I", frame[24:28])[0],
   "a frame contains a JPEG of the announced length")

# ---- input ----
v.click(200, 25)
hears("down,200,25,0,1,1", "a click reaches the page at its position")
for c in "Hi":
    v.key(c, "Key" + c.upper(), c)
hears("H,KeyH,72,false,0,false", "a key reaches the page with code and key code")
v.send(type="text", text=" \u00fc\u4e16\U0001f600")
v.key("Backspace", "Backspace")
v.key("a", "KeyA", modifiers=2)
hears("a,KeyA,65,true,0,false", "a shortcut with Control reaches the page")
v.key("ArrowLeft", "ArrowLeft")
v.key("5", "Numpad5", "5")
hears("5,Numpad5,101,false,3,false", "a key of the keypad reaches the page")
v.key("Enter", "Enter", "\r")
ok(v.wait("title", lambda m: m["title"] == "got"), "Enter in a field submits the form", told())
got = [urllib.parse.parse_qs(r["path"].partition("?")[2]) for r in access() if r["path"].startswith("/got?")]
is_(got, [{"q": ["5Hi \u00fc\u4e16"]}], "the form has the typed text, with the arrow key respected")
v.send(type="back")
ok(v.wait("url", lambda m: m["url"] == URL + "/" and m["can_go_forward"] and not m["can_go_back"] or
          m["url"] == URL + "/" and m["can_go_forward"]),
          "the command back returns to the form", v.said[-5:])
v.send(type="mouse", action="wheel", x=300, y=300, dx=0, dy=240, button="none", buttons=0, clicks=0, modifiers=0)
hears("wheel 240", "the wheel reaches the page with its distance")
for clicks in (1, 2):
    for action in ("down", "up"):
        v.send(type="mouse", action=action, x=500, y=200, button="left", buttons=int(action == "down"), clicks=clicks,
               modifiers=0)
hears("double", "two quick clicks make a double click")
v.send(type="mouse", action="down", x=500, y=200, button="right", buttons=2, clicks=1, modifiers=0)
v.send(type="mouse", action="up", x=500, y=200, button="right", buttons=0, clicks=1, modifiers=0)
hears("menu", "the right button opens the context menu")
v.send(type="forward")
ok(until(lambda: v.said and [m for n, m in v.said if n == "url"][-1]["url"].startswith(URL + "/got")),
   "the command forward returns to the result")
is_(len([1 for n, _ in s.said if n == "activity"]) >= 1, True,
    "the dispatcher is told of the viewer's activity")

# ---- navigation obeys the rule (C-093) ----
for url in ("file:///etc/passwd", "http://127.0.0.1/", "javascript:alert(1)", "view-source:http://a.sites.net/", "data:text/html,x",
            "chrome://version", "http://a.sites.net@10.0.0.1/", "http://169.254.169.254/"):
    n = len(v.said)
    v.send(type="nav", url=url)
    ok(until(lambda: [m for k, m in v.said[n:] if k == "error"]),
       "a navigation to %s is refused (C-093)" % url, v.said[n:])
ok([m for n, m in v.said if n == "url"][-1]["url"].startswith(URL + "/got"),
   "a refused navigation leaves the page unchanged")
v.send(type="nav", url=URL + "/two")
ok(v.wait("title", lambda m: m["title"] == "two"), "a navigation to an allowed URL succeeds")
v.send(type="reload")
ok(until(lambda: len([r for r in access() if r["path"] == "/two"]) == 2),
   "the command reload loads the page again")
v.send(type="nav", url=URL + "/slow")
ok(v.wait("url", lambda m: m["url"].endswith("/slow") and m["loading"]),
   "a page that does not finish is shown as loading")
hears("slow", "a page that is loading runs its script")
v.send(type="stop")
ok(until(lambda: not [m for n, m in v.said if n == "url" and m["url"].endswith("/slow")][-1]["loading"]),
   "the command stop ends the loading")

# ---- screenshots and events ----
v.send(type="shot")
m = v.wait("shot", lambda m: m["reason"] == "request")
ok(m and s.shot("request", lambda p: p["id"] == m["id"]),
   "a screenshot on request reaches viewer and dispatcher", v.said[-3:])
ok(v.wait("net", lambda m: [e for e in m["events"] if e["url"] == URL + "/two"]),
   "the events of the page reach the viewer")

# ---- a viewer that connects late, or again ----
seen = {e["id"] for n, m in v.said if n == "net" for e in m["events"]}
again = s.watch()
ok(until(lambda: seen <= {e["id"] for n, m in again.said if n == "net" for e in m["events"]}),
   "a viewer that connects late gets the earlier network events")
ok(again.wait("shot", lambda m: m["reason"] == "ready") and again.wait("shot", lambda m: m["reason"] == "request"),
   "a viewer that connects late gets the earlier screenshots", again.said)
first = [e["id"] for n, m in again.said if n == "net" for e in m["events"]]
is_(len(first), len(set(first)), "no network event is sent twice")
again.send(type="ping")
ok(again.wait("pong"), "the server answers a ping")
v = again

# ---- a page that cannot be loaded ----
def fails(url, want, title):
    n = len(v.said)
    v.send(type="nav", url=url)
    ok(until(lambda: [m for k, m in v.said[n:] if k == "url" and m["url"].startswith(url) and want in (m["failure"] or "")]),
       title, v.said[n:])


fails("http://a.sites.net:81/", "net::ERR_", "a closed port is reported as the failure of the page")
fails("http://none.sites.net/", "net::ERR_",
    "a name without an address is reported as the failure of the page")
fails("https://a.sites.net/", "net::ERR_CERT_",
    "an untrusted certificate is reported as the failure of the page")
late = s.watch()
ok(late.wait("url", lambda m: "net::ERR_CERT_" in (m["failure"] or "")),
   "a viewer that connects late gets the failure of the page",
   late.said)
v = late
v.send(type="nav", url=URL + "/two")
ok(v.wait("url", lambda m: m["url"] == URL + "/two" and m["failure"] is None),
   "the next page has no failure", v.said[-5:])

# ---- frames ----
v.send(type="quality", fps=10, quality=50)
v.send(type="nav", url=URL + "/moving")
v.wait("title", lambda m: m["title"] == "moving")
n = len(v.frames)
ok(until(lambda: len(v.frames) > n + 20), "a page that moves sends frames")
times = [struct.unpack(">Q", f[8:16])[0] / 1e6 for _, f in v.frames[n + 5:n + 20]]  # as they were painted
ok((times[-1] - times[0]) / (len(times) - 1) > 0.08, "the viewer gets no more frames than requested", times)
diag("%.1f frames a second of 10" % ((len(times) - 1) / (times[-1] - times[0])))
with contextlib.suppress(IndexError):
    s.keep({"image": v.frames[-1][1][32:]}, "frame.jpg")
v.send(type="nav", url=URL + "/still")
v.wait("title", lambda m: m["title"] == "still")
second = s.watch()
ok(until(lambda: second.frames), "a second viewer gets a frame of a still page at once")
ok(until(lambda: v.code is not None), "the first viewer is disconnected by the second")

is_((s.close("expired") or {}).get("failed"), False, "the session ends without a failure when it expires")
ok(second.wait("state", lambda m: m["state"] == "closing"), "the viewer gets the state closing")
is_(second.wait("bye") and second.wait("bye")["reason"], "expired",
    "the viewer gets bye with the reason expired")
ok(until(lambda: second.code == 1000), "the viewer's connection closes with the code 1000", second.code)

# ---- warnings ----
s = d.create(URL + "/still", lifetime_ms=70000, idle_ms=62000)
s.wait("ready")
v = s.watch()
m = v.wait("expiring", lambda m: m["reason"] == "idle_timeout" and m["seconds"] <= 60)
ok(m, "the viewer is warned before the session ends as idle", v.said)
m = v.wait("expiring", lambda m: m["reason"] == "expired" and m["seconds"] <= 60)
ok(m, "the viewer is warned before the session expires", v.said)
d.finish()
