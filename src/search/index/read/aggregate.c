/* SPDX-License-Identifier: ISC */
/* Facets of a request: counts over all segments, then the first buckets. A field is counted in one
   of two ways. With many hits, an array has a counter for each ordinal. With few hits of a field of
   many terms, such an array would cost more than the hits: the ordinals of the hits are collected
   and sorted instead (FEW_RATIO). */
#include "config.h"

#include "search/index/read/request.h"
#include "search/index/read/facet.h"

enum { FEW_RATIO = 256 }; /* ordinals a hit from which on they are collected */

/* One field of the request. */
struct facet_job {
	const struct agg *agg;
	struct group *out;
	struct ordinals *o;
	uint32_t *sum;      /* [ordinal]: its count; NULL: `few` is used */
	struct scratch few; /* an ordinal for each term of each hit */
};

/* ---- counting ---- */

/* The documents that are no hits. Unlike set_not, this leaves the hits valid. */
static struct set
complement_of(struct run *r, const struct set *hits)
{
	struct set_space sp = run_space(r, LEVEL_DOCUMENT);
	struct set others = { .form = SET_WORDS };

	if (hits->form == SET_RANGE)
		return set_not(&sp, *hits);
	others.words = pool_get(r->pool);
	memcpy(others.words, hits->words, sp.nwords * sizeof(*others.words));
	return set_not(&sp, others);
}

static void
add_segment_counts(struct facet_job *j, const struct facet *f, const uint32_t *map, bool complement)
{
	uint32_t common = 0;

	if (f->counts == j->sum)
		return;
	for (uint32_t id = 0; id < f->t->n; id++)
		j->sum[map == NULL ? id : ordinals_clamp(j->o, map[id])] +=
		    complement ? terms_next_count(f->t, id, &common) - f->counts[id]
			       : f->counts[id];
}

/* Counts the terms of the hits in one segment, for all fields in one walk. Each field takes the
 * cheapest of three ways:
 *
 *   few hits, many terms    their ordinals are collected (facet_collect)
 *   up to half of all       the hits are counted
 *   more than half          the other documents are counted, and subtracted from the totals
 *
 * Where the hits of the first segment are counted, its counters are the sums themselves, because
 * its terms are their own ordinals (map == NULL). Any other segment has counters of its own, by
 * its own terms, which add_segment_counts adds at their ordinals: mapping each increment would
 * cost more than mapping each term once. */
static void
count_segment(struct request *rq, struct facet_job *jobs, size_t n, size_t segment)
{
	struct run *r = &rq->run;
	const struct set *hits = &rq->hits[segment];
	struct facet *fs = ARENA_ARRAY(r->arena, n + 1, struct facet);
	struct set others = set_none();
	struct set_space sp;
	bool complement;
	size_t dense = 0;

	r->seg = rq->view->segments[segment].seg;
	sp = run_space(r, LEVEL_DOCUMENT);
	complement = hits->form != SET_LIST && set_count(&sp, hits) > sp.limit / 2;
	for (size_t i = 0; i < n; i++) {
		const struct terms *t = segment_terms(r->seg, jobs[i].agg->field, PART_VALUES);
		const uint32_t *map = jobs[i].o->map[segment];

		if (jobs[i].sum == NULL) {
			facet_collect(r, hits, t, map, &jobs[i].few);
			continue;
		}
		fs[dense].t = t;
		fs[dense++].counts = map == NULL && !complement
					 ? jobs[i].sum
					 : pool_counters(r->pool, r->arena, facet_places(t));
	}
	if (complement)
		others = complement_of(r, hits);
	if (dense > 0)
		facet_count(r, complement ? &others : hits, fs, dense);
	pool_put(r->pool, others.words);
	for (size_t i = 0, k = 0; i < n; i++)
		if (jobs[i].sum != NULL)
			add_segment_counts(&jobs[i], &fs[k++], jobs[i].o->map[segment], complement);
}

/* ---- buckets ---- */

/* The text of a term, in the arena. */
static struct str
copy_term(struct arena *a, const struct terms *t, uint32_t id)
{
	struct term_text room;
	struct str s = terms_str(t, id, &room);

	return s.p >= room.bytes && s.p < room.bytes + sizeof(room.bytes) ? arena_str(a, s) : s;
}

static struct str
find_label(struct arena *a, const struct view *v, const struct schema_field *f,
    const struct terms *t, uint32_t id)
{
	const struct terms *names;
	uint32_t name;
	struct str s;

	if (t->label == NULL || f->label == NULL)
		return STR_NULL;
	name = t->label[id];
	for (size_t i = 0; i < v->nsegments; i++) {
		if (segment_terms(v->segments[i].seg, f, PART_VALUES) != t)
			continue;
		names = segment_terms(v->segments[i].seg, f->label, PART_VALUES);
		if (name >= names->n)
			return STR_NULL;
		s = copy_term(a, names, name);
		return s.n > 0 && str_chars(s) <= LIM_BUCKET_LABEL ? s : STR_NULL;
	}
	return STR_NULL;
}

