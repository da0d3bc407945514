/* SPDX-License-Identifier: ISC */
/* openapi.json from the route tables: nothing here names an operation (C-122). */
#include "config.h"

#include "api/openapi_priv.h"

/* ---- parameters and bodies ---- */

static void
write_param_schema(struct buf *b, const struct field *f)
{
	bool number = f->type == FIELD_INT;

	buf_z(b, number ? "{\"type\":\"integer\"" : "{\"type\":\"string\"");
	if (f->type == FIELD_UUID)
		buf_z(b, ",\"format\":\"uuid\"");
	if (f->hi > 0)
		buf_printf(b, ",\"%s\":%jd,\"%s\":%jd", number ? "minimum" : "minLength",
		    (intmax_t)f->lo, number ? "maximum" : "maxLength", (intmax_t)f->hi);
	if (number && f->def != 0 && f->def >= f->lo) /* below: "not said" */
		buf_printf(b, ",\"default\":%jd", (intmax_t)f->def);
	for (const char *const *v = f->values; v != NULL && *v != NULL; v++) {
		buf_z(b, v == f->values ? ",\"enum\":[" : ",");
		json_write_str(b, str_of(*v));
		if (v[1] == NULL)
			buf_char(b, ']');
	}
	buf_char(b, '}');
}

static void
write_url_parameter(struct buf *b, struct book *book, const struct url_param *p)
{
	struct buf text = { .a = book->a };

	buf_printf(&text, "{\"name\":\"%s\",\"in\":\"query\",\"required\":%s",
	    p->field.name, p->field.flags & REQUIRED ? "true" : "false");
	openapi_member(&text, "description",
	    p->field.help != NULL
		? p->field.help
		: arena_printf(book->a, "Only records with this %s.", p->field.name).p);
	if (p->example != NULL)
		openapi_member(&text, "example", p->example);
	buf_z(&text, ",\"schema\":");
	write_param_schema(&text, &p->field);
	buf_char(&text, '}');
	book_ref(b, book, BOOK_PARAMETER, p->field.name, buf_done(&text));
}

static void
write_path_parameter(struct buf *b, struct book *book, struct str name)
{
	int what = (int)(name.n - strlen("_uuid"));
	struct str text = arena_printf(book->a,
	    "{\"name\":\"%.*s\",\"in\":\"path\",\"required\":true,"
	    "\"description\":\"The uuid of the %.*s, in any case.\","
	    "\"example\":\"3f0b6a52-5d0c-4c3a-9a55-0f6d1c2b7e91\","
	    "\"schema\":{\"type\":\"string\",\"format\":\"uuid\"}}",
	    (int)name.n, name.p, what, name.p);

	book_ref(b, book, BOOK_PARAMETER, arena_str(book->a, name).p, text);
}

/* SPEC 4.4. */
static void
write_idempotency_parameter(struct buf *b, struct book *book)
{
	book_ref(b, book, BOOK_PARAMETER, "Idempotency-Key",
	    arena_printf(book->a,
		"{\"name\":\"Idempotency-Key\",\"in\":\"header\",\"required\":false,"
		"\"description\":\"The same key with the same request answers the "
		"resource "
		"of the first time; with another, 409.\","
		"\"example\":\"case-1234-first-look\","
		"\"schema\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":%d}}",
		(int)LIM_IDEMPOTENCY_KEY));
}

static void
write_parameters(struct buf *b, struct book *book, const struct route *r)
{
	const char *comma = "";

	buf_z(b, ",\"parameters\":[");
	for (const char *p = strchr(r->path, '{'); p != NULL; p = strchr(p + 1, '{')) {
		buf_z(b, comma);
		write_path_parameter(b, book, (struct str){ p + 1, strcspn(p + 1, "}") });
		comma = ",";
	}
	for (const struct url_param *p = r->params;
	     p != NULL && p->field.type != FIELD_NONE; p++) {
		buf_z(b, comma);
		write_url_parameter(b, book, p);
		comma = ",";
	}
	if (r->idempotent) {
		buf_z(b, comma);
		write_idempotency_parameter(b, book);
	}
	buf_char(b, ']');
}

