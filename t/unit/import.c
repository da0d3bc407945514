/* SPDX-License-Identifier: ISC */
/* src/cli/import: the readers of hosts, from text to stored documents. */
#include "config.h"

#include "cli/import/format.h"
#include "t/unit/tap.h"

#include <sys/mman.h>
#include <unistd.h>

struct result {
	struct buf docs, bad; /* a line each */
	uint64_t read;
};

static bool
take_host(void *arg, struct record *host, struct str der)
{
	struct result *r = arg;

	(void)der;
	record_print(&r->docs, host, NULL);
	buf_char(&r->docs, '\n');
	return true;
}

static void
take_bad(void *arg, uint64_t line, struct str what)
{
	struct result *r = arg;

	buf_printf(&r->bad, "%ju: %.*s\n", (uintmax_t)line, (int)what.n, what.p);
}

static struct result
read_all(records_reader *reader, struct str text)
{
	struct result r = { .read = 0 };
	struct source src;
	struct records rs = { .dataset = DATASET_HOSTS,
		.src = &src,
		.seen = TS_NULL,
		.take = take_host,
		.bad = take_bad,
		.arg = &r,
		.window = 2 };
	int fd = memfd_create("import", 0);

	if (fd < 0 || write(fd, text.p, text.n) != (ssize_t)text.n || lseek(fd, 0, SEEK_SET) != 0)
		panic("no memfd");
	source_open(&src, fd, -1);
	rs.a = arena_new((size_t)1 << 30);
	if (reader == NULL) {
		const struct format *f = format_guess(DATASET_HOSTS, &src);

		reader = f == NULL ? NULL : f->records;
	}
	if (reader == NULL)
		buf_z(&r.bad, "unknown");
	else
		reader(&rs);
	r.read = rs.read;
	arena_free(rs.a);
	source_close(&src);
	close(fd);
	return r;
}

/* Compares and releases. */
static bool
gives(records_reader *reader, struct str text, const char *docs, const char *bad)
{
	struct result r = read_all(reader, text);
	bool same = str_is(buf_done(&r.docs), docs) && str_is(buf_done(&r.bad), bad);

	if (!same)
		printf(
		    "# docs: %.*s\n# bad: %.*s\n", (int)r.docs.n, r.docs.p, (int)r.bad.n, r.bad.p);
	buf_free(&r.docs);
	buf_free(&r.bad);
	return same;
}

static bool
refused(struct str line, const char *why)
{
	char bad[256];

	snprintf(bad, sizeof(bad), "1: %s\n", why);
	return gives(read_ndjson, line, "", bad);
}

static void
a_document_gets_its_stored_form(void)
{
	CU_ASSERT_TRUE(gives(NULL, STR("{\"ip\":\"2001:DB8:0::7\"}\n"),
	    "{\"ip\":\"2001:db8::7\",\"ip_version\":6}\n", ""));
	CU_ASSERT_TRUE(
	    gives(NULL, STR("{\"ip\":\"::ffff:192.0.2.1\",\"prefix\":\"192.0.2.77/24\"}"),
		"{\"ip\":\"192.0.2.1\",\"ip_version\":4,\"prefix\":\"192.0.2.0/24\"}\n", ""));
	CU_ASSERT_TRUE(gives(NULL,
	    STR("{\"ip\":\"192.0.2.1\",\"country_code\":\"gb\",\"tags\":[\"Phishing\","
		"\"c2\",\"c2\"],"
		"\"vulnerabilities\":[\"cve-2024-1\"],\"hostnames\":[\"WWW.Example.co.uk."
		"\"]}\r\n\n"),
	    "{\"ip\":\"192.0.2.1\",\"ip_version\":4,\"country_code\":\"GB\",\"hostnames\":[\"www."
	    "example."
	    "co.uk\"],"
	    "\"apex_domains\":[\"example.co.uk\"],\"vulnerabilities\":[\"CVE-2024-1\"],"
	    "\"tags\":[\"c2\",\"phishing\"]}\n",
	    ""));
}

