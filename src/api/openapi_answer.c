/* SPDX-License-Identifier: ISC */
/* What an operation answers in openapi.json: its own answer and the errors its columns allow. */
#include "config.h"

#include "api/openapi_priv.h"

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

static void
write_headers(
    struct buf *b, const struct route *r, int status, const struct error_set *set)
{
	buf_z(b, ",\"headers\":{" OPENAPI_HEADER("X-Request-Id") "," OPENAPI_HEADER(
		     "Cache-Control"));
	if (status == 201 || (status == 202 && r->idempotent))
		buf_z(b, "," OPENAPI_HEADER("Location"));
	if (status == 202 && r->idempotent)
		buf_z(b, "," OPENAPI_HEADER("Idempotency-Replayed"));
	if (status == 401)
		buf_z(b, "," OPENAPI_HEADER("WWW-Authenticate"));
	if (status == 429 || (status == 503 && set->has[ERR_SEARCH_BUSY]))
		buf_z(b, "," OPENAPI_HEADER("Retry-After"));
	if (status < 300 && r->media != NULL)
		buf_z(b, "," OPENAPI_HEADER("ETag"));
	/* What is refused before the rates are asked does without them. */
	if (status != 401 && set->has[ERR_API_KEY_RATE_LIMIT_EXCEEDED])
		buf_z(b, "," OPENAPI_HEADER("RateLimit-Policy") "," OPENAPI_HEADER(
			     "RateLimit"));
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

void
openapi_failures(struct buf *b, struct book *book, const struct route *r)
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
		book_ref(b, book, BOOK_RESPONSE, statuses[i].name, buf_done(&text));
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
	book_ref(b, book, BOOK_SCHEMA,
	    openapi_camel(book->a, arena_str(book->a, name).p, true), buf_done(&text));
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

void
openapi_answer(struct buf *b, struct book *book, const struct route *r, int status)
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
	book_ref(b, book, BOOK_SCHEMA,
	    arena_printf(book->a, "%sAnswer",
		openapi_camel(
		    book->a, r->wrapper != NULL ? r->wrapper : r->operation, true))
		.p,
	    buf_done(&text));
	buf_z(b, "}}}");
}
