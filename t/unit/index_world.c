/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "t/unit/index_world.h"

#include "search/index/format/segment.h"
#include "search/index/write/build_priv.h"
#include "json/tree.h"
#include "search/match.h"
#include "t/unit/query_print.h"
#include "t/unit/tap.h"

#include <dirent.h>
#include <unistd.h>

struct budget plenty = { INT64_MAX, UINT64_MAX };

const struct costs *
world_costs(unsigned turn)
{
	static const struct costs columns = { .term = 1u << 30, .word = 1u << 30 },
				  postings = { .hit = 1u << 30, .place = 1u << 30 },
				  stored = { .hit = 1u << 20, .place = 1u << 20, .term = 1u << 30 };
	static const struct costs *const tables[] = { NULL, &columns, &postings, &stored };

	return tables[turn % COUNT(tables)];
}

void
set_tags(struct index_tags *t)
{
	static const struct tag table[] = {
		{ STR_INIT("vpn"), STR_INIT("VPN"), STR_INIT("benign"), { STR_INIT("network") },
		    1 },
		{ STR_INIT("c2"), STR_INIT("C2"), STR_INIT("malicious"),
		    { STR_INIT("malware"), STR_INIT("malware/c2") }, 2 },
		{ STR_INIT("phish"), STR_INIT("Phishing"), STR_INIT("malicious"),
		    { STR_INIT("phishing") }, 1 },
		{ STR_INIT("login"), STR_INIT("Login"), STR_INIT("informational"), { STR_INIT("") },
		    0 },
	};

	index_tags_set(t, table, COUNT(table));
}

void
world_begin_with(struct world *w, enum dataset d, uint64_t seed)
{
	*w = (struct world){ .state = { .dataset = d, .published_at = TS_NULL } };
	snprintf(w->directory, sizeof(w->directory), "/tmp/index-XXXXXX");
	if (mkdtemp(w->directory) == NULL)
		panic("no temporary directory");
	w->n = (struct naive){ .a = arena_new(SIZE_MAX / 4), .random = seed, .dataset = d };
	set_tags(&w->n.tags);
	set_tags(&w->state.tags);
	w->b = index_build_new(d, &w->state.tags);
	w->b->pairs_from = 1;
}

void
world_begin(struct world *w, uint64_t seed)
{
	world_begin_with(w, DATASET_HOSTS, seed);
}

void
world_end(struct world *w)
{
	DIR *d = opendir(w->directory);
	struct dirent *f;

	if (d == NULL)
		panic("%s: cannot be read", w->directory);
	while ((f = readdir(d)) != NULL)
		unlinkat(dirfd(d), f->d_name, 0);
	closedir(d);
	rmdir(w->directory);
	free(w->docs);
	free(w->n.tags.items);
	free(w->n.tags.text);
	index_build_free(w->b);
	index_state_free(&w->state);
	arena_free(w->n.a);
}

struct str
key_of(struct arena *a, const struct ipnet *ip)
{
	struct segment_key key;

	return arena_str(a, address_key(ip->a, &key));
}

static int
by_ip(const void *a, const void *b)
{
	return ip_cmp(((const struct naive_doc *)a)->ip.a, ((const struct naive_doc *)b)->ip.a);
}

void
add_segment(struct world *w, uint32_t count, uint32_t room)
{
	struct naive_doc *fresh = calloc(count + 1, sizeof(*fresh));
	struct index_segment s;
	char err[INDEX_FAULT] = "";
	size_t nfresh = 0, old = w->ndocs;

	w->n.epoch++;
	for (uint32_t i = 0; i < room && nfresh < count; i++) {
		struct ipnet ip;

		if (naive_random(&w->n, room - i) >= count - nfresh)
			continue;
		(void)!ipnet_parse(i < room * 3 / 4 ? STR("10.0.0.0") : STR("2001:db8::"), &ip);
		ip.a[13] = (unsigned char)(i >> 16);
		ip.a[14] = (unsigned char)(i >> 8);
		ip.a[15] = (unsigned char)i;
		naive_doc(&w->n, &ip, &fresh[nfresh]);
		CU_ASSERT_TRUE(index_build_add(w->b, key_of(w->n.a, &ip), fresh[nfresh].json, err));
		nfresh++;
	}
	CU_ASSERT_TRUE(index_build_write(w->b, w->directory, &s, err));
	CU_ASSERT_TRUE(index_state_add(w->directory, &w->state, s, err));
	CU_ASSERT_TRUE(index_publish(w->directory, &w->state, err));
	CU_ASSERT_STRING_EQUAL(err, "");
	w->docs = reallocarray(w->docs, w->ndocs + nfresh + 1, sizeof(*w->docs));
	for (size_t i = 0; i < nfresh; i++) {
		struct naive_doc *at =
		    old == 0 ? NULL : bsearch(&fresh[i], w->docs, old, sizeof(*fresh), by_ip);

		if (at != NULL)
			*at = fresh[i];
		else
			w->docs[w->ndocs++] = fresh[i];
	}
	qsort(w->docs, w->ndocs, sizeof(*w->docs), by_ip);
	free(fresh);
}

