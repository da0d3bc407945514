/* SPDX-License-Identifier: ISC */
/* Merging: laws that random records of every dataset obey, and the rules of tbl/merges.h by example. */
#include "config.h"

#include "t/unit/random_record.h"
#include "t/unit/tap.h"

enum { PAIRS = 10000 };

static struct arena *a;

static struct str
print(const struct record *r)
{
	struct buf b = { .a = a };

	record_print(&b, r, NULL);
	return buf_done(&b);
}

static bool
same(const struct record *x, const struct record *y)
{
	struct str s = print(x), t = print(y);

	if (!str_eq(s, t))
		printf("# %.*s\n# %.*s\n", (int)s.n, s.p, (int)t.n, t.p);
	return str_eq(s, t);
}

/* Whether the canonical text of the record is read back as it is. */
static bool
survives_print(const struct record *r)
{
	struct record again;
	struct str what;

	if (record_parse(a, r->dataset, print(r), RECORD_STRICT, &again, &what) &&
	    record_finish(a, &again, RECORD_STRICT, &what))
		return same(r, &again);
	printf("# %.*s\n", (int)what.n, what.p);
	return false;
}

static void
merge_obeys_its_laws(void)
{
	for (unsigned d = 0; d < DATASETS; d++) {
		unsigned merged = 0, self = 0, either = 0, twice = 0, canonical = 0;

		random_seed = 88172645463325252u + d;
		for (unsigned i = 0; i < PAIRS; i++) {
			struct record x = random_record(a, (enum dataset)d, true, 0);
			struct record y = random_record(a, (enum dataset)d, true, 0);
			struct record xy = record_merge(a, &x, &y), yx = record_merge(a, &y, &x);
			struct record xx = record_merge(a, &x, &x), xyy = record_merge(a, &xy, &y);

			merged += !str_eq(print(&xy), print(&x));
			self += same(&xx, &x);
			either += same(&xy, &yx);
			twice += same(&xyy, &xy);
			canonical += survives_print(&xy);
			CU_ASSERT(str_eq(record_key(a, &xy), record_key(a, &x)));
			arena_reset(a);
		}
		CU_ASSERT_EQUAL(self, PAIRS);
		CU_ASSERT_EQUAL(either, PAIRS);
		CU_ASSERT_EQUAL(twice, PAIRS);
		CU_ASSERT_EQUAL(canonical, PAIRS);
		CU_ASSERT(merged > PAIRS / 2);
	}
}

/* A record without times is imported twice: the second time changes nothing. */
static void
timeless_merge_is_idempotent(void)
{
	for (unsigned d = 0; d < DATASETS; d++) {
		unsigned twice = 0;

		random_seed = 88172645463325252u + d;
		for (unsigned i = 0; i < PAIRS; i++) {
			struct record x = random_record(a, (enum dataset)d, true, 0);
			struct record y = random_record(a, (enum dataset)d, false, 0);
			struct record xy = record_merge(a, &x, &y);
			struct record xyy = record_merge(a, &xy, &y);

			twice += same(&xyy, &xy);
			arena_reset(a);
		}
		CU_ASSERT_EQUAL(twice, PAIRS);
	}
}

/* ---- by example ---- */

static void
merges(enum dataset d, const char *old, const char *new, const char *wanted)
{
	struct record x = record_of_text(a, d, old), y = record_of_text(a, d, new),
		      r = record_merge(a, &x, &y);

	if (!str_is(print(&r), wanted))
		printf("# found  %.*s\n# wanted %s\n", (int)print(&r).n, print(&r).p, wanted);
	CU_ASSERT(str_is(print(&r), wanted));
	arena_reset(a);
}

#define DAY1 "\"last_seen\":\"2026-01-01T00:00:00.000000Z\""
#define DAY2 "\"last_seen\":\"2026-01-02T00:00:00.000000Z\""
#define SEEN "\"first_seen\":\"2026-01-01T00:00:00.000000Z\"," DAY2
#define ONCE "\"first_seen\":\"2026-01-01T00:00:00.000000Z\"," DAY1
/* 62 of the 64 digits of a SHA-256 */
#define SUM "00000000000000000000000000000000000000000000000000000000000000"
#define HOST "{\"ip\":\"192.0.2.1\","
#define HEAD "{\"ip\":\"192.0.2.1\",\"ip_version\":4,\"service_count\":1," SEEN ",\"services\":"

