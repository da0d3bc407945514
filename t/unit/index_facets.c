/* SPDX-License-Identifier: ISC */
/* The ways to count a facet against counting in memory: by columns, by postings, from pair totals; with every kernel that
   this processor runs; over segments with replaced, deleted and merged documents. */
#include "config.h"

#include "search/index/format/column.h"
#include "search/index/format/postings.h"
#include "search/index/format/segment.h"
#include "search/index/format/words.h"
#include "search/index/write/build_priv.h"
#include "t/unit/index_world.h"
#include "t/unit/tap.h"

enum { HOSTS = 70000, SERVICES = 3, PORTS = 40, TAGS = 14, SYSTEMS = 3, AS = 2000, WORDS = 30 };

static const char *const countries[] = { "US", "CN", "DE", "JP", "FR" };
static const char *const products[] = { "nginx", "Apache", "OpenSSH", "Exim", "BIND", "Redis" };
static const char *const systems[SYSTEMS] = { "Linux", "Windows", "FreeBSD" };

/* ---- hosts in memory ---- */

struct host {
	bool alive;
	unsigned char country, os, nservices; /* os SYSTEMS: none */
	uint16_t tags, as;
	unsigned char port[SERVICES], product[SERVICES], title[SERVICES]; /* title WORDS: none */
};

static struct host *hosts; /* [HOSTS]: of address 10.0.0.0 + i */
static uint64_t seed;

static unsigned
pick(unsigned below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % below;
}

/* 0 to n - 1, the first ones more often. */
static unsigned
skewed(unsigned n)
{
	return pick(pick(n) + 1);
}

static void
make_host(struct host *h)
{
	*h = (struct host){ .alive = true,
		.country = (unsigned char)skewed(COUNT(countries)),
		.os = (unsigned char)pick(SYSTEMS + 1),
		.as = (uint16_t)skewed(AS),
		.nservices = (unsigned char)pick(SERVICES + 1) };
	for (unsigned i = pick(3) == 0 ? 11 : skewed(5); i > 0; i--)
		h->tags |= (uint16_t)(1 << skewed(TAGS));
	for (unsigned i = 0; i < h->nservices; i++) {
		h->port[i] = (unsigned char)skewed(PORTS);
		h->product[i] = (unsigned char)skewed(COUNT(products));
		h->title[i] = (unsigned char)pick(WORDS + 1);
	}
}

static struct str
print_host(struct buf *b, unsigned number, const struct host *h)
{
	const char *comma = "";

	buf_clear(b);
	buf_printf(b, "{\"ip\":\"10.%u.%u.%u\",\"country_code\":\"%s\",\"asn\":%u,\"tags\":[",
	    number >> 16, number >> 8 & 255, number & 255, countries[h->country], h->as);
	for (unsigned i = 0; i < TAGS; i++)
		if (h->tags >> i & 1) {
			buf_printf(b, "%s\"t%u\"", comma, i);
			comma = ",";
		}
	buf_z(b, "]");
	if (h->os < SYSTEMS)
		buf_printf(b, ",\"os\":\"%s\"", systems[h->os]);
	buf_z(b, ",\"services\":[");
	for (unsigned i = 0; i < h->nservices; i++) {
		buf_printf(b, "%s{\"port\":%u,\"transport\":\"tcp\",\"product\":\"%s\"",
		    i > 0 ? "," : "", h->port[i] + 1, products[h->product[i]]);
		if (h->title[i] < WORDS)
			buf_printf(b, ",\"http\":{\"title\":\"site w%u\"}", h->title[i]);
		buf_char(b, '}');
	}
	buf_z(b, "]}");
	return buf_done(b);
}

/* ---- the index ---- */

static void
add_hosts(struct world *w, unsigned step)
{
	struct buf json = { 0 };
	struct index_segment s;
	char err[INDEX_FAULT] = "", key[5] = { 4, 10 };

	for (unsigned i = 0; i < HOSTS; i += step) {
		make_host(&hosts[i]);
		for (int k = 0; k < 3; k++)
			key[2 + k] = (char)(i >> (16 - 8 * k));
		CU_ASSERT_TRUE_FATAL(index_build_add(
		    w->b, (struct str){ key, sizeof(key) }, print_host(&json, i, &hosts[i]), err));
	}
	CU_ASSERT_TRUE_FATAL(index_build_write(w->b, w->directory, &s, err));
	CU_ASSERT_TRUE_FATAL(index_state_add(w->directory, &w->state, s, err));
	CU_ASSERT_TRUE_FATAL(index_publish(w->directory, &w->state, err));
	buf_free(&json);
}

