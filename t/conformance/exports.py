#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Exports as t/contract has them: C-413, C-414. Asked over TLS alone. One TAP line a statement.

usage: exports.py ENV     ENV: shell assignments; t/conformance/exports.t makes it
"""
import csv
import gzip
import hashlib
import io
import json
import time
import uuid

from client import ENV, ask, end, same, stamps

HOSTS = "/search/hosts/exports"
MEMBERS = """uuid dataset query fields format compression state generation total written gone bytes sha256 created_at
    started_at finished_at expires_at error""".split()
DEADLINE_S = 60


def make(key=ENV["KEY"], idem=None, path=HOSTS, **members):
    body = {"query": "", **members}
    headers = {} if idem is None else {"Idempotency-Key": idem}
    return ask("POST", path, {k: v for k, v in body.items() if v is not ...}, key, headers)


def ended(name):
    """Asks for the export until it has ended."""
    until = time.monotonic() + DEADLINE_S
    while time.monotonic() < until:
        e = ask("GET", "/search/exports/" + name).json["export"]
        if e["state"] not in ("queued", "running"):
            break
    return e


class Content:
    """A file is no JSON, so client.ask cannot parse it."""

    def __init__(self, name, headers=()):
        import http.client
        from world import World
        world = World(ENV)
        c = http.client.HTTPConnection(world.host, world.port, timeout=60)
        c.sock = world.connect()
        c.request("GET", world.base + "/search/exports/" + name + "/content", None, {"X-API-Key": ENV["KEY"], **dict(headers)})
        r = c.getresponse()
        self.status, self.headers, self.raw = r.status, r.headers, r.read()
        c.close()


def faults():
    for what, members, code in (
            ("without a query", {"query": ...}, "invalid_request"),
            ("with a query that is a number", {"query": 5}, "invalid_request"),
            ("with a query of null", {"query": None}, "invalid_request"),
            ("with an unknown field in its query", {"query": "contry:DE"}, "invalid_search_query"),
            ("with an open parenthesis in its query", {"query": "(port:22"}, "invalid_search_query"),
            ("with an unknown format", {"format": "xml"}, "invalid_request"),
            ("with a format in upper case", {"format": "CSV"}, "invalid_request"),
            ("with an unknown compression", {"compression": "xz"}, "invalid_request"),
            ("of CSV without columns", {"format": "csv"}, "invalid_request"),
            ("with an empty list of fields", {"fields": []}, "invalid_request"),
            ("with a text for fields", {"fields": "ip"}, "invalid_request"),
            ("with a number among its fields", {"fields": [5]}, "invalid_request"),
            ("with an unknown name among its fields", {"fields": ["nope"]}, "invalid_search_parameter"),
            ("with a field twice", {"fields": ["ip", "ip"]}, "invalid_search_parameter"),
            ("with two names in one field", {"fields": ["ip,asn"]}, "invalid_search_parameter"),
            ("with an empty name among its fields", {"fields": [""]}, "invalid_search_parameter"),
            ("with a blank around a field", {"fields": [" ip"]}, "invalid_search_parameter"),
            ("with an unknown member", {"limit": 5}, "invalid_request")):
        same(make(**members).short, "400 " + code, "C-413: an export %s is refused" % what)
    for body in ("[]", "null", '"x"', "7"):
        same(ask("POST", HOSTS, body).short, "400 invalid_request", "an export with the body %s is refused" % body)
    for body in ("", "{", '{"query":"a","query":"a"}', '{"query":"\\ud800"}'):
        same(ask("POST", HOSTS, body).short, "400 invalid_json", "an export whose body is no JSON is refused: %r" % body)
    same(ask("GET", "/search/exports/x").short, "400 invalid_search_parameter", "the name of an export is a UUID")
    same(ask("GET", "/search/exports/%s" % uuid.uuid4()).short, "404 not_found", "an unknown export is not found")
    same(ask("GET", "/search/exports?state=x").short, "400 invalid_search_parameter", "an unknown state of exports is refused")
    same(ask("GET", "/search/exports").json["exports"], [], "no refused request left an export")


def life():
    a = make(format="csv", compression="gzip", fields=["ip", "services.port"])
    e = a.json["export"]
    same((a.status, list(a.json)), (202, ["export"]), "C-413: an export is accepted with 202")
    same(a.headers["Location"], "/api/v1/search/exports/" + e["uuid"], "C-413: an accepted export has its Location")
    same(sorted(e), sorted(MEMBERS), "C-413: an export has exactly its members")
    same((e["dataset"], e["query"], e["fields"], e["format"], e["compression"], e["total"]),
         ("hosts", "", ["ip", "services.port"], "csv", "gzip", 3), "C-413: an export has what was asked for and counts its matches")
    e = ended(e["uuid"])
    same((e["state"], e["error"], e["written"]), ("complete", None, 3), "C-413: an export becomes complete")
    stamps(e, "an export")
    c = Content(e["uuid"])
    same((c.status, len(c.raw), hashlib.sha256(c.raw).hexdigest()), (200, e["bytes"], e["sha256"]), "C-413: the file has the size and the SHA-256 of its export")
    rows = list(csv.reader(io.StringIO(gzip.decompress(c.raw).decode())))
    same((rows[0], len(rows)), (["ip", "services.port"], 4), "C-414: the file has the named columns and every match")
    part = Content(e["uuid"], {"Range": "bytes=10-"})
    same((part.status, part.raw), (206, c.raw[10:]), "C-413: a range of the file continues it")
    same(ask("GET", "/search/exports/" + e["uuid"], key=ENV["KEY_SECOND"]).short, "404 not_found", "C-413: an export does not exist for another key")
    same(ask("GET", "/search/exports/%s/content" % e["uuid"], key=ENV["KEY_SECOND"]).short, "404 not_found", "C-413: its file does not exist for another key either")
    same(ask("DELETE", "/search/exports/" + e["uuid"], key=ENV["KEY_SECOND"]).short, "404 not_found", "C-413: another key cannot cancel it")


def lines():
    e = ended(make(compression="identity").json["export"]["uuid"])
    text = Content(e["uuid"]).raw.decode().splitlines()
    first, last = json.loads(text[0]), json.loads(text[-1])
    same((len(text), "export" in first, last["end"]["complete"], last["end"]["records"]), (5, True, True, 3), "C-413: NDJSON has a first and a last line around its records")
    same([json.loads(x)["ip"] for x in text[1:-1]], ["192.0.2.1", "192.0.2.2", "192.0.2.3"], "C-413: the records have the order of their keys")
    same(any(": " in x.replace("://", "") for x in text[1:-1]), False, "C-414: the records have no white space")


def again():
    name = str(uuid.uuid4())
    a, b = make(idem=name), make(idem=name)
    same((a.json["export"]["uuid"], b.status), (b.json["export"]["uuid"], 202), "an Idempotency-Key makes one export of two requests")
    same(make(idem=name, query="port:22").short, "409 idempotency_key_conflict", "another request with the same Idempotency-Key is refused")
    same(ended(a.json["export"]["uuid"])["state"], "complete", "the export of an Idempotency-Key is written once")


def rights():
    same(make(key=ENV["KEY_NONE"]).short, "403 permission_denied", "C-413: an export wants the scope search.view")
    same(make(key="sfk_wrong").status, 401, "an export wants a key")


faults()
life()
lines()
again()
rights()
end()
