# SPDX-License-Identifier: ISC
"""A client for statements that are asked one after another: requests with any key, TAP lines."""
import datetime
import http.client
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../helper"))

from world import World, read_env  # noqa: E402

STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
ENV = read_env(sys.argv[1])
count = 0


def say(good, name, why=""):
    global count
    count += 1
    print("%s %d - %s" % ("ok" if good else "not ok", count, name.replace("#", "\\#")), flush=True)
    if not good:
        print("#   " + str(why)[:900].replace("\n", "\n#   "))


def same(got, wanted, name):
    say(got == wanted, name, "got    %r\nwanted %r" % (got, wanted))


class Answer:
    def __init__(self, status, headers, raw):
        self.status, self.headers, self.raw = status, headers, raw
        self.json = json.loads(raw) if raw else None

    @property
    def code(self):
        return self.json["error"]["code"] if "error" in self.json else None

    @property
    def short(self):
        return "%d %s" % (self.status, self.code)

    def faults(self):
        return sorted("%s %s" % (f["field"], f["code"]) for f in self.json["error"].get("field_errors", []))

    def bare(self):
        """Status and body without what differs from request to request."""
        return self.status, re.sub(rb'"request_id":"[^"]*"', b"", self.raw)


def ask(method, path, body=None, key=ENV["KEY"], headers=()):
    world = World(ENV)
    c = http.client.HTTPConnection(world.host, world.port, timeout=60)
    c.sock = world.connect()
    head = {"X-API-Key": key, **dict(headers)}
    if body is not None:
        head["Content-Type"] = "application/json"
    text = body if body is None or isinstance(body, str) else json.dumps(body)
    c.request(method, world.base + path, text, head)
    r = c.getresponse()
    answer = Answer(r.status, r.headers, r.read())
    c.close()
    return answer


def day(n, form="%Y-%m-%dT%H:%M:%SZ"):
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=n)).strftime(form)


def stamps(record, name):
    """C-120: every member that ends in _at is one form, or null."""
    bad = {k: v for k, v in record.items() if k.endswith("_at") and v is not None and not STAMP.fullmatch(v)}
    same(bad, {}, "C-120: timestamps of %s" % name)


def end():
    print("# %d statements" % count)
