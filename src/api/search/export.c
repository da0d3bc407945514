/* SPDX-License-Identifier: ISC */
/* Exports of search results (C-413): the documents that a query matches, as one file. An answer of
   a worker is one buffer and is due within seconds, so workers write no files: they store a row,
   surfaced-export writes the file, and nginx sends it.

     POST /search/hosts/exports   count the matches, take them from the quota, insert the row     export_create
     surfaced-export              claims the row, writes the file, stores sha256 and complete     src/export
     GET .../content              checks the key, names the file in X-Accel-Redirect              nginx sends it

   An export belongs to the key that asked for it; to any other it does not exist. The right to
   search its dataset is needed again for the content, because the key may have lost it since. */
#include "config.h"

#include "access/idem.h"
#include "api/api.h"
#include "api/search/documents.h"
#include "api/search/share.h"
#include "daemon/conf.h"
#include "daemon/host.h"
#include "resource/export.h"
#include "search/walk.h"

struct export_in {
	struct str query;
	struct list fields;
	struct str format, compression;
};

static const struct field export_in[] = {
	TEXT(struct export_in, query, REQUIRED | BYTES_TOO, 0, LIM_QUERY),
	{ .name = "fields",
	    .type = FIELD_LIST,
	    .offset = offsetof(struct export_in, fields),
	    .lo = 1,
	    .hi = LIM_FIELDS,
	    .size = sizeof(struct str),
	    .item = FIELD_STR,
	    .help =
		"The members of each record, as in the parameter fields; all by default. CSV needs "
		"them: they are its columns." },
	ONE_OF(struct export_in, format, 0, export_formats, "ndjson by default."),
	ONE_OF(struct export_in, compression, 0, export_compressions, "zstd by default."),
	FIELD_END,
};

STMT_LIST(select_export, struct export, export_out,
    "SELECT " EXPORT_COLUMNS " FROM search_export WHERE key_uuid = $1 AND uuid = $2");

STMT_LIST(list_exports, struct export, export_out,
    "SELECT " EXPORT_COLUMNS " FROM search_export WHERE key_uuid = $1"
    " AND ($5::text IS NULL OR state = $5) AND ($6::text IS NULL OR dataset = $6)" PAGE_SQL);

struct created {
	struct str outcome;
	struct uuid uuid;
};

static const struct field created_out[] = {
	FIELD(struct created, outcome, 0),
	FIELD(struct created, uuid, 0),
	FIELD_END,
};

STMT(insert_export, created_out,
    "SELECT outcome, uuid FROM export_create(ROW($1::uuid, $2::uuid, $3::text, $4::text, "
    "$5::text[],"
    " $6::text, $7::text, $8::text, $9::text, $10::bigint)::export_wanted, $11, $12, $13)");

STMT(drop_export, NULL, "SELECT export_cancel($1, $2)");

/* ---- create ---- */

static int
check_export_body(struct req *rq, void *body, struct body_faults *faults)
{
	struct export_in *in = body;

	(void)rq;
	if (in->format.p == NULL)
		in->format = str_of(export_formats[0]);
	if (in->compression.p == NULL)
		in->compression = str_of(export_compressions[0]);
	if (str_is(in->format, "csv") && in->fields.n == 0)
		body_fault(faults, "fields", "required", "must name the columns of csv");
	return PASS;
}

/* Checks the names as the parameter fields is checked, which has commas between them. */
static int
check_export_fields(struct req *rq, enum dataset d, const struct list *fields)
{
	const struct str *name = fields->items;
	const struct record_fields *unused;
	struct buf all = { .a = rq->arena };

	if (fields->n == 0)
		return PASS;
	for (size_t i = 0; i < fields->n; i++) {
		struct str shown = params_shown(rq->arena, name[i]);

		if (name[i].n == 0 || memchr(name[i].p, ',', name[i].n) != NULL ||
		    !str_eq(str_trim(name[i]), name[i]))
			return fail_at(rq, ERR_INVALID_SEARCH_PARAMETER,
			    arena_printf(rq->arena,
				"fields[%zu]: \"%.*s\" is no member of the documents.", i,
				(int)shown.n, shown.p));
		for (size_t k = 0; k < i; k++)
			if (str_eq(name[k], name[i]))
				return fail_at(rq, ERR_INVALID_SEARCH_PARAMETER,
				    arena_printf(rq->arena, "fields[%zu]: \"%.*s\" is repeated.", i,
					(int)shown.n, shown.p));
		if (i > 0)
			buf_char(&all, ',');
		buf_str(&all, name[i]);
	}
	return fields_parse(rq, d, buf_done(&all), &unused);
}

