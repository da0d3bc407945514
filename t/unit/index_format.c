/* SPDX-License-Identifier: ISC */
/* src/search/index: the forms of values that depend on the content of a segment. Expected counts follow from the
   documents by arithmetic. */
#include "config.h"

#include "search/index/format/column.h"
#include "search/index/format/segment.h"
#include "t/unit/index_world.h"
#include "t/unit/tap.h"

enum { MANY = 150000, HASHES = 70001 };

/* ---- an index of hosts that a test describes ---- */

struct made {
	struct world w;
	uint32_t next; /* the address of the next host */
};

static void
add(struct made *m, const char *members)
{
	struct ipnet ip = { .bits = 128, .a = { [10] = 0xff, [11] = 0xff } };
	char err[INDEX_FAULT] = "";
	struct str json;

	for (int k = 0; k < 4; k++)
		ip.a[12 + k] = (unsigned char)(m->next >> (24 - 8 * k));
	m->next++;
	json = arena_printf(m->w.n.a, "{%s}", members);
	CU_ASSERT_TRUE_FATAL(index_build_add(m->w.b, key_of(m->w.n.a, &ip), json, err));
}

static void
flush(struct made *m)
{
	struct index_segment fresh;
	char err[INDEX_FAULT] = "";

	CU_ASSERT_TRUE_FATAL(index_build_write(m->w.b, m->w.directory, &fresh, err));
	CU_ASSERT_TRUE_FATAL(index_state_add(m->w.directory, &m->w.state, fresh, err));
	CU_ASSERT_TRUE_FATAL(index_publish(m->w.directory, &m->w.state, err));
	CU_ASSERT_STRING_EQUAL(err, "");
}

static uint64_t
hits(struct made *m, const char *text)
{
	struct engine *e = engine_open_index(m->w.directory);
	struct count n = { 0, RELATION_EQ };
	struct query_fault fault;
	struct query q;

	CU_ASSERT_TRUE_FATAL(
	    query_parse(m->w.n.a, DATASET_HOSTS, str_of(text), NAIVE_NOW, &q, &fault));
	CU_ASSERT_EQUAL(engine_count(e, m->w.n.a, &q, &plenty, &n), ENGINE_OK);
	engine_close(e);
	return n.n;
}

static enum term_form
form_in(struct made *m, size_t segment, const char *field)
{
	const struct segment *s = m->w.state.segments[segment].open;

	return segment_terms(s, schema_find(DATASET_HOSTS, str_of(field)), PART_VALUES)->form;
}

/* ---- tests ---- */

#define HASH_A "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define HASH_B "ff112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define BANNER_HASH(h) "\"services\":[{\"port\":1,\"banner_hash\":\"" h "\"}]"

static void
hexadecimal_texts_join_other_texts(void) /* C-423 */
{
	const struct schema_field *f = schema_find(DATASET_HOSTS, STR("services.banner_hash"));
	struct query q = { .dataset = DATASET_HOSTS, .root = &(struct node){ .type = NODE_ALL } };
	struct agg agg = { f, 10 };
	struct made m = { .next = 1 };
	struct engine *e;
	struct group g;

	world_begin(&m.w, 1);
	add(&m, BANNER_HASH(HASH_A));
	add(&m, BANNER_HASH(HASH_A));
	add(&m, BANNER_HASH(HASH_B));
	flush(&m);
	add(&m, BANNER_HASH(HASH_A));
	add(&m, BANNER_HASH("none"));
	flush(&m);
	CU_ASSERT_EQUAL(form_in(&m, 0, "services.banner_hash"), FORM_HEX);
	CU_ASSERT_EQUAL(form_in(&m, 1, "services.banner_hash"), FORM_STRINGS);
	CU_ASSERT_EQUAL(hits(&m, "services.banner_hash:" HASH_A), 3);
	CU_ASSERT_EQUAL(hits(&m, "services.banner_hash:00112233*"), 3);
	CU_ASSERT_EQUAL(hits(&m, "services.banner_hash:*"), 5);
	CU_ASSERT_EQUAL(hits(&m, "services.banner_hash:FF112233445566778899AABBCCDDEEFF*"), 1);
	e = engine_open_index(m.w.directory);
	CU_ASSERT_EQUAL(engine_aggregate(e, m.w.n.a, &q, &plenty, &agg, 1, &g), ENGINE_OK);
	CU_ASSERT_EQUAL_FATAL(g.nbuckets, 3);
	CU_ASSERT_EQUAL(g.buckets[0].count, 3);
	CU_ASSERT_TRUE(str_is(g.buckets[0].value.s, HASH_A));
	CU_ASSERT_TRUE(str_is(g.buckets[1].value.s, HASH_B));
	CU_ASSERT_TRUE(str_is(g.buckets[2].value.s, "none"));
	engine_close(e);
	world_end(&m.w);
}