static void
services_are_sorted_and_hashed(void)
{
	CU_ASSERT_TRUE(gives(NULL,
	    STR("{\"ip\":\"192.0.2.1\",\"service_count\":9,\"services\":[{\"port\":443,"
		"\"tls_enabled\":true},"
		"{\"port\":53,\"transport\":\"UDP\"},{\"port\":53,\"banner\":\"abc\"}]}"),
	    "{\"ip\":\"192.0.2.1\",\"ip_version\":4,\"service_count\":3,\"services\":["
	    "{\"port\":53,\"transport\":\"tcp\",\"banner\":\"abc\",\"banner_hash\":"
	    "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"},"
	    "{\"port\":53,\"transport\":\"udp\"},"
	    "{\"port\":443,\"transport\":\"tcp\",\"tls_enabled\":true}]}\n",
	    ""));
}

static void
times_are_canonical_and_imply_each_other(void)
{
	CU_ASSERT_TRUE(gives(NULL,
	    STR("{\"ip\":\"192.0.2.1\",\"last_seen\":\"2026-01-02T03:04:05+01:00\","
		"\"services\":[{\"port\":1}]}"),
	    "{\"ip\":\"192.0.2.1\",\"ip_version\":4,\"service_count\":1,"
	    "\"first_seen\":\"2026-01-02T02:04:05.000000Z\","
	    "\"last_seen\":\"2026-01-02T02:04:05.000000Z\","
	    "\"services\":[{\"port\":1,\"transport\":\"tcp\","
	    "\"first_seen\":\"2026-01-02T02:04:05.000000Z\",\"last_seen\":\"2026-01-"
	    "02T02:04:05.000000Z\"}]}\n",
	    ""));
	CU_ASSERT_TRUE(
	    refused(STR("{\"ip\":\"192.0.2.1\",\"last_seen\":\"9999-12-31T23:59:59-01:00\"}"),
		"last_seen: must be an RFC 3339 date and time with an offset"));
	CU_ASSERT_TRUE(refused(STR("{\"ip\":\"192.0.2.1\",\"last_seen\":\"2026-02-30T00:00:00Z\"}"),
	    "last_seen: must be an RFC 3339 date and time with an offset"));
	CU_ASSERT_TRUE(refused(STR("{\"ip\":\"192.0.2.1\",\"first_seen\":\"2026-02-02T00:00:00Z\","
				   "\"last_seen\":\"2026-02-01T00:00:00Z\"}"),
	    "first_seen: is later than last_seen"));
}