static int
count_export(struct req *rq, enum dataset d, struct str text, int64_t *total)
{
	struct count n = { 0 };
	struct budget budget;
	struct query query;

	if (run_parse(rq, d, text, &query) != PASS || share_begin(rq, &budget) != PASS ||
	    run_end(rq, engine_count(rq->worker->engine, rq->arena, &query, &budget, &n)) != PASS)
		return FAILED;
	if (n.relation != RELATION_EQ)
		return fail(rq, ERR_SEARCH_COUNT_TOO_EXPENSIVE);
	if (n.n > LIM_EXPORT_RECORDS)
		return fail_at(rq, ERR_EXPORT_TOO_LARGE,
		    arena_printf(rq->arena,
			"The query matches %ju records, and an export has at most %ju; narrow the "
			"query.",
			(uintmax_t)n.n, (uintmax_t)LIM_EXPORT_RECORDS));
	*total = (int64_t)n.n;
	return PASS;
}

/* The space of an Idempotency-Key and the request that came with it; without a key the space has no
   bytes. */
static struct bytes
hash_export_space(const struct req *rq, unsigned char out[IDEM_HASH_LEN])
{
	const struct str parts[] = {
		{ (const char *)rq->key->uuid.b, sizeof(rq->key->uuid.b) },
		str_of("export"),
		rq->idempotency_key,
	};

	if (rq->idempotency_key.p == NULL)
		return (struct bytes){ NULL, 0 };
	idem_hash(parts, COUNT(parts), out);
	return (struct bytes){ out, IDEM_HASH_LEN };
}

static struct bytes
hash_export(const struct req *rq, const struct export_in *in, unsigned char out[IDEM_HASH_LEN])
{
	struct str *parts = ARENA_ARRAY(rq->arena, in->fields.n + 4, struct str);
	const struct str *name = in->fields.items;

	parts[0] = str_of(rq->route->operation);
	parts[1] = in->query;
	parts[2] = in->format;
	parts[3] = in->compression;
	for (size_t i = 0; i < in->fields.n; i++)
		parts[4 + i] = name[i];
	idem_hash(parts, in->fields.n + 4, out);
	return (struct bytes){ out, IDEM_HASH_LEN };
}

static int
reply_export(struct req *rq, int status, struct uuid uuid)
{
	struct export e;
	enum db_rc rc = db_one(rq->db, &select_export, &e, P(rq->key->uuid), P(uuid));

	if (rc == DB_NONE)
		return fail(rq, ERR_EXPORT_NOT_FOUND);
	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (status == 202)
		rq->location = arena_printf(rq->arena, "/search/exports/%s", uuid_text(&uuid).z).p;
	return reply(rq, status, "export", export_out, &e);
}

enum { RETRY_LIMIT = 10, RETRY_QUOTA = 3600 };

static int
create_export(struct req *rq)
{
	const struct export_in *in = rq->in;
	enum dataset d = (enum dataset)rq->route->arg;
	const struct answer_names *names = &answer_names[d];
	const struct strs fields = { in->fields.items, in->fields.n };
	unsigned char space[IDEM_HASH_LEN], request[IDEM_HASH_LEN];
	int64_t total = 0, most = LIM_EXPORTS_LIVE;
	struct created made;
	enum db_rc rc;

	if (check_export_fields(rq, d, &in->fields) != PASS ||
	    count_export(rq, d, in->query, &total) != PASS)
		return FAILED;
	rc = db_one(rq->db, &insert_export, &made, P(uuid_random()), P(rq->key->uuid),
	    P(str_of(schema_dataset_name(d))), P(in->query), P(fields), P(in->format),
	    P(in->compression), P(str_of(scope_name(names->scope))),
	    P(str_of(entitlement_name(names->entitlement))), P(total),
	    P(hash_export_space(rq, space)), P(hash_export(rq, in, request)), P(most));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (str_is(made.outcome, "conflict"))
		return fail(rq, ERR_IDEMPOTENCY_KEY_CONFLICT);
	if (str_is(made.outcome, "limit"))
		return fail_retry(rq, ERR_EXPORT_LIMIT, RETRY_LIMIT);
	if (str_is(made.outcome, "quota"))
		return fail_retry(rq, ERR_EXPORT_QUOTA, RETRY_QUOTA);
	rq->replayed = str_is(made.outcome, "repeated");
	return reply_export(rq, 202, made.uuid);
}

