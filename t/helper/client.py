# SPDX-License-Identifier: ISC
"""A keep-alive HTTPS client of one t/instance world, and a psql session beside it: standard library alone."""
import http.client
import json
import shlex
import socket
import ssl
import subprocess


def read_env(directory):
    """The shell assignments of DIR/env."""
    env = {}
    with open(f"{directory}/env", encoding="utf-8") as lines:
        for line in lines:
            name, _, value = line.strip().partition("=")
            if name:
                env[name.removeprefix("export ")] = "".join(shlex.split(value))
    return env


class Client(http.client.HTTPSConnection):
    """Speaks TLS over the instance's Unix socket, or over TCP when it listens on a port."""

    def __init__(self, env):
        context = ssl.create_default_context(cafile=env["CACERT"])
        super().__init__("localhost", context=context, timeout=120)
        self.env = env
        self.context = context
        self.base = "/api/v1"

    def connect(self):
        plain = socket.socket(socket.AF_UNIX)
        plain.settimeout(self.timeout)
        plain.connect(self.env["W"] + "/run/web.sock")
        self.sock = self.context.wrap_socket(plain, server_hostname="localhost")

    def call(self, method, path, body=None, headers=None):
        """Returns (status, headers, decoded JSON or None)."""
        send = {"X-API-Key": self.env["KEY"], "Content-Type": "application/json"}
        send.update(headers or {})
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        self.request(method, self.base + path, body, send)
        answer = self.getresponse()
        raw = answer.read()
        return answer.status, answer.headers, json.loads(raw) if raw else None


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
