/* SPDX-License-Identifier: ISC */
/* src/cli/import: CSV, times, titles and ports as scanners write them. */
#include "config.h"

#include "cli/import/csv.h"
#include "cli/import/masscan.h"
#include "cli/import/tool_host.h"
#include "t/unit/tap.h"

#include <sys/mman.h>
#include <unistd.h>

struct result {
	struct buf docs, bad; /* a line each */
};

static bool
take_record(void *arg, struct record *r, struct str der)
{
	struct result *to = arg;

	(void)der;
	record_print(&to->docs, r, NULL);
	buf_char(&to->docs, '\n');
	return true;
}

static void
take_bad(void *arg, uint64_t line, struct str what)
{
	struct result *to = arg;

	buf_printf(&to->bad, "%ju: %.*s\n", (uintmax_t)line, (int)what.n, what.p);
}

/* Whether the records that the reader finds contain the texts, but those behind "!", and its messages are these.
   memory: bytes of the reader's arena, above which it panics. */
static bool
gives_within(size_t memory, records_reader *reader, struct str text, const char *const *docs,
    const char *bad)
{
	struct result got = { .docs = { .n = 0 } };
	struct source src;
	struct records rs = { .dataset = DATASET_HOSTS,
		.src = &src,
		.a = arena_new(memory),
		.seen = TS_NULL,
		.window = 2,
		.take = take_record,
		.bad = take_bad,
		.arg = &got };
	int fd = memfd_create("import", MFD_CLOEXEC);
	bool same;

	if (fd < 0 || write(fd, text.p, text.n) != (ssize_t)text.n || lseek(fd, 0, SEEK_SET) != 0)
		panic("no memfd");
	source_open(&src, fd, -1);
	reader(&rs);
	source_close(&src);
	close(fd);
	arena_free(rs.a);
	buf_char(&got.docs, '\0');
	same = str_is(buf_done(&got.bad), bad);
	for (size_t i = 0; docs[i] != NULL; i++)
		same = same && (docs[i][0] == '!' ? strstr(got.docs.p, docs[i] + 1) == NULL
						  : strstr(got.docs.p, docs[i]) != NULL);
	if (!same)
		printf("# docs: %s\n# bad: %.*s\n", got.docs.p, (int)got.bad.n, got.bad.p);
	buf_free(&got.docs);
	buf_free(&got.bad);
	return same;
}

static bool
gives(records_reader *reader, struct str text, const char *const *docs, const char *bad)
{
	return gives_within((size_t)1 << 30, reader, text, docs, bad);
}

#define DOCS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void
csv_lines_are_split(void)
{
	static const struct {
		const char *line, *values; /* with "|" between them */
	} cases[] = {
		{ "", "" },
		{ "a", "a" },
		{ "a,,b,", "a||b|" },
		{ "\"a,b\",c", "a,b|c" },
		{ "\"say \"\"hi\"\", b\",c", "say \"hi\", b|c" },
		{ "\"say \"hi\", b\",c", "say \"hi| b\"|c" }, /* nobody can tell these two apart */
		{ "\"say \"hi\" to a,b\",c", "say \"hi\" to a,b|c" },
		{ "a\"b,c", "a\"b|c" },
		{ "\"open", "open" },
		{ "\"\",\"\"", "|" },
	};
	struct arena *a = arena_new((size_t)1 << 20);

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf b = { .a = a };
		struct str *values;
		size_t n = csv_split(a, str_of(cases[i].line), &values);

		for (size_t k = 0; k < n; k++) {
			if (k > 0)
				buf_char(&b, '|');
			buf_str(&b, values[k]);
		}
		CU_ASSERT_TRUE(str_is(buf_done(&b), cases[i].values));
	}
	arena_free(a);
}

