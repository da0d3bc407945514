/* SPDX-License-Identifier: ISC */
/* Facets by ClickHouse. Fields without a dictionary have one statement each, whose rows are the
 * buckets. The fields with a dictionary are counted together by numbers, which are replaced by
 * values at the end:
 *
 *   ch_sql_facet_ids    os       4711: 9   17: 5   23: 5   8: 5        three are wanted, and one more is fetched
 *   ch_sql_facet_ties   os = 5   "BSD" 8, "Linux" 23                   the fourth has as many as the third: which come first?
 *   ch_sql_values       4711 = "Windows"
 */
#include "config.h"

#include "search/clickhouse/engine_priv.h"

/* A field with a dictionary, and the numbers with the greatest counts. */
struct counted {
	const struct schema_field *field;
	struct candidate {
		uint32_t id;
		uint64_t count;
		struct str value; /* p NULL: not known yet */
	} * p;
	size_t n;
	bool hidden; /* there are values that cannot be buckets */
};

struct dictionary_job {
	struct counted *of;
	size_t n;
	unsigned most;
	/* The candidates whose values are not known. */
	uint32_t *ids;
	size_t nids;
};

/* ---- values ---- */

static bool
address_of_bucket(struct str key, struct value *out)
{
	bool four = key.n == 5 && key.p[0] == 4;

	if (!four && !(key.n == 17 && key.p[0] == 6))
		return false;
	memset(out->ip.a, 0, sizeof(out->ip.a));
	if (four)
		out->ip.a[10] = out->ip.a[11] = 0xff;
	memcpy(out->ip.a + (four ? 12 : 0), key.p + 1, key.n - 1);
	out->ip.bits = 128;
	return true;
}

static bool
value_of(struct arena *a, const struct schema_field *f, const struct ch_value *v, struct value *out)
{
	out->type = f->type;
	switch (f->type) {
	case VALUE_KEYWORD:
	case VALUE_TEXT:
	case VALUE_DNS:
		out->type = VALUE_KEYWORD;
		out->s = arena_str(a, v->s);
		return true;
	case VALUE_IP:
		return address_of_bucket(v->s, out);
	case VALUE_BOOLEAN:
		out->b = v->n != 0;
		return true;
	case VALUE_INTEGER:
		out->i = (int64_t)v->n;
		return true;
	case VALUE_NUMBER:
	case VALUE_DATE:
		break;
	}
	return false;
}

static void
add_ch_bucket(struct ch_request *rq, struct group *out, const struct value *v, uint64_t count)
{
	struct bucket *b = &out->buckets[out->nbuckets++];

	*b = (struct bucket){ .value = *v, .count = count };
	if (strcmp(out->field->relative, "tags") == 0)
		b->tag = ch_find_tag(rq->engine, v->s);
}

static bool
count_values(struct ch_request *rq, const struct agg *agg, struct group *out)
{
	const char *types = ch_facet_of(agg->field) == CH_FACET_NUMBERS ? "qqb" : "sqb";
	struct ch_value v[CH_VALUES_MAX];
	struct value value;
	struct ch_rows rows;
	bool good = true;

	if (!ch_ask(rq, ch_sql_facet(&rq->plan, agg), &rows))
		return false;
	while (good && !out->has_more && ch_rows_next(&rows, types, v)) {
		out->has_more = out->nbuckets == agg->limit || v[2].n == 0;
		good = value_of(rq->arena, agg->field, &v[0], &value);
		if (good && !out->has_more)
			add_ch_bucket(rq, out, &value, v[1].n);
	}
	return ch_rows_end(rq, &rows, good);
}

/* ---- dictionaries ---- */

static struct counted *
find_counted(struct dictionary_job *j, unsigned field)
{
	for (size_t i = 0; i < j->n; i++)
		if (j->of[i].field->index == field)
			return &j->of[i];
	return NULL;
}

static bool
count_ids(struct ch_request *rq, struct dictionary_job *j)
{
	const struct schema_field **fields =
	    ARENA_ARRAY(rq->arena, j->n + 1, const struct schema_field *);
	struct ch_value v[CH_VALUES_MAX];
	struct ch_rows rows;
	bool good = true;

	for (size_t i = 0; i < j->n; i++)
		fields[i] = j->of[i].field;
	if (!ch_ask(rq, ch_sql_facet_ids(&rq->plan, fields, j->n, j->most), &rows))
		return false;
	while (good && ch_rows_next(&rows, "wq", v)) {
		struct counted *c = find_counted(j, (unsigned)(v[0].n >> CH_ID_SHIFT));

		good = c != NULL && c->n < j->most;
		if (good && (v[0].n & CH_IDS) != 0)
			c->hidden = true;
		else if (good)
			c->p[c->n++] = (struct candidate){ (uint32_t)v[0].n, v[1].n, STR_NULL };
	}
	return ch_rows_end(rq, &rows, good);
}

