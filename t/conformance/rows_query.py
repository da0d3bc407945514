# SPDX-License-Identifier: ISC
"""The query language (C-720 to C-729) by the addresses it finds; the reading operations; query strings
(C-056 to C-059)."""
import ipaddress
import re
import urllib.parse

from case import ask, case, wrong
from check import addresses, must
from fixture import HOSTS, values

WORDS = re.compile(r"\w+")


def hosts(test):
    return [h for h in HOSTS if test(h)]


def has(field, *wanted):
    low = {str(w).lower() for w in wanted}
    return lambda h: any(str(v).lower() in low for v in values(h, field))


def number(field, test):
    return lambda h: any(test(v) for v in values(h, field))


def tokens(field, *wanted):
    """All of these words in one value."""
    return lambda h: any(set(wanted) <= set(WORDS.findall(v.lower())) for v in values(h, field))


def net(text):
    n = ipaddress.ip_network(text)
    return lambda h: ipaddress.ip_address(h["ip"]) in n


def both(a, b):
    return lambda h: a(h) and b(h)


def either(a, b):
    return lambda h: a(h) or b(h)


def no(a):
    return lambda h: not a(h)


def every(_host):
    return True


def same(test):
    return lambda h: any(test(s) for s in h["services"])


PORT, CC, TITLE = "services.port", "country_code", "services.http.title"
GB, US, DE = has(CC, "GB"), has(CC, "US"), has(CC, "DE")
SSH, TLS, ALT = has(PORT, 22), has(PORT, 443), has(PORT, 8443)
C2, PHISH = has("tags", "c2"), has("tags", "phishing")
BARE = either(tokens(TITLE, "login"), tokens("services.banner", "login"))
V443 = same(lambda s: s["port"] == 443 and s.get("product") == "nginx")

