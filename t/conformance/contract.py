#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Every operation of the served openapi.json with good and with harmed input over TLS: each answer must be
one that the document describes, and each answer that it promises must have been seen (C-122).

usage: contract.py ENV     ENV: the shell assignments of t/conformance/contract.t
"""
import datetime
import http.client
import json
import re
import urllib.parse
import uuid

import jsonschema
from client import ENV, World, day, say
from mutate import edits, flat, parameter, texts

# What cannot be provoked from outside; t/counting/outage.t and t/process/faults.t see to these.
FAULTS = {"500", "502", "503"}
# The moves of a record promise the same; these reach their end from everywhere.
ALWAYS = {"closeAlert": {"409"}, "resolveFinding": {"409"}, "reopenFinding": {"409"}}
# The codes that people alone get; an answer with no other code is never one for a key.
OF_PEOPLE = {"organisation_not_found", "organisation_required", "invalid_org_uuid", "csrf_required", "session_expired", "reauthentication_required"}
WATCHED = ("retry-after", "ratelimit", "ratelimit-policy", "www-authenticate", "location", "idempotency-replayed", "etag", "allow")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
NOBODY = "00000000-0000-4000-8000-000000000000"


# ---- schemas ----

def checker(stamp):
    c = jsonschema.FormatChecker(formats=())
    c.checks("uuid")(lambda v: not isinstance(v, str) or UUID.fullmatch(v) is not None)
    c.checks("date-time")(lambda v: not isinstance(v, str) or stamp(v))
    c.checks("date")(lambda v: not isinstance(v, str) or bool(re.fullmatch(r"\d{4}-\d\d-\d\d", v)))
    c.checks("int64")(lambda v: not isinstance(v, int) or -2**63 <= v < 2**63)
    return c


def any_stamp(text):
    try:
        return "T" in text and datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).tzinfo is not None
    except ValueError:
        return False


def closed(node):
    """The schema with every object that names its members holding no others: what is served is described."""
    if isinstance(node, dict):
        node = {k: closed(v) for k, v in node.items() if k != "allOf"} | {k: v for k, v in node.items() if k == "allOf"}
        if "properties" in node and "additionalProperties" not in node or "allOf" in node:
            node["unevaluatedProperties"] = False
    elif isinstance(node, list):
        node = [closed(v) for v in node]
    return node


# C-121: 5.0 is no integer in an answer.
Strict = jsonschema.validators.extend(jsonschema.Draft202012Validator, type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine(
    "integer", lambda _c, v: isinstance(v, int) and not isinstance(v, bool)))


class Document:
    def __init__(self, doc):
        self.doc = doc
        schemas = closed(doc["components"]["schemas"])
        for name in re.findall(r'"allOf": \[\{"\$ref": "#/components/schemas/(\w+)"', json.dumps(schemas)):
            schemas[name].pop("unevaluatedProperties", None)  # the whole is closed, not the part
        shut = dict(doc, components=dict(doc["components"], schemas=schemas))
        self.answers = jsonschema.RefResolver("", shut)
        self.requests = jsonschema.RefResolver("", doc)
        self.made = {}

    def faults(self, schema, value, asked=False):
        key = (json.dumps(schema, sort_keys=True), asked)
        if key not in self.made:
            self.made[key] = jsonschema.Draft202012Validator(schema, resolver=self.requests, format_checker=checker(any_stamp)) if asked else Strict(
                schema, resolver=self.answers, format_checker=checker(STAMP.fullmatch))
        return ["%s: %s" % (e.json_path, e.message[:200]) for e in self.made[key].iter_errors(value)]

    def operations(self):
        for path, ops in self.doc["paths"].items():
            for method, op in ops.items():
                yield Operation(self, path, method.upper(), op)


def unique(pairs):
    assert len(pairs) == len(dict(pairs)), "C-026: a member twice in the answer"
    return dict(pairs)


# value_type names the type of a bucket's value; an audit line has the members of the record that has changed.
FREE = (".buckets[].value", ".entries[].before", ".entries[].after")


def unlike(shown, real, where):
    """Where a real answer has another type than an example, or a member that the example lacks. Null is of any
    type, and what the example leaves empty is free."""
    if shown is None or real is None or where.endswith(FREE):
        return
    kinds = [bool if isinstance(v, bool) else float if isinstance(v, (int, float)) else type(v) for v in (shown, real)]
    if kinds[0] is not kinds[1]:
        yield "%s is a %s, and the answer has a %s" % (where, kinds[0].__name__, kinds[1].__name__)
    elif isinstance(real, dict) and shown:
        for name, value in real.items():
            if name in shown:
                yield from unlike(shown[name], value, where + "." + name)
            else:
                yield "%s has no %s" % (where, name)
    elif isinstance(real, list) and shown:
        for value in real:
            yield from unlike(shown[0], value, where + "[]")


# ---- the client ----

class Line:
    """One connection, made again when the server has closed it."""

    def __init__(self):
        self.world, self.http, self.kept, self.asked = World(ENV), None, None, 0

    def send(self, method, path, body, headers):
        for attempt in (1, 2):
            if self.http is None:
                self.http = http.client.HTTPConnection(self.world.host, self.world.port, timeout=60)
                self.http.sock = self.world.connect()
            try:
                self.asked += 1
                self.http.putrequest(method, self.world.base + path, skip_accept_encoding=True)
                for name, value in headers:
                    self.http.putheader(name, value)
                if body is not None:
                    self.http.putheader("Content-Length", str(len(body)))
                self.http.endheaders(body)
                r = self.http.getresponse()
                data = r.read()
                if r.will_close or r.status == 101:
                    self.kept, self.http = self.http, None
                return r.status, r.headers, data
            except (http.client.HTTPException, OSError):
                self.http = None
                if attempt == 2:
                    raise


LINE = Line()


class Operation:
    def __init__(self, book, path, method, op):
        self.book, self.path, self.method, self.op, self.id = book, path, method, op, op["operationId"]
        self.params = [flat(book.doc, p) for p in op.get("parameters", [])]
        self.body = op.get("requestBody", {}).get("content", {}).get("application/json")
        self.responses = {s: flat(book.doc, r) for s, r in op["responses"].items()}
        self.seen, self.codes, self.faults, self.asked = set(), set(), [], 0
        self.search = path.startswith("/search/")

    def of(self, where):
        return [p for p in self.params if p["in"] == where]

    def good(self):
        """The document's own example, with this world's UUIDs in it."""
        if self.body is None:
            return None
        body = json.loads(json.dumps(self.body["example"]).replace("3f0b6a52-5d0c-4c3a-9a55-0f6d1c2b7e91", ENV["RULE"]))
        if self.id == "updateRule":
            body["version"] = OPS["getRule"].ask("its version", 200, fill={"rule_uuid": ENV["DRAFT"]})[1]["rule"]["version"]
        if self.id == "createWatchedDomain":
            body["domain"] = uuid.uuid4().hex + ".com"
        return {**body, "slug": uuid.uuid4().hex} if self.id == "createRuleTag" else body

    def known(self):
        """The records that the parameters of the path name. A rule that is changed is not the one whose observations are read."""
        return {**known(self.path), **({"rule_uuid": ENV["DRAFT"]} if self.id in ("updateRule", "updateRuleSettings") else {})}

    def url(self, fill=None, query=""):
        values = {**self.known(), **(fill or {})}
        path = re.sub(r"\{(\w+)\}", lambda m: urllib.parse.quote(values[m.group(1)], safe=""), self.path)
        return path + ("?" + query if query else "")

    def ask(self, what, want=None, fill=None, query="", body=None, key="KEY", headers=(), media="application/json"):
        """One request; what is wrong with its answer is remembered. want: a status, or several."""
        if isinstance(body, (dict, list, int, str)) or body is None and self.body and body is None:
            body = json.dumps(self.good() if body is None else body).encode()
        if self.id in EXPORTS:
            cancel_exports()
        send = list(headers)
        if key:
            send.append(("X-API-Key", ENV.get(key, key)))
        if self.body and media is not None:
            send.append(("Content-Type", media))
        status, head, data = LINE.send(self.method, self.url(fill, query), body if self.body else None, send)
        self.asked += 1
        faults, answer = self.judge(status, head, data)
        if want is not None and status not in (want if isinstance(want, tuple) else (want,)):
            faults.append("%d, wanted %s" % (status, want))
        self.faults += ["%s: %s; %s" % (what, f, data[:160]) for f in faults]
        return status, answer, head

    def shape(self, status, answer):
        """The members and types of the answer are those of the document's example."""
        if self.op["tags"] == ["Description"]:
            return []  # documents of other standards, of which the example shows the first member
        shown = self.responses[str(status)]["content"]["application/json"].get("example")
        return ["the example: " + f for f in unlike(shown, answer, "$")]

    def judge(self, status, head, data):
        said = self.responses.get(str(status))
        if said is None:
            return ["%d is not listed" % status], None
        self.seen.add(str(status))
        faults = self.headers(status, head, said, data)
        media = head.get("Content-Type", "")
        if status in (101, 304):
            return faults, None
        # A media type of openapi.json stands for it with any parameter, such as ;version=2.1.
        if media not in said["content"] and media.split(";")[0] not in said["content"]:
            return faults + ["Content-Type %s is not listed" % media], None
        if media != "application/json":
            return faults, None
        try:
            answer = json.loads(data, object_pairs_hook=unique)
        except (ValueError, AssertionError) as e:
            return faults + ["no JSON: %s" % e], None
        faults += self.book.faults(said["content"][media].get("schema", {}), answer)
        faults += self.shape(status, answer)
        if status >= 400:
            faults += self.envelope(answer, head)
        return faults, answer

    def headers(self, status, head, said, data):
        faults, listed = [], {k.lower(): flat(self.book.doc, v) for k, v in said.get("headers", {}).items()}
        for name, h in listed.items():
            value = head.get(name)
            if value is None:
                if h.get("required"):
                    faults.append("no %s" % name)
            else:
                faults += ["%s: %s" % (name, f) for f in self.book.faults(h["schema"], value)]
        faults += ["%s is not described" % n for n in WATCHED if head.get(n) is not None and n not in listed]
        wait = status == 429 or b'"search_busy"' in data and status == 503
        if (head.get("Retry-After") is not None) != wait:
            faults.append("C-067: Retry-After %s" % head.get("Retry-After"))
        return faults

    def envelope(self, answer, head):
        e = answer.get("error", {})
        self.codes.add(e.get("code"))
        faults = [] if e.get("request_id") == head.get("X-Request-Id") else ["C-063: request_id"]
        if ("field_errors" in e) == self.search:
            faults.append("C-060, C-061: field_errors")
        if re.search(r"<html|SELECT |/usr/|/tmp/|\.c:\d|sfk_", e.get("message", "")):
            faults.append("C-062: message")
        return faults


