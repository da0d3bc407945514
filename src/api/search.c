/* SPDX-License-Identifier: ISC */
/* The operations of a dataset: search, count, validate a query (CONTRACT A3). The engine finds
   addresses, PostgreSQL has the documents: a page is the engine's list of addresses, and the documents of these
   addresses as they are stored. Both may differ: a host that was deleted after the index was built is left out,
   and a page ends early where its documents become too large; the cursor continues there. */
#include "config.h"

#include "api/api.h"
#include "api/share.h"
#include "record/record.h"

/* ---- parameters ---- */

struct query_args {
	struct str q;
};

struct search_args {
	struct str q, cursor;
	int64_t limit;
};

static const struct url_param query_params[] = {
	{
	    .field = { .name = "q",
		.type = FIELD_STR,
		.offset = offsetof(struct query_args, q),
		.help = "The query, see surfaced-query(7). Empty or absent: everything. "
			"At most "
			"8192 characters and bytes after decoding." },
	    .example = "services.port:22 AND NOT country_code:US",
	},
	URL_PARAM_END,
};

static const struct url_param search_params[] = {
	{
	    .field = { .name = "q",
		.type = FIELD_STR,
		.offset = offsetof(struct search_args, q),
		.help = "The query, see surfaced-query(7). Empty or absent: everything. "
			"At most "
			"8192 characters and bytes after decoding." },
	    .example = "services.port:22 AND NOT country_code:US",
	},
	{
	    .field = { .name = "limit",
		.type = FIELD_INT,
		.offset = offsetof(struct search_args, limit),
		.lo = 1,
		.hi = LIM_PAGE,
		.def = LIM_PAGE_DEFAULT,
		.help = "Records a page." },
	    .error = ERR_INVALID_PAGINATION,
	},
	{
	    .field = { .name = "cursor",
		.type = FIELD_STR,
		.offset = offsetof(struct search_args, cursor),
		.lo = 1,
		.hi = LIM_CURSOR,
		.help = "next_cursor of the page before, with the same query." },
	    .error = ERR_INVALID_SEARCH_CURSOR,
	},
	URL_PARAM_END,
};

/* ---- search ---- */

/* The values that SPEC 2.2 allows. */
const char *const count_units[] = { "host", "service", "dns_record", "whois_domain", "certificate",
	"report", NULL };
const char *const value_types[] = { "string", "integer", "number", "boolean", NULL };

struct document {
	struct str ip;
	struct json doc;
};

static const struct field document_out[] = {
	FIELD(struct document, ip, 0),
	FIELD(struct document, doc, NULLABLE),
	FIELD_END,
};

/* $2: the limit of a page in bytes; hosts beyond it come without their documents. $3: the limit of
   all hosts together; beyond it no host comes with its document. The sums use the stored sizes
   (bytes), so no document is read or sent before the decision:

     host     bytes   up_to     $2 = 100
     a        40      40        sent
     b        50      90        sent
     c        30      120       without its document: the page ends before it, and the cursor continues there
     alone    500     500       sent, because up_to = bytes: the first host of a page always comes, or no page
                                could ever pass it */
STMT_LIST(read_hosts, struct document, document_out,
    "SELECT host(ip) AS ip,"
    "  CASE WHEN total <= $3::bigint AND (up_to <= $2::bigint OR up_to = bytes)"
    "   THEN doc END AS doc"
    " FROM (SELECT ip, doc, bytes, sum(bytes) OVER (ORDER BY ip) AS up_to,"
    "  sum(bytes) OVER () AS total"
    "  FROM host WHERE ip = ANY ($1::text[]::inet[])) AS page");

static bool
is_key_of(struct str key, const unsigned char ip[16])
{
	return key.n >= 5 && key.n <= 17 && memcmp(key.p + 1, ip + 17 - key.n, key.n - 1) == 0;
}

static struct cursor_for
search_cursor_binding(const struct req *rq, struct str q)
{
	return (struct cursor_for){
		.key = rq->key->uuid, .operation = str_of(rq->route->operation), .filters = q
	};
}

/* Finds the key after which the page begins; STR_NULL on the first page. */
static int
page_start(struct req *rq, const struct search_args *args, struct str *after)
{
	struct cursor_for bound = search_cursor_binding(rq, args->q);

	*after = STR_NULL;
	if (args->cursor.p == NULL)
		return PASS;
	if (!cursor_open(rq->arena, &rq->worker->secret, &bound, args->cursor, after) ||
	    (after->n != 5 && after->n != 17)) /* an older release had 16 bytes */
		return fail(rq, ERR_INVALID_SEARCH_CURSOR);
	return PASS;
}