static void
remove_hosts(struct world *w, unsigned step)
{
	char err[INDEX_FAULT] = "", key[5] = { 4, 10 };

	for (unsigned i = 1; i < HOSTS; i += step) {
		bool had = false;

		for (int k = 0; k < 3; k++)
			key[2 + k] = (char)(i >> (16 - 8 * k));
		CU_ASSERT_TRUE_FATAL(index_state_remove(
		    w->directory, &w->state, (struct str){ key, sizeof(key) }, &had, err));
		hosts[i].alive = false;
	}
	CU_ASSERT_TRUE_FATAL(index_publish(w->directory, &w->state, err));
}

static void
merge_hosts(struct world *w)
{
	size_t which[] = { 0, 1 };
	struct index_merge *m = index_merge_begin(&w->state, which, COUNT(which));
	struct index_segment fresh;
	char err[INDEX_FAULT] = "";

	CU_ASSERT_EQUAL_FATAL(w->state.nsegments, COUNT(which));
	CU_ASSERT_TRUE_FATAL(index_merge_write(m, w->directory, &fresh, err));
	CU_ASSERT_TRUE_FATAL(index_merge_take(m, w->directory, &w->state, fresh, err));
	CU_ASSERT_TRUE_FATAL(index_publish(w->directory, &w->state, err));
	index_merge_free(m);
}

static void
begin(struct world *w, uint64_t start)
{
	world_begin(w, 1);
	seed = start;
	hosts = calloc(HOSTS, sizeof(*hosts));
	add_hosts(w, 1);
}

static void
end(struct world *w)
{
	world_end(w);
	free(hosts);
}

/* ---- queries ---- */

static bool
has_service(const struct host *h, int port, int product, int title)
{
	for (unsigned i = 0; i < h->nservices; i++)
		if ((port < 0 || h->port[i] == port) && (product < 0 || h->product[i] == product) &&
		    (title < 0 || h->title[i] == title))
			return true;
	return false;
}

static bool
has_tag(const struct host *h, unsigned tag)
{
	return h->tags >> tag & 1;
}

#define QUERY(name, expression)                                                                    \
	static bool name(const struct host *h, unsigned i)                                         \
	{                                                                                          \
		(void)h, (void)i;                                                                  \
		return expression;                                                                 \
	}

QUERY(every, h->alive)
QUERY(one_country, h->country == 0)
QUERY(other_countries, h->country != 0)
QUERY(frequent_tag, has_tag(h, 0))
QUERY(port_of_tag, has_service(h, 0, -1, -1) && has_tag(h, 1))
QUERY(port_abroad, has_service(h, 1, -1, -1) && h->country != 1)
QUERY(tags_and_port, (has_tag(h, 2) || has_tag(h, 3)) && has_service(h, 2, -1, -1))
QUERY(country_or_system, h->country == 1 || h->os == 0)
QUERY(title_word, has_service(h, -1, -1, 7))
QUERY(one_service, has_service(h, 0, 0, -1))
QUERY(rare_port, has_service(h, PORTS - 1, -1, -1))
QUERY(one_network, i < 32768)
QUERY(few, h->as == 1500)
QUERY(none, h->as == 1500 && i >= 69000 && h->country == 4 && h->os == 2 && h->tags == 0)
QUERY(no_tag, h->tags == 0)

static const struct question {
	const char *text;
	bool (*passes)(const struct host *h, unsigned i);
} questions[] = {
	{ "*", every },
	{ "country_code:US", one_country },
	{ "NOT country_code:US", other_countries },
	{ "tags:t0", frequent_tag },
	{ "services.port:1 AND tags:t1", port_of_tag },
	{ "services.port:2 AND NOT country_code:CN", port_abroad },
	{ "(tags:t2 OR tags:t3) AND services.port:3", tags_and_port },
	{ "country_code:CN OR os:linux", country_or_system },
	{ "services.http.title:w7", title_word },
	{ "services:(port:1 AND product:nginx)", one_service },
	{ "services.port:40", rare_port },
	{ "10.0.0.0/17", one_network },
	{ "asn:1500", few },
	{ "asn:1500 AND country_code:FR AND os:FreeBSD AND NOT tags:* AND NOT 10.0.0.0/16", none },
	{ "NOT tags:*", no_tag },
};

/* ---- facets ---- */

static uint32_t *counts; /* [number of the value] */

