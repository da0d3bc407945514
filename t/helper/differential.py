#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""The same random queries through the API and through plain SQL over the stored documents (C-402).

usage: differential.py DIR DATASET [--queries N] [--seed S]      DIR: a running t/instance world

Compares of each query the count, six groups with their buckets and has_more, and pages over cursors with the whole
documents in their order. The oracle (t/helper/documents.py, t/helper/queries.py) knows nothing of the index. Prints
one TAP line a query; every difference is shown.
"""
import argparse
import random
import sys
import urllib.parse

from documents import DATASETS, Documents
from queries import Queries
from world import Client, Psql, World, read_env

PAGES = 5


def different(what, got, want):
    """None for equal lists, otherwise where they begin to differ."""
    if got == want:
        return None
    at = next((i for i, (g, w) in enumerate(zip(got, want)) if g != w), min(len(got), len(want)))
    return f"{what} {at}: got {got[at:at + 2]}, SQL says {want[at:at + 2]}"


class Comparison:
    def __init__(self, client, documents, rng):
        self.client, self.documents, self.rng = client, documents, rng
        self.path = "/search/" + documents.name
        self.groups = [f for f in documents.fields if f.aggregatable]

    def get(self, path, **parameters):
        return self.client.call("GET", self.path + path + "?" + urllib.parse.urlencode(parameters))

    def schema(self):
        """The oracle must know each field of the dataset, and what it is."""
        schemas = self.client.call("GET", "/search/schemas")[1]["schemas"]
        ours = next(s for s in schemas if s["dataset"] == self.documents.name)
        names = {"name": "dns", "address": "ip"}
        want = sorted((f.name, names.get(f.type, f.type), bool(f.aggregatable and self.documents.set.unit))
                      for f in self.documents.fields)
        return different("field", sorted((f["name"], f["type"], f["aggregatable"]) for f in ours["fields"]), want)

    def count(self, text, hits):
        status, answer = self.get("/count", q=text)
        want = {"query": text, "count": hits, "count_unit": self.documents.set.unit}
        return None if (status, answer) == (200, want) else f"count: status {status}: {answer}, SQL says {hits}"

    def aggregate(self, text):
        fields = self.rng.sample(self.groups, min(6, len(self.groups)))
        limits = [self.rng.choice([1, 5, 25, 100]) for _ in fields]
        status, answer = self.client.call("POST", self.path + "/aggregate", {
            "query": text, "aggregations": [{"field": f.name, "limit": n} for f, n in zip(fields, limits)]})
        if status != 200:
            return f"aggregate: status {status}: {answer}"
        for field, limit, group in zip(fields, limits, answer["groups"], strict=True):
            want, more = self.documents.facet(field, limit)
            fault = different(field.name + ": bucket", [(b["value"], b["count"]) for b in group["buckets"]], want)
            if fault:
                return fault
            if group["has_more"] != more:
                return f"{field.name}: has_more {group['has_more']}, SQL says {more}"
        return None

    def pages(self, text, hits):
        limit, seen, more = self.rng.choice([1, 7, 100]), 0, {}
        for _ in range(PAGES):
            status, answer = self.get("", q=text, limit=limit, **more)
            if status != 200:
                return f"page: status {status}: {answer}"
            if answer["total"] != {"value": hits, "relation": "eq"}:
                return f"page: total {answer['total']}, SQL says {hits}"
            got = answer[self.documents.member]
            for document in got:
                document.pop("matched_" + self.documents.set.nested, None)
            fault = different("document", got, self.documents.page(seen, limit))
            seen += len(got)
            if fault:
                return fault
            if answer["has_more"] != (seen < hits) or (answer["next_cursor"] is None) != (seen >= hits):
                return f"page: has_more {answer['has_more']} after {seen} of {hits}"
            if not answer["has_more"]:
                break
            more = {"cursor": answer["next_cursor"]}
        return None

    def matched(self, text, sql):
        """The nested objects that pass, listed with their documents, are those of the same tests among services (C-403)."""
        hits, listed, more = self.documents.match(f"id IN (SELECT id FROM n WHERE {sql})"), 0, {}
        passing = self.documents.psql.rows(f"SELECT count(*) FROM n WHERE {sql}")[0][0]
        while True:
            status, answer = self.get("", q=f"services:({text})", limit=1000, fields="ip", **more)
            if status != 200:
                return f"page: status {status}: {answer}"
            listed += sum(len(host["matched_services"]) for host in answer["hosts"])
            if not answer["has_more"]:
                break
            more = {"cursor": answer["next_cursor"]}
        counted = self.client.call("GET", "/search/services/count?" + urllib.parse.urlencode({"q": text}))[1]["count"]
        got = (answer["total"]["value"], listed, counted)
        want = (hits, passing, passing)
        return None if got == want else f"hosts, matched_services, services: {got}, SQL says {want}"

    def query(self, text, sql):
        """None when both sides agree, otherwise what differs; and the number of hits."""
        hits = self.documents.match(sql)
        fault = self.pages(text, hits)
        if self.documents.set.unit:
            fault = fault or self.count(text, hits) or self.aggregate(text)
        return fault, hits


def main():
    options = argparse.ArgumentParser()
    options.add_argument("directory")
    options.add_argument("dataset", choices=DATASETS)
    options.add_argument("--queries", type=int, default=400)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    env = read_env(given.directory + "/env")
    client, rng = Client(World(env)), random.Random(f"{given.dataset}/{given.seed}")
    documents = Documents(Psql(env), given.dataset)
    queries, comparison = Queries(documents, rng), Comparison(client, documents, rng)
    failed = 0

    def report(number, title, fault):
        nonlocal failed
        failed += fault is not None
        print(f"{'not ' if fault else ''}ok {number} - {title}".replace("#", "\\#").replace("\n", " "), flush=True)
        if fault:
            print(f"# seed {given.seed}: {fault}".replace("\n", " "), flush=True)

    sums = given.queries // 6 if given.dataset == "hosts" else 0
    print(f"1..{given.queries + 1 + sums}")
    report(1, f"the oracle knows each field of {given.dataset} (C-401)", comparison.schema())
    for number in range(given.queries):
        text, sql = queries.tree(rng.randint(0, 3), queries.leaf)
        fault, hits = comparison.query(text, sql)
        report(number + 2, f"{given.dataset}: {hits} found by {text} (C-402)", fault)
    for number in range(sums):
        text, sql = queries.tree(rng.randint(0, 2), queries.nested_leaf)
        report(given.queries + 2 + number, f"hosts list the services that are found by {text} (C-403)",
               comparison.matched(text, sql))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
