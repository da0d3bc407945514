/* SPDX-License-Identifier: ISC */
/* The operations of a dataset: search, count, validate a query (C-710 to C-714). The engine finds
   keys, PostgreSQL has the documents (documents.h): a page is the engine's list of keys, and the
   documents of these keys as they are stored. Both may differ, so a record that was deleted after
   the index was built is left out; and a page ends early where its documents become too large,
   where its cursor continues. */
#include "config.h"

#include "api/api.h"
#include "api/search/documents.h"
#include "api/search/share.h"

/* ---- parameters ---- */

struct query_args {
	struct str q;
};

struct search_args {
	struct str q, fields, cursor;
	int64_t limit;
};

#define QUERY_PARAM(args, sample)                                                                  \
	{                                                                                          \
		.field = { .name = "q",                                                            \
			.type = FIELD_STR,                                                         \
			.offset = offsetof(args, q),                                               \
			.help = "The query, see surfaced-query(7). Empty or absent: everything. "  \
				"At most 8192 characters and bytes after decoding." },             \
		.example = (sample)                                                                \
	}

#define SEARCH_PARAMS                                                                              \
	{ .field = { .name = "limit",                                                              \
	      .type = FIELD_INT,                                                                   \
	      .offset = offsetof(struct search_args, limit),                                       \
	      .lo = 1,                                                                             \
	      .hi = LIM_SEARCH_PAGE,                                                               \
	      .def = LIM_PAGE_DEFAULT,                                                             \
	      .help =                                                                              \
		  "Records a page at most. A page ends earlier where the stored documents of its " \
		  "records have more than 8 MiB, whatever fields selects of them: has_more "       \
		  "tells, not the number of records." },                                           \
		.error = ERR_INVALID_PAGINATION },                                                 \
	    FIELDS_PARAM(struct search_args),                                                      \
	{                                                                                          \
		.field = { .name = "cursor",                                                       \
			.type = FIELD_STR,                                                         \
			.offset = offsetof(struct search_args, cursor),                            \
			.lo = 1,                                                                   \
			.hi = LIM_CURSOR,                                                          \
			.help = "next_cursor of the page before, with the same query." },          \
		.error = ERR_INVALID_SEARCH_CURSOR                                                 \
	}

/* Each dataset has parameters of its own, because their examples of a query differ. An operation is
   named after the list of the dataset, because the name of a dataset may contain a hyphen. */
#define ANSWER(id, list, record, hit, scope, besides, entitlement, query, first, second)           \
	static const char search_##id[] = "search_" list, count_##id[] = "count_" list,            \
			  validate_##id[] = "validate_" list;                                      \
	static const struct url_param query_params_##id[] = {                                      \
		QUERY_PARAM(struct query_args, query), URL_PARAM_END                               \
	};                                                                                         \
	static const struct url_param search_params_##id[] = {                                     \
		QUERY_PARAM(struct search_args, query), SEARCH_PARAMS, URL_PARAM_END               \
	};
#include "tbl/answers.h"
#undef ANSWER

/* ---- search ---- */

/* The units that clients know (C-042). */
const char *const count_units[] = { "host", "service", "dns_record", "whois_domain", "certificate",
	"report", NULL };
const char *const value_types[] = { "string", "integer", "number", "boolean", NULL };

static struct cursor_for
search_cursor_binding(const struct req *rq, struct str q)
{
	return (struct cursor_for){
		.key = rq->key->uuid, .operation = str_of(rq->route->operation), .filters = q
	};
}

/* ---- hits ---- */

static const struct field matched_service[] = {
	{ .name = "port", .type = FIELD_INT, .offset = offsetof(struct nested_key, number) },
	{ .name = "transport", .type = FIELD_STR, .offset = offsetof(struct nested_key, text[0]) },
	FIELD_END_OF("MatchedService"),
};

static const struct field matched_file[] = {
	{ .name = "name", .type = FIELD_STR, .offset = offsetof(struct nested_key, text[0]) },
	FIELD_END_OF("MatchedFile"),
};

static const struct field matched_indicator[] = {
	{ .name = "type", .type = FIELD_STR, .offset = offsetof(struct nested_key, text[0]) },
	{ .name = "value", .type = FIELD_STR, .offset = offsetof(struct nested_key, text[1]) },
	FIELD_END_OF("MatchedIndicator"),
};

