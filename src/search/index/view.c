/* SPDX-License-Identifier: ISC */
/* One generation as workers see it: its segments mapped, and what joins their dictionaries. */
#include "config.h"

#include "search/index/index_priv.h"

static struct segment *
lent(const struct view *old, const struct index_segment *want)
{
	for (size_t i = 0; old != NULL && i < old->nsegments; i++) {
		const struct index_segment *have = &old->state.segments[i];

		if (have->id == want->id && have->checksum == want->checksum) {
			old->segments[i].seg->refs++;
			return old->segments[i].seg;
		}
	}
	return NULL;
}

struct view *
view_open(const char *directory, const struct view *old, char err[INDEX_FAULT])
{
	const struct schema_field *fields;
	struct view *v = mem_zero(sizeof(*v));

	if (!index_state_load(directory, &v->state, err) || v->state.generation == 0) {
		view_free(v);
		return NULL;
	}
	v->nfields = schema_fields(DATASET_HOSTS, &fields);
	v->fields = mem_array(v->nfields, sizeof(*v->fields));
	v->segments = mem_array(v->state.nsegments, sizeof(*v->segments));
	for (size_t i = 0; i < v->state.nsegments; i++) {
		const struct index_segment *s = &v->state.segments[i];
		struct view_segment *vs = &v->segments[i];

		vs->seg = lent(old, s);
		if (vs->seg == NULL)
			vs->seg = segment_open(directory, s, SEGMENT_VERIFY, err);
		if (vs->seg == NULL) {
			view_free(v);
			return NULL;
		}
		v->nsegments++;
		vs->dead = s->ndead > 0 ? s->dead : NULL;
		vs->ndead = s->ndead;
		v->documents += s->documents - s->ndead;
		if (s->documents > v->state.segments[v->base].documents)
			v->base = i;
	}
	return v;
}

static void
ordinals_free(struct ordinals *o, size_t nsegments)
{
	for (size_t i = 0; o->map != NULL && i < nsegments; i++)
		free(o->map[i]);
	free(o->map);
	free(o->extra);
	free(o->own_totals);
	free(o->top);
}

void
view_free(struct view *v)
{
	if (v == NULL)
		return;
	for (size_t i = 0; v->fields != NULL && i < v->nfields; i++)
		ordinals_free(&v->fields[i], v->nsegments);
	for (size_t i = 0; i < v->nsegments; i++)
		segment_close(v->segments[i].seg);
	free(v->fields);
	free(v->segments);
	index_state_free(&v->state);
	free(v);
}

/* ---- ordinals ---- */

/* An earlier segment's own new term that equals this one, or o->n. */
static uint32_t
find_extra(const struct ordinals *o, const struct scratch *order, const struct view *v,
    const struct schema_field *f, const struct terms *t, uint32_t id, size_t *at)
{
	size_t lo = 0, hi = order->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct origin *e = &o->extra[order->p[mid] - o->nbase];
		int c =
		    terms_cmp(segment_terms(v->segments[e->segment].seg, f, PART_VALUES),
			e->id, t, id);

		if (c == 0)
			return order->p[mid];
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	*at = lo;
	return o->n;
}

/* Terms the base does not know are kept sorted in order while the maps are made. */
static void
map_segment(struct ordinals *o, struct scratch *order, const struct view *v,
    const struct schema_field *f, uint32_t segment)
{
	const struct terms *t = segment_terms(v->segments[segment].seg, f, PART_VALUES);
	const struct terms *base =
	    segment_terms(v->segments[v->base].seg, f, PART_VALUES);
	uint32_t *map = o->map[segment] = mem_array(t->n, sizeof(*map));
	size_t at = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		map[i] = terms_find_other(base, t, i);
		if (map[i] < base->n)
			continue;
		map[i] = find_extra(o, order, v, f, t, i, &at);
		if (map[i] < o->n)
			continue;
		scratch_add(order, 0);
		memmove(order->p + at + 1, order->p + at,
		    (order->n - 1 - at) * sizeof(*order->p));
		order->p[at] = o->n;
		o->extra[o->n - o->nbase] = (struct origin){ segment, i };
		o->n++;
	}
}