/* ---- get, cancel, content ---- */

static int
get_export(struct req *rq)
{
	return reply_export(rq, 200, rq->path[0]);
}

static int
cancel_export(struct req *rq)
{
	enum db_rc rc = db_do(rq->db, &drop_export, NULL, P(rq->path[0]), P(rq->key->uuid));

	return rc == DB_OK ? reply_export(rq, 200, rq->path[0]) : fail_db(rq, rc);
}

struct export_place {
	struct str host;
};

static const struct field place_out[] = {
	FIELD(struct export_place, host, NULLABLE),
	FIELD_END,
};

STMT(locate_export, place_out, "SELECT host FROM search_export WHERE uuid = $1");

/* Where nginx has the file: in the directory of this host, or of the machine of another one
   (nginx/relay.conf). */
static int
locate_file(struct req *rq, struct uuid uuid, const char *name, const char **location)
{
	struct export_place place = { STR_NULL };
	struct str machine;
	enum db_rc rc = DB_OK;

	if (strcmp(conf.export_shared, "no") == 0)
		rc = db_one(rq->db, &locate_export, &place, P(uuid));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	machine = place.host;
	if (machine.p == NULL || str_eq(machine, host_name()) || !str_part(&machine, ':', &machine))
		*location = arena_printf(rq->arena, "/_surfaced_export/%s", name).p;
	else
		*location = arena_printf(
		    rq->arena, "/_surfaced_export_of/%.*s/%s", (int)machine.n, machine.p, name)
				.p;
	return PASS;
}

static int
get_export_content(struct req *rq)
{
	char name[EXPORT_NAME];
	const char *location = NULL;
	struct export e;
	enum dataset d;
	enum db_rc rc = db_one(rq->db, &select_export, &e, P(rq->key->uuid), P(rq->path[0]));

	if (rc == DB_NONE)
		return fail(rq, ERR_EXPORT_NOT_FOUND);
	if (rc != DB_OK)
		return fail_db(rq, rc);
	d = walk_dataset(e.dataset);
	if (d == DATASETS_AND_CONDITIONS || !key_has_scope(rq->key, answer_names[d].scope))
		return fail(rq, ERR_PERMISSION_DENIED);
	if (!key_has_entitlement(rq->key, answer_names[d].entitlement))
		return fail(rq, ERR_SEARCH_NOT_ENABLED);
	if (!str_is(e.state, "complete"))
		return fail(rq, ERR_EXPORT_NOT_READY);
	export_file_name(e.uuid, e.format, e.compression, name);
	if (locate_file(rq, e.uuid, name, &location) != PASS)
		return FAILED;
	return reply_file(rq,
	    &(struct reply_file){ .location = location,
		.name = arena_printf(rq->arena, "%.*s-%s", (int)e.dataset.n, e.dataset.p, name).p,
		.media = export_media(e.format, e.compression),
		.etag = arena_str(rq->arena, e.sha256).p });
}

/* ---- the table ---- */

struct export_args {
	struct page_args page;
	struct str state, dataset;
};

static const char *const dataset_names[] = {
#define DATASET(id, number, name, unit, key, nested, naming, label) name,
#define VIEW DATASET
#include "tbl/datasets.h"
	NULL,
};

static const struct url_param export_params[] = {
	{ .field = { .name = "limit",
	      .type = FIELD_INT,
	      .offset = offsetof(struct export_args, page.limit),
	      .lo = 1,
	      .hi = LIM_PAGE,
	      .def = LIM_PAGE_DEFAULT,
	      .help = "Records a page." },
	    .error = ERR_INVALID_PAGINATION },
	{ .field = { .name = "cursor",
	      .type = FIELD_STR,
	      .offset = offsetof(struct export_args, page.cursor),
	      .lo = 1,
	      .hi = LIM_CURSOR,
	      .help = "next_cursor of the page before, with the same filters." },
	    .error = ERR_INVALID_SEARCH_CURSOR },
	FILTER(FIELD_STR, struct export_args, state, .values = export_states),
	FILTER(FIELD_STR, struct export_args, dataset, .values = dataset_names),
	URL_PARAM_END,
};

static const char *const export_medias[] = { "application/zstd", "application/gzip",
	"application/x-ndjson", "text/csv", NULL };