struct hit_extra {
	struct list matched;
};

#define MATCHED(member, table)                                                                     \
	{                                                                                          \
		{ .name = (member),                                                                \
			.type = FIELD_LIST,                                                        \
			.offset = offsetof(struct hit_extra, matched),                             \
			.sub = (table),                                                            \
			.size = sizeof(struct nested_key) },                                       \
		    FIELD_END                                                                      \
	}

static const struct field host_hit[] = MATCHED("matched_services", matched_service);
static const struct field report_hit[] = MATCHED("matched_indicators", matched_indicator);
static const struct field directory_hit[] = MATCHED("matched_files", matched_file);

/* The members that a hit has in addition to those of its document, for datasets with a nested
   object. */
static const struct field *const hits[DATASETS_AND_CONDITIONS] = {
	[DATASET_HOSTS] = host_hit,
	[DATASET_REPORTS] = report_hit,
	[DATASET_DIRECTORIES] = directory_hit,
};

const struct field *
hit_members(enum dataset d)
{
	return hits[d];
}

static void
write_hit(struct buf *b, enum dataset d, struct str doc, const struct record_fields *fields,
    const struct hit *hit)
{
	const struct hit_extra extra = { { hit->nested, hit->nnested } };

	document_write(b, d, doc, fields);
	if (hits[d] != NULL)
		json_write_more(b, hits[d], &extra);
}

struct warning {
	struct str message;
	int64_t position;
};

static const struct field warning_out[] = {
	TEXT(struct warning, message, 0, 1, LIM_ERROR_MESSAGE),
	{ .name = "position",
	    .type = FIELD_INT,
	    .offset = offsetof(struct warning, position),
	    .lo = 1,
	    .hi = LIM_QUERY + 1,
	    .help = "The character of the query, from 1." },
	FIELD_END_OF("QueryWarning"),
};

/* A valid query has warnings when one of its tests matches no document at all (C-418). */
static struct list
warnings_of(struct req *rq, const struct query *q)
{
	struct warning *w;

	if (q->nwarnings == 0)
		return (struct list){ 0 };
	w = ARENA_ARRAY(rq->arena, q->nwarnings, struct warning);
	for (size_t i = 0; i < q->nwarnings; i++)
		w[i] = (struct warning){ q->warnings[i].message, q->warnings[i].at };
	return (struct list){ w, q->nwarnings };
}

struct total {
	int64_t value;
	struct str relation;
};

static const struct field total_out[] = {
	NUMBER(struct total, value, 0, 0, LIM_BUCKET_COUNT, 0),
	ONE_OF(struct total, relation, 0, relations,
	    "Exact, a known lower bound, or a sampled estimate."),
	FIELD_END_OF("Total"),
};

struct search_page {
	struct str query;
	struct list documents;
	struct total total;
	bool has_more;
	struct str next_cursor;
	struct list warnings;
};

/* The members of a page before and behind its documents. write_search_page copies the documents
   into the answer itself, because they may have megabytes. */
#define PAGE_HEAD TEXT(struct search_page, query, 0, 0, LIM_QUERY)
#define PAGE_TAIL                                                                                  \
	OBJECT(struct search_page, total, 0, total_out), FIELD(struct search_page, has_more, 0),   \
	    FIELD(struct search_page, next_cursor, NULLABLE),                                      \
	    LIST(struct search_page, warnings, OMIT_UNSET, struct warning, warning_out, 0,         \
		QUERY_WARNINGS),                                                                   \
	    FIELD_END

static const struct field page_head[] = { PAGE_HEAD, FIELD_END };
static const struct field page_tail[] = { PAGE_TAIL };

#define ANSWER(id, list, record, hit, scope, besides, entitlement, query, first, second)           \
	static const struct field hit_of_##id[] = { FIELD_END_OF(hit) };                           \
	static const struct field page_of_##id[] = { PAGE_HEAD,                                    \
		{ .name = (list),                                                                  \
		    .type = FIELD_LIST,                                                            \
		    .offset = offsetof(struct search_page, documents),                             \
		    .hi = LIM_SEARCH_PAGE,                                                         \
		    .sub = hit_of_##id,                                                            \
		    .size = sizeof(struct json),                                                   \
		    .item = FIELD_RAW },                                                           \
		PAGE_TAIL };
