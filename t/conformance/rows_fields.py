# SPDX-License-Identifier: ISC
"""C-032 to C-055: specifications, queries' limits, and what the answers hold."""
import json

import fixture
from case import GOOD, ask, case, spec, wrong
from check import facts, must

BAD = "invalid_aggregation"

# --- the list -------------------------------------------------------------------------------------
for text in ("{}", '{"query":""}', '{"query":"country_code:GB"}', '{"aggregations":{}}', '{"aggregations":[]}',
             '{"aggregations":"ip"}', '{"aggregations":1}', '{"aggregations":true}', '{"aggregations":{"field":"ip"}}'):
    wrong("C-032 %s" % text, text, BAD)
NAMES = list(fixture.FIELDS)
case("C-032 eight items pass", ask(*NAMES[:8]))
wrong("C-032 nine items", ask(*NAMES[:9]), BAD)
wrong("C-032 a thousand items", '{"aggregations":[%s]}' % ",".join(['{"field":"a"}'] * 1000), BAD)
for text in ('"ip"', "1", "[]", "true", "{}", '["ip"]', "[[]]"):
    wrong("C-032 an item %s" % text, spec(text), BAD)
wrong("C-032 the second item wrong", '{"aggregations":[{"field":"ip"},{"limit":1}]}', BAD)
for text in ("1", "true", "[]", "{}", '["x"]', "0.5"):
    wrong("C-032 query %s" % text, '{"query":%s,' % text + GOOD[1:], "invalid_request")

# --- field ----------------------------------------------------------------------------------------
for text in ('{"limit":5}', '{"field":1}', '{"field":true}', '{"field":[]}', '{"field":["ip"]}', '{"field":{}}',
             '{"field":""}', '{"field":" "}', '{"field":"\\t\\n"}', '{"field":"\\u2003\\u3000"}'):
    wrong("C-033 %s" % text, spec(text), BAD)
case("C-033 128 characters with their blanks", spec('{"field":"%s"}' % ("ip" + " " * 126)))
wrong("C-033 129 characters with their blanks", spec('{"field":"%s"}' % ("ip" + " " * 127)), BAD)
case("C-033 128 bytes with their blanks", spec('{"field":"%s"}' % ("\u3000" * 42 + "ip")))
wrong("C-033 129 bytes in 45 characters", spec('{"field":"%s"}' % ("\u3000" * 42 + "asn")), BAD)
case("C-033 128 bytes by escapes", spec('{"field":"%s"}' % ("\\u3000" * 42 + "ip")))
wrong("C-033 129 bytes by escapes", spec('{"field":"%s"}' % ("\\u3000" * 42 + "asn")), BAD)
wrong("C-033 129 letters", spec('{"field":"%s"}' % ("a" * 129)), BAD)
wrong("C-033 128 letters of no field", spec('{"field":"%s"}' % ("a" * 128)), BAD)
wrong("C-033 NUL in a name", spec('{"field":"ip\\u0000"}'), BAD)
for space in "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2007\u200a\u2028\u2029\u202f\u205f\u3000":
    text = "".join("\\u%04x" % ord(c) for c in space)
    case("C-034 %s is trimmed" % text, spec('{"field":"%ssErvices.Port%s%s"}' % (text, text, text)))
for other in "\u200b\ufeff\u180e\u2060\u001c\u001f\u0000\u200d":
    text = "\\u%04x" % ord(other)
    wrong("C-034 %s is not white space" % text, spec('{"field":"%sservices.port"}' % text), BAD)
case("C-034 SERVICES.PORT", ask("SERVICES.PORT"))
case("C-034 Country_Code", ask("  Country_Code "))
wrong("C-034 U+017F stays", spec('{"field":"\\u017fervices.port"}'), BAD)
wrong("C-034 U+212A stays", spec('{"field":"\\u212a"}'), BAD)
wrong("C-034 U+0130 stays", spec('{"field":"\\u0130p"}'), BAD)
wrong("C-034 full-width letters stay", spec('{"field":"\uff29\uff30"}'), BAD)
wrong("C-034 white space within", ask("services. port"), BAD)
for pair in (("ip", "ip"), ("services.port", "SERVICES.PORT"), ("tags", " tags"), ("asn", "asn\u3000"),
             ("os", "\tOS\n")):
    wrong("C-035 %s and %r" % pair, ask(*pair), BAD)
