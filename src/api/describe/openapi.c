/* SPDX-License-Identifier: ISC */
/* Writes openapi.json from the route tables (C-122). The only operation named here is the stream's,
   which another program serves. Parameters, answers and schemas that are equal become one component
   (openapi_book.c). */
#include "config.h"

#include "api/describe/openapi_priv.h"
#include "daemon/conf.h"
#include "json/describe.h"

/* ---- parameters and bodies ---- */

static void
write_param_schema(struct buf *b, const struct field *f)
{
	bool number = f->type == FIELD_INT;

	buf_char(b, '{');
	json_member_str(b, "type", number ? "integer" : "string");
	if (f->type == FIELD_UUID)
		json_member_str(b, "format", "uuid");
	if (f->hi > 0) {
		json_member_int(b, number ? "minimum" : "minLength", f->lo);
		json_member_int(b, number ? "maximum" : "maxLength", f->hi);
	}
	/* A default below the minimum marks an absent value. */
	if (number && f->def != 0 && f->def >= f->lo)
		json_member_int(b, "default", f->def);
	if (f->values != NULL)
		json_member_strs(b, "enum", f->values);
	buf_char(b, '}');
}

/* A parameter that differs between operations has the operation in the name of its component. */
static void
write_parameter(struct buf *b, struct book *book, const struct route *r, const char *where,
    const struct url_param *p)
{
	bool in_path = strcmp(where, "path") == 0;
	const char *name = p->field.name;
	const char *names[2] = {
		name,
		arena_printf(book->a, "%s_%s", openapi_camel(book->a, r->operation, false), name).p
	};
	struct buf text = { .a = book->a };

	buf_char(&text, '{');
	json_member_str(&text, "name", name);
	json_member_str(&text, "in", where);
	json_member(&text, "required");
	buf_z(&text, in_path || p->field.flags & REQUIRED ? "true" : "false");
	json_member_str(&text, "description",
	    p->field.help != NULL ? p->field.help
				  : arena_printf(book->a, "Only records with this %s.", name).p);
	if (p->example != NULL)
		json_member_str(&text, "example", p->example);
	json_member(&text, "schema");
	write_param_schema(&text, &p->field);
	buf_char(&text, '}');
	book_ref(b, book, BOOK_PARAMETER, names, buf_done(&text));
}

/* Writes a parameter of the path: a UUID, or one that the route describes. */
static void
write_path_parameter(struct buf *b, struct book *book, const struct route *r, struct str name)
{
	struct url_param p = { .example = "3f0b6a52-5d0c-4c3a-9a55-0f6d1c2b7e91" };

	for (const struct url_param *own = r->path_params;
	     own != NULL && own->field.type != FIELD_NONE; own++)
		if (str_is(name, own->field.name)) {
			write_parameter(b, book, r, "path", own);
			return;
		}
	if (!str_ends(name, STR("_uuid")))
		panic("%s does not describe {%.*s}", r->operation, (int)name.n, name.p);
	p.field.name = arena_str(book->a, name).p;
	p.field.type = FIELD_UUID;
	p.field.help = arena_printf(
	    book->a, "The UUID of the %.*s, in any case.", (int)(name.n - strlen("_uuid")), name.p)
			   .p;
	write_parameter(b, book, r, "path", &p);
}

/* C-084 */
static const struct url_param idempotency_key = {
	.field = { .name = "Idempotency-Key",
	    .type = FIELD_STR,
	    .lo = 1,
	    .hi = LIM_IDEMPOTENCY_KEY,
	    .help = "A repeated request with the same key gets the resource of the first one; "
		    "another request gets 409." },
	.example = "case-1234-first-look",
};

/* C-108 */
static const struct url_param subprotocol = {
	.field = { .name = "Sec-WebSocket-Protocol",
	    .type = FIELD_STR,
	    .flags = REQUIRED,
	    .lo = 1,
	    .hi = 512,
	    .help = "The subprotocol that createStreamTicket answered, alone." },
	.example = "surfaced.stream.v1.eyJ...",
};

