/* SPDX-License-Identifier: ISC */
/* POST /rules/validate shows the matches of a rule without storing it. They are the matches of a
   search for (query) AND NOT (exclude) (C-146). */
#include "config.h"

#include "api/rules/detection_priv.h"
#include "api/search/documents.h"
#include "api/search/share.h"
#include "detection/record_key.h"
#include "json/tree.h"

#include <inttypes.h>
#include <openssl/sha.h>

struct validate_in {
	struct detection_in rule;
	bool applies_tags;
};

#define RULE(m) offsetof(struct validate_in, rule.m)

static const struct field validate_in[] = {
	{ .name = "dataset",
	    .type = FIELD_STR,
	    .flags = REQUIRED,
	    .offset = RULE(dataset),
	    .values = detection_datasets },
	{ .name = "query",
	    .type = FIELD_STR,
	    .flags = REQUIRED | BYTES_TOO,
	    .offset = RULE(query),
	    .lo = 0,
	    .hi = LIM_QUERY },
	{ .name = "exclude",
	    .type = FIELD_STR,
	    .flags = BYTES_TOO,
	    .offset = RULE(exclude),
	    .lo = 0,
	    .hi = LIM_QUERY },
	{ .name = "tests",
	    .type = FIELD_LIST,
	    .offset = RULE(tests),
	    .lo = 0,
	    .hi = LIM_RULE_TESTS,
	    .sub = detection_test_fields,
	    .size = sizeof(struct detection_test) },
	{ .name = "produces",
	    .type = FIELD_OBJECT,
	    .flags = NULLABLE,
	    .offset = RULE(produces),
	    .sub = detection_product_fields },
	{ .name = "applies_tags",
	    .type = FIELD_BOOL,
	    .offset = offsetof(struct validate_in, applies_tags),
	    .help = "Whether it is meant for the catalogue and applies its tags; then its query "
		    "must not name tags." },
	FIELD_END,
};

struct rule_fault {
	struct str member, message;
	int64_t position;
};

static const char *const faulty_members[] = { "query", "exclude", NULL };

static const struct field rule_fault_out[] = {
	ONE_OF(struct rule_fault, member, 0, faulty_members, NULL),
	{ .name = "position",
	    .type = FIELD_INT,
	    .offset = offsetof(struct rule_fault, position),
	    .lo = 1,
	    .hi = LIM_QUERY + 1,
	    .help = "The character of the text, from 1." },
	TEXT(struct rule_fault, message, 0, 1, LIM_ERROR_MESSAGE),
	FIELD_END_OF("RuleError"),
};

struct judged {
	struct str name;
	bool passed;
};

static const struct field judged_out[] = {
	FIELD(struct judged, name, 0),
	FIELD(struct judged, passed, 0),
	FIELD_END_OF("RuleTestResult"),
};

struct matches {
	int64_t value;
	struct str relation;
};

static const struct field matches_out[] = {
	NUMBER(struct matches, value, 0, 0, LIM_BUCKET_COUNT, 0),
	ONE_OF(struct matches, relation, 0, relations, NULL),
	FIELD_END_OF("RuleMatches"),
};

struct validation {
	bool valid, anchored, uses_now, too_broad;
	struct json error, matches; /* printed by the tables above; null: none */
	struct list tests, sample;
};

