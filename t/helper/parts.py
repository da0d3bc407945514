#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""The answers about hosts of two shards of ClickHouse, whatever parts their tables have (t/search/clickhouse-parts.t).

usage: parts.py DIR compare [--layout L] --parts WHAT              DIR: a running t/instance world
       parts.py DIR campaign [--layout L] [--rounds N] [--seed S]

compare prints one TAP line: counts, facets and pages of hosts and services are those of the documents in PostgreSQL.

campaign changes documents while both servers merge parts and four clients search. A round is one transaction:

    swap    pairs of hosts exchange their cities "Plan A" and "Plan B". Both hosts of a pair are on one shard and have
            equally many services. A shard gets the rows of a transaction in one INSERT. So the numbers of hosts and of
            services with either city are the same at each moment, although the hosts are others.
    toggle  a group of hosts with the city "Toggle", all on one shard, is deleted or comes back. So a count is that
            before the transaction or that after it, and never again that before when it was once that after.
    rename  all hosts of one shard whose city is "Plan C", or "Plan C" with a number, get one with a number that was never
            used before. So the dictionary gets a value, while the hosts with a city "Plan*" are always as many.
    move    a service of one half of some hosts of a shard changes its port from 4001 to 4002, and that of the other half
            from 4002 to 4001. So each of these hosts always has exactly one of both ports, and hosts of one shard that
            are on one page have those of one moment.