# ---- harm that every operation can come to ----

def stream(op):
    """The upgrade of the stream has an order of checks of its own (C-107 to C-111)."""
    upgrade = [("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"), ("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA==")]
    fill = {"session_uuid": ENV["RUNNING"]}

    def offer():
        _, answer, _ = OPS["createStreamTicket"].ask("for a stream", 201, fill=fill)
        return [("Sec-WebSocket-Protocol", answer["stream_ticket"]["subprotocol"])]

    op.ask("C-107: no upgrade", 426, fill=fill, key=None)
    op.ask("C-020: no UUID", 400, fill={"session_uuid": "x"}, headers=upgrade, key=None)
    op.ask("C-031: a parameter", 400, fill=fill, headers=upgrade, query="x=1", key=None)
    op.ask("no ticket", 401, fill=fill, headers=upgrade, key=None)
    good = offer()
    op.ask("C-111: another origin", 403, fill=fill, headers=[*upgrade, *good, ("Origin", "null")], key=None)
    op.ask("another key", 401, fill=fill, headers=upgrade + good, key="KEY_OTHER")
    op.ask("C-108: as described", 101, fill=fill, headers=upgrade + good, key=None)
    op.ask("C-110: a second one", 409, fill=fill, headers=upgrade + offer(), key=None)
    LINE.kept.close()


