/* SPDX-License-Identifier: ISC */
/* Writes the answers of an operation for openapi.json: its answer of success, and its errors. The errors follow from
   the columns of the route, because the stages that can fail do; a handler's own errors are in .errors. */
#include "config.h"

#include "api/openapi_priv.h"
#include "json/describe.h"

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
	/* nginx answers any search with these when the queue is full or a worker died. */
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
		set->has[search ? ERR_SEARCH_NOT_ENABLED : ERR_ENTITLEMENT_REQUIRED] = true;
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
	for (const struct body_code *c = r->body_codes; c != NULL && c->member != NULL; c++)
		set->has[c->error] = set->has[c->if_null] = true;
}

static struct error_set
errors_of(const struct route *r)
{
	struct error_set set = { 0 };

	add_columns(&set, r);
	add_body(&set, r);
	for (const struct url_param *p = r->params; p != NULL && p->field.type != FIELD_NONE; p++)
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
	{ 403, "Forbidden", "The key lacks a scope or entitlement, or its account is inactive." },
	{ 404, "NotFound", "The resource does not exist or cannot be seen." },
	{ 409, "Conflict", "The resource is not in the state that the request needs." },
	{ 413, "ContentTooLarge", "The encoded body is too large." },
	{ 415, "UnsupportedMediaType", "The body is not unencoded application/json in UTF-8." },
	{ 426, "UpgradeRequired", "The request does not ask for a WebSocket." },
	{ 429, "TooManyRequests", "A rate limit or quota is exceeded." },
	{ 500, "InternalError", "An error of the service." },
	{ 502, "BadGateway", "The search service gave an invalid answer." },
	{ 503, "Unavailable", "The service is busy or unavailable." },
};

static void
write_header(struct buf *b, const char *comma, const char *name, const char *component)
{
	buf_printf(b, "%s\"%s\":{\"$ref\":\"#/components/headers/%s\"}", comma, name, component);
}

static void
write_header_refs(struct buf *b, const struct route *r, int status, const struct error_set *set)
{
	bool good = status < 400, public = good && r->max_age > 0;

	buf_z(b, ",\"headers\":{");
	write_header(b, "", "X-Request-Id", "X-Request-Id");
	if (status != 101)
		write_header(
		    b, ",", "Cache-Control", public ? "Public-Cache-Control" : "Cache-Control");
	if (status == 201 || (status == 202 && r->idempotent))
		write_header(b, ",", "Location", "Location");
	if (status == 202 && r->idempotent)
		write_header(b, ",", "Idempotency-Replayed", "Idempotency-Replayed");
	if (status == 401)
		write_header(b, ",", "WWW-Authenticate", "WWW-Authenticate");
	if (status == 429 || (status == 503 && set->has[ERR_SEARCH_BUSY]))
		write_header(b, ",", "Retry-After", "Retry-After");
	if (good && (r->media != NULL || public))
		write_header(b, ",", "ETag", "ETag");
	/* A 401 has no key whose rates it could show. */
	if (status != 401 && set->has[ERR_API_KEY_RATE_LIMIT_EXCEEDED]) {
		write_header(b, ",", "RateLimit-Policy", "RateLimit-Policy");
		write_header(b, ",", "RateLimit", "RateLimit");
	}
	buf_char(b, '}');
}

static bool
has_code(const struct error_set *set, enum error last, const char *code, int status)
{
	for (enum error e = 1; e < last; e++)
		if (set->has[e] && error_status(e) == status && strcmp(error_code(e), code) == 0)
			return true;
	return false;
}

/* Writes the error codes of one status. Returns the last error, or ERR_UNSET when there is none. */
static enum error
write_codes(struct buf *b, const struct error_set *set, int status)
{
	enum error last = ERR_UNSET;

	for (enum error e = 1; e < ERRORS; e++) {
		if (!set->has[e] || error_status(e) != status ||
		    has_code(set, e, error_code(e), status))
			continue;
		buf_z(b, last == ERR_UNSET ? "" : ",");
		json_write_str(b, str_of(error_code(e)));
		last = e;
	}
	return last;
}

static const char example_id[] = "5d41402abc4b2a76b9719d911017c592";

