/* SPDX-License-Identifier: ISC */
/* Aggregations over the matching documents of a dataset: SPEC 2.1, 2.2, 4.1. */
#include "config.h"

#include "api/api.h"
#include "api/share.h"

struct spec {
	struct str field;
	int64_t limit;
};

struct aggregate_in {
	struct list aggregations;
	struct str query;
};

static const struct field spec_in[] = {
	TEXT(struct spec, field, REQUIRED | TRIM | LOWER | BYTES_TOO, 1,
	    LIM_AGGREGATE_FIELD),
	NUMBER(
	    struct spec, limit, 0, 1, LIM_AGGREGATE_LIMIT, LIM_AGGREGATE_LIMIT_DEFAULT),
	FIELD_END,
};

static const struct field aggregate_in[] = {
	LIST(struct aggregate_in, aggregations, REQUIRED, struct spec, spec_in, 1,
	    LIM_AGGREGATIONS),
	TEXT(struct aggregate_in, query, BYTES_TOO, 0, LIM_QUERY),
	FIELD_END,
};

/* A null member is a fault of the body, whatever the member; the rest belongs to the list (C-032). */
static const struct body_code aggregate_codes[] = {
	{ "aggregations", ERR_INVALID_AGGREGATION, ERR_INVALID_REQUEST },
	{ NULL, ERR_UNSET, ERR_UNSET },
};

static const enum error aggregate_errors[] = { ERR_INVALID_AGGREGATION,
	ERR_INVALID_SEARCH_QUERY, ERR_SEARCH_UPSTREAM_FAILED, ERR_SEARCH_UNAVAILABLE,
	ERR_SEARCH_BUSY, ERR_SEARCH_TIMEOUT, ERR_SEARCH_MISCONFIGURED, ERR_UNSET };

static int
refuse(struct req *rq, size_t i, const char *what)
{
	return fail_at(rq, ERR_INVALID_AGGREGATION,
	    arena_printf(rq->arena, "aggregations[%zu].field: %s%s", i, what,
		what[strlen(what) - 1] == '?' ? "" : "."));
}

/* The name that a query would have understood, or one near it, when it can be counted by. */
static const char *
no_field(struct req *rq, enum dataset d, struct str name)
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

/* Known, aggregatable and unique; aliases are for queries alone (C-035, C-036). */
static int
plan(struct req *rq, enum dataset d, const struct list *specs, struct agg *out)
{
	const struct spec *spec = specs->items;

	for (size_t i = 0; i < specs->n; i++) {
		const struct schema_field *f = schema_find(d, spec[i].field);

		if (f == NULL || !f->aggregatable)
			return refuse(rq, i, no_field(rq, d, spec[i].field));
		for (size_t k = 0; k < i; k++)
			if (out[k].field == f)
				return refuse(rq, i, "is repeated");
		out[i] = (struct agg){ .field = f, .limit = (unsigned)spec[i].limit };
	}
	return PASS;
}

static void
write_value(struct buf *b, const struct value *v)
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

static void
write_tag(struct buf *b, const struct tag *t)
{
	buf_z(b, ",\"tag\":{\"slug\":");
	json_write_str(b, t->slug);
	buf_z(b, ",\"name\":");
	json_write_str(b, t->name);
	buf_z(b, ",\"categories\":[");
	for (size_t i = 0; i < t->ncategories; i++) {
		if (i > 0)
			buf_char(b, ',');
		json_write_str(b, t->categories[i]);
	}
	buf_z(b, "],\"classification\":");
	json_write_str(b, t->classification);
	buf_char(b, '}');
}

static void
write_bucket(struct buf *b, const struct bucket *bucket)
{
	buf_z(b, "{\"value\":");
	write_value(b, &bucket->value);
	buf_z(b, ",\"count\":");
	json_write_int(b, (int64_t)bucket->count);
	if (bucket->label.p != NULL) {
		buf_z(b, ",\"label\":");
		json_write_str(b, bucket->label);
	}
	if (bucket->tag != NULL)
		write_tag(b, bucket->tag);
	buf_char(b, '}');
}

