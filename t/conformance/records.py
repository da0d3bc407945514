#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""The project's records as t/contract has them: silences (C-079 to C-082, C-770 to C-772), asset services and
findings (C-115 to C-119, C-780), timestamps and integers (C-120, C-121). Asked over TLS
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
         "a rule of another account gets the answer of an unknown rule (C-079)")
    same(make(rule_uuid=ENV["OTHER_RULE"]).short, "404 alert_rule_not_found", "a rule of a sister project is not found (C-079)")
    for what, members, fault in (
            ("ends before it starts", {"starts_at": day(3)}, "ends_at"),
            ("ends when it starts", {"starts_at": day(2, "%Y-%m-%dT00:00:00Z"), "ends_at": day(2, "%Y-%m-%dT00:00:00Z")}, "ends_at"),
            ("is over already", {"starts_at": day(-3), "ends_at": day(-1)}, "ends_at")):
        a = make(**members)
        same((a.short, [f.split()[0] for f in a.faults()]), ("400 invalid_request", [fault]), "C-080: the API refuses a silence that " + what)
    a = make(starts_at=day(1), ends_at=day(400))
    same((a.short, [f.split()[0] for f in a.faults()]), ("400 invalid_request", ["ends_at"]), "a silence of more than one year is refused (C-771)")
    same(make(starts_at=day(-1)).status, 201, "a silence may begin in the past (C-080)")
    for text in ("2030-01-01T00:00:00", "2030-01-01", "2030-02-30T00:00:00Z", "2030-13-01T00:00:00Z", "2030-01-01T25:00:00Z",
                 "2030-01-01 00:00", "now", "", "1893456000", "2030-01-01T00:00:00+25:00", "0000-00-00T00:00:00Z"):
        a = make(starts_at=text)
        same((a.short, a.faults()), ("400 invalid_request", ["starts_at invalid_format"]), "C-081: the API refuses starts_at %r" % text)
    for number in (1893456000, True, [], {}):
        a = make(ends_at=number)
        same((a.short, a.faults()), ("400 invalid_request", ["ends_at invalid_type"]), "C-081: the API refuses ends_at %r" % (number,))
    for name in ("uuid", "created_at", "cancelled_at"):
        a = make(**{name: ENV["RULE"] if name == "uuid" else day(1)})
        same((a.short, a.faults()), ("400 invalid_request", [name + " unknown_field"]), "C-082: a client cannot set " + name)
    for name in ("rule_uuid", "reason", "ends_at"):
        a = make(**{name: ...})
        same((a.short, a.faults()), ("400 invalid_request", [name + " required"]), "C-771: the member %s is required" % name)
    for reason, status, fault in (("x" * 500, 201, []), ("é" * 500, 201, []), ("x" * 501, 400, ["reason too_long"]),
                                  ("   ", 400, ["reason too_short"]), ("", 400, ["reason too_short"]),
                                  ("  " + "x" * 500 + "  ", 201, [])):
        a = make(reason=reason)
        same((a.status, a.faults() if status == 400 else []), (status, fault), "C-771: the API judges a reason of %d characters, %r..." % (len(reason), reason[:4]))
    for body in ("[]", "null", '"x"', "7"):
        same(ask("POST", S, body).short, "400 invalid_request", "the API refuses a body that is %s" % body)
    for body in ("", "{", '{"reason":1,"reason":2}', '{"reason":"\\ud800"}'):
        same(ask("POST", S, body).short, "400 invalid_json", "the API refuses a body that is no JSON: %r" % body)
    a = make(rule_uuid="x", reason=7, ends_at=None)
    same((a.short, [f.split()[0] for f in a.faults()]), ("400 invalid_request", ["ends_at", "reason", "rule_uuid"]), "one answer names every fault of a silence")