static void
faults_name_the_member(void)
{
	CU_ASSERT_TRUE(refused(STR("[7]"), "element 1 at byte 2: must be an object"));
	CU_ASSERT_TRUE(refused(STR("{}"), "ip: is missing or no IP address"));
	CU_ASSERT_TRUE(refused(STR("{\"ip\":7}"), "ip: must be a string"));
	CU_ASSERT_TRUE(refused(STR("{\"ip\":\"192.0.2.256\"}"), "ip: is no IP address"));
	CU_ASSERT_TRUE(refused(STR("{\"ip\":\"192.0.2.1\",\"colour\":\"red\"}"),
	    "colour: is no member of this format"));
	CU_ASSERT_TRUE(refused(STR("{\"ip\":\"192.0.2.1\",\"asn\":-1}"), "asn: is out of range"));
	CU_ASSERT_TRUE(
	    refused(STR("{\"ip\":\"192.0.2.1\",\"asn\":1.5}"), "asn: must be an integer"));
	CU_ASSERT_TRUE(refused(STR("{\"ip\":\"192.0.2.1\",\"os\":null}"), "os: must be a string"));
	CU_ASSERT_TRUE(refused(
	    STR("{\"ip\":\"192.0.2.1\",\"os\":\"a\\u0000b\"}"), "os: must not contain U+0000"));
	CU_ASSERT_TRUE(refused(STR("{\"ip\":\"192.0.2.1\",\"country_code\":\"GBR\"}"),
	    "country_code: must be two letters"));
	CU_ASSERT_TRUE(refused(STR("{\"ip\":\"192.0.2.1\",\"tags\":[\"a\",\"b c\"]}"),
	    "tags[1]: is no tag: 1 to 128 ASCII characters without blanks"));
	CU_ASSERT_TRUE(
	    refused(STR("{\"ip\":\"192.0.2.1\",\"tags\":[1]}"), "tags[0]: must be a string"));
	CU_ASSERT_TRUE(refused(STR("{\"ip\":\"192.0.2.1\",\"services\":[{\"port\":65536}]}"),
	    "services[0].port: is out of range"));
	CU_ASSERT_TRUE(refused(STR("{\"ip\":\"192.0.2.1\",\"services\":[{\"banner\":\"x\"}]}"),
	    "services[0]: has no port"));
	CU_ASSERT_TRUE(
	    refused(STR("{\"ip\":\"192.0.2.1\",\"services\":[{\"port\":1},{\"port\":1}]}"),
		"services: two have the same port and transport"));
	CU_ASSERT_TRUE(refused(STR("{\"ip\":\"192.0.2.1\",\"services\":[{\"port\":1,"
				   "\"tls\":{\"certificate\":{\"names\":[\"a b\"]}}}]}"),
	    "services[0].tls.certificate.names[0]: is no DNS name"));
}

static void
lines_are_bounded_and_counted(void)
{
	struct str line = STR("\n{\"ip\":\"192.0.2.1\"}\n");
	size_t n = 2 * IMPORT_LINE + 100;
	char *p = malloc(n);
	struct result r;

	if (p == NULL)
		panic("out of memory");
	memset(p, ' ', n);
	memcpy(p, "{\"os\":\"", 7);
	memcpy(p + 2 * IMPORT_LINE + 50, line.p, line.n);
	r = read_all(read_ndjson, (struct str){ p, n });
	CU_ASSERT_TRUE(str_is(buf_done(&r.docs), "{\"ip\":\"192.0.2.1\",\"ip_version\":4}\n"));
	CU_ASSERT_TRUE(str_starts(buf_done(&r.bad), STR("1: the record is longer than")));
	CU_ASSERT_EQUAL(r.read, 2);
	buf_free(&r.docs);
	buf_free(&r.bad);
	free(p);
	CU_ASSERT_TRUE(gives(read_ndjson,
	    STR("{\"ip\":\"192.0.2.1\"}\n\n{\"ip\"\n\xff\n{\"ip\":\"192.0.2.2\"}"),
	    "{\"ip\":\"192.0.2.1\",\"ip_version\":4}\n{\"ip\":\"192.0.2.2\",\"ip_"
	    "version\":4}\n",
	    "3: no valid JSON: the record does not end\n"));
}

#define NMAP(inside)                                                                               \
	STR("<?xml version=\"1.0\"?>\n<!DOCTYPE nmaprun>\n<nmaprun scanner=\"nmap\" "              \
	    "start=\"1700000000\">\n" inside "</nmaprun>\n")
#define OPEN "<state state=\"open\" reason=\"syn-ack\"/>"