static void
write_parameters(struct buf *b, struct book *book, const struct route *r)
{
	const struct url_param *header = r->idempotent      ? &idempotency_key
					 : r->status == 101 ? &subprotocol
							    : NULL;

	json_member_begin(b, "parameters", '[');
	for (const char *p = strchr(r->path, '{'); p != NULL; p = strchr(p + 1, '{'))
		write_path_parameter(b, book, r, (struct str){ p + 1, strcspn(p + 1, "}") });
	for (const struct url_param *p = r->params; p != NULL && p->field.type != FIELD_NONE; p++)
		write_parameter(b, book, r, "query", p);
	if (header != NULL)
		write_parameter(b, book, r, "header", header);
	buf_char(b, ']');
}

static void
write_body(struct buf *b, struct book *book, const struct route *r)
{
	const char *names[2] = {
		arena_printf(book->a, "%sRequest", openapi_camel(book->a, r->operation, true)).p,
		NULL
	};
	struct buf text = { .a = book->a };
	char what[128];

	if (r->body.fields == NULL)
		return;
	book->closed = true;
	json_describe(&text, r->body.fields, true, &book->names);
	book->closed = false;
	snprintf(what, sizeof(what), "At most %zu bytes as sent, without duplicate keys or nulls.",
	    r->body.limit == BODY_CONFIGURED ? (size_t)conf.body_limit : r->body.limit);
	json_member_begin(b, "requestBody", '{');
	json_member(b, "required");
	buf_z(b, "true");
	json_member_str(b, "description", what);
	openapi_begin_content(b);
	book_ref(b, book, BOOK_SCHEMA, names, buf_done(&text));
	if (r->example != NULL) {
		json_member(b, "example");
		buf_z(b, r->example);
	}
	buf_z(b, "}}}");
}

/* ---- paths ---- */

static const char *const verbs[] = { "", "get", "post", "put", "patch", "delete" };

/* A key, a person's cookie or a ticket, as the columns say. */
static const char *
security_of(const struct route *r)
{
	if (r->access == ACCESS_PUBLIC || r->access == ACCESS_VISITOR)
		return "[]";
	if (r->access == ACCESS_PERSON || r->scope == SCOPE_MEMBER || r->scope == SCOPE_OWNER)
		return JSON([ { "signIn" : [] } ]);
	if (r->ticket == TICKET_EVIDENCE)
		return JSON([ { "ApiKey" : [] }, { "signIn" : [] }, { "EvidenceTicket" : [] } ]);
	return JSON([ { "ApiKey" : [] }, { "signIn" : [] } ]);
}

static void
write_security(struct buf *b, const struct route *r)
{
	json_member(b, "security");
	buf_z(b, security_of(r));
	if (r->access == ACCESS_PUBLIC || r->access == ACCESS_VISITOR)
		return;
	json_member_begin(b, "x-required-scopes", '[');
	if (r->scope >= SCOPE_FIRST)
		json_item_str(b, scope_name(r->scope));
	if (r->besides >= SCOPE_FIRST)
		json_item_str(b, scope_name(r->besides));
	buf_char(b, ']');
	if (r->also == 0)
		return;
	json_member_begin(b, "x-alternative-scopes", '[');
	for (enum scope s = SCOPE_FIRST; s < SCOPE_COUNT; s++)
		if ((r->also >> s & 1) != 0)
			json_item_str(b, scope_name(s));
	buf_char(b, ']');
}

static void
write_operation_object(struct buf *b, struct book *book, const struct route *r)
{
	json_member_begin(b, verbs[r->method], '{');
	json_member_str(b, "operationId", openapi_camel(book->a, r->operation, false));
	json_member_strs(b, "tags", (const char *const[]){ r->tag, NULL });
	json_member_str(b, "summary", r->summary);
	json_member_str(b, "description", r->description);
	write_security(b, r);
	if (r->method == METHOD_POST && r->area == AREA_SEARCH && !r->changes) {
		json_member(b, "x-read-only");
		buf_z(b, "true");
	}
	write_parameters(b, book, r);
	write_body(b, book, r);
	json_member_begin(b, "responses", '{');
	openapi_answer(b, book, r, r->status == 0 ? 200 : r->status);
	if (r->done_status != 0)
		openapi_answer(b, book, r, r->done_status);
	if (r->max_age > 0)
		openapi_answer(b, book, r, 304);
	openapi_failures(b, book, r);
	buf_z(b, "}}");
}

/* Writes the operations of all routes with this path, whichever tables they are in. */
static void
write_path_item(struct buf *b, struct book *book, const char *path)
{
	json_member_begin(b, path, '{');
	for (const struct route *const *t = route_tables(); *t != NULL; t++)
		for (const struct route *r = *t; r->method != METHOD_UNSET; r++)
			if (strcmp(r->path, path) == 0)
				write_operation_object(b, book, r);
	buf_char(b, '}');
}

