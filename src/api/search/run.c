/* SPDX-License-Identifier: ISC */
/* The steps that searches, counts and aggregations share: from text to query, from result to error.

     ENGINE_OK              the handler goes on
     ENGINE_SLICED          the slice of this worker is over: nginx sends the request to the other pool (share.h)
     ENGINE_TIMEOUT         the deadline has passed, or the work limit of the request is used up (C-066)
     ENGINE_TOO_EXPENSIVE   a count that needs more than the work limit
     ENGINE_BUSY            the server of the engine has too much to do: 503, Retry-After
     ENGINE_UNAVAILABLE     no index is published, or it cannot answer now: 503
     ENGINE_MISCONFIGURED   the server of the engine refuses this program, or has other tables: 503
     ENGINE_FAILED          the engine's answer is invalid: 502 (C-065)

   A query with a fault is answered with the character where it is, so that a client can mark it. */
#include "config.h"

#include "api/api.h"
#include "api/search/share.h"

int
run_parse(struct req *rq, enum dataset d, struct str text, struct query *out)
{
	struct query_fault fault;

	if (query_parse(rq->arena, d, text, rq->now, out, &fault)) {
		query_restrict(rq->arena, out, &rq->key->account);
		return PASS;
	}
	return fail_at(rq, ERR_INVALID_SEARCH_QUERY,
	    arena_printf(rq->arena, "Character %u of the query: %.*s", fault.at,
		(int)fault.message.n, fault.message.p));
}

int
run_end(struct req *rq, enum engine_rc rc)
{
	switch (rc) {
	case ENGINE_OK:
		return PASS;
	case ENGINE_SLICED:
		return share_cut_off(rq);
	case ENGINE_TIMEOUT:
		return fail(rq, ERR_SEARCH_TIMEOUT);
	case ENGINE_TOO_EXPENSIVE:
		return fail(rq, ERR_SEARCH_COUNT_TOO_EXPENSIVE);
	case ENGINE_BUSY:
		return fail_retry(rq, ERR_SEARCH_BUSY, 1);
	case ENGINE_UNAVAILABLE:
		return fail(rq, ERR_SEARCH_UNAVAILABLE);
	case ENGINE_MISCONFIGURED:
		return fail(rq, ERR_SEARCH_MISCONFIGURED);
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
