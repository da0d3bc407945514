#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Browser sessions as t/contract has them: C-084 to C-105, C-740 to C-745. Asked over TLS
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
    same((a.status, list(a.json)), (202, ["session"]), "a session is accepted with 202 (C-709, C-741)")
    same(sorted(s), sorted(MEMBERS), "a session has exactly its members (C-102)")
    same((s["state"], s["start_url"], s["browser_profile"], s["viewport"], s["project_uuid"], s["terminal_reason"]),
         ("queued", URL, "windows", {"width": 1280, "height": 720}, P, None), "a session has the default profile and viewport (C-740)")
    same(s["egress_country"], capabilities()["egress_countries"][0]["code"], "the default country is the first of the capabilities (C-740)")
    same([s[m] for m in ("last_activity_at", "ready_at", "expires_at", "close_requested_at", "terminal_at", "replayed_from_session_uuid")], [None] * 6, "unset members of a session are null (C-120)")
    same(list(s["creator"]), ["uuid", "kind"], "the creator of a session is an object with uuid and kind (C-332)")
    stamps(s, "a session")
    same(ask("GET", S + "/" + s["uuid"]).json["session"], s, "GET returns a session as POST did")
    b = make(start_url="HTTPS://WWW.Example.COM:443", viewport={"height": 240, "width": 3840}, browser_profile="macos", egress_country="DE").json["session"]
    same((b["start_url"], b["viewport"], b["browser_profile"], b["egress_country"]), (URL, {"width": 3840, "height": 240}, "macos", "DE"), "a session has its canonical URL and the sent values (C-741)")
    return s


def capabilities():
    return ask("GET", S + "/capabilities").json["capabilities"]


def faults():
    a = ask("GET", S + "/capabilities")
    c = a.json["capabilities"]
    same((a.status, sorted(c)), (200, ["browser_profiles", "egress_countries", "limits", "viewport"]), "the capabilities have their four members (C-742)")
    same((sorted(c["browser_profiles"]), sorted(x["code"] for x in c["egress_countries"])), (["linux", "macos", "windows"], ["DE", "GB"]), "the capabilities have profiles and countries (C-742)")
    same([c["viewport"][m] for m in ("min_width", "max_width", "min_height", "max_height")], [320, 3840, 240, 2160], "the capabilities have the bounds of the viewport (C-742)")
    one = (
        ("a country in lower case is refused (C-096)", {"egress_country": "gb"}, ["egress_country invalid_format"]),
        ("a country of three letters is refused (C-096)", {"egress_country": "GBR"}, ["egress_country"]),
        ("a country with a newline is refused (C-064)", {"egress_country": "GB\n"}, ["egress_country"]),
        ("a country that the capabilities do not list is refused (C-096)", {"egress_country": "US"}, ["egress_country"]),
        ("an unknown profile is refused", {"browser_profile": "beos"}, ["browser_profile"]),
        ("a viewport without a height is refused (C-097)", {"viewport": {"width": 800}}, ["viewport.height required"]),
        ("a viewport without a width is refused (C-097)", {"viewport": {"height": 800}}, ["viewport.width required"]),
        ("a viewport with another member is refused (C-097)", {"viewport": {"width": 800, "height": 600, "depth": 24}}, ["viewport.depth unknown_field"]),
        ("a width that is no integer is refused (C-097)", {"viewport": {"width": 800.5, "height": 600}}, ["viewport.width"]),
        ("a width that is a text is refused (C-097)", {"viewport": {"width": "800", "height": 600}}, ["viewport.width invalid_type"]),
        ("a viewport that is an array is refused (C-097)", {"viewport": [800, 600]}, ["viewport invalid_type"]),
        ("a viewport that is too narrow is refused (C-097)", {"viewport": {"width": 319, "height": 240}}, ["viewport.width out_of_range"]),
        ("a viewport that is too wide is refused (C-097)", {"viewport": {"width": 3841, "height": 240}}, ["viewport.width out_of_range"]),
        ("a viewport that is too low is refused (C-097)", {"viewport": {"width": 320, "height": 239}}, ["viewport.height out_of_range"]),
        ("a viewport that is too high is refused (C-097)", {"viewport": {"width": 320, "height": 2161}}, ["viewport.height out_of_range"]),
        ("an unknown member of a session is refused (C-099)", {"colour": "red"}, ["colour unknown_field"]),
        ("a session without start_url is refused (C-740)", {"start_url": ...}, ["start_url required"]),
        ("a start_url of null is refused (C-028)", {"start_url": None}, ["start_url"]),
        ("a start_url of 2049 characters is refused (C-093)", {"start_url": "https://example.com/" + "a" * 2029}, ["start_url too_long"]),
    )
    for name, members, wanted in one:
        a = make(**members)
        got = a.faults() if a.status == 400 else [a.short]
        same((a.short, [g if " " in w else g.split()[0] for g, w in zip(got, wanted)], len(got)), ("400 invalid_request", wanted, len(wanted)), name)
    a = make(start_url="ftp://x", browser_profile="x", egress_country="x", viewport={"width": 1, "z": 2}, y=1)
    same((a.short, [f.split()[0] for f in a.faults()]),
         ("400 invalid_request", ["browser_profile", "egress_country", "start_url", "viewport.height", "viewport.width", "viewport.z", "y"]), "one answer names every fault of a session (C-098)")
    same(make(start_url="https://example.com/" + "a" * 2028).status, 202, "a start_url of 2048 characters is accepted (C-093)")


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
        name = "C-094: the start URL is judged as listed: " + url.encode("ascii", "backslashreplace").decode()[:90]
        if wanted == "accept":
            same((a.status, canonical in ("-", "") or a.json["session"]["start_url"] == canonical), (202, True), name)
        else:
            same((a.short, [f.split()[0] for f in a.faults()] if a.status == 400 else a.json), ("400 invalid_request", ["start_url"]), name)


