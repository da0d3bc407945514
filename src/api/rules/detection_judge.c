/* SPDX-License-Identifier: ISC */
/* Judges a rule: whether its samples give the expected results, and whether it matches too many
   records. */
#include "config.h"

#include "api/rules/detection_priv.h"
#include "api/search/documents.h"
#include "api/search/share.h"
#include "detection/sample.h"
#include "search/tags.h"
#include "json/tree.h"

#include <inttypes.h>

/* ---- results of samples ---- */

int
detection_samples(
    struct req *rq, const struct rule_query *q, const struct detection_in *in, bool *passed)
{
	const struct detection_test *t = in->tests.items;
	struct match_limit limit = { .until = cpu_us() + rq->deadline - mono_us() };
	struct tag *tags = NULL;
	size_t ntags = 0;
	enum db_rc rc = DB_OK;

	if (in->tests.n > 0)
		rc = tags_read(rq->db, rq->arena, &tags, &ntags);
	if (rc != DB_OK)
		return fail_db(rq, rc);
	for (size_t i = 0; i < in->tests.n; i++) {
		struct rule_sample s = { t[i].name, json_parse(rq->arena, t[i].record.text),
			str_is(t[i].expect, "match") };

		passed[i] = rule_sample_passes(tree_arena(), q, &s, tags, ntags, &limit);
	}
	return limit.over ? fail(rq, ERR_SEARCH_TIMEOUT) : PASS;
}

int
detection_judge(
    struct req *rq, const struct detection_in *in, const char *prefix, struct body_faults *faults)
{
	const struct detection_test *t = in->tests.items;
	bool *passed = ARENA_ARRAY(rq->arena, in->tests.n + 1, bool);
	struct rule_query_fault fault;
	struct rule_query q;

	if (!rule_query_parse(rq->arena, detection_dataset(in->dataset), in->query, in->exclude,
		rq->now, &q, &fault)) {
		body_fault(faults, arena_printf(rq->arena, "%s%s", prefix, fault.member).p,
		    "invalid_format",
		    arena_printf(rq->arena, "character %u: %.*s", fault.fault.at,
			(int)fault.fault.message.n, fault.fault.message.p)
			.p);
		return PASS;
	}
	if (detection_samples(rq, &q, in, passed) != PASS)
		return FAILED;
	for (size_t i = 0; i < in->tests.n; i++)
		if (!passed[i])
			body_fault(faults, arena_printf(rq->arena, "%stests[%zu]", prefix, i).p,
			    "not_allowed",
			    str_is(t[i].expect, "match") ? "the rule does not match the record"
							 : "the rule matches the record");
	return PASS;
}

struct stored_tests {
	struct list tests;
};

static const struct field stored_tests[] = {
	LIST(struct stored_tests, tests, 0, struct detection_test, detection_test_fields, 0,
	    LIM_RULE_TESTS),
	FIELD_END,
};

struct detection_in
detection_texts(struct req *rq, const struct detection *d)
{
	struct str text =
	    arena_printf(rq->arena, "{\"tests\":%.*s}", (int)d->tests.text.n, d->tests.text.p);
	struct stored_tests stored = { { 0 } };
	struct decoded how;

	if (json_decode(rq->arena, text, stored_tests, rq->now, &stored, &how) != JSON_OK)
		panic("the stored samples of a rule do not fit their table");
	return (struct detection_in){ .dataset = d->dataset,
		.scope = d->scope,
		.query = d->query,
		.exclude = d->exclude,
		.tests = stored.tests };
}

/* ---- number of matches ---- */

int
detection_matches(
    struct req *rq, const struct detection_in *in, struct str besides, uint64_t *matches)
{
	enum dataset d = detection_dataset(in->dataset);
	struct rule_query_fault fault;
	struct query query, beside;
	struct count n = { 0 };
	struct budget budget;
	struct rule_query q;
	enum engine_rc rc;

	*matches = 0;
	if (!str_is(in->scope, "all"))
		return PASS;
	/* another check refuses such a text */
	if (!rule_query_parse(rq->arena, d, in->query, in->exclude, rq->now, &q, &fault) ||
	    (besides.n > 0 && !query_parse(rq->arena, d, besides, rq->now, &beside, &fault.fault)))
		return PASS;
	rule_query_join(rq->arena, &q, besides.n > 0 ? &beside : NULL, &query);
	query_restrict(rq->arena, &query, &rq->key->account);
	if (share_begin(rq, &budget) != PASS)
		return FAILED;
	rc = engine_count(rq->worker->engine, rq->arena, &query, &budget, &n);
	if (rc == ENGINE_UNAVAILABLE)
		return PASS;
	*matches = n.n;
	return run_end(rq, rc);
}

int
detection_refuse_broad(struct req *rq, const struct detection_in *in, struct str besides)
{
	uint64_t matches;

	if (detection_matches(rq, in, besides, &matches) != PASS)
		return FAILED;
	if (matches <= LIM_RULE_MATCHES)
		return PASS;
	return fail_at(rq, ERR_RULE_TOO_BROAD,
	    arena_printf(rq->arena,
		"The rule matches %" PRIu64 " records; a rule of scope all may match %d.", matches,
		(int)LIM_RULE_MATCHES));
}
