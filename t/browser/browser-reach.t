#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""The addresses that the real Chromium reaches through egress: in every way that a page has, no packet arrives at
any kind of forbidden address; a listener on each of them counts (C-095). The same ways lead to a public site,
which shows that they are really tried."""
import ipaddress, os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../helper")
from egress import *  # noqa
from chromium import SHELL, Chromium
from reach import *  # noqa

for program in (SHELL, "/usr/bin/bwrap"):
    if not os.access(program, os.X_OK):
        skip_all(program + " is not installed")
enter()
PAGE = {"body": "<!doctype html><title>home</title><body><script src=/vectors.js></script>"}
CODES = (301, 302, 303, 307, 308)
w = World({"names": NAMES, "pages": {
    "home.net/": PAGE, **{"%s/" % n: {**PAGE, "headers": {"Connection": "close"}} for n in NAMES if "rebind" in n},
    "home.net/sw.js": {"headers": {"Content-Type": "text/javascript"}, "body": """
        oninstall = (e) => e.waitUntil(skipWaiting());
        onactivate = (e) => e.waitUntil(clients.claim());
        onmessage = (e) => Promise.all(e.data.map((u) => fetch(u, {mode: "no-cors"}).catch(() => 0)))
            .then(() => e.source.postMessage(1));
        onfetch = (e) => e.request.url.includes("/through/") &&
            e.respondWith(fetch(decodeURIComponent(e.request.url.split("/through/")[1]), {mode: "no-cors"}));"""}}})
for name in ("home.net", "rebind1.net", "rebind2.net", "rebind3.net"):
    os.makedirs(w.path("www/" + name))
    w.write("www/%s/vectors.js" % name, VECTORS)
s = Session(w.start())
stun = Server(lambda c: c.recv(100), PUBLIC, 8080)
browser = Chromium(s.namespace, "--ignore-certificate-errors", "--disable-popup-blocking",
                   # What Chromium itself has against such requests is off: egress alone is to hold.
                   "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests,HttpsUpgrades,"
                   "HttpsFirstBalancedModeAutoEnable,AsyncDns", "--disable-web-security", log=w.path("chromium.log"))


def hits():
    """The paths that public sites received."""
    return {json.loads(line)["path"].split("?")[0] for line in w.read("access.log").splitlines()}


def plain(host):
    """An address in its canonical spelling."""
    try:
        return str(ipaddress.ip_address(host.strip("[]")))
    except ValueError:
        return host


def denied(host):
    return any(t["event"] == "denied" and plain(t.get("host", "")) == plain(host) for t in s.lines())


def tries():
    """The number of connections that egress was asked for."""
    return sum(t["count"] for t in s.lines())


def packets(title):
    is_(w.arrived()[:5], [], "no packet reaches a forbidden address by %s (C-095)" % title)


# ---- the ways work ----

tab = browser.page("http://home.net/")
browser.run(tab, 'attack("http://open.net")')
until(lambda: WAYS <= {p.split("/")[-1] for p in hits()})
is_(sorted(WAYS - {p.split("/")[-1] for p in hits()}), [], "%d ways to connect lead to a public site" % len(WAYS))
browser.run(tab, 'attack("http://%s")' % PUBLIC)
ok(until(lambda: stun.connections), "TURN over TCP of WebRTC leads to a public site")

# ---- subresources ----

for host in TARGETS:
    browser.run(tab, 'attack("http://%s")' % host)
    for seconds in (1, 2, 4, 8, 16, 32):  # the dispatcher hears of fifty a second
        if not until(lambda: denied(host), seconds):  # pylint: disable=cell-var-from-loop
            browser.run(tab, 'fetch("http://%s/again").catch(() => 0)' % host)
packets("subresources, workers, WebSockets and WebRTC")
is_([h for h in TARGETS if not denied(h) and h != "0.0.0.0"], [],
    "egress was asked for each forbidden address and denied it")
browser.run(tab, 'attack("http://10.1.2.3:8080")')
packets("subresources on another port")

# ---- navigation and redirects ----

def refused(url):
    """Navigates there; true if the browser shows an error."""
    return browser.go(tab, url) != ""

is_([u for u in TARGETS + SPELLINGS if not refused("http://%s/" % u)], [],
    "a navigation to a forbidden address fails in every spelling (C-094)")
packets("a navigation in every spelling")
is_([(u, c) for u in TARGETS[:8] for c in CODES if not refused("http://home.net/redirect?code=%d&to=http://%s/" % (c, u))],
    [], "a redirect to a forbidden address fails")
packets("a redirect of a navigation")
browser.go(tab, "http://home.net/")
for host in TARGETS[:8] + SPELLINGS[:10]:
    browser.run(tab, 'fetch("/redirect?to=http://%s/", {mode: "no-cors"}).catch(() => 0)' % host)
    browser.run(tab, '''new Promise((done) => { const i = new Image(); i.onerror = i.onload = done;
        i.src = "/redirect?to=http://%s/"; }).then(() => 1)''' % host)
packets("a redirect of a subresource")
asked = tries()
for host in TARGETS[:6]:
    browser.run(tab, '''void window.open("http://%s/popup");
        document.body.insertAdjacentHTML("beforeend", `<form action="http://%s/form" method="post" target="_blank"></form>
            <iframe srcdoc='<meta http-equiv="refresh" content="0;url=http://%s/meta">'></iframe>`);
        document.forms[document.forms.length - 1].submit();''' % (host, host, host))
until(lambda: tries() >= asked + 12, 5)
packets("popups, forms and meta refresh")

# ---- service workers ----

browser.go(tab, "https://home.net/")
SERVICE = '''(async (urls) => {
    await navigator.serviceWorker.register("/sw.js");
    const r = await navigator.serviceWorker.ready;
    while (!navigator.serviceWorker.controller) await new Promise((done) => setTimeout(done, 20));
    const answered = new Promise((done) => navigator.serviceWorker.onmessage = done);
    r.active.postMessage(urls);
    await answered;
    await Promise.all(urls.map((u) => fetch("/through/" + encodeURIComponent(u)).catch(() => 0)));
    return 1;
})'''
browser.run(tab, SERVICE + '(["https://open.net/v/service"])')
ok("/v/service" in hits(), "a service worker leads to a public site")
before = tries()
browser.run(tab, SERVICE + "(%s)" % json.dumps(["%s://%s/v/service" % (scheme, h) for h in TARGETS for scheme in ("https", "http")]))
ok(until(lambda: tries() > before + len(TARGETS)), "a service worker tries the forbidden addresses")
packets("a service worker")
browser.run(tab, 'attack("https://127.0.0.1")')
packets("a page over https")

# ---- rebinding ----

for i in range(1, 4):
    name = "rebind%d.net" % i
    good = browser.go(tab, "http://%s/" % name)
    for _ in range(3):
        browser.run(tab, 'Promise.all([1, 2, 3, 4].map((i) => fetch("/v/again" + i).catch(() => 0))).then(() => 1)')
        browser.run(tab, 'new Promise((done) => { const s = new WebSocket("ws://%s/ws"); s.onopen = s.onerror = done; }).then(() => 1)' % name)
    ok(good == "" and until(lambda: denied(name)), "%s is denied when it rebinds to 127.0.0.1 after %d answers" % (name, i))
packets("a name that rebinds")

browser.end()
w.finish()
done()
