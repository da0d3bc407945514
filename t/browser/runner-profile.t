#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Every layer of the browser shows the profile: the document, a popup's first request, popups, dedicated, shared
and service workers, frames of another site, in every moment; and the page sees nothing of the real machine."""
import os, re, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../helper")
from runner import *  # noqa

SEEN = """const seen = () => ({platform: navigator.platform, agent: navigator.userAgent,
  languages: navigator.languages.join(), hints: navigator.userAgentData ? navigator.userAgentData.platform : null,
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone, locale: Intl.DateTimeFormat().resolvedOptions().locale,
  webdriver: navigator.webdriver === true});
const tell = (who) => fetch('/tell/' + who + '?' + encodeURIComponent(JSON.stringify(seen())));
"""
MAIN = """<!doctype html><title>profile</title><script>""" + SEEN + """
tell('document');
new Worker('/worker.js');
new SharedWorker('/shared.js');
navigator.serviceWorker.register('/service.js');
window.open('/popup.html');
const a = document.createElement('a'); a.href = '/noopener.html'; a.target = '_blank'; a.rel = 'noopener';
document.documentElement.append(a); a.click();
const f = document.createElement('iframe'); f.src = 'https://b.sites.net/frame.html';
document.documentElement.append(f);
navigator.userAgentData && navigator.userAgentData.getHighEntropyValues(
  ['platformVersion', 'architecture', 'bitness', 'fullVersionList', 'model']).then(
  (v) => fetch('/tell/hints?' + encodeURIComponent(JSON.stringify(v))));
