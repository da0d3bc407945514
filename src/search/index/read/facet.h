/* SPDX-License-Identifier: ISC */
/* Facets: how often each term occurs among the hits (facet.c by columns, intersect.c by postings),
   and the buckets that come first in the answer (top.c). */
#ifndef SEARCH_INDEX_READ_FACET_H
#define SEARCH_INDEX_READ_FACET_H

#include "search/index/format/column.h"
#include "search/index/format/set.h"
#include "search/index/read/view.h"

struct run;

struct facet {
	const struct terms *t;
	/* column_room() counters. Missing values are counted in the places from t->n on, whose
	   former content is saved in `behind` and restored. */
	uint32_t *counts;
	/* The cost of its postings (cost_intersect), or COST_NEVER when that is more than the
	   columns of all hits. */
	uint64_t intersect;
	/* Copies of the counters, of terms or of combinations (facet.c). */
	uint32_t *c[COLUMN_SPLITS];
	bool combined; /* the copies count combinations */
	uint32_t behind[COLUMN_K_MAX];
};

/* Allocates counters for a field, all zero. */
uint32_t *facet_counters(struct run *r, const struct terms *t);
/* Sets the cost of the postings of each field, for a request with so many hits in the segment. */
void facet_costs(const struct run *r, uint32_t nhits, struct facet *fs, size_t n);
/* Adds the number of hits of each term to the counts of each of n fields, in the cheaper of two
   ways for each. */
void facet_count(struct run *r, const struct set *hits, struct facet *fs, size_t n);
/* Counts by the columns, in one walk over the hits. */
void facet_scan(struct run *r, const struct set *hits, struct facet *fs, size_t n);
/* Counts by the postings of all terms. hits: a bitmap with a bit for each document of the
   segment. */
void facet_intersect(struct run *r, const uint64_t *hits, const struct facet *f);
/* Appends the terms of each hit to out, as ordinals when map is not NULL. Cheaper than counters
   when there are few hits and many terms. */
void facet_collect(struct run *r, const struct set *hits, const struct terms *t,
    const uint32_t *map, struct scratch *out);

/* Appends the terms of one document. */
void facet_terms(const struct terms *t, uint32_t doc, struct scratch *out);

/* Few hits leave most counters of many terms at zero. Returns the first place from i on, in steps
   of ZEROS, whose ZEROS counters are not all zero, or where fewer remain. */
enum { ZEROS = 16 };
static inline uint32_t
skip_zeros(const uint32_t *counts, uint32_t i, uint32_t to)
{
	uint64_t w[ZEROS / 2];

	for (; to - i >= ZEROS; i += ZEROS) {
		memcpy(w, counts + i, sizeof(w));
		if ((w[0] | w[1] | w[2] | w[3] | w[4] | w[5] | w[6] | w[7]) != 0)
			break;
	}
	return i;
}

struct candidate {
	uint32_t id, count; /* id: an ordinal */
};

struct top {
	const struct view *view;
	const struct schema_field *field;
	const struct ordinals *ordinals;
	struct candidate *heap; /* the worst candidate first */
	size_t n, limit;
	uint64_t seen; /* terms with a count, including those that may not be buckets */
};

void top_begin(struct top *t, struct arena *a, const struct view *v, const struct schema_field *f,
    size_t limit);
void top_offer(struct top *t, uint32_t id, uint32_t count);
void top_offer_all(struct top *t, const uint32_t *counts); /* counts: of all ordinals */
void top_end(struct top *t); /* sorts the candidates, the best one first */

#endif
