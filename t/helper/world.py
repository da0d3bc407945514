# SPDX-License-Identifier: ISC
"""What Python tests need of a private world started by t/instance: its env file, its TLS socket."""
import http.client
import json
import re
import shlex
import socket
import ssl
import subprocess
import urllib.parse


def read_env(path):
    """The shell assignments of DIR/env."""
    env = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            name, sep, value = line.strip().removeprefix("export ").partition("=")
            if sep and name.isidentifier():
                env[name] = " ".join(shlex.split(value))
    return env


class World:
    def __init__(self, env):
        self.env = env
        url = urllib.parse.urlsplit(env["BASE_URL"])
        self.host, self.port, self.base = url.hostname, url.port or 443, url.path.rstrip("/")
        self.authority = url.netloc
        # A world without a port gives its unix socket in the curl command it prints.
        found = re.search(r"--unix-socket[ =](\S+)", env.get("CURL", ""))
        self.unix = found.group(1) if found else None
        self.context = ssl.create_default_context(cafile=env["CACERT"])

    def plain(self):
        """A connection before TLS."""
        if self.unix:
            raw = socket.socket(socket.AF_UNIX)
            raw.settimeout(120)
            raw.connect(self.unix)
            return raw
        raw = socket.create_connection((self.host, self.port), timeout=120)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return raw

    def connect(self):
        return self.context.wrap_socket(self.plain(), server_hostname=self.host)


class Client(http.client.HTTPConnection):
    """A keep-alive connection that speaks JSON with the instance's key."""

    def __init__(self, world):
        super().__init__(world.host, world.port, timeout=120)
        self.world = world

    def connect(self):
        self.sock = self.world.connect()

    def call(self, method, path, body=None):
        """Returns (status, decoded JSON or None)."""
        send = {"X-API-Key": self.world.env["KEY"], "Content-Type": "application/json"}
        self.request(method, self.world.base + path, None if body is None else json.dumps(body), send)
        answer = self.getresponse()
        raw = answer.read()
        return answer.status, json.loads(raw) if raw else None


class Psql:
    """One psql process for many statements; rows come back as JSON."""

    MARK = "--end-of-answer--"

    def __init__(self, env):
        command = ["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-h", env["PGHOST"],
                   "-U", env.get("PGUSER", "postgres"), env["PGDATABASE"]]
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, sql):
        """Executes statements; returns their output lines."""
        self.child.stdin.write(f"{sql};\n\\echo {self.MARK}\n")
        self.child.stdin.flush()
        lines = []
        for line in self.child.stdout:
            if line.rstrip("\n") == self.MARK:
                return lines
            lines.append(line.rstrip("\n"))
        raise RuntimeError(f"psql gave up at: {sql[:2000]}")

    def rows(self, select):
        """The rows of one SELECT as lists."""
        text = "".join(self.run(f"SELECT coalesce(json_agg(to_json(r)), '[]') FROM ({select}) r"))
        return [list(row.values()) for row in json.loads(text)]
