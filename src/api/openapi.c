/* SPDX-License-Identifier: ISC */
/* openapi.json from the route tables: nothing here names an operation (C-122). */
#include "config.h"

#include "api/openapi_priv.h"

#include <ctype.h>

/* ---- components: equal texts are one, different ones of a name are numbered ---- */

enum kind { KIND_PARAMETER, KIND_RESPONSE, KIND_SCHEMA, KINDS };

static const char *const kind_names[KINDS] = { "parameters", "responses", "schemas" };

struct component {
	enum kind kind;
	struct str name, text;
};

enum { COMPONENTS_MAX = 512 };

struct book {
	struct arena *a;
	struct component rows[COMPONENTS_MAX];
	size_t n;
};

/* base, or base with a number behind it. */
static bool
is_named(struct str name, const char *base)
{
	size_t n = strlen(base);

	return str_starts(name, str_of(base)) &&
	       strspn(name.p + n, "0123456789") == name.n - n;
}

/* The name of the component with this text, added when it is new. */
static struct str
component(struct book *book, enum kind kind, const char *base, struct str text)
{
	struct component *c;
	unsigned others = 0;

	for (size_t i = 0; i < book->n; i++) {
		c = &book->rows[i];
		if (c->kind != kind)
			continue;
		if (!is_named(c->name, base))
			continue;
		if (str_eq(c->text, text))
			return c->name;
		others++;
	}
	if (book->n == COMPONENTS_MAX)
		panic("more than %d components", COMPONENTS_MAX);
	c = &book->rows[book->n++];
	c->kind = kind;
	c->text = text;
	c->name =
	    others == 0 ? str_of(base) : arena_printf(book->a, "%s%u", base, others + 1);
	return c->name;
}

static void
write_ref(struct buf *b, enum kind kind, struct str name)
{
	buf_printf(b, "{\"$ref\":\"#/components/%s/%.*s\"}", kind_names[kind],
	    (int)name.n, name.p);
}

static void
write_components(struct buf *b, const struct book *book, enum kind kind)
{
	const char *comma = "";

	buf_printf(b, ",\"%s\":{", kind_names[kind]);
	for (size_t i = 0; i < book->n; i++) {
		if (book->rows[i].kind != kind)
			continue;
		buf_z(b, comma);
		json_write_str(b, book->rows[i].name);
		buf_char(b, ':');
		buf_str(b, book->rows[i].text);
		comma = ",";
	}
	buf_char(b, '}');
}

/* "aggregate_hosts" as "aggregateHosts", or with an upper first letter for a schema. */
static const char *
camel(struct arena *a, const char *snake, bool upper)
{
	char *out = arena_alloc(a, strlen(snake) + 1), *p = out;

	for (; *snake != '\0'; snake++) {
		if (*snake == '_') {
			upper = true;
			continue;
		}
		*p++ = upper ? (char)toupper((unsigned char)*snake) : *snake;
		upper = false;
	}
	return out;
}

static void
member(struct buf *b, const char *name, const char *text)
{
	buf_printf(b, ",\"%s\":", name);
	json_write_str(b, str_of(text));
}

/* ---- which errors an operation can answer: from its columns ---- */

struct error_set {
	bool has[ERRORS];
};

static void
add_columns(struct error_set *set, const struct route *r)
{
	bool search = r->area == AREA_SEARCH;

	set->has[ERR_API_KEY_ACCOUNT_OVERRIDE] = r->handler != NULL;
	set->has[area_bad_parameter(r->area)] = true;
	set->has[ERR_INTERNAL_ERROR] = true;
	set->has[search ? ERR_SEARCH_TIMEOUT : ERR_SERVICE_UNAVAILABLE] = true;
	/* What the web server says of every search when the queue is full or a worker was lost. */
	set->has[ERR_SEARCH_BUSY] |= search;
	set->has[ERR_SEARCH_UPSTREAM_FAILED] |= search;
	if (r->access != ACCESS_PUBLIC) {
		set->has[ERR_UNAUTHORIZED] = true;
		set->has[ERR_AUTHENTICATION_UNAVAILABLE] = true;
		set->has[ERR_PERMISSION_DENIED] = true;
	}
	if (r->access == ACCESS_PROJECT)
		set->has[ERR_PROJECT_NOT_FOUND] = true;
	if (r->entitlement != ENTITLEMENT_ANY)
		set->has[search ? ERR_SEARCH_NOT_ENABLED : ERR_ENTITLEMENT_REQUIRED] =
		    true;
	if (r->meter != METER_NONE && r->access != ACCESS_PUBLIC) {
		set->has[ERR_API_METERING_UNAVAILABLE] = true;
		set->has[ERR_API_KEY_RATE_LIMIT_EXCEEDED] = true;
		set->has[ERR_ACCOUNT_RATE_LIMIT_EXCEEDED] = search;
	}
	if (r->meter == METER_QUOTA) {
		set->has[ERR_ACCOUNT_API_QUOTA_EXCEEDED] = true;
		set->has[ERR_GROUP_API_QUOTA_EXCEEDED] = true;
	}
}

