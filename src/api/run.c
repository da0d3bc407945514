/* SPDX-License-Identifier: ISC */
/* The road from a request's text to the engine and back, the same for every search. */
#include "config.h"

#include "api/api.h"
#include "base/daemon.h"

int
run_parse(struct req *rq, enum dataset d, struct str text, struct query *out)
{
	struct query_fault fault;

	if (query_parse(rq->arena, d, text, rq->now, out, &fault))
		return PASS;
	return fail_at(rq, ERR_INVALID_SEARCH_QUERY,
	    arena_printf(rq->arena, "Character %u of the query: %.*s", fault.at,
		(int)fault.message.n, fault.message.p));
}

int
run_begin(struct req *rq, struct budget *out)
{
	struct worker_slot *slot = daemon_slot();

	slot->searching = 1;
	if (daemon_searching() > (unsigned)conf.search_parallel) {
		slot->searching = 0;
		return fail_retry(rq, ERR_SEARCH_BUSY, 1);
	}
	*out = (struct budget){ .deadline = rq->deadline,
		.work = (uint64_t)conf.search_work_limit };
	return PASS;
}

int
run_end(struct req *rq, enum engine_rc rc)
{
	daemon_slot()->searching = 0;
	switch (rc) {
	case ENGINE_OK:
		return PASS;
	case ENGINE_TIMEOUT:
		return fail(rq, ERR_SEARCH_TIMEOUT);
	case ENGINE_TOO_EXPENSIVE:
		return fail(rq, ERR_SEARCH_COUNT_TOO_EXPENSIVE);
	case ENGINE_UNAVAILABLE:
		return fail(rq, ERR_SEARCH_UNAVAILABLE);
	case ENGINE_FAILED:
		return fail(rq, ERR_SEARCH_UPSTREAM_FAILED);
	}
	panic("engine_rc %d", (int)rc);
}