static void
write_body(struct buf *b, struct book *book, const struct route *r)
{
	struct buf text = { .a = book->a };
	char what[128];

	if (r->body.fields == NULL)
		return;
	json_describe(&text, r->body.fields, true);
	snprintf(what, sizeof(what),
	    "At most %zu bytes as sent, without duplicate keys or nulls.",
	    r->body.limit == BODY_CONFIGURED ? (size_t)conf.body_limit : r->body.limit);
	buf_z(b, ",\"requestBody\":{\"required\":true");
	openapi_member(b, "description", what);
	buf_z(b, ",\"content\":{\"application/json\":{\"schema\":");
	book_ref(b, book, BOOK_SCHEMA,
	    arena_printf(book->a, "%sRequest", openapi_camel(book->a, r->operation, true))
		.p,
	    buf_done(&text));
	if (r->example != NULL)
		buf_printf(b, ",\"example\":%s", r->example);
	buf_z(b, "}}}");
}

/* ---- paths ---- */

static const char *const verbs[] = { "", "get", "post", "put", "patch", "delete" };

static void
write_security(struct buf *b, const struct route *r)
{
	const char *comma = "";

	if (r->access == ACCESS_PUBLIC) {
		buf_z(b, ",\"security\":[]");
		return;
	}
	buf_z(b, ",\"security\":[{\"ApiKey\":[]}],\"x-required-scopes\":[");
	if (r->scope != SCOPE_ANY)
		json_write_str(b, str_of(scope_name(r->scope)));
	buf_char(b, ']');
	if (r->also == 0)
		return;
	buf_z(b, ",\"x-alternative-scopes\":[");
	for (enum scope s = SCOPE_ANY + 1; s < SCOPE_COUNT; s++)
		if ((r->also >> s & 1) != 0) {
			buf_z(b, comma);
			json_write_str(b, str_of(scope_name(s)));
			comma = ",";
		}
	buf_char(b, ']');
}

static void
write_operation(struct buf *b, struct book *book, const struct route *r)
{
	buf_printf(b, "\"%s\":{\"operationId\":\"%s\",\"tags\":[\"%s\"]",
	    verbs[r->method], openapi_camel(book->a, r->operation, false), r->tag);
	openapi_member(b, "summary", r->summary);
	openapi_member(b, "description", r->description);
	write_security(b, r);
	write_parameters(b, book, r);
	write_body(b, book, r);
	buf_z(b, ",\"responses\":{");
	openapi_answer(b, book, r, r->status == 0 ? 200 : r->status);
	if (r->done_status != 0) {
		buf_char(b, ',');
		openapi_answer(b, book, r, r->done_status);
	}
	openapi_failures(b, book, r);
	buf_z(b, "}}");
}

/* Calls write for each route whose path is path. */
static void
write_path(struct buf *b, struct book *book, const char *path)
{
	const char *comma = "";

	json_write_str(b, str_of(path));
	buf_z(b, ":{");
	for (const struct route *const *t = areas; *t != NULL; t++)
		for (const struct route *r = *t; r->method != METHOD_UNSET; r++) {
			if (strcmp(r->path, path) != 0)
				continue;
			buf_z(b, comma);
			write_operation(b, book, r);
			comma = ",";
		}
	buf_char(b, '}');
}

/* Is this row the first of the tables with its path? */
static bool
first_of_path(const struct route *row)
{
	for (const struct route *const *t = areas; *t != NULL; t++)
		for (const struct route *r = *t; r->method != METHOD_UNSET; r++)
			if (strcmp(r->path, row->path) == 0)
				return r == row;
	return false;
}

/* ---- SPEC 4.6, which surfaced-stream serves: no row of ours has it ---- */

static const enum error stream_errors[] = { ERR_UNAUTHORIZED, ERR_STREAM_TICKET_INVALID,
	ERR_ORIGIN_NOT_ALLOWED, ERR_PERMISSION_DENIED, ERR_STREAM_ALREADY_ACTIVE,
	ERR_SESSION_NOT_READY, ERR_SESSION_TERMINAL, ERR_UPGRADE_REQUIRED, ERR_UNSET };

static const struct route stream_row = {
	.path = "/projects/{project_uuid}/sessions/{session_uuid}/stream",
	.access = ACCESS_PUBLIC,
	.area = AREA_SERVICE,
	.entitlement = ENTITLEMENT_ANY,
	.errors = stream_errors,
};