static void
write_failure_example(struct buf *b, const struct route *r, enum error e)
{
	static const struct field_error field = { .code = "unknown_field",
		.field = STR_INIT("colour"),
		.message = STR_INIT("is unknown; the operation takes no parameter") };

	buf_z(b, ",\"example\":");
	error_write(b, e,
	    &(struct error_details){ .request_id = str_of(example_id),
		.bare = r->area == AREA_SEARCH,
		.fields = &field,
		.n = e == ERR_INVALID_REQUEST });
}

/* The word by which the name of an answer in a generated client differs from others of the same status. */
static const struct {
	enum error has;
	const char *word;
} words[] = {
	{ ERR_INVALID_PAGINATION, "List" },
	{ ERR_INVALID_JSON, "Body" },
	{ ERR_CALLER_SESSION_LIMIT, "Session" },
	{ ERR_ENTITLEMENT_REQUIRED, "Entitlement" },
	{ ERR_ACCOUNT_API_QUOTA_EXCEEDED, "Quota" },
};

/* Returns the names of an error answer: "AlertNotFound", "SearchUnavailable" or "PublicBadRequest", and the name to
   use when another answer has that one: "CountHostsBadRequest". */
static void
name_failure(struct arena *a, const struct route *r, const struct error_set *set, enum error last,
    const char *status_name, const char *names[2])
{
	const char *area = r->area == AREA_SEARCH       ? "Search"
			   : r->access == ACCESS_PUBLIC ? "Public"
							: "";
	const char *word = "";
	int status = error_status(last);

	names[1] = arena_printf(a, "%s%s", openapi_camel(a, r->operation, true), status_name).p;
	if (status == 404 || status == 409) {
		names[0] = openapi_camel(a, error_code(last), true);
		return;
	}
	for (size_t i = COUNT(words); i-- > 0;)
		if (set->has[words[i].has] && error_status(words[i].has) == status)
			word = words[i].word;
	names[0] = arena_printf(a, "%s%s%s", area, word, status_name).p;
}

void
openapi_failures(struct buf *b, struct book *book, const struct route *r)
{
	struct error_set set = errors_of(r);

	for (size_t i = 0; i < COUNT(statuses); i++) {
		struct buf codes = { .a = book->a }, text = { .a = book->a };
		int status = statuses[i].status;
		enum error last = write_codes(&codes, &set, status);
		const char *names[2];

		if (last == ERR_UNSET)
			continue;
		buf_z(&text, "{\"description\":");
		json_write_str(&text, str_of(statuses[i].text));
		write_header_refs(&text, r, status, &set);
		buf_printf(&text,
		    ",\"content\":{\"application/json\":{\"schema\":{\"allOf\":["
		    "{\"$ref\":\"#/components/schemas/%s\"},"
		    "{\"type\":\"object\",\"properties\":{\"error\":{\"type\":\"object\","
		    "\"properties\":{\"code\":{\"enum\":[",
		    r->area == AREA_SEARCH ? "SearchError" : "ServiceError");
		buf_str(&text, buf_done(&codes));
		buf_z(&text, "]}}}}}]}");
		write_failure_example(&text, r, last);
		buf_z(&text, "}}}");
		name_failure(book->a, r, &set, last, statuses[i].name, names);
		buf_printf(b, ",\"%d\":", status);
		book_ref(b, book, BOOK_RESPONSE, names, buf_done(&text));
	}
}

/* Writes the schema of a page (CONTRACT A2). */
static void
write_page_schema(struct buf *b, struct book *book, const struct route *r)
{
	const char *also = r->list_also;

	buf_printf(b,
	    "{\"type\":\"object\",\"required\":[\"%s\",\"has_more\",\"next_cursor\"%s%s%"
	    "s],"
	    "\"properties\":{\"%s\":{\"type\":\"array\",\"maxItems\":%jd,\"items\":",
	    r->list, also != NULL ? ",\"" : "", also != NULL ? also : "", also != NULL ? "\"" : "",
	    r->list, (intmax_t)LIM_PAGE);
	book->names.refer(book, b, r->out);
	buf_z(b, "},\"has_more\":{\"type\":\"boolean\"},"
		 "\"next_cursor\":{\"type\":[\"string\",\"null\"]}");
	if (also != NULL)
		buf_printf(b, ",\"%s\":{\"type\":\"boolean\"}", also);
	buf_z(b, "}}");
}