#define BANNER(b) "\"services\":[{\"port\":1,\"banner\":\"" b "\"}]"

static void
a_whole_text_is_told_from_others_with_its_words(void)
{
	struct made m = { .next = 1 };

	world_begin(&m.w, 2);
	add(&m, BANNER("hello world"));
	add(&m, BANNER("world hello"));
	add(&m, BANNER("hello, world"));
	add(&m, BANNER("--"));
	add(&m, BANNER("++"));
	add(&m, "\"os\":\"none\"");
	flush(&m);
	CU_ASSERT_EQUAL(form_in(&m, 0, "services.banner"), FORM_HASHED);
	CU_ASSERT_EQUAL(hits(&m, "services.banner:\"hello world\""), 3);
	CU_ASSERT_EQUAL(hits(&m, "services.banner=\"hello world\""), 1);
	CU_ASSERT_EQUAL(hits(&m, "services.banner=\"hello, world\""), 1);
	CU_ASSERT_EQUAL(hits(&m, "services.banner=\"Hello world\""), 0);
	CU_ASSERT_EQUAL(hits(&m, "services.banner=\"--\""), 1);
	CU_ASSERT_EQUAL(hits(&m, "services.banner=\"+++\""), 0);
	CU_ASSERT_EQUAL(hits(&m, "services:(port:1 AND banner=\"++\")"), 1);
	CU_ASSERT_EQUAL(hits(&m, "services.banner:*"), 5);
	world_end(&m.w);
}

#define SEEN(t) "\"last_seen\":\"" t "\""

static void
dates_are_exact_in_every_form(void)
{
	const struct schema_field *f = schema_find(DATASET_HOSTS, STR("last_seen"));
	struct made m = { .next = 1 };

	world_begin(&m.w, 3);
	add(&m, SEEN("2026-01-02T03:04:05Z"));
	for (int i = 0; i < 100; i++)
		add(&m, "\"os\":\"none\"");
	add(&m, SEEN("2026-01-02T03:04:06Z"));
	flush(&m);
	add(&m, SEEN("2026-01-02T03:04:05.500000Z"));
	flush(&m);
	CU_ASSERT_PTR_NOT_NULL(
	    segment_terms(m.w.state.segments[0].open, f, PART_VALUES)->seconds.has.bits);
	CU_ASSERT_PTR_NOT_NULL(segment_terms(m.w.state.segments[1].open, f, PART_VALUES)->dates);
	CU_ASSERT_EQUAL(hits(&m, "last_seen:*"), 3);
	CU_ASSERT_EQUAL(hits(&m, "last_seen:>=2026-01-02T03:04:05Z"), 3);
	CU_ASSERT_EQUAL(hits(&m, "last_seen:>2026-01-02T03:04:05Z"), 2);
	CU_ASSERT_EQUAL(hits(&m, "last_seen:>2026-01-02T03:04:05.500000Z"), 1);
	CU_ASSERT_EQUAL(hits(&m, "last_seen:>2026-01-02T03:04:06Z"), 0);
	CU_ASSERT_EQUAL(hits(&m, "last_seen:<=2026-01-02T03:04:05.499999Z"), 1);
	CU_ASSERT_EQUAL(hits(&m, "last_seen:>=1970-01-01"), 3);
	CU_ASSERT_EQUAL(hits(&m, "last_seen:<9999-12-31"), 3);
	CU_ASSERT_EQUAL(hits(&m, "last_seen:<1970-01-02"), 0);
	world_end(&m.w);
}