static void
times_of_tools_are_read(void)
{
	static const struct {
		const char *text, *time; /* "": no time */
	} cases[] = {
		{ "2026-01-02T03:04:05.678+0100", "2026-01-02T02:04:05.678000Z" },
		{ "2026-01-02 03:04:05.678901234 +0000 UTC", "2026-01-02T03:04:05.678901Z" },
		{ "2026-01-02 03:04:05 -0730 MST", "2026-01-02T10:34:05.000000Z" },
		{ "2026-01-02 03:04:05", "2026-01-02T03:04:05.000000Z" },
		{ "2026-01-02T03:04:05.1+02:00", "2026-01-02T01:04:05.100000Z" },
		{ "2026-01-02", "2026-01-02T00:00:00.000000Z" },
		{ "0001-01-01T00:00:00Z", "" },
		{ "2026-01-02 03:04:05 +", "" },
		{ "2026-01-02 03:04:05 +01", "" },
		{ "yesterday", "" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char text[TS_LEN + 1] = "";
		struct ts t;

		if (tool_time(str_of(cases[i].text), &t))
			ts_print(t, text);
		CU_ASSERT_STRING_EQUAL(text, cases[i].time);
	}
}

static void
titles_are_found_in_pages(void)
{
	static const struct {
		const char *page, *title; /* NULL: none */
	} cases[] = {
		{ "<html><TITLE lang=en>\n A &amp; B\t&lt;C&gt; </Title>x", "A & B <C>" },
		{ "<title>&#8212;&#x41;&#0;&#xD800;&#1114112;&bogus;&",
		    "\xe2\x80\x94"
		    "A&#0;&#xD800;&#1114112;&bogus;&" },
		{ "<title></title>", NULL },
		{ "<title", NULL },
		{ "no title", NULL },
	};
	struct arena *a = arena_new((size_t)1 << 20);

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct record r = record_new(a, DATASET_HOSTS);
		struct record_object *s = tool_service(a, &r, 80, STR_NULL);

		tool_set_title(a, s, str_of(cases[i].page));
		CU_ASSERT_TRUE(str_eq(record_text(s, "http.title"), str_of(cases[i].title)));
	}
	arena_free(a);
}

static void
ports_are_checked(void)
{
	struct str transport = STR("tcp");
	int64_t port;

	CU_ASSERT_TRUE(tool_port(STR("443"), &port, &transport) && port == 443);
	CU_ASSERT_TRUE(str_is(transport, "tcp"));
	CU_ASSERT_TRUE(tool_port(STR("53/UDP"), &port, &transport) && port == 53);
	CU_ASSERT_TRUE(str_is(transport, "udp"));
	CU_ASSERT_FALSE(tool_port(STR("65536"), &port, &transport));
	CU_ASSERT_FALSE(tool_port(STR("0"), &port, &transport));
	CU_ASSERT_FALSE(tool_port(STR("53/icmp"), &port, &transport));
	CU_ASSERT_FALSE(tool_port(STR(""), &port, &transport));
}

static void
bytes_of_banners_are_characters(void)
{
	struct arena *a = arena_new((size_t)1 << 20);

	CU_ASSERT_TRUE(
	    str_is(masscan_unescape(a, STR("a\\x0d\\xE9\\x4\\xg0\\")), "a\r\xc3\xa9\\x4\\xg0\\"));
	CU_ASSERT_TRUE(str_is(masscan_unescape(a, STR_NULL), ""));
	arena_free(a);
}

/* The window of this test is two hosts. */
static void
lines_of_a_host_are_gathered(void)
{
	CU_ASSERT_TRUE(gives(read_naabu,
	    STR("{\"ip\":\"192.0.2.1\",\"host\":\"a.example.org\",\"port\":80}\n"
		"{\"ip\":\"::ffff:192.0.2.1\",\"host\":\"b.example.org\",\"port\":81}\n"
		"{\"ip\":\"192.0.2.2\",\"port\":80}\n{\"ip\":\"192.0.2.1\",\"port\":82}\n"),
	    DOCS("{\"ip\":\"192.0.2.1\",\"ip_version\":4,\"hostnames\":[\"a.example.org\",\"b."
		 "example.org\"],"
		 "\"apex_domains\":[\"example.org\"],\"service_count\":2,",
		"{\"ip\":\"192.0.2.1\",\"ip_version\":4,\"service_count\":1,\"services\":[{"
		"\"port\":82"),
	    ""));
}

static void
ports_of_naabu_may_be_objects(void)
{
	CU_ASSERT_TRUE(gives(read_naabu,
	    STR("{\"ip\":\"192.0.2.1\",\"port\":{\"Port\":443,\"Protocol\":0,\"TLS\":true}}\n"
		"{\"ip\":\"192.0.2.1\",\"port\":{\"Port\":53,\"Protocol\":1,\"TLS\":false}}\n"
		"{\"ip\":\"192.0.2.1\",\"port\":{\"Protocol\":1}}\n"),
	    DOCS("{\"port\":53,\"transport\":\"udp\"}",
		"{\"port\":443,\"transport\":\"tcp\",\"tls_enabled\":true}"),
	    "3: port: must be a number from 0 to 65535\n"));
}

