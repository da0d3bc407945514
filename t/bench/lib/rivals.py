# SPDX-License-Identifier: ISC
"""The other engines, each private to this run: load(table), time(variant, tree) -> (times, answer). The times, in
microseconds, are of three kinds (aggregate.py says why): end to end, `server`, and `engine`.

ClickHouse's statistics.elapsed begins when a statement is parsed and planned, so it is a time of the engine alone. The time of
its server is what HTTP takes less what HTTP takes for /ping, which reads no statement and makes no answer: so parsing, planning
and the JSON of the answer count, as they do in our worker. Its query_log would have that in whole milliseconds only (version
18), and would leave out the JSON. An engine in its own process has no connection; its server is the engine with its parser:
chdb parses each statement, and DuckDB does so for `server` and executes a prepared statement for the others.
"""
import http.client
import json
import os
import shutil
import socket
import subprocess
import time

import sql

CORES = len(os.sched_getaffinity(0))
SERVER = """<yandex>
<logger><level>warning</level><log>{dir}/log</log><errorlog>{dir}/errors</errorlog></logger>
<listen_host>127.0.0.1</listen_host><http_port>{http}</http_port><tcp_port>{tcp}</tcp_port>
<max_connections>16</max_connections><keep_alive_timeout>3600</keep_alive_timeout>
<uncompressed_cache_size>1073741824</uncompressed_cache_size>
<mark_cache_size>268435456</mark_cache_size>
<path>{dir}/data/</path><tmp_path>{dir}/tmp/</tmp_path><users_config>users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database>
</yandex>
"""
USERS = """<yandex>
<profiles><default><max_threads>{cores}</max_threads>
<use_uncompressed_cache>1</use_uncompressed_cache></default></profiles>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks>
<profile>default</profile><quota>default</quota></default></users>
<quotas><default></default></quotas></yandex>
"""


def schema(corpus):
    """Name, ClickHouse's type, DuckDB's type; numbers as narrow as the data allows."""
    def small(facet, room=0):
        narrow = len(corpus.values[facet]) + room < 1 << 16
        return ("UInt16", "USMALLINT") if narrow else ("UInt32", "UINTEGER")

    def many(types):
        return "Array(%s)" % types[0], types[1] + "[]"

    wide = ("UInt32", "UINTEGER")
    return (
        ("ip4", *wide), ("terms", *many(wide)), ("words", *many(wide)),
        ("ports", *many(("UInt16", "USMALLINT"))), ("country", *small(1, 1)), ("tags", *many(small(2))),
        ("stags", *many(small(3))), ("products", *many(small(4))), ("asn", *small(5, 1)),
    )


DOCUMENTS = ("CREATE TABLE documents (ip4 UInt32, doc String) ENGINE = MergeTree PARTITION BY tuple()"
             " ORDER BY ip4 SETTINGS index_granularity = 256")


class Missing(Exception):
    """This engine is not installed here."""


def free_ports(n):
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(n)]
    ports = [s.getsockname()[1] for s in held]
    for s in held:
        s.close()
    return ports


def ordinary_user():
    """As root, the command in front that drops to an ordinary user."""
    if os.geteuid() != 0:
        return []
    return ["setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups", "--"]


class ClickHouse:
    name = "clickhouse"
    how = ("HTTP, one keep-alive connection on loopback, until the last byte of JSON;"
           " server: the same less /ping; engine: statistics.elapsed, which leaves out parsing and planning")

    def __init__(self, corpus, work, _npm):
        if not shutil.which("clickhouse-server"):
            raise Missing("clickhouse-server is not installed (apt-get install clickhouse-server)")
        self.corpus = corpus
        self.dir = os.path.join(work, "clickhouse")
        for part in ("data", "tmp"):
            os.makedirs(os.path.join(self.dir, part), exist_ok=True)
        self.port, tcp = free_ports(2)
        config = os.path.join(self.dir, "config.xml")
        with open(config, "w", encoding="ascii") as f:
            f.write(SERVER.format(dir=self.dir, http=self.port, tcp=tcp))
        with open(os.path.join(self.dir, "users.xml"), "w", encoding="ascii") as f:
            f.write(USERS.format(cores=CORES))
        if os.geteuid() == 0:
            subprocess.run(["chown", "-R", "nobody:nogroup", self.dir], check=True)
        with open(os.path.join(work, "clickhouse.out"), "wb") as out:
            self.process = subprocess.Popen(
                ordinary_user() + ["clickhouse-server", "--config-file=" + config],
                cwd=self.dir, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        self.version = "ClickHouse " + self.wait().strip()

    def wait(self):
        deadline = time.monotonic() + 30
        while True:
            try:
                self.conn = http.client.HTTPConnection("127.0.0.1", self.port)
                return self.post("SELECT version()").decode()
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise Missing("clickhouse-server did not start: " + self.dir) from None
                time.sleep(0.1)

    def ping(self):
        """Microseconds of a request without a statement."""
        start = time.perf_counter()
        self.conn.request("GET", "/ping")
        self.conn.getresponse().read()
        return (time.perf_counter() - start) * 1e6

    def post(self, body, path="/"):
        self.conn.request("POST", path, body)
        reply = self.conn.getresponse()
        data = reply.read()
        if reply.status != 200:
            raise RuntimeError("ClickHouse: " + data.decode(errors="replace")[:500])
        return data

    def load(self, table):
        columns = ", ".join("%s %s" % (name, ch) for name, ch, _ in schema(self.corpus))
        self.post("CREATE TABLE hosts (%s) ENGINE = MergeTree PARTITION BY tuple() ORDER BY ip4" % columns)
        with open(table, "rb") as f:
            self.post(f, "/?query=INSERT%20INTO%20hosts%20FORMAT%20TabSeparated")
        self.post("OPTIMIZE TABLE hosts FINAL")

    def time(self, variant, tree):
        body = (sql.clickhouse(self.corpus, variant, tree) + " FORMAT JSONCompact").encode()
        ping = self.ping()
        start = time.perf_counter()
        data = self.post(body)
        us = (time.perf_counter() - start) * 1e6
        out = json.loads(data)
        rows = [tuple(map(int, row)) for row in out["data"]]
        # On a busy machine /ping may take longer than the statement; the server cannot be faster than its own engine.
        engine = out["statistics"]["elapsed"] * 1e6
        times = {"end to end": us, "server": max(us - ping, engine), "engine": engine}
        return times, sql.answer(self.corpus, variant, rows)

    def count(self, tree):
        test = sql.where(self.corpus, "has", "mixed", tree)
        return int(self.post("SELECT count() FROM hosts WHERE " + test))

    def load_documents(self, table):
        self.post(DOCUMENTS)
        with open(table, "rb") as f:
            self.post(f, "/?query=INSERT%20INTO%20documents%20FORMAT%20TabSeparated")

    def read(self, statement):
        """Microseconds of a statement that reads documents, and how many it read."""
        start = time.perf_counter()
        data = self.post(statement)
        return (time.perf_counter() - start) * 1e6, data.count(b"\n")

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=30)


