/* SPDX-License-Identifier: ISC */
/* Computes, once per generation and field, the number of live documents of each term and the first
 * buckets over all documents. */
#include "config.h"

#include "search/index/read/facet.h"
#include "search/index/read/request.h"

/* Adds up how many live documents each term has in the generation: the counts that the segments
 * store, less those of dead documents, which are counted here like the hits of a facet.
 *
 *   segment A   Linux 5000   dead 3  -> 4997 --+
 *   segment B   Linux   12   dead 0  ->   12 --+--> totals[ordinal of Linux] = 5009
 *
 * So a facet over everything reads one array and no document, and a facet over more than half of
 * all documents counts the others and subtracts (basis.c). With one segment, no dead document and
 * no rare term, the stored counts are the totals, and nothing is copied. */
static void
add_totals(struct ordinals *o, const struct view *v, const struct schema_field *f)
{
	struct run r = { .rc = ENGINE_OK,
		.budget = &(struct budget){ .deadline = INT64_MAX, .work = UINT64_MAX } };

	if (v->nsegments == 1 && v->segments[0].dead == NULL &&
	    segment_terms(v->segments[0].seg, f, PART_VALUES)->rare.bits == NULL) {
		o->totals = segment_terms(v->segments[0].seg, f, PART_VALUES)->count;
		return;
	}
	r.arena = arena_new(SIZE_MAX / 4);
	r.pool = pool_new();
	o->totals = o->own_totals = mem_array(o->n + UINT64_C(1), sizeof(*o->totals));
	for (size_t i = 0; i < v->nsegments; i++) {
		const struct view_segment *vs = &v->segments[i];
		const struct terms *t = segment_terms(vs->seg, f, PART_VALUES);
		struct set dead = { .form = SET_WORDS };
		uint32_t *gone = vs->dead == NULL ? NULL : mem_array(column_room(t), sizeof(*gone));

		if (vs->dead != NULL) {
			memcpy(&dead.words, &vs->dead,
			    sizeof(dead.words)); /* drops const: only read */
			r.seg = vs->seg;
			facet_scan(&r, &dead, &(struct facet){ .t = t, .counts = gone }, 1);
		}
		for (uint32_t id = 0, common = 0; id < t->n; id++)
			o->own_totals[o->map[i] == NULL ? id : ordinals_clamp(o, o->map[i][id])] +=
			    terms_next_count(t, id, &common) - (gone == NULL ? 0 : gone[id]);
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
	top_offer_all(&top, o->totals);
	top_end(&top);
	o->top = mem_array(top.n, sizeof(*o->top));
	for (size_t i = 0; i < top.n; i++)
		o->top[o->ntop++] = top.heap[i].id;
	o->nonzero = (uint32_t)top.seen;
	arena_free(a);
}

/* The maps are in files, so this only adds numbers: its time is limited by the number of terms and
   dead documents. */
struct ordinals *
view_ordinals(struct view *v, const struct schema_field *f)
{
	struct ordinals *o = &v->fields[f->index];

	if (o->ready)
		return o;
	o->map = mem_array(v->nsegments, sizeof(*o->map));
	o->start = mem_array(v->nsegments + 1, sizeof(*o->start));
	for (size_t i = 0; i < v->nsegments; i++) {
		if (i > 0)
			o->map[i] = v->segments[i].map->field[f->index];
		o->n += segment_terms(v->segments[i].seg, f, PART_VALUES)->n;
		o->start[i + 1] = o->n;
	}
	add_totals(o, v, f);
	find_top(o, v, f);
	return o;
}