def keys(op):
    if op.op.get("security") == []:
        return
    for what, key in (("no key", None), ("an unknown key", "sfk_aaaaaaaa_" + "a" * 43), ("a prefix", ENV["KEY"][:12]), ("two keys", ENV["KEY"] + "," + ENV["KEY"])):
        op.ask(what, 401, key=key)
    op.ask("a suspended account", 403, key="KEY_SUSPENDED")
    if op.op.get("x-required-scopes"):
        op.ask("C-008: no scope of it", 403, key="KEY_AUDIT" if "esi.detectors.manage" in op.op["x-required-scopes"] else "KEY_OTHER")
    _, answer, _ = op.ask("an account without entitlements", None, key="KEY_UNENTITLED")
    if "429" in op.responses:
        op.ask("C-068: a rate that is used up", 429, key="KEY_SLOW")
    for header in ("X-Org-UUID", "X-Organisation-Id", "X-Account-UUID"):
        op.ask("C-011: " + header, 400, headers=[(header, "")])
    op.ask("C-011: account_uuid", 400, query="account_uuid=")


def paths(op):
    for p in op.of("path"):
        if p["name"] in TEXTS:
            _, missing, bad = TEXTS[p["name"]]
            for text in (*bad, "%00", "é"):
                op.ask("C-411: %s %r" % (p["name"], text), 400, fill={p["name"]: text})
            op.ask("C-411: another %s" % p["name"], 404, fill={p["name"]: missing})
            continue
        for text in ("nonsense", ENV["P"][:-1], "{%s}" % ENV["P"], ENV["P"].replace("-", ""), ENV["P"] + "0", "%00", "é"):
            op.ask("C-020: %s %r" % (p["name"], text), 400, fill={p["name"]: text})
        op.ask("C-115: another %s" % p["name"], 404, fill={p["name"]: NOBODY})
    if "project_uuid" in [p["name"] for p in op.of("path")]:
        op.ask("C-116: another account's project", 404, fill={"project_uuid": ENV["FOREIGN"]})