class Piped:
    """An engine in a process of its own, which node runs: statements in and rows out, as lines of JSON."""

    name = package = script = None

    def __init__(self, corpus, npm, *args):
        if not shutil.which("node"):
            raise Missing("node is not installed")
        if not os.path.isdir(os.path.join(npm, "node_modules", self.package)):
            raise Missing("%s is not in %s (--fetch, or --npm DIR)" % (self.package, npm))
        self.corpus = corpus
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen(
            ["node", os.path.join(os.path.dirname(__file__), self.script), npm, *args],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def read_line(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(self.name + " ended")
        out = json.loads(line)
        if "error" in out:
            raise RuntimeError(self.name + ": " + out["error"])
        return out

    def ask(self, **message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        return self.read_line()

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)


class Chdb(Piped):
    name, package, script = "chdb", "chdb", "chdb.mjs"
    how = "in its own process, until the text of the rows is an object of the program"

    def __init__(self, corpus, work, npm):
        super().__init__(corpus, npm, os.path.join(work, "chdb"))
        self.version = "ClickHouse %s (chdb)" % self.read_line()["version"]

    def load(self, table):
        columns = ", ".join("%s %s" % (name, ch) for name, ch, _ in schema(self.corpus))
        self.ask(run="CREATE TABLE hosts (%s) ENGINE = MergeTree ORDER BY ip4" % columns)
        self.ask(run="INSERT INTO hosts SELECT * FROM file('%s', 'TabSeparated', '%s')" % (table, columns))
        self.ask(run="OPTIMIZE TABLE hosts FINAL")

    def rows(self, statement):
        out = self.ask(query=statement)
        return out["us"], [line.split("\t") for line in out["text"].splitlines()]

    def time(self, variant, tree):
        us, rows = self.rows(sql.clickhouse(self.corpus, variant, tree))
        times = {"end to end": us, "server": us, "engine": us}
        return times, sql.answer(self.corpus, variant, [tuple(map(int, row)) for row in rows])

    def count(self, tree):
        test = sql.where(self.corpus, "has", "mixed", tree)
        return int(self.rows("SELECT count() FROM hosts WHERE " + test)[1][0][0])

    def load_documents(self, table):
        self.ask(run=DOCUMENTS)
        self.ask(run="INSERT INTO documents SELECT * FROM file('%s', 'TabSeparated', 'ip4 UInt32, doc String')" % table)

    def read(self, statement):
        us, rows = self.rows(statement)
        return us, len(rows)


class DuckDB(Piped):
    name, package, script = "duckdb", "@duckdb/node-api", "duckdb.mjs"
    how = ("in its own process, prepared once, until the last row is an object of the program;"
           " server: the same, parsed each time")

    def __init__(self, corpus, _work, npm):
        super().__init__(corpus, npm, str(CORES))
        self.version = "DuckDB " + self.read_line()["version"]

    def load(self, table):
        columns = ", ".join("'%s': '%s'" % (name, duck) for name, _, duck in schema(self.corpus))
        self.ask(run="CREATE TABLE hosts AS SELECT * FROM read_csv('%s', delim = '\t', header = false,"
                 " quote = '', escape = '', auto_detect = false, columns = {%s}) ORDER BY ip4" % (table, columns))

    def time(self, variant, tree):
        out = self.ask(query=sql.duckdb(self.corpus, variant, tree))
        times = {"end to end": out["us"], "server": out["whole_us"], "engine": out["us"]}
        return times, sql.answer(self.corpus, variant, out["rows"])

    def count(self, tree):
        test = sql.where(self.corpus, "list_contains", "mixed", tree)
        return self.ask(query="SELECT count(*) FROM hosts WHERE " + test)["rows"][0][0]


RIVALS = (ClickHouse, Chdb, DuckDB)