# Each query with the rule that it shows, and the test that its hosts pass.
FOUND = (
    ("C-039", (
        ("", every), ("*", every), ("*:*", every), ("   ", every),
    )),
    # equality, in any case; exact with =
    ("C-721", (
        ("country_code:GB", GB), ("country_code:gb", GB), ("COUNTRY_CODE:GB", GB), ('country_code:"GB"', GB),
        ("country_code=GB", GB), ("country_code=gb", no(every)), ("country_code:=GB", GB), ("country_code!=GB", no(GB)),
    )),
    # aliases
    ("C-729", (
        ("country:GB", GB), ("location.country_code:GB", GB), ("host.country_code:GB", GB), ("country:GB,US", either(GB, US)),
        ("asn:64501", has("asn", 64501)), ("autonomous_system.asn:64501", has("asn", 64501)),
        ("org:\"Example 1 Ltd\"", has("organisation", "Example 1 Ltd")),
    )),
    ("C-721", (
        ("as_name:example-2", has("as_name", "EXAMPLE-2")), ("services.product:openssh", has("services.product", "OpenSSH")),
        ("product:nginx", has("services.product", "nginx")), ('product:"x y"', has("services.product", "x y")),
        ("services.tls_enabled:true", has("services.tls_enabled", True)),
        ("services.tls_enabled:false", has("services.tls_enabled", False)),
        ("tags:c2", C2), ("services.tags:login", has("services.tags", "login")), ("vuln:cve-2024-0001", has("vulnerabilities", "CVE-2024-0001")),
        ("services.http.status_code:401", has("services.http.status_code", 401)),
    )),
    # AND, OR, NOT, their spellings and their order
    ("C-720", (
        ("port:443 AND tags:c2", both(TLS, C2)), ("port:443 tags:c2", both(TLS, C2)), ("port:443 and tags:c2", both(TLS, C2)),
        ("port:443 OR tags:c2", either(TLS, C2)), ("port:443 or tags:c2", either(TLS, C2)),
        ("NOT port:443", no(TLS)), ("not port:443", no(TLS)), ("-port:443", no(TLS)), ("!port:443", no(TLS)), ("+port:443", TLS),
        ("NOT NOT port:443", TLS), ("!!port:443", TLS), ("-(port:443 OR port:22)", no(either(TLS, SSH))),
        ("port:22 AND NOT country:GB", both(SSH, no(GB))), ("port:22 -country:GB", both(SSH, no(GB))),
        ("tags:c2 OR tags:phishing AND port:8443", either(C2, both(PHISH, ALT))),
        ("(tags:c2 OR tags:phishing) AND port:8443", both(either(C2, PHISH), ALT)),
        ("port:8443 tags:c2 OR tags:phishing", either(both(ALT, C2), PHISH)),
        ("NOT tags:c2 tags:phishing", both(no(C2), PHISH)),
        ("((((port:22))))", SSH), ("( port:22 )", SSH),
    )),
    # many values: a negation holds where none matches
    ("C-722", (
        ("NOT services.product:OpenSSH", no(has("services.product", "OpenSSH"))),
        ("services.port!=22", no(SSH)),
    )),
    # ranges, comparisons, sets, lists
    ("C-725", (
        ("port:22,80", either(SSH, has(PORT, 80))), ("port:{22,80}", either(SSH, has(PORT, 80))), ("port:{22}", SSH),
        ("port:[22 TO 443]", number(PORT, lambda v: 22 <= v <= 443)), ("port:{22 TO 443}", number(PORT, lambda v: 22 < v < 443)),
        ("port:[22 TO 443}", number(PORT, lambda v: 22 <= v < 443)), ("port:{22 TO 443]", number(PORT, lambda v: 22 < v <= 443)),
        ("port:[22 TO *]", number(PORT, lambda v: v >= 22)), ("port:[* TO 22]", number(PORT, lambda v: v <= 22)),
        ("port:[22 to 443]", number(PORT, lambda v: 22 <= v <= 443)),
        ("port>=8443", number(PORT, lambda v: v >= 8443)), ("port>8443", number(PORT, lambda v: v > 8443)),
        ("port<22", number(PORT, lambda v: v < 22)), ("port<=22", number(PORT, lambda v: v <= 22)),
        ("port:>=8443", number(PORT, lambda v: v >= 8443)), ("port:<22", number(PORT, lambda v: v < 22)),
        ("asn:4294967295", has("asn", 4294967295)), ("service_count:0", has("service_count", 0)),
        ("service_count>100", number("service_count", lambda v: v > 100)),
        ("country:(GB OR US)", either(GB, US)), ("country:(NOT GB)", no(GB)), ("port:(22 OR 8443)", either(SSH, ALT)),
        ("port:(22 AND 8443)", both(SSH, ALT)),
    )),
    # existence
    ("C-726", (
        ("_exists_:tags", lambda h: bool(values(h, "tags"))), ("tags:*", lambda h: bool(values(h, "tags"))),
        ("NOT _exists_:country_code", lambda h: not values(h, CC)), ("_exists_:services.port", lambda h: bool(h["services"])),
    )),
    # addresses
    ("C-724", (
        ("203.0.113.7", net("203.0.113.7/32")), ("ip:203.0.113.7", net("203.0.113.7/32")),
        ("203.0.113.0/29", net("203.0.113.0/29")), ("ip:203.0.113.0/29", net("203.0.113.0/29")),
        ("net:198.51.100.0/24", net("198.51.100.0/24")), ("ip:0.0.0.0/0", lambda h: ":" not in h["ip"]),
        ("2001:db8::1", net("2001:db8::1/128")), ("2001:db8::/32", net("2001:db8::/32")),
        ("ip:2001:db8::/32", net("2001:db8::/32")), ("ip:2001:DB8:0:0::1", net("2001:db8::1/128")),
        ("fd00::1", no(every)), ('city:"😀"', has("city", "😀")), ("city:Zürich", has("city", "Zürich")), ("city:ÅRHUS", None), ("ip:203.0.113.1,203.0.113.2", either(net("203.0.113.1/32"), net("203.0.113.2/32"))),
        ("NOT ip:203.0.113.0/24", no(net("203.0.113.0/24"))), ("ip_version:6", lambda h: ":" in h["ip"]),
    )),
    # names: itself or below it
    ("C-721", (
        ("hostnames:example.co.uk", lambda h: any(("." + v).endswith(".example.co.uk") for v in values(h, "hostnames"))),
        ("hostname:mail.example.co.uk", has("hostnames", "mail.example.co.uk")),
        ("hostnames:EXAMPLE.co.UK", lambda h: any(("." + v).endswith(".example.co.uk") for v in values(h, "hostnames"))),
        ("hostnames=example.co.uk", no(every)), ("hostnames=mail.example.co.uk", has("hostnames", "mail.example.co.uk")),
        ("apex_domains:example.co.uk", has("apex_domains", "example.co.uk")), ("ptr:example.co.uk", has("ptr", "mail.example.co.uk")),
    )),
    # words of texts
    ("C-721", (
        ("title:login", tokens(TITLE, "login")), ("title:LOGIN", tokens(TITLE, "login")),
        ('title:"router 5"', tokens(TITLE, "router", "5")), ("title:welcome", tokens(TITLE, "welcome")),
        ("services.http.title:nothing", no(every)), ("login", BARE), ("Login", BARE),
        ("services.banner:openssh", tokens("services.banner", "openssh")),
    )),
    # wildcards
    ("C-726", (
        ("services.product:Open*", has("services.product", "OpenSSH")), ("services.product:*inx", has("services.product", "nginx")),
        ("services.product:ng?nx", has("services.product", "nginx")), ('services.product:"Open*"', no(every)),
        ("as_name:example-?", lambda h: any(v.startswith("EXAMPLE-") for v in values(h, "as_name"))),
    )),
    # one and the same service
    ("C-878", (
        ("services:(port:443 AND product:nginx)", V443), ("services.port:443 AND services.product:nginx",
                                                         both(TLS, has("services.product", "nginx"))),
        ("services:(port:443 AND product:OpenSSH)", no(every)), ("services:(port:22 AND product:OpenSSH)",
                                                                same(lambda s: s["port"] == 22 and s.get("product") == "OpenSSH")),
        ("services:(port:22 OR port:8443)", either(SSH, ALT)),
        ("services:(port:443 AND NOT product:nginx)", same(lambda s: s["port"] == 443 and s.get("product") != "nginx")),
        ("NOT services:(port:443 AND product:nginx)", no(V443)),
        ("services:(transport:udp AND port:53)", same(lambda s: s["port"] == 53 and s["transport"] == "udp")),
    )),
    # dates
    ("C-725", (
        ("last_seen:2026-01-02", every), ("last_seen:>=2026-01-03", no(every)), ("last_seen<2026-01-03", every),
        ('last_seen:"2026-01-02T03:04:05Z"', every), ("last_seen:[2026-01-01 TO 2026-01-31]", every),
        ("first_seen:>now-1h", no(every)),
    )),
    # keywords at the boundaries of words alone
    ("C-720", (
        ("title:order", no(every)), ("ORacle", no(every)), ("android", no(every)), ('"OR"', no(every)),
    )),
    # text that looks like something else
    ("C-724", (
        ("services.product:nothing;drop", no(every)), ("/login/", None),
    )),
)
for rule, queries in FOUND:
    for text, test in queries:
        check = addresses(hosts(test)) if test else None
        case("%s %s" % (rule, text or "(empty)"), ask("ip", query=text, limit=100), check=check)

