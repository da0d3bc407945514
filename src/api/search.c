/* SPDX-License-Identifier: ISC */
/* Searching, counting and validating a dataset; its schema: CONTRACT A3. */
#include "config.h"

#include "api/api.h"
#include "api/share.h"

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

struct document {
	struct str ip;
	struct json doc;
};

static const struct field document_out[] = {
	FIELD(struct document, ip, 0),
	FIELD(struct document, doc, NULLABLE),
	FIELD_END,
};

/* $2: bytes that a page may have; hosts after them come without their documents. $3: bytes beyond which
   no host comes with its document. */
static const struct stmt read_hosts = STMT_LIST(read_hosts, struct document, document_out,
    "SELECT host(ip) AS ip,"
    "  CASE WHEN total <= $3::bigint AND (up_to <= $2::bigint OR up_to = bytes)"
    "   THEN doc END AS doc"
    " FROM (SELECT ip, doc, bytes, sum(bytes) OVER (ORDER BY ip) AS up_to,"
    "  sum(bytes) OVER () AS total"
    "  FROM host WHERE ip = ANY ($1::text[]::inet[])) AS page");

static struct str
ip_text(struct arena *a, const unsigned char ip[16])
{
	struct ipnet net = { .bits = 128 };
	char *room = arena_alloc(a, IPNET_LEN + 1);

	memcpy(net.a, ip, sizeof(net.a));
	return (struct str){ room, ipnet_print(&net, room) };
}

static struct cursor_for
cursor_of(const struct req *rq, struct str q)
{
	return (struct cursor_for){ .key = rq->key->uuid,
		.operation = str_of(rq->route->operation),
		.filters = q };
}

/* The address after which the page begins; NULL on the first page. */
static int
page_start(struct req *rq, const struct search_args *args, const unsigned char **after)
{
	struct cursor_for bound = cursor_of(rq, args->q);
	struct str payload;

	*after = NULL;
	if (args->cursor.p == NULL)
		return PASS;
	if (!cursor_open(
		rq->arena, &rq->worker->secret, &bound, args->cursor, &payload) ||
	    payload.n != 16)
		return fail(rq, ERR_INVALID_SEARCH_CURSOR);
	*after = (const unsigned char *)payload.p;
	return PASS;
}

/* The stored documents of a page, in no order; a host that has gone since the index was built is
   simply not among them. */
static enum db_rc
read_documents(struct req *rq, const struct page *page, struct list *out)
{
	struct str *ips = ARENA_ARRAY(rq->arena, page->nhits + 1, struct str);

	for (size_t i = 0; i < page->nhits; i++)
		ips[i] = ip_text(rq->arena, page->hits[i].ip);
	*out = (struct list){ 0 };
	if (page->nhits == 0)
		return DB_OK;
	return db_list(rq->db, &read_hosts, out, P(((struct strs){ ips, page->nhits })),
	    P((int64_t)LIM_PAGE_BYTES), P(share_bytes()));
}

/* The documents are too large for this worker to fetch; pages that are small enough have all of them. */
static bool
documents_withheld(const struct list *documents)
{
	const struct document *d = documents->items;

	return documents->n > 0 && d[0].doc.text.p == NULL;
}

static const struct document *
document_of(const struct list *documents, const unsigned char ip[16])
{
	const struct document *d = documents->items;
	struct ipnet net;

	for (size_t i = 0; i < documents->n; i++)
		if (ipnet_parse(d[i].ip, &net) && ip_cmp(net.a, ip) == 0)
			return &d[i];
	return NULL;
}

/* Ends the page before the first document that would make it too large: what a request takes is
   bounded, and the cursor goes on from there. */
static void
cut_page(struct page *page, const struct list *documents)
{
	for (size_t i = 0; i < page->nhits; i++) {
		const struct document *d = document_of(documents, page->hits[i].ip);

		if (d == NULL || d->doc.text.p != NULL)
			continue;
		page->nhits = i;
		page->has_more = true;
		return;
	}
}

