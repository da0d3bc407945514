/* SPDX-License-Identifier: ISC */
/* The hits of a request, in the order of keys, and the names of nested documents. */
#include "config.h"

#include "search/index/format/column.h"
#include "search/index/read/request.h"

struct set
remove_dead(struct request *rq, const struct view_segment *vs, struct set hits)
{
	struct set_space sp = run_space(&rq->run, LEVEL_DOCUMENT),
			 own = run_space(&rq->run, rq->level);
	struct set dead = { .form = SET_WORDS };

	if (vs->dead == NULL || set_is_empty(&hits))
		return hits;
	dead.words = pool_get(rq->run.pool);
	memcpy(dead.words, vs->dead, sp.nwords * sizeof(*dead.words));
	if (rq->level == LEVEL_NESTED)
		dead = eval_owned(&rq->run, dead);
	return set_andnot(&own, hits, dead);
}

struct hit_cursor {
	struct set_walk walk;
	struct segment_key head; /* the key of the next hit, when keyed */
	uint32_t docs[64];
	size_t n, at;
	bool keyed;
};

/* Sets the cursor before the first hit of the segment after a key. */
static void
begin_cursor(struct request *rq, size_t i, struct str after, bool inclusive, struct hit_cursor *c)
{
	struct segment *seg = rq->view->segments[i].seg;
	struct set_space sp;
	uint32_t from = 0;

	rq->run.seg = seg;
	sp = run_space(&rq->run, LEVEL_DOCUMENT);
	if (rq->all)
		rq->hits[i] = remove_dead(rq, &rq->view->segments[i], rq->hits[i]);
	if (after.p != NULL) {
		from = segment_lower(seg, after);
		from += !inclusive && from < seg->ndocs &&
			str_eq(segment_key(seg, from, &c->head), after);
	}
	set_walk_begin(&c->walk, &sp, &rq->hits[i], from);
}

/* Whether the cursor has a hit; c->head then has its key. */
static bool
cursor_has_hit(const struct segment *seg, struct hit_cursor *c)
{
	if (c->at == c->n) {
		c->n = set_walk_next(&c->walk, c->docs, COUNT(c->docs));
		c->at = 0;
		c->keyed = false;
	}
	if (c->at < c->n && !c->keyed)
		(void)segment_key(seg, c->docs[c->at], &c->head);
	c->keyed = true;
	return c->at < c->n;
}

/* Each segment is sorted, so this merges the segments; a
 * cursor reads 64 documents of a segment at a time:
 *
 *   segment A   10.0.0.1  10.0.0.7  192.0.2.1        head of A  10.0.0.1   <- lowest: next
 *   segment B   10.0.0.5  198.51.100.9               head of B  10.0.0.5
 *
 * No key occurs twice: a document is alive in one segment only, and the sets contain no dead
 * documents. So no duplicates need to be removed, and the page after a key is found without
 * any state of the page before. */
size_t
first_hits(
    struct request *rq, struct str after, bool inclusive, size_t want, struct ordered_hit *out)
{
	struct view *v = rq->view;
	struct hit_cursor *cs = ARENA_ARRAY(rq->run.arena, v->nsegments + 1, struct hit_cursor);
	size_t n = 0;

	for (size_t i = 0; i < v->nsegments; i++)
		begin_cursor(rq, i, after, inclusive, &cs[i]);
	while (n < want) {
		size_t best = SIZE_MAX;

		for (size_t i = 0; i < v->nsegments; i++)
			if (cursor_has_hit(v->segments[i].seg, &cs[i]) &&
			    (best == SIZE_MAX || str_cmp(segment_key_str(&cs[i].head),
						     segment_key_str(&cs[best].head)) < 0))
				best = i;
		if (best == SIZE_MAX)
			break;
		out[n++] = (struct ordered_hit){ best, cs[best].docs[cs[best].at++] };
		cs[best].keyed = false;
	}
	return n;
}

void
read_nested_key(struct arena *a, enum dataset d, const struct segment *seg, uint32_t nested,
    struct nested_key *out)
{
	const struct schema_field *names[SCHEMA_NAMING];
	size_t n = schema_naming(d, names), texts = 0;

	for (size_t i = 0; i < SCHEMA_NAMING; i++)
		out->text[i] = STR("");
	for (size_t i = 0; i < n; i++) {
		const struct terms *t = segment_terms(seg, names[i], PART_VALUES);
		const struct column *c = &t->nested_column;
		uint32_t id = c->ids == NULL ? t->n : column_id(c, nested);
		bool set = id < t->n;
		struct term_text room;

		if (t->form == FORM_INTS) {
			out->number = set ? t->ints[id] : 0;
			continue;
		}
		if (set)
			out->text[texts] = arena_str(a, terms_str(t, id, &room));
		texts++;
	}
}