static void
joined_files_have_several_headers(void)
{
	CU_ASSERT_TRUE(gives(read_zmap,
	    STR("\xef\xbb\xbfsaddr,sport\r\n192.0.2.1,80\r\n\r\nsaddr,sport\r\n192.0.2.2,81\r\n192."
		"0.2.3\r\n"),
	    DOCS("\"ip\":\"192.0.2.1\",\"ip_version\":4,\"service_count\":1,\"services\":[{"
		 "\"port\":80",
		"\"ip\":\"192.0.2.2\",\"ip_version\":4,\"service_count\":1,\"services\":[{\"port\":"
		"81"),
	    "6: the line has 1 columns, not 2\n"));
	CU_ASSERT_TRUE(gives(read_zmap, STR("saddr,saddr\n192.0.2.1,192.0.2.2\n"), DOCS(""),
	    "2: two columns have one name\n"));
	CU_ASSERT_TRUE(gives(read_zmap, STR("saddr,\xff\n192.0.2.1,x\n"), DOCS(""),
	    "1: the names of the columns are no valid UTF-8; write them in UTF-8\n"));
	CU_ASSERT_TRUE(gives(read_zmap, STR("saddr,x\n192.0.2.1,\xff\n"), DOCS(""),
	    "2: the line is no valid UTF-8\n"));
}

static void
a_root_page_goes_before_other_paths(void)
{
#define LINE(path, second, title)                                                                  \
	"{\"url\":\"http://192.0.2.1" path                                                         \
	"\",\"input\":\"192.0.2.1\",\"host\":\"192.0.2.1\",\"path\":\"" path                       \
	"\",\"port\":\"80\",\"status_code\":200,\"timestamp\":\"2026-01-02T03:04:" second          \
	"Z\",\"title\":\"" title "\"}\n"
	CU_ASSERT_TRUE(gives(read_httpx,
	    STR(LINE("/x", "01", "X") LINE("/", "02", "Root") LINE("/y", "03", "Y")),
	    DOCS("\"http\":{\"status_code\":200,\"title\":\"Root\"}", "!\"X\"", "!\"Y\""), ""));
	CU_ASSERT_TRUE(gives(read_httpx, STR(LINE("/x", "05", "X") LINE("/y", "03", "Y")),
	    DOCS("\"title\":\"X\"", "!\"Y\""), ""));
#undef LINE
}

#define NMAP(ports, scripts)                                                                       \
	"<nmaprun><host><address addr=\"192.0.2.1\" addrtype=\"ipv4\"/><ports>" ports              \
	"</ports><hostscript>" scripts "</hostscript></host></nmaprun>"
#define SERVICE(port, state, scripts)                                                              \
	"<port protocol=\"tcp\" portid=\"" port "\"><state state=\"" state                         \
	"\"/><service name=\"x\" ostype=\"Windows\"/>" scripts "</port>"
#define VULNERABLE(cve, state)                                                                     \
	"<table key=\"" cve "\"><elem key=\"title\">T</elem><elem key=\"state\">" state            \
	"</elem><table key=\"ids\"><elem>CVE:" cve "</elem><elem>BID:1</elem></table></table>"

static void
scripts_of_nmap_describe_hosts(void)
{
	CU_ASSERT_TRUE(gives(read_nmap,
	    STR(NMAP(SERVICE("3389", "open",
			 "<script id=\"rdp-ntlm-info\" output=\"x\"><elem "
			 "key=\"DNS_Computer_Name\">pc.corp.example.org</elem><elem "
			 "key=\"NetBIOS_Computer_Name\">PC</elem></script>"),
		"<script id=\"smb-os-discovery\" output=\"x\"><elem key=\"os\">Windows Server 2016 "
		"14393</elem><elem key=\"fqdn\">pc2.corp.example.org</elem></script>"
		"<script id=\"smb-vuln-ms17-010\" output=\"x\">" VULNERABLE("CVE-2017-0143",
		    "VULNERABLE") VULNERABLE("CVE-2017-0001", "NOT VULNERABLE") "</script>")),
	    DOCS("\"hostnames\":[\"pc.corp.example.org\",\"pc2.corp.example.org\"]",
		"\"os\":\"Windows Server 2016 14393\"", "\"vulnerabilities\":[\"CVE-2017-0143\"]"),
	    ""));
}

static void
scripts_of_services_and_closed_ports_differ(void)
{
	CU_ASSERT_TRUE(gives(read_nmap,
	    STR(NMAP(
		SERVICE("80", "open",
		    "<script id=\"vulners\" output=\"x\"><table key=\"cpe:/a:a:b:1\"><table><elem "
		    "key=\"id\">CVE-2021-1111</elem></table><table><elem "
		    "key=\"id\">EDB-ID:1</elem></table></table></script>") SERVICE("81", "closed",
		    "<script id=\"vulners\" output=\"x\"><table><elem "
		    "key=\"id\">CVE-2021-2222</elem></table></script>"),
		"")),
	    DOCS("\"vulnerabilities\":[\"CVE-2021-1111\"]", "\"service_count\":1"), ""));
}

