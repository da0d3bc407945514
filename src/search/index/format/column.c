/* SPDX-License-Identifier: ISC */
/* The inner loops of facets, by width of a term and terms a document. facet.c explains what decides their speed. */
#include "config.h"

#include "search/index/format/column.h"

/* The counter of a term; the last one when the term is not in the dictionary, which only damage
   causes. The compiler makes a conditional move of it, so the loop gets no branch that could be
   mispredicted. */
static inline uint32_t
clamp_place(uint32_t id, uint32_t last)
{
	return id < last ? id : last;
}

/* docs has COLUMN_AHEAD readable entries after the n documents, for the prefetches. */
#define COUNT_WIDTH(name, type)                                                                    \
	static inline __attribute__((always_inline)) void name##_k(const type *p, const size_t k,  \
	    const uint32_t *docs, size_t n, uint32_t *const c[COLUMN_SPLITS], const uint32_t last) \
	{                                                                                          \
		uint32_t *c0 = c[0], *c1 = c[1], *c2 = c[2], *c3 = c[3];                           \
		size_t i = 0;                                                                      \
                                                                                                   \
		for (; i + COLUMN_SPLITS <= n; i += COLUMN_SPLITS) {                               \
			__builtin_prefetch(p + docs[i + COLUMN_AHEAD + 0] * k);                    \
			__builtin_prefetch(p + docs[i + COLUMN_AHEAD + 1] * k);                    \
			__builtin_prefetch(p + docs[i + COLUMN_AHEAD + 2] * k);                    \
			__builtin_prefetch(p + docs[i + COLUMN_AHEAD + 3] * k);                    \
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
	    uint32_t *const c[COLUMN_SPLITS], uint32_t last)                                       \
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

size_t
column_counters(const struct terms *t)
{
	return t->n + (size_t)COLUMN_K_MAX;
}

void
column_count(
    const struct terms *t, const uint32_t *docs, size_t n, uint32_t *const c[COLUMN_SPLITS])
{
	uint32_t last = (uint32_t)column_counters(t) - 1;

	if (t->column.ids == NULL)
		return;
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

uint32_t
column_id(const struct column *c, size_t i)
{
	return id_at(c->ids, c->width, i);
}

/* ---- documents with more terms than places ---- */

uint32_t
column_more(const struct column *c, uint32_t doc)
{
	uint32_t lo = 0, hi = c->nmore;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (c->more_docs[mid] < doc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < c->nmore && c->more_docs[lo] == doc ? lo : c->nmore;
}

void
column_more_range(const struct column *c, uint32_t i, uint64_t *from, uint64_t *to)
{
	*from = c->more_at[i];
	*to = c->more_at[i + 1];
	if (*to > c->nids)
		*to = c->nids;
}

uint32_t
column_more_id(const struct column *c, uint64_t i)
{
	return id_at(c->more_ids, c->width, i);
}

void
column_count_more(const struct terms *t, uint32_t i, uint32_t *counts)
{
	uint64_t k, to;

	for (column_more_range(&t->column, i, &k, &to); k < to; k++)
		counts[clamp_place(column_more_id(&t->column, k), t->n)]++;
}