def silence_life():
    a = make(starts_at="2030-01-01T02:00:00.5+02:00", ends_at="2030-01-02T00:00:00-00:30", reason="  two words ")
    s = a.json["silence"]
    same((a.status, a.headers["Location"]), (201, "/api/v1%s/%s" % (S, s["uuid"])), "a silence is created with 201 and Location (C-709)")
    same((s["starts_at"], s["ends_at"]), ("2030-01-01T00:00:00.500000Z", "2030-01-02T00:30:00.000000Z"), "times are read with any offset and written with Z (C-081)")
    same([m for m in SILENCE if m not in s], [], "a silence has all its members (C-120)")
    same((s["reason"], s["cancelled_at"], s["state"], s["rule_uuid"]), ("two words", None, "pending", ENV["RULE"]), "a silence has the sent values, trimmed, and null for unset ones (C-120)")
    stamps(s, "a silence")
    same(ask("GET", S + "/" + s["uuid"]).json["silence"], s, "GET returns a silence as POST did")
    c = ask("DELETE", S + "/" + s["uuid"])
    got = c.json["silence"]
    same((c.status, got["state"], got["cancelled_at"] is not None), (200, "cancelled", True), "a silence is cancelled with 200 (C-772)")
    same({k: v for k, v in got.items() if k not in ("state", "cancelled_at")}, {k: v for k, v in s.items() if k not in ("state", "cancelled_at")}, "cancelling a silence changes no other member")
    same(ask("DELETE", S + "/" + s["uuid"]).json["silence"], got, "cancelling a silence again changes nothing (C-772)")
    active = make().json["silence"]
    same(active["state"], "active", "the default of starts_at is the current time (C-771)")
    overlapping = make(starts_at=day(-1)).json["silence"]
    same(overlapping["state"], "active", "C-083: silences of one rule may overlap")
    same(ask("DELETE", S + "/" + ENV["EXPIRED_SILENCE"]).short, "409 silence_expired", "an expired silence cannot be cancelled (C-772)")
    same(ask("GET", S + "/" + ENV["EXPIRED_SILENCE"]).json["silence"]["state"], "expired", "the state of an expired silence is derived (C-770)")
    for state in ("pending", "active", "expired", "cancelled"):
        listed = ask("GET", S + "?limit=100&state=" + state).json["silences"]
        same({x["state"] for x in listed} or {"none"}, {state} if listed else {"none"}, "C-706: the list of state %s has no other state" % state)
    same(s["uuid"] in [x["uuid"] for x in ask("GET", S + "?limit=100&state=cancelled").json["silences"]], True, "a cancelled silence stays in the list (C-772)")
    same(ask("GET", S + "?state=gone").status, 400, "an unknown state in a filter is refused")
    same(ask("GET", S + "?rule_uuid=x").status, 400, "a malformed rule_uuid in a filter is refused")
    same(ask("GET", S + "?rule_uuid=%s" % uuid.uuid4()).json["silences"], [], "the list of an unknown rule is empty (C-706)")
    same(ask("GET", S + "/" + str(uuid.uuid4())).short, "404 silence_not_found", "an unknown silence gets 404 (C-115)")
    same(ask("GET", "/projects/%s/alerting/silences/%s" % (OTHER, s["uuid"])).short, "404 silence_not_found", "a silence is not found below a sister project")
    same(ask("GET", "/projects/%s/alerting/silences" % FOREIGN).short, "404 project_not_found", "a project of another account is not found (C-116)")
    same(ask("POST", S, {"rule_uuid": ENV["RULE"]}, ENV["KEY_VIEW"]).short, "403 permission_denied", "the scope alerts.silences.view does not create, whatever the body (C-009, C-015)")
    same(ask("DELETE", S + "/" + s["uuid"], key=ENV["KEY_VIEW"]).short, "403 permission_denied", "the scope alerts.silences.view does not cancel (C-009)")
    same(ask("GET", S, key=ENV["KEY_VIEW"]).status, 200, "the scope alerts.silences.view lists silences (C-009)")


# ---- lists ----