/* Reads the stored documents of a page, in no order. A host that was deleted after the index was built has none. */
static enum db_rc
read_documents(struct req *rq, const struct page *page, struct list *out)
{
	struct str *ips = ARENA_ARRAY(rq->arena, page->nhits + 1, struct str);

	for (size_t i = 0; i < page->nhits; i++)
		ips[i] = record_key_text(rq->arena, DATASET_HOSTS, page->hits[i].key);
	*out = (struct list){ 0 };
	if (page->nhits == 0)
		return DB_OK;
	return db_list(rq->db, &read_hosts, out, P(((struct strs){ ips, page->nhits })),
	    P((int64_t)LIM_PAGE_BYTES), P(share_bytes()));
}

/* True when the documents exceed the limit of this worker ($3 of read_hosts), so that none of them came. */
static bool
documents_missing(const struct list *documents)
{
	const struct document *d = documents->items;

	return documents->n > 0 && d[0].doc.text.p == NULL;
}

static const struct document *
find_document(const struct list *documents, struct str key)
{
	const struct document *d = documents->items;
	struct ipnet net;

	for (size_t i = 0; i < documents->n; i++)
		if (ipnet_parse(d[i].ip, &net) && is_key_of(key, net.a))
			return &d[i];
	return NULL;
}

/* Ends the page before the first document that would make it too large, which bounds the memory of a request; the
   cursor continues there. */
static void
cut_page(struct page *page, const struct list *documents)
{
	for (size_t i = 0; i < page->nhits; i++) {
		const struct document *d = find_document(documents, page->hits[i].key);

		if (d == NULL || d->doc.text.p != NULL)
			continue;
		page->nhits = i;
		page->has_more = true;
		return;
	}
}

struct hit_extra {
	struct list matched_services;
};

static const struct field matched_service[] = {
	{ .name = "port", .type = FIELD_INT, .offset = offsetof(struct nested_key, number) },
	{ .name = "transport", .type = FIELD_STR, .offset = offsetof(struct nested_key, text) },
	FIELD_END_OF("MatchedService"),
};

const struct field hit_members[] = {
	LIST(struct hit_extra, matched_services, 0, struct nested_key, matched_service, 0, 0),
	FIELD_END,
};

/* Copies the stored document and adds the members of a hit before its closing brace. */
static void
write_hit(struct buf *b, const struct document *d, const struct hit *hit)
{
	const struct hit_extra extra = { { hit->nested, hit->nnested } };
	struct str doc = str_trim(d->doc.text);

	if (doc.n <= 2 || !str_starts(doc, STR("{")) || !str_ends(doc, STR("}")))
		panic("a stored document is not a JSON object with members");
	buf_str(b, doc);
	json_write_more(b, hit_members, &extra);
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

/* The members of a page before and behind its documents. write_search_page copies the documents into the answer
   itself, because they may have megabytes. */
#define PAGE_HEAD TEXT(struct search_page, query, 0, 0, LIM_QUERY)
#define PAGE_TAIL                                                                                  \
	OBJECT(struct search_page, total, 0, total_out), FIELD(struct search_page, has_more, 0),   \
	    FIELD(struct search_page, next_cursor, NULLABLE),                                      \
	    LIST(struct search_page, warnings, OMIT_UNSET, struct warning, warning_out, 0,         \
		QUERY_WARNINGS),                                                                   \
	    FIELD_END

static const struct field page_head[] = { PAGE_HEAD, FIELD_END };
static const struct field page_tail[] = { PAGE_TAIL };

#define DATASET(id, number, label, unit, key, nested, naming, pair)                                \
	static const struct field hit_of_##id[] = { FIELD_END_OF(unit "_hit") };                   \
	static const struct field page_of_##id[] = { PAGE_HEAD,                                    \
		{ .name = (label),                                                                 \
		    .type = FIELD_LIST,                                                            \
		    .offset = offsetof(struct search_page, documents),                             \
		    .hi = LIM_PAGE,                                                                \
		    .sub = hit_of_##id,                                                            \
		    .size = sizeof(struct json),                                                   \
		    .item = FIELD_RAW },                                                           \
		PAGE_TAIL };
#include "tbl/datasets.h"

static struct str
seal_next_cursor(struct req *rq, struct str q, const struct page *page)
{
	struct cursor_for bound = search_cursor_binding(rq, q);

	if (!page->has_more || page->nhits == 0)
		return STR_NULL;
	return cursor_seal(rq->arena, &rq->worker->secret, &bound, page->hits[page->nhits - 1].key);
}

