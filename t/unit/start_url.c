/* SPDX-License-Identifier: ISC */
/* The start_url rule against its vectors, and the rule of public addresses at every edge. */
#include "config.h"

#include "address/netaddr.h"
#include "address/start_url.h"
#include "base/limits.h"
#include "t/unit/tap.h"

#include <arpa/inet.h>

static struct arena *arena;

/* ---- the vectors: URL, accept or reject, canonical form or reason, separated by tabs ---- */

static int
nibble(char c)
{
	return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

/* "{A*7}" is seven times "a", "{E*7}" seven times U+00E9; true when p begins with one. */
static bool
repeated(struct buf *b, const char **p)
{
	char what = (*p)[1], *end;
	unsigned long n;

	if ((what != 'A' && what != 'E') || (*p)[2] != '*')
		return false;
	for (n = strtoul(*p + 3, &end, 10); n > 0; n--)
		buf_z(b, what == 'A' ? "a" : "\xc3\xa9");
	*p = end + 1;
	return true;
}

/* \t \n \r \\ \xNN */
static void
escape(struct buf *b, const char **p)
{
	static const char from[] = "tnr\\", to[] = "\t\n\r\\";
	const char *at = strchr(from, (*p)[1]);

	if ((*p)[1] == 'x') {
		buf_char(b, (char)(nibble((*p)[2]) << 4 | nibble((*p)[3])));
		*p += 4;
		return;
	}
	buf_char(b, at == NULL ? '?' : to[at - from]);
	*p += 2;
}

static struct str
unescape(const char *p)
{
	struct buf b = { .a = arena };

	while (*p != '\0') {
		if (*p == '\\')
			escape(&b, &p);
		else if (*p != '{' || !repeated(&b, &p))
			buf_char(&b, *p++);
	}
	return b.p == NULL ? STR("") : buf_done(&b);
}

/* As the vectors name them. */
static const char *const faults[START_URL_FAULTS] = {
#define START_URL_FAULT(id, code, subject, message) [START_URL_##id] = #id,
#include "tbl/start_url_faults.h"
#undef START_URL_FAULT
};

static void
vector(const char *url, bool accept, const char *wanted)
{
	struct str got = STR_NULL, again;
	char room[32];
	enum start_url_fault f = start_url_check(arena, unescape(url), &got);
	bool good = (f == START_URL_OK) == accept;

	if (f != START_URL_OK)
		got = str_lower_ascii(room, str_of(faults[f]));
	if (strcmp(wanted, "-") != 0)
		good = good && str_eq(got, unescape(wanted));
	if (f == START_URL_OK)
		good = good && start_url_check_stored(arena, got, &again) == START_URL_OK &&
		       str_eq(got, again);
	if (!good)
		printf("# %.80s: got %.*s, wanted %s %.80s\n", url, (int)got.n, got.p,
		    accept ? "accept" : "reject", wanted);
	CU_ASSERT(good);
}

static unsigned
read_vectors(const char *path)
{
	char line[8192], *rest, *url, *verdict, *wanted;
	FILE *in = fopen(path, "r");
	unsigned n = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(in);
	while (in != NULL && fgets(line, sizeof(line), in) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		rest = line;
		url = strsep(&rest, "\t");
		verdict = strsep(&rest, "\t");
		wanted = strsep(&rest, "\t");
		if (line[0] == '#' || wanted == NULL)
			continue;
		vector(url, strcmp(verdict, "accept") == 0, wanted);
		arena_reset(arena);
		n++;
	}
	if (in != NULL)
		fclose(in);
	return n;
}

static void
given(void)
{
	CU_ASSERT(read_vectors("t/golden/start_url.tsv") >= 100); /* C-093, C-094 */
}

static void
ours(void)
{
	CU_ASSERT(read_vectors("t/golden/start_url_more.tsv") >= 100); /* C-093, C-094 */
}

/* Each byte that no URL has, and each that is cut off, at every place of one that passes. */
static void
bytes(void)
{
	static const char url[] = "https://www.example.com:8443/a?b#c";
	static const char bad[] = { '\0', '\t', '\n', ' ', 0x7f, '\\', (char)0x80, (char)0xff };
	struct str out;

	for (size_t i = 0; i < sizeof(url); i++)
		for (size_t j = 0; j < COUNT(bad); j++) {
			struct buf b = { .a = arena };

			buf_add(&b, url, i);
			buf_char(&b, bad[j]);
			buf_z(&b, url + i);
			CU_ASSERT(
			    start_url_check(arena, buf_done(&b), &out) != START_URL_OK); /* C-094 */
			arena_reset(arena);
		}
}

static void
names(void)
{
	char most[64];

	for (enum start_url_fault f = 1; f < START_URL_FAULTS; f++) {
		CU_ASSERT(strlen(start_url_fault_code(f)) > 0);
		CU_ASSERT(start_url_fault_message(arena, f, STR(""), STR("")).n > 0);
	}
	snprintf(most, sizeof(most), "at most %d characters", (int)LIM_START_URL);
	CU_ASSERT_PTR_NOT_NULL(
	    strstr(start_url_fault_message(arena, START_URL_TOO_LONG, STR(""), STR("")).p, most));
}

/* ---- addresses: the first and last of each network, and their neighbours ---- */

static const struct {
	const char *ip;
	bool open;
} addresses[] = { { "0.255.255.255", false }, { "1.0.0.0", true }, { "9.255.255.255", true },
	{ "10.0.0.0", false }, { "10.255.255.255", false }, { "11.0.0.0", true },
	{ "100.63.255.255", true }, { "100.64.0.0", false }, { "100.127.255.255", false },
	{ "100.128.0.0", true }, { "126.255.255.255", true }, { "127.0.0.0", false },
	{ "128.0.0.0", true }, { "168.63.129.15", true }, { "168.63.129.16", false },
	{ "168.63.129.17", true }, { "169.253.255.255", true }, { "169.254.0.0", false },
	{ "169.254.255.255", false }, { "169.255.0.0", true }, { "172.15.255.255", true },
	{ "172.16.0.0", false }, { "172.31.255.255", false }, { "172.32.0.0", true },
	{ "191.255.255.255", true }, { "192.0.0.0", false }, { "192.0.0.255", false },
	{ "192.0.1.0", true }, { "192.0.2.0", false }, { "192.0.3.0", true },
	{ "192.88.98.255", true }, { "192.88.99.0", false }, { "192.88.100.0", true },
	{ "192.167.255.255", true }, { "192.168.0.0", false }, { "192.169.0.0", true },
	{ "198.17.255.255", true }, { "198.18.0.0", false }, { "198.19.255.255", false },
	{ "198.20.0.0", true }, { "198.51.99.255", true }, { "198.51.100.0", false },
	{ "198.51.101.0", true }, { "203.0.112.255", true }, { "203.0.113.0", false },
	{ "203.0.114.0", true }, { "223.255.255.255", true }, { "224.0.0.0", false },
	{ "239.255.255.255", false }, { "240.0.0.0", false }, { "255.255.255.255", false },
	{ "::", false }, { "::1", false }, { "::ffff:8.8.8.8", false },
	{ "64:ff9b::808:808", false }, { "100::1", false }, { "1fff:ffff::", false },
	{ "2000::", true }, { "2001::", false }, { "2001:1ff:ffff::", false },
	{ "2001:200::", true }, { "2001:db7:ffff::", true }, { "2001:db8::", false },
	{ "2001:db8:ffff::", false }, { "2001:db9::", true }, { "2002::", false },
	{ "2002:ffff::", false }, { "2003::", true }, { "3ffe:ffff::", true }, { "3fff::", false },
	{ "3fff:fff:ffff::", false }, { "3fff:1000::", true }, { "4000::", false },
	{ "5f00::", false }, { "fc00::", false }, { "fe80::", false }, { "ff02::1", false } };

static void
edges(void)
{
	for (size_t i = 0; i < COUNT(addresses); i++) {
		unsigned char ip[16];
		bool four = strchr(addresses[i].ip, ':') == NULL;

		CU_ASSERT_EQUAL_FATAL(inet_pton(four ? AF_INET : AF_INET6, addresses[i].ip, ip), 1);
		if ((four ? netaddr_public4(ip) : netaddr_public6(ip)) != addresses[i].open)
			CU_FAIL(addresses[i].ip);
	}
}

int
main(void)
{
	static CU_TestInfo tests[] = {
		{ "the contract's vectors of start URLs hold", given },
		{ "the further vectors of start URLs hold", ours },
		{ "bytes that no URL contains are refused", bytes },
		{ "every fault of a start URL has a message", names },
		{ "networks are refused at their exact edges", edges },
		CU_TEST_INFO_NULL,
	};

	arena = arena_new((size_t)16 << 20);
	return tap_main(tests);
}