/* Describes the answer of success: the text of the row, or one made from its columns. */
static struct str
describe_result(const struct route *r, struct arena *a, int status)
{
	if (status == 304)
		return STR("The client has the document already.");
	if (r->result != NULL)
		return str_of(r->result);
	if (r->list != NULL)
		return arena_printf(a, "A page of %s.", r->list);
	if (r->wrapper != NULL)
		return arena_printf(a, "The %s, as it is now.", r->wrapper);
	panic("%s does not describe its answer", r->operation);
}

/* OpenAPI 3.1 describes an answer of bytes by its media type alone. */
static void
write_media(struct buf *b, const char *const *types)
{
	buf_z(b, ",\"content\":{");
	for (size_t i = 0; types[i] != NULL; i++)
		buf_printf(b, "%s\"%s\":{}", i > 0 ? "," : "", types[i]);
	buf_z(b, "}}");
}

/* Writes the schema of the whole answer; write_answer_example has the same four cases. */
static void
write_answer_schema(struct buf *b, struct book *book, const struct route *r)
{
	if (r->standard != NULL) {
		buf_printf(b, "{\"type\":\"object\",\"required\":[\"%s\"]}", r->standard);
	} else if (r->list != NULL) {
		write_page_schema(b, book, r);
	} else if (r->wrapper != NULL) {
		buf_printf(b, "{\"type\":\"object\",\"required\":[\"%s\"],\"properties\":{\"%s\":",
		    r->wrapper, r->wrapper);
		book->names.refer(book, b, r->out);
		buf_z(b, "}}");
	} else {
		book->closed = r->exact;
		json_describe(b, r->out, r->exact, &book->names);
		book->closed = false;
	}
}

static void
write_answer_example(struct buf *b, const struct book *book, const struct route *r)
{
	if (r->standard != NULL) {
		buf_printf(b, "{\"%s\":%s}", r->standard, json_example_of(NULL, r->standard));
		return;
	}
	if (r->list != NULL)
		buf_printf(b, "{\"%s\":[", r->list);
	else if (r->wrapper != NULL)
		buf_printf(b, "{\"%s\":", r->wrapper);
	json_example(b, r->out, &book->names);
	if (r->list != NULL && r->list_also != NULL)
		buf_printf(b, "],\"%s\":false", r->list_also);
	else if (r->list != NULL)
		buf_char(b, ']');
	if (r->list != NULL)
		buf_z(b, ",\"has_more\":false,\"next_cursor\":null");
	if (r->list != NULL || r->wrapper != NULL)
		buf_char(b, '}');
}

/* Returns "AlertList", "AlertResponse", or "CountHostsResponse" for an answer without a record. */
static const char *
name_answer(struct arena *a, const struct route *r)
{
	if (r->list != NULL)
		return arena_printf(a, "%sList", json_table_name(r->out)).p;
	if (r->wrapper != NULL)
		return arena_printf(a, "%sResponse", json_table_name(r->out)).p;
	return arena_printf(a, "%sResponse", openapi_camel(a, r->operation, true)).p;
}

void
openapi_answer(struct buf *b, struct book *book, const struct route *r, int status)
{
	const char *names[2] = { name_answer(book->a, r), NULL };
	struct error_set set = errors_of(r);
	struct buf text = { .a = book->a };

	buf_printf(b, "\"%d\":{\"description\":", status);
	json_write_str(b, describe_result(r, book->a, status));
	write_header_refs(b, r, status, &set);
	if (status == 101 || status == 304) {
		buf_char(b, '}');
		return;
	}
	if (r->media != NULL) {
		write_media(b, r->media);
		return;
	}
	buf_z(b, ",\"content\":{\"application/json\":{\"schema\":");
	write_answer_schema(&text, book, r);
	book_ref(b, book, BOOK_SCHEMA, names, buf_done(&text));
	buf_z(b, ",\"example\":");
	write_answer_example(b, book, r);
	buf_z(b, "}}}");
}