def queries(op):
    quote = urllib.parse.quote
    op.ask("C-031: an unknown parameter", 400, query="colour=red")
    for bad in ("%00", "%zz", "%ff", "%ed%a0%80"):
        op.ask("C-058: " + bad, 400, query="%s=%s" % (op.of("query")[0]["name"] if op.of("query") else "colour", bad))
    for p in op.of("query"):
        name = p["name"]
        for what, value, good in parameter(p, op.book.doc):
            if op.method == "GET":
                op.ask("%s %s" % (name, what), 200 if good and name != "cursor" else 400, query="%s=%s" % (name, quote(value)))
        op.ask(name + " twice", 400, query="%s=1&%s=1" % (name, name))
        op.ask(name + " in capitals", 400, query=name.upper() + "=1")
    for p in op.of("header"):
        op.ask("an empty " + p["name"], 400, headers=[(p["name"], "")])
        op.ask("a long " + p["name"], 400, headers=[(p["name"], "k" * (p["schema"]["maxLength"] + 1))])


def bodies(op):
    if op.body is None:
        return
    schema, good = op.body["schema"], op.good()
    op.faults += ["the example: " + f for f in op.book.faults(schema, good, True)]
    op.ask("the example", (200, 201, 202), body=good)
    for media in (None, "", "text/json", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/vnd.api+json",
                  "application/json; charset=utf-16", "application/json; charset=utf8", "application/json; version=1", "application/json, application/json"):
        op.ask("C-021: media type %s" % media, 415, media=media)
    for coding in ("gzip", "br", "identity, gzip"):
        op.ask("C-022: " + coding, 415, headers=[("Content-Encoding", coding)])
    op.ask("C-022: identity", (200, 201, 202), headers=[("Content-Encoding", "identity")])
    op.ask("C-023: too large", 413, body=b" " * LONG.get(op.id, 70000) + json.dumps(good).encode())
    for what, text in texts(good):
        op.ask(what, 400, body=text.encode())
    for what, body in edits(op.book.doc, schema, good):
        wrong = op.book.faults(schema, body, True)
        op.ask(what, 400 if wrong else None, body=json.dumps(body).encode())