/* The hash of service k of host i: a host of two services has the same hash twice. */
static int
hash_of(int i, int k)
{
	return (i * 3 + (i % 3 == 1 ? 0 : k)) % HASHES;
}

/* Host i has the services 1 + i % 3, all with the product p<i % 7>, and the port 1000 + i % 20000; every third service
   of another transport. */
static void
add_many(struct made *m)
{
	char members[1024];

	for (int i = 0; i < MANY; i++) {
		int n =
		    snprintf(members, sizeof(members), "\"asn\":%d,\"os\":\"%s\",\"services\":[",
			i % 50000, i % 40 == 0 ? "rare" : "usual");

		for (int k = 0; k <= i % 3; k++)
			n += snprintf(members + n, sizeof(members) - (size_t)n,
			    "%s{\"port\":%d,\"transport\":\"%s\",\"product\":\"p%d\",\"banner\":"
			    "\"b%d\",\"banner_hash\":\"%032x\"}",
			    k > 0 ? "," : "", 1000 + i % 20000, k == 2 ? "udp" : "tcp", i % 7, i,
			    hash_of(i, k));
		snprintf(members + n, sizeof(members) - (size_t)n, "]");
		add(m, members);
		if (i % 1000 == 0)
			arena_reset(m->w.n.a);
	}
}

/* The facet of hashes over the hosts whose number is divisible by `every`, the result of a query. */
static void
check_hashes(struct made *m, const char *text, int every)
{
	const struct schema_field *f = schema_find(DATASET_HOSTS, STR("services.banner_hash"));
	uint32_t *want = mem_array(HASHES, sizeof(*want));
	struct engine *e = engine_open_index(m->w.directory);
	struct agg agg = { f, 1000 };
	struct query_fault fault;
	uint64_t wrong = 0;
	struct query q;
	struct group g;

	for (int i = 0; i < MANY; i += every)
		for (int k = 0; k <= (i % 3 == 1 ? 0 : i % 3); k++)
			want[hash_of(i, k)]++;
	CU_ASSERT_TRUE_FATAL(
	    query_parse(m->w.n.a, DATASET_HOSTS, str_of(text), NAIVE_NOW, &q, &fault));
	CU_ASSERT_EQUAL(engine_aggregate(e, m->w.n.a, &q, &plenty, &agg, 1, &g), ENGINE_OK);
	CU_ASSERT_EQUAL(g.nbuckets, 1000);
	for (size_t i = 0; i < g.nbuckets; i++)
		wrong += g.buckets[i].count !=
			 want[strtoul(arena_printf(m->w.n.a, "%.*s", (int)g.buckets[i].value.s.n,
					  g.buckets[i].value.s.p)
					  .p,
			     NULL, 16)];
	CU_ASSERT_EQUAL(wrong, 0);
	engine_close(e);
	free(want);
}

static void
rows_are_exact(void) /* C-423 */
{
	const struct schema_field *f = schema_find(DATASET_HOSTS, STR("services.banner_hash"));
	struct made m = { .next = 1 };

	world_begin(&m.w, 5);
	add_many(&m);
	flush(&m);
	CU_ASSERT_PTR_NOT_NULL(
	    segment_terms(m.w.state.segments[0].open, f, PART_VALUES)->column.first);
	check_hashes(&m, "os:rare", 40);
	check_hashes(&m, "services.product:p0", 7);
	check_hashes(&m, "os:*", 1);
	world_end(&m.w);
}

