/* SPDX-License-Identifier: ISC */
/* The costs of the ways to count a facet, for the choice between them. All times are
   of one core, in picoseconds. */
#ifndef SEARCH_INDEX_READ_COST_H
#define SEARCH_INDEX_READ_COST_H

#include "search/index/format/terms.h"

struct costs {
	uint32_t walk;    /* 64 documents of a set are passed over */
	uint32_t hit;     /* a document of a set is visited for one field */
	uint32_t place;   /* a place of its column is counted */
	uint32_t more;    /* the terms without a place of a document are counted */
	uint32_t clear;   /* a counter is cleared or added */
	uint32_t term;    /* a posting is opened */
	uint32_t derived; /* a document is derived from a nested one */
	uint32_t block;   /* a block of a posting is opened */
	uint32_t probe;   /* a document of a posting is looked up in a bitmap */
	uint32_t near; /* the same when most documents follow the one before closely, in one byte */
	uint32_t word; /* 64 documents of two bitmaps are intersected */
};

/* The costs in use: those that t/bench/engine measured (costs_use(NULL)), or those of a test. */
const struct costs *costs(void);
void costs_use(const struct costs *c);

/* The columns of so many documents are read, without the walk over their set. */
uint64_t cost_scan(const struct terms *t, uint64_t documents);
/* The posting of each term is intersected with a bitmap of nwords. COST_NEVER: it costs more than
   the limit. */
#define COST_NEVER UINT64_MAX
uint64_t cost_intersect(const struct terms *t, size_t nwords, uint64_t limit);

#endif