/* The document as it is stored, with one member more. */
static void
write_hit(struct buf *b, const struct document *d, const struct hit *hit)
{
	struct str doc = str_trim(d->doc.text);

	if (!str_starts(doc, STR("{")) || !str_ends(doc, STR("}")))
		panic("a stored document is no object");
	buf_add(b, doc.p, doc.n - 1);
	buf_z(b, doc.n > 2 ? ",\"matched_services\":[" : "\"matched_services\":[");
	for (size_t i = 0; i < hit->nservices; i++) {
		buf_printf(b, "%s{\"port\":%jd,\"transport\":", i > 0 ? "," : "",
		    (intmax_t)hit->services[i].port);
		json_write_str(b, hit->services[i].transport);
		buf_char(b, '}');
	}
	buf_z(b, "]}");
}

static void
write_total(struct buf *b, const struct count *c)
{
	buf_z(b, "{\"value\":");
	json_write_int(b, (int64_t)c->n);
	buf_printf(b, ",\"relation\":\"%s\"}", relation_name(c->relation));
}

static void
write_page(struct req *rq, const struct search_args *args, const struct page *page,
    const struct list *documents)
{
	struct cursor_for bound = cursor_of(rq, args->q);
	struct buf *b = reply_begin(rq, 200);
	const char *comma = "";

	buf_z(b, "{\"query\":");
	json_write_str(b, args->q);
	buf_printf(b, ",\"%s\":[", schema_dataset_name((enum dataset)rq->route->arg));
	for (size_t i = 0; i < page->nhits; i++) {
		const struct document *d = document_of(documents, page->hits[i].ip);

		if (d == NULL)
			continue;
		buf_z(b, comma);
		write_hit(b, d, &page->hits[i]);
		comma = ",";
	}
	buf_z(b, "],\"total\":");
	write_total(b, &page->total);
	buf_printf(
	    b, ",\"has_more\":%s,\"next_cursor\":", page->has_more ? "true" : "false");
	if (page->has_more && page->nhits > 0)
		json_write_str(
		    b, cursor_seal(rq->arena, &rq->worker->secret, &bound,
			   (struct str){
			       (const char *)page->hits[page->nhits - 1].ip, 16 }));
	else
		buf_z(b, "null");
	buf_char(b, '}');
}

static int
search(struct req *rq)
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
	if (run_end(rq, engine_search(rq->worker->engine, rq->arena, &query, &budget,
			    &want, &page)) != PASS)
		return FAILED;
	if (page.nhits > want.limit || (page.has_more && page.nhits == 0))
		return fail(rq, ERR_SEARCH_UPSTREAM_FAILED);
	rc = read_documents(rq, &page, &documents);
	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (documents_withheld(&documents))
		return share_hand_over(rq);
	cut_page(&page, &documents);
	write_page(rq, args, &page, &documents);
	return PASS;
}

/* ---- count and validate ---- */

static int
count(struct req *rq)
{
	const struct query_args *args = rq->params;
	enum dataset d = (enum dataset)rq->route->arg;
	struct count n = { 0 };
	struct budget budget;
	struct query query;
	struct buf *b;

	if (run_parse(rq, d, args->q, &query) != PASS || share_begin(rq, &budget) != PASS)
		return FAILED;
	if (run_end(rq,
		engine_count(rq->worker->engine, rq->arena, &query, &budget, &n)) != PASS)
		return FAILED;
	if (n.relation != RELATION_EQ)
		return fail(rq, ERR_SEARCH_COUNT_TOO_EXPENSIVE);
	b = reply_begin(rq, 200);
	buf_z(b, "{\"query\":");
	json_write_str(b, args->q);
	buf_z(b, ",\"count\":");
	json_write_int(b, (int64_t)n.n);
	buf_printf(b, ",\"count_unit\":\"%s\"}", schema_count_unit(d));
	return PASS;
}

static int
validate(struct req *rq)
{
	const struct query_args *args = rq->params;
	struct query_fault fault;
	struct query query;
	bool valid = query_parse(
	    rq->arena, (enum dataset)rq->route->arg, args->q, rq->now, &query, &fault);
	struct buf *b = reply_begin(rq, 200);

	buf_printf(b, "{\"valid\":%s,\"query\":", valid ? "true" : "false");
	json_write_str(b, args->q);
	if (!valid) {
		buf_z(b, ",\"error\":{\"message\":");
		json_write_str(b, fault.message);
		buf_printf(b, ",\"position\":%u}", fault.at);
	}
	buf_char(b, '}');
	return PASS;
}

