# SPDX-License-Identifier: ISC
"""What t/bench/large measures:

  run NAME LOG COMMAND...      runs a command and prints its peak memory
  follow NAME PID LOG          prints the peak memory of a daemon and its children, until no child ran for five seconds
  queries SAMPLE WORK          writes the eight queries of t/bench/aggregate for hosts like those of the file SAMPLE
  cold ENV QUERIES I           asks the Ith query of a service that has just started, and prints the milliseconds
  warm ENV QUERIES COLD RUNS   asks each query, and prints the table
  memory DIRECTORY             prints the memory of each process that maps files of DIRECTORY
"""
import glob
import os
import statistics
import subprocess
import sys
import threading
import time

import corpus as data
import ours as service

MIB = 1 << 20
QUIET = 5


def figure(name, value, unit):
    print("%-44s %14.1f %s" % (name, value, unit), flush=True)


# ---- memory ----

def status(pid):
    """The members of /proc/PID/status in bytes; empty: the process has gone."""
    out = {}
    try:
        with open("/proc/%s/status" % pid, encoding="ascii", errors="replace") as f:
            for line in f:
                name, _, value = line.partition(":")
                if value.endswith(" kB\n"):
                    out[name] = int(value.split()[0]) << 10
    except OSError:
        pass
    return out


def children(pid):
    """Every process below pid."""
    out = []
    for path in glob.glob("/proc/%s/task/*/children" % pid):
        try:
            with open(path, encoding="ascii") as f:
                mine = f.read().split()
        except OSError:
            continue
        for child in mine:
            out += [child] + children(child)
    return out


class Peak:
    """The largest sums seen over some processes: all resident pages, and those that are no file's."""

    def __init__(self):
        self.resident = self.anonymous = 0

    def look(self, pids):
        seen = [status(p) for p in pids]
        self.resident = max(self.resident, sum(s.get("VmRSS", 0) for s in seen))
        self.anonymous = max(self.anonymous, sum(s.get("RssAnon", 0) for s in seen))

    def show(self, name):
        figure(name + ": peak without files", self.anonymous / MIB, "MiB")
        figure(name + ": peak with mapped files", self.resident / MIB, "MiB")


def run(name, log, *command):
    peak = Peak()
    with open(log, "a", encoding="utf-8") as out, subprocess.Popen(command, stderr=out) as child:
        while child.poll() is None:
            peak.look([str(child.pid)] + children(str(child.pid)))
            time.sleep(0.02)
    peak.show(name)
    return child.returncode


def follow(name, pid, log):
    """A pass that was logged, or its child, means that the daemon is at work."""
    peak, size, quiet = Peak(), -1, time.monotonic()
    while time.monotonic() - quiet < QUIET:
        # Below the master are its workers, and below those the merges.
        workers = children(pid)
        below = [c for w in workers for c in children(w)]
        peak.look([pid] + workers)
        if below or os.path.getsize(log) != size:
            size, quiet = os.path.getsize(log), time.monotonic()
        if not status(pid):
            print("surfaced-index has ended", file=sys.stderr)
            return 1
        time.sleep(0.02)
    peak.show(name)
    return 0


def maps_of(pid, directory):
    """Resident and proportional bytes of a process: all of its pages, and those of the directory's files. The process
    is left out (None) when it maps none of them."""
    rss = pss = file_rss = file_pss = 0
    inside = found = False
    try:
        with open("/proc/%s/smaps" % pid, encoding="utf-8", errors="replace") as f:
            for line in f:
                words = line.split()
                if not words[0].endswith(":"):
                    inside = len(words) > 5 and words[5].startswith(directory + "/")
                    found |= inside
                elif words[0] == "Rss:":
                    rss += int(words[1]) << 10
                    file_rss += (int(words[1]) << 10) * inside
                elif words[0] == "Pss:":
                    pss += int(words[1]) << 10
                    file_pss += (int(words[1]) << 10) * inside
    except OSError:
        return None
    return (rss, pss, file_rss, file_pss) if found else None


def memory(directory):
    directory = os.path.realpath(directory)
    for pid in sorted((p for p in os.listdir("/proc") if p.isdigit()), key=int):
        sizes = maps_of(pid, directory)
        if sizes is None:
            continue
        rss, pss, file_rss, file_pss = (s / MIB for s in sizes)
        print("worker %s: Rss %.1f MiB, Pss %.1f MiB; of the index Rss %.1f, Pss %.1f; its own %.1f MiB"
              % (pid, rss, pss, file_rss, file_pss, pss - file_pss))
    return 0


# ---- queries ----

def queries(sample, work):
    """The share of a value is that of the whole, since every generated host is made alike."""
    corpus = data.load(sample, os.path.join(work, "rows"), os.path.join(work, "documents"))
    for name, text, _ in data.queries(corpus):
        print("%s\t%s" % (name, text))
    for left in ("rows", "documents"):
        os.unlink(os.path.join(work, left))
    return 0


def read_queries(path):
    with open(path, encoding="utf-8") as f:
        return [line.rstrip("\n").split("\t") for line in f]


def cold(env, path, which):
    one = service.Service(env)
    one.conn.connect()
    start = time.perf_counter()
    one.time(read_queries(path)[int(which)][1])
    print("%.3f" % ((time.perf_counter() - start) * 1e3))
    return 0


def exercise(env, texts, runs):
    """Two clients at once, so that both workers answer."""
    def client():
        one = service.Service(env)
        for _ in range(runs):
            for text in texts:
                one.time(text)

    threads = [threading.Thread(target=client) for _ in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def warm(env, path, cold_path, runs):
    names = read_queries(path)
    with open(cold_path, encoding="ascii") as f:
        first = [float(x) for x in f]
    exercise(env, [text for _, text in names], int(runs))
    one = service.Service(env)
    print("\nsix facets, limit %d, end to end over TLS, in ms; cold: the first answer of a worker that has just started,"
          "\nwith the index out of the page cache; warm: of %s answers, after two clients at once" % (data.LIMIT, runs))
    print("%-18s %10s %10s %10s %10s  %s" % ("query", "hits", "cold", "median", "slowest", "text"))
    for (name, text), ms in zip(names, first):
        times = [one.time(text)[0] / 1e3 for _ in range(int(runs))]
        print("%-18s %10d %10.1f %10.3f %10.3f  %s" % (
            name, one.count(text), ms, statistics.median(times), max(times), text or "(all hosts)"))
    print(flush=True)
    return 0


COMMANDS = {"run": run, "follow": follow, "memory": memory, "queries": queries, "cold": cold, "warm": warm}
sys.exit(COMMANDS[sys.argv[1]](*sys.argv[2:]))