static const struct field validation_out[] = {
	FIELD(struct validation, valid, 0),
	{ .name = "error",
	    .type = FIELD_RAW,
	    .flags = NULLABLE,
	    .offset = offsetof(struct validation, error),
	    .sub = rule_fault_out },
	LIST(struct validation, tests, 0, struct judged, judged_out, 0, LIM_RULE_TESTS),
	{ .name = "matches",
	    .type = FIELD_RAW,
	    .flags = NULLABLE,
	    .offset = offsetof(struct validation, matches),
	    .sub = matches_out },
	{ .name = "sample",
	    .type = FIELD_LIST,
	    .offset = offsetof(struct validation, sample),
	    .lo = 0,
	    .hi = LIM_RULE_SAMPLE,
	    .size = sizeof(struct str),
	    .item = FIELD_STR,
	    .help = "Keys of records that match." },
	{ .name = "anchored",
	    .type = FIELD_BOOL,
	    .offset = offsetof(struct validation, anchored),
	    .help = "Whether every match must have one of a few values of a field." },
	{ .name = "uses_now",
	    .type = FIELD_BOOL,
	    .offset = offsetof(struct validation, uses_now),
	    .help = "Whether the result can change without a change of the data." },
	{ .name = "too_broad",
	    .type = FIELD_BOOL,
	    .offset = offsetof(struct validation, too_broad),
	    .help =
		"Whether it matches more than 10000 records, the most for a rule of scope all." },
	FIELD_END_OF("RuleValidation"),
};

static struct json
printed(struct req *rq, const struct field *table, const void *record)
{
	struct buf b = { .a = rq->arena };

	json_write(&b, table, record);
	return (struct json){ buf_done(&b) };
}

/* ---- readable keys (C-823) ---- */

/* The key of the index does not contain the answer of a DNS record or the URL of a directory. */
static bool
needs_documents(enum dataset d)
{
	return d == DATASET_DNS || d == DATASET_DIRECTORIES;
}

static struct str
key_of_hit(struct arena *a, enum dataset d, const struct hit *hit, const struct document *doc)
{
	const struct json_value *v = doc == NULL ? NULL : json_parse(a, doc->doc);
	struct str key = hit->key, text;

	if (d == DATASET_DNS)
		return rule_dns_key(a, json_get_text(v, "host"), json_get_text(v, "record_type"),
		    json_get_text(v, "answer"), json_get_text(v, "rcode"));
	if (d == DATASET_DIRECTORIES)
		return rule_directory_key(a, v);
	if (d == DATASET_SERVICES)
		key.n -= SERVICE_KEY;
	text = record_key_text(a, schema_source(d), key);
	if (d == DATASET_SERVICES)
		return arena_printf(a, "%.*s/%" PRId64 "/%.*s", (int)text.n, text.p,
		    hit->nested[0].number, (int)hit->nested[0].text[0].n, hit->nested[0].text[0].p);
	if (d == DATASET_CERTIFICATES) /* the key is the fingerprint and a time */
		text.n = 2 * SHA256_DIGEST_LENGTH;
	return text;
}

static int
sample_keys(struct req *rq, enum dataset d, const struct page *page, struct list *out)
{
	struct str *shown = ARENA_ARRAY(rq->arena, page->nhits + 1, struct str);
	struct str *keys = ARENA_ARRAY(rq->arena, page->nhits + 1, struct str);
	struct documents docs = { NULL, 0 };
	size_t n = 0;

	for (size_t i = 0; i < page->nhits; i++)
		keys[i] = page->hits[i].key;
	if (needs_documents(d) &&
	    documents_read(rq, d, BY_KEY, (struct strs){ keys, page->nhits }, &docs) != PASS)
		return FAILED;
	for (size_t i = 0; i < page->nhits; i++) {
		const struct document *doc = docs.p == NULL ? NULL : docs.p[i];

		if (docs.p == NULL || (doc != NULL && doc->doc.p != NULL))
			shown[n++] = key_of_hit(rq->arena, d, &page->hits[i], doc);
	}
	*out = (struct list){ shown, n };
	return PASS;
}

/* ---- the answer ---- */

static int
count_and_sample(struct req *rq, enum dataset d, const struct rule_query *q, struct validation *out)
{
	const struct page_request want = { .limit = LIM_RULE_SAMPLE, .keys_only = true };
	struct engine *e = rq->worker->engine;
	struct page page = { 0 };
	struct count n = { 0 };
	struct budget budget;
	struct query query;

	rule_query_join(rq->arena, q, NULL, &query);
	query_restrict(rq->arena, &query, &rq->key->account);
	if (share_begin(rq, &budget) != PASS ||
	    run_end(rq, engine_count(e, rq->arena, &query, &budget, &n)) != PASS ||
	    run_end(rq, engine_search(e, rq->arena, &query, &budget, &want, &page)) != PASS)
		return FAILED;
	out->matches = printed(
	    rq, matches_out, &(struct matches){ (int64_t)n.n, str_of(relation_name(n.relation)) });
	out->too_broad = n.n > LIM_RULE_MATCHES;
	return sample_keys(rq, d, &page, &out->sample);
}

