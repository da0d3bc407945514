/* SPDX-License-Identifier: ISC */
/* src/record: canonical forms, faults, keys and projections. */
#include "config.h"

#include "record/capability.h"
#include "record/lookup.h"
#include "t/unit/tap.h"

static struct arena *a;

/* The canonical text of a document, or the fault. */
static struct str
canonical(enum dataset d, const char *text, enum record_manner manner)
{
	struct buf b = { .a = a };
	struct record r;
	struct str what;

	if (!record_parse(a, d, str_of(text), manner, &r, &what) ||
	    !record_finish(a, &r, manner, &what))
		return what;
	record_print(&b, &r, NULL);
	return buf_done(&b);
}

static void
is(struct str found, const char *wanted)
{
	if (!str_is(found, wanted))
		printf("# found  %.*s\n# wanted %s\n", (int)found.n, found.p, wanted);
	CU_ASSERT(str_is(found, wanted));
}

static void
becomes(enum dataset d, const char *text, const char *wanted)
{
	is(canonical(d, text, RECORD_STRICT), wanted);
	arena_reset(a);
}

static void
host_is_canonical(void)
{
	becomes(DATASET_HOSTS,
	    "{\"services\":[{\"port\":443,\"tls\":{\"version\":\"tls13\"},\"banner\":\"x\"},"
	    "{\"port\":53,\"transport\":\"UDP\",\"http\":{\"headers\":[\"Server:  nginx\"]}}],"
	    "\"country_code\":\"de\",\"tags\":[\"B\",\"a\",\"b\"],\"ip\":\"::ffff:192.0.2.1\","
	    "\"prefix\":\"192.0.2.77/24\",\"hostnames\":[\"WWW.Example.ORG.\"],"
	    "\"last_seen\":\"2026-01-02T03:04:05+01:00\"}",
	    "{\"ip\":\"192.0.2.1\",\"ip_version\":4,\"prefix\":\"192.0.2.0/24\","
	    "\"country_code\":\"DE\",\"hostnames\":[\"www.example.org\"],"
	    "\"apex_domains\":[\"example.org\"],\"tags\":[\"a\",\"b\"],\"service_count\":2,"
	    "\"first_seen\":\"2026-01-02T02:04:05.000000Z\","
	    "\"last_seen\":\"2026-01-02T02:04:05.000000Z\",\"services\":["
	    "{\"port\":53,\"transport\":\"udp\",\"http\":{\"headers\":[\"server: nginx\"]},"
	    "\"first_seen\":\"2026-01-02T02:04:05.000000Z\","
	    "\"last_seen\":\"2026-01-02T02:04:05.000000Z\"},"
	    "{\"port\":443,\"transport\":\"tcp\",\"banner\":\"x\",\"banner_hash\":"
	    "\"2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881\","
	    "\"tls\":{\"version\":\"TLSv1.3\"},"
	    "\"first_seen\":\"2026-01-02T02:04:05.000000Z\","
	    "\"last_seen\":\"2026-01-02T02:04:05.000000Z\"}]}");
}

/* The count of services is ours, but a tool may know the registrable domains better than the list of suffixes. */
static void
derived_members_of_a_host(void)
{
	becomes(DATASET_HOSTS, "{\"ip\":\"192.0.2.1\",\"service_count\":7}",
	    "{\"ip\":\"192.0.2.1\",\"ip_version\":4}");
	becomes(DATASET_HOSTS,
	    "{\"ip\":\"192.0.2.1\",\"hostnames\":[\"a.example.org\"],"
	    "\"apex_domains\":[\"example.com\"]}",
	    "{\"ip\":\"192.0.2.1\",\"ip_version\":4,\"hostnames\":[\"a.example.org\"],"
	    "\"apex_domains\":[\"example.com\"]}");
}

static void
given_time_reaches_services(void)
{
	struct ts when = { 0 };
	struct buf b = { .a = a };
	struct str what;
	struct record r;

	CU_ASSERT(record_parse(a, DATASET_HOSTS,
	    STR("{\"ip\":\"192.0.2.1\",\"services\":[{\"port\":1},"
		"{\"port\":2,\"last_seen\":\"2026-01-01T00:00:00Z\"}]}"),
	    RECORD_STRICT, &r, &what));
	CU_ASSERT(record_finish(a, &r, RECORD_STRICT, &what));
	record_seen(&r, when);
	record_print(&b, &r, NULL);
	is(buf_done(&b),
	    "{\"ip\":\"192.0.2.1\",\"ip_version\":4,\"service_count\":2,"
	    "\"first_seen\":\"1970-01-01T00:00:00.000000Z\","
	    "\"last_seen\":\"1970-01-01T00:00:00.000000Z\",\"services\":["
	    "{\"port\":1,\"transport\":\"tcp\",\"first_seen\":\"1970-01-01T00:00:00.000000Z\","
	    "\"last_seen\":\"1970-01-01T00:00:00.000000Z\"},"
	    "{\"port\":2,\"transport\":\"tcp\",\"first_seen\":\"2026-01-01T00:00:00.000000Z\","
	    "\"last_seen\":\"2026-01-01T00:00:00.000000Z\"}]}");
	arena_reset(a);
}