/* ---- comparing ---- */

static bool
same_value(const struct bucket *b, const struct naive_bucket *want, const struct schema_field *f)
{
	if (b->count != want->count)
		return false;
	if (f->type == VALUE_IP)
		return b->value.type == VALUE_IP &&
		       str_eq(
			   address_key(b->value.ip.a, &(struct segment_key){ .n = 0 }), want->v.s);
	if (f->type == VALUE_INTEGER)
		return b->value.type == VALUE_INTEGER && b->value.i == want->v.i;
	if (f->type == VALUE_BOOLEAN)
		return b->value.type == VALUE_BOOLEAN && b->value.b == (want->v.i != 0);
	return b->value.type == VALUE_KEYWORD && str_eq(b->value.s, want->v.s);
}

static bool
same_group(struct world *w, const bool *matching, const struct group *g, unsigned limit)
{
	struct naive_bucket want[NAIVE_BUCKETS];
	size_t hidden, n = naive_facet(&w->n, w->docs, matching, w->ndocs, g->field, want, &hidden);
	bool ok = g->nbuckets == (n < limit ? n : limit) &&
		  g->has_more == (n > limit || hidden > 0) && g->relation == RELATION_EQ;

	for (size_t i = 0; ok && i < g->nbuckets; i++)
		ok = same_value(&g->buckets[i], &want[i], g->field);
	return ok;
}

/* Whether a name of a nested object is that of its fields (schema_naming). */
static bool
same_name(struct world *w, const struct naive_values *o, const struct nested_key *key)
{
	const struct schema_field *names[SCHEMA_NAMING];
	struct str text[SCHEMA_NAMING] = { STR_INIT(""), STR_INIT("") };
	size_t texts = 0;
	int64_t number = 0;

	for (size_t i = 0, n = schema_naming(w->state.dataset, names); i < n; i++) {
		struct naive_value have = { .s = STR("") };

		for (size_t k = 0; k < o->n; k++)
			if (o->v[k].field == names[i])
				have = o->v[k];
		if (names[i]->type == VALUE_INTEGER)
			number = have.i;
		else
			text[texts++] = have.s;
	}
	return key->number == number && str_eq(key->text[0], text[0]) &&
	       str_eq(key->text[1], text[1]);
}

static bool
same_nested(struct world *w, const struct naive_doc *d, const struct hit *h, const struct node *q)
{
	size_t k = 0;

	if (w->n.dataset != w->state.dataset) /* a document of a view is a nested object */
		return h->nnested == 1;
	for (size_t i = 0; i < d->nservices; i++) {
		if (!naive_service(&w->n, &d->services[i], q))
			continue;
		if (k >= h->nnested || !same_name(w, &d->services[i], &h->nested[k]))
			return false;
		k++;
	}
	return k == h->nnested;
}

static bool
same_pages(
    struct world *w, struct engine *e, const struct query *q, const bool *matching, size_t total)
{
	struct page_request want = { .limit = 7 };
	struct page page;
	size_t at = 0;

	do {
		if (engine_search(e, w->n.a, q, &plenty, &want, &page) != ENGINE_OK ||
		    page.total.n != total)
			return false;
		for (size_t i = 0; i < page.nhits; i++, at++) {
			while (at < w->ndocs && !matching[at])
				at++;
			if (at == w->ndocs || !str_eq(page.hits[i].key, w->docs[at].key) ||
			    !same_nested(w, &w->docs[at], &page.hits[i], q->root))
				return false;
		}
		if (page.nhits > 0)
			want.after = page.hits[page.nhits - 1].key;
	} while (page.has_more && page.nhits == want.limit);
	for (; at < w->ndocs && !matching[at]; at++)
		;
	return at == w->ndocs && !page.has_more;
}

enum { FACETS = 64 };

/* The facets to compare: all of the dataset, or those that naive_doc() sets. */
static size_t
choose_facets(struct world *w, struct agg aggs[FACETS])
{
	static const char *const names[] = { "services.port", "services.product", "tags",
		"country_code", "asn", "hostnames", "services.http.title", "services.tls_enabled",
		"tags.category", "tags.classification", "services.tags.category", "as_name",
		"region" };
	const struct schema_field *fields;
	size_t nfields = schema_fields(w->n.dataset, &fields), n = 0;

	for (size_t i = 0; w->n.samples == NULL && i < COUNT(names); i++)
		aggs[n++].field = schema_find(DATASET_HOSTS, str_of(names[i]));
	for (size_t i = 0; w->n.samples != NULL && i < nfields && n < FACETS; i++)
		if (fields[i].aggregatable)
			aggs[n++].field = &fields[i];
	for (size_t i = 0; i < n; i++)
		aggs[i].limit = 1 + naive_random(&w->n, 12);
	return n;
}

