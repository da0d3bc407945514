/* SPDX-License-Identifier: ISC */
/* Judges a rule: whether its samples come out as its author expects, and whether it matches too many records. */
#include "config.h"

#include "api/detection_priv.h"
#include "api/documents.h"
#include "api/share.h"
#include "detection/sample.h"
#include "search/tags.h"
#include "json/tree.h"

#include <inttypes.h>

/* ---- whether samples come out ---- */

int
detection_samples(
    struct req *rq, const struct rule_query *q, const struct detection_in *in, bool *passed)
{
	const struct detection_test *t = in->tests.items;
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

		passed[i] = rule_sample_passes(tree_arena(), q, &s, tags, ntags);
	}
	return PASS;
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

/* ---- how much it matches ---- */

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
	if (!rule_query_parse(rq->arena, d, in->query, in->exclude, rq->now, &q, &fault) ||
	    (besides.n > 0 && !query_parse(rq->arena, d, besides, rq->now, &beside, &fault.fault)))
		return PASS; /* another step has refused it, or does */
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

/* ---- rules without an anchor ---- */

struct evaluated_rule {
	struct str dataset, query;
};

static const struct field evaluated_out[] = {
	FIELD(struct evaluated_rule, dataset, 0),
	FIELD(struct evaluated_rule, query, 0),
	FIELD_END,
};

STMT_LIST(list_evaluated, struct evaluated_rule, evaluated_out,
    "SELECT r.dataset, r.query FROM rule r"
    " LEFT JOIN rule_setting s ON s.account_uuid = $1 AND s.rule_uuid = r.uuid"
    " WHERE (r.account_uuid = $1 OR r.account_uuid IS NULL) AND r.deleted_at IS NULL"
    " AND r.status IN ('testing', 'stable') AND coalesce(s.enabled, r.account_uuid IS NOT NULL)");

struct unanchored {
	int64_t n;
};

static const struct field unanchored_out[] = { FIELD(struct unanchored, n, 0), FIELD_END };

/* surfaced-detect stores which rules have an anchor when it evaluates them. */
STMT(count_unanchored, unanchored_out,
    "SELECT count(DISTINCT rule_uuid) AS n FROM rule_run"
    " WHERE live AND NOT anchored AND evaluated_at IS NOT NULL AND state <> 'failed'");

static bool
is_anchored(struct req *rq, struct str dataset, struct str query)
{
	struct rule_query_fault fault;
	struct rule_query q;

	return !rule_query_parse(
		   rq->arena, detection_dataset(dataset), query, STR(""), rq->now, &q, &fault) ||
	       rule_query_anchor(&q) != NULL;
}

int
detection_within_anchors(struct req *rq, const struct detection_in *in)
{
	const struct evaluated_rule *r;
	struct unanchored all = { 0 };
	struct list rules = { 0 };
	size_t n = 0;
	enum db_rc rc;

	if (in != NULL && is_anchored(rq, in->dataset, in->query))
		return PASS;
	rc = detection_lock(rq);
	if (rc == DB_OK)
		rc = db_list(rq->db, &list_evaluated, &rules, P(rq->key->account));
	if (rc == DB_OK)
		rc = db_one_row(rq->db, &count_unanchored, &all, DB_NO_ARGS);
	if (rc != DB_OK)
		return fail_db(rq, rc);
	r = rules.items;
	for (size_t i = 0; i < rules.n; i++)
		n += !is_anchored(rq, r[i].dataset, r[i].query);
	if (n <= LIM_RULES_UNANCHORED && (n == 0 || all.n < LIM_RULES_UNANCHORED_ALL))
		return PASS;
	return fail_at(rq, ERR_RULE_LIMIT,
	    STR("There are too many evaluated rules without an anchor; ask for a value of a "
		"keyword, "
		"a number, a name or an address that every match must have."));
}