static void
write_stream(struct buf *b, struct book *book)
{
	buf_printf(b,
	    ",\"%s\":{\"get\":{\"operationId\":\"openStream\",\"tags\":[\"Browser "
	    "sessions\"],\"summary\":\"Open the live stream\",\"description\":\"A "
	    "WebSocket "
	    "over HTTP/1.1; asyncapi.json describes its messages. The ticket is enough; "
	    "an "
	    "X-API-Key that is sent too must be the creating one.\",\"security\":[],"
	    "\"parameters\":[",
	    stream_row.path);
	write_path_parameter(b, book, STR("project_uuid"));
	buf_char(b, ',');
	write_path_parameter(b, book, STR("session_uuid"));
	buf_z(b,
	    ",{\"name\":\"Sec-WebSocket-Protocol\",\"in\":\"header\",\"required\":true,"
	    "\"description\":\"The subprotocol that createStreamTicket answered, "
	    "alone.\","
	    "\"example\":\"surfaced.stream.v1.eyJ...\",\"schema\":{\"type\":\"string\","
	    "\"minLength\":1,\"maxLength\":512}},{\"name\":\"refusal\",\"in\":\"query\","
	    "\"description\":\"close: a refusal after a valid handshake is a 101 and a "
	    "close "
	    "frame with a code from 4001, listed in asyncapi.json, because browsers hide "
	    "the "
	    "answer to a refused "
	    "handshake.\",\"schema\":{\"type\":\"string\",\"enum\":[\"close\"]}}],"
	    "\"responses\":{\"101\":{"
	    "\"description\":"
	    "\"The stream is open; Sec-WebSocket-Protocol is the one that was offered.\","
	    "\"headers\":{" OPENAPI_HEADER("X-Request-Id") "}}");
	openapi_failures(b, book, &stream_row);
	buf_z(b, "}}}");
}

static void
write_paths(struct buf *b, struct book *book)
{
	const char *comma = "";

	buf_z(b, ",\"paths\":{");
	for (const struct route *const *t = areas; *t != NULL; t++)
		for (const struct route *r = *t; r->method != METHOD_UNSET; r++) {
			if (!first_of_path(r))
				continue;
			buf_z(b, comma);
			write_path(b, book, r->path);
			comma = ",";
		}
	write_stream(b, book);
	buf_char(b, '}');
}

/* ---- the document ---- */

static const char head[] =
    "{\"openapi\":\"3.1.0\",\"info\":{\"title\":\"Surfaced API\",\"version\":\"1.0.0\","
    "\"summary\":\"Infrastructure search, enrichment and external-surface workflows.\","
    "\"description\":\"Every error has one of the two envelopes SearchError and "
    "ServiceError; "
    "clients branch on the status and on error.code. An unknown path is 404 not_found "
    "and a "
    "method that a path does not have is 405 method_not_allowed with an Allow header. "
    "Every "
    "answer has an X-Request-Id. An account override in a query parameter, a header or a "
    "body "
    "member is refused with api_key_account_override.\","
    "\"license\":{\"name\":\"ISC\",\"identifier\":\"ISC\"}},"
    "\"servers\":[{\"url\":\"/api/v1\"}],\"security\":[{\"ApiKey\":[]}],"
    "\"tags\":[{\"name\":\"Search\",\"description\":\"Search, count and aggregate.\"},"
    "{\"name\":\"Projects\",\"description\":\"Projects that the key sees.\"},"
    "{\"name\":\"Access\",\"description\":\"Members and their roles.\"},"
    "{\"name\":\"Alert destinations\",\"description\":\"Where alerts are sent.\"},"
    "{\"name\":\"Alert rules\",\"description\":\"What raises an alert.\"},"
    "{\"name\":\"Alert silences\",\"description\":\"When a rule does not notify.\"},"
    "{\"name\":\"Alerts\",\"description\":\"The inbox and the history of delivery.\"},"
    "{\"name\":\"Inventory\",\"description\":\"Domains, hosts, certificates, "
    "addresses.\"},"
    "{\"name\":\"Services\",\"description\":\"Services of the inventory.\"},"
    "{\"name\":\"Findings\",\"description\":\"What was found and what became of it.\"},"
    "{\"name\":\"Browser sessions\",\"description\":\"Remote browsers, private to the "
    "key that creates them. The live stream of one is a WebSocket, .../stream: "
    "asyncapi.json "
    "describes it.\"},"
    "{\"name\":\"Description\",\"description\":\"This description.\"}]";