/* How many documents match_document judges otherwise (C-151). */
static size_t
count_misjudged(struct world *w, const struct query *q, const bool *matching)
{
	size_t wrong = 0;

	for (size_t i = 0; i < w->ndocs; i++) {
		const struct json_value *tree = w->trees[i];
		size_t place = w->docs[i].place;
		struct match_document d = {
			.own = place == 0 ? tree : json_at(json_get(tree, "services"), place - 1),
			.of = place == 0 ? NULL : tree,
			.tags = w->n.tags.items,
			.ntags = w->n.tags.n
		};

		wrong += match_document(w->scratch, q, &d, NULL) != matching[i];
	}
	return wrong;
}

static void
parse_documents(struct world *w)
{
	w->scratch = arena_new(SIZE_MAX / 4);
	w->trees = calloc(w->ndocs + 1, sizeof(*w->trees));
	for (size_t i = 0; i < w->ndocs; i++)
		w->trees[i] = json_parse(w->n.a, w->docs[i].json);
}

static void
compare(struct world *w, struct engine *e, const struct node *root)
{
	struct query q = { .dataset = w->n.dataset, .root = root, .now = NAIVE_NOW };
	bool *matching = calloc(w->ndocs + 1, sizeof(*matching));
	struct agg aggs[FACETS];
	struct group out[FACETS];
	struct count count = { 0 };
	size_t naggs = choose_facets(w, aggs), total = 0, wrong = 0, misjudged;
	bool paged;

	for (size_t i = 0; i < w->ndocs; i++)
		total += matching[i] = naive_match(&w->n, &w->docs[i], root);
	CU_ASSERT_EQUAL(engine_count(e, w->n.a, &q, &plenty, &count), ENGINE_OK);
	CU_ASSERT_EQUAL(count.n, total);
	CU_ASSERT_EQUAL(engine_aggregate(e, w->n.a, &q, &plenty, aggs, naggs, out), ENGINE_OK);
	for (size_t i = 0; i < naggs; i++)
		wrong += !same_group(w, matching, &out[i], aggs[i].limit);
	CU_ASSERT_EQUAL(wrong, 0);
	paged = same_pages(w, e, &q, matching, total);
	CU_ASSERT_TRUE(paged);
	misjudged = count_misjudged(w, &q, matching);
	CU_ASSERT_EQUAL(misjudged, 0); /* C-151 */
	if (count.n != total || wrong > 0 || !paged || misjudged > 0) {
		struct buf text = { .a = w->n.a };

		query_print(&text, &q);
		printf("# %.*s: %zu, not %zu; %zu facets differ; %zu documents are misjudged\n",
		    (int)text.n, text.p, (size_t)count.n, total, wrong, misjudged);
	}
	free(matching);
}

/* The two evaluators and the number of the index alone, which is quick enough for many queries on many
   documents (C-151). */
void
compare_judgements(struct world *w, unsigned queries)
{
	struct engine *e = engine_open_index(w->directory);
	bool *matching = calloc(w->ndocs + 1, sizeof(*matching));
	size_t differ = 0;

	parse_documents(w);
	for (unsigned i = 0; i < queries; i++) {
		struct query q = { .dataset = w->n.dataset,
			.root = naive_query(&w->n, 3, false),
			.now = NAIVE_NOW };
		struct count count = { 0 };
		size_t total = 0, misjudged;

		for (size_t k = 0; k < w->ndocs; k++)
			total += matching[k] = naive_match(&w->n, &w->docs[k], q.root);
		costs_use(world_costs(i));
		if (engine_count(e, w->n.a, &q, &plenty, &count) != ENGINE_OK)
			count.n = UINT64_MAX;
		misjudged = count_misjudged(w, &q, matching);
		if (count.n == total && misjudged == 0)
			continue;
		if (differ++ < 10) {
			struct buf text = { .a = w->n.a };

			query_print(&text, &q);
			printf("# %.*s: %zu, not %zu; %zu documents are misjudged\n", (int)text.n,
			    text.p, (size_t)count.n, total, misjudged);
		}
	}
	CU_ASSERT_EQUAL(differ, 0);
	costs_use(NULL);
	free(matching);
	free(w->trees);
	arena_free(w->scratch);
	engine_close(e);
}

void
compare_many(struct world *w, unsigned queries)
{
	struct engine *e = w->rival != NULL ? w->rival : engine_open_index(w->directory);
	struct node all = { .type = NODE_ALL };
	struct engine_status st = { .generation = w->state.generation, .documents = w->ndocs };

	if (w->rival == NULL)
		engine_status(e, w->state.dataset, &st);
	CU_ASSERT_EQUAL(st.generation, w->state.generation);
	CU_ASSERT_TRUE(st.documents == w->ndocs || w->n.dataset != w->state.dataset);
	parse_documents(w);
	compare(w, e, &all);
	for (unsigned i = 0; i < queries; i++) {
		costs_use(world_costs(i));
		compare(w, e, naive_query(&w->n, 3, false));
	}
	costs_use(NULL);
	free(w->trees);
	arena_free(w->scratch);
	if (w->rival == NULL)
		engine_close(e);
}
