/* SPDX-License-Identifier: ISC */
/* The cost model of facets. Only ratios matter: a slower machine is slower in all of these. */
#include "config.h"

#include "search/index/format/column.h"
#include "search/index/read/cost.h"

/* t/bench/engine -c prints these beside what it measures. */
static const struct costs measured = {
	.walk = 600,
	.hit = 1000,
	.place = 300,
	.more = 5000,
	.clear = 300,
	.term = 14000,
	.derived = 4000,
	.block = 15000,
	.probe = 3000,
	.near = 1000,
	.word = 200,
};
static const struct costs *used = &measured;

const struct costs *
costs(void)
{
	return used;
}

void
costs_use(const struct costs *c)
{
	used = c == NULL ? &measured : c;
}

/* The places that are read for so many documents. */
static uint64_t
count_places(const struct column *c, uint64_t documents)
{
	if (c->comb.n > 0 && !combinations_direct(&c->comb, (uint32_t)documents))
		return documents + c->comb.n;
	return c->first == NULL ? documents * c->k
				: documents * c->nplaces / (c->ndocs > 0 ? c->ndocs : 1);
}

uint64_t
cost_scan(const struct terms *t, uint64_t documents)
{
	const struct costs *c = used;

	return documents * c->hit + count_places(&t->column, documents) * c->place +
	       (t->column.nmore == 0 ? 0
				     : documents * t->column.nmore / t->column.ndocs * c->more +
					   t->column.ndocs / 64 * (uint64_t)c->walk) +
	       (documents < t->n / 8 ? 0 : t->n * (uint64_t)c->clear);
}

/* The cost of a posting that is open follows its form (format/format.h): documents that are
   derived, bitmaps when the term is frequent, and gaps otherwise. */
static uint64_t
cost_posting(const struct terms *t, uint64_t n, size_t nwords)
{
	const struct costs *c = used;
	uint64_t blocks = nwords / INDEX_BLOCK_WORDS;

	if (t->nested && n <= POSTING_DERIVED)
		return n * c->derived;
	if (n > blocks * POSTING_ARRAY)
		return blocks * c->block + nwords * (uint64_t)c->word;
	return n * (n < nwords / 2 ? c->probe : c->near);
}

uint64_t
cost_intersect(const struct terms *t, size_t nwords, uint64_t limit)
{
	uint64_t sum = t->n * (uint64_t)used->term;

	for (uint32_t id = 0, common = 0; id < t->n && sum <= limit; id++)
		sum += cost_posting(t, terms_next_count(t, id, &common), nwords);
	return sum > limit ? COST_NEVER : sum;
}
