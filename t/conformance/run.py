#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""The conformance table against a world: one TAP line a row, numbered from 1, without a plan.

usage: run.py ENV [--only TEXT]    ENV: the shell assignments of t/instance, and more keys (see t/conformance/aggregate.t)
       run.py --fixture FILE       writes the hosts the table speaks of
       run.py --count              says how many rows there are
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../helper"))

import case as table  # noqa: E402
import check  # noqa: E402
import fixture  # noqa: E402
import rows_body  # noqa: E402,F401
import rows_fields  # noqa: E402,F401
import rows_query  # noqa: E402,F401
import rows_transport  # noqa: E402,F401
from world import World, read_env  # noqa: E402

# Keys that only some worlds have; a row that needs a missing one is skipped.
OPTIONAL = ("KEY_VIEW", "KEY_AGGREGATE", "KEY_INACTIVE", "KEY_NOSEARCH", "KEY_WITHDRAWN", "REVOKED", "EXPIRED")


class Reply:
    def __init__(self, raw, keys):
        head, _, self.body = raw.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        self.status = int(lines[0].split(" ")[1]) if lines[0].startswith("HTTP/1.1 ") else 0
        self.headers = [line.partition(":")[::2] for line in lines[1:]]
        if self.header("transfer-encoding") == "chunked":
            self.body = unchunk(self.body)
        self.keys = keys

    def header(self, name):
        found = [v.strip() for k, v in self.headers if k.lower() == name]
        return found[0] if found else ""

    def keys_in_reply(self):
        return [name for name, key in self.keys.items() if len(key) > 20 and key.encode("latin-1") in self.body]


def unchunk(data):
    out = b""
    while data:
        size, _, data = data.partition(b"\r\n")
        n = int(size, 16)
        out, data = out + data[:n], data[n + 2:]
        if n == 0:
            break
    return out


def keys_of(env):
    """The keys of the world, and wrong ones made from the good one."""
    key = env["KEY"]
    keys = {k: env[k] for k in ("KEY", *OPTIONAL) if env.get(k)}
    keys.update(UNKNOWN=key[:20] + ("a" if key[20] != "a" else "b") + key[21:], LONGER=key + "a", SHORTER=key[:-1], SWAPPED=key.swapcase(),
                PREFIX=env.get("KEY_PREFIX", key[:12]), JOINED=key + "," + key, QUOTED='"%s"' % key)
    return keys


def fill(text, env):
    """{KEY} and {ACCOUNT} in paths, headers and bodies."""
    if isinstance(text, bytes):
        return text.replace(b"{KEY}", env["KEY"].encode()).replace(b"{ACCOUNT}", env.get("ACCOUNT", "x").encode())
    return text.replace("{KEY}", env["KEY"]).replace("{ACCOUNT}", env.get("ACCOUNT", "x"))


def send(world, c, keys):
    """One request on a connection of its own; the server may close before it has read it all."""
    c.path = fill(c.path, world.env)
    c.headers = [(name, fill(value, world.env)) for name, value in c.headers]
    c.body = None if c.body is None else fill(c.body, world.env)
    raw = table.request(c, world.base, world.authority, keys)
    with (world.plain() if c.plain else world.connect()) as s:
        try:
            s.sendall(raw)
        except OSError:
            pass
        data = b""
        try:
            while part := s.recv(65536):
                data += part
        except OSError:
            if not data:
                raise
    return Reply(data, keys)


def judge(c, reply):
    wanted = c.status if isinstance(c.status, tuple) else (c.status,)
    check.must(reply.status in wanted, "status %d, wanted %s: %s" % (reply.status, c.status, reply.body[:300]))
    if not c.plain:
        check.head(reply)
    if reply.status == 200:
        body = check.answer(c, reply) if c.method == "POST" and c.path.startswith(table.PATH) else check.parse(reply)
    else:
        # The search operations' envelope; nginx and the router may not know whose path it is.
        search = c.search if c.search is not None else b"field_errors" not in reply.body
        code = check.error(reply, search)
        allowed = c.code if isinstance(c.code, tuple) else (c.code,)
        check.must(c.code is None or code in allowed, "code %s, wanted %s" % (code, c.code))
        body = check.parse(reply)
    if c.check:
        c.check(body, reply)


def attempt(world, c, keys):
    """'' when the row holds, else what is wrong."""
    try:
        judge(c, send(world, c, keys))
        return ""
    except Exception as e:  # whatever an answer provokes is this row's failure, not the end of the table
        return "%s: %s" % (type(e).__name__, e) if not isinstance(e, AssertionError) else str(e)


def title(c):
    """The row's name, and what the contract demands: "C-024 an empty body: the answer is 400 invalid_json"."""
    demanded = [" or ".join(map(str, x if isinstance(x, tuple) else (x,))) for x in (c.status, c.code) if x is not None]
    text = "%s: the answer is %s" % (c.name, " ".join(demanded))
    return text.replace("#", "\\#").encode("ascii", "backslashreplace").decode().replace("\n", "\\n").replace("\r", "\\r")


def rows(only):
    return [c for c in table.ROWS if only in c.name]


def main(args):
    if args[:1] == ["--fixture"]:
        fixture.write(args[1])
        return 0
    if args[:1] == ["--count"]:
        print(len(table.ROWS))
        return 0
    env = read_env(args[0])
    world, keys, bad = World(env), keys_of(env), 0
    for n, c in enumerate(rows(args[2] if args[1:2] == ["--only"] else ""), 1):
        if c.key in OPTIONAL and c.key not in keys:
            print("ok %d - # SKIP %s: this world has no %s" % (n, title(c), c.key))
            continue
        why = attempt(world, c, keys)
        bad += why != ""
        print("%s %d - %s" % ("not ok" if why else "ok", n, title(c)), flush=True)
        if why:
            print("#   " + why.encode("ascii", "backslashreplace").decode().replace("\n", "\n#   ")[:700])
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
