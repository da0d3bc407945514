# SPDX-License-Identifier: ISC
"""Fewer than a hundred hosts in the import format, and what the contract says of them.

Everything a test asserts of an answer is computed here from the documents alone, so that the
expectations owe nothing to the service.
"""
import hashlib
import ipaddress
import json

FIELDS = {  # every aggregatable field of the hosts and its value_type (C-043)
    "ip": "string", "ip_version": "integer", "prefix": "string", "asn": "integer", "as_name": "string",
    "organisation": "string", "country_code": "string", "region": "string", "city": "string",
    "hostnames": "string", "apex_domains": "string", "os": "string", "cpe": "string",
    "vulnerabilities": "string", "tags": "string", "tags.category": "string",
    "tags.classification": "string", "service_count": "integer", "services.port": "integer",
    "services.transport": "string", "services.protocol": "string", "services.service_name": "string",
    "services.vendor": "string", "services.product": "string", "services.version": "string",
    "services.cpe": "string", "services.banner_hash": "string", "services.tags": "string",
    "services.tags.category": "string", "services.tls_enabled": "boolean",
    "services.http.status_code": "integer", "services.http.title": "string",
    "services.http.server": "string", "services.http.body_hash": "string",
    "services.http.favicon_hash": "string", "services.http.capabilities": "string",
    "services.tls.version": "string", "services.tls.jarm": "string",
    "services.tls.certificate.fingerprint_sha256": "string",
    "services.tls.certificate.subject_cn": "string", "services.tls.certificate.issuer_cn": "string",
    "services.tls.certificate.self_signed": "boolean",
}
# Their values come from the tags' records, not from the documents.
DERIVED = ("tags.category", "tags.classification", "services.tags.category")
NOT_AGGREGATABLE = ("ptr", "first_seen", "last_seen", "services.banner",
                    "services.tls.certificate.names", "services.tls.certificate.not_after")
LONGEST = "p" * 4096
TOO_LONG = "q" * 4097
TIME = "2026-01-02T03:04:05.000000Z"


def service(port, transport="tcp", **members):
    return {"port": port, "transport": transport, "first_seen": TIME, "last_seen": TIME, **members}


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def web(port, title, status=200, **members):
    tls = port in (443, 8443)
    out = service(port, protocol="https" if tls else "http", service_name="http", vendor="nginx",
                  product="nginx", version="1.22.1", banner="HTTP/1.1 %d" % status, tls_enabled=tls,
                  banner_hash=digest("HTTP/1.1 %d" % status),
                  http={"status_code": status, "title": title, "server": "nginx/1.22.1",
                        "body_hash": digest(title), "favicon_hash": digest("icon"),
                        "capabilities": ["login-form"] if "ogin" in title else ["static"]})
    out.update(members)
    if tls:
        out["tls"] = {"version": "TLSv1.3", "jarm": "2ad2ad", "certificate": {
            "fingerprint_sha256": digest("cert" + title), "subject_cn": "www.example.com",
            "issuer_cn": "Example CA", "names": ["www.example.com", "example.com"],
            "not_after": "2027-01-01T00:00:00.000000Z", "self_signed": status != 200}}
    return out


def ssh(product="OpenSSH", version="9.2"):
    return service(22, protocol="ssh", service_name="ssh", vendor="OpenBSD", product=product,
                   version=version, cpe=["cpe:/a:openbsd:openssh:" + version], tls_enabled=False,
                   banner="SSH-2.0-" + product, banner_hash=digest("SSH-2.0-" + product))


def crowd():
    """Sixty plain hosts: countries, networks, tags and ports in known turns."""
    for i in range(60):
        services = [ssh()] if i % 2 == 0 else []
        if i % 3 == 0:
            services.append(web(443, "Login Portal" if i % 6 == 0 else "Welcome", tags=["login"]))
        if i % 5 == 0:
            services.append(web(8443, "Welcome to Router %d" % i, 401))
        host = {"ip": "203.0.113.%d" % (i + 1), "asn": 64500 + i % 4, "as_name": "EXAMPLE-%d" % (i % 4),
                "organisation": "Example %d Ltd" % (i % 4), "prefix": "203.0.113.0/24",
                "country_code": ("GB", "US", "DE")[i % 3], "region": "Region %d" % (i % 2), "city": "City",
                "os": "Linux" if i % 2 else "OpenBSD", "services": services}
        tags = (["c2"] if i % 4 == 0 else []) + (["phishing"] if i % 6 == 0 else [])
        if tags:
            host["tags"] = tags
        yield host