def idempotency():
    key = "k-" + str(uuid.uuid4())
    first = make(idem=key, viewport={"width": 1280, "height": 720})
    same((first.status, first.headers["Idempotency-Replayed"]), (202, None), "a session with an Idempotency-Key is created (C-084)")
    again = make(idem=key, start_url="HTTPS://www.EXAMPLE.com:443/", browser_profile="windows")
    same((again.status, again.headers["Idempotency-Replayed"], again.json), (202, "true", first.json), "a repeat with another spelling and written defaults is replayed (C-086)")
    other = make(idem=key, start_url="https://www.example.com/other")
    same(other.short, "409 idempotency_key_conflict", "another request with the same Idempotency-Key is a conflict (C-087)")
    same(first.json["session"]["uuid"].encode() in other.raw or b"www.example" in other.raw, False, "the conflict does not reveal the first session (C-087)")
    same(make(idem=key, viewport={"width": 1280, "height": 721}).short, "409 idempotency_key_conflict", "another viewport with the same Idempotency-Key is a conflict (C-087)")
    ask("DELETE", S + "/" + first.json["session"]["uuid"])
    now = make(idem=key)
    same((now.json["session"]["uuid"], now.json["session"]["state"]), (first.json["session"]["uuid"], "closing"), "a repeat returns the current state (C-088)")
    same(make(idem=key, key=ENV["KEY_SECOND"]).json["session"]["uuid"] != first.json["session"]["uuid"], True, "another API key may use the same Idempotency-Key (C-085)")
    same(make(idem=key, project=OTHER).json["session"]["uuid"] != first.json["session"]["uuid"], True, "another project may use the same Idempotency-Key (C-085)")
    for bad in ("", "x" * 201):
        same(make(idem=bad).status, 400, "C-084: an Idempotency-Key of %d characters is refused" % len(bad))
    for good in ("x", "y" * 200):
        same(make(idem=good).status, 202, "C-084: an Idempotency-Key of %d characters is accepted" % len(good))
    key = str(uuid.uuid4())
    same((make(idem=key, start_url="ftp://x/").status, make(idem=key).status), (400, 202), "an Idempotency-Key can be used again after a failure (C-089)")
    key, got = str(uuid.uuid4()), []
    twins = [threading.Thread(target=lambda: got.append(make(idem=key))) for _ in range(8)]
    for t in twins:
        t.start()
    for t in twins:
        t.join()
    same((sorted({a.status for a in got}), len({a.json["session"]["uuid"] for a in got}), len(got)), ([202], 1, 8), "concurrent repeats create one session (C-089)")


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
    same((len(made), len(full), {a.code for a in full}), (5, 11, {"caller_session_limit_exceeded"}), "five of sixteen concurrent sessions are admitted (C-090)")
    same({re.fullmatch("[1-9][0-9]*", a.headers["Retry-After"] or "") is not None for a in full}, {True}, "each refusal at the limit has Retry-After (C-067)")
    c = ask("DELETE", S + "/" + made[0].json["session"]["uuid"], key=key)
    same((c.status, c.json["session"]["state"]), (202, "closing"), "a session can be closed at the limit (C-103)")
    same(make(key=key).short, "429 caller_session_limit_exceeded", "a closing session still counts (C-090)")


def closing():
    s = make().json["session"]
    path = S + "/" + s["uuid"]
    a = ask("DELETE", path)
    c = a.json["session"]
    same((a.status, c["state"], c["close_requested_at"] is not None), (202, "closing", True), "DELETE of a session gets 202 with the closing session (C-103)")
    b = ask("DELETE", path)
    same((b.status, b.json["session"]), (202, c), "a second DELETE gets the unchanged session (C-103)")
    m = make().json["session"]
    d = ask("DELETE", S + "/" + m["uuid"], key=ENV["KEY_MANAGER"])
    same((d.status, d.json["session"]["state"]), (202, "closing"), "a manager may close a session of another key (C-101)")
    same(ask("DELETE", S + "/" + m["uuid"], key=ENV["KEY_MANAGE_ALONE"]).status, 202, "the scope browser.sessions.manage suffices to close (C-745)")
    t = ask("DELETE", S + "/" + ENV["TERMINAL"])
    same((t.status, t.json["session"]["state"]), (200, "terminal"), "DELETE of a terminal session gets 200 (C-103)")


