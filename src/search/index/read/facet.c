/* SPDX-License-Identifier: ISC */
/* Counts the terms of hits. This is the inner loop of the service: a facet over all hosts makes
 * millions of increments. Two effects decide its speed.
 * - Store forwarding: two increments of the same counter in a row wait for each other, and a
 *   frequent term occurs in most documents. So neighbouring documents use different copies of
 *   the counters (FACET_SPLITS), which are added up at the end. Copies do not pay when they
 *   leave the cache or when there are few hits.
 * - Cache misses: sparse hits are in a cache line each. So the lines of the documents AHEAD are
 *   prefetched. */
#include "config.h"

#include "search/index/read/facet.h"
#include "search/index/read/request.h"

enum { SPLITS = FACET_SPLITS, SPLIT_MAX = 8192, SPLIT_SOME = 1 << 17, BATCH = 2048, AHEAD = 32 };

/* ---- the inner loops, by width of a term and terms a document ---- */

/* The counter of a term; the last one when the term is not in the dictionary, which only damage
   causes. The compiler makes a conditional move of it, so the loop gets no branch that could be
   mispredicted. */
static inline uint32_t
clamp_place(uint32_t id, uint32_t last)
{
	return id < last ? id : last;
}

/* docs has AHEAD readable entries after the n documents, for the prefetches. */
#define COUNT_WIDTH(name, type)                                                                    \
	static inline __attribute__((always_inline)) void name##_k(const type *p, const size_t k,  \
	    const uint32_t *docs, size_t n, uint32_t *const c[SPLITS], const uint32_t last)        \
	{                                                                                          \
		uint32_t *c0 = c[0], *c1 = c[1], *c2 = c[2], *c3 = c[3];                           \
		size_t i = 0;                                                                      \
                                                                                                   \
		for (; i + SPLITS <= n; i += SPLITS) {                                             \
			__builtin_prefetch(p + docs[i + AHEAD + 0] * k);                           \
			__builtin_prefetch(p + docs[i + AHEAD + 1] * k);                           \
			__builtin_prefetch(p + docs[i + AHEAD + 2] * k);                           \
			__builtin_prefetch(p + docs[i + AHEAD + 3] * k);                           \
			const type *d0 = p + docs[i] * k, *d1 = p + docs[i + 1] * k;               \
			const type *d2 = p + docs[i + 2] * k, *d3 = p + docs[i + 3] * k;           \
                                                                                                   \
			_Pragma("GCC unroll 8") for (size_t s = 0; s < k; s++)                     \
			{                                                                          \
				c0[clamp_place(d0[s], last)]++;                                    \
				c1[clamp_place(d1[s], last)]++;                                    \
				c2[clamp_place(d2[s], last)]++;                                    \
				c3[clamp_place(d3[s], last)]++;                                    \
			}                                                                          \
		}                                                                                  \
		for (; i < n; i++)                                                                 \
			for (size_t s = 0; s < k; s++)                                             \
				c0[clamp_place(p[docs[i] * k + s], last)]++;                       \
	}                                                                                          \
	static void name(const struct column *col, const uint32_t *docs, size_t n,                 \
	    uint32_t *c[SPLITS], uint32_t last)                                                    \
	{                                                                                          \
		if (col->k == 1)                                                                   \
			name##_k(col->ids, 1, docs, n, c, last);                                   \
		else if (col->k == 2)                                                              \
			name##_k(col->ids, 2, docs, n, c, last);                                   \
		else if (col->k == 4)                                                              \
			name##_k(col->ids, 4, docs, n, c, last);                                   \
		else                                                                               \
			name##_k(col->ids, col->k, docs, n, c, last);                              \
	}

COUNT_WIDTH(count8, uint8_t)
COUNT_WIDTH(count16, uint16_t)
COUNT_WIDTH(count32, uint32_t)

static void
count_batch(const struct terms *t, const uint32_t *docs, size_t n, uint32_t *c[SPLITS])
{
	uint32_t last = (uint32_t)facet_places(t) - 1;

	if (t->column.width == 1)
		count8(&t->column, docs, n, c, last);
	else if (t->column.width == 2)
		count16(&t->column, docs, n, c, last);
	else
		count32(&t->column, docs, n, c, last);
}

static uint32_t
id_at(const void *ids, uint8_t width, size_t i)
{
	if (width == 1)
		return ((const uint8_t *)ids)[i];
	return width == 2 ? ((const uint16_t *)ids)[i] : ((const uint32_t *)ids)[i];
}

