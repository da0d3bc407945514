#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""The project's records as the text has them: silences (SPEC 2.4, 4.3, C-079 to C-082), asset services and
findings (SPEC 2.7, 2.8, 4.8, 4.9, C-115 to C-119), timestamps and integers (C-120, C-121). Asked over TLS
alone; one TAP line a statement.

usage: records.py ENV     ENV: shell assignments; t/conformance/records.t makes it
"""
import re
import uuid

from client import ENV, ask, day, end, same, stamps

SILENCE = ["uuid", "rule_uuid", "reason", "starts_at", "ends_at", "created_at", "cancelled_at"]
SERVICE = """uuid asset_uuid service_key protocol confidence technologies tls_enabled metadata created_at updated_at
    first_seen_at last_seen_at last_observed_at discovery_channel discovery_provider source_name source_ref endpoint
    hostname ip port url product service_name version http_status_code http_title tls_certificate_asset_uuid""".split()
FINDING = """uuid finding_key finding_type exposure_kind title description status_note created_at updated_at
    first_seen_at last_seen_at status_changed_at resolved_at created_by_membership_uuid resolved_by_membership_uuid
    status_changed_by_membership_uuid discovery_channel discovery_provider source_name source_ref""".split()
MOVED = {"status", "resolved_at", "status_changed_at", "resolved_by_membership_uuid", "status_changed_by_membership_uuid"}

P, OTHER, FOREIGN = ENV["P"], ENV["OTHER"], ENV["FOREIGN"]


# ---- silences ----

S = "/projects/%s/alerting/silences" % P


def make(**members):
    body = {"rule_uuid": ENV["RULE"], "reason": "planned work", "ends_at": day(2)}
    body.update(members)
    return ask("POST", S, {k: v for k, v in body.items() if v is not ...})


def silence_faults():
    same(make(rule_uuid=ENV["FOREIGN_RULE"]).bare(), make(rule_uuid=str(uuid.uuid4())).bare(),
         "C-079: another project's rule looks like none")
    same(make(rule_uuid=ENV["OTHER_RULE"]).short, "404 alert_rule_not_found", "C-079: so does one of a sister project")
    for what, members, fault in (
            ("ends before it starts", {"starts_at": day(3)}, "ends_at"),
            ("ends when it starts", {"starts_at": day(2, "%Y-%m-%dT00:00:00Z"), "ends_at": day(2, "%Y-%m-%dT00:00:00Z")}, "ends_at"),
            ("is over already", {"starts_at": day(-3), "ends_at": day(-1)}, "ends_at")):
        a = make(**members)
        same((a.short, [f.split()[0] for f in a.faults()]), ("400 invalid_request", [fault]), "C-080: a silence that " + what)
    a = make(starts_at=day(1), ends_at=day(400))
    same((a.short, [f.split()[0] for f in a.faults()]), ("400 invalid_request", ["ends_at"]), "A5: at most a year")
    same(make(starts_at=day(-1)).status, 201, "C-080: one that has begun already is fine")
    for text in ("2030-01-01T00:00:00", "2030-01-01", "2030-02-30T00:00:00Z", "2030-13-01T00:00:00Z", "2030-01-01T25:00:00Z",
                 "2030-01-01 00:00", "now", "", "1893456000", "2030-01-01T00:00:00+25:00", "0000-00-00T00:00:00Z"):
        a = make(starts_at=text)
        same((a.short, a.faults()), ("400 invalid_request", ["starts_at invalid_format"]), "C-081: starts_at %r" % text)
    for number in (1893456000, True, [], {}):
        a = make(ends_at=number)
        same((a.short, a.faults()), ("400 invalid_request", ["ends_at invalid_type"]), "C-081: ends_at %r" % (number,))
    for name in ("uuid", "created_at", "cancelled_at"):
        a = make(**{name: ENV["RULE"] if name == "uuid" else day(1)})
        same((a.short, a.faults()), ("400 invalid_request", [name + " unknown_field"]), "C-082: a client cannot set " + name)
    for name in ("rule_uuid", "reason", "ends_at"):
        a = make(**{name: ...})
        same((a.short, a.faults()), ("400 invalid_request", [name + " required"]), "A5: %s is required" % name)
    for reason, status, fault in (("x" * 500, 201, []), ("é" * 500, 201, []), ("x" * 501, 400, ["reason too_long"]),
                                  ("   ", 400, ["reason too_short"]), ("", 400, ["reason too_short"]),
                                  ("  " + "x" * 500 + "  ", 201, [])):
        a = make(reason=reason)
        same((a.status, a.faults() if status == 400 else []), (status, fault), "A5: a reason of %d characters, %r..." % (len(reason), reason[:4]))
    for body in ("[]", "null", '"x"', "7"):
        same(ask("POST", S, body).short, "400 invalid_request", "a body that is %s" % body)
    for body in ("", "{", '{"reason":1,"reason":2}', '{"reason":"\\ud800"}'):
        same(ask("POST", S, body).short, "400 invalid_json", "a body that is no JSON: %r" % body)
    a = make(rule_uuid="x", reason=7, ends_at=None)
    same((a.short, [f.split()[0] for f in a.faults()]), ("400 invalid_request", ["ends_at", "reason", "rule_uuid"]), "all faults in one answer")


def silence_life():
    a = make(starts_at="2030-01-01T02:00:00.5+02:00", ends_at="2030-01-02T00:00:00-00:30", reason="  two words ")
    s = a.json["silence"]
    same((a.status, a.headers["Location"]), (201, "/api/v1%s/%s" % (S, s["uuid"])), "A1: 201 and where it is")
    same((s["starts_at"], s["ends_at"]), ("2030-01-01T00:00:00.500000Z", "2030-01-02T00:30:00.000000Z"), "C-081: any offset is read, Z is written")
    same([m for m in SILENCE if m not in s], [], "SPEC 2.4: the members")
    same((s["reason"], s["cancelled_at"], s["state"], s["rule_uuid"]), ("two words", None, "pending", ENV["RULE"]), "what was sent, trimmed; C-120: unset is null")
    stamps(s, "a silence")
    same(ask("GET", S + "/" + s["uuid"]).json["silence"], s, "it is read as it was answered")
    c = ask("DELETE", S + "/" + s["uuid"])
    got = c.json["silence"]
    same((c.status, got["state"], got["cancelled_at"] is not None), (200, "cancelled", True), "A5: cancelled")
    same({k: v for k, v in got.items() if k not in ("state", "cancelled_at")}, {k: v for k, v in s.items() if k not in ("state", "cancelled_at")}, "the rest as it was")
    same(ask("DELETE", S + "/" + s["uuid"]).json["silence"], got, "A5: again, nothing changes")
    active = make().json["silence"]
    same(active["state"], "active", "A5: starts_at defaults to now")
    overlapping = make(starts_at=day(-1)).json["silence"]
    same(overlapping["state"], "active", "C-083: silences of one rule may overlap")
    same(ask("DELETE", S + "/" + ENV["EXPIRED_SILENCE"]).short, "409 silence_expired", "A5: an expired one is not cancelled")
    same(ask("GET", S + "/" + ENV["EXPIRED_SILENCE"]).json["silence"]["state"], "expired", "A5: its state is derived")
    for state in ("pending", "active", "expired", "cancelled"):
        listed = ask("GET", S + "?limit=100&state=" + state).json["silences"]
        same({x["state"] for x in listed} or {"none"}, {state} if listed else {"none"}, "A5: the list by state %s" % state)
    same(s["uuid"] in [x["uuid"] for x in ask("GET", S + "?limit=100&state=cancelled").json["silences"]], True, "A5: rows are never deleted")
    same(ask("GET", S + "?state=gone").status, 400, "an unknown state is refused")
    same(ask("GET", S + "?rule_uuid=x").status, 400, "a malformed rule_uuid is refused")
    same(ask("GET", S + "?rule_uuid=%s" % uuid.uuid4()).json["silences"], [], "A5: the list by rule")
    same(ask("GET", S + "/" + str(uuid.uuid4())).short, "404 silence_not_found", "A8: a silence that is not there")
    same(ask("GET", "/projects/%s/alerting/silences/%s" % (OTHER, s["uuid"])).short, "404 silence_not_found", "another project's is not there")
    same(ask("GET", "/projects/%s/alerting/silences" % FOREIGN).short, "404 project_not_found", "C-116: another account's project")
    same(ask("POST", S, {"rule_uuid": ENV["RULE"]}, ENV["KEY_VIEW"]).short, "403 permission_denied", "A7: alerts.silences.view does not create; C-015: the scope comes before the body")
    same(ask("DELETE", S + "/" + s["uuid"], key=ENV["KEY_VIEW"]).short, "403 permission_denied", "A7: nor cancel")
    same(ask("GET", S, key=ENV["KEY_VIEW"]).status, 200, "A7: but reads")


# ---- lists ----

def pages(path, name):
    everything = ask("GET", path + "?limit=100").json
    items = everything[name]
    same((sorted(everything), everything["has_more"], everything["next_cursor"]), (sorted([name, "has_more", "next_cursor"]), False, None), "A2: the members of a list of " + name)
    order = [(x["created_at"], x["uuid"]) for x in items]
    newest = sorted(items, key=lambda x: x["uuid"])
    newest.sort(key=lambda x: x["created_at"], reverse=True)
    same(order, [(x["created_at"], x["uuid"]) for x in newest], "A2: %s newest first, then by uuid" % name)
    seen, cursor = [], ""
    while cursor is not None and len(seen) <= len(items):
        page = ask("GET", path + "?limit=2" + cursor).json
        seen += page[name]
        cursor = "&cursor=" + page["next_cursor"] if page["has_more"] else None
        last = cursor or last
    same([x["uuid"] for x in seen], [x["uuid"] for x in items], "A2: pages of %s add up" % name)
    for bad in ("0", "101", "-1", "x", "1.5", ""):
        same(ask("GET", path + "?limit=" + bad).short, "400 invalid_pagination", "A2: limit=%s of %s" % (bad, name))
    same(ask("GET", path + "?limit=2&cursor=bm90aGluZw").short, "400 invalid_pagination", "A2: a cursor of %s that is none" % name)
    same(ask("GET", path + "?limit=2" + last, key=ENV["KEY_SECOND"]).short, "400 invalid_pagination", "A2: the cursor of another key")
    same(ask("GET", path + "?limit=2&limit=3").status, 400, "C-031: a repeated parameter of " + name)
    same(ask("GET", path + "?colour=red").status, 400, "C-031: an unknown parameter of " + name)


# ---- services ----

def services():
    base = "/projects/%s/esi/services" % P
    first = ask("GET", base + "?limit=100").json["services"]
    full = next(x for x in first if x["service_key"] == "full")
    bare = next(x for x in first if x["service_key"] == "bare")
    one = ask("GET", base + "/" + full["uuid"])
    s = one.json["service"]
    same((one.status, list(one.json)), (200, ["service"]), "SPEC 4.8: a service")
    same([m for m in SERVICE if m not in s], [], "SPEC 2.7: its members")
    same([m for m in SERVICE if m not in ask("GET", base + "/" + bare["uuid"]).json["service"]], [], "C-120: they are there when they are unset")
    same((s["technologies"], s["metadata"], s["confidence"], s["port"]), (["php", "nginx"], {"a": {"b": [1]}}, 0.5, 443), "C-119: their types")
    raw = re.search(rb'"port":([^,}]*)', one.raw).group(1)
    same(raw, b"443", "C-121: an integer is written as one")
    same((bare["technologies"], bare["metadata"]), ([], {}), "C-119: an array and an object even when nothing is known")
    same(s["first_seen_at"], "2026-01-02T03:04:05.000000Z", "C-120: first seen")
    for x in (s, bare):
        stamps(x, "a service")
    missing = ask("GET", base + "/" + str(uuid.uuid4()))
    same(missing.short, "404 service_not_found", "C-115: a service that is not there")
    for where, project in (("a sister project", OTHER),):
        same(ask("GET", "/projects/%s/esi/services/%s" % (project, s["uuid"])).bare(), missing.bare(), "C-115: asked for in " + where)
    gone = ask("GET", "/projects/%s/esi/services/%s" % (uuid.uuid4(), s["uuid"]))
    same(ask("GET", "/projects/%s/esi/services/%s" % (FOREIGN, s["uuid"])).bare(), gone.bare(), "C-116: another account's project is like none")
    same(ask("GET", base + "/nonsense").status, 400, "C-020: a malformed UUID")
    same(ask("GET", base + "/" + s["uuid"].upper()).json["service"]["uuid"], s["uuid"], "C-020: in any case, written in lower case")
    same(ask("GET", base + "/" + s["uuid"], key=ENV["KEY_VIEW"]).short, "403 permission_denied", "A7: esi.services.view is needed")
    for key in ("KEY_CEILING",):
        same(ask("GET", base + "/" + s["uuid"], key=ENV[key]).short, "404 project_not_found", "C-116: outside the owner's ceiling, whatever the scopes")
        same(ask("GET", "/projects/%s/esi/services" % OTHER, key=ENV[key]).status, 200, "C-116: inside it")


# ---- findings ----

def findings():
    base = "/projects/%s/esi/findings" % P
    every = ask("GET", base + "?limit=100").json["findings"]
    one = {x["finding_key"]: x for x in every}
    f = one["key-0"]
    same([m for m in FINDING if m not in ask("GET", base + "/" + f["uuid"]).json["finding"]], [], "SPEC 2.8: the members of a finding")
    stamps(f, "a finding")
    same((f["status"], f["resolved_at"], f["resolved_by_membership_uuid"]), ("open", None, None), "A5: it begins open")
    refusals(base, f)
    kinds = sorted({x["finding_type"] for x in every})
    for kind in kinds:
        x = next(y for y in every if y["finding_type"] == kind and y["finding_key"] != "spare")
        resolve(base, x)
    others = next(x for x in every if x["finding_key"] == "spare")
    before = others
    for move, status in (("acknowledge", "acknowledged"), ("accept-risk", "accepted_risk"), ("reopen", "open"), ("false-positive", "false_positive"), ("reopen", "open"), ("resolve", "resolved"), ("reopen", "open")):
        a = ask("POST", "%s/%s/%s" % (base, others["uuid"], move))
        g = a.json.get("finding", {})
        same((a.status, g.get("status"), g.get("resolved_at") is not None), (200, status, status == "resolved"), "A5: %s" % move)
    same(untouched(g), untouched(before), "C-118: the moves touch nothing else")


def untouched(f):
    return {k: v for k, v in f.items() if k not in MOVED and k != "updated_at"}


def resolve(base, f):
    kind = f["finding_type"]
    a = ask("POST", "%s/%s/resolve" % (base, f["uuid"]))
    g = a.json["finding"]
    same((a.status, g["status"]), (200, "resolved"), "C-118: a finding of type %s is resolved" % kind)
    same((g["resolved_at"], g["resolved_by_membership_uuid"]), (g["status_changed_at"], g["status_changed_by_membership_uuid"]), "C-118: at one time, by one membership (%s)" % kind)
    same(g["resolved_by_membership_uuid"], ENV["MEMBER"], "C-118: the key's owner's (%s)" % kind)
    same(untouched(g), untouched(f), "C-118: the rest is untouched (%s)" % kind)
    same(ask("POST", "%s/%s/resolve" % (base, f["uuid"])).json["finding"], g, "A5: once; again is unchanged (%s)" % kind)
    same(ask("GET", "%s/%s" % (base, f["uuid"])).json["finding"], g, "it is stored (%s)" % kind)


def refusals(base, f):
    path = "%s/%s/resolve" % (base, f["uuid"])
    same(ask("POST", path, key=ENV["KEY_FINDINGS_VIEW"]).short, "403 permission_denied", "C-117: without esi.findings.manage")
    same(ask("POST", path, key=ENV["KEY_MANAGER"]).short, "403 permission_denied", "C-117: even if the owner manages the project")
    same(ask("POST", path, key=ENV["KEY_CEILING"]).short, "404 project_not_found", "C-116: outside the ceiling, whatever the scopes")
    missing = ask("POST", "%s/%s/resolve" % (base, uuid.uuid4()))
    same(missing.short, "404 finding_not_found", "C-115: a finding that is not there")
    same(ask("POST", "/projects/%s/esi/findings/%s/resolve" % (OTHER, f["uuid"])).bare(), missing.bare(), "C-115: asked for in a sister project")
    same(ask("POST", "%s/x/resolve" % base).status, 400, "C-020: a malformed UUID")
    same(ask("GET", path).short, "405 method_not_allowed", "A1: a wrong method")
    same(ask("GET", "%s/%s" % (base, f["uuid"])).json["finding"], f, "none of this changed it")


if __name__ == "__main__":
    silence_faults()
    silence_life()
    services()
    pages(S, "silences")
    pages("/projects/%s/esi/services" % P, "services")
    pages("/projects/%s/esi/findings" % P, "findings")
    findings()
    end()