wrong("C-035 the first and the eighth", ask(*NAMES[:7], " IP"), BAD)
wrong("C-035 the same field with another limit", '{"aggregations":[{"field":"ip"},{"field":"ip","limit":3}]}', BAD)
for name in (*fixture.NOT_AGGREGATABLE, "port", "product", "country", "net", "org", "hostname", "title", "server",
             "vuln", "host.ip", "host.services.port", "location.country_code", "autonomous_system.asn", "dns.names",
             "services", "services.", "services.http", "services.http.capabilities.", ".ip", "service.port", "nope",
             "tags.name", "tags.slug", "_all", "*", "services.*", "doc", "ip;drop table host", "record_type",
             "services.port.keyword", "organization", "whois.registrar"):
    wrong("C-036 %s" % name, ask(name), BAD)

# --- limit ----------------------------------------------------------------------------------------
MANY = "services.version"
for text, number in (("1", 1), ("2", 2), ("25", 25), ("100", 100), ("25.0", 25), ("1e1", 10), ("1E1", 10),
                     ("1.0e2", 100), ("2.5e1", 25), ("100.00", 100), ("1000e-1", 100), ("1e+1", 10)):
    case("C-037 limit %s" % text, spec('{"field":"%s","limit":%s}' % (MANY, text)),
         check=facts(fixture.HOSTS, number))
for text in ("0", "-0", "101", "-1", '"25"', "true", "false", "2.5", "1e400", "-1e400", "[]", "{}", "0.0", "0.99",
             "100.5", "1e3", "1e-1", "1e-400", "4294967297", "18446744073709551617", "9223372036854775808",
             "-9223372036854775809", "1" * 400, "25.00000000000000000000001", '""', "[25]"):
    wrong("C-037 limit %s" % text[:30], spec('{"field":"ip","limit":%s}' % text), BAD)
case("C-037 25 by default", ask(MANY), check=facts(fixture.HOSTS))

# --- the length of a query ------------------------------------------------------------------------
case("C-038 8192 characters", ask("ip", query="country_code:GB" + " " * (8192 - 15)))
wrong("C-038 8193 characters", ask("ip", query="country_code:GB" + " " * (8193 - 15)), "invalid_request")
case("C-038 8192 bytes of three-byte characters", ask("ip", query='city:"%s" ' % ("€" * 2728)))
wrong("C-038 8193 bytes of three-byte characters", ask("ip", query="€" * 2731), "invalid_request")
wrong("C-038 8192 characters of two bytes", ask("ip", query="é" * 8192), "invalid_request")
case("C-038 8192 bytes of four-byte characters", ask("ip", query='city:"%s" ' % ("😀" * 2046)))
wrong("C-038 too long and unparsable", ask("ip", query="(" * 8193), "invalid_request")
case("C-038 an escaped query counts decoded", '{"query":"%s",' % ("\\u0020" * 5000) + GOOD[1:])

# --- query absent, empty, as sent -----------------------------------------------------------------
case("C-039 absent", GOOD, check=facts(fixture.HOSTS))
for text in ("", " ", "\t", "   country_code:GB ", "COUNTRY_CODE:gb", "country_code:\u0047B", 'tags:"a/b"', "*",
             "*:*", 'city:"😀"', '"\u00e9 e\u0301"', 'city:"Zürich"', '"<b>&amp;"'):
    case("C-039 %r comes back as sent" % text, ask("ip", query=text))
case("C-039 sent by escapes", '{"query":"\\u0063ity:\\"\\u00c5rhus\\"",' + GOOD[1:])
case("C-039 an escaped solidus", '{"query":"tags:\\"a\\/b\\"",' + GOOD[1:])