static void
add_totals(struct ordinals *o, const struct view *v, const struct schema_field *f)
{
	struct run r = { .rc = ENGINE_OK,
		.budget = &(struct budget){ .deadline = INT64_MAX, .work = UINT64_MAX } };

	if (v->nsegments == 1 && v->segments[0].dead == NULL) {
		o->totals = segment_terms(v->segments[0].seg, f, PART_VALUES)
				->level[LEVEL_DOCUMENT]
				.count;
		return;
	}
	r.arena = arena_new(SIZE_MAX / 4);
	r.pool = pool_new();
	o->totals = o->own_totals = mem_array(o->n, sizeof(*o->totals));
	for (size_t i = 0; i < v->nsegments; i++) {
		const struct view_segment *vs = &v->segments[i];
		const struct terms *t = segment_terms(vs->seg, f, PART_VALUES);
		struct set dead = { .form = SET_WORDS };
		uint32_t *gone = mem_array(facet_places(t), sizeof(*gone));

		if (vs->dead != NULL) {
			memcpy(
			    &dead.words, &vs->dead, sizeof(dead.words)); /* only read */
			r.seg = vs->seg;
			facet_count(
			    &r, &dead, &(struct facet){ .t = t, .counts = gone }, 1);
		}
		for (uint32_t id = 0; id < t->n; id++)
			o->own_totals[o->map[i] == NULL ? id : o->map[i][id]] +=
			    t->level[LEVEL_DOCUMENT].count[id] - gone[id];
		free(gone);
		arena_reset(r.arena);
	}
	pool_free(r.pool);
	arena_free(r.arena);
}

static void
find_top(struct ordinals *o, const struct view *v, const struct schema_field *f)
{
	struct arena *a = arena_new(SIZE_MAX / 2);
	struct top top;

	o->ready = true;
	top_begin(&top, a, v, f, TOP_MAX);
	top_offer_all(&top, o->totals, o->n);
	top_end(&top);
	o->top = mem_array(top.n, sizeof(*o->top));
	for (size_t i = 0; i < top.n; i++)
		o->top[o->ntop++] = top.heap[i].id;
	o->nonzero = (uint32_t)top.seen;
	arena_free(a);
}

struct ordinals *
view_ordinals(struct view *v, const struct schema_field *f)
{
	struct ordinals *o = &v->fields[f->index];
	struct scratch order = { 0 };
	uint64_t others = 0;

	if (o->ready)
		return o;
	o->map = mem_array(v->nsegments, sizeof(*o->map));
	for (size_t i = 0; i < v->nsegments; i++)
		if (i != v->base)
			others += segment_terms(v->segments[i].seg, f, PART_VALUES)->n;
	o->nbase = o->n = segment_terms(v->segments[v->base].seg, f, PART_VALUES)->n;
	o->extra = mem_array(others, sizeof(*o->extra));
	for (uint32_t i = 0; i < v->nsegments; i++)
		if (i != v->base)
			map_segment(o, &order, v, f, i);
	free(order.p);
	add_totals(o, v, f);
	find_top(o, v, f);
	return o;
}

const struct terms *
ordinals_term(const struct view *v, const struct schema_field *f,
    const struct ordinals *o, uint32_t id, uint32_t *local)
{
	const struct origin *e;

	if (id < o->nbase) {
		*local = id;
		return segment_terms(v->segments[v->base].seg, f, PART_VALUES);
	}
	e = &o->extra[id - o->nbase];
	*local = e->id;
	return segment_terms(v->segments[e->segment].seg, f, PART_VALUES);
}

int
ordinals_cmp(const struct view *v, const struct schema_field *f, const struct ordinals *o,
    uint32_t a, uint32_t b)
{
	uint32_t i, k;
	const struct terms *x = ordinals_term(v, f, o, a, &i),
			   *y = ordinals_term(v, f, o, b, &k);

	return terms_cmp(x, i, y, k);
}
