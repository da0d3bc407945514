/* SPDX-License-Identifier: ISC */
/* Reads a page of hits from ClickHouse, in the order of keys. A second statement, restricted to the
   hits of the page, reads which nested objects match. */
#include "config.h"

#include "search/clickhouse/engine_priv.h"

/* Sets the matching nested objects of a hit, identified by the values of the naming fields. */
static void
fill_nested(struct ch_request *rq, const struct ch_value *columns, struct hit *hit)
{
	const struct schema_field *names[SCHEMA_NAMING];
	size_t nnames = schema_naming(rq->plan.source, names);

	hit->nnested = columns[0].length;
	hit->nested = ARENA_ARRAY(rq->arena, hit->nnested + 1, struct nested_key);
	for (size_t i = 0; i < hit->nnested; i++) {
		struct nested_key *k = &hit->nested[i];
		size_t texts = 0;

		for (size_t t = 0; t < SCHEMA_NAMING; t++)
			k->text[t] = STR("");
		for (size_t c = 0; c < nnames && i < columns[c].length; c++) {
			const struct ch_value *v = &columns[c].items[i];

			if (names[c]->type == VALUE_INTEGER)
				k->number = v->set ? (int64_t)v->n : 0;
			else if (v->set)
				k->text[texts++] = arena_str(rq->arena, v->s);
			else
				texts++;
		}
	}
}

static int
by_page_key(const void *key, const void *hit)
{
	return str_cmp(*(const struct str *)key, ((const struct hit *)hit)->key);
}

static bool
match_page_nested(struct ch_request *rq, struct page *out)
{
	const struct schema_field *names[SCHEMA_NAMING];
	size_t nnames = schema_naming(rq->plan.source, names);
	struct str *keys = ARENA_ARRAY(rq->arena, out->nhits + 1, struct str), sql;
	struct ch_value v[CH_VALUES_MAX];
	char types[CH_VALUES_MAX + 1] = "s";
	struct ch_rows rows;

	for (size_t i = 0; i < out->nhits; i++)
		keys[i] = out->hits[i].key;
	sql = out->nhits == 0 ? STR_NULL : ch_sql_matched(&rq->plan, keys, out->nhits);
	if (sql.p == NULL)
		return true;
	for (size_t i = 0; i < nnames; i++)
		types[i + 1] = names[i]->type == VALUE_INTEGER ? 'Q' : 'T';
	types[nnames + 1] = '\0';
	if (!ch_ask(rq, sql, &rows))
		return false;
	while (ch_rows_next(&rows, types, v)) {
		struct hit *hit =
		    bsearch(&v[0].s, out->hits, out->nhits, sizeof(*out->hits), by_page_key);

		if (hit != NULL)
			fill_nested(rq, v + 1, hit);
	}
	return ch_rows_end(rq, &rows, true);
}

/* Returns how many hits fit into a page: hits with tens of thousands of nested objects end the page
   early. */
static size_t
page_hits_that_fit(const uint64_t *nested, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		sum += nested[i];
		if (i > 0 && sum > LIM_PAGE_SERVICES)
			return i;
	}
	return n;
}

static bool
search_documents(struct ch_request *rq, const struct page_request *want, struct page *out)
{
	uint64_t *nested = ARENA_ARRAY(rq->arena, want->limit + UINT64_C(2), uint64_t);
	struct ch_value v[CH_VALUES_MAX];
	struct ch_rows rows;
	size_t n = 0;

	if (!ch_ask(rq, ch_sql_page(&rq->plan, want), &rows))
		return false;
	while (n <= want->limit && ch_rows_next(&rows, "sq", v)) {
		out->hits[n].key = arena_str(rq->arena, v[0].s);
		nested[n++] = v[1].n;
	}
	if (!ch_rows_end(rq, &rows, true))
		return false;
	out->nhits = page_hits_that_fit(nested, n > want->limit ? want->limit : n);
	out->has_more = n > out->nhits;
	return want->keys_only || match_page_nested(rq, out);
}

/* Sets the service of a hit: the end of its key consists of the port and the transport. */
static void
name_service(struct hit *h, struct arena *a, struct str rest)
{
	static const struct str transports[] = { STR_INIT(""), STR_INIT("tcp"), STR_INIT("udp"),
		STR_INIT("sctp") };
	const unsigned char *p = (const unsigned char *)rest.p;

	h->nested = ARENA_NEW(a, struct nested_key);
	h->nnested = 1;
	h->nested->number = p[0] << 8 | p[1];
	for (size_t t = 0; t < SCHEMA_NAMING; t++)
		h->nested->text[t] = STR("");
	h->nested->text[0] = transports[p[2] < COUNT(transports) ? p[2] : 0];
}

static bool
search_view(struct ch_request *rq, const struct page_request *want, struct page *out)
{
	struct ch_value v[CH_VALUES_MAX];
	struct ch_rows rows;
	bool good = true;

	if (!ch_ask(rq, ch_sql_page(&rq->plan, want), &rows))
		return false;
	while (good && !out->has_more && ch_rows_next(&rows, "ss", v)) {
		struct hit *h = &out->hits[out->nhits];
		struct buf key = { .a = rq->arena };

		good = v[1].s.n == 3;
		out->has_more = out->nhits == want->limit;
		if (!good || out->has_more)
			continue;
		buf_str(&key, v[0].s);
		buf_str(&key, v[1].s);
		h->key = buf_done(&key);
		name_service(h, rq->arena, v[1].s);
		out->nhits++;
	}
	return ch_rows_end(rq, &rows, good);
}

bool
ch_search(struct ch_request *rq, const struct page_request *want, struct page *out)
{
	out->hits = ARENA_ARRAY(rq->arena, want->limit + UINT64_C(2), struct hit);
	return rq->plan.view ? search_view(rq, want, out) : search_documents(rq, want, out);
}
