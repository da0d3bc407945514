/* SPDX-License-Identifier: ISC */
/* Facets of a request: counts over all segments, then the first buckets. A field is counted in one
   of two ways. With many hits, an array has a counter for each ordinal. With few hits of a field of
   many terms, such an array would cost more than the hits: the ordinals of the hits are collected
   and sorted instead (FEW_RATIO). */
#include "config.h"

#include "search/index/read/basis.h"

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

/* The fields of a segment that are counted from one basis. */
struct counting {
	struct facet_job **jobs;
	struct facet *fs, *removed; /* removed: with counters of their own */
	size_t n;
};

static struct counting
new_counting(struct arena *a, size_t n)
{
	return (struct counting){ .jobs = ARENA_ARRAY(a, n + 1, struct facet_job *),
		.fs = ARENA_ARRAY(a, n + 1, struct facet),
		.removed = ARENA_ARRAY(a, n + 1, struct facet) };
}

static void
subtract_removed(struct run *r, struct counting *c, const struct set *removed)
{
	if (set_is_empty(removed))
		return;
	for (size_t i = 0; i < c->n; i++)
		c->removed[i] = (struct facet){ .t = c->fs[i].t,
			.intersect = c->fs[i].intersect,
			.counts = facet_counters(r, c->fs[i].t) };
	facet_count(r, removed, c->removed, c->n);
	for (size_t i = 0; i < c->n; i++)
		for (uint32_t id = 0; id < c->fs[i].t->n; id++)
			c->fs[i].counts[id] -= c->removed[i].counts[id];
}

/* Adds the counts of a segment to the sums. */
static void
add_by_ordinal(const struct facet_job *j, const uint32_t *map, const uint32_t *counts, uint32_t n)
{
	for (uint32_t id = 0; (id = skip_zeros(counts, id, n)) < n;)
		for (uint32_t end = n - id < ZEROS ? n : id + ZEROS; id < end; id++)
			if (counts[id] > 0)
				j->sum[ordinals_clamp(j->o, map[id])] += counts[id];
}

/* Counts the fields of one segment. The counters of the first segment are the sums themselves,
 * because its terms are their own ordinals (map == NULL). Any other segment has counters of its
 * own, by its own terms, which are added at their ordinals: mapping each increment would cost more
 * than mapping each term once. */
static void
count_fields(struct request *rq, struct counting *c, size_t segment, bool pairs)
{
	struct run *r = &rq->run;
	struct pool_mark mark = pool_mark(r->pool);
	struct basis b;

	if (c->n == 0)
		return;
	for (size_t i = 0; i < c->n; i++)
		c->fs[i].counts = c->jobs[i]->o->map[segment] == NULL
				      ? c->jobs[i]->sum
				      : facet_counters(r, c->fs[i].t);
	b = basis_choose(rq, &rq->hits[segment], c->fs, c->n, pairs);
	for (size_t i = 0; i < c->n; i++)
		if (b.kind != BASIS_NONE && run_spend(r, c->fs[i].t->n / 8))
			basis_add(r->seg, &b, c->jobs[i]->agg->field, c->fs[i].counts);
	if (!set_is_empty(&b.added))
		facet_count(r, &b.added, c->fs, c->n);
	subtract_removed(r, c, &b.removed);
	basis_free(r, &b);
	for (size_t i = 0; i < c->n; i++) {
		const struct facet_job *j = c->jobs[i];
		const uint32_t *map = j->o->map[segment];

		if (map != NULL)
			add_by_ordinal(j, map, c->fs[i].counts, c->fs[i].t->n);
	}
	pool_release(r->pool, mark);
}

/* Counts the terms of the hits in one segment. The ordinals of few hits with many terms are
 * collected. All other fields are counted from a basis, those with pair totals and those without
 * from bases of their own. */
static void
count_segment(struct request *rq, struct facet_job *jobs, size_t n, size_t segment)
{
	struct run *r = &rq->run;
	struct counting plain = new_counting(r->arena, n), paired = new_counting(r->arena, n);

	r->seg = rq->view->segments[segment].seg;
	for (size_t i = 0; i < n; i++) {
		const struct schema_field *f = jobs[i].agg->field;
		const struct terms *t = segment_terms(r->seg, f, PART_VALUES);
		struct counting *to = basis_has(r->seg, f) ? &paired : &plain;

		if (jobs[i].sum == NULL) {
			facet_collect(
			    r, &rq->hits[segment], t, jobs[i].o->map[segment], &jobs[i].few);
			continue;
		}
		to->fs[to->n].t = t;
		to->jobs[to->n++] = &jobs[i];
	}
	count_fields(rq, &plain, segment, false);
	count_fields(rq, &paired, segment, true);
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

/* Counters for all ordinals. Those of the first segment are counted in place (count_fields), so
   they have its room. */
static uint32_t *
new_sum(struct request *rq, const struct facet_job *j)
{
	size_t n = j->o->n + (size_t)COLUMN_K_MAX, room = n;

	if (rq->view->nsegments > 0)
		room = column_room(
		    segment_terms(rq->view->segments[0].seg, j->agg->field, PART_VALUES));
	return pool_counters(rq->run.pool, rq->run.arena, n, room < n ? n : room);
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
		j->sum = new_sum(rq, j);
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

/* Whether the values of the field are terms: the address that is the key, and a boolean that a date
   decides, have none. */
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