#define HOST_HEAD                                                                                  \
	"<host><address addr=\"192.0.2.1\" addrtype=\"ipv4\"/><ports><port protocol=\"tcp\" "      \
	"portid=\"443\"><state state=\"open\"/>"
#define HOST_TAIL "</port></ports></host></nmaprun>"

enum { INPUT = 64 << 20, MEMORY = 32 << 20 };

/* Adds elements until the text has the size INPUT. Each has 60000 characters between open and close. */
static void
add_many(struct buf *b, const char *open, const char *close)
{
	static char many[60000];

	memset(many, 'A', sizeof(many));
	while (b->n < INPUT) {
		buf_z(b, open);
		buf_add(b, many, sizeof(many));
		buf_z(b, close);
	}
}

static bool
is_too_large(const char *before, const char *open, const char *close, const char *behind)
{
	struct buf b = { .n = 0 };
	bool is;

	buf_z(&b, before);
	add_many(&b, open, close);
	buf_z(&b, behind);
	is = gives_within(MEMORY, read_nmap, buf_done(&b), DOCS("!192.0.2.1"),
	    "1: the host is larger than 8388608 bytes\n");
	buf_free(&b);
	return is;
}

static void
masscan_hosts_have_a_bound(void)
{
	static const char head[] = "<nmaprun scanner=\"masscan\">" HOST_HEAD;

	CU_ASSERT_TRUE(is_too_large(head, "<service name=\"http\" banner=\"", "\"/>", HOST_TAIL));
	CU_ASSERT_TRUE(is_too_large(head, "<port portid=\"1\" protocol=\"", "\"/>", HOST_TAIL));
	CU_ASSERT_TRUE(is_too_large(head, "<address addr=\"", "\"/>", HOST_TAIL));
}

static void
nmap_hosts_have_a_bound(void)
{
	static const char end[] = "</script>" HOST_TAIL;

	CU_ASSERT_TRUE(is_too_large("<nmaprun>" HOST_HEAD "<script id=\"rdp-ntlm-info\">",
	    "<elem key=\"Product_Version\">", "</elem>", end));
	CU_ASSERT_TRUE(is_too_large("<nmaprun>" HOST_HEAD "<script id=\"ssl-cert\">",
	    "<elem key=\"pem\">-----BEGIN CERTIFICATE-----", "-----END</elem>", end));
	CU_ASSERT_TRUE(is_too_large("<nmaprun>" HOST_HEAD,
	    "<service name=\"http\" product=\"x\" extrainfo=\"", "\"/>", HOST_TAIL));
}

static void
elements_outside_of_hosts_need_no_memory(void)
{
	struct buf b = { .n = 0 };

	buf_z(&b, "<nmaprun scanner=\"masscan\">");
	add_many(&b, "<service name=\"http\" banner=\"", "\"/>");
	buf_z(&b, HOST_HEAD HOST_TAIL);
	CU_ASSERT_TRUE(gives_within(
	    MEMORY, read_nmap, buf_done(&b), DOCS("\"ip\":\"192.0.2.1\"", "!AAA"), ""));
	buf_free(&b);
}

static CU_TestInfo tests[] = {
	{ "lines of CSV are split at commas outside of quotes", csv_lines_are_split },
	{ "times of tools and registries are read", times_of_tools_are_read },
	{ "titles are found in pages and decoded", titles_are_found_in_pages },
	{ "ports with a transport are checked", ports_are_checked },
	{ "escaped bytes of masscan's banners become characters", bytes_of_banners_are_characters },
	{ "lines about one host are gathered in windows", lines_of_a_host_are_gathered },
	{ "ports of naabu may be objects", ports_of_naabu_may_be_objects },
	{ "joined files of CSV have several headers", joined_files_have_several_headers },
	{ "the page of / goes before those of other paths", a_root_page_goes_before_other_paths },
	{ "scripts of nmap tell names, systems and vulnerabilities",
	    scripts_of_nmap_describe_hosts },
	{ "scripts of closed ports tell nothing about a host",
	    scripts_of_services_and_closed_ports_differ },
	{ "a host of masscan's XML with very many elements is reported as too large",
	    masscan_hosts_have_a_bound },
	{ "a host of nmap's XML with very many elements is reported as too large",
	    nmap_hosts_have_a_bound },
	{ "elements of masscan's XML outside of a host use no memory",
	    elements_outside_of_hosts_need_no_memory },
	CU_TEST_INFO_NULL,
};

int
main(void)
{
	return tap_main(tests);
}