static void
nmap_becomes_documents(void)
{
	CU_ASSERT_TRUE(gives(NULL,
	    NMAP("<host starttime=\"1700000001\" endtime=\"1700000002\"><status "
		 "state=\"up\"/>"
		 "<address addr=\"192.0.2.9\" addrtype=\"ipv4\"/><address "
		 "addr=\"00:00:5E:00:53:01\" addrtype=\"mac\"/>"
		 "<hostnames><hostname name=\"h.example.com\" "
		 "type=\"PTR\"/></hostnames><ports>"
		 "<port protocol=\"tcp\" portid=\"81\"><state state=\"closed\"/></port>"
		 "<port protocol=\"tcp\" portid=\"443\">" OPEN
		 "<service name=\"http\" product=\"nginx\" version=\"1.22.1\" "
		 "tunnel=\"ssl\" ostype=\"Linux\">"
		 "<cpe>cpe:/a:igor_sysoev:nginx:1.22.1</cpe><cpe>cpe:/"
		 "o:linux:linux_kernel</cpe></service>"
		 "<script id=\"http-title\" output=\"Hi\"><elem key=\"title\">A &amp; "
		 "B</elem></script>"
		 "<script id=\"http-server-header\" "
		 "output=\"nginx/1.22.1\"><elem>nginx/1.22.1</elem></script>"
		 "<script id=\"ssl-cert\" output=\"-\"><table key=\"subject\"><elem "
		 "key=\"commonName\">h</elem></table>"
		 "<table key=\"issuer\"><elem key=\"commonName\">h</elem></table>"
		 "<table key=\"extensions\"><table><elem key=\"name\">X509v3 Subject "
		 "Alternative Name</elem>"
		 "<elem key=\"value\">DNS:h.example.com, IP "
		 "Address:192.0.2.9</elem></table></table>"
		 "<table key=\"validity\"><elem "
		 "key=\"notAfter\">2027-01-01T00:00:00</elem></table></script>"
		 "</port></ports></host>"),
	    "{\"ip\":\"192.0.2.9\",\"ip_version\":4,\"hostnames\":[\"h.example.com\"],\"apex_"
	    "domains\":["
	    "\"example.com\"],"
	    "\"ptr\":\"h.example.com\",\"os\":\"Linux\",\"cpe\":[\"cpe:/"
	    "o:linux:linux_kernel\"],\"service_count\":1,"
	    "\"first_seen\":\"2023-11-14T22:13:21.000000Z\",\"last_seen\":\"2023-11-"
	    "14T22:13:22.000000Z\","
	    "\"services\":[{\"port\":443,"
	    "\"transport\":\"tcp\","
	    "\"protocol\":\"https\",\"service_name\":\"http\",\"vendor\":\"igor_sysoev\","
	    "\"product\":\"nginx\","
	    "\"version\":\"1.22.1\",\"cpe\":[\"cpe:/"
	    "a:igor_sysoev:nginx:1.22.1\"],\"banner\":\"nginx 1.22.1\","
	    "\"banner_hash\":"
	    "\"330c4749e0864c7a44b16125eb6c38af7bff02347d10cdbc4896f9c968fe0bd2\","
	    "\"tls_enabled\":true,\"http\":{\"title\":\"A & "
	    "B\",\"server\":\"nginx/1.22.1\"},"
	    "\"tls\":{\"certificate\":{\"subject_cn\":\"h\",\"issuer_cn\":\"h\","
	    "\"names\":[\"h.example.com\"],"
	    "\"not_after\":\"2027-01-01T00:00:00.000000Z\",\"self_signed\":true}},"
	    "\"first_seen\":\"2023-11-14T22:13:21.000000Z\",\"last_seen\":\"2023-11-"
	    "14T22:13:22.000000Z\"}]}\n",
	    ""));
}

/* A clock that was set back during the scan: the host was seen when it began, and not before. */
static void
nmap_hosts_end_after_they_begin(void)
{
	CU_ASSERT_TRUE(gives(read_nmap,
	    NMAP("<host starttime=\"1700000005\" endtime=\"1700000002\"><status state=\"up\"/>"
		 "<address addr=\"192.0.2.9\" addrtype=\"ipv4\"/><ports>"
		 "<port protocol=\"tcp\" portid=\"22\">" OPEN "</port></ports></host>"),
	    "{\"ip\":\"192.0.2.9\",\"ip_version\":4,\"service_count\":1,"
	    "\"first_seen\":\"2023-11-14T22:13:25.000000Z\","
	    "\"last_seen\":\"2023-11-14T22:13:25.000000Z\","
	    "\"services\":[{\"port\":22,\"transport\":\"tcp\","
	    "\"first_seen\":\"2023-11-14T22:13:25.000000Z\","
	    "\"last_seen\":\"2023-11-14T22:13:25.000000Z\"}]}\n",
	    ""));
}

