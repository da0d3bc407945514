/* SPDX-License-Identifier: ISC */
/* The cost model of facets. Only ratios matter: a slower machine is slower in all of these. */
#include "config.h"

#include "search/index/read/cost.h"

/* t/bench/engine -c prints what this machine takes beside these. */
static const struct costs measured = { .hit = 1000,
	.place = 800,
	.more = 2000,
	.clear = 300,
	.term = 10000,
	.probe = 1500,
	.word = 200 };
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

uint64_t
cost_scan(const struct terms *t, uint64_t documents)
{
	const struct costs *c = used;

	return documents * (c->hit + t->column.k * (uint64_t)c->place) +
	       t->column.nmore * (uint64_t)c->more +
	       (documents < t->n / 8 ? 0 : t->n * (uint64_t)c->clear);
}

/* The posting of a frequent term is mostly bitmaps, so its cost has the bitmap of all documents as its limit. */
uint64_t
cost_intersect(const struct terms *t, size_t nwords, uint64_t limit)
{
	const struct costs *c = used;
	const uint32_t *count = t->level[LEVEL_DOCUMENT].count;
	uint64_t all = nwords * (uint64_t)c->word, sum = t->n * (uint64_t)c->term;

	for (uint32_t id = 0; id < t->n && sum <= limit && count != NULL; id++) {
		uint64_t probes = count[id] * (uint64_t)c->probe;

		sum += probes < all ? probes : all;
	}
	return sum;
}