UNREADABLE = (
    "(", ")", "()", "port:(", "port:()", "port:22 AND", "AND port:22", "OR", "AND", "NOT", "port:22 OR", "OR port:22",
    "port:22 AND OR port:80", "port:22 OR OR port:80", "-", "!", "+", "port:", "port=", "port>", "port:>=", ":",
    '"', '"abc', "port:[", "port:[22", "port:[22 TO", "port:[22 TO 80", "port:[TO 80]", "port:[22 80]", "port:{", "port:{}",
    "port:{22,}", "port:22,", "service_count:abc", "port:2.5", "port:22x", "services:port:22", "services:(port:22", "services:()",
    "nope:1", "services.prot:22", "services.port.x:1", "_exists_:nope", "_exists_:", "asn:x", "services.tls_enabled:maybe",
    "ip:300.1.1.1", "ip:1.2.3.4/33", "ip:hello", "ip:2001:db8::/129", "last_seen:yesterday", "last_seen:2026-13-01",
    "last_seen:2026-02-30", "last_seen:[2026-01-01 TO x]", "services.product:*", "port:22 )", "(port:22", "((port:22)",
    "services.product:a*", "services.product:**", "services.product:?", "services.product:??*", "(" * 33 + "port:22" + ")" * 33,
    "(" * 4000 + "port:22" + ")" * 4000, "!" * 33 + "port:22", "NOT " * 2000 + "port:22", "-" * 8000 + "a",
    " OR ".join(["port:22"] * 257), " ".join(["port:22"] * 257),
    "port:{%s}" % ",".join(map(str, range(1, 258))),
)
# services.product:* asks whether the field exists; it is no wildcard.
case("C-726 services.product:*", ask("ip", query="services.product:*", limit=100),
     check=addresses(hosts(lambda h: bool(values(h, "services.product")))))