def pages(path, name):
    everything = ask("GET", path + "?limit=100").json
    items = everything[name]
    same((sorted(everything), everything["has_more"], everything["next_cursor"]), (sorted([name, "has_more", "next_cursor"]), False, None), "C-701: the answer has the members of a list of " + name)
    order = [(x["created_at"], x["uuid"]) for x in items]
    newest = sorted(items, key=lambda x: x["uuid"])
    newest.sort(key=lambda x: x["created_at"], reverse=True)
    same(order, [(x["created_at"], x["uuid"]) for x in newest], "C-701: the list has %s newest first, then by uuid" % name)
    seen, cursor = [], ""
    while cursor is not None and len(seen) <= len(items):
        page = ask("GET", path + "?limit=2" + cursor).json
        seen += page[name]
        cursor = "&cursor=" + page["next_cursor"] if page["has_more"] else None
        last = cursor or last
    same([x["uuid"] for x in seen], [x["uuid"] for x in items], "C-704: the pages of %s contain the whole list" % name)
    for bad in ("0", "101", "-1", "x", "1.5", ""):
        same(ask("GET", path + "?limit=" + bad).short, "400 invalid_pagination", "C-702: the API refuses limit=%s of %s" % (bad, name))
    same(ask("GET", path + "?limit=2&cursor=bm90aGluZw").short, "400 invalid_pagination", "C-703: the API refuses a forged cursor of %s" % name)
    same(ask("GET", path + "?limit=2" + last, key=ENV["KEY_SECOND"]).short, "400 invalid_pagination", "a cursor of another key is refused (C-703)")
    same(ask("GET", path + "?limit=2&limit=3").status, 400, "C-031: the API refuses a repeated parameter of " + name)
    same(ask("GET", path + "?colour=red").status, 400, "C-031: the API refuses an unknown parameter of " + name)


# ---- services ----

def services():
    base = "/projects/%s/esi/services" % P
    first = ask("GET", base + "?limit=100").json["services"]
    full = next(x for x in first if x["service_key"] == "full")
    bare = next(x for x in first if x["service_key"] == "bare")
    one = ask("GET", base + "/" + full["uuid"])
    s = one.json["service"]
    same((one.status, list(one.json)), (200, ["service"]), "a service can be read by its uuid (C-115)")
    same([m for m in SERVICE if m not in s], [], "a service has all its members (C-120)")
    same([m for m in SERVICE if m not in ask("GET", base + "/" + bare["uuid"]).json["service"]], [], "a service has its unset members too (C-120)")
    same((s["technologies"], s["metadata"], s["confidence"], s["port"]), (["php", "nginx"], {"a": {"b": [1]}}, 0.5, 443), "the members of a service have their types (C-119)")
    raw = re.search(rb'"port":([^,}]*)', one.raw).group(1)
    same(raw, b"443", "an integer is written without a fraction (C-121)")
    same((bare["technologies"], bare["metadata"]), ([], {}), "unknown technologies and metadata are empty (C-119)")
    same(s["first_seen_at"], "2026-01-02T03:04:05.000000Z", "first_seen_at is the imported time (C-120)")
    for x in (s, bare):
        stamps(x, "a service")
    missing = ask("GET", base + "/" + str(uuid.uuid4()))
    same(missing.short, "404 service_not_found", "an unknown service gets 404 (C-115)")
    for where, project in (("a sister project", OTHER),):
        same(ask("GET", "/projects/%s/esi/services/%s" % (project, s["uuid"])).bare(), missing.bare(), "C-115: the service is not found below " + where)
    gone = ask("GET", "/projects/%s/esi/services/%s" % (uuid.uuid4(), s["uuid"]))
    same(ask("GET", "/projects/%s/esi/services/%s" % (FOREIGN, s["uuid"])).bare(), gone.bare(), "a project of another account gets the answer of an unknown one (C-116)")
    same(ask("GET", base + "/nonsense").status, 400, "a malformed uuid of a service is refused (C-020)")
    same(ask("GET", base + "/" + s["uuid"].upper()).json["service"]["uuid"], s["uuid"], "a uuid is read in any case and written in lower case (C-020)")
    same(ask("GET", base + "/" + s["uuid"], key=ENV["KEY_VIEW"]).short, "403 permission_denied", "a service needs the scope esi.services.view (C-009)")
    for key in ("KEY_CEILING",):
        same(ask("GET", base + "/" + s["uuid"], key=ENV[key]).short, "404 project_not_found", "a project outside the owner's ceiling is not found with any scope (C-116)")
        same(ask("GET", "/projects/%s/esi/services" % OTHER, key=ENV[key]).status, 200, "a project within the owner's ceiling is found (C-116)")