/* True for the first row of the tables with its path; write_path_item writes the others with it. */
static bool
first_of_path(const struct route *row)
{
	for (const struct route *const *t = route_tables(); *t != NULL; t++)
		for (const struct route *r = *t; r->method != METHOD_UNSET; r++)
			if (strcmp(r->path, row->path) == 0)
				return r == row;
	return false;
}

/* ---- the live stream, which surfaced-stream serves: no table of routes has it ---- */

static const enum error stream_errors[] = { ERR_UNAUTHORIZED, ERR_STREAM_TICKET_INVALID,
	ERR_ORIGIN_NOT_ALLOWED, ERR_PERMISSION_DENIED, ERR_STREAM_ALREADY_ACTIVE,
	ERR_SESSION_NOT_READY, ERR_SESSION_TERMINAL, ERR_UPGRADE_REQUIRED, ERR_UNSET };

static const char *const refusals[] = { "close", NULL };

static const struct url_param stream_params[] = {
	{
	    .field = { .name = "refusal",
		.type = FIELD_STR,
		.values = refusals,
		.help = "close: a refusal after a valid handshake is a 101 and a close "
			"frame with a code from "
			"4001, listed in asyncapi.json, because browsers hide the answer "
			"to a refused "
			"handshake." },
	    .example = "close",
	},
	URL_PARAM_END,
};

static const struct route stream_route = {
	.method = METHOD_GET,
	.path = "/projects/{project_uuid}/sessions/{session_uuid}/stream",
	.operation = "open_stream",
	.access = ACCESS_PUBLIC,
	.area = AREA_SERVICE,
	.entitlement = ENTITLEMENT_ANY,
	.status = 101,
	.params = stream_params,
	.errors = stream_errors,
	.tag = "Browser sessions",
	.summary = "Open the live stream",
	.result = "The stream is open; Sec-WebSocket-Protocol is the one that was offered.",
	.description = "A WebSocket over HTTP/1.1; asyncapi.json describes its messages. The "
		       "ticket is enough; an X-API-Key that is sent too must be the creating "
		       "one.",
};

static void
write_paths(struct buf *b, struct book *book)
{
	for (const struct route *const *t = route_tables(); *t != NULL; t++)
		for (const struct route *r = *t; r->method != METHOD_UNSET; r++)
			if (first_of_path(r))
				write_path_item(b, book, r->path);
	json_member_begin(b, stream_route.path, '{');
	write_operation_object(b, book, &stream_route);
	buf_char(b, '}');
}

/* ---- the document ---- */

static const char constant[] = {
#include "api/describe/openapi.inc"
};

void
openapi_write(struct buf *b)
{
	struct arena *a = arena_new(64 * 1024 * 1024);
	struct book *book = ARENA_NEW(a, struct book);
	struct str rest = { constant, sizeof(constant) };
	struct buf paths = { .a = a }, components[BOOK_KINDS] = { 0 };

	book_begin(book, a, openapi_document_example);
	openapi_documents(book);
	write_paths(&paths, book);
	for (enum book_kind k = 0; k < BOOK_KINDS; k++) {
		components[k].a = a;
		book_write(&components[k], book, k);
	}
	openapi_insert(b, &rest, OBJECT_AT("paths"), &paths);
	openapi_insert(b, &rest, OBJECT_AT("parameters"), &components[BOOK_PARAMETER]);
	openapi_insert(b, &rest, OBJECT_AT("responses"), &components[BOOK_RESPONSE]);
	openapi_insert(b, &rest, OBJECT_AT("schemas"), &components[BOOK_SCHEMA]);
	buf_str(b, rest);
	arena_free(a);
}

/* ---- GET /openapi.json ---- */

static int
get_openapi(struct req *rq)
{
	static struct public_document document = { .write = openapi_write };

	return reply_public(rq, &document);
}

static const struct route description_routes[] = {
	{
	    ROUTE(GET, "/openapi.json", get_openapi),
	    COLUMNS_OF_DOCUMENT,
	    .standard = "openapi",
	    .result = "An OpenAPI 3.1 document.",
	    .summary = "Describe the API",
	    .description = "This document. No API key is needed.",
	},
	ROUTE_END,
};

ROUTES(50, description);
