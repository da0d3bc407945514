# SPDX-License-Identifier: ISC
"""What Python tests need of a private world started by t/instance: its env file, its TLS socket."""
import re
import shlex
import socket
import ssl
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
            raw.settimeout(30)
            raw.connect(self.unix)
            return raw
        raw = socket.create_connection((self.host, self.port), timeout=30)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return raw

    def connect(self):
        return self.context.wrap_socket(self.plain(), server_hostname=self.host)
