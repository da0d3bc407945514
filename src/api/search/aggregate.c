/* SPDX-License-Identifier: ISC */
/* Aggregations: the most frequent values of up to eight fields among the documents that match a
   query (C-032 to C-055). The engine counts; this file checks the request against the schema
   and the engine's groups against the contract (check.c), because a wrong answer must be a 502 and
   never a wrong 200. */
#include "config.h"

#include "api/api.h"
#include "api/search/share.h"
#include "daemon/conf.h"

struct aggregation {
	struct str field;
	int64_t limit;
};

struct aggregate_in {
	struct list aggregations;
	struct str query;
};

static const struct field spec_in[] = {
	TEXT(
	    struct aggregation, field, REQUIRED | TRIM | LOWER | BYTES_TOO, 1, LIM_AGGREGATE_FIELD),
	NUMBER(struct aggregation, limit, 0, 1, LIM_AGGREGATE_LIMIT, LIM_AGGREGATE_LIMIT_DEFAULT),
	FIELD_END_OF("Aggregation"),
};

static const struct field aggregate_in[] = {
	LIST(struct aggregate_in, aggregations, REQUIRED, struct aggregation, spec_in, 1,
	    LIM_AGGREGATIONS),
	TEXT(struct aggregate_in, query, BYTES_TOO, 0, LIM_QUERY),
	FIELD_END,
};

/* A list that is null is a fault of the body; every other fault of the list has its own code
   (C-032). */
static const struct body_code aggregate_codes[] = {
	{ "aggregations", ERR_INVALID_AGGREGATION, ERR_INVALID_REQUEST },
	{ NULL, ERR_UNSET, ERR_UNSET },
};

static const enum error aggregate_errors[] = { ERR_INVALID_AGGREGATION, ERR_INVALID_SEARCH_QUERY,
	ERR_SEARCH_UPSTREAM_FAILED, ERR_SEARCH_UNAVAILABLE, ERR_SEARCH_BUSY, ERR_SEARCH_TIMEOUT,
	ERR_SEARCH_MISCONFIGURED, ERR_UNSET };

static int
fail_aggregation(struct req *rq, size_t i, const char *what)
{
	return fail_at(rq, ERR_INVALID_AGGREGATION,
	    arena_printf(rq->arena, "aggregations[%zu].field: %s%s", i, what,
		what[strlen(what) - 1] == '?' ? "" : "."));
}

/* Suggests the field behind an alias, or one with a similar name, if it is aggregatable. */
static const char *
describe_bad_field(struct req *rq, enum dataset d, struct str name)
{
	const struct schema_field *f = schema_resolve(d, name);
	const char *near = f != NULL ? f->name : schema_nearest(d, name);

	f = near == NULL ? NULL : schema_find(d, str_of(near));
	if (f == NULL || !f->aggregatable || str_eq(str_of(near), name))
		return "is no aggregatable field of the dataset; GET /search/schemas "
		       "lists them";
	return arena_printf(
	    rq->arena, "is no aggregatable field of the dataset; did you mean %s?", near)
	    .p;
}

/* Each field must be known, aggregatable and unique; aliases are for queries alone (C-035,
   C-036). */
static int
plan_aggregations(struct req *rq, enum dataset d, const struct list *specs, struct agg *out)
{
	const struct aggregation *spec = specs->items;

	for (size_t i = 0; i < specs->n; i++) {
		const struct schema_field *f = schema_find(d, spec[i].field);

		if (f == NULL || !f->aggregatable)
			return fail_aggregation(rq, i, describe_bad_field(rq, d, spec[i].field));
		for (size_t k = 0; k < i; k++)
			if (out[k].field == f)
				return fail_aggregation(rq, i, "is repeated");
		out[i] = (struct agg){ .field = f, .limit = (unsigned)spec[i].limit };
	}
	return PASS;
}

/* ---- the answer (C-041 to C-055) ---- */

struct tag_answer {
	struct str slug, name, classification;
	struct list categories;
};

static const char *const classifications[] = { "informational", "benign", "suspicious", "malicious",
	NULL };