static void
nmap_passes_over_silent_hosts(void)
{
	CU_ASSERT_TRUE(gives(read_nmap,
	    NMAP("<host><status state=\"down\"/><address addr=\"192.0.2.1\" "
		 "addrtype=\"ipv4\"/></host>"
		 "<host><status state=\"up\"/><address addr=\"192.0.2.2\" "
		 "addrtype=\"ipv4\"/></host>"),
	    "", ""));
}

/* Members that are not kept take no room. */
static void
nmap_forgets_closed_ports(void)
{
	struct buf b = { 0 };

	buf_z(&b, "<?xml version=\"1.0\"?>\n<!DOCTYPE nmaprun>\n<nmaprun "
		  "scanner=\"nmap\"><host><status state=\"up\"/>"
		  "<address addr=\"192.0.2.1\" addrtype=\"ipv4\"/><ports>");
	for (int port = 1; port <= 20000; port++)
		buf_printf(&b, "<port protocol=\"tcp\" portid=\"%d\"><state state=\"%s\"/></port>",
		    port, port == 20000 ? "open" : "closed");
	buf_z(&b, "</ports></host></nmaprun>");
	CU_ASSERT_TRUE(gives(read_nmap, buf_done(&b),
	    "{\"ip\":\"192.0.2.1\",\"ip_version\":4,\"service_count\":1,\"services\":["
	    "{\"port\":20000,\"transport\":\"tcp\"}]}\n",
	    ""));
	buf_free(&b);
}

static void
hostile_xml_is_refused(void)
{
	struct result r;

	CU_ASSERT_TRUE(gives(read_nmap,
	    STR("<?xml version=\"1.0\"?>\n<!DOCTYPE nmaprun [\n<!ENTITY a "
		"\"b\">]>\n<nmaprun>&a;</nmaprun>"),
	    "", "3: it declares entities; the rest of the file is not read\n"));
	CU_ASSERT_TRUE(gives(read_nmap,
	    STR("<!DOCTYPE nmaprun [<!ENTITY a SYSTEM "
		"\"file:///etc/passwd\">]>\n<nmaprun>&a;</nmaprun>"),
	    "", "1: it declares entities; the rest of the file is not read\n"));
	CU_ASSERT_TRUE(gives(read_nmap, STR("<rss/>"), "",
	    "1: the root element is not nmaprun; the rest of the file is not read\n"));
	r = read_all(read_nmap, NMAP("<host><ports>"));
	CU_ASSERT_EQUAL(r.docs.n, 0);
	CU_ASSERT_TRUE(r.bad.n > 0);
	buf_free(&r.docs);
	buf_free(&r.bad);
}

#define TIMES(a, b)                                                                                \
	"\"first_seen\":\"2023-11-14T22:13:" a ".000000Z\",\"last_seen\":\"2023-11-14T22:13:" b    \
	".000000Z\""

