# SPDX-License-Identifier: ISC
"""Reads hosts once: numbers every value for the rivals, writes their table, picks the queries.

The rivals get every advantage a user could give them: values are small integers, each host's distinct
values are ready in arrays, title words are split beforehand, and the numbers are turned back into
values outside the timed part.
"""
import ipaddress
import json
import re
from collections import Counter

# The six facets of every query, in this order; a term is (position << 24) + number of the value.
FACETS = ("services.port", "country_code", "tags", "services.tags", "services.product", "asn")
SHIFT = 24
LIMIT = 25
DOCUMENTS = 200000
WORD = re.compile(r"[a-z0-9]+")


class Corpus:
    def __init__(self):
        self.ids = [{} for _ in FACETS]
        self.values = [[] for _ in FACETS]
        self.words = {}
        self.hosts = 0
        self.documents = []  # the addresses of the hosts that are read by key
        self.freq = [Counter() for _ in FACETS]
        self.word_freq = Counter()
        self.nets = Counter()

    def number(self, facet, value):
        n = self.ids[facet].get(value)
        if n is None:
            n = self.ids[facet][value] = len(self.values[facet])
            self.values[facet].append(value)
        return n

    def word(self, text):
        return self.words.setdefault(text, len(self.words))


def distinct(values):
    return sorted({v for v in values if v is not None and v != ""})


def facet_values(host):
    services = host.get("services", [])
    return (
        distinct(s.get("port") for s in services),
        distinct([host.get("country_code")]),
        distinct(host.get("tags", [])),
        distinct(t for s in services for t in s.get("tags", [])),
        distinct(s.get("product") for s in services),
        distinct([host.get("asn")]),
    )


def title_words(host):
    out = set()
    for service in host.get("services", []):
        title = service.get("http", {}).get("title")
        if title:
            out.update(WORD.findall(title.lower()))
    return out


def address(host):
    ip = host["ip"]
    return 0 if ":" in ip else int(ipaddress.IPv4Address(ip))


def array(numbers):
    return "[" + ",".join(map(str, numbers)) + "]"


def row_of(corpus, host):
    ip4 = address(host)
    numbers = []
    for facet, values in enumerate(facet_values(host)):
        corpus.freq[facet].update(values)
        numbers.append([corpus.number(facet, v) for v in values])
    words = title_words(host)
    corpus.word_freq.update(words)
    if ip4:
        for bits in (8, 12, 16, 20, 24):
            corpus.nets[(ip4 >> (32 - bits), bits)] += 1
    terms = [(f << SHIFT) + n for f, ns in enumerate(numbers) for n in ns]
    cells = [str(ip4), array(terms), array(sorted(corpus.word(w) for w in words))]
    # A port is its own number: 16 bits as it stands.
    cells.append(array(facet_values(host)[0]))
    cells.append(str(numbers[1][0] + 1 if numbers[1] else 0))
    cells += [array(numbers[f]) for f in (2, 3, 4)]
    cells.append(str(numbers[5][0] + 1 if numbers[5] else 0))
    return "\t".join(cells) + "\n"


def load(path, table, documents):
    """One pass: the corpus, the rivals' rows in the file `table`, and whole hosts with IPv4 in `documents`."""
    corpus = Corpus()
    with open(path, encoding="utf-8") as hosts, open(table, "w", encoding="ascii") as out, \
            open(documents, "w", encoding="utf-8") as docs:
        for line in hosts:
            host = json.loads(line)
            out.write(row_of(corpus, host))
            corpus.hosts += 1
            ip4 = address(host)
            if ip4 and len(corpus.documents) < DOCUMENTS:
                corpus.documents.append(ip4)
                docs.write("%d\t%s\n" % (ip4, line.strip().replace("\\", "\\\\").replace("\t", "\\t")))
    return corpus


# --- queries: a name, our text, and a tree that the rivals' SQL is written from ------------------


def near(counter, share, total, avoid=()):
    """The value whose count is nearest to that share of the hosts."""
    items = sorted(counter.items(), key=lambda kv: str(kv[0]))
    return min(
        (v for v, _ in items if v not in avoid),
        key=lambda v: abs(counter[v] - share * total),
        default=None,
    )


def prefer(counter, wanted, share, total, avoid=()):
    if counter.get(wanted):
        return wanted
    return near(counter, share, total, avoid)


def quoted(value):
    return '"' + str(value) + '"'


def queries(c):
    """The eight of the search design; a value the data lacks is replaced by one of like frequency."""
    n = c.hosts
    port, country, tags = c.freq[0], c.freq[1], c.freq[2]
    us = prefer(country, "US", 0.165, n)
    cn = prefer(country, "CN", 0.1, n, (us,))
    p443, p22 = prefer(port, 443, 0.4, n), prefer(port, 22, 0.15, n)
    p8443 = prefer(port, 8443, 0.05, n)
    malware = prefer(tags, "malware", 0.1, n)
    c2 = prefer(tags, "c2", 0.1, n, (malware,))
    phishing = prefer(tags, "phishing", 0.1, n, (malware, c2))
    rare = near(tags, 825 / 2e6, n)
    word = prefer(c.word_freq, "login", 0.052, n)
    net, bits = near(c.nets, 7800 / 2e6, n)
    first = net << (32 - bits)
    cidr = "%s/%d" % (ipaddress.IPv4Address(first), bits)

    def tag(v):
        return ("has", 2, v)

    return [
        ("all", "", None),
        ("country", "country_code:%s" % quoted(us), ("has", 1, us)),
        ("port-and-tag", "services.port:%d AND tags:%s" % (p443, quoted(malware)),
         ("and", ("has", 0, p443), tag(malware))),
        ("port-not-country", "services.port:%d AND NOT country_code:%s" % (p22, quoted(cn)),
         ("and", ("has", 0, p22), ("not", ("has", 1, cn)))),
        ("tags-and-port", "(tags:%s OR tags:%s) AND services.port:%d"
         % (quoted(c2), quoted(phishing), p8443),
         ("and", ("or", tag(c2), tag(phishing)), ("has", 0, p8443))),
        ("rare-tag", "tags:%s" % quoted(rare), tag(rare)),
        ("title", "services.http.title:%s" % word, ("word", word)),
        ("cidr", "ip:%s" % cidr, ("net", first, first + (1 << (32 - bits)) - 1)),
    ]


# --- answers: [(value, count)] by facet ----------------------------------------------------------


def same(a, b):
    """Equal up to the order and the choice among values tied at the cut; says what differs, or ''."""
    for facet, name in enumerate(FACETS):
        left, right = a[facet], b[facet]
        if [n for _, n in left] != [n for _, n in right]:
            return "%s: counts %s and %s" % (name, left[:5], right[:5])
        cut = left[-1][1] if len(left) > LIMIT else 0
        above = {v for v, n in left if n > cut}, {v for v, n in right if n > cut}
        if above[0] != above[1]:
            return "%s: values %s" % (name, sorted(above[0] ^ above[1], key=str)[:5])
    return ""