/* The places of such hosts do not fit into one list of places. */
static void
rows_of_thousands_of_services_are_exact(void) /* C-423 */
{
	enum { CROWDED = 10, EACH = 9000 };
	const struct schema_field *f = schema_find(DATASET_HOSTS, STR("services.port"));
	struct made m = { .next = 1 };
	struct agg agg = { f, EACH };
	struct buf b = { 0 };
	struct query_fault fault;
	struct engine *e;
	uint64_t wrong = 0;
	struct query q;
	struct group g;

	world_begin(&m.w, 6);
	for (int i = 0; i < CROWDED; i++) {
		buf_clear(&b);
		buf_printf(&b, "\"os\":\"o%d\",\"services\":[", i % 2);
		for (int port = 1; port <= EACH; port++)
			buf_printf(&b, "%s{\"port\":%d}", port == 1 ? "" : ",", port);
		buf_printf(&b, "]");
		buf_char(&b, '\0');
		add(&m, b.p);
	}
	flush(&m);
	CU_ASSERT_PTR_NOT_NULL(
	    segment_terms(m.w.state.segments[0].open, f, PART_VALUES)->column.first);
	e = engine_open_index(m.w.directory);
	CU_ASSERT_TRUE_FATAL(
	    query_parse(m.w.n.a, DATASET_HOSTS, STR("os:o1"), NAIVE_NOW, &q, &fault));
	CU_ASSERT_EQUAL(engine_aggregate(e, m.w.n.a, &q, &plenty, &agg, 1, &g), ENGINE_OK);
	CU_ASSERT_EQUAL(g.nbuckets, EACH);
	for (size_t i = 0; i < g.nbuckets; i++)
		wrong += g.buckets[i].count != CROWDED / 2;
	CU_ASSERT_EQUAL(wrong, 0);
	engine_close(e);
	world_end(&m.w);
	buf_free(&b);
}

/* Documents of no place, of few and of more than one list has room for. */
static void
places_of_documents_are_listed_whole(void) /* C-423 */
{
	static const uint32_t first[] = { 0, 0, 1, 1, 4, 9004, 79004, 79006 };
	static const uint32_t docs[6 + COLUMN_AHEAD] = { 0, 1, 3, 4, 5, 6 };
	struct places w = { .first = first, .nplaces = 79006, .docs = docs, .n = 6 };
	uint32_t at[PLACES_ROOM], next = 0;
	uint64_t wrong = 0;
	size_t n;

	while ((n = places_next(&w, at)) > 0) {
		CU_ASSERT_TRUE_FATAL(n <= PLACES_ROOM - COLUMN_AHEAD);
		for (size_t i = 0; i < n; i++)
			wrong += at[i] != next++;
	}
	CU_ASSERT_EQUAL(next, 79006);
	CU_ASSERT_EQUAL(wrong, 0);
	w = (struct places){ .first = first, .nplaces = 9003, .docs = docs, .n = 6 };
	CU_ASSERT_EQUAL(places_next(&w, at), 4); /* a damaged number has no places */
}