# ---- what only some operations can come to, and what they need ----

def fresh(op_id, **fill):
    """Makes a record by another operation; its UUID."""
    status, answer, _ = OPS[op_id].ask("for another", (200, 201, 202), fill=fill)
    return next(iter(answer.values()))["uuid"] if status < 300 else NOBODY


def cancel_exports():
    """A key may have two exports under way."""
    _, answer, _ = OPS["listExports"].ask("all exports", 200)
    for e in answer["exports"]:
        if e["state"] in ("queued", "running"):
            OPS["cancelExport"].ask("an export under way", 200, fill={"export_uuid": e["uuid"]})


def conflict(op):
    """What the state of a record decides."""
    again = [("Idempotency-Key", uuid.uuid4().hex)]
    if op.id in EXPORTS:
        op.ask("a key", 202, headers=again)
        op.ask("C-087: another", 409, headers=again, body={**op.good(), "compression": "identity"})
    elif op.id == "getExportContent":
        cancelled = fresh("exportHosts")
        cancel_exports()
        op.ask("C-413: a file that is not written", 409, fill={"export_uuid": cancelled})
    elif op.id == "createReport":
        op.ask("a key", (200, 201), headers=again)
        op.ask("C-087: another", 409, headers=again, body={**op.good(), "title": "Another"})
        op.ask("a report that is new", 201, body={**op.good(), "title": uuid.uuid4().hex})
    elif op.id == "createReportVerdict":
        op.ask("a value that is new", 201, body={**op.good(), "value": uuid.uuid4().hex + ".example"})
        op.ask("more than an account may have", 409, key="KEY_FULL")
    elif op.id == "createRuleTag":
        op.ask("more than an account may have", 409, key="KEY_FULL")
    elif op.id == "createWatchedDomain":
        op.ask("more than a project may have", 409, fill={"project_uuid": ENV["FULL_PROJECT"]})
    elif op.id in ("createRule", "importRules"):
        op.ask("more than an account may have", 409, key="KEY_FULL")
    elif op.id in ("copyRule", "updateRuleSettings"):
        op.ask("more than an account may have", 409, key="KEY_FULL", fill={"rule_uuid": ENV["CATALOGUE"]})
    elif op.id in ("deleteRule", "stageRule", *ONCE):
        op.ask("one of the catalogue", 409, fill={"rule_uuid": ENV["CATALOGUE"]})
    elif op.id in ("updateRuleTag", "deleteRuleTag"):
        op.ask("a common one", 409, fill={"tag_uuid": ENV["COMMON_TAG"]})
    elif op.id == "createSession":
        op.ask("a key", 202, headers=again)
        op.ask("C-088: the same", 202, headers=again)
        op.ask("C-087: another", 409, headers=again, body={"start_url": "https://example.org/"})
    elif op.id == "replaySession":
        op.ask("a key", 202, headers=again)
        op.ask("C-087: another", 409, headers=again, fill={"session_uuid": ENV["TERMINAL2"]})
    elif op.id == "closeSession":
        op.ask("C-103: a terminal one", 200, fill={"session_uuid": ENV["TERMINAL2"]})
    elif op.id == "createStreamTicket":
        op.ask("before it runs", 409, fill={"session_uuid": ENV["QUEUED"]})
    elif op.id == "cancelAlertSilence":
        op.ask("after its end", 409, fill={"silence_uuid": ENV["EXPIRED_SILENCE"]})
    elif op.id == "retryAlertDelivery":
        op.ask("delivered", 409, fill={"delivery_uuid": ENV["DELIVERED"]})
    elif op.id == "acknowledgeAlert":
        op.ask("closed", 409, fill={"alert_uuid": ENV["CLOSED_ALERT"]})
    elif op.id == "reopenAlert":
        op.ask("beside a newer one", 409, fill={"alert_uuid": ENV["OLD_ALERT"]})
    elif op.id in ("acknowledgeFinding", "acceptRiskFinding", "falsePositiveFinding"):
        op.ask("resolved", 409, fill={"finding_uuid": ENV["RESOLVED"]})