The table saved of PostgreSQL has each host (key, doc) and its shard. A round ends when a client has seen the transaction and
each client has got an answer since.
"""
import argparse
import collections
import glob
import ipaddress
import json
import os
import random
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

from world import Client, Psql, World, read_env

PATIENCE_S = 120
FAULTS_MAX = 5
SHARDS = (1, 2)
CANCELLED = "Code: 236"


class Servers:
    """Both servers, as the user who may do anything."""

    def __init__(self, env, layout):
        self.folder, self.table = env["W"] + "/ch", f"hosts_{layout}"
        with open(self.folder + "/password", encoding="ascii") as f:
            self.password = f.read()
        self.urls = {}
        for shard in SHARDS:
            with open(f"{self.folder}/{shard}/ports", encoding="ascii") as f:
                ports = dict(line.split() for line in f if len(line.split()) == 2)
            self.urls[shard] = f"http://127.0.0.1:{ports['http']}/?database=surfaced"

    def ask(self, shard, sql):
        """The answer, or the text of the exception, and whether it is an answer."""
        request = urllib.request.Request(self.urls[shard], sql.encode(),
                                         {"X-ClickHouse-User": "surfaced", "X-ClickHouse-Key": self.password})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                return answer.read().decode().strip(), True
        except urllib.error.HTTPError as e:
            return e.read().decode().strip(), False

    def parts(self, shard):
        return self.ask(shard, f"SELECT name, rows FROM system.parts WHERE database = 'surfaced' AND table = '{self.table}'"
                               " AND active ORDER BY min_block_number")[0].split("\n")

    def show(self):
        return "; ".join(f"shard {s}: " + ", ".join(self.parts(s)).replace("\t", " ") for s in SHARDS)


# ---- the documents, as PostgreSQL has them ----

def services(d):
    return d.get("services", [])


def place_of(ip):
    address = ipaddress.ip_address(ip)
    return address.version, address.packed


def at(document, name):
    """The values of a field, each once."""
    values = [document]
    for member in name.split("."):
        values = [v[member] for v in values if isinstance(v, dict) and member in v]
        values = [x for v in values for x in (v if isinstance(v, list) else [v])]
    return set(values)


HOST_QUERIES = {
    "": lambda d: True,
    'city:"Plan A"': lambda d: d.get("city") == "Plan A",
    'NOT city:"Plan B"': lambda d: d.get("city") != "Plan B",
    "services.port:443 AND NOT country_code:US":
        lambda d: 443 in at(d, "services.port") and d.get("country_code") != "US",
    "ip:0.0.0.0/1": lambda d: place_of(d["ip"]) < (4, b"\x80") and ":" not in d["ip"],
}
SERVICE_QUERIES = {
    "": lambda d, s: True,
    "port:443": lambda d, s: s.get("port") == 443,
    'NOT city:"Plan A"': lambda d, s: d.get("city") != "Plan A",
}
HOST_FACETS = ["city", "country_code", "asn", "organisation", "tags", "services.port", "services.product", "services.http.title"]
SERVICE_FACETS = ["port", "city", "product", "http.title", "http.status_code"]


def buckets(values, limit=100):
    """What the group of a field must say: a list of (value, count), and has_more."""
    counts = sorted(collections.Counter(values).items(), key=lambda b: (-b[1], b[0]))
    return counts[:limit], len(counts) > limit


MOVING = (4001, 4002)
MATCHED = 'services:(port:443) AND NOT city:"Toggle"'


def expected_matched(documents):
    found = [(d, sum(s.get("port") == 443 for s in services(d))) for d in documents if d.get("city") != "Toggle"]
    return [(d["ip"], [443] * n) for d, n in found if n > 0]


def expected_facets(documents, query):
    hits = [d for d in documents if HOST_QUERIES[query](d)]
    return {name: buckets(v for d in hits for v in at(d, name)) for name in HOST_FACETS}


def expected_service_facets(documents, query):
    hits = [(d, s) for d in documents for s in services(d) if SERVICE_QUERIES[query](d, s)]
    return {name: buckets(v for d, s in hits for v in at(d if name == "city" else s, name)) for name in SERVICE_FACETS}


# ---- the answers ----

class Fault(Exception):
    pass


class Searches:
    def __init__(self, world, documents):
        self.client = Client(world)
        self.labels = {d["asn"]: d["as_name"] for d in documents if "asn" in d}

    def call(self, method, path, body=None, **parameters):
        path += "?" + urllib.parse.urlencode(parameters) if parameters else ""
        status, answer = self.client.call(method, "/search/" + path, body)
        if status not in (200, 201, 202):
            raise Fault(f"{method} {path}: status {status}: {answer}")
        return answer

    def count(self, view, query):
        return self.call("GET", view + "/count", q=query)["count"]

    def facets(self, view, query, names):
        answer = self.call("POST", view + "/aggregate",
                           {"query": query, "aggregations": [{"field": n, "limit": 100} for n in names]})
        for b in (b for g in answer["groups"] if g["field"] == "asn" for b in g["buckets"]):
            if b.get("label") != self.labels[b["value"]]:
                raise Fault(f"label of {b['value']}: got {b}, and not {self.labels[b['value']]}")
        return {g["field"]: ([(b["value"], b["count"]) for b in g["buckets"]], g["has_more"]) for g in answer["groups"]}

    def pages(self, view, query, limit, **more):
        """All pages: (total, documents of a page), ..."""
        while True:
            answer = self.call("GET", view, q=query, limit=limit, **more)
            yield answer["total"], answer[view]
            if not answer["has_more"]:
                return
            more["cursor"] = answer["next_cursor"]


    def matched(self, query, limit):
        """The address and the ports of the matching services of each host."""
        return [(h["ip"], [s["port"] for s in h["matched_services"]])
                for _, page in self.pages("hosts", query, limit, fields="ip") for h in page]


def same(what, got, want):
    if got == want:
        return
    if isinstance(got, dict):
        for name, value in want.items():
            same(f"{what}, {name}", got.get(name), value)
    if isinstance(got, (list, tuple)) and isinstance(want, (list, tuple)):
        n = next((i for i, (g, w) in enumerate(zip(got, want)) if g != w), min(len(got), len(want)))
        raise Fault(f"{what}: place {n} of {len(got)}: got {list(got)[n:n + 2]}, and not {list(want)[n:n + 2]} of {len(want)}")
    raise Fault(f"{what}: got {got}, and not {want}")


# ---- compare ----

def compare(searches, documents):
    documents.sort(key=lambda d: place_of(d["ip"]))
    for query, passes in HOST_QUERIES.items():
        hits = [d for d in documents if passes(d)]
        same(f"count of hosts {query}", searches.count("hosts", query), len(hits))
        listed = []
        for total, page in searches.pages("hosts", query, 1000, fields="ip,city"):
            same(f"total of hosts {query}", total, {"value": len(hits), "relation": "eq"})
            listed += [(h["ip"], h.get("city")) for h in page]
        same(f"pages of hosts {query}", listed, [(d["ip"], d.get("city")) for d in hits])
        same(f"facets of hosts {query}", searches.facets("hosts", query, HOST_FACETS), expected_facets(documents, query))
    same("matched services", searches.matched(MATCHED, 700), expected_matched(documents))
    for query, passes in SERVICE_QUERIES.items():
        same(f"count of services {query}", searches.count("services", query),
             sum(passes(d, s) for d in documents for s in services(d)))
        same(f"facets of services {query}", searches.facets("services", query, SERVICE_FACETS),
             expected_service_facets(documents, query))
    listed = [(s["ip"], s["port"]) for _, page in searches.pages("services", 'NOT city:"Plan A"', 1000, fields="ip,port")
              for s in page]
    same("pages of services", listed, [(d["ip"], port) for d in documents if d.get("city") != "Plan A"
                                       for port in sorted(s["port"] for s in services(d))])


# ---- campaign ----

def united(groups):
    """The groups, with one bucket for all cities "Plan C<n>"."""
    pairs, has_more = groups["city"]
    counts = collections.Counter()
    for value, n in pairs:
        counts["Plan C" if value.startswith("Plan C") else value] += n
    return {**groups, "city": (sorted(counts.items(), key=lambda b: (-b[1], b[0])), has_more)}



def key_list(keys):
    """A list of keys for IN."""
    return ", ".join(f"'\\x{k}'" for k in keys) or "NULL"


Host = collections.namedtuple("Host", "key shard document")


class State:
    """Which transactions are committed, and which a client has seen. The number of a transaction is its place in totals."""

    def __init__(self, total, toggled):
        self.changed = threading.Condition()
        self.totals, self.toggled = [total], [toggled]
        self.seen, self.answers, self.optimized = 0, collections.Counter(), collections.Counter()
        self.faults, self.ended = [], False

    def latest(self):
        with self.changed:
            return len(self.totals) - 1

    def commit(self, difference):
        with self.changed:
            self.totals.append(self.totals[-1] + difference)
            self.toggled.append(self.toggled[-1] + difference)

    def saw(self, number):
        with self.changed:
            self.seen = max(self.seen, number)
            self.changed.notify_all()

    def add(self, counter, name):
        with self.changed:
            counter[name] += 1
            self.changed.notify_all()

    def fail(self, text):
        with self.changed:
            if len(self.faults) < FAULTS_MAX:
                self.faults.append(text)
            self.changed.notify_all()

    def wait(self, condition):
        """False when the campaign ends before the condition holds."""
        with self.changed:
            good = self.changed.wait_for(lambda: self.ended or len(self.faults) >= FAULTS_MAX or condition(), PATIENCE_S)
            if not good:
                self.faults.append("waited in vain for answers or transactions")
            return good and condition()


class Checker(threading.Thread):
    """A client whose answers are checked, one after the other, until the campaign ends."""

    def __init__(self, campaign, number, checks):
        super().__init__()
        self.campaign, self.state, self.number, self.checks = campaign, campaign.state, number, checks
        self.searches = campaign.searches()

    def run(self):
        while not self.state.ended:
            for check in self.checks:
                try:
                    check(self.searches)
                except Exception as e:  # each is a fault of the test
                    self.state.fail(f"round {self.state.latest()}: {type(e).__name__}: {e}; parts now: "
                                    + self.campaign.servers.show())
                    if not isinstance(e, Fault):
                        self.searches = self.campaign.searches()
                self.state.add(self.state.answers, self.number)
                if self.state.ended:
                    return


class Merger(threading.Thread):
    """Merges the parts of one server, or lets them become many, until the campaign ends."""

    def __init__(self, campaign, shard, seed):
        super().__init__()
        self.servers, self.state, self.shard = campaign.servers, campaign.state, shard
        self.rng, self.most = random.Random(f"{seed}/{shard}"), 0

    def run_sql(self, sql):
        text, good = self.servers.ask(self.shard, sql)
        if not good and CANCELLED not in text:
            self.state.fail(f"shard {self.shard}: {sql}: {text}")

    def wait_for_answers(self, n):
        until = sum(self.state.answers.values()) + n
        self.state.wait(lambda: sum(self.state.answers.values()) >= until)

    def hold(self, rounds):
        """Parts become many, because nothing merges them."""
        until = self.state.latest() + rounds
        self.run_sql(f"SYSTEM STOP MERGES surfaced.{self.servers.table}")
        self.state.wait(lambda: self.state.seen >= until)
        self.most = max(self.most, len(self.servers.parts(self.shard)))
        self.run_sql(f"SYSTEM START MERGES surfaced.{self.servers.table}")

    def run(self):
        self.hold(3)
        while not self.state.ended:
            what = self.rng.randrange(10)
            if what == 0:
                self.hold(self.rng.randint(3, 6))
            else:
                self.run_sql(f"OPTIMIZE TABLE {self.servers.table}" + (" FINAL" if what > 4 else ""))
                self.state.add(self.state.optimized, self.shard)
            self.wait_for_answers(self.rng.randrange(3))


class Campaign:
    def __init__(self, env, layout, seed):
        self.world, self.psql, self.rng = World(env), Psql(env), random.Random(seed)
        self.servers, self.seed, self.env = Servers(env, layout), seed, env
        self.names_used = int(time.time())  # other numbers than those of an earlier campaign
        hosts = [Host(key, shard, doc) for key, shard, doc in self.psql.rows(
            "SELECT encode(key, 'hex') AS key, shard, doc::jsonb AS doc FROM saved")]
        hosts.sort(key=lambda h: place_of(h.document["ip"]))
        self.hosts = hosts
        self.city = {h.key: h.document.get("city") for h in hosts}
        self.by_key = {h.key: h for h in hosts}
        stay = [h.document for h in hosts if self.city[h.key] != "Toggle"]
        self.make_groups()
        self.make_halves()
        self.state = State(len(hosts), len(hosts) - len(stay))
        self.expect(stay)

    def searches(self):
        return Searches(self.world, [h.document for h in self.hosts])

    def make_groups(self):
        """Hosts that may be a pair, and hosts that go and come back together."""
        self.alike, self.toggles, self.gone = collections.defaultdict(list), [], set()
        for h in self.hosts:
            if self.city[h.key] in ("Plan A", "Plan B"):
                self.alike[h.shard, len(services(h.document))].append(h.key)
        for shard in SHARDS:
            keys = [h.key for h in self.hosts if h.shard == shard and self.city[h.key] == "Toggle"]
            while keys:
                n = self.rng.randint(1, 20)
                self.toggles.append(keys[:n])
                keys = keys[n:]

    def make_halves(self):
        """Hosts whose services move, as many with either port on each shard; the others keep theirs. Hosts to rename."""
        self.half, self.renamed, self.moves = {}, {}, collections.Counter()
        for shard in SHARDS:
            here = [h for h in self.hosts if h.shard == shard]
            self.renamed[shard] = [h.key for h in here if self.city[h.key] == "Plan C"]
            halves = [[h for h in here if port in at(h.document, "services.port")] for port in MOVING]
            for port, hosts in zip(MOVING, halves):
                for h in hosts[:min(map(len, halves))]:
                    self.half[h.document["ip"]] = (shard, port, h.key)

    def expect(self, stay):
        """What is the same at each moment."""
        self.all_plans = sum(d.get("city", "").lower().startswith("plan") for d in stay)
        self.plan_services_all = sum(len(services(d)) for d in stay if d.get("city", "").lower().startswith("plan"))
        self.movers = [d["ip"] for d in stay if at(d, "services.port") & set(MOVING)]
        self.at_first = sum(MOVING[0] in at(d, "services.port") for d in stay)
        self.keys = [d["ip"] for d in stay]
        self.kept = 'NOT city:"Toggle"'
        self.plans = {plan: sum(d.get("city") == plan for d in stay) for plan in ("Plan A", "Plan B")}
        self.plan_services = sum(len(services(d)) for d in stay if d.get("city") == "Plan A")
        self.facets = {n: buckets(v for d in stay for v in at(d, n)) for n in HOST_FACETS}
        self.service_facets = {n: buckets(v for d in stay for s in services(d) for v in at(d if n == "city" else s, n))
                               for n in SERVICE_FACETS}
        self.services = sum(len(services(d)) for d in stay)
        self.matched = expected_matched(stay)

    # ---- the transactions ----

    def swaps(self):
        """Keys of pairs; now and then of so many that their rows are the largest part."""
        picked = []
        share = 0.9 if self.rng.random() < 0.15 else self.rng.choice([0.002, 0.02, 0.1])
        for keys in self.alike.values():
            first = [k for k in keys if self.city[k] == "Plan A"]
            other = [k for k in keys if self.city[k] == "Plan B"]
            most = min(len(first), len(other))
            n = min(most, int(most * share) + (self.rng.random() < 0.3))
            for a, b in zip(self.rng.sample(first, n), self.rng.sample(other, n)):
                picked += [a, b]
                self.city[a], self.city[b] = "Plan B", "Plan A"
        return picked

    def toggle(self):
        n = self.rng.randrange(len(self.toggles))
        keys = key_list(self.toggles[n])
        if n in self.gone:
            self.gone.discard(n)
            return len(self.toggles[n]), ("INSERT INTO record (dataset, key, doc) SELECT 1, key, doc FROM saved"
                                          f" WHERE key IN ({keys}) ON CONFLICT (dataset, key)"
                                          " DO UPDATE SET doc = excluded.doc, gone = false")
        self.gone.add(n)
        return -len(self.toggles[n]), ("UPDATE record SET doc = '', gone = true WHERE dataset = 1"
                                       f" AND key IN ({keys})")

    def rename(self):
        shard = self.rng.choice(SHARDS)
        return ("UPDATE record SET doc = regexp_replace(doc, '\"city\":\"Plan C[0-9]*\"',"
                f" '\"city\":\"Plan C{self.names_used}\"') WHERE dataset = 1 AND key IN ({key_list(self.renamed[shard])})")

    def move(self):
        shard = self.rng.choice(SHARDS)
        keys = key_list(key for s, _, key in self.half.values() if s == shard)
        self.moves[shard] += 1
        first, second = (f"'\"port\":{port},'" for port in MOVING)
        return (f"UPDATE record SET doc = CASE WHEN strpos(doc, {first}) > 0 THEN replace(doc, {first}, {second})"
                f" ELSE replace(doc, {second}, {first}) END WHERE dataset = 1 AND key IN ({keys})")

    def round(self):
        difference, toggle = self.toggle()
        self.names_used += 1
        others = [self.rename()] + ([self.move()] if self.rng.random() < 0.7 else [])
        keys = key_list(self.swaps())
        self.state.commit(difference)
        self.psql.run("BEGIN; UPDATE record SET doc = CASE WHEN strpos(doc, '\"city\":\"Plan A\"') > 0"
                      " THEN replace(doc, '\"city\":\"Plan A\"', '\"city\":\"Plan B\"')"
                      " ELSE replace(doc, '\"city\":\"Plan B\"', '\"city\":\"Plan A\"') END"
                      f" WHERE dataset = 1 AND key IN ({keys}); {toggle}; {'; '.join(others)}; COMMIT")
        before = dict(self.state.answers)
        latest = self.state.latest()
        return self.state.wait(lambda: self.state.seen >= latest and all(
            self.state.answers[c.number] > before.get(c.number, 0) for c in self.clients))

    def is_stored(self):
        """Whether the database has the last new name, and the services of each host where they were moved to."""
        documents = [row[0] for row in self.psql.rows("SELECT doc::jsonb AS d FROM record WHERE dataset = 1 AND NOT gone")]
        named = sum(d.get("city") == f"Plan C{self.names_used}" for d in documents)
        for d in documents:
            shard, port, _ = self.half.get(d["ip"], (0, 0, None))
            if port and (port not in at(d, "services.port")) != bool(self.moves[shard] % 2):
                return False
        return named in [len(keys) for keys in self.renamed.values()] and sum(self.moves.values()) > 0

    # ---- the checks ----

    def within(self, what, ask, values):
        """The answer is that of a state between the latest that was seen before the request and the latest committed after."""
        with self.state.changed:
            low = self.state.seen
        got = ask()
        with self.state.changed:
            allowed = values[low:]
        if got not in allowed:
            raise Fault(f"{what}: got {got}, and not one of {allowed}")
        self.state.saw(low + allowed.index(got))

    def counts_change(self, searches):
        self.within("count of all hosts", lambda: searches.count("hosts", ""), self.state.totals)
        self.within("count of hosts that go and come back", lambda: searches.count("hosts", "city:Toggle"),
                    self.state.toggled)

    def counts_stay(self, searches):
        for plan, n in self.plans.items():
            same(f"count of {plan}", searches.count("hosts", f'city:"{plan}"'), n)
        same("count of kept hosts", searches.count("hosts", self.kept), len(self.keys))
        same("count of services of Plan A", searches.count("services", 'city:"Plan A"'), self.plan_services)
        same("count of hosts with one of the ports", searches.count("hosts", f"services.port:{MOVING[0]}"), self.at_first)

    def new_values_are_found(self, searches):
        same("count of all plans", searches.count("hosts", "city:Plan*"), self.all_plans)
        same("count of services of all plans", searches.count("services", "city:Plan*"), self.plan_services_all)

    def hosts_are_aggregated(self, searches):
        same("facets of hosts", united(searches.facets("hosts", self.kept, HOST_FACETS)), self.facets)
        sums = {}
        self.within("sum of the cities of all hosts", lambda: sum(
            n for _, n in sums.setdefault("city", searches.facets("hosts", "", ["city"])["city"][0])), self.city_sums())

    def city_sums(self):
        """A host without a city is in no bucket."""
        without = sum(h.document.get("city") is None for h in self.hosts)
        return Shifted(self.state.totals, -without)

    def services_are_aggregated(self, searches):
        same("count of kept services", searches.count("services", self.kept), self.services)
        same("facets of services", united(searches.facets("services", self.kept, SERVICE_FACETS)), self.service_facets)

    def pages_are_whole(self, searches):
        listed = []
        for total, page in searches.pages("hosts", self.kept, 700, fields="ip"):
            same("total of kept hosts", total, {"value": len(self.keys), "relation": "eq"})
            listed += [h["ip"] for h in page]
        same("pages of kept hosts", listed, self.keys)

    def pages_of_changes(self, searches):
        n = self.plans["Plan A"]
        total, page = next(searches.pages("hosts", 'city:"Plan A"', 1000, fields="ip"))
        same("total of Plan A", total, {"value": n, "relation": "eq"})
        keys = [place_of(h["ip"]) for h in page]
        same("hosts of Plan A on a page", len(keys), min(n, 1000))
        same("order of Plan A on a page", keys, sorted(set(keys)))

    def services_are_matched(self, searches):
        same("matched services", searches.matched(MATCHED, 1000), self.matched)

    def moving_services_are_matched(self, searches):
        either = " OR ".join(f"port:{port}" for port in MOVING)
        hits = searches.matched(f"services:({either})", 1000)
        same("hosts whose services move", [ip for ip, _ in hits], self.movers)
        moved = {shard: set() for shard in SHARDS}
        for ip, ports in hits:
            if len(ports) != 1 or ports[0] not in MOVING:
                raise Fault(f"matched services of {ip}: got {ports}, and not one of {MOVING}")
            if ip in self.half:
                shard, port, _ = self.half[ip]
                moved[shard].add(ports[0] != port)
        for shard, states in moved.items():
            same(f"moments of the matched services of shard {shard} on a page", len(states), 1)

    def one_port_is_matched(self, searches):
        """Each hit has its service, unless the log of the API says that the parts have changed in each attempt."""
        logs = {name: os.path.getsize(name) for name in glob.glob(self.env["W"] + "/log/*.log")}
        hits = searches.matched(f"services:(port:{MOVING[0]})", 1000)
        same("hosts with one of the ports", len(hits), self.at_first)
        bad = [hit for hit in hits if hit[1] != [MOVING[0]]]
        if not bad:
            return
        for name, size in logs.items():
            with open(name, "rb") as f:
                f.seek(size)
                if b"parts=changed" in f.read():
                    return
        raise Fault(f"matched services of one port: got {bad[:2]} and {len(bad)} like these")

    def services_are_listed(self, searches):
        total, page = next(searches.pages("services", 'city:"Plan A"', 1000, fields="ip,port"))
        same("total of services of Plan A", total, {"value": self.plan_services, "relation": "eq"})
        same("services of Plan A on a page", len(page), min(self.plan_services, 1000))
        same("services of Plan A on a page, each once", len({(s["ip"], s["port"], s.get("transport")) for s in page}), len(page))

    def exports_are_whole(self, searches):
        uuid = searches.call("POST", "hosts/exports", {"query": self.kept, "compression": "identity"})["export"]["uuid"]
        export, until = {"finished_at": None}, time.monotonic() + PATIENCE_S
        while export["finished_at"] is None and time.monotonic() < until:
            export = searches.call("GET", "exports/" + uuid)["export"]
        same("an export is complete", export["state"] == "complete", True)
        path = f"{self.env['W']}/exports/{uuid}.ndjson"
        with open(path, encoding="utf-8") as f:
            records = [json.loads(line) for line in f]
        same("hosts of an export", [r["ip"] for r in records if "ip" in r], self.keys)
        os.unlink(path)

    def run(self, rounds):
        self.clients = [Checker(self, 0, [self.counts_change]), Checker(self, 1, [self.new_values_are_found, self.counts_stay, self.pages_of_changes]),
                        Checker(self, 2, [self.hosts_are_aggregated, self.services_are_aggregated]),
                        Checker(self, 3, [self.moving_services_are_matched, self.pages_are_whole, self.one_port_is_matched,
                                           self.services_are_listed, self.services_are_matched])]
        mergers = [Merger(self, shard, self.seed) for shard in SHARDS]
        for thread in self.clients + mergers:
            thread.start()
        exporter, done = self.searches(), 0
        while done < rounds and self.round():
            done += 1
            if done % 20 == 10:
                try:
                    self.exports_are_whole(exporter)
                except Fault as e:
                    self.state.fail(f"round {done}: {e}")
        with self.state.changed:
            self.state.ended = True
            self.state.changed.notify_all()
        for thread in self.clients + mergers:
            thread.join()
        return done, mergers


class Shifted:
    """A list whose numbers are others by a constant, which is read when it is used."""

    def __init__(self, values, by):
        self.values, self.by = values, by

    def __getitem__(self, place):
        return [v + self.by for v in self.values[place]]


def tap(number, good, title):
    print(f"{'' if good else 'not '}ok {number} - {title}", flush=True)


def campaign(env, given):
    c = Campaign(env, given.layout, given.seed)
    done, mergers = c.run(given.rounds)
    answers, optimized = sum(c.state.answers.values()), c.state.optimized
    for fault in c.state.faults:
        print("# " + fault.replace("\n", " "))
    print(f"# {done} rounds, {answers} checks, merges by OPTIMIZE: {dict(optimized)}, most parts: {[m.most for m in mergers]}")
    tap(1, not c.state.faults, "each answer is exact while hosts change and both servers merge parts (C-419)")
    tap(2, done == given.rounds, f"{given.rounds} transactions were seen by the clients")
    tap(3, all(optimized[s] * 5 >= given.rounds for s in SHARDS), "both servers merged parts while hosts changed")
    tap(4, all(m.most > 2 for m in mergers), "both servers had many parts while their merges were stopped")
    tap(5, c.is_stored(), "hosts got cities that are new, and services moved to other ports")
    print("1..5")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("directory")
    options.add_argument("mode", choices=["compare", "campaign"])
    options.add_argument("--parts", default="")
    options.add_argument("--layout", type=int, default=1)
    options.add_argument("--rounds", type=int, default=20)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    env = read_env(given.directory + "/env")
    if given.mode == "campaign":
        campaign(env, given)
        return
    fault = None
    try:
        documents = [row[0] for row in Psql(env).rows(
            "SELECT doc::jsonb AS d FROM record WHERE dataset = 1 AND NOT gone")]
        compare(Searches(World(env), documents), documents)
    except Fault as e:
        fault = f"{e}; parts: {Servers(env, given.layout).show()}"
    tap(1, fault is None, f"answers are those of the documents in PostgreSQL, with {given.parts} (C-419)")
    if fault:
        print("# " + fault.replace("\n", " "))
    print("1..1")


if __name__ == "__main__":
    main()
