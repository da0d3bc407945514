/* SPDX-License-Identifier: ISC */
/* Counting the terms of hits. A batch of hits is read once for a field; counters are split, since a
   frequent value would make each increment wait for the last one's store. */
#include "config.h"

#include "search/index/index_priv.h"

enum { SPLITS = 4, SPLIT_MAX = 8192, BATCH = 4096 };

/* ---- the inner loops, by width ---- */

#define COUNT_WIDTH(name, type)                                                                    \
	static void name##_one(const void *ids, const uint32_t *docs, size_t n, uint32_t *c[SPLITS])   \
	{                                                                                          \
		const type *p = ids;                                                               \
		size_t i = 0;                                                                      \
                                                                                                   \
		for (; i + SPLITS <= n; i += SPLITS) {                                             \
			c[0][p[docs[i]]]++;                                                        \
			c[1][p[docs[i + 1]]]++;                                                    \
			c[2][p[docs[i + 2]]]++;                                                    \
			c[3][p[docs[i + 3]]]++;                                                    \
		}                                                                                  \
		for (; i < n; i++)                                                                 \
			c[0][p[docs[i]]]++;                                                        \
	}                                                                                          \
	static void name##_two(const void *ids, const uint32_t *docs, size_t n, uint32_t *c[SPLITS])   \
	{                                                                                          \
		const type *p = ids;                                                               \
		size_t i = 0;                                                                      \
                                                                                                   \
		for (; i + 2 <= n; i += 2) {                                                       \
			const type *a = p + (size_t)docs[i] * 2;                                   \
			const type *b = p + (size_t)docs[i + 1] * 2;                               \
                                                                                                   \
			c[0][a[0]]++;                                                              \
			c[1][a[1]]++;                                                              \
			c[2][b[0]]++;                                                              \
			c[3][b[1]]++;                                                              \
		}                                                                                  \
		for (; i < n; i++) {                                                               \
			c[0][p[(size_t)docs[i] * 2]]++;                                            \
			c[1][p[(size_t)docs[i] * 2 + 1]]++;                                        \
		}                                                                                  \
	}                                                                                          \
	static void name##_many(const void *ids, unsigned k, const uint32_t *docs, size_t n,           \
	    uint32_t *c[SPLITS])                                                                       \
	{                                                                                          \
		const type *p = ids;                                                               \
                                                                                                   \
		for (size_t i = 0; i < n; i++) {                                                   \
			const type *a = p + (size_t)docs[i] * k;                                   \
                                                                                                   \
			for (unsigned s = 0; s < k; s += SPLITS) {                                 \
				c[0][a[s]]++;                                                      \
				c[1][a[s + 1]]++;                                                  \
				c[2][a[s + 2]]++;                                                  \
				c[3][a[s + 3]]++;                                                  \
			}                                                                          \
		}                                                                                  \
	}                                                                                          \
	static void name(const struct column *col, const uint32_t *docs, size_t n, uint32_t *c[SPLITS]) \
	{                                                                                          \
		if (col->k == 1)                                                                   \
			name##_one(col->ids, docs, n, c);                                          \
		else if (col->k == 2)                                                              \
			name##_two(col->ids, docs, n, c);                                          \
		else                                                                               \
			name##_many(col->ids, col->k, docs, n, c);                                 \
	}

COUNT_WIDTH(count8, uint8_t)
COUNT_WIDTH(count16, uint16_t)
COUNT_WIDTH(count32, uint32_t)

static void
count_batch(const struct column *col, const uint32_t *docs, size_t n, uint32_t *c[SPLITS])
{
	if (col->width == 1)
		count8(col, docs, n, c);
	else if (col->width == 2)
		count16(col, docs, n, c);
	else
		count32(col, docs, n, c);
}

static uint32_t
more_id(const struct column *col, uint32_t i)
{
	if (col->width == 1)
		return ((const uint8_t *)col->more_ids)[i];
	return col->width == 2 ? ((const uint16_t *)col->more_ids)[i] : ((const uint32_t *)col->more_ids)[i];
}

static void
count_more_of(const struct column *col, uint32_t i, uint32_t *counts)
{
	for (uint32_t k = col->more_at[i]; k < col->more_at[i + 1]; k++)
		counts[more_id(col, k)]++;
}

static void
count_more(struct run *r, const struct column *col, const struct set *hits, uint32_t *counts)
{
	uint32_t lo = 0, hi;

	if (hits->form != SET_LIST) {
		for (uint32_t i = 0; i < col->nmore; i++)
			if (set_has(hits, col->more_docs[i]))
				count_more_of(col, i, counts);
		run_spend(r, col->nmore);
		return;
	}
	for (uint32_t i = 0; i < hits->n; i++) {
		for (hi = col->nmore; lo < hi;) {
			uint32_t mid = lo + (hi - lo) / 2;

			if (col->more_docs[mid] < hits->list[i])
				lo = mid + 1;
			else
				hi = mid;
		}
		if (lo < col->nmore && col->more_docs[lo] == hits->list[i])
			count_more_of(col, lo, counts);
	}
}

void
facet_count(struct run *r, const struct terms *t, const struct set *hits, uint32_t *counts)
{
	struct set_space sp = run_space(r, LEVEL_DOCUMENT);
	const struct column *col = &t->column;
	uint32_t room[SPLITS - 1][SPLIT_MAX], docs[BATCH];
	uint32_t *c[SPLITS] = { counts, counts, counts, counts };
	bool split = t->n < SPLIT_MAX;
	struct set_walk w;
	size_t n;

	if (col->ids == NULL)
		return;
	for (int s = 1; split && s < SPLITS; s++) {
		c[s] = room[s - 1];
		memset(c[s], 0, (t->n + UINT64_C(1)) * sizeof(**c));
	}
	set_walk_begin(&w, &sp, hits, 0);
	while ((n = set_walk_next(&w, docs, BATCH)) > 0 && run_spend(r, n * col->k))
		count_batch(col, docs, n, c);
	for (uint32_t i = 0; split && i < t->n; i++)
		counts[i] += c[1][i] + c[2][i] + c[3][i];
	count_more(r, col, hits, counts);
}