static const char fixed_components[] =
    ",\"components\":{\"securitySchemes\":{\"ApiKey\":{\"type\":\"apiKey\",\"in\":"
    "\"header\","
    "\"name\":\"X-API-Key\",\"description\":\"The complete key, once.\"}},\"headers\":{"
    "\"X-Request-Id\":{\"description\":\"The request's id, also in error.request_id.\","
    "\"required\":true,\"schema\":{\"$ref\":\"#/components/schemas/RequestId\"}},"
    "\"Cache-Control\":{\"description\":\"Answers are not to be "
    "stored.\",\"required\":true,"
    "\"schema\":{\"type\":\"string\",\"const\":\"no-store\"}},"
    "\"WWW-Authenticate\":{\"description\":\"How to authenticate.\",\"required\":true,"
    "\"schema\":{\"type\":\"string\"}},"
    "\"Location\":{\"description\":\"The path of what was made.\",\"required\":true,"
    "\"schema\":{\"type\":\"string\"}},"
    "\"ETag\":{\"description\":\"The SHA-256 of the bytes.\",\"required\":true,"
    "\"schema\":{\"type\":\"string\",\"pattern\":\"^\\\"[0-9a-f]{64}\\\"$\"}},"
    "\"Idempotency-Replayed\":{\"description\":\"true: the Idempotency-Key was used "
    "before, "
    "this is the resource of then.\","
    "\"schema\":{\"type\":\"string\",\"const\":\"true\"}},"
    "\"RateLimit-Policy\":{\"description\":\"The rate of the key: q requests in w "
    "seconds.\","
    "\"schema\":{\"type\":\"string\",\"pattern\":\"^\\\"key\\\";q=[0-9]+;w=[0-9]+$\"}},"
    "\"RateLimit\":{\"description\":\"What is left of it: r requests in the next t "
    "seconds.\","
    "\"schema\":{\"type\":\"string\",\"pattern\":\"^\\\"key\\\";r=[0-9]+;t=[0-9]+$\"}},"
    "\"Retry-After\":{\"description\":\"Seconds to wait; with search_busy and on 429.\","
    "\"schema\":{\"type\":\"string\",\"pattern\":\"^[1-9][0-9]*$\"}}}";

static void
add_document_schemas(struct book *book)
{
	for (int i = 0; i < DATASETS; i++) {
		const char *name = schema_dataset_name((enum dataset)i);
		struct buf text = { .a = book->a };

		openapi_document(&text, (enum dataset)i);
		book_add(book, BOOK_SCHEMA, arena_printf(book->a, "Document_%s", name).p,
		    buf_done(&text));
		book_add(book, BOOK_SCHEMA, arena_printf(book->a, "Hit_%s", name).p,
		    arena_printf(book->a,
			"{\"allOf\":[{\"$ref\":\"#/components/schemas/Document_%s\"},"
			"{\"type\":\"object\",\"required\":[\"matched_services\"],"
			"\"properties\":{"
			"\"matched_services\":{\"type\":\"array\",\"description\":\"The "
			"services "
			"that pass the query's tests of "
			"services.\",\"items\":{\"type\":\"object\","
			"\"required\":[\"port\",\"transport\"],\"properties\":{\"port\":{"
			"\"type\":"
			"\"integer\"},\"transport\":{\"type\":\"string\"}}}}}}]}",
			name));
	}
}

void
openapi_write(struct buf *b)
{
	struct arena *a = arena_new(64 * 1024 * 1024);
	struct book *book = ARENA_NEW(a, struct book);

	book->a = a;
	for (const struct openapi_schema *s = openapi_schemas; s->name != NULL; s++)
		book_add(book, BOOK_SCHEMA, s->name, str_of(s->text));
	add_document_schemas(book);
	buf_z(b, head);
	write_paths(b, book);
	buf_z(b, fixed_components);
	book_write(b, book);
	buf_z(b, "}}\n");
	arena_free(a);
}

/* ---- GET /openapi.json ---- */

static int
get_openapi(struct req *rq)
{
	openapi_write(reply_begin(rq, 200));
	return PASS;
}

const struct route description_routes[] = {
	{
	    ROUTE(GET, "/openapi.json", get_openapi),
	    .scope = SCOPE_ANY,
	    .access = ACCESS_PUBLIC,
	    .meter = METER_NONE,
	    .area = AREA_SERVICE,
	    .entitlement = ENTITLEMENT_ANY,
	    .answer = "{\"type\":\"object\",\"description\":\"OpenAPI 3.1.\"}",
	    .tag = "Description",
	    .result = "An OpenAPI 3.1 document.",
	    .summary = "Describe the API",
	    .description = "This document. No API key is needed.",
	},
	ROUTE_END,
};
