/* SPDX-License-Identifier: ISC */
/* estimates DIRECTORY WORK QUERY FIELD...: aggregates the hosts of an index by the fields, exactly and, with the work limit,
   by 100 samples. Prints how many answers were estimates, how many of those had every count within 36 % of the exact one
   and every value that is missing below the least count, and how many buckets an estimate had on average. */
#include "config.h"

#include "search/engine.h"

#include <stdio.h>
#include <stdlib.h>

enum { SEEDS = 100, MEMORY = 1 << 30, ERROR = 36 };

static const struct bucket *
bucket_of(const struct group *g, const struct value *v)
{
	for (size_t i = 0; i < g->nbuckets; i++) {
		const struct value *o = &g->buckets[i].value;

		if (o->type == v->type &&
		    (v->type == VALUE_KEYWORD ? str_eq(o->s, v->s) : o->i == v->i))
			return &g->buckets[i];
	}
	return NULL;
}

static bool
is_within(const struct group *exact, const struct group *estimate)
{
	for (size_t i = 0; i < estimate->nbuckets; i++) {
		const struct bucket *b = &estimate->buckets[i], *e = bucket_of(exact, &b->value);
		uint64_t off;

		if (e == NULL)
			continue; /* beyond the first hundred of the exact answer */
		off = b->count > e->count ? b->count - e->count : e->count - b->count;
		if (off * 100 > e->count * ERROR)
			return false;
	}
	return true;
}

int
main(int argc, char **argv)
{
	struct arena *a = arena_new(MEMORY), *each = arena_new(MEMORY);
	struct engine *engine = engine_open_index(argv[1]);
	struct budget plenty = { .deadline = INT64_MAX, .work = UINT64_MAX }, tight = plenty;
	struct group exact[LIM_AGGREGATIONS], got[LIM_AGGREGATIONS];
	struct agg aggs[LIM_AGGREGATIONS];
	size_t n = 0, estimates = 0, within = 0, buckets = 0;
	struct query_fault fault;
	struct query q;

	for (int i = 4; i < argc; i++)
		aggs[n++] = (struct agg){ schema_find(DATASET_HOSTS, str_of(argv[i])),
			LIM_AGGREGATE_LIMIT };
	if (!query_parse(a, DATASET_HOSTS, str_of(argv[3]), ts_now(), &q, &fault) ||
	    engine_aggregate(engine, a, &q, &plenty, aggs, n, exact) != ENGINE_OK)
		return 1;
	tight.work = strtoull(argv[2], NULL, 10);
	tight.estimates = true;
	for (tight.sample_seed = 0; tight.sample_seed < SEEDS; tight.sample_seed++) {
		bool good = true;

		arena_reset(each);
		if (engine_aggregate(engine, each, &q, &tight, aggs, n, got) != ENGINE_OK)
			continue;
		for (size_t i = 0; i < n; i++) {
			good &=
			    got[i].relation == RELATION_UNKNOWN && is_within(&exact[i], &got[i]);
			buckets += got[i].nbuckets;
		}
		estimates += got[0].relation == RELATION_UNKNOWN;
		within += good;
	}
	printf("%zu %zu %zu\n", estimates, within, buckets / SEEDS);
	engine_close(engine);
	arena_free(each);
	arena_free(a);
	return 0;
}
