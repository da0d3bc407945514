/* SPDX-License-Identifier: ISC */
/* Passes each query to the engine of its dataset (search/engine.h). A view has the engine of its
   source. */
#include "config.h"

#include "search/engine.h"

#include <assert.h>

enum { OPENED_MAX = 2 };

struct opened {
	const struct engine_kind *kind;
	void *state;
};

struct engine {
	struct opened opened[OPENED_MAX];
	size_t n;
	const struct opened *of[DATASETS];
};

struct engine *
engine_with(
    struct engine *e, const struct engine_kind *kind, void *state, const bool datasets[DATASETS])
{
	if (e == NULL)
		e = mem_zero(sizeof(*e));
	assert(e->n < OPENED_MAX);
	e->opened[e->n] = (struct opened){ kind, state };
	for (int d = 0; d < DATASETS; d++)
		if (datasets[d])
			e->of[d] = &e->opened[e->n];
	e->n++;
	return e;
}

void
engine_close(struct engine *e)
{
	if (e == NULL)
		return;
	for (size_t i = 0; i < e->n; i++)
		e->opened[i].kind->close(e->opened[i].state);
	free(e);
}

void
engine_refresh(struct engine *e)
{
	for (size_t i = 0; i < e->n; i++)
		e->opened[i].kind->refresh(e->opened[i].state);
}

void
engine_status(const struct engine *e, enum dataset d, struct engine_status *out)
{
	e->of[schema_source(d)]->kind->status(e->of[schema_source(d)]->state, d, out);
}

enum engine_rc
engine_aggregate(struct engine *e, struct arena *a, const struct query *q,
    const struct budget *budget, const struct agg *aggs, size_t naggs, struct group *out)
{
	const struct opened *o = e->of[schema_source(q->dataset)];

	return o->kind->aggregate(o->state, a, q, budget, aggs, naggs, out);
}

enum engine_rc
engine_count(struct engine *e, struct arena *a, const struct query *q, const struct budget *budget,
    struct count *out)
{
	const struct opened *o = e->of[schema_source(q->dataset)];

	return o->kind->count(o->state, a, q, budget, out);
}

enum engine_rc
engine_search(struct engine *e, struct arena *a, const struct query *q, const struct budget *budget,
    const struct page_request *want, struct page *out)
{
	const struct opened *o = e->of[schema_source(q->dataset)];

	return o->kind->search(o->state, a, q, budget, want, out);
}
