#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""The same random queries through the API and through plain SQL over the stored documents.

usage: differential.py DIR [--queries N] [--seed S]      DIR: a running t/instance world

The oracle knows nothing of the index: it spreads the documents of hosts into two tables (hosts, services) and builds
its own WHERE clause beside each query text. Prints one TAP line a query; every difference is shown.
"""
import argparse
import random
import re
import sys

from world import Client, Psql, World, read_env

# name -> (kind, SQL of a host's document d, or of a service s; is it an array?)
HOST = {
    "ip_version": ("int", "(d->>'ip_version')::int", False),
    "prefix": ("keyword", "d->>'prefix'", False),
    "asn": ("int", "(d->>'asn')::bigint", False),
    "as_name": ("keyword", "d->>'as_name'", False),
    "organisation": ("keyword", "d->>'organisation'", False),
    "country_code": ("keyword", "d->>'country_code'", False),
    "region": ("keyword", "d->>'region'", False),
    "city": ("keyword", "d->>'city'", False),
    "hostnames": ("dns", "d->'hostnames'", True),
    "apex_domains": ("dns", "d->'apex_domains'", True),
    "ptr": ("dns", "d->>'ptr'", False),
    "os": ("keyword", "d->>'os'", False),
    "cpe": ("keyword", "d->'cpe'", True),
    "vulnerabilities": ("keyword", "d->'vulnerabilities'", True),
    "tags": ("keyword", "d->'tags'", True),
    "service_count": ("int", "(d->>'service_count')::int", False),
    "first_seen": ("date", "(d->>'first_seen')::timestamptz", False),
    "last_seen": ("date", "(d->>'last_seen')::timestamptz", False),
}
SERVICE = {
    "services.port": ("int", "(s->>'port')::int", False),
    "services.transport": ("keyword", "s->>'transport'", False),
    "services.protocol": ("keyword", "s->>'protocol'", False),
    "services.service_name": ("keyword", "s->>'service_name'", False),
    "services.vendor": ("keyword", "s->>'vendor'", False),
    "services.product": ("keyword", "s->>'product'", False),
    "services.version": ("keyword", "s->>'version'", False),
    "services.cpe": ("keyword", "s->'cpe'", True),
    "services.banner": ("text", "s->>'banner'", False),
    "services.banner_hash": ("keyword", "s->>'banner_hash'", False),
    "services.tags": ("keyword", "s->'tags'", True),
    "services.tls_enabled": ("bool", "(s->>'tls_enabled')::bool", False),
    "services.http.status_code": ("int", "(s#>>'{http,status_code}')::int", False),
    "services.http.title": ("text", "s#>>'{http,title}'", False),
    "services.http.server": ("keyword", "s#>>'{http,server}'", False),
    "services.http.body_hash": ("keyword", "s#>>'{http,body_hash}'", False),
    "services.http.favicon_hash": ("keyword", "s#>>'{http,favicon_hash}'", False),
    "services.http.capabilities": ("keyword", "s#>'{http,capabilities}'", True),
    "services.tls.version": ("keyword", "s#>>'{tls,version}'", False),
    "services.tls.jarm": ("keyword", "s#>>'{tls,jarm}'", False),
    "services.tls.certificate.fingerprint_sha256": ("keyword", "s#>>'{tls,certificate,fingerprint_sha256}'", False),
    "services.tls.certificate.subject_cn": ("keyword", "s#>>'{tls,certificate,subject_cn}'", False),
    "services.tls.certificate.issuer_cn": ("keyword", "s#>>'{tls,certificate,issuer_cn}'", False),
    "services.tls.certificate.names": ("dns", "s#>'{tls,certificate,names}'", True),
    "services.tls.certificate.not_after": ("date", "(s#>>'{tls,certificate,not_after}')::timestamptz", False),
    "services.tls.certificate.self_signed": ("bool", "(s#>>'{tls,certificate,self_signed}')::bool", False),
}
# Derived through the tag table, not stored: name -> (tag column as an array, the tags it comes from).
DERIVED = {
    "tags.category": ("categories", "tags"),
    "tags.classification": ("ARRAY[classification]", "tags"),
    "services.tags.category": ("categories", "services.tags"),
}
NOT_AGGREGATABLE = {"ptr", "first_seen", "last_seen", "services.banner", "services.tls.certificate.names",
                    "services.tls.certificate.not_after"}
KEYWORDS = {"and", "or", "not", "to"}


def column(name):
    """The column of the oracle's tables that holds a field."""
    return re.sub(r"[^a-z0-9]", "_", name.removeprefix("services."))


