#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Random documents of a dataset, one JSON object a line, as surfacectl import reads them.

usage: docgen.py DATASET --documents N [--seed S] [--start K] [--change C]

Document K of a seed always has the same key; --change C gives it other members and later times, so a second import
with another C updates it. A new dataset is a function behind @dataset. Hosts come from t/helper/hostgen.
"""
import argparse
import hashlib
import json
import random
import uuid

DATASETS = {}
WORDS = ("Index", "of", "backup", "Login", "portal", "Zürich", "ΑΘΗΝΑ", "日本", "v2", "old", "release", "C2", "tools")
TAGS = ("c2", "phishing", "cdn", "malware", "scanner", "login", "own-tag")
TLDS = ("com", "org", "net", "de", "co.uk", "io")


def dataset(name):
    def register(function):
        DATASETS[name] = function
        return function
    return register


class Pick(random.Random):
    """Random choices of which the first ones are the likeliest."""

    def rank(self, n):
        return int((n + 1) ** self.random()) - 1

    def one(self, pool):
        return pool[self.rank(len(pool))]

    def some(self, pool, most):
        return self.sample(pool, self.randint(0, min(most, len(pool))))

    def maybe(self, share=0.5):
        return self.random() < share

    def day(self, first=2024, last=2027):
        return f"{self.randint(first, last)}-{self.randint(1, 12):02d}-{self.randint(1, 28):02d}"

    def time(self):
        return self.day(2024, 2025) + f"T{self.randint(0, 23):02d}:00:00Z"

    def apex(self):
        return f"site{self.rank(300)}.{self.one(TLDS)}"

    def name(self):
        labels = [self.one(("www", "mail", "api", "a", "b", "_dmarc", "x-1")) for _ in range(self.randint(0, 3))]
        return ".".join([*labels, self.apex()])

    def ip4(self):
        return f"{self.one((10, 192, 203))}.{self.rank(256)}.{self.rank(256)}.{self.randint(0, 255)}"

    def ip6(self):
        return f"2001:db8:{self.rank(20):x}::{self.randint(1, 65535):x}"

    def words(self, most):
        return " ".join(self.one(WORDS) for _ in range(self.randint(1, most)))


def dns_answer(key, kind):
    if kind == "A":
        return key.ip4()
    if kind == "AAAA":
        return key.ip6()
    if kind == "MX":
        return f"{key.one((10, 20))} {key.name()}"
    if kind == "SRV":
        return f"0 5 {key.one((443, 5060))} {key.name()}"
    if kind == "TXT":
        return key.one(('"v=spf1 -all"', '"v=spf1 ip4:192.0.2.0/24 ~all"', f'"Token {key.rank(50)} (*?)"',
                        '"back\\\\slash \\"quoted\\""'))
    return key.name()


@dataset("dns")
def dns(key, other):
    kind = key.one(("A", "AAAA", "CNAME", "MX", "TXT", "NS", "PTR", "SRV"))
    owner = ("*." if key.maybe(0.05) else "") + key.name()
    if key.maybe(0.02):
        owner = key.one((".", "0/25.2.0.192.in-addr.arpa", "a\\046b.site1.com", "#1!.site1.com"))
    doc = {"host": owner, "record_type": kind}
    if key.maybe(0.15):
        doc["rcode"] = key.one(("NXDOMAIN", "NOERROR", "SERVFAIL", "REFUSED"))
    else:
        doc["answer"] = dns_answer(key, kind)
    if other.maybe(0.8):
        doc["ttl"] = other.one((300, 3600, 60, 86400, 0, 4294967295))
    if other.maybe(0.3):
        doc["count"] = other.randint(0, 5000)
    doc["source"] = other.some(["zdns", "Sensor 1", "sensor-2", "Zürich"], 3)
    return doc


@dataset("whois")
def whois(key, other):
    doc = {"domain": f"d{key.randrange(10 ** 9)}.{key.one(TLDS)}"}
    facts = {
        "registrar": other.one(("Example Registrar, Inc.", "NAMES GmbH & Co. KG", "Ünïcode Ltd", "a (b) [c]", '"quoted"')),
        "registrar_iana_id": other.one((292, 146, 9999, 0)),
        "status": other.some(["clientTransferProhibited", "clientHold", "serverHold", "ok", "pendingDelete"], 3),
        "dnssec": other.maybe(),
        "nameservers": sorted({other.name() for _ in range(other.randint(0, 3))}),
        "registrant": {"organisation": other.words(3), "country_code": other.one(("DE", "US", "GB", "FR"))},
        "created_at": other.time(), "expires_at": other.day() + "T00:00:00Z",
    }
    if other.maybe(0.2):
        facts["registrant"]["email_hash"] = hashlib.sha256(str(other.rank(9)).encode()).hexdigest()
    doc["whois"] = {name: value for name, value in facts.items() if other.maybe(0.85)}
    return doc


@dataset("certificates")
def certificates(key, other):
    begin = key.day(2024, 2026)
    names = sorted({("*." if other.maybe(0.2) else "") + other.name().replace("_", "") for _ in range(other.randint(0, 4))})
    doc = {
        "fingerprint_sha256": hashlib.sha256(str(key.random()).encode()).hexdigest(),
        "not_before": begin + "T00:00:00Z", "not_after": other.day(2025, 2028) + "T12:00:00Z",
        "serial_number": f"{key.randrange(1, 16 ** 20):X}",
        "spki_sha256": hashlib.sha256(str(key.rank(200)).encode()).hexdigest(),
        "subject": {"common_name": names[0] if names else other.words(2), "organisation": other.words(2)},
        "issuer": {"common_name": other.one(("R10", "R11", "E5", "Test CA")), "country_code": other.one(("US", "DE"))},
        "names": names, "key_algorithm": other.one(("RSA", "ECDSA", "Ed25519")),
        "key_size": other.one((2048, 256, 4096)), "signature_algorithm": other.one(("SHA256-RSA", "ECDSA-SHA384")),
        "self_signed": other.maybe(0.2), "precertificate": key.maybe(0.2), "tags": other.some(TAGS, 2),
    }
    if other.maybe(0.4):
        doc["ct"] = {"log": other.one(("argon2026", "Xenon 2027")), "index": other.randrange(10 ** 6), "seen_at": other.time()}
    return doc


def indicator(other):
    kind, value = other.one((
        ("ipv4", other.ip4()), ("domain", other.name()), ("url", f"https://u@{other.name().replace('_', '')}:8443/Å?q=1"),
        ("ipv6", other.ip6()), ("url", f"http://{other.ip4()}/x"), ("url", f"http://[{other.ip6()}]/"),
        ("md5", f"{other.rank(50):032x}"), ("cidr", f"{other.ip4()}/32"), ("cve", f"CVE-2024-{1000 + other.rank(50)}"),
        ("email", f"{other.one(('a', 'B'))}@{other.apex()}"), ("asn", "AS64500")))
    result = {"type": kind, "value": value, "labels": other.some(["c2", "phishing", "Zürich"], 2)}
    if other.maybe(0.3):
        result["first_seen"] = other.time()
    return result


@dataset("reports")
def reports(key, other):
    doc = {
        "uuid": str(uuid.UUID(int=key.getrandbits(128), version=4)), "published_at": other.time(),
        "title": other.words(6), "summary": other.words(12), "body": other.words(40),
        "publisher": other.one(("Example Labs", "Zürich CERT", '"quoted" (a)')), "url": f"https://{other.apex()}/report",
        "language": other.one(("en", "de", "pt-BR")), "tlp": other.one(("clear", "green", "amber")),
        "threat_actors": other.some(["Actor 1", "APT 2", "Ünïcode"], 2), "malware_families": other.some(["One", "Two"], 2),
        "techniques": other.some(["T1059", "T1059.001", "T1486"], 3), "cves": other.some(["CVE-2024-3094", "CVE-2021-44228"], 2),
        "sectors": other.some(["Energy", "Finance"], 2), "countries": other.some(["DE", "US", "GB"], 3),
        "tags": other.some(TAGS, 2), "indicators": [indicator(other) for _ in range(other.randint(0, 8))],
    }
    return {name: value for name, value in doc.items() if name in ("uuid", "published_at", "title") or other.maybe(0.85)}


@dataset("open-directories")
def open_directories(key, other):
    doc = {"port": key.one((80, 8000, 443, 8080))}
    if key.maybe(0.3):
        doc["ip"] = key.one((key.ip4(), key.ip6()))
    else:
        doc["host"] = key.name()
        if other.maybe():
            doc["ip"] = other.ip4()
    doc["path"] = "/" + "".join(f"{key.one(('pub', 'a b', 'x', 'Ü'))}/" for _ in range(key.randint(0, 3)))
    doc["title"], doc["server"] = other.words(4), other.one(("nginx", "Apache/2.4.57 (Debian)", "SimpleHTTP/0.6"))
    doc["truncated"], doc["tags"] = other.maybe(0.1), other.some(TAGS, 2)
    doc["files"] = [
        {"name": f"{other.one(('bin/', '', 'Docs/'))}{other.one(WORDS)}{i}.{other.one(('ps1', 'EXE', 'txt', 'tar.gz'))}",
         "size": other.one((0, 10, 2000, 5 * 10 ** 9)), "modified_at": other.time()}
        for i in range(other.randint(0, 6))]
    return doc


def main():
    options = argparse.ArgumentParser()
    options.add_argument("dataset", choices=DATASETS)
    options.add_argument("--documents", type=int, required=True)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--start", type=int, default=0)
    options.add_argument("--change", type=int, default=0)
    given = options.parse_args()
    for k in range(given.start, given.start + given.documents):
        other = Pick(f"{given.seed}/{given.dataset}/{k}/{given.change}")
        doc = DATASETS[given.dataset](Pick(f"{given.seed}/{given.dataset}/{k}"), other)
        doc["first_seen"] = other.day(2020, 2023) + "T00:00:00Z"
        doc["last_seen"] = f"{2026 + given.change}-{other.randint(1, 12):02d}-{other.randint(1, 28):02d}T01:02:03Z"
        print(json.dumps(doc, ensure_ascii=False))


if __name__ == "__main__":
    main()
