# SPDX-License-Identifier: ISC
"""Runs the eight queries on every engine in turn and prints medians, shares, reads by key, and ratios (C-425).

There are three kinds of time, and each is compared with the same kind alone:

  end to end  RATIO   from the first byte of the request to the last one of the answer: ours over TLS, with the check of the
                      key and of the rates; the rivals without TLS and without any account
  server      SERVER  all that the server spends on a request once it has read it: parsing, planning, executing, and the text
                      of the answer. Ours is what the worker logs, which has the checks, too. C-425 means this time
  engine      ENGINE  executing alone, as far as an engine tells: the best figure of each, for those who improve ours

A server time that leaves out parsing and planning for one engine and has them for the other says nothing about short queries:
both take ClickHouse longer than the 8,000 hosts of the query cidr.
"""
import argparse
import os
import statistics
import sys
import time

import corpus as data
import ours as service
import reads
import rivals
import sql

WARM = 2
KINDS = ("end to end", "server", "engine")


def say(text):
    print(text, flush=True)


def options():
    p = argparse.ArgumentParser()
    for name in ("hosts-file", "rivals", "npm", "env", "work", "build"):
        p.add_argument("--" + name, required=True)
    p.add_argument("--runs", type=int, required=True)
    return p.parse_args()


def start_rivals(opt, corpus, table):
    out, missing = [], []
    for make in rivals.RIVALS:
        try:
            if make.name not in opt.rivals.split(","):
                raise rivals.Missing("not in --rivals")
            rival = make(corpus, opt.work, opt.npm)
        except rivals.Missing as why:
            say("SKIP %s: %s" % (make.name, why))
            missing.append(make.name)
            continue
        start = time.monotonic()
        rival.load(table)
        say("%s: loaded in %.1f s; timed: %s" % (rival.version, time.monotonic() - start, rival.how))
        out.append(rival)
    return out, missing


def start_ours(opt, corpus):
    if opt.env == "none":
        say("SKIP surfaced: no instance")
        return None
    ours = service.Ours(opt.env, opt.build)
    start = time.monotonic()
    patience = 60 + corpus.hosts / 2000
    ours.wait_for(corpus.hosts, patience)
    searchable = time.monotonic() - start
    ours.index.wait_idle(patience)
    say("surfaced: searchable after %.1f s more, merged to %d segments after %.1f s; timed: %s" % (
        searchable, len(ours.index.segments()), time.monotonic() - start, ours.how))
    return ours


class Run:
    """Times and answers, by query name and contestant: (engine,) or (engine, variant)."""

    def __init__(self, ours, others):
        self.ours, self.others = ours, others
        self.times = {kind: {} for kind in KINDS}
        self.answers, self.ids, self.more = {}, {}, {}
        self.floors = {"nginx": [], "worker": []}

    def contestants(self):
        out = [("surfaced", "")] if self.ours else []
        return out + [(r.name, v) for r in self.others for v in sql.VARIANTS]

    def once(self, who, query, keep):
        name, text, tree = query
        if who[0] == "surfaced":
            us, answer, request_id, self.more[name] = self.ours.time(text)
            times = {"end to end": us, "engine": self.ours.engine.time(text)}
            if keep:
                self.ids.setdefault(name, []).append(request_id)
        else:
            rival = next(r for r in self.others if r.name == who[0])
            times, answer = rival.time(who[1], tree)
        self.answers[name, who] = answer
        for kind, us in times.items() if keep else ():
            self.times[kind].setdefault((name, who), []).append(us)

    def all(self, queries, runs):
        """Interleaved: a slow moment of the machine touches every engine alike."""
        for turn in range(WARM + runs):
            for query in queries:
                who = self.contestants()
                at = turn % len(who)
                for one in who[at:] + who[:at]:
                    self.once(one, query, turn >= WARM)
                if self.ours and turn >= WARM:
                    for what, times in self.floors.items():
                        times.append(self.ours.floor(what))

    def read_log(self, world):
        """Our server times, which the workers log."""
        logged = service.worker_times(world, [i for ids in self.ids.values() for i in ids])
        for name, ids in self.ids.items():
            self.times["server"][name, ("surfaced", "")] = [logged[i] for i in ids]

    def median(self, name, who, kind="end to end"):
        return statistics.median(self.times[kind][name, who])

    def best(self, name, engine, kind):
        """The shortest median of this engine's variants, and which."""
        return min((self.median(name, who, kind), who[1]) for who in self.contestants() if who[0] == engine)


def differences(run, queries):
    """Every contestant's answer against the first one's; ours has 25 values and has_more."""
    bad = []
    for name, _, _ in queries:
        who = run.contestants()
        first = run.answers[name, who[-1]]
        for one in who[:-1]:
            answer = run.answers[name, one]
            if one[0] == "surfaced":
                more = [len(g) > data.LIMIT for g in first]
                cut = [g[:data.LIMIT] for g in first]
                what = data.same(cut_ties(answer, first), first) if who[-1] != one else ""
                what = what or ("" if run.more[name] == more else "has_more %s" % run.more[name])
                what = what or ("" if list(map(len, answer)) == list(map(len, cut)) else "lengths")
            else:
                what = data.same(answer, first)
            if what:
                bad.append("%s: %s %s against %s: %s" % (name, *one, who[-1], what))
    return bad