#include "tbl/answers.h"
#undef ANSWER

static struct str
seal_next_cursor(struct req *rq, struct str q, const struct page *page)
{
	struct cursor_for bound = search_cursor_binding(rq, q);

	if (!page->has_more || page->nhits == 0)
		return STR_NULL;
	return key_cursor_seal(
	    rq, (enum dataset)rq->route->arg, &bound, page->hits[page->nhits - 1].key);
}

/* Takes back what was written since `before` when it makes the page too large, unless it is the
   first of the page. */
static bool
end_full_page(struct buf *b, size_t begun, size_t before, struct page *page, size_t i)
{
	if (b->n - begun <= LIM_PAGE_BYTES || before == begun)
		return false;
	b->n = before;
	page->nhits = i;
	page->has_more = true;
	return true;
}

/* Writes documents until the page is full. The bytes that are written count, because a hit is
   larger than its document: the matching objects stand in it twice, and an index that is behind may
   have more of them than the document. */
static void
write_documents(struct buf *b, enum dataset d, struct page *page, const struct documents *docs,
    const struct record_fields *fields)
{
	size_t begun = b->n;

	for (size_t i = 0; i < page->nhits; i++) {
		size_t before = b->n;

		if (docs->p[i] == NULL)
			continue;
		if (before > begun)
			buf_char(b, ',');
		write_hit(b, d, docs->p[i]->doc, fields, &page->hits[i]);
		if (end_full_page(b, begun, before, page, i))
			return;
	}
}

/* Writes services until the page is full. A service that was removed after the index was built is
   left out. Each service repeats the place of its host, which may be as large as a document, so the
   limit counts the bytes that are written. */
static void
write_services(struct buf *b, struct page *page, const struct documents *docs,
    const struct record_fields *fields)
{
	const struct document *open = NULL;
	struct services services;
	size_t begun = b->n;

	for (size_t i = 0; i < page->nhits; i++) {
		const struct nested_key *name = page->hits[i].nested;
		size_t before = b->n;

		if (docs->p[i] == NULL)
			continue;
		if (docs->p[i] != open) {
			arena_reset(tree_arena());
			open = docs->p[i];
			services_open(&services, tree_arena(), open->doc, fields);
		}
		if (before > begun)
			buf_char(b, ',');
		if (!service_write(b, &services, name->number, name->text[0]))
			b->n = before;
		if (end_full_page(b, begun, before, page, i))
			break;
	}
	arena_reset(tree_arena());
}

static void
write_search_page(struct req *rq, const struct query *query, struct page *page,
    const struct documents *docs, const struct record_fields *fields)
{
	const struct search_args *args = rq->params;
	enum dataset d = (enum dataset)rq->route->arg;
	struct search_page answer = { .query = args->q,
		.total = { (int64_t)page->total.n, str_of(relation_name(page->total.relation)) },
		.warnings = warnings_of(rq, query) };
	struct buf *b = reply_begin(rq, 200);

	json_write(b, page_head, &answer);
	b->n--; /* the closing brace: the documents follow */
	json_member_begin(b, answer_names[d].list, '[');
	if (d == DATASET_SERVICES)
		write_services(b, page, docs, fields);
	else
		write_documents(b, d, page, docs, fields);
	buf_z(b, "]}");
	answer.has_more = page->has_more;
	answer.next_cursor = seal_next_cursor(rq, args->q, page);
	json_write_more(b, page_tail, &answer);
}

/* Ends the page before the first document that would make it too large, which bounds the memory of
   a request; the cursor continues there. A record that was deleted after the index was built has no
   document. Services of one host, which are adjacent, have one document. */