static uint32_t
find_overflow(const struct column *col, uint32_t doc)
{
	uint32_t lo = 0, hi = col->nmore;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (col->more_docs[mid] < doc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < col->nmore && col->more_docs[lo] == doc ? lo : col->nmore;
}

static uint64_t
overflow_end(const struct column *col, uint32_t i)
{
	uint64_t to = col->more_at[i + 1];

	return to < col->nids ? to : col->nids;
}

static void
count_overflow_of(const struct terms *t, uint32_t i, uint32_t *counts)
{
	const struct column *col = &t->column;
	uint64_t to = overflow_end(col, i);

	for (uint64_t k = col->more_at[i]; k < to; k++)
		counts[clamp_place(id_at(col->more_ids, col->width, k), t->n)]++;
}

static void
count_overflow(struct run *r, const struct terms *t, const struct set *hits, uint32_t *counts)
{
	const struct column *col = &t->column;
	uint32_t lo;

	if (hits->form != SET_LIST) {
		for (uint32_t i = 0; i < col->nmore; i++) {
			uint32_t doc = col->more_docs[i];

			if (doc < r->seg->ndocs && set_has(hits, doc))
				count_overflow_of(t, i, counts);
		}
		run_spend(r, col->nmore);
		return;
	}
	for (uint32_t i = 0; i < hits->n; i++) {
		lo = find_overflow(col, hits->list[i]);
		if (lo < col->nmore)
			count_overflow_of(t, lo, counts);
	}
}

size_t
facet_places(const struct terms *t)
{
	return t->n + (size_t)COLUMN_K_MAX;
}

/* Prepares the counters of one field and chooses how many copies are used: four of a small
 * dictionary, two of a medium one, whose copies would leave the cache, and one when clearing and
 * adding the copies would cost more than the hits.
 *
 * Missing values have the numbers behind the last term, so the inner loop counts them like
 * terms, in counters that belong to another facet when f->counts is a part of a larger array.
 * `behind` keeps their content, and end_facet restores it. */
static void
begin_facet(struct run *r, struct facet *f, uint32_t nhits)
{
	unsigned splits = f->t->n < SPLIT_MAX ? SPLITS : f->t->n < SPLIT_SOME ? 2 : 1;

	if (nhits < f->t->n / 8)
		splits = 1;
	memcpy(f->behind, f->counts + f->t->n, sizeof(f->behind));
	for (unsigned s = 0; s < SPLITS; s++)
		f->c[s] = s == 0       ? f->counts
			  : s < splits ? pool_counters(r->pool, r->arena, facet_places(f->t))
				       : f->c[s % splits];
}

static void
end_facet(struct run *r, struct facet *f, const struct set *hits)
{
	for (unsigned s = 1; s < SPLITS && f->c[s] != f->counts; s++)
		for (uint32_t i = 0; i < f->t->n; i++)
			f->counts[i] += f->c[s][i];
	memcpy(f->counts + f->t->n, f->behind, sizeof(f->behind));
	count_overflow(r, f->t, hits, f->counts);
}

void
facet_count(struct run *r, const struct set *hits, struct facet *fs, size_t n)
{
	struct set_space sp = run_space(r, LEVEL_DOCUMENT);
	uint32_t docs[BATCH + AHEAD] = { 0 }, nhits = set_count(&sp, hits);
	uint64_t values = 0;
	struct set_walk w;
	size_t k;

	for (size_t i = 0; i < n; i++) {
		begin_facet(r, &fs[i], nhits);
		values += fs[i].t->column.k;
	}
	set_walk_begin(&w, &sp, hits, 0);
	while ((k = set_walk_next(&w, docs, BATCH)) > 0 && run_spend(r, k * values))
		for (size_t i = 0; i < n; i++)
			if (fs[i].t->column.ids != NULL)
				count_batch(fs[i].t, docs, k, fs[i].c);
	for (size_t i = 0; i < n; i++)
		end_facet(r, &fs[i], hits);
}

static void
collect_term(const struct terms *t, uint32_t id, const uint32_t *map, struct scratch *out)
{
	if (id < t->n)
		scratch_add(out, map == NULL ? id : map[id]);
}

static void
collect_document(const struct terms *t, uint32_t doc, const uint32_t *map, struct scratch *out)
{
	const struct column *col = &t->column;
	uint32_t more = find_overflow(col, doc);
	uint64_t to;

	for (unsigned k = 0; k < col->k; k++)
		collect_term(t, id_at(col->ids, col->width, (size_t)doc * col->k + k), map, out);
	if (more == col->nmore)
		return;
	to = overflow_end(col, more);
	for (uint64_t k = col->more_at[more]; k < to; k++)
		collect_term(t, id_at(col->more_ids, col->width, k), map, out);
}

void
facet_terms(const struct terms *t, uint32_t doc, struct scratch *out)
{
	collect_document(t, doc, NULL, out);
}

void
facet_collect(struct run *r, const struct set *hits, const struct terms *t, const uint32_t *map,
    struct scratch *out)
{
	struct set_space sp = run_space(r, LEVEL_DOCUMENT);
	uint32_t docs[BATCH];
	struct set_walk w;
	size_t n;

	if (t->column.ids == NULL)
		return;
	set_walk_begin(&w, &sp, hits, 0);
	while ((n = set_walk_next(&w, docs, BATCH)) > 0 && run_spend(r, n * t->column.k))
		for (size_t i = 0; i < n; i++)
			collect_document(t, docs[i], map, out);
}
