#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Prints each fault of the examples in an OpenAPI document: every JSON answer has one, and its schema accepts it.

usage: examples.py DOCUMENT
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


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as f:
        print("\n".join(faults(json.load(f))))
