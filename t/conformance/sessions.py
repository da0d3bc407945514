#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Browser sessions as the text has them: SPEC 2.5, 3, 4.4, 4.5, CONTRACT A4, C-084 to C-105. Asked over TLS
alone; no browser runs. One TAP line a statement.

usage: sessions.py ENV VECTORS     ENV: shell assignments; t/conformance/sessions.t makes it
"""
import re
import sys
import threading
import uuid

from client import ENV, ask, end, same, stamps

P, OTHER, FOREIGN = ENV["P"], ENV["OTHER"], ENV["FOREIGN"]
S = "/projects/%s/sessions" % P
MEMBERS = """uuid project_uuid creator start_url egress_country viewport created_at updated_at last_activity_at ready_at
    expires_at close_requested_at terminal_at replayed_from_session_uuid state terminal_reason browser_profile""".split()
URL = "https://www.example.com/"


def make(key=ENV["KEY"], idem=None, project=P, **members):
    body = {"start_url": URL, **members}
    headers = {} if idem is None else {"Idempotency-Key": idem}
    return ask("POST", "/projects/%s/sessions" % project, {k: v for k, v in body.items() if v is not ...}, key, headers)


def creation():
    a = make()
    s = a.json["session"]
    same((a.status, list(a.json)), (202, ["session"]), "A1: a session is accepted")
    same(sorted(s), sorted(MEMBERS), "SPEC 2.5, A4: its members, C-102: and no others")
    same((s["state"], s["start_url"], s["browser_profile"], s["viewport"], s["project_uuid"], s["terminal_reason"]),
         ("queued", URL, "windows", {"width": 1280, "height": 720}, P, None), "A4: the defaults")
    same(s["egress_country"], capabilities()["egress_countries"][0]["code"], "A4: the first country of the capabilities")
    same([s[m] for m in ("last_activity_at", "ready_at", "expires_at", "close_requested_at", "terminal_at", "replayed_from_session_uuid")], [None] * 6, "C-120: unset ones are null")
    same(list(s["creator"]), ["uuid"], "SPEC 2.5: creator is an object with uuid")
    stamps(s, "a session")
    same(ask("GET", S + "/" + s["uuid"]).json["session"], s, "it is read as it was answered")
    b = make(start_url="HTTPS://WWW.Example.COM:443", viewport={"height": 240, "width": 3840}, browser_profile="macos", egress_country="DE").json["session"]
    same((b["start_url"], b["viewport"], b["browser_profile"], b["egress_country"]), (URL, {"width": 3840, "height": 240}, "macos", "DE"), "A4: start_url in its canonical form, the rest as sent")
    return s


def capabilities():
    return ask("GET", S + "/capabilities").json["capabilities"]


def faults():
    a = ask("GET", S + "/capabilities")
    c = a.json["capabilities"]
    same((a.status, sorted(c)), (200, ["browser_profiles", "egress_countries", "limits", "viewport"]), "A4: the capabilities")
    same((sorted(c["browser_profiles"]), sorted(x["code"] for x in c["egress_countries"])), (["linux", "macos", "windows"], ["DE", "GB"]), "A4: profiles and countries")
    same([c["viewport"][m] for m in ("min_width", "max_width", "min_height", "max_height")], [320, 3840, 240, 2160], "A4: bounds of the viewport")
    one = (
        ("C-096: a country in lower case", {"egress_country": "gb"}, ["egress_country invalid_format"]),
        ("C-096: three letters", {"egress_country": "GBR"}, ["egress_country"]),
        ("C-064: a newline after the country", {"egress_country": "GB\n"}, ["egress_country"]),
        ("C-096: a country that capabilities do not list", {"egress_country": "US"}, ["egress_country"]),
        ("an unknown profile", {"browser_profile": "beos"}, ["browser_profile"]),
        ("C-097: no height", {"viewport": {"width": 800}}, ["viewport.height required"]),
        ("C-097: no width", {"viewport": {"height": 800}}, ["viewport.width required"]),
        ("C-097: another member", {"viewport": {"width": 800, "height": 600, "depth": 24}}, ["viewport.depth unknown_field"]),
        ("C-097: no integer", {"viewport": {"width": 800.5, "height": 600}}, ["viewport.width"]),
        ("C-097: a text", {"viewport": {"width": "800", "height": 600}}, ["viewport.width invalid_type"]),
        ("C-097: an array", {"viewport": [800, 600]}, ["viewport invalid_type"]),
        ("A4: too narrow", {"viewport": {"width": 319, "height": 240}}, ["viewport.width out_of_range"]),
        ("A4: too wide", {"viewport": {"width": 3841, "height": 240}}, ["viewport.width out_of_range"]),
        ("A4: too low", {"viewport": {"width": 320, "height": 239}}, ["viewport.height out_of_range"]),
        ("A4: too high", {"viewport": {"width": 320, "height": 2161}}, ["viewport.height out_of_range"]),
        ("C-099: an unknown member", {"colour": "red"}, ["colour unknown_field"]),
        ("A4: no start_url", {"start_url": ...}, ["start_url required"]),
        ("C-028: start_url is null", {"start_url": None}, ["start_url"]),
        ("C-093: 2049 characters", {"start_url": "https://example.com/" + "a" * 2029}, ["start_url too_long"]),
    )
    for name, members, wanted in one:
        a = make(**members)
        got = a.faults() if a.status == 400 else [a.short]
        same((a.short, [g if " " in w else g.split()[0] for g, w in zip(got, wanted)], len(got)), ("400 invalid_request", wanted, len(wanted)), name)
    a = make(start_url="ftp://x", browser_profile="x", egress_country="x", viewport={"width": 1, "z": 2}, y=1)
    same((a.short, [f.split()[0] for f in a.faults()]),
         ("400 invalid_request", ["browser_profile", "egress_country", "start_url", "viewport.height", "viewport.width", "viewport.z", "y"]), "C-098: all problems in one answer")
    same(make(start_url="https://example.com/" + "a" * 2028).status, 202, "C-093: 2048 characters")


def unescape(text):
    text = re.sub(r"\{([AE])\*(\d+)\}", lambda m: {"A": "a", "E": "\u00e9"}[m.group(1)] * int(m.group(2)), text)
    named = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}
    return re.sub(r"\\(x[0-9A-Fa-f]{2}|.)", lambda m: chr(int(m.group(1)[1:], 16)) if m.group(1)[0] == "x" else named[m.group(1)], text)


def start_urls(path):
    """The vectors of the rule, as a client meets them: C-093, C-094."""
    for line in open(path, encoding="utf-8"):
        if line.startswith("#") or not line.strip():
            continue
        url, wanted, canonical = (line.rstrip("\n").split("\t") + [""])[:3]
        sent = unescape(url)
        if any(0x80 <= ord(c) < 0x100 and "\\x" in url for c in sent):
            continue  # bytes that are no UTF-8 cannot stand in JSON
        a = make(start_url=sent)
        name = "C-094: " + url.encode("ascii", "backslashreplace").decode()[:90]
        if wanted == "accept":
            same((a.status, canonical in ("-", "") or a.json["session"]["start_url"] == canonical), (202, True), name)
        else:
            same((a.short, [f.split()[0] for f in a.faults()] if a.status == 400 else a.json), ("400 invalid_request", ["start_url"]), name)


def idempotency():
    key = "k-" + str(uuid.uuid4())
    first = make(idem=key, viewport={"width": 1280, "height": 720})
    same((first.status, first.headers["Idempotency-Replayed"]), (202, None), "C-084: with an Idempotency-Key")
    again = make(idem=key, start_url="HTTPS://www.EXAMPLE.com:443/", browser_profile="windows")
    same((again.status, again.headers["Idempotency-Replayed"], again.json), (202, "true", first.json), "C-086: a repeat in another spelling, with its defaults said")
    other = make(idem=key, start_url="https://www.example.com/other")
    same(other.short, "409 idempotency_key_conflict", "C-087: another request")
    same(first.json["session"]["uuid"].encode() in other.raw or b"www.example" in other.raw, False, "C-087: nothing of the first is revealed")
    same(make(idem=key, viewport={"width": 1280, "height": 721}).short, "409 idempotency_key_conflict", "C-087: another viewport")
    ask("DELETE", S + "/" + first.json["session"]["uuid"])
    now = make(idem=key)
    same((now.json["session"]["uuid"], now.json["session"]["state"]), (first.json["session"]["uuid"], "closing"), "C-088: a repeat answers the current state")
    same(make(idem=key, key=ENV["KEY_SECOND"]).json["session"]["uuid"] != first.json["session"]["uuid"], True, "C-085: another credential's key is another key")
    same(make(idem=key, project=OTHER).json["session"]["uuid"] != first.json["session"]["uuid"], True, "C-085: so is another project's")
    for bad in ("", "x" * 201):
        same(make(idem=bad).status, 400, "C-084: of %d characters" % len(bad))
    for good in ("x", "y" * 200):
        same(make(idem=good).status, 202, "C-084: of %d characters" % len(good))
    key = str(uuid.uuid4())
    same((make(idem=key, start_url="ftp://x/").status, make(idem=key).status), (400, 202), "C-089: a failed create burns no key")
    key, got = str(uuid.uuid4()), []
    twins = [threading.Thread(target=lambda: got.append(make(idem=key))) for _ in range(8)]
    for t in twins:
        t.start()
    for t in twins:
        t.join()
    same((sorted({a.status for a in got}), len({a.json["session"]["uuid"] for a in got}), len(got)), ([202], 1, 8), "C-089: concurrent twins are one session")


def limits():
    key = ENV["KEY_LIMITED"]  # 5 sessions
    got = []
    many = [threading.Thread(target=lambda: got.append(make(key=key))) for _ in range(16)]
    for t in many:
        t.start()
    for t in many:
        t.join()
    made = [a for a in got if a.status == 202]
    full = [a for a in got if a.status == 429]
    same((len(made), len(full), {a.code for a in full}), (5, 11, {"caller_session_limit_exceeded"}), "C-090: sixteen at once against five")
    same({re.fullmatch("[1-9][0-9]*", a.headers["Retry-After"] or "") is not None for a in full}, {True}, "C-067: with Retry-After")
    c = ask("DELETE", S + "/" + made[0].json["session"]["uuid"], key=key)
    same((c.status, c.json["session"]["state"]), (202, "closing"), "C-103: closing is never blocked by limits")
    same(make(key=key).short, "429 caller_session_limit_exceeded", "C-090: what closes still counts")


def closing():
    s = make().json["session"]
    path = S + "/" + s["uuid"]
    a = ask("DELETE", path)
    c = a.json["session"]
    same((a.status, c["state"], c["close_requested_at"] is not None), (202, "closing", True), "A1: closing")
    b = ask("DELETE", path)
    same((b.status, b.json["session"]), (202, c), "C-103: again, close_requested_at is set once and a body is there")
    m = make().json["session"]
    d = ask("DELETE", S + "/" + m["uuid"], key=ENV["KEY_MANAGER"])
    same((d.status, d.json["session"]["state"]), (202, "closing"), "C-101: a manager terminates")
    same(ask("DELETE", S + "/" + m["uuid"], key=ENV["KEY_MANAGE_ALONE"]).status, 202, "A7: browser.sessions.manage alone is enough for it")
    t = ask("DELETE", S + "/" + ENV["TERMINAL"])
    same((t.status, t.json["session"]["state"]), (200, "terminal"), "A1: a terminal one is answered with 200")


def privacy(s):
    path = S + "/" + s["uuid"]
    gone = ask("GET", S + "/" + str(uuid.uuid4()), key=ENV["KEY_SECOND"])
    same(gone.short, "404 session_not_found", "A8: a session that is not there")
    for name, key in (("another key of the same owner", "KEY_SECOND"), ("a colleague's key", "KEY_COLLEAGUE")):
        for method in ("GET", "DELETE"):
            missing = ask(method, S + "/" + str(uuid.uuid4()), key=ENV[key])
            same(ask(method, path, key=ENV[key]).bare(), missing.bare(), "C-100: %s by %s is as if it did not exist" % (method, name))
        missing = ask("POST", S + "/%s/replay" % uuid.uuid4(), key=ENV[key])
        same(ask("POST", path + "/replay", key=ENV[key]).bare(), missing.bare(), "C-105: replay by %s too" % name)
        same(s["uuid"] in [x["uuid"] for x in ask("GET", S + "?limit=100", key=ENV[key]).json["sessions"]], False, "C-101: nor is it in the list of %s" % name)
    same(ask("GET", path, key=ENV["KEY_MANAGER"]).json, {"session": s}, "C-101: a manager reads its metadata")
    same(s["uuid"] in [x["uuid"] for x in ask("GET", S + "?limit=100", key=ENV["KEY_MANAGER"]).json["sessions"]], True, "C-101: and has it in the list")
    same(ask("POST", path + "/replay", key=ENV["KEY_MANAGER"]).status, 403, "A4: a manager does not replay")
    same(ask("GET", "/projects/%s/sessions/%s" % (OTHER, s["uuid"])).short, "404 session_not_found", "C-115: in a sister project")
    same(ask("GET", "/projects/%s/sessions/%s" % (FOREIGN, s["uuid"])).short, "404 project_not_found", "C-116: in another account's")
    same(ask("GET", path, key=ENV["KEY_CREATE_ALONE"]).short, "403 permission_denied", "A7: reading needs browser.sessions.view")
    same(make(key=ENV["KEY_VIEW"]).short, "403 permission_denied", "A7: creating needs browser.sessions.create")
    same(make(key=ENV["KEY_UNENTITLED"], project=ENV["UNENTITLED"]).short, "403 entitlement_required", "C-017: without the entitlement")


def replaying():
    a = ask("POST", S + "/" + ENV["TERMINAL"] + "/replay")
    r = a.json["session"]
    source = ask("GET", S + "/" + ENV["TERMINAL"]).json["session"]
    same((a.status, r["state"], r["replayed_from_session_uuid"]), (202, "queued", ENV["TERMINAL"]), "C-105: a replay is queued and knows its source")
    same({m: r[m] for m in ("start_url", "viewport", "browser_profile", "egress_country")}, {m: source[m] for m in ("start_url", "viewport", "browser_profile", "egress_country")}, "with what the source was created with")
    same(source["state"], "terminal", "C-105: the source is unchanged")
    live = make().json["session"]
    same(ask("POST", S + "/" + live["uuid"] + "/replay").short, "409 session_not_terminal", "C-105: a live one is not replayed")


def lists():
    every = ask("GET", S + "?limit=100").json
    same(sorted(every), ["has_more", "next_cursor", "sessions"], "A2: the members of a list")
    for state in ("queued", "starting", "running", "closing", "terminal"):
        got = {x["state"] for x in ask("GET", S + "?limit=100&state=" + state).json["sessions"]}
        same(got <= {state}, True, "A4: the list by state %s" % state)
    same(ask("GET", S + "?state=ready").status, 400, "an unknown state")
    same(ask("GET", S + "?limit=0").short, "400 invalid_pagination", "A2: limit=0")
    page = ask("GET", S + "?limit=1&state=queued").json
    same(ask("GET", S + "?limit=1&state=closing&cursor=" + page["next_cursor"]).short, "400 invalid_pagination", "A2: a cursor is bound to its filters")
    same(ask("PUT", S).short, "405 method_not_allowed", "A1: a wrong method")


if __name__ == "__main__":
    private = creation()
    faults()
    start_urls(sys.argv[2])
    idempotency()
    limits()
    closing()
    privacy(private)
    replaying()
    lists()
    end()