static void
write_search_page(struct req *rq, const struct query *query, const struct page *page,
    const struct list *documents)
{
	const struct search_args *args = rq->params;
	struct search_page end = { .query = args->q,
		.total = { (int64_t)page->total.n, str_of(relation_name(page->total.relation)) },
		.has_more = page->has_more,
		.next_cursor = seal_next_cursor(rq, args->q, page),
		.warnings = warnings_of(rq, query) };
	struct buf *b = reply_begin(rq, 200);
	const char *comma = "";

	json_write(b, page_head, &end);
	b->n--; /* the closing brace: the documents follow */
	json_member_begin(b, schema_dataset_name((enum dataset)rq->route->arg), '[');
	for (size_t i = 0; i < page->nhits; i++) {
		const struct document *d = find_document(documents, page->hits[i].key);

		if (d == NULL)
			continue;
		buf_z(b, comma);
		write_hit(b, d, &page->hits[i]);
		comma = ",";
	}
	buf_z(b, "]}");
	json_write_more(b, page_tail, &end);
}

/* The order of the steps keeps cheap refusals before expensive work: the query and the cursor are
   parsed before the worker's time is asked for (share_begin), and the documents are read after the
   engine has chosen the addresses. share_hand_over appears twice: after the engine, when the slice
   was over, and after the database, when the documents are too large for a worker of the front
   pool. In both cases the work is repeated by the other pool. A page from the engine that is longer
   than its limit, or empty with more to come, would send a client round in circles: 502. */
static int
search_dataset(struct req *rq)
{
	const struct search_args *args = rq->params;
	struct page_request want = { .limit = (unsigned)args->limit };
	struct page page = { 0 };
	struct budget budget;
	struct query query;
	struct list documents;
	enum db_rc rc;

	if (run_parse(rq, (enum dataset)rq->route->arg, args->q, &query) != PASS ||
	    page_start(rq, args, &want.after) != PASS || share_begin(rq, &budget) != PASS)
		return FAILED;
	if (run_end(rq, engine_search(
			    rq->worker->engine, rq->arena, &query, &budget, &want, &page)) != PASS)
		return FAILED;
	if (page.nhits > want.limit || (page.has_more && page.nhits == 0))
		return fail(rq, ERR_SEARCH_UPSTREAM_FAILED);
	rc = read_documents(rq, &page, &documents);
	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (documents_missing(&documents))
		return share_hand_over(rq);
	cut_page(&page, &documents);
	write_search_page(rq, &query, &page, &documents);
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
count_matches(struct req *rq)
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
		ROUTE_AS(GET, "/search/" name, "search_" name, search_dataset),                    \
		.arg = DATASET_##id,                                                               \
		COLUMNS_OF_SEARCH(SCOPE_SEARCH_VIEW),                                              \
		PARAMS(struct search_args, search_params),                                         \
		.out = page_of_##id,                                                               \
		.errors = search_errors,                                                           \
		.summary = "Search " name,                                                         \
		.result = "The page, the exact number of all matches, and the cursor of "          \
			  "the next page.",                                                        \
		.description = "A page of the documents that the query matches, in a fixed "       \
			       "order. A page of very large documents may have "                   \
			       "fewer than limit; has_more tells.",                                \
	},                                                                                         \
	    {                                                                                      \
		    ROUTE_AS(GET, "/search/" name "/count", "count_" name, count_matches),         \
		    .arg = DATASET_##id,                                                           \
		    COLUMNS_OF_SEARCH(SCOPE_SEARCH_AGGREGATE),                                     \
		    PARAMS(struct query_args, query_params),                                       \
		    .out = count_out,                                                              \
		    .errors = count_errors,                                                        \
		    .summary = "Count matching " name,                                             \
		    .result = "The number and what it counts.",                                    \
		    .description = "The exact number of matches.",                                 \
	    },                                                                                     \
	    {                                                                                      \
		    ROUTE_AS(GET, "/search/" name "/validate", "validate_" name, validate_query),  \
		    .arg = DATASET_##id,                                                           \
		    COLUMNS_OF_SEARCH(SCOPE_SEARCH_VIEW),                                          \
		    PARAMS(struct query_args, query_params),                                       \
		    .out = validity_out,                                                           \
		    .summary = "Validate a query of " name,                                        \
		    .result = "Whether the query parses, and where and why it does not.",          \
		    .description = "Parses the query and does not execute it.",                    \
	    },
#include "tbl/datasets.h"
	ROUTE_END,
};

ROUTES(10, search);