static void
count_values(const struct host *h, const char *field)
{
	bool seen[256] = { false };

	if (strcmp(field, "country_code") == 0)
		counts[h->country]++;
	else if (strcmp(field, "asn") == 0)
		counts[h->as]++;
	else if (strcmp(field, "os") == 0)
		counts[h->os]++;
	for (unsigned i = 0; strcmp(field, "tags") == 0 && i < TAGS; i++)
		counts[i] += has_tag(h, i);
	for (unsigned i = 0; strncmp(field, "services.", 9) == 0 && i < h->nservices; i++) {
		unsigned v = strcmp(field, "services.port") == 0      ? h->port[i]
			     : strcmp(field, "services.product") == 0 ? h->product[i]
								      : h->title[i];

		counts[v] += !seen[v];
		seen[v] = true;
	}
	if (strcmp(field, "os") == 0)
		counts[SYSTEMS] = 0;
	if (strcmp(field, "services.http.title") == 0)
		counts[WORDS] = 0;
}

static unsigned
number_of(const char *const *names, size_t n, struct str s)
{
	unsigned i = 0;

	while (i < n && !str_is(s, names[i]))
		i++;
	return i;
}

/* The number of the value of a bucket, or AS. */
static unsigned
value_number(const struct bucket *b, const char *field)
{
	char text[16] = "";

	if (b->value.type == VALUE_INTEGER)
		return (unsigned)b->value.i - (strcmp(field, "services.port") == 0);
	if (strcmp(field, "country_code") == 0)
		return number_of(countries, COUNT(countries), b->value.s);
	if (strcmp(field, "os") == 0)
		return number_of(systems, COUNT(systems), b->value.s);
	if (strcmp(field, "services.product") == 0)
		return number_of(products, COUNT(products), b->value.s);
	snprintf(text, sizeof(text), "%.*s", (int)b->value.s.n, b->value.s.p);
	return (unsigned)strtoul(text + (text[0] == 't' ? 1 : 6), NULL, 10);
}

static bool
same_facet(const struct group *g, const struct question *q, const char *field)
{
	size_t distinct = 0;

	memset(counts, 0, (AS + 1) * sizeof(*counts));
	for (unsigned i = 0; i < HOSTS; i++)
		if (hosts[i].alive && q->passes(&hosts[i], i))
			count_values(&hosts[i], field);
	for (size_t i = 0; i < AS; i++)
		distinct += counts[i] > 0;
	for (size_t i = 0; i < g->nbuckets; i++)
		if (counts[value_number(&g->buckets[i], field)] != g->buckets[i].count)
			return false;
	return g->nbuckets == distinct && !g->has_more;
}

static const char *const facets[] = { "country_code", "os", "tags", "asn", "services.port",
	"services.product", "services.http.title" };

static enum engine_rc
ask(struct world *w, struct engine *e, const char *text, const struct budget *b, struct group *out)
{
	struct agg aggs[COUNT(facets)];
	struct query_fault fault;
	struct query q;

	for (size_t i = 0; i < COUNT(facets); i++)
		aggs[i] = (struct agg){ schema_find(DATASET_HOSTS, str_of(facets[i])), AS + 1 };
	CU_ASSERT_TRUE_FATAL(
	    query_parse(w->n.a, DATASET_HOSTS, str_of(text), NAIVE_NOW, &q, &fault));
	return engine_aggregate(e, w->n.a, &q, b, aggs, COUNT(aggs), out);
}

static void
compare_facets(struct world *w, const char *how)
{
	struct engine *e = engine_open_index(w->directory);
	struct group out[COUNT(facets)];

	counts = calloc(AS + 1, sizeof(*counts));
	for (size_t k = 0; k < COUNT(questions); k++) {
		CU_ASSERT_EQUAL_FATAL(ask(w, e, questions[k].text, &plenty, out), ENGINE_OK);
		for (size_t i = 0; i < COUNT(facets); i++) {
			bool same = same_facet(&out[i], &questions[k], facets[i]);

			CU_ASSERT_TRUE(same);
			if (!same)
				printf("# %s: %s of %s\n", how, facets[i], questions[k].text);
		}
	}
	free(counts);
	engine_close(e);
}

/* ---- the ways ---- */

