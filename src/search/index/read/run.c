/* SPDX-License-Identifier: ISC */
/* The budget of a request (request.h): every loop charges its work here. */
#include "config.h"

#include "search/index/read/request.h"

/* Reads the CPU time, which is a system call, only when enough time has passed for the slice to be
   used up. */
static bool
slice_is_over(const struct budget *b, int64_t now)
{
	return b->slice_until != 0 && now >= b->slice_from &&
	       (now >= b->slice_until || cpu_us() >= b->slice_cpu);
}

/* Charges work to the request and ends it when a limit is passed: `work` against a query that
 * looks at too many values, the deadline against a slow machine, and the slice so that a long
 * search does not keep a worker from short ones (ENGINE_SLICED: the request is handed to the
 * pool for long searches). One unit is about one value, or 64 bytes of a bitmap. Callers charge
 * in batches of thousands, because each call reads the clock. */
bool
run_spend(struct run *r, uint64_t values)
{
	int64_t now;

	r->work += values;
	if (r->rc != ENGINE_OK)
		return false;
	if (r->work > r->budget->work)
		r->rc = ENGINE_TOO_EXPENSIVE; /* see request_result in engine.c */
	else if ((now = mono_us()) >= r->budget->deadline)
		r->rc = ENGINE_TIMEOUT;
	else if (slice_is_over(r->budget, now))
		r->rc = ENGINE_SLICED;
	return r->rc == ENGINE_OK;
}

struct set_space
run_space(const struct run *r, enum level l)
{
	uint32_t limit = segment_level(r->seg, l);

	return (struct set_space){ r->arena, r->pool, limit, index_words(limit) };
}