static int
by_count_and_value(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return str_cmp(a->value, b->value);
}

/* The last candidates have the same count as the first one beyond the limit. Replaces them by the
   values with this count that come first in the order of values. */
static bool
break_tie(struct ch_request *rq, const struct schema_field *f, struct candidate *p, unsigned limit)
{
	uint64_t count = p[limit - 1].count;
	struct ch_value v[CH_VALUES_MAX];
	struct ch_rows rows;
	size_t n = limit;

	while (n > 0 && p[n - 1].count == count)
		n--;
	if (!ch_ask_all(rq, ch_sql_facet_ties(&rq->plan, f, count, limit - (unsigned)n), &rows))
		return false;
	for (; n < limit && ch_rows_next(&rows, "ws", v); n++)
		p[n] = (struct candidate){ (uint32_t)v[0].n, count, arena_str(rq->arena, v[1].s) };
	for (size_t i = n; i < limit; i++) /* a document changed between both statements */
		p[i].count = 0;
	return ch_rows_end(rq, &rows, true);
}

/* Chooses the candidates of one aggregation; the values of some are not known yet. */
static bool
choose(struct ch_request *rq, struct dictionary_job *j, const struct counted *c, unsigned limit,
    struct candidate *out, size_t *n)
{
	*n = c->n < limit ? c->n : limit;
	if (c->n > 0)
		memcpy(out, c->p, c->n * sizeof(*out));
	if (c->n > limit && c->p[limit].count == c->p[limit - 1].count &&
	    !break_tie(rq, c->field, out, limit))
		return false;
	while (*n > 0 && out[*n - 1].count == 0)
		--*n;
	for (size_t i = 0; i < *n; i++)
		if (out[i].value.p == NULL) {
			j->ids = arena_room(rq->arena, j->ids, j->nids, sizeof(*j->ids));
			j->ids[j->nids++] = out[i].id;
		}
	return true;
}

struct named {
	uint32_t id;
	struct str value;
};

static int
by_bucket_id(const void *x, const void *y)
{
	uint32_t a = ((const struct named *)x)->id, b = ((const struct named *)y)->id;

	return (a > b) - (a < b);
}

/* Reads the values of numbers, sorted by number. */
static bool
read_values(struct ch_request *rq, const uint32_t *ids, size_t nids, struct named **out, size_t *n)
{
	struct ch_value v[CH_VALUES_MAX];
	struct ch_rows rows;

	*out = NULL;
	*n = 0;
	if (nids == 0)
		return true;
	if (!ch_ask_all(rq, ch_sql_values(&rq->plan, ids, nids), &rows))
		return false;
	while (ch_rows_next(&rows, "ws", v)) {
		*out = arena_room(rq->arena, *out, *n, sizeof(**out));
		(*out)[(*n)++] = (struct named){ (uint32_t)v[0].n, arena_str(rq->arena, v[1].s) };
	}
	if (*n > 1)
		qsort(*out, *n, sizeof(**out), by_bucket_id);
	return ch_rows_end(rq, &rows, true);
}

static bool
fill_from_dictionary(struct ch_request *rq, struct candidate *p, size_t n,
    const struct named *names, size_t nnames, struct group *out)
{
	for (size_t i = 0; i < n; i++) {
		struct named key = { .id = p[i].id }, *found;

		if (p[i].value.p != NULL)
			continue;
		found =
		    nnames == 0 ? NULL : bsearch(&key, names, nnames, sizeof(key), by_bucket_id);
		if (found == NULL)
			return ch_rows_end(rq, &(struct ch_rows){ .bad = true }, false);
		p[i].value = found->value;
	}
	if (n > 1)
		qsort(p, n, sizeof(*p), by_count_and_value);
	for (size_t i = 0; i < n; i++)
		add_ch_bucket(
		    rq, out, &(struct value){ .type = VALUE_KEYWORD, .s = p[i].value }, p[i].count);
	return true;
}