static void
masscan_records_are_gathered(void)
{
	static const char want[] =
	    "{\"ip\":\"192.0.2.1\",\"ip_version\":4,\"service_count\":2," TIMES(
		"20", "22") ",\"services\":["
			    "{\"port\":22,\"transport\":\"tcp\"," TIMES("21",
				"21") "},"
				      "{\"port\":80,\"transport\":\"tcp\",\"protocol\":\"http\","
				      "\"service_name\":\"http\","
				      "\"banner\":\"HTTP/1.1 200 OK\",\"banner_hash\":"
				      "\"92413e9787e7d079d0aee62a9ec27ca7eb8e5e410a75a209a377a0c581"
				      "743151\","
				      "\"http\":{\"status_code\":200,\"title\":\"Hi\"}," TIMES(
					  "20", "22") "}]}\n";

	CU_ASSERT_TRUE(gives(NULL,
	    STR("[\n{   \"ip\": \"192.0.2.1\",   \"timestamp\": \"1700000000\", "
		"\"ports\": [ {\"port\": 80, "
		"\"proto\": \"tcp\", \"status\": \"open\", \"reason\": \"syn-ack\", "
		"\"ttl\": 55} ] }\n,\n"
		"{   \"ip\": \"192.0.2.1\",   \"timestamp\": \"1700000001\", \"ports\": "
		"[ {\"port\": 22, "
		"\"proto\": \"tcp\", \"status\": \"open\"} ] },\n"
		"{   \"ip\": \"192.0.2.1\",   \"timestamp\": \"1700000002\", \"ports\": "
		"[ {\"port\": 80, "
		"\"proto\": \"tcp\", \"service\": {\"name\": \"http\", \"banner\": "
		"\"HTTP/1.1 200 OK\"} } ] }\n,\n"
		"{   \"ip\": \"192.0.2.1\",   \"timestamp\": \"1700000002\", \"ports\": "
		"[ {\"port\": 80, "
		"\"proto\": \"tcp\", \"service\": {\"name\": \"title\", \"banner\": "
		"\"Hi\"} } ] },\n"
		"{finished: 1}\n]\n"),
	    want, ""));
	CU_ASSERT_TRUE(gives(NULL,
	    STR("{\"ip\":\"192.0.2.1\",\"timestamp\":\"1700000000\",\"port\":80,"
		"\"proto\":\"tcp\","
		"\"rec_type\":\"status\",\"data\":{\"status\":\"open\",\"reason\":\"syn-"
		"ack\",\"ttl\":55}}\n"
		"{\"ip\":\"192.0.2.1\",\"timestamp\":\"1700000001\",\"port\":22,"
		"\"proto\":\"tcp\","
		"\"rec_type\":\"status\",\"data\":{\"status\":\"open\"}}\n"
		"{\"ip\":\"192.0.2.1\",\"timestamp\":\"1700000002\",\"port\":80,"
		"\"proto\":\"tcp\","
		"\"rec_type\":\"banner\",\"data\":{\"service_name\":\"http\",\"banner\":"
		"\"HTTP/1.1 200 OK\"}}\n"
		"{\"ip\":\"192.0.2.1\",\"timestamp\":\"1700000002\",\"port\":80,"
		"\"proto\":\"tcp\","
		"\"rec_type\":\"banner\",\"data\":{\"service_name\":\"title\",\"banner\":"
		"\"Hi\"}}\n"),
	    want, ""));
}

#define SEEN(host)                                                                                 \
	"{\"ip\":\"192.0.2." host                                                                  \
	"\",\"ports\":[{\"port\":22,\"proto\":\"tcp\",\"status\":\"open\"}]}\n"
#define OPENED(host)                                                                               \
	"{\"ip\":\"192.0.2." host "\",\"ip_version\":4,\"service_count\":1,"                       \
	"\"services\":[{\"port\":22,\"transport\":\"tcp\"}]}\n"

/* A full window is handed on, and the next one begins empty. */
static void
masscan_windows_follow_each_other(void)
{
	CU_ASSERT_TRUE(
	    gives(read_masscan, STR(SEEN("1") SEEN("1") SEEN("2") SEEN("1") SEEN("3") SEEN("4")),
		OPENED("1") OPENED("2") OPENED("1") OPENED("3") OPENED("4"), ""));
}

static void
masscan_faults_name_the_line(void)
{
	CU_ASSERT_TRUE(gives(read_masscan,
	    STR("[\n{\"ip\":\"192.0.2.1\"}\n,\n{\"ports\":[]}\n{\"ip\":\"x\",\"ports\":[{"
		"\"port\":1,\"status\":\"open\"}]}\n]"),
	    "",
	    "2: element 1 at byte 3: ports: must be an array\n4: element 2 at byte 24: ip: is "
	    "missing\n"
	    "5: element 3 at byte 37: ip: is no IP address\n"));
}