/* A port sweep that knows the port alone must not take away what other tools found there. */
static void
service_keeps_groups(void)
{
	merges(DATASET_HOSTS,
	    HOST DAY1 ",\"services\":[{\"port\":80,\"product\":\"nginx\",\"version\":\"1\","
		      "\"http\":{\"title\":\"Hello\",\"status_code\":200}}]}",
	    HOST DAY2 ",\"services\":[{\"port\":80,\"http\":{\"title\":\"Moved\"}}]}",
	    HEAD "[{\"port\":80,\"transport\":\"tcp\",\"product\":\"nginx\",\"version\":\"1\","
		 "\"http\":{\"title\":\"Moved\"}," SEEN "}]}");
	merges(DATASET_HOSTS,
	    HOST DAY2 ",\"services\":[{\"port\":80,\"product\":\"nginx\",\"version\":\"1\"}]}",
	    HOST DAY1 ",\"services\":[{\"port\":80,\"product\":\"apache\",\"vendor\":\"v\","
		      "\"banner\":\"\"}]}",
	    HEAD "[{\"port\":80,\"transport\":\"tcp\",\"product\":\"nginx\",\"version\":\"1\","
		 "\"banner\":\"\",\"banner_hash\":"
		 "\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"," SEEN
		 "}]}");
}

/* A banner and its hash describe one observation: of two that were made at one time, the greater banner wins with its
   own hash, although the other hash is greater. Members of the group HTTP complete each other instead. */
static void
groups_of_one_time(void)
{
	static const char *const services[] = {
		"[{\"port\":80,\"banner\":\"a\",\"banner_hash\":\"" SUM "bb\","
		"\"http\":{\"title\":\"Hello\"}}]}",
		"[{\"port\":80,\"banner\":\"b\",\"banner_hash\":\"" SUM "aa\","
		"\"http\":{\"status_code\":200}}]}",
	};

	for (size_t i = 0; i < COUNT(services); i++) {
		struct str old = arena_printf(a, HOST DAY1 ",\"services\":%s", services[i]);
		struct str new = arena_printf(a, HOST DAY1 ",\"services\":%s", services[1 - i]);

		merges(DATASET_HOSTS, old.p, new.p,
		    "{\"ip\":\"192.0.2.1\",\"ip_version\":4,\"service_count\":1," ONCE
		    ",\"services\":[{\"port\":80,\"transport\":\"tcp\",\"banner\":\"b\","
		    "\"banner_hash\":\"" SUM
		    "aa\",\"http\":{\"status_code\":200,\"title\":\"Hello\"}," ONCE "}]}");
	}
}

static void
counts_and_sources(void)
{
	merges(DATASET_DNS,
	    "{\"host\":\"a.org\",\"record_type\":\"A\",\"answer\":\"192.0.2.1\",\"count\":7,"
	    "\"ttl\":60,\"source\":[\"x\"]," DAY2 "}",
	    "{\"host\":\"a.org\",\"record_type\":\"A\",\"answer\":\"192.0.2.1\",\"count\":5,"
	    "\"ttl\":90,\"source\":[\"w\"],\"wildcard\":true," DAY1 "}",
	    "{\"host\":\"a.org\",\"record_type\":\"A\",\"rcode\":\"NOERROR\","
	    "\"answer\":\"192.0.2.1\",\"answer_ip\":\"192.0.2.1\",\"apex_domain\":\"a.org\","
	    "\"tld\":\"org\",\"ttl\":60,\"wildcard\":true,\"count\":7,\"source\":[\"w\",\"x\"]"
	    "," SEEN "}");
}

static void
whois_is_replaced_whole(void)
{
	merges(DATASET_WHOIS,
	    "{\"domain\":\"a.org\",\"whois\":{\"registrar\":\"R1\",\"registrant\":{"
	    "\"organisation\":\"Old\"}}," DAY1 "}",
	    "{\"domain\":\"a.org\",\"whois\":{\"registrar\":\"R2\"}," DAY2 "}",
	    "{\"domain\":\"a.org\",\"tld\":\"org\",\"whois\":{\"registrar\":\"R2\"}," SEEN "}");
}

#define CERT "{\"fingerprint_sha256\":\"" SUM "aa\",\"not_before\":\"2026-01-01T00:00:00.000000Z\","