static void
add_body(struct error_set *set, const struct route *r)
{
	if (r->body.fields == NULL)
		return;
	set->has[ERR_UNSUPPORTED_MEDIA_TYPE] = true;
	set->has[ERR_REQUEST_TOO_LARGE] = true;
	set->has[ERR_INVALID_JSON] = true;
	set->has[ERR_INVALID_REQUEST] = true;
	for (const struct body_code *c = r->body_codes; c != NULL && c->member != NULL;
	     c++)
		set->has[c->error] = set->has[c->if_null] = true;
}

static struct error_set
errors_of(const struct route *r)
{
	struct error_set set = { 0 };

	add_columns(&set, r);
	add_body(&set, r);
	for (const struct url_param *p = r->params;
	     p != NULL && p->field.type != FIELD_NONE; p++)
		if (p->error != ERR_UNSET)
			set.has[p->error] = true;
	for (const enum error *e = r->errors; e != NULL && *e != ERR_UNSET; e++)
		set.has[*e] = true;
	return set;
}

/* ---- responses ---- */

static const struct {
	int status;
	const char *name, *text;
} statuses[] = {
	{ 400, "BadRequest", "The request is not valid." },
	{ 401, "Unauthorized", "The API key is missing, invalid, expired or revoked." },
	{ 403, "Forbidden",
	    "The key lacks a scope or entitlement, or its account is inactive." },
	{ 404, "NotFound", "The resource does not exist or cannot be seen." },
	{ 409, "Conflict", "The resource is not in the state that the request needs." },
	{ 413, "ContentTooLarge", "The encoded body is too large." },
	{ 415, "UnsupportedMediaType",
	    "The body is not unencoded application/json in UTF-8." },
	{ 426, "UpgradeRequired", "The request does not ask for a WebSocket." },
	{ 429, "TooManyRequests", "A rate limit or quota is exceeded." },
	{ 500, "InternalError", "An error of the service." },
	{ 502, "BadGateway", "The search service gave an invalid answer." },
	{ 503, "Unavailable", "The service is busy or unavailable." },
};

#define HEADER_REF(name) "\"" name "\":{\"$ref\":\"#/components/headers/" name "\"}"

static void
write_headers(
    struct buf *b, const struct route *r, int status, const struct error_set *set)
{
	buf_z(b,
	    ",\"headers\":{" HEADER_REF("X-Request-Id") "," HEADER_REF("Cache-Control"));
	if (status == 201 || (status == 202 && r->idempotent))
		buf_z(b, "," HEADER_REF("Location"));
	if (status == 202 && r->idempotent)
		buf_z(b, "," HEADER_REF("Idempotency-Replayed"));
	if (status == 401)
		buf_z(b, "," HEADER_REF("WWW-Authenticate"));
	if (status == 429 || (status == 503 && set->has[ERR_SEARCH_BUSY]))
		buf_z(b, "," HEADER_REF("Retry-After"));
	if (status < 300 && r->media != NULL)
		buf_z(b, "," HEADER_REF("ETag"));
	/* What is refused before the rates are asked does without them. */
	if (status != 401 && set->has[ERR_API_KEY_RATE_LIMIT_EXCEEDED])
		buf_z(b, "," HEADER_REF("RateLimit-Policy") "," HEADER_REF("RateLimit"));
	buf_char(b, '}');
}

static bool
has_code(const struct error_set *set, enum error last, const char *code, int status)
{
	for (enum error e = 1; e < last; e++)
		if (set->has[e] && error_status(e) == status &&
		    strcmp(error_code(e), code) == 0)
			return true;
	return false;
}

/* The codes of one status; false when there are none. */
static bool
write_codes(struct buf *b, const struct error_set *set, int status)
{
	const char *comma = "";

	for (enum error e = 1; e < ERRORS; e++) {
		if (!set->has[e] || error_status(e) != status ||
		    has_code(set, e, error_code(e), status))
			continue;
		buf_z(b, comma);
		json_write_str(b, str_of(error_code(e)));
		comma = ",";
	}
	return comma[0] != '\0';
}