static void
compare_ways(struct world *w)
{
	size_t n;
	const struct words_kernel *kernels = words_kernels(&n);

	costs_use(world_costs(1));
	compare_facets(w, "columns");
	costs_use(world_costs(3));
	compare_facets(w, "stored counts");
	for (size_t i = 0; i < n; i++) {
		if (!kernels[i].runs())
			continue;
		words_use(&kernels[i]);
		costs_use(world_costs(2));
		compare_facets(w, kernels[i].name);
		costs_use(NULL);
		compare_facets(w, "the cheapest way");
	}
	words_use(NULL);
}

static void
every_way_gives_the_same_facets(void)
{
	struct world w;

	begin(&w, 20);
	compare_ways(&w);
	add_hosts(&w, 9);
	remove_hosts(&w, 7);
	compare_ways(&w);
	merge_hosts(&w);
	CU_ASSERT_EQUAL(w.state.nsegments, 1);
	compare_ways(&w);
	end(&w);
}

/* ---- pair totals ---- */

/* Sets `words` to the documents of a term. Those that are not stored are the owners of its nested documents. */
static void
read_documents(const struct segment *s, const struct terms *t, uint32_t id, uint64_t *words)
{
	uint32_t *nested, n;
	struct posting p;

	memset(words, 0, index_words(s->ndocs) * sizeof(*words));
	if (posting_open(t, LEVEL_DOCUMENT, id, s->ndocs, &p)) {
		posting_or(&p, words);
		return;
	}
	CU_ASSERT_TRUE_FATAL(posting_open(t, LEVEL_NESTED, id, s->nnested, &p));
	nested = calloc(p.n + 1, sizeof(*nested));
	n = posting_list(&p, nested);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t doc = segment_owner(s, nested[i]);

		words[doc >> 6] |= UINT64_C(1) << (doc & 63);
	}
	free(nested);
}

/* Counts each term of a slot among the documents of a bitmap, term by term. */
static bool
row_is_right(
    const struct segment *s, uint32_t row, const struct schema_field *f, const uint64_t *words)
{
	const struct terms *t = segment_terms(s, f, PART_VALUES);
	uint32_t *stored = calloc(t->n + 1, sizeof(*stored)), wrong = 0;
	size_t n = index_words(s->ndocs);
	uint64_t *own = calloc(n, sizeof(*own));

	pairs_add(&s->pairs, row, segment_slot(s, f, PART_VALUES), 1,
	    (struct pair_counts){ stored, t->n });
	for (uint32_t id = 0; id < t->n; id++) {
		read_documents(s, t, id, own);
		wrong += words_count_and(own, words, n) != stored[id];
	}
	free(own);
	free(stored);
	return wrong == 0;
}

static void
pair_totals_are_those_of_their_documents(void)
{
	const struct schema_field *fields;
	size_t nfields = schema_fields(DATASET_HOSTS, &fields), rows = 0, cells = 0;
	char err[INDEX_FAULT];
	struct segment *s;
	uint64_t *words;
	struct world w;

	begin(&w, 21);
	s = segment_open(w.directory, &w.state.segments[0], SEGMENT_VERIFY, err);
	CU_ASSERT_PTR_NOT_NULL_FATAL(s);
	words = calloc(index_words(s->ndocs), sizeof(*words));
	for (size_t i = 0; i < nfields * PARTS; i++) {
		const struct schema_field *f = &fields[i / PARTS];
		const struct terms *t = segment_terms(s, f, (enum part)(i % PARTS));

		for (uint32_t id = 0; id < t->n; id++) {
			const struct pair_term *row =
			    pairs_find(&s->pairs, segment_slot(s, f, (enum part)(i % PARTS)), id);

			if (row == NULL)
				continue;
			rows++;
			read_documents(s, t, id, words);
			CU_ASSERT_EQUAL(words_count(words, index_words(s->ndocs)), row->count);
			for (size_t k = 0; k < nfields; k++) {
				if (!pairs_have(
					&s->pairs, segment_slot(s, &fields[k], PART_VALUES)))
					continue;
				cells++;
				CU_ASSERT_TRUE(row_is_right(s, row->row, &fields[k], words));
			}
		}
	}
	CU_ASSERT_EQUAL(rows, s->pairs.nterms);
	CU_ASSERT_TRUE(rows > 50);
	CU_ASSERT_EQUAL(cells, rows * s->pairs.nslots);
	free(words);
	segment_close(s);
	end(&w);
}