def spread(psql):
    """Spreads the documents into temporary tables h (hosts) and s (services)."""
    def columns(fields):
        for name, (_, sql, array) in fields.items():
            if array:
                sql = f"ARRAY(SELECT DISTINCT x FROM jsonb_array_elements_text({sql}) x)"
            yield f"{sql} AS {column(name)}"

    def derived(prefix, array):
        for name, (source, tags) in DERIVED.items():
            if name.startswith("services.") == prefix:
                yield (f"ARRAY(SELECT DISTINCT c FROM tag, unnest({source}) c"
                       f" WHERE slug IN (SELECT jsonb_array_elements_text({array}->'tags'))) AS {column(name)}")

    psql.run("SET jit = off; SET work_mem = '256MB'; SET timezone = 'UTC'; SET client_min_messages = warning")
    psql.run("CREATE TEMP TABLE host AS SELECT (doc::jsonb->>'ip')::inet AS ip, doc::jsonb AS doc"
             " FROM record WHERE dataset = 1 AND NOT gone")
    psql.run("CREATE TEMP TABLE h AS SELECT row_number() OVER (ORDER BY host.ip) AS id, host.ip, "
             + ", ".join([*columns(HOST), *derived(False, "d")])
             + " FROM host, LATERAL (SELECT doc AS d) AS doc_")
    psql.run("CREATE TEMP TABLE s AS SELECT h.id, "
             + ", ".join([*columns(SERVICE), *derived(True, "s")])
             + " FROM h JOIN host USING (ip), jsonb_array_elements(host.doc->'services') AS s")
    psql.run("ANALYZE h; ANALYZE s")