static const struct field tag_out[] = {
	TEXT(struct tag_answer, slug, REQUIRED, 1, LIM_TAG_SLUG),
	TEXT(struct tag_answer, name, REQUIRED, 0, LIM_TAG_NAME),
	{ .name = "categories",
	    .type = FIELD_LIST,
	    .flags = REQUIRED,
	    .offset = offsetof(struct tag_answer, categories),
	    .hi = LIM_TAG_CATEGORIES,
	    .size = sizeof(struct str),
	    .pattern = "^[a-z0-9][a-z0-9-]{0,127}(/[a-z0-9][a-z0-9-]{0,127})*$" },
	ONE_OF(struct tag_answer, classification, REQUIRED, classifications, NULL),
	FIELD_END_OF("Tag"),
};

struct bucket_answer {
	struct json value;
	int64_t count;
	struct str label;
	struct tag_answer tag;
};

static const struct field bucket_out[] = {
	{ .name = "value",
	    .type = FIELD_RAW,
	    .flags = REQUIRED,
	    .offset = offsetof(struct bucket_answer, value),
	    .lo = 1,
	    .hi = LIM_BUCKET_VALUE,
	    .help = "The value, of the JSON type that value_type names." },
	NUMBER(struct bucket_answer, count, REQUIRED, 1, LIM_BUCKET_COUNT, 0),
	TEXT(struct bucket_answer, label, OMIT_UNSET, 1, LIM_BUCKET_LABEL),
	OBJECT(struct bucket_answer, tag, OMIT_UNSET, tag_out),
	FIELD_END_OF("AggregateBucket"),
};

struct group_answer {
	struct str field, count_unit, value_type, relation;
	struct list buckets;
	bool has_more, sampled;
};

static const struct field group_out[] = {
	TEXT(struct group_answer, field, REQUIRED, 1, LIM_AGGREGATE_FIELD),
	ONE_OF(struct group_answer, count_unit, REQUIRED, count_units, NULL),
	ONE_OF(struct group_answer, value_type, REQUIRED, value_types,
	    "The JSON type of every value in the buckets."),
	LIST(struct group_answer, buckets, REQUIRED, struct bucket_answer, bucket_out, 0,
	    LIM_AGGREGATE_LIMIT),
	ONE_OF(struct group_answer, relation, REQUIRED, relations,
	    "Exact, a known lower bound, or a sampled estimate."),
	FIELD(struct group_answer, has_more, REQUIRED),
	{ .name = "sampled",
	    .type = FIELD_BOOL,
	    .flags = REQUIRED,
	    .offset = offsetof(struct group_answer, sampled),
	    .help = "The counts are estimates; relation is then unknown." },
	FIELD_END_OF("AggregateGroup"),
};

struct aggregate_answer {
	struct str query;
	struct list groups;
};

static const struct field aggregate_out[] = {
	TEXT(struct aggregate_answer, query, REQUIRED, 0, LIM_QUERY),
	LIST(struct aggregate_answer, groups, REQUIRED, struct group_answer, group_out, 1,
	    LIM_AGGREGATIONS),
	FIELD_END,
};

static void
write_bucket_value(struct buf *b, const struct value *v)
{
	char room[IPNET_LEN + TS_LEN + 1];

	switch (v->type) {
	case VALUE_KEYWORD:
	case VALUE_TEXT:
	case VALUE_DNS:
		json_write_str(b, v->s);
		return;
	case VALUE_IP:
		json_write_str(b, (struct str){ room, ipnet_print(&v->ip, room) });
		return;
	case VALUE_INTEGER:
		json_write_int(b, v->i);
		return;
	case VALUE_NUMBER:
		json_write_num(b, v->n);
		return;
	case VALUE_BOOLEAN:
		buf_z(b, v->b ? "true" : "false");
		return;
	case VALUE_DATE:
		ts_print(v->ts, room);
		json_write_str(b, str_of(room));
		return;
	}
	panic("value type %d", (int)v->type);
}

static struct bucket_answer
answer_bucket(struct arena *a, const struct bucket *from)
{
	struct bucket_answer out = { .count = (int64_t)from->count, .label = from->label };
	const struct tag *t = from->tag;
	struct buf value = { .a = a };

	write_bucket_value(&value, &from->value);
	out.value.text = buf_done(&value);
	if (t != NULL)
		out.tag = (struct tag_answer){ t->slug, t->name, t->classification,
			{ (void *)(uintptr_t)t->categories, t->ncategories } };
	return out;
}