# These operations take longer bodies than the others.
LONG = dict.fromkeys(("createReport", "extractIndicators", "lookupIndicators"), 1179648)
LONG.update(dict.fromkeys(("createRule", "updateRule", "validateRule", "createWatchedDomain", "updateWatchedDomain", "previewTyposquatting"), 524288), importRules=1048576)
# A record that the operation ends or changes for good is made for it alone.
SPENT = {
    "deleteAlertRule": ("rule_uuid", "createAlertRule"),
    "deleteAlertDestination": ("destination_uuid", "createAlertDestination"),
    "cancelAlertSilence": ("silence_uuid", "createAlertSilence"),
    "closeSession": ("session_uuid", "createSession"),
    "cancelExport": ("export_uuid", "exportHosts"),
    "deleteReport": ("report_uuid", "createReport"),
    "deleteRule": ("rule_uuid", "createRule"),
    "stageRule": ("rule_uuid", "createRule"),
    "deleteReportVerdict": ("verdict_uuid", "createReportVerdict"),
    "deleteRuleTag": ("tag_uuid", "createRuleTag"),
    "deleteWatchedDomain": ("domain_uuid", "createWatchedDomain"),
}
# A rule moves only once.
ONCE = ("publishRule", "deprecateRule", "redraftRule")
FILL = {
    "createStreamTicket": {"session_uuid": "RUNNING"},
    "replaySession": {"session_uuid": "TERMINAL"},
    "getDanglingDns": {"finding_uuid": "DANGLING"},
    "getSecrets": {"finding_uuid": "SECRET"},
    "getAiSurface": {"finding_uuid": "AI_SURFACE"},
    "getExposures": {"finding_uuid": "EXPOSURE"},
    "getTyposquatting": {"finding_uuid": "LOOKALIKE"},
    "resolveFinding": {"finding_uuid": "THIRD"},
    "reopenFinding": {"finding_uuid": "RESOLVED"},
    "publishRule": {"rule_uuid": "PUBLISHED"},
    "deprecateRule": {"rule_uuid": "DEPRECATED"},
    "redraftRule": {"rule_uuid": "REDRAFTED"},
}


def sound(op):
    """As the document says: it works."""
    fill = {name: ENV[value] for name, value in FILL.get(op.id, {}).items()}
    if op.id in SPENT:
        name, maker = SPENT[op.id]
        fill[name] = fresh(maker)
    status, answer, _ = op.ask("as described", (200, 201, 202), fill=fill)
    if "304" in op.responses:
        _, _, head = op.ask("for its ETag", 200)
        op.ask("C-416: the client has it", 304, headers=[("If-None-Match", head["ETag"])])
    if op.id == "closeSession":
        op.ask("C-103: the running one", 202, fill={"session_uuid": ENV["RUNNING2"]})
    if op.of("query") and [p for p in op.of("query") if p["name"] == "cursor"]:
        page(op)
    for p in op.of("path"):
        fill[p["name"]] = fill.get(p["name"], op.known()[p["name"]]).upper()
    if op.id not in SPENT and op.id not in ONCE:
        op.ask("C-020: UUIDs in capitals", (200, 201, 202), fill=fill)


