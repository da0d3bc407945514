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

/* ---- terms without a place ----
 *
 * A document with more than k terms has the rest of them in MORE_IDS. Its number among such documents is its rank:
 *
 *   document     0 1 2 3 ... 63 | 64 65 66 ...        k = 2
 *   more_words   0 1 0 0 ...  1 |  0  1  0 ...        documents 1, 63 and 65 have more
 *   more_rank    0              |  2                  65 has rank 2 + 0 bits before it = 2
 *   more_at      0 1 4 6                              the rest of 65 is more_ids[4..5] */

size_t
column_words(uint32_t ndocs)
{
	return (ndocs + UINT64_C(63)) / 64;
}

void
column_rank(const uint32_t *docs, uint32_t n, uint32_t ndocs, uint64_t *words, uint32_t *rank)
{
	uint32_t before = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t doc = docs[i]; /* read once: it may change */

		if (doc < ndocs)
			words[doc >> 6] |= UINT64_C(1) << (doc & 63);
	}
	for (size_t i = 0; i < column_words(ndocs); i++) {
		rank[i] = before;
		before += (uint32_t)__builtin_popcountll(words[i]);
	}
}

/* The entries of the document with this rank. A damaged rank has none. */
static bool
more_of_rank(const struct column *c, uint64_t rank, uint64_t *from, uint64_t *to)
{
	if (rank >= c->nmore)
		return false;
	*from = c->more_at[rank];
	*to = c->more_at[rank + 1];
	if (*to > c->nids)
		*to = c->nids;
	return true;
}

bool
column_more(const struct column *c, uint32_t doc, uint64_t *from, uint64_t *to)
{
	uint64_t word, bit = UINT64_C(1) << (doc & 63);

	if (c->nmore == 0 || doc >= c->ndocs)
		return false;
	word = c->more_words[doc >> 6];
	if ((word & bit) == 0)
		return false;
	return more_of_rank(
	    c, c->more_rank[doc >> 6] + (uint64_t)__builtin_popcountll(word & (bit - 1)), from, to);
}

uint32_t
column_more_id(const struct column *c, uint64_t i)
{
	return id_at(c->more_ids, c->width, i);
}

/* Counts for those documents of one word that are in the mask. */
static void
count_more_word(const struct terms *t, size_t i, uint64_t mask, uint32_t *counts)
{
	const struct column *c = &t->column;
	uint64_t word = c->more_words[i], rank = c->more_rank[i], from, to;

	for (uint64_t bits = word & mask; bits != 0; bits &= bits - 1) {
		uint64_t below = (bits & -bits) - 1;

		if (!more_of_rank(
			c, rank + (uint64_t)__builtin_popcountll(word & below), &from, &to))
			return;
		for (; from < to; from++)
			counts[column_place(t, column_more_id(c, from))]++;
	}
}

void
column_count_more(const struct terms *t, const uint64_t *words, uint32_t *counts)
{
	for (size_t i = 0, n = column_words(t->column.ndocs); t->column.nmore > 0 && i < n; i++)
		if ((words[i] & t->column.more_words[i]) != 0)
			count_more_word(t, i, words[i], counts);
}

void
column_count_more_range(const struct terms *t, uint32_t lo, uint32_t hi, uint32_t *counts)
{
	if (hi > t->column.ndocs)
		hi = t->column.ndocs;
	for (size_t i = lo >> 6; t->column.nmore > 0 && i < column_words(hi); i++) {
		uint64_t mask = UINT64_MAX;

		if (i == lo >> 6)
			mask &= UINT64_MAX << (lo & 63);
		if (i == hi >> 6)
			mask &= ~(UINT64_MAX << (hi & 63));
		count_more_word(t, i, mask, counts);
	}
}
