/* SPDX-License-Identifier: ISC */
/* The inner loops of facets, by width of a term and terms a document. facet.c explains what decides
 * their speed.
 *
 * A number that only damage can contain must not leave the counters. There are column_room() of
 * them: one for each number of one or two bytes, and otherwise a power of two, so that the lower
 * bits of any number are a counter. Counters behind the last place are never read. */
#include "config.h"

#include "search/index/format/column.h"

/* mask: of column_room(), a constant where every number of the type is below it. */
static inline __attribute__((always_inline)) void
count_one(uint32_t *counts, uint32_t id, const uint32_t mask)
{
	counts[id & mask]++;
}

/* docs has COLUMN_AHEAD readable entries after the n documents, for the prefetches. */
#define COUNT_WIDTH(name, type)                                                                    \
	static inline __attribute__((always_inline)) void name##_k(const type *p, const size_t k,  \
	    const uint32_t *docs, size_t n, uint32_t *const c[COLUMN_SPLITS], const uint32_t mask) \
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
				count_one(c0, d0[s], mask);                                        \
				count_one(c1, d1[s], mask);                                        \
				count_one(c2, d2[s], mask);                                        \
				count_one(c3, d3[s], mask);                                        \
			}                                                                          \
		}                                                                                  \
		for (; i < n; i++)                                                                 \
			for (size_t s = 0; s < k; s++)                                             \
				count_one(c0, p[docs[i] * k + s], mask);                           \
	}                                                                                          \
	static void name(const struct column *col, const uint32_t *docs, size_t n,                 \
	    uint32_t *const c[COLUMN_SPLITS], uint32_t mask)                                       \
	{                                                                                          \
		if (col->k == 1)                                                                   \
			name##_k(col->ids, 1, docs, n, c, mask);                                   \
		else if (col->k == 2)                                                              \
			name##_k(col->ids, 2, docs, n, c, mask);                                   \
		else if (col->k == 4)                                                              \
			name##_k(col->ids, 4, docs, n, c, mask);                                   \
		else                                                                               \
			name##_k(col->ids, col->k, docs, n, c, mask);                              \
	}

COUNT_WIDTH(count8, uint8_t)
COUNT_WIDTH(count16, uint16_t)
COUNT_WIDTH(count32, uint32_t)

/* ---- rows ---- */

/* The places of a document: at..end - 1. Damaged numbers give none. */
struct row {
	uint32_t at, end;
};

static inline __attribute__((always_inline)) struct row
row_of(const struct column *c, uint32_t doc)
{
	uint32_t at = c->first[doc], end = c->first[doc + 1];

	return end < at || end > c->nplaces ? (struct row){ 0, 0 } : (struct row){ at, end };
}

static void
count_rows(const struct column *col, const uint32_t *docs, size_t n,
    uint32_t *const c[COLUMN_SPLITS], uint32_t mask)
{
	const uint32_t *p = col->ids, *first = col->first;
	uint32_t *c0 = c[0], *c1 = c[1];

	for (size_t i = 0; i < n; i++) {
		struct row r = row_of(col, docs[i]);
		uint32_t *to = c0;

		__builtin_prefetch(first + docs[i + COLUMN_AHEAD]);
		__builtin_prefetch(p + first[docs[i + COLUMN_AHEAD / 2]]);
		for (; r.at < r.end; r.at++)
			count_one(to, p[r.at], mask);
		c0 = c1;
		c1 = to;
	}
}

/* ---- all columns ---- */

size_t
column_counters(const struct terms *t)
{
	return t->n + (size_t)COLUMN_K_MAX;
}

size_t
column_room(const struct terms *t)
{
	size_t room = t->column.width == 1 ? 1 << 8 : 1 << 16;

	while (room < column_counters(t))
		room *= 2;
	return room;
}

void
column_count(
    const struct terms *t, const uint32_t *docs, size_t n, uint32_t *const c[COLUMN_SPLITS])
{
	uint32_t mask = (uint32_t)column_room(t) - 1;
	const struct column *col = &t->column;

	if (col->ids == NULL)
		return;
	if (col->first != NULL)
		count_rows(col, docs, n, c, mask);
	else if (col->width == 1)
		count8(col, docs, n, c, UINT8_MAX);
	else if (col->width == 2)
		count16(col, docs, n, c, UINT16_MAX);
	else
		count32(col, docs, n, c, mask);
}

static uint32_t
id_at(const void *ids, uint8_t width, size_t i)
{
	if (width == 1)
		return ((const uint8_t *)ids)[i];
	return width == 2 ? ((const uint16_t *)ids)[i] : ((const uint32_t *)ids)[i];
}

uint64_t
column_row(const struct column *c, uint32_t doc, uint32_t *n)
{
	struct row r;

	*n = c->k;
	if (c->first == NULL)
		return (uint64_t)doc * c->k;
	r = row_of(c, doc);
	*n = r.end - r.at;
	return r.at;
}

uint32_t
column_id(const struct column *c, uint64_t i)
{
	return id_at(c->ids, c->width, i);
}

/* ---- terms without a place ----
 *
 * A document with more than k terms has the rest of them in MORE_IDS. Its number among such
 * documents is its rank:
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
	const uint64_t *more = t->column.more_words;
	size_t n = t->column.nmore > 0 ? column_words(t->column.ndocs) : 0;

	for (size_t i = 0; i < n; i++)
		if ((words[i] & more[i]) != 0)
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