static int
read_page_documents(struct req *rq, struct page *page, struct documents *docs)
{
	enum dataset d = (enum dataset)rq->route->arg, source = schema_source(d);
	struct str *keys = ARENA_ARRAY(rq->arena, page->nhits + 1, struct str);
	size_t *of = ARENA_ARRAY(rq->arena, page->nhits + 1, size_t);
	struct documents read;
	size_t n = 0, fit;

	for (size_t i = 0; i < page->nhits; i++) {
		struct str key = page->hits[i].key;

		if (source != d)
			key.n -= SERVICE_KEY;
		if (n == 0 || !str_eq(keys[n - 1], key))
			keys[n++] = key;
		of[i] = n - 1;
	}
	if (documents_read(rq, source, BY_KEY, (struct strs){ keys, n }, &read) != PASS)
		return FAILED;
	*docs =
	    (struct documents){ ARENA_ARRAY(rq->arena, page->nhits + 1, const struct document *),
		    page->nhits };
	for (size_t i = 0; i < page->nhits; i++)
		docs->p[i] = read.p[of[i]];
	fit = documents_fit(docs);
	page->has_more |= fit < page->nhits;
	page->nhits = fit;
	return PASS;
}

/* The order of the steps keeps cheap refusals before expensive work: the parameters, the query and
   the cursor are parsed before the worker's time is asked for (share_begin), and the documents are
   read after the engine has chosen the keys. The request may be handed over twice: after the
   engine, when the slice was over, and after the database, when the documents are too large for a
   worker of the front pool. In both cases the work is repeated by the other pool. A page from the
   engine that is longer than its limit, or empty with more to come, would send a client round in
   circles: 502. */
static int
search_dataset(struct req *rq)
{
	const struct search_args *args = rq->params;
	enum dataset d = (enum dataset)rq->route->arg;
	struct cursor_for bound = search_cursor_binding(rq, args->q);
	struct page_request want = { .limit = (unsigned)args->limit };
	const struct record_fields *fields;
	struct page page = { 0 };
	struct budget budget;
	struct query query;
	struct documents docs;

	if (fields_parse(rq, d, args->fields, &fields) != PASS ||
	    run_parse(rq, d, args->q, &query) != PASS ||
	    key_cursor_open(rq, d, &bound, args->cursor, &want.after) != PASS ||
	    share_begin(rq, &budget) != PASS)
		return FAILED;
	if (run_end(rq, engine_search(
			    rq->worker->engine, rq->arena, &query, &budget, &want, &page)) != PASS)
		return FAILED;
	if (page.nhits > want.limit || (page.has_more && page.nhits == 0))
		return fail(rq, ERR_SEARCH_UPSTREAM_FAILED);
	if (read_page_documents(rq, &page, &docs) != PASS)
		return FAILED;
	write_search_page(rq, &query, &page, &docs, fields);
	return PASS;
}

/* ---- count and validate ---- */

struct count_answer {
	struct str query;
	int64_t count;
	struct str count_unit;
};

static const struct field count_out[] = {
	TEXT(struct count_answer, query, 0, 0, LIM_QUERY),
	NUMBER(struct count_answer, count, 0, 0, LIM_BUCKET_COUNT, 0),
	ONE_OF(struct count_answer, count_unit, 0, count_units, NULL),
	FIELD_END,
};

static int
count_query_matches(struct req *rq)
{
	const struct query_args *args = rq->params;
	enum dataset d = (enum dataset)rq->route->arg;
	struct count_answer answer = { .query = args->q,
		.count_unit = str_of(schema_count_unit(d)) };
	struct count n = { 0 };
	struct budget budget;
	struct query query;

	if (run_parse(rq, d, args->q, &query) != PASS || share_begin(rq, &budget) != PASS)
		return FAILED;
	if (run_end(rq, engine_count(rq->worker->engine, rq->arena, &query, &budget, &n)) != PASS)
		return FAILED;
	if (n.relation != RELATION_EQ)
		return fail(rq, ERR_SEARCH_COUNT_TOO_EXPENSIVE);
	answer.count = (int64_t)n.n;
	return reply(rq, 200, NULL, count_out, &answer);
}

/* position is JSON text: without text, the whole error is absent from the answer. */
struct syntax_error {
	struct str message;
	struct json position;
};

static const struct field syntax_error_out[] = {
	TEXT(struct syntax_error, message, 0, 1, LIM_ERROR_MESSAGE),
	OPTIONAL(struct syntax_error, position, FIELD_INT, 0, 1, LIM_QUERY + 1),
	FIELD_END_OF("QueryError"),
};