class Queries:
    """Random query texts with the SQL that means the same."""

    def __init__(self, psql, rng):
        self.rng = rng
        self.samples = {}
        for name, (kind, _, array) in {**HOST, **SERVICE}.items():
            table = "s" if name.startswith("services.") else "h"
            value = f"unnest({column(name)})" if array else column(name)
            picked = psql.rows(f"SELECT v::text FROM (SELECT {value} AS v, id FROM {table}) x WHERE v IS NOT NULL"
                               f" ORDER BY hashint8(id), v::text LIMIT 400")
            self.samples[name] = [row[0] for row in picked]
        for name, (source, _) in DERIVED.items():
            self.samples[name] = [r[0] for r in psql.rows(f"SELECT DISTINCT unnest({source}) FROM tag ORDER BY 1")]
        self.ips = [r[0] for r in psql.rows("SELECT host(ip) FROM h ORDER BY hashint8(id) LIMIT 400")]

    def kind(self, name):
        if name in DERIVED:
            return "keyword", True
        kind, _, array = (HOST | SERVICE)[name]
        return kind, array

    @staticmethod
    def literal(text):
        return "E'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def quoted(self, text):
        bare = re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.]*", text) and text.lower() not in KEYWORDS
        if bare and self.rng.random() < 0.5:
            return text
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    def value(self, name):
        pool = self.samples[name]
        return self.rng.choice(pool) if pool else "1"

    def test(self, name, relative=False):
        """One leaf: (query text, SQL on the columns of h or s)."""
        kind, array = self.kind(name)
        col = column(name)
        shown = name.removeprefix("services.") if relative else name

        def each(condition):
            if array:
                return f"EXISTS (SELECT 1 FROM unnest({col}) v WHERE {condition.format(v='v')})"
            return f"coalesce({condition.format(v=col)}, false)"

        if self.rng.random() < 0.07:
            known = f"cardinality({col}) > 0" if array else f"{col} IS NOT NULL"
            return self.rng.choice([f"{shown}:*", f"_exists_:{shown}"]), known
        return getattr(self, "test_" + kind)(name, shown, each)

    def test_int(self, name, shown, each):
        value = self.value(name)
        form = self.rng.randrange(6)
        if form == 0:
            other = self.value(name)
            return f"{shown}:{value},{other}", each(f"{{v}} IN ({value}, {other})")
        if form == 1:
            op = self.rng.choice([">=", "<=", ">", "<"])
            colon = self.rng.choice(["", ":"])
            return f"{shown}{colon}{op}{value}", each(f"{{v}} {op} {value}")
        if form == 2:
            low, high = sorted([int(value), int(self.value(name))])
            return f"{shown}:[{low} TO {high}]", each(f"{{v}} BETWEEN {low} AND {high}")
        if form == 3:
            low, high = sorted([int(value), int(self.value(name))])
            return f"{shown}:{{{low} TO {high}]", each(f"({{v}} > {low} AND {{v}} <= {high})")
        return f"{shown}{self.rng.choice([':', '=', ':='])}{value}", each(f"{{v}} = {value}")

    def test_bool(self, name, shown, each):
        value = self.rng.choice(["true", "false"])
        return f"{shown}:{value}", each(f"{{v}} = {value}")

    def test_date(self, name, shown, each):
        day = self.value(name)[:10]
        op = self.rng.choice([">=", "<"])
        return f"{shown}:{op}{day}", each(f"{{v}} {op} '{day}T00:00:00Z'::timestamptz")

    def test_keyword(self, name, shown, each):
        value = self.value(name)
        form = self.rng.randrange(6)
        if form == 0:
            return f"{shown}={self.quoted(value)}", each(f"{{v}} = {self.literal(value)}")
        if form == 1:
            a, b = value, self.value(name)
            return (f"{shown}:({self.quoted(a)} OR {self.quoted(b)})",
                    each(f"lower({{v}}) IN ({self.literal(a.lower())}, {self.literal(b.lower())})"))
        if form == 2:
            head = re.match(r"[A-Za-z0-9]{2,}", value)
            if head:
                start = head.group()[:self.rng.randint(2, 5)]
                return f"{shown}:{start}*", each(f"lower({{v}}) LIKE {self.literal(start.lower() + '%')}")
        swapped = value.swapcase() if self.rng.random() < 0.3 else value
        return f"{shown}:{self.quoted(swapped)}", each(f"lower({{v}}) = {self.literal(value.lower())}")

    def test_text(self, name, shown, each):
        words = re.findall(r"[A-Za-z0-9]+", self.value(name)) or ["x"]
        picked = self.rng.sample(words, min(len(words), self.rng.randint(1, 2)))
        text = shown + ":" + (picked[0] if len(picked) == 1 and picked[0].lower() not in KEYWORDS
                              else '"' + " ".join(picked) + '"')
        tokens = "regexp_split_to_array(lower({v}), '[^[:alnum:]]+')"
        wanted = ", ".join(self.literal(w.lower()) for w in picked)
        return text, each(f"{tokens} @> ARRAY[{wanted}]")

    def test_dns(self, name, shown, each):
        value = self.value(name)
        if self.rng.random() < 0.3:
            return f"{shown}={self.quoted(value)}", each(f"{{v}} = {self.literal(value)}")
        value = ".".join(value.split(".")[-self.rng.randint(1, 3):])
        return f"{shown}:{self.quoted(value)}", each(f"({{v}} = {self.literal(value)} OR {{v}} LIKE {self.literal('%.' + value)})")

    def leaf(self):
        """A test of hosts: (text, SQL over h)."""
        roll = self.rng.random()
        if roll < 0.08:
            return self.address()
        if roll < 0.45:
            return self.test(self.rng.choice([*HOST, "tags.category", "tags.classification"]))
        if roll < 0.8:
            text, sql = self.test(self.rng.choice([*SERVICE, "services.tags.category"]))
            return text, f"id IN (SELECT id FROM s WHERE {sql})"
        text, sql = self.tree(self.rng.randint(1, 2), lambda: self.test(
            self.rng.choice([*SERVICE, "services.tags.category"]), relative=True))
        return f"services:({text})", f"id IN (SELECT id FROM s WHERE {sql})"

    def address(self):
        ip = self.rng.choice(self.ips)
        if ":" in ip:
            return f"ip:{ip}", f"ip = '{ip}'"
        bits = self.rng.choice([8, 12, 16, 20, 24, 32])
        net = f"{ip}/{bits}"
        return self.rng.choice(["ip:", "net:", ""]) + net, f"ip <<= network('{net}'::inet)"

    def tree(self, depth, leaf):
        """An expression of the given depth over leaves."""
        if depth == 0 or self.rng.random() < 0.25:
            return leaf()
        form = self.rng.randrange(5)
        a, sql_a = self.tree(depth - 1, leaf)
        if form == 0:
            return f"{self.rng.choice(['NOT ', '-', '!', 'not '])}({a})", f"NOT ({sql_a})"
        b, sql_b = self.tree(depth - 1, leaf)
        if form in (1, 2):
            joint = self.rng.choice([" AND ", " and ", " "])
            return f"({a}){joint}({b})", f"(({sql_a}) AND ({sql_b}))"
        return f"({a}) OR ({b})", f"(({sql_a}) OR ({sql_b}))"