static void
write_failures(struct buf *b, struct book *book, const struct route *r)
{
	struct error_set set = errors_of(r);

	for (size_t i = 0; i < COUNT(statuses); i++) {
		struct buf codes = { .a = book->a }, text = { .a = book->a };
		int status = statuses[i].status;

		if (!write_codes(&codes, &set, status))
			continue;
		buf_z(&text, "{\"description\":");
		json_write_str(&text, str_of(statuses[i].text));
		write_headers(&text, r, status, &set);
		buf_printf(&text,
		    ",\"content\":{\"application/json\":{\"schema\":{\"allOf\":["
		    "{\"$ref\":\"#/components/schemas/%s\"},"
		    "{\"type\":\"object\",\"properties\":{\"error\":{\"type\":\"object\","
		    "\"properties\":{\"code\":{\"enum\":[",
		    r->area == AREA_SEARCH ? "SearchError" : "ServiceError");
		buf_str(&text, buf_done(&codes));
		buf_z(&text, "]}}}}}]}}}}");
		buf_printf(b, ",\"%d\":", status);
		write_ref(b, KIND_RESPONSE,
		    component(book, KIND_RESPONSE, statuses[i].name, buf_done(&text)));
	}
}

/* A record is one schema, whichever operations answer it: a generated client has one type for it. */
static void
write_record(struct buf *b, struct book *book, const struct route *r)
{
	struct str name = str_of(r->wrapper != NULL ? r->wrapper : r->list);
	struct buf text = { .a = book->a };

	if (r->wrapper == NULL && name.p[name.n - 1] == 's')
		name.n--;
	json_describe(&text, r->out, false);
	write_ref(b, KIND_SCHEMA,
	    component(book, KIND_SCHEMA, camel(book->a, arena_str(book->a, name).p, true),
		buf_done(&text)));
}

/* CONTRACT A2. */
static void
write_page(struct buf *b, struct book *book, const struct route *r)
{
	const char *also = r->list_also;

	buf_printf(b,
	    "{\"type\":\"object\",\"required\":[\"%s\",\"has_more\",\"next_cursor\"%s%s%"
	    "s],"
	    "\"properties\":{\"%s\":{\"type\":\"array\",\"maxItems\":%jd,\"items\":",
	    r->list, also != NULL ? ",\"" : "", also != NULL ? also : "",
	    also != NULL ? "\"" : "", r->list, (intmax_t)LIM_PAGE);
	write_record(b, book, r);
	buf_z(b, "},\"has_more\":{\"type\":\"boolean\"},"
		 "\"next_cursor\":{\"type\":[\"string\",\"null\"]}");
	if (also != NULL)
		buf_printf(b, ",\"%s\":{\"type\":\"boolean\"}", also);
	buf_z(b, "}}");
}

/* What an answer holds, where the row does not say it better. */
static struct str
result_of(const struct route *r, struct arena *a)
{
	if (r->result != NULL)
		return str_of(r->result);
	if (r->list != NULL)
		return arena_printf(a, "A page of %s.", r->list);
	if (r->wrapper != NULL)
		return arena_printf(a, "The %s, as it stands now.", r->wrapper);
	panic("%s does not say what it answers", r->operation);
}

/* Bytes: OpenAPI 3.1 describes them by their type alone. */
static void
write_media(struct buf *b, const char *const *types)
{
	buf_z(b, ",\"content\":{");
	for (size_t i = 0; types[i] != NULL; i++)
		buf_printf(b, "%s\"%s\":{}", i > 0 ? "," : "", types[i]);
	buf_z(b, "}}");
}

static void
write_answer(struct buf *b, struct book *book, const struct route *r, int status)
{
	struct error_set set = errors_of(r);
	struct buf text = { .a = book->a };

	buf_printf(b, "\"%d\":{\"description\":", status);
	json_write_str(b, result_of(r, book->a));
	write_headers(b, r, status, &set);
	if (r->media != NULL) {
		write_media(b, r->media);
		return;
	}
	buf_z(b, ",\"content\":{\"application/json\":{\"schema\":");
	if (r->answer != NULL) {
		buf_z(&text, r->answer);
	} else if (r->list != NULL) {
		write_page(&text, book, r);
	} else if (r->wrapper != NULL) {
		buf_printf(&text,
		    "{\"type\":\"object\",\"required\":[\"%s\"],\"properties\":{\"%s\":",
		    r->wrapper, r->wrapper);
		write_record(&text, book, r);
		buf_z(&text, "}}");
	} else {
		json_describe(&text, r->out, false);
	}
	write_ref(b, KIND_SCHEMA,
	    component(book, KIND_SCHEMA,
		arena_printf(book->a, "%sAnswer",
		    camel(book->a, r->wrapper != NULL ? r->wrapper : r->operation, true))
		    .p,
		buf_done(&text)));
	buf_z(b, "}}}");
}

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