# ---- findings ----

def findings():
    base = "/projects/%s/esi/findings" % P
    every = ask("GET", base + "?limit=100").json["findings"]
    one = {x["finding_key"]: x for x in every}
    f = one["key-0"]
    same([m for m in FINDING if m not in ask("GET", base + "/" + f["uuid"]).json["finding"]], [], "a finding has all its members (C-120)")
    stamps(f, "a finding")
    same((f["status"], f["resolved_at"], f["resolved_by_membership_uuid"]), ("open", None, None), "a new finding is open and unresolved (C-780)")
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
        same((a.status, g.get("status"), g.get("resolved_at") is not None), (200, status, status == "resolved"), "C-780: the event %s leads to its status" % move)
    same(untouched(g), untouched(before), "an event changes no other member of a finding (C-118)")


def untouched(f):
    return {k: v for k, v in f.items() if k not in MOVED and k != "updated_at"}


def resolve(base, f):
    kind = f["finding_type"]
    a = ask("POST", "%s/%s/resolve" % (base, f["uuid"]))
    g = a.json["finding"]
    same((a.status, g["status"]), (200, "resolved"), "C-118: a finding of type %s is resolved" % kind)
    same((g["resolved_at"], g["resolved_by_membership_uuid"]), (g["status_changed_at"], g["status_changed_by_membership_uuid"]), "C-118: both times and both memberships are equal (%s)" % kind)
    same(g["resolved_by_membership_uuid"], ENV["MEMBER"], "C-118: the membership is that of the key's owner (%s)" % kind)
    same(untouched(g), untouched(f), "C-118: resolving changes no other member (%s)" % kind)
    same(ask("POST", "%s/%s/resolve" % (base, f["uuid"])).json["finding"], g, "C-780: resolving again changes nothing (%s)" % kind)
    same(ask("GET", "%s/%s" % (base, f["uuid"])).json["finding"], g, "the resolution of a finding is stored (%s)" % kind)


def refusals(base, f):
    path = "%s/%s/resolve" % (base, f["uuid"])
    same(ask("POST", path, key=ENV["KEY_FINDINGS_VIEW"]).short, "403 permission_denied", "a key without esi.findings.manage may not resolve (C-117)")
    same(ask("POST", path, key=ENV["KEY_MANAGER"]).short, "403 permission_denied", "a manager's key without the scope may not resolve (C-117)")
    same(ask("POST", path, key=ENV["KEY_CEILING"]).short, "404 project_not_found", "a finding outside the ceiling is not found with any scope (C-116)")
    missing = ask("POST", "%s/%s/resolve" % (base, uuid.uuid4()))
    same(missing.short, "404 finding_not_found", "an unknown finding gets 404 (C-115)")
    same(ask("POST", "/projects/%s/esi/findings/%s/resolve" % (OTHER, f["uuid"])).bare(), missing.bare(), "a finding is not found below a sister project (C-115)")
    same(ask("POST", "%s/x/resolve" % base).status, 400, "a malformed uuid of a finding is refused (C-020)")
    same(ask("GET", path).short, "405 method_not_allowed", "a wrong method of a finding gets 405 (C-705)")
    same(ask("GET", "%s/%s" % (base, f["uuid"])).json["finding"], f, "the refused requests leave the finding unchanged")


if __name__ == "__main__":
    silence_faults()
    silence_life()
    services()
    pages(S, "silences")
    pages("/projects/%s/esi/services" % P, "services")
    pages("/projects/%s/esi/findings" % P, "findings")
    findings()
    end()