static void
faults_name_their_place(void)
{
	static const char *const cases[][2] = {
		{ "{", "no valid JSON at byte 2: unexpected end" },
		{ "[]", "must be an object" },
		{ "{}", "ip: is missing or no IP address" },
		{ "{\"ip\":\"x\"}", "ip: is no IP address" },
		{ "{\"ip\":\"192.0.2.1\",\"nome\":1}", "nome: is no member of this format" },
		{ "{\"ip\":\"192.0.2.1\",\"asn\":\"1\"}", "asn: must be an integer" },
		{ "{\"ip\":\"192.0.2.1\",\"asn\":4294967296}", "asn: is out of range" },
		{ "{\"ip\":\"192.0.2.1\",\"os\":\"\\u0000\"}", "os: must not contain U+0000" },
		{ "{\"ip\":\"192.0.2.1\",\"tags\":[\"a\",\"b c\"]}",
		    "tags[1]: is no tag: 1 to 128 ASCII characters without blanks" },
		{ "{\"ip\":\"192.0.2.1\",\"services\":[{}]}", "services[0]: has no port" },
		{ "{\"ip\":\"192.0.2.1\",\"services\":[{\"port\":1},{\"port\":1}]}",
		    "services: two have the same port and transport" },
		{ "{\"ip\":\"192.0.2.1\",\"services\":[{\"port\":1,\"transport\":\"icmp\"}]}",
		    "services[0].transport: must be tcp, udp or sctp" },
		{ "{\"ip\":\"192.0.2.1\",\"services\":[{\"port\":1,\"tls\":{\"certificate\":"
		  "{\"names\":[\"a\",7]}}}]}",
		    "services[0].tls.certificate.names[1]: must be a string" },
		{ "{\"ip\":\"192.0.2.1\",\"first_seen\":\"2026-01-02T00:00:00Z\","
		  "\"last_seen\":\"2026-01-01T00:00:00Z\"}",
		    "first_seen: is later than last_seen" },
		{ "{\"ip\":\"192.0.2.1\",\"last_seen\":\"2026-01-01\"}",
		    "last_seen: must be an RFC 3339 date and time with an offset" },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		becomes(DATASET_HOSTS, cases[i][0], cases[i][1]);
}

static void
lenient_leaves_faults_out(void)
{
	is(canonical(DATASET_HOSTS,
	       "{\"ip\":\"192.0.2.1\",\"unknown\":{},\"asn\":-1,\"country_code\":\"Germany\","
	       "\"tags\":[\"a b\",\"c\"]}",
	       RECORD_LENIENT),
	    "{\"ip\":\"192.0.2.1\",\"ip_version\":4,\"tags\":[\"c\"]}");
	arena_reset(a);
}

/* ---- DNS ---- */

static void
answers(const char *type, const char *text, const char *wanted)
{
	struct buf b = { .a = a };
	struct record r = record_new(a, DATASET_DNS);
	struct str what;

	record_set_text(a, r.root, "host", STR("h.example.org"));
	record_set_text(a, r.root, "record_type", str_of(type));
	record_set_text(a, r.root, "answer", str_of(text));
	if (record_finish(a, &r, RECORD_STRICT, &what))
		is(record_text(r.root, "answer"), wanted);
	else
		is(what, wanted);
	buf_clear(&b);
	arena_reset(a);
}

static void
answer_has_one_spelling(void)
{
	static const char *const cases[][3] = {
		{ "a", "192.0.2.1", "192.0.2.1" },
		{ "1", "\\# 4 C0000201", "192.0.2.1" },
		{ "A", "192.0.2.1.", "answer: is no answer of this record type" },
		{ "A", "2001:db8::1", "answer: is no answer of this record type" },
		{ "AAAA", "2001:DB8:0:0:0:0:0:1", "2001:db8::1" },
		{ "CNAME", "Web.Example.ORG.", "web.example.org" },
		{ "NS", ".", "." },
		{ "PTR", "a..b", "answer: is no answer of this record type" },
		{ "MX", "010  Mail.Example.ORG.", "10 mail.example.org" },
		{ "MX", "mail.example.org", "mail.example.org" },
		{ "SOA", "NS.example.org. Host\\.Master.example.org. 1 2 3 4 5",
		    "ns.example.org host\\046master.example.org 1 2 3 4 5" },
		{ "SOA", "ns.example.org host.example.org", "ns.example.org host.example.org" },
		{ "SRV", "0 5 443 a.example.org.", "0 5 443 a.example.org" },
		{ "TXT", "v=spf1 -all", "\"v=spf1 -all\"" },
		{ "TXT", "\"v=spf1 -all\"", "\"v=spf1 -all\"" },
		{ "TXT", "\"a\"   \"b \\\"c\\\" \\195\\xa9\"", "\"a\" \"b \\\"c\\\" \\195\\169\"" },
		{ "TXT", "\"a", "answer: is no answer of this record type" },
		{ "CAA", "0 ISSUE letsencrypt.org", "0 issue \"letsencrypt.org\"" },
		{ "DS", "1 8 2 ab cd", "1 8 2 ABCD" },
		{ "TLSA", "3 1 1 abc", "answer: is no answer of this record type" },
		{ "TYPE65534", "\\# 2 aB 0f", "\\# 2 AB0F" },
		{ "TYPE65", "1 .  alpn=\"h2\"", "1 . alpn=\"h2\"" },
		{ "TYPE65534", "\\# 3 aB 0f", "\\# 3 aB 0f" },
		{ "HTTP", "", "record_type: is no type of DNS records such as AAAA or TYPE65" },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		answers(cases[i][0], cases[i][1], cases[i][2]);
}

static void
long_text_is_divided(void)
{
	struct record r = record_new(a, DATASET_DNS);
	char text[301];
	struct str what;

	memset(text, 'x', 300);
	text[300] = '\0';
	record_set_text(a, r.root, "host", STR("h.example.org"));
	record_set_text(a, r.root, "record_type", STR("TXT"));
	record_set_text(a, r.root, "answer", str_of(text));
	CU_ASSERT(record_finish(a, &r, RECORD_STRICT, &what));
	CU_ASSERT_EQUAL(record_text(r.root, "answer").n, 300 + 5);
	CU_ASSERT(
	    str_starts((struct str){ record_text(r.root, "answer").p + 256, 49 }, STR("\" \"xxx")));
	arena_reset(a);
}

static void
dns_is_canonical(void)
{
	becomes(DATASET_DNS,
	    "{\"answer\":\"Mail.Example.CO.UK.\",\"record_type\":\"cname\","
	    "\"host\":\"*.WWW.example.co.uk.\",\"ttl\":60,\"source\":[\"b\",\"a\"]}",
	    "{\"host\":\"*.www.example.co.uk\",\"record_type\":\"CNAME\",\"rcode\":\"NOERROR\","
	    "\"answer\":\"mail.example.co.uk\",\"answer_name\":\"mail.example.co.uk\","
	    "\"apex_domain\":\"example.co.uk\",\"tld\":\"uk\",\"ttl\":60,\"wildcard\":true,"
	    "\"source\":[\"a\",\"b\"]}");
	becomes(DATASET_DNS, "{\"host\":\".\",\"record_type\":\"NS\",\"rcode\":\"3\"}",
	    "{\"host\":\".\",\"record_type\":\"NS\",\"rcode\":\"NXDOMAIN\",\"wildcard\":false}");
	becomes(DATASET_DNS, "{\"host\":\"a\\\\xffb.org\",\"record_type\":\"A\"}",
	    "{\"host\":\"a\\\\255b.org\",\"record_type\":\"A\",\"rcode\":\"NOERROR\","
	    "\"apex_domain\":\"a\\\\255b.org\",\"tld\":\"org\",\"wildcard\":false}");
	/* Names below a public suffix have no registrable domain in common. */
	becomes(DATASET_DNS, "{\"host\":\"*.co.uk\",\"record_type\":\"A\"}",
	    "{\"host\":\"*.co.uk\",\"record_type\":\"A\",\"rcode\":\"NOERROR\","
	    "\"tld\":\"uk\",\"wildcard\":true}");
}

static void
whois_is_canonical(void)
{
	becomes(DATASET_WHOIS,
	    "{\"domain\":\"EXAMPLE.ORG.\",\"whois\":{\"status\":[\"client transfer prohibited\","
	    "\"active\",\"clientHold https://icann.org/epp#clientHold\",\"server recover "
	    "prohibited\","
	    "\"CLIENTHOLD\"],\"dnssec\":false,\"nameservers\":[\"NS2.x.org\",\"ns1.x.org.\"]}}",
	    "{\"domain\":\"example.org\",\"tld\":\"org\",\"whois\":{\"status\":[\"clientHold\","
	    "\"clientTransferProhibited\",\"ok\",\"serverRecoverProhibited\"],\"dnssec\":false,"
	    "\"nameservers\":[\"ns1.x.org\",\"ns2.x.org\"]}}");
	becomes(DATASET_WHOIS, "{\"domain\":\"*.org\"}", "domain: is no domain name");
	becomes(DATASET_WHOIS, "{\"domain\":\".\"}", "domain: is no domain name");
}

#define HEX64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void
certificate_is_canonical(void)
{
	becomes(DATASET_CERTIFICATES,
	    "{\"fingerprint_sha256\":\"0123456789ABCDEF0123456789abcdef0123456789abcdef01234567"
	    "89abcdef\",\"serial_number\":\"-00:0a:ff\",\"key_algorithm\":\"id-ecPublicKey\","
	    "\"signature_algorithm\":\"sha256, rsa\",\"names\":[\"*.Example.org\",\"*.co.uk\"],"
	    "\"not_before\":\"2026-01-02T00:00:00Z\",\"not_after\":\"2026-01-01T23:59:59Z\"}",
	    "{\"fingerprint_sha256\":\"" HEX64 "\",\"serial_number\":\"-AFF\","
	    "\"names\":[\"*.co.uk\",\"*.example.org\"],\"apex_domains\":[\"example.org\"],"
	    "\"key_algorithm\":\"ECDSA\",\"signature_algorithm\":\"sha256WithRSAEncryption\","
	    "\"validity_days\":-1,\"not_before\":\"2026-01-02T00:00:00.000000Z\","
	    "\"not_after\":\"2026-01-01T23:59:59.000000Z\"}");
	becomes(DATASET_CERTIFICATES, "{\"fingerprint_sha256\":\"" HEX64 "\"}",
	    "not_before: is missing");
	becomes(DATASET_CERTIFICATES, "{\"fingerprint_sha256\":\"abc\"}",
	    "fingerprint_sha256: is no SHA-256: 64 hexadecimal digits");
}

static void
words_have_one_spelling(void)
{
	static const char *const versions[][2] = {
		{ "tls13", "TLSv1.3" },
		{ "TLS 1.2", "TLSv1.2" },
		{ "TLSv1", "TLSv1.0" },
		{ "ssl30", "SSLv3" },
		{ "DTLSv1.2", "DTLSv1.2" },
	};

	for (size_t i = 0; i < COUNT(versions); i++) {
		struct record r = record_new(a, DATASET_HOSTS);
		struct record_object *s = record_nested(a, &r);
		struct str what;

		record_set_text(a, r.root, "ip", STR("192.0.2.1"));
		record_set_int(a, s, "port", 443);
		record_set_text(a, s, "tls.version", str_of(versions[i][0]));
		CU_ASSERT(record_finish(a, &r, RECORD_STRICT, &what));
		is(record_text(s, "tls.version"), versions[i][1]);
		arena_reset(a);
	}
}

static void
other_datasets_are_canonical(void)
{
	becomes(DATASET_REPORTS,
	    "{\"uuid\":\"0190A8C1-0000-7000-8000-000000000001\",\"title\":\"t\",\"tlp\":\"WHITE\","
	    "\"published_at\":\"2026-01-02T00:00:00Z\",\"indicators\":[{\"type\":\"IPv4\","
	    "\"value\":\"192.0.2.1\"},{\"type\":\"domain\",\"value\":\"x.org\"},"
	    "{\"type\":\"ipv4\",\"value\":\"192.0.2.1\"}]}",
	    "{\"uuid\":\"0190a8c1-0000-7000-8000-000000000001\",\"title\":\"t\",\"tlp\":\"clear\","
	    "\"indicator_types\":[\"domain\",\"ipv4\"],"
	    "\"published_at\":\"2026-01-02T00:00:00.000000Z\",\"indicators\":["
	    "{\"type\":\"domain\",\"value\":\"x.org\",\"name\":\"x.org\"},"
	    "{\"type\":\"ipv4\",\"value\":\"192.0.2.1\",\"ip\":\"192.0.2.1\"}]}");
	becomes(DATASET_DIRECTORIES,
	    "{\"host\":\"Files.Example.org\",\"port\":80,\"files\":[{\"name\":\"b/x.PS1\","
	    "\"size\":3},{\"name\":\".profile\",\"size\":4},{\"name\":\"a\"},"
	    "{\"name\":\".profile\",\"size\":4}]}",
	    "{\"port\":80,\"host\":\"files.example.org\",\"path\":\"/\",\"file_count\":3,"
	    "\"total_size\":7,\"files\":[{\"name\":\".profile\",\"size\":4},{\"name\":\"a\"},"
	    "{\"name\":\"b/x.PS1\",\"extension\":\"ps1\",\"size\":3}]}");
	becomes(DATASET_DIRECTORIES,
	    "{\"host\":\"a.org\",\"port\":80,\"path\":\"/pub\",\"files\":["
	    "{\"name\":\"a." HEX64 "\"},{\"name\":\"b." HEX64 "0\"}]}",
	    "{\"port\":80,\"host\":\"a.org\",\"path\":\"/pub\",\"file_count\":2,"
	    "\"total_size\":0,\"files\":[{\"name\":\"a." HEX64 "\",\"extension\":\"" HEX64
	    "\"},{\"name\":\"b." HEX64 "0\"}]}");
	becomes(DATASET_DIRECTORIES,
	    "{\"host\":\"a.org\",\"port\":80,\"files\":["
	    "{\"name\":\"a\",\"size\":9007199254740991},{\"name\":\"b\",\"size\":1}]}",
	    "files: the sum of the sizes is out of range");
}

/* ---- reports ---- */

#define UUID_1 "0190a8c1-0000-7000-8000-000000000001"
#define REPORT "{\"uuid\":\"" UUID_1 "\","
#define PUBLISHED "\"published_at\":\"2026-01-02T00:00:00.000000Z\""

/* The indicators of the canonical report with these ones, or the fault. */
static struct str
indicators_of(const char *given)
{
	struct str text = canonical(DATASET_REPORTS,
	    arena_printf(a, REPORT PUBLISHED ",\"indicators\":[%s]}", given).p, RECORD_STRICT);
	const char *list = memmem(text.p, text.n, "\"indicators\":", 13);

	if (list == NULL)
		return text;
	list += 13;
	return (struct str){ list, text.n - (size_t)(list - text.p) - 1 };
}

#define INDICATOR(type, value) "{\"type\":\"" type "\",\"value\":\"" value "\"}"
#define DERIVED(type, value, name, of)                                                             \
	"[{\"type\":\"" type "\",\"value\":\"" value "\",\"" name "\":\"" of "\"}]"

static void
indicators_are_canonical(void)
{
	static const char *const cases[][2] = {
		{ INDICATOR("ipv6", "2001:DB8:0::1"),
		    DERIVED("ipv6", "2001:db8::1", "ip", "2001:db8::1") },
		{ INDICATOR("ipv4", "::ffff:192.0.2.1"),
		    DERIVED("ipv4", "192.0.2.1", "ip", "192.0.2.1") },
		{ INDICATOR("domain", "WWW.Example.org."),
		    DERIVED("domain", "www.example.org", "name", "www.example.org") },
		{ INDICATOR("url", "http://u:p@WWW.Example.org:80/a@b/c?d"),
		    DERIVED("url", "http://u:p@WWW.Example.org:80/a@b/c?d", "name",
			"www.example.org") },
		{ INDICATOR("url", "https://[2001:DB8::1]:443/"),
		    DERIVED("url", "https://[2001:DB8::1]:443/", "ip", "2001:db8::1") },
		{ INDICATOR("url", "http://192.0.2.1?x"),
		    DERIVED("url", "http://192.0.2.1?x", "ip", "192.0.2.1") },
		{ INDICATOR("url", "mailto:x"), "[" INDICATOR("url", "mailto:x") "]" },
		{ INDICATOR("url", "http:///x"), "[" INDICATOR("url", "http:///x") "]" },
		{ INDICATOR("url", "http://a b/"), "[" INDICATOR("url", "http://a b/") "]" },
		{ INDICATOR("cidr", "192.0.2.77/24"), "[" INDICATOR("cidr", "192.0.2.0/24") "]" },
		{ INDICATOR("md5", "00112233445566778899AABBCCDDEEFF"),
		    "[" INDICATOR("md5", "00112233445566778899aabbccddeeff") "]" },
		{ INDICATOR("asn", "as64500"), "[" INDICATOR("asn", "AS64500") "]" },
		{ INDICATOR("cve", "cve-2026-12345"), "[" INDICATOR("cve", "CVE-2026-12345") "]" },
		{ INDICATOR("technique", "t1059.001"),
		    "[" INDICATOR("technique", "T1059.001") "]" },
		{ INDICATOR("email", "A@Example.org"),
		    "[" INDICATOR("email", "a@example.org") "]" },
		/* the members that are derived cannot be given */
		{ "{\"type\":\"email\",\"value\":\"a@b\",\"ip\":\"192.0.2.1\",\"name\":\"x.org\"}",
		    "[" INDICATOR("email", "a@b") "]" },
		{ INDICATOR("md5", "0011"),
		    "indicators: the md5 \"0011\" is no such hash in hexadecimal" },
		{ INDICATOR("ipv4", "2001:db8::1"), "indicators: the ipv4 \"2001:db8::1\" is an "
						    "address of the other version of IP" },
		{ INDICATOR("ipv4", "x"), "indicators: the ipv4 \"x\" is no IP address" },
		{ INDICATOR("domain", ""), "indicators[0].value: is too short" },
		{ INDICATOR("cve", "CVE-2026-1"),
		    "indicators: the cve \"CVE-2026-1\" is no CVE number such as CVE-2026-12345" },
		{ INDICATOR("mutex", "x"),
		    "indicators[0].type: must be ipv4, ipv6, cidr, domain, url, email, md5, sha1, "
		    "sha256, sha512, certificate_sha256, jarm, asn, cve, technique or bitcoin" },
		{ "{\"type\":\"url\"}", "indicators: one has no type or no value" },
	};

	static const char *const types[] = {
#define INDICATOR_TYPE(name, form, digits, of) name,
#include "tbl/indicator_types.h"
#undef INDICATOR_TYPE
	};
	struct str fault = indicators_of(INDICATOR("mutex", "x"));

	for (size_t i = 0; i < COUNT(types); i++) /* the message names each type */
		CU_ASSERT_PTR_NOT_NULL(memmem(fault.p, fault.n, types[i], strlen(types[i])));
	for (size_t i = 0; i < COUNT(cases); i++) {
		is(indicators_of(cases[i][0]), cases[i][1]);
		arena_reset(a);
	}
}

static void
one_indicator_is_stored_once(void)
{
	is(indicators_of("{\"type\":\"domain\",\"value\":\"X.org\",\"labels\":[\"b\",\"a\"],"
			 "\"last_seen\":\"2026-01-03T00:00:00Z\"},"
			 "{\"type\":\"domain\",\"value\":\"a.org\"},"
			 "{\"type\":\"domain\",\"value\":\"x.org.\",\"labels\":[\"c\",\"b\"],"
			 "\"last_seen\":\"2026-01-01T00:00:00Z\"}"),
	    "[{\"type\":\"domain\",\"value\":\"a.org\",\"name\":\"a.org\"},"
	    "{\"type\":\"domain\",\"value\":\"x.org\",\"name\":\"x.org\",\"labels\":[\"a\",\"b\","
	    "\"c\"],"
	    "\"first_seen\":\"2026-01-01T00:00:00.000000Z\","
	    "\"last_seen\":\"2026-01-03T00:00:00.000000Z\"}]");
	arena_reset(a);
}

static void
members_of_reports_are_checked(void)
{
	static const char *const cases[][2] = {
		{ REPORT PUBLISHED ",\"url\":\"javascript:alert(1)\"}",
		    "url: must begin with http:// or https://" },
		{ REPORT PUBLISHED ",\"url\":\"http://\"}",
		    "url: must begin with http:// or https://" },
		{ REPORT PUBLISHED ",\"cves\":[\"CVE-26-1\"]}",
		    "cves[0]: is no CVE number such as CVE-2026-12345" },
		{ REPORT PUBLISHED ",\"techniques\":[\"T10591\"]}",
		    "techniques[0]: is no technique of ATT&CK such as T1059 or T1059.001" },
		{ REPORT "\"title\":\"t\"}", "published_at: is missing" },
		{ "{" PUBLISHED "}", "uuid: is missing or no UUID" },
		{ REPORT "\"indicator_types\":[\"url\"]," PUBLISHED "}", REPORT PUBLISHED "}" },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		becomes(DATASET_REPORTS, cases[i][0], cases[i][1]);
}

/* The fields that a client names select no hidden member, and without names all others are answered. */
static void
hidden_members_are_in_no_answer(void)
{
	const char *text = REPORT "\"body\":\"b\"," PUBLISHED
				  ",\"indicators\":[" INDICATOR("ipv4", "192.0.2.1") "]}";
	const struct record_fields *some;
	struct buf all = { .a = a }, part = { .a = a };
	struct str bad, what;
	struct record r;

	CU_ASSERT(record_parse(a, DATASET_REPORTS, str_of(text), RECORD_STRICT, &r, &what));
	CU_ASSERT(record_finish(a, &r, RECORD_STRICT, &what));
	record_print(&all, &r, record_fields_answered(DATASET_REPORTS));
	is(buf_done(&all), REPORT "\"indicator_types\":[\"ipv4\"]," PUBLISHED
				  ",\"indicators\":[" INDICATOR("ipv4", "192.0.2.1") "]}");
	some = record_fields_parse(a, DATASET_REPORTS, STR("indicators"), &bad);
	CU_ASSERT_PTR_NOT_NULL_FATAL(some);
	record_print(&part, &r, some);
	is(buf_done(&part), "{\"indicators\":[" INDICATOR("ipv4", "192.0.2.1") "]}");
	CU_ASSERT_PTR_NULL(record_fields_parse(a, DATASET_REPORTS, STR("title,body"), &bad));
	is(bad, "body");
	CU_ASSERT_PTR_NULL(record_fields_parse(a, DATASET_REPORTS, STR("indicators.ip"), &bad));
	CU_ASSERT_PTR_NULL(record_fields_answered(DATASET_DNS));
	arena_reset(a);
}

/* ---- keys ---- */

static struct str
key_of(enum dataset d, const char *text)
{
	struct record r;
	struct str what;

	if (!record_parse(a, d, str_of(text), RECORD_STRICT, &r, &what) ||
	    !record_finish(a, &r, RECORD_STRICT, &what))
		panic("%s: %.*s", text, (int)what.n, what.p);
	return record_key(a, &r);
}

/* The keys of the documents are in this order, and each has the text beside it. */
static void
keys_ascend(enum dataset d, const char *const (*cases)[2], size_t n)
{
	struct str before = STR("");

	for (size_t i = 0; i < n; i++) {
		struct str key = key_of(d, cases[i][0]);

		CU_ASSERT(str_cmp(before, key) < 0);
		CU_ASSERT(key.n <= 600);
		is(record_key_text(a, d, key), cases[i][1]);
		before = key;
	}
	arena_reset(a);
}

static void
keys_are_in_order(void)
{
	static const char *const hosts[][2] = {
		{ "{\"ip\":\"1.2.3.4\"}", "1.2.3.4" },
		{ "{\"ip\":\"255.0.0.0\"}", "255.0.0.0" },
		{ "{\"ip\":\"::1\"}", "::1" },
		{ "{\"ip\":\"2001:db8::\"}", "2001:db8::" },
	};
	static const char *const dns[][2] = {
		{ "{\"host\":\".\",\"record_type\":\"NS\"}", ". NS NOERROR" },
		{ "{\"host\":\"org\",\"record_type\":\"NS\"}", "org NS NOERROR" },
		{ "{\"host\":\"a.org\",\"record_type\":\"A\"}", "a.org A NOERROR" },
		{ "{\"host\":\"a.org\",\"record_type\":\"A\",\"rcode\":\"SERVFAIL\"}",
		    "a.org A SERVFAIL" },
		{ "{\"host\":\"a.org\",\"record_type\":\"TYPE300\"}", "a.org TYPE300 NOERROR" },
		{ "{\"host\":\"z.a.org\",\"record_type\":\"A\"}", "z.a.org A NOERROR" },
		{ "{\"host\":\"a-b.org\",\"record_type\":\"A\"}", "a-b.org A NOERROR" },
	};
	static const char *const certificates[][2] = {
		{ "{\"fingerprint_sha256\":\"" HEX64 "\",\"not_before\":\"2026-01-02T00:00:00Z\"}",
		    HEX64 " of 2026-01-02T00:00:00.000000Z" },
		{ "{\"fingerprint_sha256\":\"" HEX64 "\",\"not_before\":\"1950-01-02T00:00:00Z\"}",
		    HEX64 " of 1950-01-02T00:00:00.000000Z" },
	};
	static const char *const directories[][2] = {
		{ "{\"ip\":\"9.9.9.9\",\"port\":80}", "9.9.9.9 port 80" },
		{ "{\"ip\":\"9.9.9.9\",\"port\":300}", "9.9.9.9 port 300" },
		{ "{\"host\":\"a.org\",\"port\":80}", "a.org port 80" },
	};
	static const char *const reports[][2] = {
		{ "{\"uuid\":\"0190a8c1-0000-7000-8000-000000000001\","
		  "\"published_at\":\"2026-01-02T00:00:00Z\"}",
		    "0190a8c1-0000-7000-8000-000000000001 of 2026-01-02T00:00:00.000000Z" },
	};
	static const char *const whois[][2] = {
		{ "{\"domain\":\"a.com\"}", "a.com" },
		{ "{\"domain\":\"co.uk\"}", "co.uk" },
		{ "{\"domain\":\"a.co.uk\"}", "a.co.uk" },
	};

	keys_ascend(DATASET_HOSTS, hosts, COUNT(hosts));
	keys_ascend(DATASET_DNS, dns, COUNT(dns));
	keys_ascend(DATASET_CERTIFICATES, certificates, COUNT(certificates));
	keys_ascend(DATASET_DIRECTORIES, directories, COUNT(directories));
	keys_ascend(DATASET_REPORTS, reports, COUNT(reports));
	keys_ascend(DATASET_WHOIS, whois, COUNT(whois));
}

static void
key_begins_with_its_name(void)
{
	struct str key = key_of(DATASET_DNS, "{\"host\":\"www.a.org\",\"record_type\":\"A\"}");

	CU_ASSERT(str_starts(key, record_key_name(a, STR("www.a.org"))));
	CU_ASSERT(!str_starts(key, record_key_name(a, STR("a.org"))));
	CU_ASSERT(str_eq(key_of(DATASET_DNS,
			     "{\"host\":\"x.org\",\"record_type\":\"DS\",\"answer\":\"1 8 2 AB\"}"),
	    key_of(DATASET_DNS,
		"{\"host\":\"X.org.\",\"record_type\":\"ds\",\"answer\":\"1 8 2 ab\"}")));
	CU_ASSERT(
	    !str_eq(key_of(DATASET_DNS,
			"{\"host\":\"x.org\",\"record_type\":\"A\",\"answer\":\"192.0.2.1\"}"),
		key_of(DATASET_DNS,
		    "{\"host\":\"x.org\",\"record_type\":\"A\",\"answer\":\"192.0.2.2\"}")));
	CU_ASSERT(
	    !str_eq(key_of(DATASET_DIRECTORIES, "{\"host\":\"x.org\",\"port\":80,\"path\":\"/a\"}"),
		key_of(DATASET_DIRECTORIES, "{\"host\":\"x.org\",\"port\":80,\"path\":\"/b\"}")));
	arena_reset(a);
}

/* ---- projection ---- */

static void
projects(const char *names, const char *wanted)
{
	const struct record_fields *f;
	struct buf b = { .a = a };
	struct str what, bad;
	struct record r;

	if (!record_parse(a, DATASET_HOSTS,
		STR("{\"ip\":\"192.0.2.1\",\"asn\":1,\"services\":[{\"port\":1},{\"port\":2,"
		    "\"http\":{\"title\":\"t\",\"server\":\"s\"}},{\"port\":3,"
		    "\"tls\":{\"certificate\":{}}}]}"),
		RECORD_STRICT, &r, &what) ||
	    !record_finish(a, &r, RECORD_STRICT, &what))
		panic("%.*s", (int)what.n, what.p);
	f = record_fields_parse(a, DATASET_HOSTS, str_of(names), &bad);
	if (f != NULL) {
		record_print(&b, &r, f);
		is(buf_done(&b), wanted);
	} else {
		is(bad, wanted);
	}
	arena_reset(a);
}

/* The keys of a name and a type are between their beginning and the key behind them (C-411). */
static void
keys_of_a_name_are_a_range(void)
{
	static const char *const inside[] = { "{\"host\":\"a.org\",\"record_type\":\"TYPE255\"}",
		"{\"host\":\"a.org\",\"record_type\":\"TYPE255\",\"rcode\":\"NXDOMAIN\"}" };
	static const char *const outside[] = { "{\"host\":\"a.org\",\"record_type\":\"TYPE254\"}",
		"{\"host\":\"a.org\",\"record_type\":\"TYPE256\"}",
		"{\"host\":\"b.a.org\",\"record_type\":\"TYPE255\"}" };
	struct str name = STR("A.ORG."), type = STR("type255"), from, behind;

	CU_ASSERT_FATAL(record_canonical(a, DATASET_DNS, "host", &name));
	CU_ASSERT_FATAL(record_canonical(a, DATASET_DNS, "record_type", &type));
	from = record_key_rrset(a, name, type);
	behind = record_key_behind(a, from);
	for (size_t i = 0; i < COUNT(inside); i++) {
		struct str key = key_of(DATASET_DNS, inside[i]);

		CU_ASSERT(str_cmp(from, key) < 0 && str_cmp(key, behind) < 0);
	}
	for (size_t i = 0; i < COUNT(outside); i++) {
		struct str key = key_of(DATASET_DNS, outside[i]);

		CU_ASSERT(str_cmp(key, from) < 0 || str_cmp(behind, key) <= 0);
	}
	CU_ASSERT(str_eq(record_key_rrset(a, name, STR_NULL), record_key_name(a, name)));
	CU_ASSERT(str_eq(record_key_behind(a, STR("a\xff\xff")), STR("b")));
}

static void
values_get_the_form_of_their_member(void)
{
	struct str transport = STR("TCP"), other = STR("quic"), ip = STR("192.0.2.0/24");

	CU_ASSERT(record_canonical(a, DATASET_HOSTS, "services.transport", &transport));
	CU_ASSERT(str_is(transport, "tcp"));
	CU_ASSERT(!record_canonical(a, DATASET_HOSTS, "services.transport", &other));
	CU_ASSERT(!record_canonical(a, DATASET_HOSTS, "ip", &ip));
}

static void
projection_selects_members(void)
{
	projects("asn,ip", "{\"ip\":\"192.0.2.1\",\"asn\":1}");
	projects(
	    "services.http.title,asn", "{\"asn\":1,\"services\":[{\"http\":{\"title\":\"t\"}}]}");
	projects("services.http", "{\"services\":[{\"http\":{\"title\":\"t\",\"server\":\"s\"}}]}");
	projects("services.port", "{\"services\":[{\"port\":1},{\"port\":2},{\"port\":3}]}");
	projects("services.tls.certificate", "{\"services\":[]}");
	projects("as_name", "{}");
	projects("ip,nome", "nome");
	projects("ip.x", "ip.x");
	projects("ip,", "");
	projects("", "");
	projects("ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,"
		 "ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,"
		 "ip,ip,ip,ip,ip,ip,ip,ip,ip,ip,ip",
	    "");
}

static void
datasets_have_names(void)
{
	CU_ASSERT_EQUAL(record_dataset(STR("open-directories")), DATASET_DIRECTORIES);
	CU_ASSERT_EQUAL(record_dataset(STR("services")), DATASETS);
	CU_ASSERT_EQUAL(record_dataset_number(DATASET_DNS), 3);
	CU_ASSERT_STRING_EQUAL(record_dataset_name(DATASET_WHOIS), "whois");
}

static bool
shows(const char *path, int64_t status, const char *body, const char *capabilities)
{
	struct web_answer w = { .path = str_of(path), .status = status, .body = str_of(body) };

	return str_eq(
	    capability_of_answer(&w), capabilities == NULL ? STR_NULL : str_of(capabilities));
}

/* Whether an answer without a body that asks for a login by RFC 9728 shows these. */
static bool
asks(const char *path, int64_t status, const char *capabilities)
{
	struct web_answer w = { .path = str_of(path),
		.status = status,
		.asks = STR("Bearer Resource_Metadata=\"https://a.example/.well-known/x\"") };

	return str_eq(
	    capability_of_answer(&w), capabilities == NULL ? STR_NULL : str_of(capabilities));
}

static void
answers_show_capabilities(void)
{
	CU_ASSERT_TRUE(shows("/", 200, "Ollama is running", "api/ollama"));
	CU_ASSERT_TRUE(shows("/", 200, "Ollama is running\n", NULL)); /* somebody's echo */
	CU_ASSERT_TRUE(shows("/", 404, "Ollama is running", NULL));
	CU_ASSERT_TRUE(shows("/api/tags", 200, "{ \"models\" :\n [ ] }", "api/ollama auth/none"));
	CU_ASSERT_TRUE(shows("/api/tags?x=1", 200, "{\"models\":[]}", "api/ollama auth/none"));
	CU_ASSERT_TRUE(asks("/mcp", 401, "auth/login mcp"));
	CU_ASSERT_TRUE(asks("/api", 401, NULL));
	CU_ASSERT_TRUE(asks("/mcp", 200, NULL));
	CU_ASSERT_TRUE(shows("/api/tag", 200, "{\"models\":[]}", NULL));
	CU_ASSERT_TRUE(shows("/api/tags", 200,
	    "{\"models\":[{\"details\":{\"family\": \"koboldcpp\"}}]}", "api/koboldcpp auth/none"));
	CU_ASSERT_TRUE(shows("/v1/models", 401, "{\"object\":\"list\"}", NULL));
	CU_ASSERT_TRUE(shows(
	    "/api/config", 200, "{\"features\": {\"auth\": true}}", "app/open-webui auth/login"));
	CU_ASSERT_TRUE(shows("/mcp", 200, "{\"jsonrpc\":\"2.0\",\"result\":\"0x1\"}", NULL));
	CU_ASSERT_TRUE(shows("/mcp", 200, "", NULL));
	CU_ASSERT_TRUE(shows("", 200, "{\"models\":[]}", NULL));
}

/* The service of a host whose service has these members. */
static struct str
capabilities_of(const char *http)
{
	struct str text = arena_printf(a,
	    "{\"ip\":\"192.0.2.1\",\"services\":[{\"port\":80,\"transport\":\"tcp\",\"http\":{%s}}]"
	    "}",
	    http);
	struct record_object *const *services;
	const struct str *names;
	struct buf b = { .a = a };
	struct str what;
	struct record r;

	CU_ASSERT_TRUE_FATAL(record_parse(a, DATASET_HOSTS, text, RECORD_STRICT, &r, &what));
	CU_ASSERT_TRUE_FATAL(record_finish(a, &r, RECORD_STRICT, &what));
	CU_ASSERT_EQUAL_FATAL(record_nested_all(&r, &services), 1);
	for (size_t i = 0, n = record_texts(services[0], "http.capabilities", &names); i < n; i++)
		buf_printf(&b, "%s%.*s", i > 0 ? " " : "", (int)names[i].n, names[i].p);
	return buf_done(&b);
}

static void
titles_and_headers_show_capabilities(void)
{
	CU_ASSERT_TRUE(str_is(capabilities_of("\"status_code\":200,\"title\":\"Ray Dashboard\""),
	    "app/ray auth/none"));
	CU_ASSERT_TRUE(
	    str_is(capabilities_of("\"title\":\"Ray Dashboard\",\"capabilities\":[\"http2\"]"),
		"app/ray auth/none http2"));
	CU_ASSERT_TRUE(
	    str_is(capabilities_of("\"status_code\":403,\"title\":\"Ray Dashboard\""), ""));
	CU_ASSERT_TRUE(str_is(capabilities_of("\"title\":\"The Ray Dashboard\""), ""));
	CU_ASSERT_TRUE(
	    str_is(capabilities_of("\"status_code\":401,\"headers\":[\"WWW-Authenticate: Bearer "
				   "realm=x, Resource_Metadata=y\"]"),
		"auth/login"));
	CU_ASSERT_TRUE(
	    str_is(capabilities_of("\"title\":\"JupyterLab\",\"server\":\"TornadoServer/6.4\""),
		"app/jupyter auth/none"));
	CU_ASSERT_TRUE(str_is(
	    capabilities_of("\"title\":\"JupyterLab\",\"headers\":[\"set-cookie: _xsrf=1\"]"),
	    "app/jupyter auth/none"));
	CU_ASSERT_TRUE(
	    str_is(capabilities_of("\"title\":\"JupyterLab\",\"server\":\"nginx\""), ""));
	CU_ASSERT_TRUE(
	    str_is(capabilities_of("\"status_code\":401,\"title\":\"JupyterLab\",\"server\":"
				   "\"TornadoServer/6.4\""),
		""));
	CU_ASSERT_TRUE(str_is(
	    capabilities_of("\"status_code\":401,\"headers\":[\"www-authenticate: Basic\"]"), ""));
}

/* A token of Telegram, which is made here so that the repository has none. */
static void
bodies_are_stored_without_credentials(void)
{
	struct str token =
	    arena_printf(a, "%d:AA%s%s", 123987456, "Hk3vQz81xLwPtYb6", "RmNf2GcDs9Ue7JoKa");
	struct str text = arena_printf(a,
	    "{\"ip\":\"192.0.2.1\",\"services\":[{\"port\":80,\"http\":{\"body\":\"token=%s "
	    "end\"}}]}",
	    token.p);
	struct str doc = canonical(DATASET_HOSTS, text.p, RECORD_STRICT);

	/* C-186 */
	CU_ASSERT_PTR_NOT_NULL(memmem(doc.p, doc.n,
	    "token=\xe2\x80\xa6"
	    "45 end",
	    15));
	for (size_t k = 0; k + 9 <= token.n; k++)
		CU_ASSERT_PTR_NULL(memmem(doc.p, doc.n, token.p + k, 9));
	arena_reset(a);
}

static CU_TestInfo tests[] = {
	{ "A host document has one canonical text", host_is_canonical },
	{ "A host counts its own services and keeps the domains that it names",
	    derived_members_of_a_host },
	{ "A time that is given reaches services without one", given_time_reaches_services },
	{ "A fault names its member and the reason", faults_name_their_place },
	{ "A lenient reading leaves faulty members out", lenient_leaves_faults_out },
	{ "An answer of each DNS record type has one spelling", answer_has_one_spelling },
	{ "A long TXT answer is divided into character-strings", long_text_is_divided },
	{ "A DNS record gets its apex domain, TLD and wildcard", dns_is_canonical },
	{ "A whois record has the status words of EPP", whois_is_canonical },
	{ "A certificate has one spelling of its algorithms and serial", certificate_is_canonical },
	{ "A TLS version has one spelling for all tools", words_have_one_spelling },
	{ "Reports and open directories derive counts and types", other_datasets_are_canonical },
	{ "the value of an indicator has the form of its type", indicators_are_canonical },
	{ "two indicators of one type and value become one", one_indicator_is_stored_once },
	{ "the members of a report are checked", members_of_reports_are_checked },
	{ "hidden members are in no answer", hidden_members_are_in_no_answer },
	{ "The body of an answer shows what the server is", answers_show_capabilities },
	{ "Titles and headers show what the server is", titles_and_headers_show_capabilities },
	{ "Keys ascend in the order of the answers", keys_are_in_order },
	{ "A key begins with its name and tells two answers or paths apart",
	    key_begins_with_its_name },
	{ "The keys of a name and a type are a range", keys_of_a_name_are_a_range },
	{ "A value gets the canonical form of its member", values_get_the_form_of_their_member },
	{ "A projection selects members (C-414)", projection_selects_members },
	{ "Datasets are found by their names", datasets_have_names },
	{ "C-186: the body of a host is stored without its credentials",
	    bodies_are_stored_without_credentials },
	CU_TEST_INFO_NULL,
};

int
main(void)
{
	a = arena_new((size_t)1 << 30);
	return tap_main(tests);
}