struct validity {
	bool valid;
	struct str query;
	struct syntax_error error;
	struct list warnings;
};

static const struct field validity_out[] = {
	FIELD(struct validity, valid, 0),
	FIELD(struct validity, query, 0),
	OBJECT(struct validity, error, OMIT_UNSET, syntax_error_out),
	LIST(struct validity, warnings, OMIT_UNSET, struct warning, warning_out, 0, QUERY_WARNINGS),
	FIELD_END_OF("QueryValidity"),
};

static int
validate_query(struct req *rq)
{
	const struct query_args *args = rq->params;
	struct validity answer = { .query = args->q };
	struct query_fault fault;
	struct query query;

	answer.valid =
	    query_parse(rq->arena, (enum dataset)rq->route->arg, args->q, rq->now, &query, &fault);
	if (answer.valid)
		answer.warnings = warnings_of(rq, &query);
	else
		answer.error = (struct syntax_error){ fault.message,
			{ arena_printf(rq->arena, "%u", fault.at) } };
	return reply(rq, 200, NULL, validity_out, &answer);
}

/* ---- the table ---- */

static const enum error search_errors[] = { ERR_INVALID_SEARCH_QUERY, ERR_INVALID_PAGINATION,
	ERR_INVALID_SEARCH_CURSOR, ERR_SEARCH_UPSTREAM_FAILED, ERR_SEARCH_UNAVAILABLE,
	ERR_SEARCH_BUSY, ERR_SEARCH_TIMEOUT, ERR_SEARCH_MISCONFIGURED, ERR_UNSET };

static const enum error count_errors[] = { ERR_INVALID_SEARCH_QUERY, ERR_SEARCH_COUNT_TOO_EXPENSIVE,
	ERR_SEARCH_UPSTREAM_FAILED, ERR_SEARCH_UNAVAILABLE, ERR_SEARCH_BUSY, ERR_SEARCH_TIMEOUT,
	ERR_SEARCH_MISCONFIGURED, ERR_UNSET };

static const struct route search_routes[] = {
#define DATASET(id, number, name, unit, key, nested, naming, label)                                \
	{                                                                                          \
		ROUTE_AS(GET, "/search/" name, search_##id, search_dataset),                       \
		.arg = DATASET_##id,                                                               \
		COLUMNS_OF_READING(id),                                                            \
		PARAMS(struct search_args, search_params_##id),                                    \
		.out = page_of_##id,                                                               \
		.errors = search_errors,                                                           \
		.summary = "Search " name,                                                         \
		.result = "The page, the exact number of all matches, and the cursor of "          \
			  "the next page.",                                                        \
		.description = "A page of the documents that the query matches, in a fixed "       \
			       "order. A page of very large documents may have fewer than "        \
			       "limit; has_more is then true.",                                    \
	},                                                                                         \
	    {                                                                                      \
		    ROUTE_AS(GET, "/search/" name "/validate", validate_##id, validate_query),     \
		    .arg = DATASET_##id,                                                           \
		    COLUMNS_OF_DOCUMENTS(id),                                                      \
		    PARAMS(struct query_args, query_params_##id),                                  \
		    .out = validity_out,                                                           \
		    .summary = "Validate a query of " name,                                        \
		    .result = "Whether the query parses, and where and why it does not.",          \
		    .description = "Parses the query without executing it.",                       \
	    },
#define VIEW DATASET
#include "tbl/datasets.h"
#define DATASET(id, number, name, unit, key, nested, naming, label)                                \
	{                                                                                          \
		ROUTE_AS(GET, "/search/" name "/count", count_##id, count_query_matches),          \
		.arg = DATASET_##id,                                                               \
		COLUMNS_OF_COUNTING(id),                                                           \
		PARAMS(struct query_args, query_params_##id),                                      \
		.out = count_out,                                                                  \
		.errors = count_errors,                                                            \
		.summary = "Count matching " name,                                                 \
		.result = "The number and what it counts.",                                        \
		.description = "The exact number of matches.",                                     \
	},
#define LISTED(id, number, name, key, nested, naming, label)
#define VIEW DATASET
#include "tbl/datasets.h"
	ROUTE_END,
};

ROUTES(10, search);
