# SPDX-License-Identifier: ISC
"""Asks the eight queries of corpus.py of one engine, prints the median times, and compares the answers with those of the
engine before, which a file keeps."""
import argparse
import json
import os
import statistics
import sys
import time

import corpus as data
import ours as service

WARM = 1
LEAST = 3  # timed runs of a query that takes longer than PATIENCE
PATIENCE = 30  # seconds for all runs of a query


def options():
    p = argparse.ArgumentParser()
    for name in ("env", "sample", "answers"):
        p.add_argument("--" + name, required=True)
    p.add_argument("--runs", type=int, required=True)
    return p.parse_args()


def measure(client, text, runs):
    """Milliseconds, or None when a query is not answered, and the answer."""
    times = []
    end = time.monotonic() + PATIENCE
    for turn in range(WARM + runs):
        if len(times) >= LEAST and time.monotonic() > end:
            break
        us, status, body, _ = client.aggregate(text)
        if status != 200:
            return None, "status %d: %s" % (status, json.loads(body)["error"]["code"])
        if turn >= WARM:
            times.append(us / 1000)
    groups = json.loads(body)["groups"]
    return statistics.median(times), [[[b["value"], b["count"]] for b in g["buckets"]] for g in groups]


def main():
    opt = options()
    corpus = data.load(opt.sample, os.devnull, os.devnull)
    client = service.Service(opt.env)
    before = {}
    if os.path.exists(opt.answers):
        with open(opt.answers, encoding="utf-8") as f:
            before = json.load(f)
    bad = 0
    print("%-18s %10s %12s" % ("query", "hosts", "median ms"))
    for name, text, _ in data.queries(corpus):
        ms, answer = measure(client, text, opt.runs)
        print("%-18s %10s %12s" % (name, client.count(text), answer if ms is None else "%.3f" % ms), flush=True)
        if ms is not None and before.setdefault(name, answer) != answer:
            print("DIFFERENT %s: not the answer of the engine before" % name)
            bad = 1
    with open(opt.answers, "w", encoding="utf-8") as f:
        json.dump(before, f)
    return bad


sys.exit(main())