static struct dictionary_job
begin_job(struct ch_request *rq, const struct agg *aggs, size_t n)
{
	struct dictionary_job j = { .of = ARENA_ARRAY(rq->arena, n + 1, struct counted) };

	for (size_t i = 0; i < n; i++) {
		const struct schema_field *f =
		    aggs[i].field->of != NULL ? aggs[i].field->of : aggs[i].field;

		if (ch_facet_of(f) != CH_FACET_IDS)
			continue;
		if (find_counted(&j, f->index) == NULL)
			j.of[j.n++].field = f;
		if (aggs[i].limit + 1 > j.most)
			j.most = aggs[i].limit + 1;
	}
	for (size_t i = 0; i < j.n; i++)
		j.of[i].p = ARENA_ARRAY(rq->arena, j.most + UINT64_C(1), struct candidate);
	return j;
}

static bool
count_dictionary(struct ch_request *rq, const struct agg *aggs, size_t n, struct group *out)
{
	struct dictionary_job j = begin_job(rq, aggs, n);
	struct candidate **chosen = ARENA_ARRAY(rq->arena, n + 1, struct candidate *);
	size_t *nchosen = ARENA_ARRAY(rq->arena, n + 1, size_t), nnames;
	struct named *names;

	if (j.n == 0)
		return true;
	if (!count_ids(rq, &j))
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct schema_field *f =
		    aggs[i].field->of != NULL ? aggs[i].field->of : aggs[i].field;
		const struct counted *c =
		    ch_facet_of(f) == CH_FACET_IDS ? find_counted(&j, f->index) : NULL;

		if (c == NULL)
			continue;
		chosen[i] = ARENA_ARRAY(rq->arena, c->n + 1, struct candidate);
		if (!choose(rq, &j, c, aggs[i].limit, chosen[i], &nchosen[i]))
			return false;
		out[i].has_more = c->n > aggs[i].limit || c->hidden;
	}
	if (!read_values(rq, j.ids, j.nids, &names, &nnames))
		return false;
	for (size_t i = 0; i < n; i++)
		if (chosen[i] != NULL &&
		    !fill_from_dictionary(rq, chosen[i], nchosen[i], names, nnames, &out[i]))
			return false;
	return true;
}

/* ---- labels ---- */

static void
set_bucket_label(struct group *g, int64_t value, struct str label)
{
	for (size_t i = 0; i < g->nbuckets; i++)
		if (g->buckets[i].value.i == value && label.n > 0 &&
		    str_chars(label) <= LIM_BUCKET_LABEL)
			g->buckets[i].label = label;
}

static bool
add_labels(struct ch_request *rq, struct group *g)
{
	struct ch_value v[CH_VALUES_MAX];
	uint32_t *ids = ARENA_ARRAY(rq->arena, g->nbuckets + 1, uint32_t);
	int64_t *values = ARENA_ARRAY(rq->arena, g->nbuckets + 1, int64_t);
	size_t n = 0, nnames;
	struct named *names;
	struct ch_rows rows;

	if (g->nbuckets == 0)
		return true;
	if (!ch_ask(rq, ch_sql_labels(&rq->plan, g->field, g->buckets, g->nbuckets), &rows))
		return false;
	while (n < g->nbuckets && ch_rows_next(&rows, "qw", v)) {
		values[n] = (int64_t)v[0].n;
		ids[n++] = (uint32_t)v[1].n;
	}
	if (!ch_rows_end(rq, &rows, true) || !read_values(rq, ids, n, &names, &nnames))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct named key = { .id = ids[i] }, *found;

		found =
		    nnames == 0 ? NULL : bsearch(&key, names, nnames, sizeof(key), by_bucket_id);
		if (found != NULL)
			set_bucket_label(g, values[i], found->value);
	}
	return true;
}

bool
ch_aggregate(struct ch_request *rq, const struct agg *aggs, size_t n, struct group *out)
{
	for (size_t i = 0; i < n; i++) {
		out[i].buckets = ARENA_ARRAY(rq->arena, aggs[i].limit + UINT64_C(1), struct bucket);
		if (strcmp(aggs[i].field->relative, "tags") == 0 && !ch_read_tags(rq))
			return false;
	}
	for (size_t i = 0; i < n; i++) {
		if (ch_facet_of(aggs[i].field) != CH_FACET_IDS &&
		    !count_values(rq, &aggs[i], &out[i]))
			return false;
		if (aggs[i].field->label != NULL && !add_labels(rq, &out[i]))
			return false;
	}
	return count_dictionary(rq, aggs, n, out);
}