/* The work limit is between what the columns of 20,000 hits take and what their pair totals take. */
static void
a_frequent_term_costs_no_column(void)
{
	struct budget poor = { INT64_MAX, 60000 };
	struct group out[COUNT(facets)];
	struct engine *e;
	struct world w;

	begin(&w, 22);
	e = engine_open_index(w.directory);
	CU_ASSERT_EQUAL(ask(&w, e, "*", &plenty, out), ENGINE_OK);
	CU_ASSERT_EQUAL(ask(&w, e, "country_code:US", &poor, out), ENGINE_OK);
	CU_ASSERT_EQUAL(ask(&w, e, "NOT country_code:US", &poor, out), ENGINE_OK);
	costs_use(world_costs(1));
	CU_ASSERT_EQUAL(ask(&w, e, "country_code:US", &poor, out), ENGINE_TIMEOUT);
	costs_use(NULL);
	engine_close(e);
	end(&w);
}

/* The tags have some 4,000 combinations: with a bound, some hosts have all of their tags without a place. The products have
   41, whose numbers have one byte. */
static void
combinations_give_the_same_facets(void)
{
	static const uint32_t most[] = { 2000, COMBINATIONS_MAX };

	for (size_t i = 0; i < COUNT(most); i++) {
		const struct column *tags, *sold;
		struct segment *s;
		char err[INDEX_FAULT];
		struct world w;

		world_begin(&w, 1);
		seed = 25;
		w.b->combinations = most[i];
		hosts = calloc(HOSTS, sizeof(*hosts));
		add_hosts(&w, 1);
		s = segment_open(w.directory, &w.state.segments[0], SEGMENT_VERIFY, err);
		CU_ASSERT_PTR_NOT_NULL_FATAL(s);
		tags =
		    &segment_terms(s, schema_find(DATASET_HOSTS, STR("tags")), PART_VALUES)->column;
		sold = &segment_terms(
		    s, schema_find(DATASET_HOSTS, STR("services.product")), PART_VALUES)
			    ->column;
		CU_ASSERT_EQUAL(tags->comb.width, 2);
		CU_ASSERT_EQUAL(tags->comb.n == 2000, most[i] == 2000);
		CU_ASSERT_TRUE(tags->nmore > (most[i] == 2000 ? HOSTS / 100 : 0));
		CU_ASSERT_EQUAL(sold->comb.width, 1);
		CU_ASSERT_EQUAL(sold->nmore, 0);
		segment_close(s);
		compare_facets(&w, "combinations");
		end(&w);
	}
}

/* ---- kernels ---- */

static uint64_t
naive_bits(const uint64_t *a, const uint64_t *b, size_t n, bool both)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n * 64; i++) {
		bool x = a[i / 64] >> (i % 64) & 1, y = b[i / 64] >> (i % 64) & 1;

		sum += both ? x && y : x != y;
	}
	return sum;
}

static void
every_kernel_counts_the_same_bits(void)
{
	uint64_t a[300], b[300];
	size_t n, ran = 0;
	const struct words_kernel *kernels = words_kernels(&n);

	seed = 24;
	for (unsigned turn = 0; turn < 600; turn++) {
		size_t words = turn < 300 ? turn : pick(COUNT(a) + 1);

		for (size_t i = 0; i < COUNT(a); i++) {
			a[i] = turn % 5 == 0 ? UINT64_MAX : (uint64_t)pick(1u << 31) << pick(34);
			b[i] = turn % 7 == 0 ? UINT64_MAX : (uint64_t)pick(1u << 31) << pick(34);
		}
		for (size_t i = 0; i < n; i++) {
			if (!kernels[i].runs())
				continue;
			ran++;
			CU_ASSERT_EQUAL(kernels[i].count(a, words), naive_bits(a, a, words, true));
			CU_ASSERT_EQUAL(
			    kernels[i].count_and(a, b, words), naive_bits(a, b, words, true));
			CU_ASSERT_EQUAL(
			    kernels[i].count_xor(a, b, words), naive_bits(a, b, words, false));
		}
	}
	CU_ASSERT_TRUE(ran >= 600);
}

int
main(void)
{
	static CU_TestInfo tests[] = {
		{ "every kernel counts the same bits", every_kernel_counts_the_same_bits },
		{ "every way to count a facet gives the same counts",
		    every_way_gives_the_same_facets },
		{ "pair totals are the counts of their documents",
		    pair_totals_are_those_of_their_documents },
		{ "the facets of a frequent term are read and not counted",
		    a_frequent_term_costs_no_column },
		{ "facets of combinations are those of their documents",
		    combinations_give_the_same_facets },
		CU_TEST_INFO_NULL,
	};

	return tap_main(tests);
}