def privacy(s):
    path = S + "/" + s["uuid"]
    gone = ask("GET", S + "/" + str(uuid.uuid4()), key=ENV["KEY_SECOND"])
    same(gone.short, "404 session_not_found", "an unknown session gets 404 (C-115)")
    for name, key in (("another key of the same owner", "KEY_SECOND"), ("a colleague's key", "KEY_COLLEAGUE")):
        for method in ("GET", "DELETE"):
            missing = ask(method, S + "/" + str(uuid.uuid4()), key=ENV[key])
            same(ask(method, path, key=ENV[key]).bare(), missing.bare(), "C-100: %s by %s gets the answer of an unknown session" % (method, name))
        missing = ask("POST", S + "/%s/replay" % uuid.uuid4(), key=ENV[key])
        same(ask("POST", path + "/replay", key=ENV[key]).bare(), missing.bare(), "C-105: a replay by %s gets the answer of an unknown session" % name)
        same(s["uuid"] in [x["uuid"] for x in ask("GET", S + "?limit=100", key=ENV[key]).json["sessions"]], False, "C-101: the session is not in the list of %s" % name)
    same(ask("GET", path, key=ENV["KEY_MANAGER"]).json, {"session": s}, "a manager may read the metadata of a session (C-101)")
    same(s["uuid"] in [x["uuid"] for x in ask("GET", S + "?limit=100", key=ENV["KEY_MANAGER"]).json["sessions"]], True, "a manager has the session in its list (C-101)")
    same(ask("POST", path + "/replay", key=ENV["KEY_MANAGER"]).status, 403, "a manager may not replay a session (C-101)")
    same(ask("GET", "/projects/%s/sessions/%s" % (OTHER, s["uuid"])).short, "404 session_not_found", "a session is not found below a sister project (C-115)")
    same(ask("GET", "/projects/%s/sessions/%s" % (FOREIGN, s["uuid"])).short, "404 project_not_found", "a project of another account is not found (C-116)")
    same(ask("GET", path, key=ENV["KEY_CREATE_ALONE"]).short, "403 permission_denied", "a session needs the scope browser.sessions.view (C-745)")
    same(make(key=ENV["KEY_VIEW"]).short, "403 permission_denied", "a new session needs the scope browser.sessions.create (C-745)")
    same(make(key=ENV["KEY_UNENTITLED"], project=ENV["UNENTITLED"]).short, "403 entitlement_required", "a session is refused without the entitlement (C-017)")


def replaying():
    a = ask("POST", S + "/" + ENV["TERMINAL"] + "/replay")
    r = a.json["session"]
    source = ask("GET", S + "/" + ENV["TERMINAL"]).json["session"]
    same((a.status, r["state"], r["replayed_from_session_uuid"]), (202, "queued", ENV["TERMINAL"]), "a replay is queued and names its source (C-105)")
    same({m: r[m] for m in ("start_url", "viewport", "browser_profile", "egress_country")}, {m: source[m] for m in ("start_url", "viewport", "browser_profile", "egress_country")}, "a replay has the values of its source")
    same(source["state"], "terminal", "a replay does not change its source (C-105)")
    live = make().json["session"]
    same(ask("POST", S + "/" + live["uuid"] + "/replay").short, "409 session_not_terminal", "a live session cannot be replayed (C-105)")


def lists():
    every = ask("GET", S + "?limit=100").json
    same(sorted(every), ["has_more", "next_cursor", "sessions"], "a list of sessions has its three members (C-701)")
    for state in ("queued", "starting", "running", "closing", "terminal"):
        got = {x["state"] for x in ask("GET", S + "?limit=100&state=" + state).json["sessions"]}
        same(got <= {state}, True, "C-706: the list of state %s has no other state" % state)
    same(ask("GET", S + "?state=ready").status, 400, "an unknown state in a filter is refused")
    same(ask("GET", S + "?limit=0").short, "400 invalid_pagination", "a limit of 0 is refused (C-702)")
    page = ask("GET", S + "?limit=1&state=queued").json
    same(ask("GET", S + "?limit=1&state=closing&cursor=" + page["next_cursor"]).short, "400 invalid_pagination", "a cursor with other filters is refused (C-703)")
    same(ask("PUT", S).short, "405 method_not_allowed", "a wrong method of sessions gets 405 (C-705)")


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