for text in UNREADABLE:
    if text == "services.product:*":
        continue
    wrong("C-032 C-059 unreadable %s" % text[:40].replace("\x00", "\\0"), ask("ip", query=text), "invalid_search_query")
case("C-727 32 levels are read", ask("ip", query="(" * 31 + "port:22" + ")" * 31, limit=100), check=addresses(hosts(SSH)))
case("C-727 256 clauses are read", ask("ip", query=" OR ".join(["port:22"] * 256), limit=100), check=addresses(hosts(SSH)))
case("C-727 256 members are read", ask("ip", query="port:{%s}" % ",".join(map(str, range(1, 257))), limit=100),
     check=addresses(hosts(number(PORT, lambda v: v <= 256))))
case("C-059 a wildcard with a backtracking pattern", ask("ip", query="services.product:aa" + "*a" * 1000 + "b"),
     status=(200, 400), code=("invalid_search_query",))


for text in ("'; DROP TABLE host; --", "ip:1.2.3.4' OR 1=1", "tags:$1", "country_code:GB; SELECT 1", "%s%n"):
    case("C-059 %s does no harm" % text, ask("ip", query=text), status=(200, 400), code="invalid_search_query")


wrong("C-059 NUL in a query", ask("ip", query="a\u0000b"), ("invalid_search_query", "invalid_request"))


def message(*parts):
    def check(answer, _reply):
        text = answer["error"]["message"]
        for part in parts:
            must(re.search(part, text), "C-728: no %r in %r" % (part, text))
    return check


wrong("C-728 an error names its position", ask("ip", query="port:22 AND )"), "invalid_search_query", check=message(r"\b13\b"))
wrong("C-728 positions are characters", ask("ip", query='"éé€😀" AND )'), "invalid_search_query", check=message(r"\b12\b"))
wrong("C-728 an unknown field: the nearest", ask("ip", query="services.prot:22"), "invalid_search_query",
      check=message(r"\b1\b", r"services\.port"))
wrong("C-728 an unknown field further on", ask("ip", query="port:22 AND contry_code:GB"), "invalid_search_query",
      check=message(r"\b13\b", r"country_code"))

# --- the reading operations (C-710 to C-716) and query strings ------------------------------------------------
COUNT, SEARCH, VALID = "/search/hosts/count", "/search/hosts", "/search/hosts/validate"


def get(name, path, status=200, code=None, **more):
    case(name, None, status, code, method="GET", path=path, **more)


def count(n):
    def check(a, _reply):
        must(set(a) == {"query", "count", "count_unit"} and a["count"] == n and a["count_unit"] == "host", "C-713: %s" % a)
    return check


def valid(want):
    def check(a, _reply):
        must(a["valid"] is want and set(a) <= {"valid", "query", "error"}, "C-714: %s" % a)
        must(want or (set(a["error"]) == {"message", "position"} and a["error"]["position"] >= 1), "C-714: %s" % a)
    return check


def page(a, _reply):
    must(set(a) == {"query", "hosts", "total", "has_more", "next_cursor"}, "C-710: %s" % sorted(a))
    must(a["total"] == {"value": len(HOSTS), "relation": "eq"}, "C-710: total %s" % a["total"])
    must(len(a["hosts"]) == 25 and a["has_more"] is True and isinstance(a["next_cursor"], str), "C-701: page")
    got = [ipaddress.ip_address(h["ip"]) for h in a["hosts"]]
    must(got == sorted(got, key=lambda x: (x.version, int(x))), "C-710: order")


get("C-713 count", COUNT + "?q=country_code:GB", check=count(len(hosts(GB))))
get("C-713 count of all", COUNT, check=count(len(HOSTS)))
get("C-710 search", SEARCH, check=page)
get("C-714 validate", VALID + "?q=port:22", check=valid(True))
get("C-714 validate, unreadable", VALID + "?q=port:(", check=valid(False))
get("C-710 search, unreadable", SEARCH + "?q=port:(", 400, "invalid_search_query")
get("C-715 schemas", "/search/schemas")
get("C-122 openapi.json", "/openapi.json",
    check=lambda a, _r: must(a["info"]["version"] == "1.0.0" and a["openapi"].startswith("3.1"), "C-122"))