static struct str
url_parameter(struct book *book, const struct url_param *p)
{
	struct buf text = { .a = book->a };

	buf_printf(&text, "{\"name\":\"%s\",\"in\":\"query\",\"required\":%s",
	    p->field.name, p->field.flags & REQUIRED ? "true" : "false");
	member(&text, "description",
	    p->field.help != NULL
		? p->field.help
		: arena_printf(book->a, "Only records with this %s.", p->field.name).p);
	if (p->example != NULL)
		member(&text, "example", p->example);
	buf_z(&text, ",\"schema\":");
	write_param_schema(&text, &p->field);
	buf_char(&text, '}');
	return component(book, KIND_PARAMETER, p->field.name, buf_done(&text));
}

static struct str
path_parameter(struct book *book, struct str name)
{
	int what = (int)(name.n - strlen("_uuid"));
	struct str text = arena_printf(book->a,
	    "{\"name\":\"%.*s\",\"in\":\"path\",\"required\":true,"
	    "\"description\":\"The uuid of the %.*s, in any case.\","
	    "\"example\":\"3f0b6a52-5d0c-4c3a-9a55-0f6d1c2b7e91\","
	    "\"schema\":{\"type\":\"string\",\"format\":\"uuid\"}}",
	    (int)name.n, name.p, what, name.p);

	return component(book, KIND_PARAMETER, arena_str(book->a, name).p, text);
}

/* SPEC 4.4. */
static struct str
idempotency_parameter(struct book *book)
{
	return component(book, KIND_PARAMETER, "Idempotency-Key",
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
		write_ref(b, KIND_PARAMETER,
		    path_parameter(book, (struct str){ p + 1, strcspn(p + 1, "}") }));
		comma = ",";
	}
	for (const struct url_param *p = r->params;
	     p != NULL && p->field.type != FIELD_NONE; p++) {
		buf_z(b, comma);
		write_ref(b, KIND_PARAMETER, url_parameter(book, p));
		comma = ",";
	}
	if (r->idempotent) {
		buf_z(b, comma);
		write_ref(b, KIND_PARAMETER, idempotency_parameter(book));
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
	member(b, "description", what);
	buf_z(b, ",\"content\":{\"application/json\":{\"schema\":");
	write_ref(b, KIND_SCHEMA,
	    component(book, KIND_SCHEMA,
		arena_printf(book->a, "%sRequest", camel(book->a, r->operation, true)).p,
		buf_done(&text)));
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
	    verbs[r->method], camel(book->a, r->operation, false), r->tag);
	member(b, "summary", r->summary);
	member(b, "description", r->description);
	write_security(b, r);
	write_parameters(b, book, r);
	write_body(b, book, r);
	buf_z(b, ",\"responses\":{");
	write_answer(b, book, r, r->status == 0 ? 200 : r->status);
	if (r->done_status != 0) {
		buf_char(b, ',');
		write_answer(b, book, r, r->done_status);
	}
	write_failures(b, book, r);
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
	write_ref(b, KIND_PARAMETER, path_parameter(book, STR("project_uuid")));
	buf_char(b, ',');
	write_ref(b, KIND_PARAMETER, path_parameter(book, STR("session_uuid")));
	buf_z(b,
	    ",{\"name\":\"Sec-WebSocket-Protocol\",\"in\":\"header\",\"required\":true,"
	    "\"description\":\"The subprotocol that createStreamTicket answered, "
	    "alone.\","
	    "\"example\":\"surfaced.stream.v1.eyJ...\",\"schema\":{\"type\":\"string\","
	    "\"minLength\":1,\"maxLength\":512}}],\"responses\":{\"101\":{"
	    "\"description\":"
	    "\"The stream is open; Sec-WebSocket-Protocol is the one that was offered.\","
	    "\"headers\":{" HEADER_REF("X-Request-Id") "}}");
	write_failures(b, book, &stream_row);
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
		component(book, KIND_SCHEMA, arena_printf(book->a, "Document_%s", name).p,
		    buf_done(&text));
		component(book, KIND_SCHEMA, arena_printf(book->a, "Hit_%s", name).p,
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
		component(book, KIND_SCHEMA, s->name, str_of(s->text));
	add_document_schemas(book);
	buf_z(b, head);
	write_paths(b, book);
	buf_z(b, fixed_components);
	for (enum kind k = 0; k < KINDS; k++)
		write_components(b, book, k);
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