def page(op):
    _, answer, _ = op.ask("a page of one", 200, query="limit=1")
    if answer and answer.get("next_cursor"):
        op.ask("the next page", 200, query="limit=1&cursor=" + urllib.parse.quote(answer["next_cursor"]))
    op.ask("a cursor that is none", 400, query="cursor=bm90aGluZw")


def codes(response):
    """The codes of errors that a response of the document lists."""
    return {code for listed in re.findall(r'"code": \{[^{}]*"enum": \[([^]]*)\]', json.dumps(response)) for code in re.findall(r'"(\w+)"', listed)}


def described(op):
    """What a generated client needs of the document itself."""
    o, missing = op.op, []
    for member in ("summary", "description", "tags", "security", "operationId"):
        if not o.get(member) and not (member == "security" and o.get(member) == []):
            missing.append(member)
    named = set(re.findall(r"\{(\w+)\}", op.path))
    if named != {p["name"] for p in op.of("path")}:
        missing.append("parameters of the path")
    missing += ["description of " + p["name"] for p in op.params if not p.get("description")]
    for p in op.params:
        if p.get("required") and "example" not in p:
            missing.append("example of " + p["name"])
    if op.body and "example" not in op.body:
        missing.append("example of the body")
    for status, r in op.responses.items():
        listed = {n.lower() for n in r.get("headers", {})}
        want = {"x-request-id"} | ({"retry-after"} if status == "429" else set()) | ({"www-authenticate"} if status == "401" else set())
        want |= {"ratelimit", "ratelimit-policy"} if o.get("security") and status[0] == "2" else set()
        missing += ["%s of %s" % (n, status) for n in sorted(want - listed)]
        if status[0] in "45" and "enum" not in json.dumps(r):
            missing.append("codes of " + status)
    return missing


def required(book, schema, where):
    """Places in an answer where an object does not say which members are always there."""
    if schema.get("$ref", "").rpartition("/")[2] in DOCUMENTS:
        return
    schema = flat(book.doc, schema)
    if "properties" in schema:
        if "required" not in schema:
            yield where
        for name, sub in schema["properties"].items():
            yield from required(book, sub, where + "." + name)
    if "items" in schema:
        yield from required(book, schema["items"], where + "[]")


def known(path):
    """The records that the parameters of a path name; rules of detection are no alert rules."""
    return {**PATH, "rule_uuid": ENV["DETECTION"]} if path.startswith("/rules/") else PATH


