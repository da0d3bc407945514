# SPDX-License-Identifier: ISC
"""A row of the conformance table, and how requests are written byte by byte."""
import json

PATH = "/search/hosts/aggregate"
GOOD = '{"aggregations":[{"field":"services.port"}]}'
ROWS = []


class Case:
    """name cites the C-number; status and code are what the contract demands (a tuple: any of them);
    check(answer, reply) raises AssertionError on a 200 that is not as it must be."""

    def __init__(self, name, body=GOOD, status=200, code=None, **more):
        self.name, self.status, self.code = name, status, code
        self.body = body.encode() if isinstance(body, str) else body
        self.method = more.pop("method", "POST")
        self.path = more.pop("path", PATH)
        self.url = more.pop("url", None)  # the whole target, where it is not below /api/v1
        self.type = more.pop("type", "application/json")
        self.key = more.pop("key", "KEY")
        self.headers = more.pop("headers", [])
        self.chunked = more.pop("chunked", False)
        self.length = more.pop("length", True)
        self.check = more.pop("check", None)
        self.search = more.pop("search", True)
        self.plain = more.pop("plain", False)
        assert not more, more


def case(name, body=GOOD, status=200, code=None, **more):
    ROWS.append(Case(name, body, status, code, **more))


def wrong(name, body, code, status=400, **more):
    case(name, body, status, code, **more)


def ask(*fields, query=None, limit=None):
    """A well-formed body."""
    specs = [{"field": f} if limit is None else {"field": f, "limit": limit} for f in fields]
    body = {"aggregations": specs}
    if query is not None:
        body["query"] = query
    return json.dumps(body, ensure_ascii=False)


def spec(text):
    """A body whose one aggregation is this JSON text."""
    return '{"aggregations":[%s]}' % text


def request(c, base, authority, keys):
    """The request as bytes."""
    target = c.url or base + c.path
    lines = ["%s %s HTTP/1.1" % (c.method, target), "Host: " + authority, "Connection: close"]
    if c.key is not None:
        lines.append("X-API-Key: " + keys.get(c.key, c.key))
    lines += ["%s: %s" % h for h in c.headers]
    body = b""
    if c.body is not None and c.method not in ("GET", "HEAD"):
        if c.type is not None:
            lines.append("Content-Type: " + c.type)
        if c.chunked:
            lines.append("Transfer-Encoding: chunked")
            body = chunks(c.body)
        else:
            body = c.body
            if c.length:
                lines.append("Content-Length: %d" % len(body))
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def chunks(body, size=1000):
    out = [b"%x\r\n%s\r\n" % (len(body[i:i + size]), body[i:i + size]) for i in range(0, len(body), size)]
    return b"".join(out) + b"0\r\n\r\n"