def hits(run, queries, bad):
    """How many hosts each query matches, outside the timed part; all engines must agree."""
    out = {}
    for name, text, tree in queries:
        seen = {r.name: r.count(tree) for r in run.others}
        if run.ours:
            seen["surfaced"] = run.ours.count(text)
        if len(set(seen.values())) > 1:
            bad.append("%s: hosts %s" % (name, seen))
        out[name] = next(iter(seen.values()))
    return out


def cut_ties(answer, first):
    """Ours with the rival's 26th value put after its 25, which we answer as has_more alone."""
    return [mine + theirs[data.LIMIT:] if len(mine) == data.LIMIT else mine
            for mine, theirs in zip(answer, first)]


def table(run, queries, hosts, kind):
    engines = (["surfaced"] if run.ours else []) + [r.name for r in run.others]
    say("\n%s: medians in ms, six facets, limit %d; a rival's best of %s" % (
        kind, data.LIMIT, ", ".join(sql.VARIANTS)))
    say("%-18s %9s" % ("query", "hosts") + "".join("%22s" % e for e in engines))
    for query in queries:
        cells = []
        for engine in engines:
            us, variant = run.best(query[0], engine, kind)
            cells.append("%22s" % ("%s%.3f" % (variant and variant + " ", us / 1000)))
        say("%-18s %9d" % (query[0], hosts[query[0]]) + "".join(cells))


def shares(run, queries):
    """Where our time goes, by requests that do less and by what the workers logged."""
    floors = {what: statistics.median(times) for what, times in run.floors.items()}

    def worker(name):
        return run.median(name, ("surfaced", ""), "server")

    say("\nour time in ms; a 404 of nginx takes %.3f (TLS and nginx alone), validate %.3f (with FastCGI,"
        " authentication, a small answer)" % (floors["nginx"] / 1000, floors["worker"] / 1000))
    say("%-18s %9s %12s %12s %9s %8s" % ("query", "total", "transport", "checks+JSON", "engine", "engine"))
    base = worker("all")
    for name, _, _ in queries:
        total = run.median(name, ("surfaced", ""))
        json_part = min(base, worker(name))
        engine = worker(name) - json_part
        say("%-18s %9.3f %12.3f %12.3f %9.3f %7.0f%%" % (
            name, total / 1000, (total - worker(name)) / 1000, json_part / 1000, engine / 1000,
            100 * engine / total))
    say("transport: TLS, nginx and FastCGI (total less what the worker logged); checks+JSON: the worker's time for all hosts,"
        "\nwhich the engine answers from stored totals; engine: what a query takes more than that")


def ratios(run, queries, kind, word):
    """A line for each query and rival: how many times as long it takes as ours. Returns those of the best rivals."""
    best = []
    for name, _, _ in queries:
        mine = run.best(name, "surfaced", kind)[0]
        found = {r.name: run.best(name, r.name, kind)[0] / mine for r in run.others}
        best.append(min(found.values()))
        for rival, x in found.items():
            say("%s %s %s %.2f" % (word, name, rival, x))
    return best


def verdict(run, queries, missing):
    if not run.ours or not run.others:
        return
    say("")
    end = ratios(run, queries, "end to end", "RATIO")
    server = ratios(run, queries, "server", "SERVER")
    ratios(run, queries, "engine", "ENGINE")
    # The range of addresses cannot be one of the seven: the rivals read its rows by their primary key, in a millisecond and a
    # half in all, and checks and JSON alone take our worker more than a tenth of that.
    for what, found, wanted in (("server time", server, 7), ("end to end over TLS", end, 6)):
        say("C-425 %s: ten times as fast as the best rival on %d of %d queries, %d wanted" % (
            what, sum(x >= 10 for x in found), len(found), wanted))
    if missing:
        say("C-425 is not decided: missing %s" % ", ".join(missing))


def main():
    opt = options()
    start = time.monotonic()
    table_file = os.path.join(opt.work, "rows.tsv")
    documents = os.path.join(opt.work, "documents.tsv")
    corpus = data.load(opt.hosts_file, table_file, documents)
    say("%d hosts, %d runs, %d cores; rows for the rivals written in %.1f s"
        % (corpus.hosts, opt.runs, rivals.CORES, time.monotonic() - start))
    others, ours = [], None
    try:
        others, missing = start_rivals(opt, corpus, table_file)
        ours = start_ours(opt, corpus)
        run = Run(ours, others)
        if not run.contestants():
            say("nothing to measure")
            return 1
        queries = data.queries(corpus)
        segments = ours.index.segments() if ours else []
        run.all(queries, opt.runs)
        bad = differences(run, queries)
        if ours and ours.index.segments() != segments:
            bad.append("the segments of the index changed while it was measured")
        hosts = hits(run, queries, bad)
        for line in bad:
            say("DIFFERENT " + line)
        if not bad and len(run.contestants()) > 1:
            say("every engine gave the same counts")
        if ours:
            run.read_log(ours.env["W"])
        for kind in KINDS:
            table(run, queries, hosts, kind)
        for name, text, _ in queries:
            say("  %-18s %s" % (name, text or "(empty: all hosts)"))
        if ours:
            shares(run, queries)
            reads.compare(say, ours, others, corpus, documents, opt.runs)
        verdict(run, queries, missing)
        return 1 if bad else 0
    finally:
        for engine in others + ([ours] if ours else []):
            engine.close()


sys.exit(main())