static void
read_term_value(struct arena *a, const struct schema_field *f, const struct terms *t, uint32_t id,
    struct value *out)
{
	out->type = f->type;
	switch (f->type) {
	case VALUE_KEYWORD:
	case VALUE_TEXT:
	case VALUE_DNS:
		out->type = VALUE_KEYWORD;
		out->s = copy_term(a, t, id);
		return;
	case VALUE_INTEGER:
		out->i = t->ints[id];
		return;
	case VALUE_NUMBER:
		out->n = number_of_key(t->ints[id]);
		return;
	case VALUE_BOOLEAN:
		out->b = t->ints[id] != 0;
		return;
	case VALUE_IP:
		out->ip.bits = 128;
		if (!address_of_key(
			copy_term(a, t, id), out->ip.a)) /* damage: the request will fail */
			memset(out->ip.a, 0, sizeof(out->ip.a));
		return;
	case VALUE_DATE:
		return;
	}
}

static struct bucket
make_bucket(struct arena *a, const struct view *v, const struct schema_field *f,
    const struct ordinals *o, struct candidate c)
{
	struct bucket b = { .count = c.count };
	uint32_t id;
	const struct terms *t = ordinals_term(v, f, o, c.id, &id);

	read_term_value(a, f, t, id, &b.value);
	b.label = find_label(a, v, f, t, id);
	if (strcmp(f->relative, "tags") == 0)
		b.tag = index_tags_find(&v->state.tags, b.value.s);
	return b;
}

static int
by_id(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void
offer_few(struct top *top, const struct ordinals *o, struct scratch *few)
{
	if (few->n > 0)
		qsort(few->p, few->n, sizeof(*few->p), by_id);
	for (size_t i = 0, k; i < few->n && few->p[i] < o->n; i = k) {
		for (k = i; k < few->n && few->p[k] == few->p[i]; k++)
			;
		top_offer(top, few->p[i], (uint32_t)(k - i));
	}
}

static void
fill_group(struct request *rq, struct facet_job *j)
{
	const struct schema_field *f = j->agg->field;
	struct arena *a = rq->run.arena;
	struct group *out = j->out;
	struct top top;

	top_begin(&top, a, rq->view, f, j->agg->limit);
	if (rq->all && j->agg->limit <= TOP_MAX) {
		top.seen = j->o->nonzero;
		for (; top.n < j->agg->limit && top.n < j->o->ntop; top.n++)
			top.heap[top.n] =
			    (struct candidate){ j->o->top[top.n], j->o->totals[j->o->top[top.n]] };
	} else {
		if (rq->all)
			top_offer_all(&top, j->o->totals);
		else if (j->sum != NULL)
			top_offer_all(&top, j->sum);
		else
			offer_few(&top, j->o, &j->few);
		top_end(&top);
	}
	out->has_more = top.seen > top.n;
	out->nbuckets = top.n;
	out->buckets = ARENA_ARRAY(a, top.n + 1, struct bucket);
	for (size_t i = 0; i < top.n; i++)
		out->buckets[i] = make_bucket(a, rq->view, f, j->o, top.heap[i]);
}

/* Returns false when the request has to end. The first facet of a field in a generation adds up the
   totals of the field, and that work counts for this request. */
static bool
begin_facet_job(struct request *rq, const struct agg *agg, struct group *out, struct facet_job *j)
{
	struct run *r = &rq->run;

	*j = (struct facet_job){ .agg = agg, .out = out };
	if (!view_has(rq->view, agg->field) && r->rc == ENGINE_OK)
		r->rc = ENGINE_UNAVAILABLE;
	if (r->rc != ENGINE_OK ||
	    (!rq->view->fields[agg->field->index].ready && !run_spend(r, rq->view->documents)))
		return false;
	j->o = view_ordinals(rq->view, agg->field);
	if (!rq->all && (rq->level == LEVEL_NESTED || rq->total > j->o->n / FEW_RATIO) &&
	    run_spend(r, j->o->n / 8))
		j->sum = pool_counters(r->pool, r->arena, j->o->n + (size_t)COLUMN_K_MAX);
	return r->rc == ENGINE_OK;
}

static void
count_hits(struct request *rq, struct facet_job *jobs, size_t n, size_t segment)
{
	if (rq->level == LEVEL_DOCUMENT)
		count_segment(rq, jobs, n, segment);
	for (size_t i = 0; rq->level == LEVEL_NESTED && i < n; i++)
		if (jobs[i].sum != NULL)
			nested_count(rq, segment, jobs[i].agg->field, jobs[i].o, jobs[i].sum);
}

/* Whether the values of the field are terms: the address that is the key, and a boolean that a date decides, have
   none. */
static bool
has_terms(const struct schema_field *f)
{
	return f != schema_address(f->dataset) && f->passed == NULL;
}

void
aggregate_terms(struct request *rq, const struct agg *aggs, size_t naggs, struct group *out)
{
	struct facet_job *jobs = ARENA_ARRAY(rq->run.arena, naggs + 1, struct facet_job);
	size_t n = 0;

	for (size_t i = 0; i < naggs; i++)
		if (has_terms(aggs[i].field) && !begin_facet_job(rq, &aggs[i], &out[i], &jobs[n++]))
			return;
	for (size_t s = 0; s < rq->view->nsegments && !rq->all && rq->run.rc == ENGINE_OK; s++)
		if (!set_is_empty(&rq->hits[s]))
			count_hits(rq, jobs, n, s);
	for (size_t i = 0; i < n; i++) {
		if (rq->run.rc == ENGINE_OK)
			fill_group(rq, &jobs[i]);
		free(jobs[i].few.p);
	}
}
