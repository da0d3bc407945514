/* SPDX-License-Identifier: ISC */
/* Writes the answers of an operation for openapi.json: its answer of success, and its errors. The
   errors follow from the columns of the route, because the stages that can fail do; a handler's own
   errors are in .errors. */
#include "config.h"

#include "api/describe/openapi_priv.h"
#include "json/describe.h"

/* ---- which errors an operation can answer: from its columns ---- */

struct error_set {
	bool has[ERRORS];
};

/* Those of a request with a cookie. */
static void
add_people(struct error_set *set, const struct route *r)
{
	bool org = r->access == ACCESS_ACCOUNT || r->access == ACCESS_PROJECT;

	set->has[ERR_SESSION_EXPIRED] = org || r->access == ACCESS_PERSON;
	set->has[ERR_REAUTHENTICATION_REQUIRED] = org || r->recent;
	set->has[ERR_INVALID_ORG_UUID] = org;
	set->has[ERR_ORGANISATION_NOT_FOUND] = org;
	set->has[ERR_ORGANISATION_REQUIRED] = r->access == ACCESS_ACCOUNT;
	set->has[ERR_SIGN_IN_RATE_LIMIT_EXCEEDED] = r->throttle != THROTTLE_NOTHING;
}

/* The errors that follow from the columns of a route, one group for each stage
   that can fail before the handler runs (http/http.h). A stage that gets a new
   error needs a line here, or openapi.json does not have the error. nginx answers
   for searches, too: its own refusals carry the codes of a busy and of a failed
   search. */
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
	set->has[ERR_SERVICE_BUSY] |= r->heavy;
	set->has[ERR_SEARCH_UPSTREAM_FAILED] |= search;
	if (r->access != ACCESS_PUBLIC) {
		set->has[ERR_UNAUTHORIZED] = true;
		set->has[ERR_AUTHENTICATION_UNAVAILABLE] = true;
		set->has[ERR_PERMISSION_DENIED] = true;
		set->has[ERR_CSRF_REQUIRED] = r->method != METHOD_GET;
	}
	add_people(set, r);
	set->has[ERR_EVIDENCE_TICKET_INVALID] = r->ticket == TICKET_EVIDENCE;
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
	{ 401, "Unauthorized",
	    "The API key is missing, invalid, expired or revoked, or nobody is signed in." },
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
write_header(struct buf *b, const char *name, const char *component)
{
	json_member(b, name);
	openapi_ref(b, "components/headers", component);
}

static void
write_header_refs(struct buf *b, const struct route *r, int status, const struct error_set *set)
{
	bool good = status < 400, public = good && r->max_age > 0;

	json_member_begin(b, "headers", '{');
	write_header(b, "X-Request-Id", "X-Request-Id");
	if (status != 101)
		write_header(b, "Cache-Control", public ? "Public-Cache-Control" : "Cache-Control");
	if (status == 201 || (status == 202 && r->idempotent))
		write_header(b, "Location", "Location");
	if (status == 202 && r->idempotent)
		write_header(b, "Idempotency-Replayed", "Idempotency-Replayed");
	if (status == 401)
		write_header(b, "WWW-Authenticate", "WWW-Authenticate");
	if (status == 429 ||
	    (status == 503 && (set->has[ERR_SEARCH_BUSY] || set->has[ERR_SERVICE_BUSY])))
		write_header(b, "Retry-After", "Retry-After");
	if (good && (r->etag || public))
		write_header(b, "ETag", "ETag");
	/* A 401 has no key whose rates it could show. */
	if (status != 401 && set->has[ERR_API_KEY_RATE_LIMIT_EXCEEDED]) {
		write_header(b, "RateLimit-Policy", "RateLimit-Policy");
		write_header(b, "RateLimit", "RateLimit");
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
		json_item_str(b, error_code(e));
		last = e;
	}
	return last;
}

static const char example_id[] = "5d41402abc4b2a76b9719d911017c592";

static void
write_failure_example(struct buf *b, const struct route *r, enum error e)
{
	static struct field_error field = { .code = STR_INIT("unknown_field"),
		.field = STR_INIT("colour"),
		.message = STR_INIT("is unknown; the operation takes no parameter") };

	json_member(b, "example");
	error_write(b, e,
	    &(struct error_details){ .request_id = str_of(example_id),
		.bare = r->area == AREA_SEARCH,
		.fields = &field,
		.n = e == ERR_INVALID_REQUEST });
}

/* The word by which the name of an answer in a generated client differs from others of the same
   status. */
static const struct {
	enum error has;
	const char *word;
} words[] = {
	{ ERR_INVALID_PAGINATION, "List" },
	{ ERR_EVIDENCE_TICKET_INVALID, "Evidence" },
	{ ERR_INVALID_JSON, "Body" },
	{ ERR_CALLER_SESSION_LIMIT, "Session" },
	{ ERR_ENTITLEMENT_REQUIRED, "Entitlement" },
	{ ERR_ACCOUNT_API_QUOTA_EXCEEDED, "Quota" },
};