/* asn and as_name say the same of each host; of banners there are three. */
static void
the_same_documents_are_stored_once(void) /* C-423 */
{
	enum { HOSTS = 5000, NETWORKS = 9 };
	const struct schema_field *asn = schema_find(DATASET_HOSTS, STR("asn")),
				  *name = schema_find(DATASET_HOSTS, STR("as_name")),
				  *banner = schema_find(DATASET_HOSTS, STR("services.banner"));
	struct made m = { .next = 1 };
	const struct terms *a, *n;

	world_begin(&m.w, 7);
	for (int i = 0; i < HOSTS; i++)
		add(&m, arena_printf(m.w.n.a,
			    "\"asn\":%d,\"as_name\":\"AS%d\",\"services\":[{\"port\":1,"
			    "\"banner\":\"220 b%d ready\"}]",
			    i * i % NETWORKS, i * i % NETWORKS, i % 3)
			    .p);
	flush(&m);
	a = segment_terms(m.w.state.segments[0].open, asn, PART_VALUES);
	n = segment_terms(m.w.state.segments[0].open, name, PART_VALUES);
	CU_ASSERT_EQUAL_FATAL(a->n, n->n);
	for (uint32_t i = 0; i <= a->n; i++)
		CU_ASSERT_EQUAL(a->place[i], n->place[i]);
	CU_ASSERT_EQUAL(n->nown_postings, 0);
	CU_ASSERT_PTR_NOT_NULL(
	    segment_terms(m.w.state.segments[0].open, banner, PART_VALUES)->hashes.at);
	for (int k = 0; k < NETWORKS; k++) {
		uint64_t want = 0;

		for (int i = 0; i < HOSTS; i++)
			want += i * i % NETWORKS == k;
		CU_ASSERT_EQUAL(hits(&m, arena_printf(m.w.n.a, "asn:%d", k).p), want);
		CU_ASSERT_EQUAL(hits(&m, arena_printf(m.w.n.a, "as_name:AS%d", k).p), want);
	}
	CU_ASSERT_EQUAL(hits(&m, "services.banner=\"220 b1 ready\""), (HOSTS + 1) / 3);
	CU_ASSERT_EQUAL(hits(&m, "services.banner=\"220 b3 ready\""), 0);
	world_end(&m.w);
}

static void
postings_of_every_length_are_exact(void)
{
	struct made m = { .next = 1 };
	uint64_t p3 = 0, ports = 0, both = 0;

	world_begin(&m.w, 4);
	add_many(&m);
	flush(&m);
	for (int i = 0; i < MANY; i++) {
		p3 += i % 7 == 3;
		ports += i % 20000 >= 5000;
		both += i % 7 == 3 && i % 3 == 2;
	}
	CU_ASSERT_EQUAL(hits(&m, "*"), MANY);
	CU_ASSERT_EQUAL(hits(&m, "os:rare"), MANY / 40);
	CU_ASSERT_EQUAL(hits(&m, "os:usual"), MANY - MANY / 40);
	CU_ASSERT_EQUAL(hits(&m, "services.product:p3"), p3);
	CU_ASSERT_EQUAL(hits(&m, "services:(product:p3 AND transport:udp)"), both);
	CU_ASSERT_EQUAL(hits(&m, "services.transport:udp"), MANY / 3);
	CU_ASSERT_EQUAL(hits(&m, "services.port:1000"), (MANY + 19999) / 20000);
	CU_ASSERT_EQUAL(hits(&m, "services.port:>=6000"), ports);
	CU_ASSERT_EQUAL(hits(&m, "asn:7"), MANY / 50000);
	CU_ASSERT_EQUAL(hits(&m, "services.banner:b149999"), 1);
	CU_ASSERT_EQUAL(hits(&m, "services.banner:b14999*"), 11);
	CU_ASSERT_EQUAL(hits(&m, "services.banner=b149999"), 1);
	world_end(&m.w);
}

int
main(void)
{
	static CU_TestInfo tests[] = {
		{ "hexadecimal texts of one segment join the texts of another (C-423)",
		    hexadecimal_texts_join_other_texts },
		{ "a whole text is told from others that have its words",
		    a_whole_text_is_told_from_others_with_its_words },
		{ "dates are exact as seconds, as microseconds and where few documents have one",
		    dates_are_exact_in_every_form },
		{ "postings of one document, of a few and of most documents are exact",
		    postings_of_every_length_are_exact },
		{ "rows of a nested field of many terms are counted exactly (C-423)",
		    rows_are_exact },
		{ "rows of hosts with thousands of services are counted exactly (C-423)",
		    rows_of_thousands_of_services_are_exact },
		{ "the places of documents in rows are listed whole (C-423)",
		    places_of_documents_are_listed_whole },
		{ "terms of the same documents share one posting (C-423)",
		    the_same_documents_are_stored_once },
		CU_TEST_INFO_NULL,
	};

	return tap_main(tests);
}