def odd():
    yield {"ip": "198.51.100.1", "country_code": "FR", "asn": 9, "as_name": "NINE",
           "hostnames": ["mail.example.co.uk", "www.example.co.uk"], "apex_domains": ["example.co.uk"],
           "ptr": "mail.example.co.uk", "vulnerabilities": ["CVE-2024-0001"],
           "cpe": ["cpe:/o:linux:linux_kernel"],
           # The same port twice is one host at that port (C-042).
           "services": [service(443, "tcp", product="both"), service(443, "udp", product="both")]}
    yield {"ip": "198.51.100.2", "country_code": "FR", "asn": 10, "as_name": "TEN",
           "hostnames": ["notexample.co.uk"], "apex_domains": ["notexample.co.uk"],
           "services": [service(53, "tcp"), service(53, "udp"), service(80, "tcp", product="x y")]}
    # More values than one answer may hold (C-048): 130 versions on 130 ports.
    yield {"ip": "198.51.100.3", "country_code": "NL",
           "services": [service(10000 + i, version="v%03d" % i) for i in range(130)]}
    # The longest bucket value there is, and one too long for a bucket (C-050).
    yield {"ip": "198.51.100.4", "country_code": "NL", "os": LONGEST,
           "services": [service(1), service(65535, vendor=LONGEST)]}
    yield {"ip": "198.51.100.5", "country_code": "NL", "services": [service(7, vendor=TOO_LONG)]}
    # Order by bytes, not by a locale; and text beyond ASCII (C-049).
    yield {"ip": "198.51.100.6", "city": "Zürich", "region": "a", "services": []}
    yield {"ip": "198.51.100.7", "city": "Århus", "region": "B", "services": []}
    yield {"ip": "198.51.100.8", "city": "😀", "region": "\uffee", "services": []}
    yield {"ip": "2001:db8::1", "country_code": "SE", "prefix": "2001:db8::/32", "services": [ssh("Dropbear", "2022")]}
    yield {"ip": "2001:db8:0:1::9", "country_code": "SE", "services": [ssh("Dropbear", "2022"), web(80, "Moved", 301)]}
    yield {"ip": "10.0.0.9", "asn": 4294967295, "as_name": "LAST", "services": [ssh("x y", "1")]}
    yield {"ip": "9.0.0.10", "asn": 1, "as_name": "FIRST", "services": []}


def hosts():
    """As stored: the import's derived members are here too."""
    for host in [*crowd(), *odd()]:
        host["first_seen"] = host["last_seen"] = TIME
        host["ip_version"] = 6 if ":" in host["ip"] else 4
        host["service_count"] = len(host["services"])
        yield host


HOSTS = list(hosts())


def values(host, field):
    """The distinct values of a field on one host: the union over its services."""
    found = [host]
    for name in field.split("."):
        found = [x[name] for x in found if name in x]
        found = [y for x in found for y in (x if isinstance(x, list) else [x])]
    return set(found)


def order(value):
    if isinstance(value, str):
        try:
            address = ipaddress.ip_address(value)
            return (address.version, int(address))
        except ValueError:
            return value.encode()
    return value


def buckets(field, matching=HOSTS):
    """Every (value, count) of a field in the order of C-049; and whether one is too long to be shown."""
    counts, long = {}, False
    for host in matching:
        for value in values(host, field):
            if isinstance(value, str) and len(value) > 4096:
                long = True
            else:
                counts[value] = counts.get(value, 0) + 1
    return sorted(counts.items(), key=lambda vc: (-vc[1], order(vc[0]))), long


def write(path):
    with open(path, "w", encoding="utf-8") as out:
        for host in HOSTS:
            out.write(json.dumps(host, ensure_ascii=False) + "\n")
