# SPDX-License-Identifier: ISC
"""Whether a reply is what the contract allows: the envelope of errors, the shape of answers."""
import ipaddress
import json
import re

import fixture

CODE = re.compile(r"[a-z][a-z0-9_]*")
ID = re.compile(r"[A-Za-z0-9_.:-]{1,128}")
CATEGORY = re.compile(r"[a-z0-9][a-z0-9-]{0,127}(/[a-z0-9][a-z0-9-]{0,127})*")
CLASSES = ("informational", "benign", "suspicious", "malicious")
TYPES = {"string": str, "integer": int, "boolean": bool, "number": float}


def must(ok, why):
    if not ok:
        raise AssertionError(why)


def unique(pairs):
    names = [k for k, _ in pairs]
    must(len(names) == len(set(names)), "C-026: a member twice in the answer")
    return dict(pairs)


def parse(reply):
    must(reply.header("content-type").lower().replace(" ", "").startswith("application/json"),
         "content-type is %r" % reply.header("content-type"))
    return json.loads(reply.body.decode("utf-8"), object_pairs_hook=unique)


def is_description(reply):
    return reply.status == 200 and re.match(rb'{\s*"(openapi|asyncapi)":', reply.body) is not None


def head(reply):
    """What every answer of a worker carries: C-063, C-067, C-718."""
    must(ID.fullmatch(reply.header("x-request-id")), "C-063: X-Request-Id is %r" % reply.header("x-request-id"))
    caching = "public, max-age=300" if is_description(reply) else "no-store"
    must(reply.header("cache-control") == caching, "C-718: Cache-Control is %r" % reply.header("cache-control"))
    busy = re.search(rb'"(search|service)_busy"', reply.body)
    wants = reply.status == 429 or (reply.status == 503 and busy is not None)
    must(bool(reply.header("retry-after")) == wants, "C-067: Retry-After is %r" % reply.header("retry-after"))


def error(reply, search):
    """The envelope of C-060 and C-061; its code."""
    answer = parse(reply)
    must(list(answer) == ["error"], "C-060: members %s" % list(answer))
    e = answer["error"]
    known = {"code", "message", "request_id"} | (set() if search else {"field_errors"})
    must({"code", "message"} <= set(e) <= known, "C-060: error has %s" % sorted(e))
    must(search or isinstance(e.get("field_errors"), list), "C-061: field_errors is no array")
    must(CODE.fullmatch(e["code"]) and len(e["code"]) <= 128, "C-062: code %r" % e["code"])
    must(1 <= len(e["message"]) <= 512, "C-062: message of %d characters" % len(e["message"]))
    must(not re.search(r"<html|SELECT |/usr/|/tmp/|\.c:\d", e["message"]), "C-062: message %r" % e["message"])
    must(e.get("request_id", reply.header("x-request-id")) == reply.header("x-request-id"),
         "C-063: request_id %r, header %r" % (e.get("request_id"), reply.header("x-request-id")))
    must((reply.status == 401) == bool(reply.header("www-authenticate")), "C-707: WWW-Authenticate")
    return e["code"]


def bucket(group, b):
    kind, value = group["value_type"], b["value"]
    may_tag = group["field"] in ("tags", "services.tags")
    must({"value", "count"} <= set(b) <= {"value", "count", "label", "tag"}, "C-054: bucket has %s" % sorted(b))
    must(may_tag or "tag" not in b, "C-052: tag in %s" % group["field"])
    must(type(value) is TYPES[kind], "C-044: %r is no %s" % (value, kind))
    must(kind != "string" or 1 <= len(value) <= 4096, "C-050: value of %d characters" % len(str(value)))
    must(type(b["count"]) is int and 1 <= b["count"] < 2**53, "C-047: count %r" % b["count"])
    must("label" not in b or 1 <= len(b["label"]) <= 256, "C-051: label %r" % b.get("label"))
    if "tag" in b:
        tag = b["tag"]
        must(sorted(tag) == ["categories", "classification", "name", "slug"], "C-053: tag has %s" % sorted(tag))
        must(tag["slug"] == value, "C-052: slug %r of %r" % (tag["slug"], value))
        must(len(tag["name"]) <= 256 and tag["classification"] in CLASSES, "C-053: %s" % tag)
        must(len(tag["categories"]) <= 4, "C-053: %d categories" % len(tag["categories"]))
        must(all(CATEGORY.fullmatch(c) and len(c) <= 128 for c in tag["categories"]), "C-053: %s" % tag)


def key(group, b):
    value = b["value"]
    if group["field"] == "ip":
        address = ipaddress.ip_address(value)
        return (-b["count"], address.version, int(address))
    return (-b["count"], value.encode() if isinstance(value, str) else value)


def group(g, asked):
    must(set(g) == {"field", "count_unit", "value_type", "buckets", "relation", "has_more", "sampled"},
         "C-054: group has %s" % sorted(g))
    must(g["field"] == asked["field"].strip().lower(), "C-041: field %r for %r" % (g["field"], asked["field"]))
    must(g["count_unit"] == "host", "C-042: count_unit %r" % g["count_unit"])
    must(g["value_type"] == fixture.FIELDS[g["field"]], "C-043: %s is %s" % (g["field"], g["value_type"]))
    must(type(g["has_more"]) is bool and type(g["sampled"]) is bool, "has_more or sampled is no boolean")
    must(g["sampled"] is False and g["relation"] == "eq", "C-046: sampled or not exact")
    must(len(g["buckets"]) <= int(asked.get("limit", 25)), "C-037: %d buckets" % len(g["buckets"]))
    for b in g["buckets"]:
        bucket(g, b)
    keys = [key(g, b) for b in g["buckets"]]
    must(keys == sorted(keys), "C-049: order in %s" % g["field"])
    must(len({str(b["value"]) for b in g["buckets"]}) == len(g["buckets"]), "a value twice")


def answer(c, reply):
    """An aggregate answer against the request it was given to."""
    a = parse(reply)
    must(set(a) == {"query", "groups"}, "C-054: answer has %s" % sorted(a))
    asked = json.loads(c.body)
    must(a["query"] == asked.get("query", ""), "C-039: query %r" % a["query"])
    must(len(a["groups"]) == len(asked["aggregations"]), "C-041: %d groups" % len(a["groups"]))
    for g, want in zip(a["groups"], asked["aggregations"]):
        group(g, want)
    return a


def facts(matching, limit=25):
    """A check that every group's buckets are those of the hosts that match."""
    def check(a, _reply):
        for g in a["groups"]:
            if g["field"] in fixture.DERIVED:
                continue
            want, long = fixture.buckets(g["field"], matching)
            got = [(b["value"], b["count"]) for b in g["buckets"]]
            must(got == want[:limit], "%s: got %s, wanted %s" % (g["field"], short(got), short(want[:limit])))
            must(g["has_more"] == (long or len(want) > limit), "C-048: has_more of %s" % g["field"])
    return check


def short(pairs):
    return str([(str(v)[:40], n) for v, n in pairs])[:600]


def addresses(matching):
    """A check that exactly these hosts match (the facet of addresses, limit 100)."""
    wanted = {h["ip"] for h in matching}

    def check(a, _reply):
        got = {b["value"] for b in a["groups"][0]["buckets"]}
        must(got == wanted, "matches %d hosts, wanted %d; too many %s, missing %s" % (
            len(got), len(wanted), sorted(got - wanted)[:8], sorted(wanted - got)[:8]))
    return check