/* Returns the names of an error answer: "AlertNotFound", "SearchUnavailable" or "PublicBadRequest",
   and the name to use when another answer has that one: "CountHostsBadRequest". */
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

/* Writes the schema of an envelope that has one of these codes. */
static void
write_failure_schema(struct buf *b, const struct route *r, struct str codes)
{
	buf_char(b, '{');
	json_member_begin(b, "allOf", '[');
	openapi_ref(
	    b, "components/schemas", r->area == AREA_SEARCH ? "SearchError" : "ServiceError");
	json_begin(b, '{');
	json_member_str(b, "type", "object");
	json_member_begin(b, "properties", '{');
	json_member_begin(b, "error", '{');
	json_member_str(b, "type", "object");
	json_member_begin(b, "properties", '{');
	json_member_begin(b, "code", '{');
	json_member_begin(b, "enum", '[');
	buf_str(b, codes);
	buf_z(b, "]}}}}}]}");
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
		buf_char(&text, '{');
		json_member_str(&text, "description", statuses[i].text);
		write_header_refs(&text, r, status, &set);
		openapi_begin_content(&text);
		write_failure_schema(&text, r, buf_done(&codes));
		write_failure_example(&text, r, last);
		buf_z(&text, "}}}");
		name_failure(book->a, r, &set, last, statuses[i].name, names);
		json_member(b, arena_printf(book->a, "%d", status).p);
		book_ref(b, book, BOOK_RESPONSE, names, buf_done(&text));
	}
}

/* The most records of a page: the highest value of its first parameter. */
static int64_t
page_most(const struct route *r)
{
	return r->params != NULL && strcmp(r->params[0].field.name, "limit") == 0
		   ? r->params[0].field.hi
		   : LIM_PAGE;
}

/* Makes the field table of the whole answer: a page (C-701), a record in its wrapper, the
   first member of a document of another standard, or the table of the row itself. */
static const struct field *
answer_fields(struct arena *a, const struct route *r)
{
	struct field *out = ARENA_ARRAY(a, 6, struct field), *f = out;

	if (r->list != NULL) {
		*f++ = (struct field){
			.name = r->list, .type = FIELD_LIST, .hi = page_most(r), .sub = r->out
		};
		*f++ = page_members[0];
		*f++ = page_members[1];
		for (const struct field *also = r->list_also;
		     also != NULL && also->type != FIELD_NONE; also++)
			*f++ = *also;
	} else if (r->wrapper != NULL) {
		*f++ = (struct field){ .name = r->wrapper, .type = FIELD_OBJECT, .sub = r->out };
	} else if (r->standard != NULL) {
		*f++ = (struct field){ .name = r->standard, .type = FIELD_RAW };
	} else {
		return r->out;
	}
	*f = (struct field)FIELD_END;
	return out;
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
write_media_types(struct buf *b, const char *const *types)
{
	while (types != NULL && *types != NULL) {
		json_member(b, *types++);
		buf_z(b, "{}");
	}
}

/* The other standard describes the document; of that, openapi.json has the first member alone. */
static void
write_standard_schema(struct buf *b, const char *member)
{
	buf_char(b, '{');
	json_member_str(b, "type", "object");
	json_member_strs(b, "required", (const char *const[]){ member, NULL });
	json_member_begin(b, "properties", '{');
	json_member_begin(b, member, '{');
	buf_z(b, "}}");
	json_member_bool(b, "additionalProperties", true);
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
	const struct field *fields = answer_fields(book->a, r);
	struct error_set set = errors_of(r);
	struct buf text = { .a = book->a };

	json_member_begin(b, arena_printf(book->a, "%d", status).p, '{');
	json_member_str(b, "description", describe_result(r, book->a, status).p);
	write_header_refs(b, r, status, &set);
	if (status == 101 || status == 304) {
		buf_char(b, '}');
		return;
	}
	if (r->media != NULL) {
		json_member_begin(b, "content", '{');
		write_media_types(b, r->media);
		buf_z(b, "}}");
		return;
	}
	if (r->standard != NULL) {
		write_standard_schema(&text, r->standard);
	} else {
		book->closed = r->exact;
		json_describe(&text, fields, r->exact, &book->names);
		book->closed = false;
	}
	openapi_begin_content(b);
	book_ref(b, book, BOOK_SCHEMA, names, buf_done(&text));
	json_member(b, "example");
	json_example(b, fields, &book->names);
	buf_char(b, '}');
	write_media_types(b, r->other_media);
	buf_z(b, "}}");
}