static const enum error create_errors[] = { ERR_INVALID_SEARCH_QUERY, ERR_INVALID_SEARCH_PARAMETER,
	ERR_SEARCH_COUNT_TOO_EXPENSIVE, ERR_EXPORT_TOO_LARGE, ERR_EXPORT_LIMIT, ERR_EXPORT_QUOTA,
	ERR_IDEMPOTENCY_KEY_CONFLICT, ERR_SEARCH_UPSTREAM_FAILED, ERR_SEARCH_UNAVAILABLE,
	ERR_SEARCH_BUSY, ERR_SEARCH_TIMEOUT, ERR_SEARCH_MISCONFIGURED, ERR_UNSET };
static const enum error list_errors[] = { ERR_INVALID_SEARCH_CURSOR, ERR_UNSET };
static const enum error one_errors[] = { ERR_EXPORT_NOT_FOUND, ERR_UNSET };
static const enum error content_errors[] = { ERR_EXPORT_NOT_FOUND, ERR_EXPORT_NOT_READY,
	ERR_UNSET };

#define EXPORTS "/search/exports"
#define EXPORT EXPORTS "/{export_uuid}"
/* Exports of reports may belong to a key without search.view. */
#define EXPORT_ROW                                                                                 \
	.scope = SCOPE_SEARCH_VIEW, .also = SCOPE_BIT(REPORTS_VIEW),                               \
	.entitlement = ENTITLEMENT_SEARCH, COLUMNS_OF_ENGINE, .tag = "Exports"

#define EXPORT_EXAMPLE JSON({ "query" : "*", "compression" : "gzip" })

/* An operation is named after the list of its dataset, because the name of a dataset may contain a
   hyphen. */
#define ANSWER(id, list, record, hit, scope, besides, entitlement, query, first, second)           \
	static const char export_##id[] = "export_" list;
#include "tbl/answers.h"
#undef ANSWER

static const struct route export_routes[] = {
#define DATASET(id, number, name, unit, key, nested, naming, label)                                \
	{                                                                                          \
		ROUTE_AS(POST, "/search/" name "/exports", export_##id, create_export),            \
		.arg = DATASET_##id,                                                               \
		.scope = (enum scope)SCOPE_OF_##id,                                                \
		.entitlement = (enum entitlement)ENTITLEMENT_OF_##id,                              \
		.reads = true,                                                                     \
		COLUMNS_OF_ENGINE,                                                                 \
		.tag = "Exports",                                                                  \
		BODY_CHECKED(struct export_in, export_in, BODY_CONFIGURED, check_export_body),     \
		.idempotent = true,                                                                \
		.changes = true,                                                                   \
		.example = EXPORT_EXAMPLE,                                                         \
		.status = 202,                                                                     \
		.out = export_out,                                                                 \
		.wrapper = "export",                                                               \
		.errors = create_errors,                                                           \
		.summary = "Export " name,                                                         \
		.description = "Begins to write all matching records to a file, in the order of "  \
			       "the pages. Its records count in the month's quota of exports; a "  \
			       "failed or cancelled export returns them.",                         \
	},
#define VIEW DATASET
#include "tbl/datasets.h"
	{
	    ROUTE_AS(GET, EXPORTS, "list_exports", page_list),
	    EXPORT_ROW,
	    .st = &list_exports,
	    PARAMS(struct export_args, export_params),
	    .out = export_out,
	    .list = "exports",
	    .errors = list_errors,
	    .summary = "List exports",
	    .description = "Those of this key, newest first.",
	},
	{
	    ROUTE(GET, EXPORT, get_export),
	    EXPORT_ROW,
	    .out = export_out,
	    .wrapper = "export",
	    .errors = one_errors,
	    .summary = "Get an export",
	    .description = "The state and the progress of the export.",
	},
	{
	    ROUTE(DELETE, EXPORT, cancel_export),
	    EXPORT_ROW,
	    .changes = true,
	    .out = export_out,
	    .wrapper = "export",
	    .errors = one_errors,
	    .summary = "Cancel an export",
	    .description =
		"Stops the export, or removes the file of a complete one. An export that has "
		"failed, expired or was cancelled does not change.",
	},
	{
	    ROUTE(GET, EXPORT "/content", get_export_content),
	    EXPORT_ROW,
	    .media = export_medias,
	    .etag = true,
	    .result = "The file; its ETag is its SHA-256. Takes Range.",
	    .errors = content_errors,
	    .summary = "Get the file of an export",
	    .description =
		"The file can be read until the export expires. Range and If-Range continue an "
		"interrupted download.",
	},
	ROUTE_END,
};

ROUTES(220, export);