static void
write_group(struct buf *b, enum dataset d, const struct group *g)
{
	buf_printf(b,
	    "{\"field\":\"%s\",\"count_unit\":\"%s\",\"value_type\":\"%s\",\"buckets\":[",
	    g->field->name, schema_count_unit(d), schema_json_type(g->field->type));
	for (size_t i = 0; i < g->nbuckets; i++) {
		if (i > 0)
			buf_char(b, ',');
		write_bucket(b, &g->buckets[i]);
	}
	buf_printf(b, "],\"relation\":\"%s\",\"has_more\":%s,\"sampled\":%s}",
	    relation_name(g->relation), g->has_more ? "true" : "false",
	    g->relation == RELATION_UNKNOWN ? "true" : "false");
}

static int
aggregate(struct req *rq)
{
	const struct aggregate_in *in = rq->in;
	enum dataset d = (enum dataset)rq->route->arg;
	struct group groups[LIM_AGGREGATIONS] = { 0 };
	struct agg aggs[LIM_AGGREGATIONS];
	size_t n = in->aggregations.n;
	struct budget budget;
	struct query query;
	const char *fault;
	struct buf *b;

	if (plan(rq, d, &in->aggregations, aggs) != PASS ||
	    run_parse(rq, d, in->query, &query) != PASS ||
	    share_begin(rq, &budget) != PASS)
		return FAILED;
	if (run_end(rq, engine_aggregate(rq->worker->engine, rq->arena, &query, &budget,
			    aggs, n, groups)) != PASS)
		return FAILED;
	fault = check_groups(aggs, n, groups);
	if (fault != NULL) {
		log_event(LOGP_ERR, "engine", "req=%s why=\"%s\"", rq->id, fault);
		return fail(rq, ERR_SEARCH_UPSTREAM_FAILED);
	}
	b = reply_begin(rq, 200);
	buf_z(b, "{\"query\":");
	json_write_str(b, in->query);
	buf_z(b, ",\"groups\":[");
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			buf_char(b, ',');
		write_group(b, d, &groups[i]);
	}
	buf_z(b, "]}");
	return PASS;
}

static const char aggregate_answer[] =
    "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"query\","
    "\"groups\"],"
    "\"properties\":{\"query\":{\"type\":\"string\",\"maxLength\":8192,"
    "\"description\":\"The query as it was sent.\"},"
    "\"groups\":{\"type\":\"array\",\"minItems\":1,\"maxItems\":8,"
    "\"items\":{\"$ref\":\"#/components/schemas/AggregateGroup\"}}}}";

const struct route aggregate_routes[] = {
#define DATASET(id, name, unit)                                                          \
	{                                                                                \
		ROUTE_AS(                                                                \
		    POST, "/search/" name "/aggregate", "aggregate_" name, aggregate),   \
		.arg = DATASET_##id,                                                     \
		.scope = SCOPE_SEARCH_AGGREGATE,                                         \
		.access = ACCESS_ACCOUNT,                                                \
		.meter = METER_QUOTA,                                                    \
		.area = AREA_SEARCH,                                                     \
		.entitlement = ENTITLEMENT_SEARCH,                                       \
		BODY(struct aggregate_in, aggregate_in, LIM_AGGREGATE_BODY),             \
		.body_codes = aggregate_codes,                                           \
		.answer = aggregate_answer,                                              \
		.errors = aggregate_errors,                                              \
		.tag = "Search",                                                         \
		.summary = "Aggregate matching " name,                                   \
		.result = "One group a field, in the order of the request.",             \
		.example = "{\"query\":\"services.port:443\",\"aggregations\":["         \
			   "{\"field\":\"country_code\",\"limit\":10},"                  \
			   "{\"field\":\"services.port\"}]}",                            \
		.description =                                                           \
		    "Counts the values of one to eight fields over everything that the " \
		    "query matches: one group a field, in the order of the request.",    \
	},
#include "tbl/datasets.h"
#undef DATASET
	ROUTE_END,
};
