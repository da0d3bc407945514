#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Prints each fault of the examples in an OpenAPI document: every JSON answer has one, and its schema accepts it.

usage: examples.py DOCUMENT [OPERATION STATUS ANSWER]
With a file that has a real answer it prints that answer's faults; "example" where it is equal to the example, but for
its request_id; and "valid" where it is a valid answer with another code.
"""
import json
import sys
import warnings

warnings.simplefilter("ignore", DeprecationWarning)  # newer versions of jsonschema have another resolver
import jsonschema  # noqa: E402


def resolve(doc, node):
    while "$ref" in node:
        at = doc
        for part in node["$ref"][2:].split("/"):
            at = at[part.replace("~1", "/")]
        node = at
    return node


def faults(doc):
    resolver = jsonschema.RefResolver("", doc)
    for ops in doc["paths"].values():
        for op in ops.values():
            for status, answer in op["responses"].items():
                content = resolve(doc, answer).get("content", {}).get("application/json")
                if content is None:
                    continue
                where = "%s %s" % (op["operationId"], status)
                if "example" not in content:
                    yield where + ": no example"
                    continue
                validator = jsonschema.Draft202012Validator(content["schema"], resolver=resolver)
                for e in validator.iter_errors(content["example"]):
                    yield "%s: %s: %s" % (where, e.json_path, e.message[:160])


def compare(doc, operation, status, answer):
    """Yields the faults of a real answer, or one word."""
    op, = [op for ops in doc["paths"].values() for op in ops.values() if op["operationId"] == operation]
    content = resolve(doc, op["responses"][status])["content"]["application/json"]
    validator = jsonschema.Draft202012Validator(content["schema"], resolver=jsonschema.RefResolver("", doc))
    found = ["%s: %s" % (e.json_path, e.message[:160]) for e in validator.iter_errors(answer)]
    shown = json.loads(json.dumps(content["example"]))
    if not found and answer["error"]["code"] == shown["error"]["code"]:
        shown["error"]["request_id"] = answer["error"]["request_id"]
        found = ["example" if answer == shown else "not the example: %s" % json.dumps(shown)]
    yield from found or ["valid"]


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as f:
        document = json.load(f)
    if len(sys.argv) == 2:
        print("\n".join(faults(document)))
    else:
        with open(sys.argv[4], encoding="utf-8") as f:
            print("\n".join(compare(document, sys.argv[2], sys.argv[3], json.load(f))))
