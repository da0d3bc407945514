# SPDX-License-Identifier: ISC
"""Every kind of fault at the nth call of a request, n = 1, 2, ... until none is left: faults.py DIR CONTROL

Prints TAP: each answer is the good one or an envelope, and afterwards the service is whole again."""
import http.client
import json
import os
import struct
import sys
import time

sys.path.insert(0, os.path.dirname(__file__))
from world import Client, World, read_env  # noqa: E402

KINDS = ["malloc fails", "read fails", "read ends", "read is interrupted", "reads are short",
         "write fails", "write is interrupted", "writes are short", "json-c refuses"]
REQUESTS = [
    ("aggregate", "POST", "/search/hosts/aggregate",
     {"query": "services.port:443", "aggregations": [{"field": "country_code"}]}),
    ("search", "GET", "/search/hosts?q=services.port:443&limit=2", None),
]
# Allocations are many: each of the first, then further and further apart.
DENSE, FACTOR = 24, 1.3


class Control:
    def __init__(self, path):
        self.fd = os.open(path, os.O_RDWR)

    def set(self, kind, n):
        os.pwrite(self.fd, struct.pack("iii", kind, n, 0), 0)

    def fired(self):
        return struct.unpack("iii", os.pread(self.fd, 12, 0))[2] == 1


def ask(client, request):
    """(status, body) or what the connection ended with."""
    try:
        return client.call(request[1], request[2], request[3])
    except (OSError, ValueError, http.client.HTTPException) as e:
        client.close()
        return type(e).__name__, None


def steady(body):
    return {k: v for k, v in body.items() if k not in ("took_ms", "request_id")}


def sound(answer, good):
    """None, or what is wrong with an answer."""
    status, body = answer
    if status == 200:
        return None if body is not None and steady(body) == steady(good) else f"another body: {json.dumps(body)[:200]}"
    if isinstance(status, str):
        return None if status in ("RemoteDisconnected", "ConnectionResetError", "IncompleteRead") else status
    error = body.get("error") if isinstance(body, dict) else None
    if not error or not error.get("code") or not error.get("request_id"):
        return f"{status} without an envelope: {body}"
    return None if status >= 500 else f"a fault of ours is not the client's: {status} {error['code']}"


def recovered(client, request, good):
    until = time.monotonic() + 60
    while time.monotonic() < until:
        status, body = ask(client, request)
        if status == 200 and steady(body) == steady(good):
            return True
        time.sleep(0.05)
    return False


def steps():
    n = 1
    while True:
        yield n
        n = n + 1 if n < DENSE else int(n * FACTOR)


def run(client, control, kind, request, good):
    """What went wrong, how many faults there were, and which answers."""
    wrong, seen, faults = [], {}, 0
    for n in steps():
        control.set(kind, n)
        answer = ask(client, request)
        fired = control.fired()
        control.set(0, 0)
        what = sound(answer, good)
        if what:
            wrong.append(f"n={n}: {what}")
        if answer[0] != 200 and not recovered(client, request, good):
            wrong.append(f"n={n}: no recovery")
        if not fired:
            return wrong, faults, seen
        faults += 1
        seen[answer[0]] = seen.get(answer[0], 0) + 1


def main():
    control = Control(sys.argv[2])
    client = Client(World(read_env(sys.argv[1] + "/env")))
    number = 0
    for request in REQUESTS:
        status, good = ask(client, request)
        assert status == 200, (status, good)
        for kind, name in enumerate(KINDS, 1):
            if name == "json-c refuses" and request[3] is None:
                continue
            wrong, faults, seen = run(client, control, kind, request, good)
            number += 1
            print(f"{'not ' if wrong or not faults else ''}ok {number} - {request[0]}, {name}: "
                  f"{faults} places, {seen}", flush=True)
            for what in wrong[:10]:
                print("# " + what)


main()