</script>"""
JS = {"Content-Type": "text/javascript"}
PAGES = {"": MAIN, "popup.html": "<script>%s tell('popup')</script>" % SEEN,
         "noopener.html": "<script>%s tell('noopener')</script>" % SEEN,
         "worker.js": SEEN + "tell('worker'); fetch('/tell/native?' + encodeURIComponent(JSON.stringify({text:"
                             "Object.getOwnPropertyDescriptor(WorkerNavigator.prototype, 'platform').get.toString()})))",
         "shared.js": SEEN + "onconnect = () => {}; tell('shared')",
         "service.js": SEEN + "tell('service'); setInterval(() => tell('service'), 100)", "frame.html": "<script>%s tell('frame')</script>" % SEEN,
         "opens.html": "<script>onmessage = () => close(); open('/stays.html')</script>",
         "stays.html": "<script>%s opener.postMessage('', '*'); setInterval(() => tell(opener ? 'before' : 'after'), 50)"
                       "</script>" % SEEN,
         "plain.html": "<script>%s tell('plain')</script>" % SEEN,
         "leads.html": "<script>open('https://b.sites.net/opens.html', '_blank', 'noopener')</script>"}
enter({"names": {"a.sites.net": {"A": ["93.184.216.34"]}, "b.sites.net": {"A": ["93.184.216.34"]}},
       "pages": {host + ".sites.net/" + path: {"headers": JS if path.endswith(".js") else {"Content-Type": "text/html"},
                                               "body": body} for path, body in PAGES.items() for host in "ab"}})

WHO = ["document", "popup", "noopener", "worker", "shared", "service", "frame"]
PLATFORMS = {"windows": ("Win32", "Windows NT 10.0; Win64; x64", "Windows", "x86"),
             "macos": ("MacIntel", "Macintosh; Intel Mac OS X 10_15_7", "macOS", "arm"),
             "linux": ("Linux x86_64", "X11; Linux x86_64", "Linux", "x86")}
COUNTRIES = {"windows": ("DE", "de-DE,de,en-US,en", "Europe/Berlin", "de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7"),
             "macos": ("JP", "ja-JP,ja,en-US,en", "Asia/Tokyo", "ja-JP,ja;q=0.9,en-US;q=0.8,en;q=0.7"),
             "linux": ("US", "en-US,en", "America/New_York", "en-US,en;q=0.9")}
# A script of its own, a region that differs from its language's usual one, and a text that runs from right to left.
COUNTRIES_OF_OTHER_KINDS = ("TW", "AT", "IL", "NO")


def check(profile):
    country, languages, zone, accept = COUNTRIES[profile]
    platform, agent, hint, architecture = PLATFORMS[profile]
    before = len(access())
    s = d.create("https://a.sites.net/", profile=profile, country=country)
    ok(s.wait("ready"), profile + ": the session of the profile is ready", d.logged())
    for who in WHO:
        host = "b.sites.net" if who == "frame" else "a.sites.net"
        got = until(lambda: first(reports(before, host, who)))
        title = "%s: %s" % (profile, who)
        if not ok(got, title + " reports what it sees"):
            continue
        seen, headers = got
        is_(seen["platform"], platform, title + " sees the profile in navigator.platform")
        ok(agent in seen["agent"] and "Headless" not in seen["agent"], title + " sees the profile in navigator.userAgent", seen)
        is_((seen["languages"], seen["zone"], seen["locale"], seen["webdriver"]),
            (languages, zone, languages.split(",")[0], False), title + " sees languages, time zone, locale and no automation")
        is_(seen["hints"], hint, title + " sees the profile in userAgentData.platform")
        is_((headers.get("User-Agent"), headers.get("Accept-Language")), (seen["agent"], accept), title + " sends the profile's headers")
    firsts = [r for r in access()[before:] if r["path"] in ("/", "/popup.html", "/noopener.html", "/frame.html")]
    is_(len(firsts), 4, profile + ": the site gets the first requests of four documents")
    for r in firsts:
        h = r["headers"]
        is_((h.get("sec-ch-ua-platform"), "Headless" in h.get("sec-ch-ua", "Headless"), agent in h["User-Agent"],
             h["Accept-Language"]), ('"%s"' % hint, False, True, accept), "%s: the first request of %s has the profile" % (profile, r["path"]))
    hints = until(lambda: first(reports(before, "a.sites.net", "hints")))
    ok(hints and hints[0]["architecture"] == architecture and hints[0]["platform"] == hint and
       "Google Chrome" in str(hints[0]["fullVersionList"]), profile + ": the high-entropy hints have the profile", hints)
    native = until(lambda: first(reports(before, "a.sites.net", "native")))
    ok(native and "[native code]" in native[0]["text"], profile + ": a changed function in a worker looks native", native)
    leaks = [r for r in access()[before:] if "HeadlessChrome" in str(r["headers"]) or
             (profile != "linux" and "Linux" in str(r["headers"]))]
    is_(leaks, [], profile + ": no request shows the real browser")
    ok(s.close(), profile + ": the session of the profile ends")
    is_(locales(before), {languages.split(",")[0]}, profile + ": no report ever shows another locale")


def outlived():
    """A process of the browser outlives the page that it was started for, and keeps the locale in every moment: a
    popup reports every 50 ms while its opener closes, and a hundred times after that."""
    before = len(access())
    s = d.create("https://a.sites.net/leads.html", profile="windows", country="DE")
    ok(s.wait("ready"), "the session of a popup whose opener ends is ready", d.logged())
    ok(until(lambda: len(reports(before, "b.sites.net", "after")) >= 100),
       "the popup outlives its opener and reports", access()[-5:])
    ok(s.close(), "the session of a popup whose opener ends is closed")
    is_(locales(before), {"de-DE"}, "the popup keeps the locale of the profile in every moment")


def every_language():
    """The locale that each country of src/tbl/locales.h promises."""
    with open(TOP + "/src/tbl/locales.h", encoding="utf-8") as f:
        table = dict(re.findall(r'LOCALE\("(..)", "([^"]*)"', f.read()))
    for country in COUNTRIES_OF_OTHER_KINDS:
        before = len(access())
        s = d.create("https://a.sites.net/plain.html", country=country)
        ok(until(lambda: reports(before, "a.sites.net", "plain")), country + ": a page reports what it sees", d.logged())
        is_(locales(before), {table[country]}, country + ": a page sees the locale of the country")
        ok(s.close(), country + ": the session of the country is closed")


def reports(before, host, who=None):
    """What pages and workers of the host have reported since: pairs of the report and the headers it came with."""
    found = []
    for r in access()[before:]:
        path, _, query = r["path"].partition("?")
        if r["host"] == host and path.startswith("/tell/") and who in (None, path[len("/tell/"):]):
            found.append((json.loads(urllib.parse.unquote(query)), r["headers"]))
    return found


def first(found):
    return found[0] if found else None


def locales(before):
    """Every locale that was reported since."""
    return {said["locale"] for host in "ab" for said, _ in reports(before, host + ".sites.net") if "locale" in said}


d = Dispatch("browser = %s\n" % trusting_browser())
d.start_egress()
for name in PLATFORMS:
    check(name)
outlived()
every_language()
d.finish()