/* ---- schemas ---- */

static const char *const type_names[] = {
	[VALUE_KEYWORD] = "keyword",
	[VALUE_TEXT] = "text",
	[VALUE_DNS] = "dns",
	[VALUE_IP] = "ip",
	[VALUE_INTEGER] = "integer",
	[VALUE_NUMBER] = "number",
	[VALUE_BOOLEAN] = "boolean",
	[VALUE_DATE] = "date",
};

/* The aliases whose target is name; "*" is the target of prefixes. */
static void
write_aliases(struct buf *b, enum dataset d, const char *name)
{
	const char *const *pairs;
	size_t n = schema_aliases(d, &pairs);
	const char *comma = "";

	buf_char(b, '[');
	for (size_t i = 0; i < n; i++) {
		if (strcmp(pairs[2 * i + 1], name) != 0)
			continue;
		buf_printf(b, "%s\"%s\"", comma, pairs[2 * i]);
		comma = ",";
	}
	buf_char(b, ']');
}

static void
write_schema(struct buf *b, enum dataset d)
{
	const char *unit = schema_count_unit(d);
	const struct schema_field *f;
	size_t n = schema_fields(d, &f);

	buf_printf(b, "{\"dataset\":\"%s\",\"count_unit\":", schema_dataset_name(d));
	if (unit[0] == '\0')
		buf_z(b, "null");
	else
		json_write_str(b, str_of(unit));
	buf_z(b, ",\"prefix_aliases\":");
	write_aliases(b, d, "*");
	buf_z(b, ",\"fields\":[");
	for (size_t i = 0; i < n; i++) {
		buf_printf(b,
		    "%s{\"name\":\"%s\",\"type\":\"%s\",\"value_type\":\"%s\","
		    "\"aggregatable\":%s,\"nested\":%s,\"aliases\":",
		    i > 0 ? "," : "", f[i].name, type_names[f[i].type],
		    schema_json_type(f[i].type), f[i].aggregatable ? "true" : "false",
		    f[i].nested ? "true" : "false");
		write_aliases(b, d, f[i].name);
		buf_char(b, '}');
	}
	buf_z(b, "]}");
}

static int
list_search_schemas(struct req *rq)
{
	struct buf *b = reply_begin(rq, 200);

	buf_z(b, "{\"schemas\":[");
	for (int d = 0; d < DATASETS; d++) {
		if (d > 0)
			buf_char(b, ',');
		write_schema(b, (enum dataset)d);
	}
	buf_z(b, "]}");
	return PASS;
}

/* ---- the table ---- */

static const enum error search_errors[] = { ERR_INVALID_SEARCH_QUERY,
	ERR_INVALID_PAGINATION, ERR_INVALID_SEARCH_CURSOR, ERR_SEARCH_UPSTREAM_FAILED,
	ERR_SEARCH_UNAVAILABLE, ERR_SEARCH_BUSY, ERR_SEARCH_TIMEOUT,
	ERR_SEARCH_MISCONFIGURED, ERR_UNSET };

static const enum error count_errors[] = { ERR_INVALID_SEARCH_QUERY,
	ERR_SEARCH_COUNT_TOO_EXPENSIVE, ERR_SEARCH_UPSTREAM_FAILED,
	ERR_SEARCH_UNAVAILABLE, ERR_SEARCH_BUSY, ERR_SEARCH_TIMEOUT,
	ERR_SEARCH_MISCONFIGURED, ERR_UNSET };

#define SEARCH_ANSWER(name)                                                              \
	"{\"type\":\"object\",\"required\":[\"query\",\"" name                           \
	"\",\"total\",\"has_more\",\"next_cursor\"],\"properties\":{"                    \
	"\"query\":{\"type\":\"string\",\"description\":\"The query as it was sent.\"}," \
	"\"" name "\":{\"type\":\"array\",\"maxItems\":100,"                             \
	"\"items\":{\"$ref\":\"#/components/schemas/Hit_" name "\"}},"                   \
	"\"total\":{\"$ref\":\"#/components/schemas/Total\"},"                           \
	"\"has_more\":{\"type\":\"boolean\"},"                                           \
	"\"next_cursor\":{\"type\":[\"string\",\"null\"]}}}"

