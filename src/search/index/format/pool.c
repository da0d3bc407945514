/* SPDX-License-Identifier: ISC */
/* Memory that a worker keeps between requests (pool.h). A bitmap is lent by pool_get and consumed
 * by the operation that gets it as an argument; an operation that does not need it for its result
 * gives it back. A request that ends early may leave bitmaps anywhere: pool_reset takes back
 * everything that was lent, at the beginning of the next request. */
#include "config.h"

#include "search/index/format/pool.h"

struct words_pool {
	uint64_t **all, **unused;
	size_t n, nunused, room, nwords;
	uint32_t *counters;
	size_t ncounters;
	struct pool_mark lent;
	size_t wanted;
};

enum { COUNTERS_MAX = 8 << 20 };

struct words_pool *
pool_new(void)
{
	struct words_pool *p = mem_zero(sizeof(*p));

	return p;
}

static void
pool_drop(struct words_pool *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->all[i]);
	p->n = p->nunused = 0;
}

void
pool_free(struct words_pool *p)
{
	pool_drop(p);
	free(p->all);
	free(p->unused);
	free(p->counters);
	free(p);
}

void
pool_fit(struct words_pool *p, size_t nwords)
{
	if (nwords <= p->nwords)
		return;
	pool_drop(p);
	p->nwords = nwords;
}

static void *
resize_array(void *old, size_t count, size_t size)
{
	void *fresh = reallocarray(old, count, size);

	if (fresh == NULL)
		panic("out of memory");
	return fresh;
}

uint64_t *
pool_get(struct words_pool *p)
{
	uint64_t *words;

	if (p->nunused > 0)
		return p->unused[--p->nunused];
	if (p->n == p->room) {
		p->room = p->room * 2 + 8;
		p->all = resize_array(p->all, p->room, sizeof(*p->all));
		p->unused = resize_array(p->unused, p->room, sizeof(*p->unused));
	}
	words = aligned_alloc(64, (p->nwords * sizeof(*words) + 63) / 64 * 64);
	if (words == NULL)
		panic("out of memory");
	p->all[p->n++] = words;
	return words;
}

void
pool_put(struct words_pool *p, uint64_t *words)
{
	if (words != NULL)
		p->unused[p->nunused++] = words;
}

/* Lends n zeros for the counters of a facet, and up to `room` numbers with any content. The first
 * request of a worker takes them from its arena, because the number of counters that a request
 * needs is not known yet. pool_reset then learns the most that were lent at once (`wanted`) and
 * keeps an array of that size, up to COUNTERS_MAX; later requests get parts of it:
 *
 *   counters | lent to facet 1 | lent to facet 2 | unused ...      lent.here: the boundary
 *
 * A request that needs more than the array gets the rest from its arena again. */
uint32_t *
pool_counters(struct words_pool *p, struct arena *a, size_t n, size_t room)
{
	uint32_t *c;

	/* An odd number of cache lines: the counters of a term in several arrays are in different
	   places of the cache. */
	room = room / 32 * 32 + 48;
	p->lent.all += room;
	p->wanted = p->wanted > p->lent.all ? p->wanted : p->lent.all;
	if (room > p->ncounters - p->lent.here)
		return ARENA_ARRAY(a, room, uint32_t);
	c = p->counters + p->lent.here;
	p->lent.here += room;
	return memset(c, 0, n * sizeof(*c));
}

struct pool_mark
pool_mark(const struct words_pool *p)
{
	return p->lent;
}

void
pool_release(struct words_pool *p, struct pool_mark mark)
{
	p->lent = mark;
}

void
pool_reset(struct words_pool *p)
{
	if (p->n > 0)
		memcpy(p->unused, p->all, p->n * sizeof(*p->all));
	p->nunused = p->n;
	if (p->wanted > p->ncounters && p->wanted <= COUNTERS_MAX) {
		p->counters = resize_array(p->counters, p->wanted, sizeof(*p->counters));
		p->ncounters = p->wanted;
	}
	p->lent = (struct pool_mark){ 0 };
	p->wanted = 0;
}

void
scratch_fit(struct scratch *s, size_t room)
{
	if (room <= s->room)
		return;
	s->room = room + room / 2 + 64;
	s->p = resize_array(s->p, s->room, sizeof(*s->p));
}

void
scratch_add(struct scratch *s, uint32_t v)
{
	scratch_fit(s, s->n + 1);
	s->p[s->n++] = v;
}
