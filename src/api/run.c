/* SPDX-License-Identifier: ISC */
/* The road from a request's text to the engine and back, the same for every search. */
#include "config.h"

#include "api/api.h"
#include "base/daemon.h"

enum { LONG_US = 200000 };

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

/* A number for an account; that two share one does no harm. */
static uint32_t
number_of(const struct uuid *account)
{
	uint32_t n;

	memcpy(&n, account->b, sizeof(n));
	return n | 1;
}

/* Short searches come and go and wait for one another; those of one account that last may hold their share
   of the workers, so that the others' are answered. */
static bool
holds_its_share(const struct searches *now)
{
	return now->others > 0 &&
	       now->others * 100 >= now->workers * (unsigned)conf.search_share;
}

int
run_begin(struct req *rq, struct budget *out)
{
	struct worker_slot *slot = daemon_slot();
	struct searches now;

	slot->searching = number_of(&rq->key->account);
	now = daemon_searches(mono_us() - LONG_US);
	if (now.all > (unsigned)conf.search_parallel || holds_its_share(&now)) {
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

const char *const relations[] = {
	[RELATION_EQ] = "eq",
	[RELATION_GTE] = "gte",
	[RELATION_UNKNOWN] = "unknown",
	NULL,
};

const char *
relation_name(enum relation r)
{
	if (r > RELATION_UNKNOWN)
		panic("relation %d", (int)r);
	return relations[r];
}
