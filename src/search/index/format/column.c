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

static inline __attribute__((always_inline)) uint32_t
load1(const void *ids, size_t i)
{
	return ((const uint8_t *)ids)[i];
}

static inline __attribute__((always_inline)) uint32_t
load2(const void *ids, size_t i)
{
	return ((const uint16_t *)ids)[i];
}

static inline __attribute__((always_inline)) uint32_t
load3(const void *ids, size_t i)
{
	return id_of_three(ids, i);
}

static inline __attribute__((always_inline)) uint32_t
load4(const void *ids, size_t i)
{
	return ((const uint32_t *)ids)[i];
}

/* docs has COLUMN_AHEAD readable entries after the n documents, for the prefetches. */
#define COUNT_WIDTH(width)                                                                         \
	static inline __attribute__((always_inline)) void count##width##_k(const char *p,          \
	    const size_t k, const uint32_t *docs, size_t n, uint32_t *const c[COLUMN_SPLITS],      \
	    const uint32_t mask)                                                                   \
	{                                                                                          \
		uint32_t *c0 = c[0], *c1 = c[1], *c2 = c[2], *c3 = c[3];                           \
		const size_t step = k * width;                                                     \
		size_t i = 0;                                                                      \
                                                                                                   \
		for (; i + COLUMN_SPLITS <= n; i += COLUMN_SPLITS) {                               \
			__builtin_prefetch(p + docs[i + COLUMN_AHEAD + 0] * step);                 \
			__builtin_prefetch(p + docs[i + COLUMN_AHEAD + 1] * step);                 \
			__builtin_prefetch(p + docs[i + COLUMN_AHEAD + 2] * step);                 \
			__builtin_prefetch(p + docs[i + COLUMN_AHEAD + 3] * step);                 \
			const char *d0 = p + docs[i] * step, *d1 = p + docs[i + 1] * step;         \
			const char *d2 = p + docs[i + 2] * step, *d3 = p + docs[i + 3] * step;     \
                                                                                                   \
			_Pragma("GCC unroll 8") for (size_t s = 0; s < k; s++)                     \
			{                                                                          \
				count_one(c0, load##width(d0, s), mask);                           \
				count_one(c1, load##width(d1, s), mask);                           \
				count_one(c2, load##width(d2, s), mask);                           \
				count_one(c3, load##width(d3, s), mask);                           \
			}                                                                          \
		}                                                                                  \
		for (; i < n; i++)                                                                 \
			for (size_t s = 0; s < k; s++)                                             \
				count_one(c0, load##width(p, docs[i] * k + s), mask);              \
	}                                                                                          \
	static void count##width(const void *ids, size_t k, const uint32_t *docs, size_t n,        \
	    uint32_t *const c[COLUMN_SPLITS], uint32_t mask)                                       \
	{                                                                                          \
		if (k == 1)                                                                        \
			count##width##_k(ids, 1, docs, n, c, mask);                                \
		else if (k == 2)                                                                   \
			count##width##_k(ids, 2, docs, n, c, mask);                                \
		else if (k == 4)                                                                   \
			count##width##_k(ids, 4, docs, n, c, mask);                                \
		else if (k == 8)                                                                   \
			count##width##_k(ids, 8, docs, n, c, mask);                                \
		else                                                                               \
			count##width##_k(ids, k, docs, n, c, mask);                                \
	}

COUNT_WIDTH(1)
COUNT_WIDTH(2)
COUNT_WIDTH(3)
COUNT_WIDTH(4)

/* ---- rows ---- */

/* The places of a document: at..end - 1. None when the numbers are damaged. */
struct row {
	uint32_t at, end;
};

static inline __attribute__((always_inline)) struct row
row_of(const uint32_t *first, uint32_t nplaces, uint32_t doc)
{
	uint32_t at = first[doc], end = first[doc + 1];

	return end < at || end > nplaces ? (struct row){ 0, 0 } : (struct row){ at, end };
}

/* The first places of a document are written without a test of how many it has, so that the
   processor cannot mispredict that test. */
size_t
places_next(struct places *w, uint32_t out[PLACES_ROOM])
{
	enum { FIRST = 8 };
	size_t n = 0, most = PLACES_ROOM - COLUMN_AHEAD - FIRST;

	while (w->i < w->n && n < most) {
		struct row r = row_of(w->first, w->nplaces, w->docs[w->i]);
		uint32_t k = r.end - r.at, room = (uint32_t)(most + FIRST - n);

		/* damage may change the number between two reads */
		w->done = w->done < k ? w->done : k;
		k -= w->done;
		r.at += w->done;
		__builtin_prefetch(w->first + w->docs[w->i + COLUMN_AHEAD]);
		_Pragma("GCC unroll 8") for (uint32_t j = 0; j < FIRST; j++) out[n + j] = r.at + j;
		if (k > room) {
			k = room;
			w->done += k;
		} else {
			w->done = 0;
			w->i++;
		}
		for (uint32_t j = FIRST; j < k; j++)
			out[n + j] = r.at + j;
		n += k;
	}
	memset(out + n, 0, COLUMN_AHEAD * sizeof(*out));
	return n;
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
	if (col->width == 1)
		count1(col->ids, col->k, docs, n, c, UINT8_MAX);
	else if (col->width == 2)
		count2(col->ids, col->k, docs, n, c, UINT16_MAX);
	else if (col->width == 3)
		count3(col->ids, col->k, docs, n, c, mask);
	else
		count4(col->ids, col->k, docs, n, c, mask);
}

static uint32_t
id_at(const void *ids, uint8_t width, size_t i)
{
	if (width == 1)
		return load1(ids, i);
	return width == 2 ? load2(ids, i) : width == 3 ? load3(ids, i) : load4(ids, i);
}

/* ---- combinations ---- */

size_t
combinations_room(const struct combinations *c)
{
	return c->width == 1 ? COMBINATIONS_SHORT : COMBINATIONS_MAX;
}

void
combinations_count(const struct combinations *c, const uint32_t *docs, size_t n,
    uint32_t *const counts[COLUMN_SPLITS])
{
	if (c->width == 1)
		count1(c->number, 1, docs, n, counts, UINT8_MAX);
	else
		count2(c->number, 1, docs, n, counts, UINT16_MAX);
}

void
combinations_of(const struct combinations *c, const uint32_t *docs, size_t n, uint32_t *out)
{
	const uint8_t *one = c->number;
	const uint16_t *two = c->number;

	for (size_t i = 0; i < n; i++) {
		uint32_t number = c->width == 1 ? one[docs[i]] : two[docs[i]];

		__builtin_prefetch(one + (size_t)docs[i + COLUMN_AHEAD] * c->width);
		out[i] = number < c->n ? number : 0; /* damage */
	}
}

/* Adds from[at] to the terms of each of n combinations. */
#define SPREAD_WIDTH(width)                                                                        \
	static inline __attribute__((always_inline)) void spread##width##_k(const char *p,         \
	    const size_t k, const uint32_t *at, size_t n, const uint32_t *from, uint32_t *counts)  \
	{                                                                                          \
		for (size_t i = 0; i < n; i++)                                                     \
			for (size_t s = 0; s < k; s++)                                             \
				counts[load##width(p, at[i] * k + s)] += from[at[i]];              \
	}                                                                                          \
	static void spread##width(const struct column *c, const uint32_t *at, size_t n,            \
	    const uint32_t *from, uint32_t *counts)                                                \
	{                                                                                          \
		if (c->k == 2)                                                                     \
			spread##width##_k(c->ids, 2, at, n, from, counts);                         \
		else if (c->k == 4)                                                                \
			spread##width##_k(c->ids, 4, at, n, from, counts);                         \
		else if (c->k == 8)                                                                \
			spread##width##_k(c->ids, 8, at, n, from, counts);                         \
		else                                                                               \
			spread##width##_k(c->ids, c->k, at, n, from, counts);                      \
	}

SPREAD_WIDTH(1)
SPREAD_WIDTH(2)

/* The counts that are not zero are gathered first, because the processor would mispredict a test of
   each. */
void
combinations_spread(const struct terms *t, const uint32_t *from, uint32_t *counts)
{
	const struct column *c = &t->column;
	uint32_t at[1024];

	for (uint32_t i = 0; i < c->comb.n;) {
		uint32_t n = 0;
		uint32_t end = c->comb.n - i < COUNT(at) ? c->comb.n : i + (uint32_t)COUNT(at);

		for (; i < end; i++) {
			at[n] = i;
			n += from[i] > 0;
		}
		if (c->width == 1)
			spread1(c, at, n, from, counts);
		else
			spread2(c, at, n, from, counts);
	}
}

/* ---- one document ---- */

uint64_t
column_row(const struct column *c, uint32_t doc, uint32_t *n)
{
	uint32_t number[1 + COLUMN_AHEAD], docs[1 + COLUMN_AHEAD] = { doc };
	struct row r;

	*n = c->k;
	if (c->comb.n > 0) {
		combinations_of(&c->comb, docs, 1, number);
		return (uint64_t)number[0] * c->k;
	}
	if (c->first == NULL)
		return (uint64_t)doc * c->k;
	r = row_of(c->first, c->nplaces, doc);
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

/* The entries of the document with this rank. None when the rank is damaged. */
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