/* The record without DER is the later one; still it does not replace what was parsed from the DER. */
static void
parsed_certificate_wins(void)
{
	merges(DATASET_CERTIFICATES,
	    CERT "\"spki_sha256\":\"" SUM "aa\",\"subject\":{\"common_name\":\"a.org\"},"
		 "\"ct\":{\"log\":\"L1\",\"seen_at\":\"2026-01-02T00:00:00Z\"}," DAY1 "}",
	    CERT "\"subject\":{\"common_name\":\"wrong\",\"organisation\":\"O\"},"
		 "\"ct\":{\"log\":\"L2\",\"seen_at\":\"2026-01-01T00:00:00Z\"}," DAY2 "}",
	    "{\"fingerprint_sha256\":\"" SUM "aa\",\"spki_sha256\":\"" SUM
	    "aa\",\"subject\":{\"common_name\":\"a.org\"},"
	    "\"not_before\":\"2026-01-01T00:00:00.000000Z\","
	    "\"ct\":{\"log\":\"L2\",\"seen_at\":\"2026-01-01T00:00:00.000000Z\"}," SEEN "}");
}

static void
timeless_record_is_later(void)
{
	merges(DATASET_HOSTS, HOST "\"os\":\"a\",\"asn\":1," DAY1 "}", HOST "\"os\":\"b\"}",
	    "{\"ip\":\"192.0.2.1\",\"ip_version\":4,\"asn\":1,\"os\":\"b\","
	    "\"first_seen\":\"2026-01-01T00:00:00.000000Z\"," DAY1 "}");
}

/* A host with services on n ports of a transport. */
static struct record
host_with_ports(const char *transport, int n)
{
	struct record r = record_new(a, DATASET_HOSTS);
	struct str what;

	record_set_text(a, r.root, "ip", STR("192.0.2.1"));
	for (int port = 1; port <= n; port++) {
		struct record_object *s = record_nested(a, &r);

		record_set_int(a, s, "port", port);
		record_set_text(a, s, "transport", str_of(transport));
	}
	if (!record_finish(a, &r, RECORD_STRICT, &what))
		panic("%.*s", (int)what.n, what.p);
	return r;
}

/* A document whose list is longer than its limit could not be read again. */
static void
united_lists_have_a_limit(void)
{
	struct record r[2], both;
	const struct str *sources;

	for (size_t i = 0; i < COUNT(r); i++) {
		struct buf b = { .a = a };

		buf_z(&b, "{\"host\":\"a.org\",\"record_type\":\"A\",\"source\":[\"first\"");
		for (size_t k = 0; k < 80; k++)
			buf_printf(&b, ",\"%c%03zu\"", i == 0 ? 'a' : 'b', k);
		buf_printf(&b, "]," DAY1 "}%c", '\0');
		r[i] = record_of_text(a, DATASET_DNS, b.p);
	}
	both = record_merge(a, &r[0], &r[1]);
	CU_ASSERT_EQUAL(record_texts(both.root, "source", &sources), 100);
	CU_ASSERT_TRUE(str_is(sources[0], "a000") && str_is(sources[99], "b019"));
	CU_ASSERT_TRUE(survives_print(&both));
	arena_reset(a);
}

static void
host_has_all_ports(void)
{
	struct record tcp = host_with_ports("tcp", 65535), udp = host_with_ports("udp", 65535);
	struct record r = record_merge(a, &tcp, &udp);

	CU_ASSERT_TRUE(survives_print(&r));
	arena_reset(a);
}

static CU_TestInfo tests[] = {
	{ "A host with all ports of two transports can be read again", host_has_all_ports },
	{ "Merge is idempotent and commutative for every dataset (C-406)", merge_obeys_its_laws },
	{ "A record without times changes nothing the second time (C-404)",
	    timeless_merge_is_idempotent },
	{ "A service keeps the member groups that the later record lacks (C-888)", service_keeps_groups },
	{ "Groups of two records of one time win whole or member by member", groups_of_one_time },
	{ "A DNS record keeps the greater count and all sources (C-889)", counts_and_sources },
	{ "Lists that are united have the limit of their member", united_lists_have_a_limit },
	{ "A whois answer replaces the earlier one as a whole (C-929)", whois_is_replaced_whole },
	{ "A certificate that was parsed from DER is not overwritten (C-890)", parsed_certificate_wins },
	{ "A record without times counts as the later one", timeless_record_is_later },
	CU_TEST_INFO_NULL,
};

int
main(void)
{
	a = arena_new((size_t)1 << 30);
	return tap_main(tests);
}