def facet(psql, name, limit):
    """What one group must say for the hosts in table m: (buckets, has_more)."""
    col = column(name)
    kind, array = ("keyword", True) if name in DERIVED else ((HOST | SERVICE)[name][0], (HOST | SERVICE)[name][2])
    table = "s" if name.startswith("services.") else "h"
    value = f"unnest({table}.{col})" if array else f"{table}.{col}"
    order = "v" if kind in ("int", "bool") else 'v COLLATE "C"'
    keep = "" if kind in ("int", "bool") else " AND v <> '' AND length(v) <= 4096"
    rows = psql.rows(f"SELECT v, count(DISTINCT id) AS n FROM (SELECT {table}.id, {value} AS v FROM {table}"
                     f" JOIN m ON m.id = {table}.id) x WHERE v IS NOT NULL{keep} GROUP BY v"
                     f" ORDER BY n DESC, {order} LIMIT {limit + 1}")
    return [(v, n) for v, n in rows[:limit]], len(rows) > limit


def compare(client, psql, text, sql, aggs):
    """None when both sides agree, otherwise what differs."""
    psql.run(f"DROP TABLE IF EXISTS m; CREATE TEMP TABLE m AS SELECT id FROM h WHERE {sql}; ANALYZE m")
    status, answer = client.call("POST", "/search/hosts/aggregate",
                                    {"query": text, "aggregations": [{"field": f, "limit": n} for f, n in aggs]})
    if status != 200:
        return f"status {status}: {answer}"
    for (name, limit), group in zip(aggs, answer["groups"], strict=True):
        want, more = facet(psql, name, limit)
        got = [(b["value"], b["count"]) for b in group["buckets"]]
        if got != want:
            first = next((i for i, (g, w) in enumerate(zip(got, want)) if g != w), min(len(got), len(want)))
            return f"{name}: bucket {first}: got {got[first:first + 3]}, SQL says {want[first:first + 3]}"
        if group["has_more"] != more:
            return f"{name}: has_more {group['has_more']}, SQL says {more}"
    return None


def main():
    options = argparse.ArgumentParser()
    options.add_argument("directory")
    options.add_argument("--queries", type=int, default=300)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    env = read_env(given.directory + "/env")
    client, psql, rng = Client(World(env)), Psql(env), random.Random(given.seed)
    spread(psql)
    queries = Queries(psql, rng)
    fields = [f for f in [*HOST, *SERVICE, *DERIVED] if f not in NOT_AGGREGATABLE]
    failed = 0
    print(f"1..{given.queries}")
    for number in range(1, given.queries + 1):
        text, sql = queries.tree(rng.randint(0, 3), queries.leaf)
        aggs = [(f, rng.choice([1, 5, 25, 100])) for f in rng.sample(fields, 6)]
        fault = compare(client, psql, text, sql, aggs)
        hits = psql.rows("SELECT count(*) FROM m")[0][0]
        print(f"{'not ' if fault else ''}ok {number} - {hits} hosts: {text}".replace("#", "\\#"), flush=True)
        if fault:
            failed += 1
            print(f"# {fault}", flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