/* masscan 1.0 writes no brackets; json.dump and jq change the lines of an array. */
static void
masscan_may_have_any_white_space(void)
{
	static const char doc[] =
	    "{\"ip\":\"192.0.2.1\",\"ip_version\":4,\"service_count\":1,"
	    "\"first_seen\":\"1970-01-01T00:00:05.000000Z\",\"last_seen\":"
	    "\"1970-01-01T00:00:05.000000Z\",\"services\":[{"
	    "\"port\":80,\"transport\":\"tcp\",\"first_seen\":\"1970-01-01T00:00:05.000000Z\","
	    "\"last_seen\":\"1970-01-01T00:00:05.000000Z\"}]}\n";

#define RECORD                                                                                     \
	"{ \"ip\": \"192.0.2.1\",\"timestamp\": \"5\",\"ports\": [ {\"port\": 80,\"status\": "     \
	"\"open\"} ] }"
	CU_ASSERT_TRUE(gives(NULL, STR(RECORD ",\n" RECORD ",\n{finished: 1}\n"), doc, ""));
	CU_ASSERT_TRUE(gives(NULL, STR("[" RECORD ", " RECORD "]"), doc, ""));
	CU_ASSERT_TRUE(gives(NULL,
	    STR("\xef\xbb\xbf[\n  " RECORD ",\n  {\n    \"ip\": \"192.0.2.1\",\n"
		"    \"ports\": [\n      {\n        \"port\": 80\n      }\n    ]\n  }\n]\n"),
	    doc, ""));
#undef RECORD
}

static void
formats_are_guessed(void)
{
	CU_ASSERT_TRUE(gives(NULL, STR("[{\"ip\":\"192.0.2.1\"},\n{\"ip\":\"192.0.2.2\"}]"),
	    "{\"ip\":\"192.0.2.1\",\"ip_version\":4}\n{\"ip\":\"192.0.2.2\",\"ip_version\":4}\n",
	    ""));
	CU_ASSERT_TRUE(gives(NULL, STR("\xff\xfe<\0x\0/\0>\0"), "",
	    "1: the root element is not nmaprun; the rest of the file is not read\n"));
	CU_ASSERT_TRUE(gives(NULL, STR("hello\n"), "", "unknown"));
	CU_ASSERT_TRUE(gives(NULL, STR(""), "", ""));
}

static CU_TestInfo tests[] = {
	{ "a document is converted into its stored form", a_document_gets_its_stored_form },
	{ "services are sorted and their bodies hashed", services_are_sorted_and_hashed },
	{ "times are canonical and imply each other", times_are_canonical_and_imply_each_other },
	{ "faults name the member of the document", faults_name_the_member },
	{ "lines are limited and counted", lines_are_bounded_and_counted },
	{ "hosts of nmap's XML become documents", nmap_becomes_documents },
	{ "a host of nmap's XML was seen last at its start if its end is earlier",
	    nmap_hosts_end_after_they_begin },
	{ "silent hosts of nmap are left out", nmap_passes_over_silent_hosts },
	{ "closed ports of nmap are left out", nmap_forgets_closed_ports },
	{ "hostile XML is refused", hostile_xml_is_refused },
	{ "masscan records of one host are gathered", masscan_records_are_gathered },
	{ "masscan records are gathered in windows", masscan_windows_follow_each_other },
	{ "faults of masscan records name the line", masscan_faults_name_the_line },
	{ "masscan records may stand in any white space", masscan_may_have_any_white_space },
	{ "the format of a file is recognised", formats_are_guessed },
	CU_TEST_INFO_NULL,
};

int
main(void)
{
	return tap_main(tests);
}