# --- schema before query --------------------------------------------------------------------------
wrong("C-040 bad limit and bad query", '{"query":"(","aggregations":[{"field":"ip","limit":0}]}', BAD)
wrong("C-040 no aggregations and bad query", '{"query":"("}', BAD)
wrong("C-040 nine items and bad query", ask(*NAMES[:9], query="("), BAD)
wrong("C-040 the same field twice and bad query", ask("ip", "ip", query="("), BAD)
wrong("C-040 unknown member and bad query", '{"x":1,"query":"(",' + GOOD[1:], "invalid_request")
wrong("C-040 unknown field and bad query", ask("nope", query="("), (BAD, "invalid_search_query"))

# --- the answers ----------------------------------------------------------------------------------
for field in NAMES:
    case("C-043 C-049 %s over all hosts" % field, ask(field, limit=100), check=facts(fixture.HOSTS, 100))
    case("C-055 %s without a match" % field, ask(field, query="country_code:ZZ"), check=facts([]))


def named(*fields):
    def check(a, _reply):
        got = [g["field"] for g in a["groups"]]
        must(got == list(fields), "C-041: %s" % got)
    return check


case("C-041 groups in the order of the request", ask("tags", "asn", "ip"), check=named("tags", "asn", "ip"))
case("C-041 and the other way round", ask("IP ", "asn", " Tags"), check=named("ip", "asn", "tags"))


def one(field, value, count):
    def check(a, _reply):
        got = {b["value"]: b["count"] for g in a["groups"] if g["field"] == field for b in g["buckets"]}
        must(got.get(value) == count, "%s: %r has %r" % (field, value, got.get(value)))
    return check


case("C-042 443/tcp and 443/udp are one host", ask("services.port", query="ip:198.51.100.1"),
     check=one("services.port", 443, 1))
case("C-045 the other ports of hosts with port 22", ask("services.port", query="services.port:22"),
     check=facts([h for h in fixture.HOSTS if 22 in fixture.values(h, "services.port")]))


def has_more(want, count):
    def check(a, _reply):
        g = a["groups"][0]
        must(len(g["buckets"]) == count and g["has_more"] is want,
             "C-048: %d buckets, has_more %s" % (len(g["buckets"]), g["has_more"]))
    return check


TWO = "services.tls_enabled"
case("C-048 as many values as asked", ask(TWO, limit=2), check=has_more(False, 2))
case("C-048 one value more than asked", ask(TWO, limit=1), check=has_more(True, 1))
case("C-048 more than may be asked", ask(MANY, limit=100), check=has_more(True, 100))
case("C-048 a value too long to be shown", ask("services.vendor", query="ip:198.51.100.5"), check=has_more(True, 0))
case("C-050 the longest value is shown", ask("services.vendor", query="ip:198.51.100.4"),
     check=one("services.vendor", fixture.LONGEST, 1))


def labelled(a, _reply):
    names = {h["asn"]: h["as_name"] for h in fixture.HOSTS if "asn" in h}
    for b in a["groups"][0]["buckets"]:
        must(b.get("label") == names[b["value"]], "C-051: label %r of %r" % (b.get("label"), b["value"]))


def tagged(a, _reply):
    for g in a["groups"]:
        must(g["buckets"] and all("tag" in b for b in g["buckets"]), "C-052: no tag in %s" % g["field"])


case("C-051 an ASN is labelled with its name", ask("asn", limit=100), check=labelled)
case("C-052 tags have their record", ask("tags", "services.tags"), check=tagged)
case("C-049 the same answer again", ask(*NAMES[8:16], limit=100), check=facts(fixture.HOSTS, 100))
case("C-041 six fields in one answer",
     json.dumps({"query": "country_code:GB", "aggregations": [{"field": f, "limit": 25} for f in (
         "services.port", "country_code", "tags", "services.tags", "services.product", "asn")]}),
     check=facts([h for h in fixture.HOSTS if h.get("country_code") == "GB"]))
