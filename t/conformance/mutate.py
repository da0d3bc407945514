# SPDX-License-Identifier: ISC
"""Systematic harm: what a schema lets one do wrong to a good body or parameter."""
import copy
import json

OTHERS = {"string": 5, "integer": "5", "number": "x", "boolean": "true", "array": {}, "object": []}


def flat(doc, schema):
    while "$ref" in schema:
        node = doc
        for part in schema["$ref"][2:].split("/"):
            node = node[part]
        schema = node
    return schema


def kind(schema):
    t = schema.get("type", "string")
    return t[0] if isinstance(t, list) else t


def put(body, path, value):
    """A copy of the body with this in that place."""
    if not path:
        return value
    body = copy.deepcopy(body)
    node = body
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value
    return body


def take(body, path):
    body = copy.deepcopy(body)
    node = body
    for step in path[:-1]:
        node = node[step]
    del node[path[-1]]
    return body


def scalars(schema):
    """(what, value) that the schema of a scalar speaks of, at and beyond its bounds."""
    t = kind(schema)
    if t == "string":
        for bound in ("minLength", "maxLength"):
            for n in (schema.get(bound, -1) + d for d in (-1, 0, 1)):
                if n >= 0 and bound in schema:
                    yield "%d characters" % n, "x" * n
        yield "a control character", "a\u0001b"
        yield "nonsense", "no such thing"
        if "enum" in schema:
            yield "another case", schema["enum"][0].upper()
            yield "a line feed behind", schema["enum"][0] + "\n"
        if schema.get("format") == "date-time":
            for text in ("2099-01-01", "2099-01-01T00:00:00", "2099-02-30T00:00:00Z", "2099-01-01 00:00", "1", "now"):
                yield text, text
        if schema.get("format") == "uuid":
            for text in ("3f0b6a52-5d0c-4c3a-9a55-0f6d1c2b7e9", "{3f0b6a52-5d0c-4c3a-9a55-0f6d1c2b7e91}", "3f0b6a525d0c4c3a9a550f6d1c2b7e91"):
                yield text, text
    elif t in ("integer", "number"):
        for bound in ("minimum", "maximum"):
            if bound in schema:
                for d in (-1, 0, 1):
                    yield str(schema[bound] + d), schema[bound] + d
        yield "2.5", 2.5
        yield "a big number", 10**30
        yield "a boolean", True


def edits(doc, schema, body, path=()):
    """(what, body): the good body with one thing wrong, or just at a bound."""
    schema = flat(doc, schema)
    node = body
    for step in path:
        node = node[step]
    where = ".".join(map(str, path)) or "body"
    yield where + ": null", put(body, path, None)
    yield where + ": another type", put(body, path, OTHERS[kind(schema)])
    for other in ("", 0, False, [], {}, [[]], {"a": 1}):
        yield "%s: %s" % (where, json.dumps(other)), put(body, path, other)
    if kind(schema) == "object":
        yield from in_object(doc, schema, body, path, where)
    elif kind(schema) == "array":
        if "maxItems" in schema and node:
            yield where + ": too many items", put(body, path, (node * (schema["maxItems"] + 1))[:schema["maxItems"] + 1])
        if node:
            yield where + ": twice the same", put(body, path, [node[0], node[0]])
            yield from edits(doc, schema["items"], body, path + (0,))
    else:
        for what, value in scalars(schema):
            yield "%s: %s" % (where, what), put(body, path, value)


def in_object(doc, schema, body, path, where):
    node = body
    for step in path:
        node = node[step]
    yield where + ": an unknown member", put(body, path, {**node, "colour": "red"})
    for name, sub in schema.get("properties", {}).items():
        if name in node:
            yield "%s without %s" % (where, name), take(body, path + (name,))
            yield "%s: %s in capitals" % (where, name), put(take(body, path + (name,)), path, {**take(node, (name,)), name.upper(): node[name]})
            yield from edits(doc, sub, body, path + (name,))
        else:
            yield "%s.%s: null" % (where, name), put(body, path + (name,), None)
            for what, value in [("another type", OTHERS[kind(flat(doc, sub))]), *scalars(flat(doc, sub))]:
                yield "%s.%s: %s" % (where, name, what), put(body, path + (name,), value)


def texts(good):
    """(what, bytes) that are no acceptable JSON, or twice the same member."""
    text = json.dumps(good)
    first = next(iter(good))
    member = json.dumps({first: good[first]})[1:-1]
    yield "a member twice", "{%s,%s" % (member, text[1:])
    yield "a member twice, once escaped", "{%s,%s" % (member.replace(first[0], "\\u%04x" % ord(first[0]), 1), text[1:])
    yield "an unknown member twice", '{"colour":1,"colour":1,' + text[1:]
    yield "nothing", ""
    yield "cut off", text[:-1]
    yield "something behind", text + "{}"
    yield "a comma too many", text[:-1] + ",}"
    yield "a byte-order mark", "\ufeff" + text
    yield "a comment", "/**/" + text
    yield "NaN", '{"%s":NaN}' % first
    yield "a lone surrogate", '{"%s":"\\ud800"}' % first
    yield "1e400", '{"%s":1e400}' % first
    yield "5000 brackets", "[" * 5000


def parameter(param, doc):
    """(what, value, good?) of a URL parameter; good is what its schema says."""
    schema = flat(doc, param["schema"])
    for value in schema.get("enum", []):
        yield value, value, True
    if "example" in param:
        yield "the example", str(param["example"]), True
    yield "empty", "", schema.get("minLength", 1 if kind(schema) != "string" or "enum" in schema or "format" in schema else 0) == 0
    if kind(schema) == "integer":
        low, high = schema["minimum"], schema["maximum"]
        for n in (low - 1, low, high, high + 1):
            yield str(n), str(n), low <= n <= high
        for text in ("+5", "05", "5.0", "5x", "0x5", " 5", "1e1", "99999999999999999999"):
            yield text, text, False
    elif "enum" in schema:
        for text in ("nonsense", schema["enum"][0].upper(), schema["enum"][0] + "\n", schema["enum"][0] + ","):
            yield repr(text), text, False
    elif schema.get("format") == "uuid":
        yield "a UUID", "3f0b6a52-5d0c-4c3a-9a55-0f6d1c2b7e91", True
        for text in ("nonsense", "3f0b6a52-5d0c-4c3a-9a55-0f6d1c2b7e9"):
            yield text, text, False
    elif "maxLength" in schema:
        yield "too long", "x" * (schema["maxLength"] + 1), False
