# SPDX-License-Identifier: ISC
"""A page of 100 hosts and the look-up of one: ours over TLS, beside PostgreSQL and ClickHouse by key."""
import os
import random
import statistics
import sys
import time

import ours as service
import rivals

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../helper"))
from world import Psql  # noqa: E402

PAGE = 100


class Postgres:
    """The instance's own table, with one statement prepared and one psql for all reads."""

    name = "postgresql"

    def __init__(self, env):
        self.sql = Psql(env)
        self.sql.run("PREPARE one(bytea) AS SELECT doc FROM record WHERE dataset = 1 AND key = $1 AND NOT gone")
        self.sql.run("PREPARE page(bytea) AS SELECT doc FROM record WHERE dataset = 1 AND key >= $1 AND NOT gone"
                     " ORDER BY key LIMIT %d" % PAGE)
        self.version = "PostgreSQL " + self.sql.run("SHOW server_version")[0].split()[0]

    def read(self, page, ip4):
        start = time.perf_counter()
        rows = self.sql.run("EXECUTE %s('\\x04%08x')" % ("page" if page else "one", ip4))
        return (time.perf_counter() - start) * 1e6, len(rows)

    def close(self):
        self.sql.child.stdin.close()
        self.sql.child.wait(timeout=30)


def statement(page, ip4):
    if page:
        return "SELECT doc FROM documents WHERE ip4 >= %d ORDER BY ip4 LIMIT %d" % (ip4, PAGE)
    return "SELECT doc FROM documents WHERE ip4 = %d" % ip4


def dotted(ip4):
    return ".".join(str(ip4 >> shift & 255) for shift in (24, 16, 8, 0))


def ours_path(page, ip4):
    if page:
        return "/search/hosts?limit=%d&q=ip%%3A%%3E%%3D%s" % (PAGE, dotted(ip4))
    return "/search/hosts/" + dotted(ip4)


def compare(say, ours, others, corpus, documents, runs):
    engines = [r for r in others if isinstance(r, (rivals.ClickHouse, rivals.Chdb))]
    for engine in engines:
        engine.load_documents(documents)
    postgres = Postgres(ours.env)
    rng = random.Random(1)
    addresses = sorted(corpus.documents)[:-PAGE] or corpus.documents[:1]
    times, ids = {}, {True: [], False: []}
    try:
        for turn in range(2 + 5 * runs):
            for page in (True, False):
                ip4 = rng.choice(addresses)
                found = {"surfaced": ours.read(ours_path(page, ip4)), postgres.name: postgres.read(page, ip4)}
                for engine in engines:
                    found[engine.name] = engine.read(statement(page, ip4))
                for name, (us, rows) in found.items():
                    if name != "surfaced" and rows != (PAGE if page else 1):
                        raise RuntimeError("%s read %d hosts" % (name, rows))
                    if turn >= 2:
                        times.setdefault((page, name), []).append(us)
                ids[page].append(found["surfaced"][1])
    finally:
        postgres.close()
    report(say, ours, times, ids, [(postgres.name, postgres.version)] + [(e.name, e.version) for e in engines])
    say("the others hold %d documents, ordered by address: %s" % (
        len(corpus.documents), "; ".join(v for _, v in [("", postgres.version)] + [(e.name, e.version) for e in engines])))


def report(say, ours, times, ids, others):
    say("\nreads by key: medians in ms; ours end to end over TLS and in the worker, PostgreSQL by psql on a Unix socket")
    say("%-18s %12s %12s" % ("read", "surfaced", "its worker") + "".join("%14s" % name for name, _ in others))
    for page, what in ((True, "page of %d hosts" % PAGE), (False, "look-up")):
        logged = service.worker_times(ours.env["W"], ids[page])
        worker = "%.3f" % (statistics.median(logged.values()) / 1000) if logged else "-"
        say("%-18s %12.3f %12s" % (what, statistics.median(times[page, "surfaced"]) / 1000, worker) + "".join(
            "%14.3f" % (statistics.median(times[page, name]) / 1000) for name, _ in others))
