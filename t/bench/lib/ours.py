# SPDX-License-Identifier: ISC
"""Our service, end to end: one keep-alive TLS connection, from the request's first byte to the
answer's last; the JSON is parsed outside the timed part, as the rivals' rows are."""
import http.client
import json
import os
import re
import subprocess
import sys
import time
import urllib.parse

from corpus import FACETS, LIMIT
from generations import AGAIN, Index

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../helper"))
from world import World, read_env  # noqa: E402


class Connection(http.client.HTTPConnection):
    """Keep-alive over the world's TLS, on a port or a unix socket."""

    def __init__(self, world):
        super().__init__(world.authority)
        self.world = world

    def connect(self):
        self.sock = self.world.connect()


class Engine:
    """Our engine in a process of its own, on the instance's index: what it takes without a connection."""

    def __init__(self, program, directory):
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen([program, "-d", directory, "-S"], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def time(self, text):
        """Microseconds from the text of the query to its buckets."""
        self.process.stdin.write((text or "*") + "\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)


class Service:
    """One connection to the service of a world."""

    def __init__(self, env_path):
        self.env = read_env(env_path)
        world = World(self.env)
        self.base = world.base
        self.conn = Connection(world)

    def request(self, method, path, body=None):
        """(microseconds, status, bytes, request id)"""
        headers = {"X-API-Key": self.env["KEY"]}
        if body is not None:
            headers["Content-Type"] = "application/json"
        start = time.perf_counter()
        self.conn.request(method, path, body, headers)
        reply = self.conn.getresponse()
        data = reply.read()
        us = (time.perf_counter() - start) * 1e6
        if reply.will_close:
            self.conn.close()
        return us, reply.status, data, reply.getheader("X-Request-Id", "")

    def aggregate(self, text, facets=FACETS):
        body = json.dumps({"query": text,
                           "aggregations": [{"field": f, "limit": LIMIT} for f in facets]})
        return self.request("POST", self.base + "/search/hosts/aggregate", body.encode())

    def time(self, text):
        us, status, data, request_id = self.aggregate(text)
        if status != 200:
            raise RuntimeError("%d for %s: %s" % (status, text, data.decode(errors="replace")))
        groups = json.loads(data)["groups"]
        return us, [[(b["value"], b["count"]) for b in g["buckets"]] for g in groups], request_id, \
            [g["has_more"] for g in groups]

    def count(self, text):
        path = self.base + "/search/hosts/count?q=" + urllib.parse.quote(text)
        _, status, data, _ = self.request("GET", path)
        return json.loads(data).get("count") if status == 200 else "status %d" % status

    def read(self, path):
        """Microseconds of one GET that reads hosts, and its request id."""
        us, status, data, request_id = self.request("GET", self.base + path)
        if status != 200:
            raise RuntimeError("%d for %s: %s" % (status, path, data.decode(errors="replace")))
        return us, request_id

    def floor(self, what):
        """Time of a request that does less: where our time goes."""
        if what == "nginx":
            us, _, _, _ = self.request("GET", "/nothing-here")
        else:
            us, _, _, _ = self.request("GET", self.base + "/search/hosts/validate?q=")
        return us


class Ours(Service):
    name = "surfaced"
    how = ("POST over TLS, one keep-alive connection, until the last byte of JSON;"
           " server: what the worker logs (us=); engine: t/bench/engine in its own process, from the text of the query to"
           " its buckets")

    def __init__(self, env_path, build):
        super().__init__(env_path)
        self.index = Index(os.path.join(self.env["W"], "index"), "hosts")
        self.engine = Engine(os.path.join(build, "t/bench/engine"), self.index.directory)

    def wait_for(self, hosts, seconds):
        """Until that many hosts are searchable."""
        if not self.index.until(lambda: self.count("") == hosts, seconds, again=AGAIN):
            raise RuntimeError("%s of %d hosts are searchable" % (self.count(""), hosts))

    def close(self):
        self.index.close()
        self.engine.close()


def logged_times(path, wanted):
    line_of = re.compile(r"\breq=(\S+).*\bus=(\d+)")
    with open(path, encoding="utf-8", errors="replace") as log:
        found = (line_of.search(line) for line in log)
        return {m.group(1): int(m.group(2)) for m in found if m and m.group(1) in wanted}


def worker_times(world, ids):
    """What the workers logged (us=) for these requests, by request id. A worker logs a request after its answer."""
    wanted, end = set(ids), time.monotonic() + 120
    while True:
        out = logged_times(os.path.join(world, "log", "surfaced.log"), wanted)
        if len(out) == len(wanted):
            return out
        if time.monotonic() > end:
            raise RuntimeError("the log has no line of %d requests" % (len(wanted) - len(out)))
        time.sleep(0.05)