def router(book):
    """C-019, C-705: what no operation answers."""
    for path, ops in book.doc["paths"].items():
        url = re.sub(r"\{(\w+)\}", lambda m: known(path)[m.group(1)], path)
        allowed = {m.upper() for m in ops} | ({"HEAD"} if "get" in ops and not path.endswith("/stream") else set())
        for method in ("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
            if method in allowed:
                continue
            status, head, data = LINE.send(method, url, b"" if method != "GET" else None, [("X-API-Key", ENV["KEY"])])
            error = json.loads(data)["error"]
            got = status, error["code"], {a.strip() for a in head.get("Allow", "").split(",")}
            if got != (405, "method_not_allowed", allowed):
                yield "%s %s: %s" % (method, path, got)
        status, _, data = LINE.send("GET", url + "/none", None, [("X-API-Key", ENV["KEY"])])
        if status not in (400, 404, 405):
            yield "%s/none: %d" % (path, status)


PATH = {name: ENV[value] for name, value in (line.split("=") for line in """project_uuid=P
member_uuid=MEMBER
key_uuid=KEY_UUID
rule_uuid=RULE
destination_uuid=DESTINATION
silence_uuid=SILENCE
alert_uuid=ALERT
delivery_uuid=DELIVERY
asset_uuid=ASSET
service_uuid=SERVICE
finding_uuid=FINDING
session_uuid=TERMINAL
screenshot_uuid=SCREENSHOT
export_uuid=EXPORT
key_uuid=ACCESS_KEY
report_uuid=REPORT
verdict_uuid=VERDICT
tag_uuid=TAG
domain_uuid=WATCHED
passkey_uuid=FOREIGN
sign_in_uuid=FOREIGN
observation_uuid=OBSERVATION""".split())}
# Parameters that are no UUIDs: one that has a record, one that has none, and texts that are none.
TEXTS = {
    "ip": ("192.0.2.1", "203.0.113.9", ("nonsense", "192.0.2", "192.0.2.1-9")),
    "port": ("443", "444", ("0", "65536", "-1", "x")),
    "transport": ("tcp", "udp", ("quic", "6")),
    "name": ("www.example.com", "none.example.com", ("com", "a..com")),
    "domain": ("example.com", "example.net", ("com", "a b.com", "*.example.com")),
    "fingerprint": (ENV["FINGERPRINT"], "0" * 64, ("nonsense", "0" * 63, "0" * 65)),
}
PATH.update((name, good) for name, (good, _, _) in TEXTS.items())
# Any member of these may be left out by the parameter fields.
DOCUMENTS = ("Host", "HostService", "DnsRecord", "WhoisDomain", "Certificate", "ObservedRecord")
EXPORTS = ["export" + name for name in "Hosts Services Dns Whois Certificates Reports OpenDirectories".split()]
OPS = {}


def lines(faults):
    """The first of each kind, since one mistake shows in a hundred answers."""
    first = {}
    for f in faults:
        first.setdefault(f.partition("; ")[0].partition(": ")[2] or f, []).append(f)
    return "\n".join("%s%s" % (some[0][:280], " (%d times)" % len(some) if len(some) > 1 else "") for some in list(first.values())[:8])


def main():
    _, _, data = LINE.send("GET", "/openapi.json", None, [])
    book = Document(json.loads(data, object_pairs_hook=unique))
    people = [op for op in book.operations() if op.op["security"] == [{"signIn": []}]]
    OPS.update((op.id, op) for op in book.operations() if op.op["security"] != [{"signIn": []}] and not op.path.startswith("/auth/"))
    faults = list(router(book))
    say(not faults, "other methods of a path get 405 with Allow (C-019)", lines(faults))
    # What people alone may do is tested with people (t/people).
    answers = {op.id: LINE.send(op.method, op.url(), b"{}" if op.body else None, [("X-API-Key", ENV["KEY"])])[::2] for op in people}
    wrong = [name for name, (status, data) in answers.items() if (status, json.loads(data)["error"]["code"]) != (403, "permission_denied")]
    say(people and not wrong, "a key gets 403 from every operation of people alone (C-329)", " ".join(wrong))
    for op in OPS.values():
        for part in (stream,) if op.id == "openStream" else (sound, keys, paths, queries, bodies, conflict):
            part(op)
    for op in OPS.values():
        say(not op.faults, "C-122: the answers of %s match openapi.json" % op.id, lines(op.faults))
        of_people = {status for status, r in op.responses.items() if codes(r) and codes(r) <= OF_PEOPLE}
        missing = sorted(set(op.responses) - op.seen - FAULTS - ALWAYS.get(op.id, set()) - of_people)
        say(not missing, "every answer of %s in openapi.json was seen except %s" % (op.id, " ".join(sorted(FAULTS & set(op.responses)))), "never seen: %s" % missing)
        missing = described(op)
        for status, r in op.responses.items():
            for media in r.get("content", {}).values():
                if status[0] == "2":
                    missing += ["required members of " + w for w in required(book, media.get("schema", {}), status)]
        say(not missing, "openapi.json describes %s completely" % op.id, lines(missing))
    print("# %d requests to %d operations" % (LINE.asked, len(OPS)))


if __name__ == "__main__":
    main()
