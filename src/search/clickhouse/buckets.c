/* SPDX-License-Identifier: ISC */
/* Facets by ClickHouse. A field of texts that has no dictionary has a statement of its own, whose
 * rows are the buckets. All other fields are counted together; the numbers of dictionaries are
 * replaced by values at the end:
 *
 *   ch_sql_facets       asn      64500: 9   64499: 5   64501: 5        these are the buckets
 *                       os       4711: 9   17: 5   23: 5   8: 5        three are wanted, and one more is fetched
 *   ch_sql_facet_ties   os = 5   "BSD" 8, "Linux" 23                   the fourth has as many as the third: which come first?
 *   ch_sql_values       4711 = "Windows"
 */
#include "config.h"

#include "search/clickhouse/engine_priv.h"

/* A field, and its values with the greatest counts. */
struct counted {
	const struct schema_field *field;
	struct candidate {
		int64_t number; /* in the dictionary, or the value */
		uint64_t count;
		struct str value; /* named by the number; p NULL: not known yet */
	} * p;
	size_t n;
	bool hidden; /* there are values that cannot be buckets */
};

struct facet_job {
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
value_of_text(struct arena *a, const struct schema_field *f, struct str s, struct value *out)
{
	if (f->type == VALUE_IP) {
		out->type = VALUE_IP;
		return address_of_bucket(s, out);
	}
	*out = (struct value){ .type = VALUE_KEYWORD, .s = arena_str(a, s) };
	return true;
}

static struct value
value_of_number(const struct schema_field *f, int64_t n)
{
	if (f->type == VALUE_BOOLEAN)
		return (struct value){ .type = VALUE_BOOLEAN, .b = n != 0 };
	return (struct value){ .type = VALUE_INTEGER, .i = n };
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
count_texts(struct ch_request *rq, const struct agg *agg, struct group *out)
{
	struct ch_value v[CH_VALUES_MAX];
	struct value value = { 0 };
	struct ch_rows rows;
	bool good = true;

	if (!ch_ask(rq, ch_sql_facet_texts(&rq->plan, agg), &rows))
		return false;
	while (good && !out->has_more && ch_rows_next(&rows, "sqb", v)) {
		out->has_more = out->nbuckets == agg->limit || v[2].n == 0;
		good = value_of_text(rq->arena, agg->field, v[0].s, &value);
		if (good && !out->has_more)
			add_ch_bucket(rq, out, &value, v[1].n);
	}
	return ch_rows_end(rq, &rows, good);
}

/* ---- numbers and dictionaries ---- */

static struct counted *
find_counted(struct facet_job *j, unsigned field)
{
	for (size_t i = 0; i < j->n; i++)
		if (j->of[i].field->index == field)
			return &j->of[i];
	return NULL;
}

static bool
count_candidates(struct ch_request *rq, struct facet_job *j)
{
	const struct schema_field **fields =
	    ARENA_ARRAY(rq->arena, j->n + 1, const struct schema_field *);
	struct ch_value v[CH_VALUES_MAX];
	struct ch_rows rows;
	bool good = true;

	for (size_t i = 0; i < j->n; i++)
		fields[i] = j->of[i].field;
	if (!ch_ask(rq, ch_sql_facets(&rq->plan, fields, j->n, j->most), &rows))
		return false;
	while (good && ch_rows_next(&rows, "qq", v)) {
		struct ch_packed p = ch_unpack(v[0].n);
		struct counted *c = find_counted(j, p.field);

		good = c != NULL && c->n < j->most;
		if (good && !p.shown)
			c->hidden = true;
		else if (good)
			c->p[c->n++] = (struct candidate){ p.value, v[1].n, STR_NULL };
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
		p[n] = (struct candidate){ (int64_t)v[0].n, count, arena_str(rq->arena, v[1].s) };
	for (size_t i = n; i < limit;
	     i++) /* with FINAL, a document may change between both statements */
		p[i].count = 0;
	return ch_rows_end(rq, &rows, true);
}

/* Chooses the candidates of one aggregation of a field with a dictionary; the values of some are
   not known yet. */
static bool
choose_ids(struct ch_request *rq, struct facet_job *j, const struct counted *c, unsigned limit,
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
			j->ids[j->nids++] = (uint32_t)out[i].number;
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

static const struct named *
find_named(const struct named *names, size_t n, uint32_t id)
{
	const struct named key = { .id = id };

	return n == 0 ? NULL : bsearch(&key, names, n, sizeof(key), by_bucket_id);
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
		const struct named *found;

		if (p[i].value.p != NULL)
			continue;
		found = find_named(names, nnames, (uint32_t)p[i].number);
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

static struct facet_job
begin_job(struct ch_request *rq, const struct agg *aggs, size_t n)
{
	struct facet_job j = { .of = ARENA_ARRAY(rq->arena, n + 1, struct counted) };

	for (size_t i = 0; i < n; i++) {
		const struct schema_field *f = ch_own_field(aggs[i].field);

		if (ch_facet_of(f) == CH_FACET_TEXTS)
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

static void
fill_from_numbers(struct ch_request *rq, const struct counted *c, unsigned limit, struct group *out)
{
	for (size_t i = 0; i < c->n && i < limit; i++) {
		struct value v = value_of_number(c->field, c->p[i].number);

		add_ch_bucket(rq, out, &v, c->p[i].count);
	}
}

static bool
count_packed(struct ch_request *rq, const struct agg *aggs, size_t n, struct group *out)
{
	struct facet_job j = begin_job(rq, aggs, n);
	struct candidate **chosen = ARENA_ARRAY(rq->arena, n + 1, struct candidate *);
	size_t *nchosen = ARENA_ARRAY(rq->arena, n + 1, size_t), nnames;
	struct named *names;

	if (j.n == 0)
		return true;
	if (!count_candidates(rq, &j))
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct schema_field *f = ch_own_field(aggs[i].field);
		const struct counted *c =
		    ch_facet_of(f) == CH_FACET_TEXTS ? NULL : find_counted(&j, f->index);

		if (c == NULL)
			continue;
		out[i].has_more = c->n > aggs[i].limit || c->hidden;
		if (ch_facet_of(f) == CH_FACET_NUMBERS) {
			fill_from_numbers(rq, c, aggs[i].limit, &out[i]);
			continue;
		}
		chosen[i] = ARENA_ARRAY(rq->arena, c->n + 1, struct candidate);
		if (!choose_ids(rq, &j, c, aggs[i].limit, chosen[i], &nchosen[i]))
			return false;
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

/* Reads the labels of the buckets that have none yet. */
static bool
read_labels(struct ch_request *rq, struct group *g, bool of_hits)
{
	struct ch_value v[CH_VALUES_MAX];
	uint32_t *ids = ARENA_ARRAY(rq->arena, g->nbuckets + 1, uint32_t);
	int64_t *values = ARENA_ARRAY(rq->arena, g->nbuckets + 1, int64_t);
	size_t wanted = 0, n = 0, nnames;
	struct named *names;
	struct ch_rows rows;

	for (size_t i = 0; i < g->nbuckets; i++)
		if (g->buckets[i].label.p == NULL)
			values[wanted++] = g->buckets[i].value.i;
	if (wanted == 0)
		return true;
	if (!ch_ask(rq, ch_sql_labels(&rq->plan, g->field, values, wanted, of_hits), &rows))
		return false;
	while (n < wanted && ch_rows_next(&rows, "qw", v)) {
		values[n] = (int64_t)v[0].n;
		ids[n++] = (uint32_t)v[1].n;
	}
	if (!ch_rows_end(rq, &rows, true) || !read_values(rq, ids, n, &names, &nnames))
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct named *found = find_named(names, nnames, ids[i]);

		if (found != NULL)
			set_bucket_label(g, values[i], found->value);
	}
	return true;
}

/* The hits are asked first, because they may be few, and nearly always have the labels. */
static bool
add_labels(struct ch_request *rq, struct group *g)
{
	return read_labels(rq, g, true) && read_labels(rq, g, false);
}

bool
ch_aggregate(struct ch_request *rq, const struct agg *aggs, size_t n, struct group *out)
{
	for (size_t i = 0; i < n; i++) {
		out[i].buckets = ARENA_ARRAY(rq->arena, aggs[i].limit + UINT64_C(1), struct bucket);
		if (strcmp(aggs[i].field->relative, "tags") == 0 && !ch_read_tags(rq))
			return false;
	}
	if (!count_packed(rq, aggs, n, out))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (ch_facet_of(aggs[i].field) == CH_FACET_TEXTS &&
		    !count_texts(rq, &aggs[i], &out[i]))
			return false;
		if (aggs[i].field->label != NULL && !add_labels(rq, &out[i]))
			return false;
	}
	return true;
}