get("C-013 British names in the schemas", "/search/schemas",
    check=lambda _a, r: must(b"organisation" in r.body and b"organization" not in r.body, "C-013"))
get("C-702 limit 100", SEARCH + "?limit=100")
for text in ("0", "1001", "-1", "x", "", "1.5", "%2B5", "1e1"):
    get("C-702 limit %s" % text, SEARCH + "?limit=" + text, 400, "invalid_pagination")
for text in ("x", "", "AAAA"):
    get("C-703 cursor %r" % text, SEARCH + "?cursor=" + text, 400, "invalid_search_cursor")
case("C-716 bulk", '{"ips":["203.0.113.1","2001:db8::1"]}', path="/search/hosts/bulk")
for text in ('{"ips":[]}', '{"ips":["x"]}', '{"ips":"203.0.113.1"}', "{}", '{"ips":[%s]}' % ",".join(['"1.2.3.4"'] * 101),
             '{"ips":["1.2.3.4/24"]}', '{"ips":[null]}'):
    wrong("C-716 bulk %s" % text[:30], text, ("invalid_ip_batch", "invalid_request"), path="/search/hosts/bulk")
wrong("C-716 bulk limit_per_ip 0", '{"ips":["1.2.3.4"],"limit_per_ip":0}', "invalid_limit_per_ip", path="/search/hosts/bulk")
wrong("C-716 bulk limit_per_ip 101", '{"ips":["1.2.3.4"],"limit_per_ip":101}', "invalid_limit_per_ip",
      path="/search/hosts/bulk")

PARAMETER = "invalid_search_parameter"
for text in ("x=1", "Q=x", "q=a&q=b", "q=a&q=a", "q=%", "q=%2", "q=%zz", "q=%00", "q=a%00b", "q=%ff", "q=%c0%af",
             "q=%ed%a0%80", "%ff=1", "limit=1&limit=1", "q=%e2%82"):
    get("C-058 ?%s" % text, COUNT + "?" + text, 400, PARAMETER)
get("C-058 + is a space", COUNT + "?q=country_code:GB+AND+port:22", check=count(len(hosts(both(GB, SSH)))))
get("C-058 %20 is a space", COUNT + "?q=country_code%3aGB%20AND%20port%3A22", check=count(len(hosts(both(GB, SSH)))))
get("C-058 %2B is a plus", COUNT + "?q=%2Bport:22", check=count(len(hosts(SSH))))
LONG = "country_code:GB".ljust(8192)
get("C-057 8192 bytes, each percent-encoded", COUNT + "?q=" + "".join("%%%02X" % b for b in LONG.encode()),
    check=count(len(hosts(GB))))
get("C-057 8192 bytes of three-byte characters", COUNT + "?q=" + urllib.parse.quote('city:"%s" ' % ("€" * 2728)))
get("C-038 8193 bytes in a query string", COUNT + "?q=" + urllib.parse.quote(LONG + " "), 400,
    ("invalid_search_query", PARAMETER, "invalid_request"))
for size in (40000, 49152, 60000, 65535, 65536):
    get("C-056 %d bytes reach the operation" % size, COUNT + "?q=" + "+" * (size - 2), 400,
        ("invalid_search_query", PARAMETER, "invalid_request"), check=message(r".") if size < 65536 else None)
get("C-056 65536 bytes with another parameter reach the operation", COUNT + "?org_uuid=" + "a" * (65536 - 9), 400,
    "api_key_account_override")
get("C-056 65537 bytes", COUNT + "?q=" + "+" * 65535, 400, PARAMETER)
get("C-056 65537 bytes are too long before they are read", COUNT + "?org_uuid=" + "a" * (65537 - 9), 400,
    (PARAMETER, "api_key_account_override"))
get("C-056 100000 bytes", COUNT + "?q=" + "+" * 100000, 400, PARAMETER)
case("C-056 65536 bytes on the aggregation", status=400, code=PARAMETER, path="/search/hosts/aggregate?x=" + "a" * 65534)
case("C-056 65537 bytes on the aggregation", status=400, code=PARAMETER, path="/search/hosts/aggregate?x=" + "a" * 65535)
get("C-056 a long query string without a key", COUNT + "?q=" + "+" * 60000, 401, "unauthorized", key=None)