static const char count_answer[] =
    "{\"type\":\"object\",\"required\":[\"query\",\"count\",\"count_unit\"],"
    "\"properties\":{"
    "\"query\":{\"type\":\"string\"},"
    "\"count\":{\"type\":\"integer\",\"format\":\"int64\",\"minimum\":0},"
    "\"count_unit\":{\"$ref\":\"#/components/schemas/CountUnit\"}}}";

static const char validate_answer[] =
    "{\"type\":\"object\",\"required\":[\"valid\",\"query\"],\"properties\":{"
    "\"valid\":{\"type\":\"boolean\"},\"query\":{\"type\":\"string\"},"
    "\"error\":{\"type\":\"object\",\"required\":[\"message\",\"position\"],"
    "\"description\":\"Only when the query is not valid.\",\"properties\":{"
    "\"message\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":512},"
    "\"position\":{\"type\":\"integer\",\"minimum\":1,"
    "\"description\":\"The character at which the fault was found, from 1.\"}}}}}";

static const char schemas_answer[] =
    "{\"type\":\"object\",\"required\":[\"schemas\"],\"properties\":{\"schemas\":{"
    "\"type\":\"array\",\"items\":{\"$ref\":\"#/components/schemas/SearchSchema\"}}}}";

/* clang-format off */
#define SEARCH_COLUMNS(id, need)                                                                   \
	.arg = (id), .scope = (need), .access = ACCESS_ACCOUNT, .meter = METER_QUOTA,              \
	.area = AREA_SEARCH, .entitlement = ENTITLEMENT_SEARCH, .tag = "Search"
/* clang-format on */

const struct route search_routes[] = {
#define DATASET(id, name, unit)                                                          \
	{                                                                                \
		ROUTE_AS(GET, "/search/" name, "search_" name, search),                  \
		SEARCH_COLUMNS(DATASET_##id, SCOPE_SEARCH_VIEW),                         \
		PARAMS(struct search_args, search_params),                               \
		.answer = SEARCH_ANSWER(name),                                           \
		.errors = search_errors,                                                 \
		.summary = "Search " name,                                               \
		.result =                                                                \
		    "The page, the exact number of all matches, and the cursor of "      \
		    "the next page.",                                                    \
		.description =                                                           \
		    "A page of what the query matches, in the fixed order "              \
		    "of the dataset. A page of very large documents may have "           \
		    "fewer than limit; has_more tells.",                                 \
	},                                                                               \
	    {                                                                            \
		    ROUTE_AS(GET, "/search/" name "/count", "count_" name, count),       \
		    SEARCH_COLUMNS(DATASET_##id, SCOPE_SEARCH_AGGREGATE),                \
		    PARAMS(struct query_args, query_params),                             \
		    .answer = count_answer,                                              \
		    .errors = count_errors,                                              \
		    .summary = "Count matching " name,                                   \
		    .result = "The number and what it counts.",                          \
		    .description = "The exact number of matches.",                       \
	    },                                                                           \
	    {                                                                            \
		    ROUTE_AS(                                                            \
			GET, "/search/" name "/validate", "validate_" name, validate),   \
		    SEARCH_COLUMNS(DATASET_##id, SCOPE_SEARCH_VIEW),                     \
		    PARAMS(struct query_args, query_params),                             \
		    .answer = validate_answer,                                           \
		    .summary = "Validate a query of " name,                              \
		    .result =                                                            \
			"Whether the query parses, and where and why it does not.",      \
		    .description = "Parses the query and does not execute it.",          \
	    },
#include "tbl/datasets.h"
#undef DATASET
	{
	    ROUTE(GET, "/search/schemas", list_search_schemas),
	    SEARCH_COLUMNS(0, SCOPE_SEARCH_VIEW),
	    .answer = schemas_answer,
	    .summary = "List the search schemas",
	    .result = "The datasets with their fields.",
	    .description =
		"The fields of every dataset: type, aliases, and whether they can be "
		"aggregated.",
	},
	ROUTE_END,
};

const struct stmt *const search_stmts[] = { &read_hosts, NULL };