static struct group_answer
answer_group(struct arena *a, enum dataset d, const struct group *g)
{
	struct bucket_answer *buckets = ARENA_ARRAY(a, g->nbuckets + 1, struct bucket_answer);

	for (size_t i = 0; i < g->nbuckets; i++)
		buckets[i] = answer_bucket(a, &g->buckets[i]);
	return (struct group_answer){ .field = str_of(g->field->name),
		.count_unit = str_of(schema_count_unit(d)),
		.value_type = str_of(schema_json_type(g->field->type)),
		.relation = str_of(relation_name(g->relation)),
		.buckets = { buckets, g->nbuckets },
		.has_more = g->has_more,
		.sampled = g->relation == RELATION_UNKNOWN };
}

static int
aggregate_dataset(struct req *rq)
{
	const struct aggregate_in *in = rq->in;
	enum dataset d = (enum dataset)rq->route->arg;
	struct group groups[LIM_AGGREGATIONS] = { 0 };
	struct agg aggs[LIM_AGGREGATIONS];
	size_t n = in->aggregations.n;
	struct budget budget;
	struct query query;
	struct group_answer out[LIM_AGGREGATIONS];
	struct aggregate_answer answer = { in->query, { out, n } };
	const char *fault;

	if (plan_aggregations(rq, d, &in->aggregations, aggs) != PASS ||
	    run_parse(rq, d, in->query, &query) != PASS || share_begin(rq, &budget) != PASS)
		return FAILED;
	budget.estimates = strcmp(conf.search_estimates, "yes") == 0;
	if (run_end(rq, engine_aggregate(rq->worker->engine, rq->arena, &query, &budget, aggs, n,
			    groups)) != PASS)
		return FAILED;
	fault = check_groups(aggs, n, groups);
	if (fault != NULL) {
		log_event(LOGP_ERR, "engine", "req=%s why=\"%s\"", rq->id, fault);
		return fail(rq, ERR_SEARCH_UPSTREAM_FAILED);
	}
	for (size_t i = 0; i < n; i++)
		out[i] = answer_group(rq->arena, d, &groups[i]);
	return reply(rq, 200, NULL, aggregate_out, &answer);
}

/* The name of each operation and the example of its body, each in an array of its own. The rows of
   the routes are made from tbl/datasets.h and refer to these arrays, because a macro cannot join
   the rows of two tables. */
#define ANSWER(id, list, record, hit, scope, besides, entitlement, query, first, second)           \
	static const char aggregate_##id[] = "aggregate_" list;                                    \
	static const char example_##id[] =                                                         \
	    "{\"query\":" #query ",\"aggregations\":[{\"field\":" #first                           \
	    ",\"limit\":10},{\"field\":" #second "}]}";
#include "tbl/answers.h"
#undef ANSWER

static const struct route aggregate_routes[] = {
#define DATASET(id, number, name, unit, key, nested, naming, label)                                \
	{                                                                                          \
		ROUTE_AS(POST, "/search/" name "/aggregate", aggregate_##id, aggregate_dataset),   \
		.arg = DATASET_##id,                                                               \
		COLUMNS_OF_COUNTING(id),                                                           \
		BODY(struct aggregate_in, aggregate_in, LIM_AGGREGATE_BODY),                       \
		.body_codes = aggregate_codes,                                                     \
		.out = aggregate_out,                                                              \
		.exact = true,                                                                     \
		.errors = aggregate_errors,                                                        \
		.summary = "Aggregate matching " name,                                             \
		.result = "One group a field, in the order of the request.",                       \
		.example = example_##id,                                                           \
		.description =                                                                     \
		    "Counts the values of one to eight fields over everything that the "           \
		    "query matches: one group a field, in the order of the request.",              \
	},
#define LISTED(id, number, name, key, nested, naming, label)
#define VIEW DATASET
#include "tbl/datasets.h"
	ROUTE_END,
};

ROUTES(20, aggregate);