static int
refuse(struct req *rq, struct validation *out, const char *member, const struct query_fault *fault)
{
	const struct rule_fault shown = { str_of(member), fault->message, fault->at };

	out->error = printed(rq, rule_fault_out, &shown);
	return reply(rq, 200, NULL, validation_out, out);
}

/* Returns the member whose text tests tags, or NULL. */
static const char *
member_with_tags(const struct rule_query *q, uint32_t *at)
{
	if (query_asks_tags(&q->query, at))
		return "query";
	return q->excludes && query_asks_tags(&q->exclude, at) ? "exclude" : NULL;
}

static int
validate_rule(struct req *rq)
{
	const struct validate_in *in = rq->in;
	const struct detection_test *t = in->rule.tests.items;
	enum dataset d = detection_dataset(in->rule.dataset);
	bool *passed = ARENA_ARRAY(rq->arena, in->rule.tests.n + 1, bool);
	struct judged *judged = ARENA_ARRAY(rq->arena, in->rule.tests.n + 1, struct judged);
	struct query_fault tags = { .message =
					STR("a rule that applies tags must not ask for tags") };
	struct validation out = { 0 };
	struct rule_query_fault fault;
	const char *member;
	struct rule_query q;

	if (!rule_query_parse(rq->arena, d, in->rule.query, in->rule.exclude, rq->now, &q, &fault))
		return refuse(rq, &out, fault.member, &fault.fault);
	member = in->applies_tags ? member_with_tags(&q, &tags.at) : NULL;
	if (member != NULL)
		return refuse(rq, &out, member, &tags);
	if (detection_samples(rq, &q, &in->rule, passed) != PASS)
		return FAILED;
	for (size_t i = 0; i < in->rule.tests.n; i++)
		judged[i] = (struct judged){ t[i].name, passed[i] };
	out.valid = true;
	out.tests = (struct list){ judged, in->rule.tests.n };
	out.anchored = rule_query_anchor(&q) != NULL;
	out.uses_now = rule_query_uses_now(&q);
	return count_and_sample(rq, d, &q, &out) == PASS
		   ? reply(rq, 200, NULL, validation_out, &out)
		   : FAILED;
}

/* Faults in query and exclude are part of the answer, so only the rest of the body is checked as
   that of a new rule. */
static int
check_validated(struct req *rq, void *body, struct body_faults *faults)
{
	struct detection_in in = ((const struct validate_in *)body)->rule;

	in.query = in.exclude = STR_NULL;
	return detection_check(rq, &in, "", faults);
}

static const enum error validate_errors[] = { DETECTION_SEARCH_ERRORS, ERR_SEARCH_UNAVAILABLE,
	ERR_UNSET };

static const struct route detection_validate_routes[] = {
	{
	    ROUTE(POST, "/rules/validate", validate_rule),
	    .heavy = true,
	    DETECTION_ROW(SCOPE_RULES_MANAGE),
	    BODY_CHECKED(struct validate_in, validate_in, LIM_RULE_BODY, check_validated),
	    .out = validation_out,
	    .result = "The matches and outcomes of the rule.",
	    .errors = validate_errors,
	    .example = JSON({ "dataset" : "services", "query" : "product:redis" }),
	    .summary = "Validate a detection rule",
	    .description =
		"Nothing is stored. The matches are those of a search for (query) AND NOT "
		"(exclude). valid: both texts can be parsed. tests has the result of each "
		"sample, and whether it is the expected one.",
	},
	ROUTE_END,
};

ROUTES(65, detection_validate);
