/* SPDX-License-Identifier: ISC */
/* src/http without a socket: paths, parameters, media types, envelopes and the order of the stages. */
#include "config.h"

#include "daemon/conf.h"
#include "http/http_priv.h"
#include "http/stages_priv.h"
#include "t/unit/tap.h"

/* ---- an API of its own ---- */

struct args {
	struct str q;
	int64_t limit;
};

static const struct url_param args_params[] = {
	{ .field = { .name = "q", .type = FIELD_STR, .offset = offsetof(struct args, q) } },
	{ .field = { .name = "limit",
	      .type = FIELD_INT,
	      .offset = offsetof(struct args, limit),
	      .lo = 1,
	      .hi = 100,
	      .def = 25 },
	    .error = ERR_INVALID_PAGINATION },
	URL_PARAM_END,
};

struct in {
	struct str name;
	int64_t size;
};

static const struct field in_fields[] = {
	TEXT(struct in, name, REQUIRED, 1, 10),
	NUMBER(struct in, size, 0, 1, 9, 5),
	FIELD_END,
};

static const struct body_code in_codes[] = {
	{ "size", ERR_INVALID_LIMIT_PER_IP, ERR_INVALID_REQUEST },
	{ NULL, ERR_UNSET, ERR_UNSET },
};

static int
echo(struct req *rq)
{
	const struct args *a = rq->params;
	struct buf *b = reply_begin(rq, 200);

	if (rq->route->params != NULL)
		buf_printf(b, "%.*s|%jd", (int)a->q.n, a->q.p, (intmax_t)a->limit);
	return PASS;
}

static unsigned documents_written;

static void
write_document(struct buf *b)
{
	documents_written++;
	buf_z(b, "the document");
}

static int
get_document(struct req *rq)
{
	static struct public_document document = { .write = write_document };
	int rc = reply_public(rq, &document);

	return rq->query_string.n == 0 ? rc : fail(rq, ERR_NOT_FOUND);
}

#define COLUMNS(who, what)                                                                         \
	.scope = SCOPE_SEARCH_VIEW, .access = (who), .meter = METER_QUOTA, .area = (what),         \
	.entitlement = ENTITLEMENT_SEARCH

static const struct route rows[] = {
	{ ROUTE(GET, "/search/x", echo), COLUMNS(ACCESS_PUBLIC, AREA_SEARCH),
	    PARAMS(struct args, args_params) },
	{ ROUTE_AS(GET, "/things/{thing_uuid}", "get_thing", echo),
	    COLUMNS(ACCESS_PUBLIC, AREA_SERVICE) },
	{ ROUTE_AS(DELETE, "/things/{thing_uuid}", "delete_thing", echo),
	    COLUMNS(ACCESS_PUBLIC, AREA_SERVICE) },
	{ ROUTE_AS(GET, "/things/capabilities", "capabilities", echo),
	    COLUMNS(ACCESS_PUBLIC, AREA_SERVICE) },
	{ ROUTE_AS(POST, "/search/x", "post_x", echo), COLUMNS(ACCESS_PUBLIC, AREA_SEARCH),
	    BODY(struct in, in_fields, 64), .body_codes = in_codes },
	{ ROUTE_AS(POST, "/things", "post_thing", echo), COLUMNS(ACCESS_PUBLIC, AREA_SERVICE),
	    BODY(struct in, in_fields, 64) },
	{ ROUTE(GET, "/document", get_document), COLUMNS(ACCESS_PUBLIC, AREA_SERVICE),
	    PARAMS(struct args, args_params), .max_age = 300 },
	{ ROUTE_AS(POST, "/private", "private", echo), COLUMNS(ACCESS_ACCOUNT, AREA_SERVICE),
	    BODY(struct in, in_fields, 64) },
	ROUTE_END,
};

static const struct route *const tables[] = { rows, NULL };

/* ---- one request ---- */

static struct arena *arena;
static struct worker worker;
static struct req last;

struct sent {
	struct str body;
};

static size_t
read_sent(void *arg, char *to, size_t n)
{
	struct sent *s = arg;
	size_t k = s->body.n < n ? s->body.n : n;

	k = k > 7 ? 7 : k; /* as it comes: in pieces */
	if (k > 0)
		memcpy(to, s->body.p, k);
	s->body.p += k;
	s->body.n -= k;
	return k;
}

/* Serves a request made of NAME=value lines and a body; the answer is in last. */
static void
ask(const char *const *env, const char *body)
{
	struct sent sent = { str_of(body == NULL ? "" : body) };

	arena_reset(arena);
	last = (struct req){ .worker = &worker,
		.arena = arena,
		.db = worker.db,
		.env = env,
		.read = read_sent,
		.read_arg = &sent };
	req_serve(&last);
}

#define ASK(body, ...) ask((const char *const[]){ __VA_ARGS__, NULL }, (body))
#define GET(uri) ASK(NULL, "REQUEST_METHOD=GET", "REQUEST_URI=/api/v1" uri)
#define POST(uri, body)                                                                            \
	ASK((body), "REQUEST_METHOD=POST", "REQUEST_URI=/api/v1" uri,                              \
	    "CONTENT_TYPE=application/json")

static bool
answer_has(const char *text)
{
	struct str out = buf_done(&last.out);

	return out.n >= strlen(text) && memmem(out.p, out.n, text, strlen(text)) != NULL;
}

static bool
answer_is(const char *text)
{
	return str_is(buf_done(&last.out), text);
}

/* ---- tests ---- */

static void
paths_are_raw(void)
{
	GET("/search/x");
	CU_ASSERT_EQUAL(last.status, 200);
	GET("/search/%78"); /* x */
	CU_ASSERT_EQUAL(last.status, 200);
	GET("/search%2fx");
	CU_ASSERT_EQUAL(last.error, ERR_NOT_FOUND);
	GET("/search/x%3fq=1");
	CU_ASSERT_EQUAL(last.error, ERR_NOT_FOUND);
	GET("/search/./x");
	CU_ASSERT_EQUAL(last.error, ERR_NOT_FOUND);
	GET("/things/%2e%2e/search/x");
	CU_ASSERT_EQUAL(last.error, ERR_NOT_FOUND);
	GET("/search//x");
	CU_ASSERT_EQUAL(last.error, ERR_NOT_FOUND);
	GET("/search/x/");
	CU_ASSERT_EQUAL(last.error, ERR_NOT_FOUND);
	GET("/search/x%00");
	CU_ASSERT_EQUAL(last.error, ERR_NOT_FOUND);
	GET("/search/x%2");
	CU_ASSERT_EQUAL(last.error, ERR_NOT_FOUND);
	GET("/Search/x");
	CU_ASSERT_EQUAL(last.error, ERR_NOT_FOUND);
	/* C-001: nowhere else. */
	ASK(NULL, "REQUEST_METHOD=GET", "REQUEST_URI=/search/x");
	CU_ASSERT_EQUAL(last.error, ERR_NOT_FOUND);
	ASK(NULL, "REQUEST_METHOD=GET", "REQUEST_URI=/api/v2/search/x");
	CU_ASSERT_EQUAL(last.error, ERR_NOT_FOUND);
	ASK(NULL, "REQUEST_METHOD=GET");
	CU_ASSERT_EQUAL(last.error, ERR_NOT_FOUND);
}

static void
methods_are_listed(void)
{
	ASK(NULL, "REQUEST_METHOD=PUT", "REQUEST_URI=/api/v1/search/x");
	CU_ASSERT_EQUAL(last.status, 405);
	CU_ASSERT_STRING_EQUAL(last.allow, "GET, HEAD, POST");
	ASK(NULL, "REQUEST_METHOD=HEAD", "REQUEST_URI=/api/v1/search/x");
	CU_ASSERT_EQUAL(last.status, 200);
	ASK(NULL, "REQUEST_METHOD=get", "REQUEST_URI=/api/v1/search/x");
	CU_ASSERT_EQUAL(last.status, 405);
}

static void
literals_go_before_parameters(void)
{
	GET("/things/capabilities");
	CU_ASSERT_STRING_EQUAL(last.route->operation, "capabilities");
	GET("/things/0A1b2C3d-0000-4000-8000-00000000000F"); /* C-020: any case */
	CU_ASSERT_EQUAL(last.status, 200);
	CU_ASSERT_EQUAL(last.path[0].b[0], 0x0a);
	GET("/things/nonsense"); /* C-020 */
	CU_ASSERT_EQUAL(last.error, ERR_INVALID_REQUEST);
	ASK(NULL, "REQUEST_METHOD=DELETE", "REQUEST_URI=/api/v1/things/capabilities");
	CU_ASSERT_EQUAL(last.error, ERR_METHOD_NOT_ALLOWED); /* whatever the method */
	CU_ASSERT_STRING_EQUAL(last.allow, "GET, HEAD");
}

static void
parameters_are_strict(void)
{
	GET("/search/x");
	CU_ASSERT_TRUE(answer_is("|25"));
	GET("/search/x?q=a+b%2B%c3%A9&limit=100");
	CU_ASSERT_TRUE(answer_is("a b+\xc3\xa9|100")); /* C-058 */
	GET("/search/x?q=a=b&&");
	CU_ASSERT_TRUE(answer_is("a=b|25"));
	GET("/search/x?q=%");
	CU_ASSERT_EQUAL(last.error, ERR_INVALID_SEARCH_PARAMETER);
	GET("/search/x?q=%4");
	CU_ASSERT_EQUAL(last.error, ERR_INVALID_SEARCH_PARAMETER);
	GET("/search/x?q=%zz");
	CU_ASSERT_EQUAL(last.error, ERR_INVALID_SEARCH_PARAMETER);
	GET("/search/x?q=%00");
	CU_ASSERT_EQUAL(last.error, ERR_INVALID_SEARCH_PARAMETER);
	GET("/search/x?q=%ff");
	CU_ASSERT_EQUAL(last.error, ERR_INVALID_SEARCH_PARAMETER);
	GET("/search/x?q=1&q=1"); /* C-031 */
	CU_ASSERT_EQUAL(last.error, ERR_INVALID_SEARCH_PARAMETER);
	GET("/search/x?Q=1");
	CU_ASSERT_EQUAL(last.error, ERR_INVALID_SEARCH_PARAMETER);
	GET("/search/x?=1");
	CU_ASSERT_EQUAL(last.error, ERR_INVALID_SEARCH_PARAMETER);
	GET("/things/capabilities?x=1");
	CU_ASSERT_EQUAL(last.error, ERR_INVALID_REQUEST);
}

static void
integers_have_one_spelling(void)
{
	static const char *const bad[] = { "", "0", "101", "-1", "+5", "05", "2.0", "1e1", "0x10",
		"5%20", "99999999999999999999" };
	char uri[96];

	for (size_t i = 0; i < COUNT(bad); i++) {
		snprintf(uri, sizeof(uri), "REQUEST_URI=/api/v1/search/x?limit=%s", bad[i]);
		ASK(NULL, "REQUEST_METHOD=GET", uri);
		CU_ASSERT_EQUAL(last.error, ERR_INVALID_PAGINATION);
	}
}

/* C-056: 65536 bytes reach the operation, one more does not. */
static void
query_strings_are_bounded(void)
{
	static char uri[70000], body[70000];
	int n = snprintf(uri, sizeof(uri), "REQUEST_URI=/api/v1/search/x?q=");

	memset(uri + n, 'a', 65534);
	ASK(NULL, "REQUEST_METHOD=GET", uri);
	CU_ASSERT_EQUAL(last.status, 200);
	uri[n + 65534] = 'a';
	ASK(NULL, "REQUEST_METHOD=GET", uri);
	CU_ASSERT_EQUAL(last.error, ERR_INVALID_SEARCH_PARAMETER);

	body[0] = 'q';
	body[1] = '=';
	memset(body + 2, 'b', 65534);
	ASK(body, "REQUEST_METHOD=GET", "REQUEST_URI=/api/v1/search/x", "LONG_QUERY=1");
	CU_ASSERT_EQUAL(last.status, 200);
	CU_ASSERT_EQUAL(last.out.n, 65534 + 3);
	body[65536] = 'b';
	ASK(body, "REQUEST_METHOD=GET", "REQUEST_URI=/api/v1/search/x", "LONG_QUERY=1");
	CU_ASSERT_EQUAL(last.error, ERR_INVALID_SEARCH_PARAMETER);

	/* nginx sent a long query string in place of the body. Empty pairs are no unknown parameter. */
	memset(body, '&', 50000);
	body[50000] = '\0';
	ASK(body, "REQUEST_METHOD=POST", "REQUEST_URI=/api/v1/search/x",
	    "CONTENT_TYPE=application/json", "LONG_QUERY=1");
	CU_ASSERT_EQUAL(last.error, ERR_INVALID_SEARCH_PARAMETER);
	CU_ASSERT_TRUE(answer_has("query string is longer than 49152 bytes"));
}

/* C-021, C-022. */
static void
media_types_are_plain_json(void)
{
	static const char *const good[] = { "application/json", "Application/JSON",
		"application/json;charset=utf-8", "application/json; charset=UTF-8",
		"application/json ; Charset=\"Utf-8\"", "application/json\t;\tcharset=utf-8 " };
	static const char *const bad[] = { "", "application/jsonx", "application/json;",
		"text/json", "application/problem+json", "application/json; charset=utf8",
		"application/json; charset=utf-16", "application/json; charset='utf-8'",
		"application/json; charset=\"utf-8", "application/json; charset=utf-8x",
		"application/json; charset=utf-8; charset=utf-8", "application/json; version=1",
		"application/json, application/json", "application/json; charset = utf-8", "*/*" };

	for (size_t i = 0; i < COUNT(good); i++)
		CU_ASSERT_TRUE(body_media_type(str_of(good[i])));
	for (size_t i = 0; i < COUNT(bad); i++)
		CU_ASSERT_FALSE(body_media_type(str_of(bad[i])));
	CU_ASSERT_TRUE(body_encoding(STR("")));
	CU_ASSERT_TRUE(body_encoding(STR("Identity")));
	CU_ASSERT_FALSE(body_encoding(STR("gzip")));
	CU_ASSERT_FALSE(body_encoding(STR("identity, gzip")));
	ASK("{}", "REQUEST_METHOD=POST", "REQUEST_URI=/api/v1/search/x");
	CU_ASSERT_EQUAL(last.status, 415);
	ASK("{}", "REQUEST_METHOD=POST", "REQUEST_URI=/api/v1/search/x",
	    "HTTP_CONTENT_TYPE=application/json", "HTTP_CONTENT_TYPE=application/json",
	    "CONTENT_TYPE=application/json");
	CU_ASSERT_EQUAL(last.status, 415);
}

/* C-016, C-023: 64 bytes pass here, 65 do not; 415 before 413 before 400. */
static void
bodies_are_bounded_in_order(void)
{
	char body[66] = "{\"name\":\"a\"}";

	memset(body + 12, ' ', 52);
	POST("/search/x", body);
	CU_ASSERT_EQUAL(last.status, 200);
	body[64] = ' ';
	POST("/search/x", body);
	CU_ASSERT_EQUAL(last.status, 413);
	ASK("{}", "REQUEST_METHOD=POST", "REQUEST_URI=/api/v1/search/x",
	    "CONTENT_TYPE=application/json", "CONTENT_LENGTH=65");
	CU_ASSERT_EQUAL(last.status, 413);
	ASK(body, "REQUEST_METHOD=POST", "REQUEST_URI=/api/v1/search/x", "CONTENT_TYPE=text/json");
	CU_ASSERT_EQUAL(last.status, 415);
	POST("/search/x?x=1", body);
	CU_ASSERT_EQUAL(last.status, 413);
	POST("/search/x?x=1", "{");
	CU_ASSERT_EQUAL(last.error, ERR_INVALID_SEARCH_PARAMETER);
}

/* C-024, C-025, C-028, C-029, C-032. */
static void
faults_of_bodies_have_their_codes(void)
{
	POST("/search/x", "");
	CU_ASSERT_EQUAL(last.error, ERR_INVALID_JSON);
	POST("/search/x", "{\"name\":\"a\",}");
	CU_ASSERT_EQUAL(last.error, ERR_INVALID_JSON);
	CU_ASSERT_TRUE(answer_has("at byte "));
	POST("/search/x", "[]");
	CU_ASSERT_EQUAL(last.error, ERR_INVALID_REQUEST);
	POST("/search/x", "{}");
	CU_ASSERT_EQUAL(last.error, ERR_INVALID_REQUEST);
	POST("/search/x", "{\"name\":\"a\",\"size\":10}");
	CU_ASSERT_EQUAL(last.error, ERR_INVALID_LIMIT_PER_IP);
	POST("/search/x", "{\"name\":\"a\",\"size\":null}");
	CU_ASSERT_EQUAL(last.error, ERR_INVALID_REQUEST);
	POST("/search/x", "{\"name\":\"a\",\"other\":1}");
	CU_ASSERT_EQUAL(last.error, ERR_INVALID_REQUEST);
}

/* C-060, C-061, C-062: no message contains text of the client. */
static void
envelopes_follow_the_area(void)
{
	POST("/search/x", "{\"name\":\"a\",\"<b>\":1}");
	CU_ASSERT_FALSE(answer_has("<b>"));
	CU_ASSERT_FALSE(answer_has("field_errors"));
	POST("/things", "{\"name\":\"\",\"size\":0}");
	CU_ASSERT_TRUE(answer_has("\"field_errors\":[{\"code\":\"too_short\",\"field\":\"name\""));
	CU_ASSERT_TRUE(answer_has("\"field\":\"size\""));
	POST("/things", "{");
	CU_ASSERT_TRUE(answer_has("\"field_errors\":[]"));
	GET("/search/nothing");
	CU_ASSERT_FALSE(answer_has("field_errors"));
	GET("/nothing");
	CU_ASSERT_TRUE(answer_has("\"field_errors\":[]"));
}

/* C-011 */
static void
overrides_are_refused(void)
{
	GET("/search/x?q=%&%6frg_uuid");
	CU_ASSERT_EQUAL(last.error, ERR_API_KEY_ACCOUNT_OVERRIDE);
	GET("/things/capabilities?organization_id=");
	CU_ASSERT_EQUAL(last.error, ERR_API_KEY_ACCOUNT_OVERRIDE);
	GET("/search/x?ORG_UUID=1");
	CU_ASSERT_EQUAL(last.error, ERR_INVALID_SEARCH_PARAMETER);
	ASK(NULL, "REQUEST_METHOD=GET", "REQUEST_URI=/api/v1/search/x", "HTTP_X_ORG_UUID=");
	CU_ASSERT_EQUAL(last.error, ERR_API_KEY_ACCOUNT_OVERRIDE);
	ASK(NULL, "REQUEST_METHOD=GET", "REQUEST_URI=/api/v1/search/x", "HTTP_X_ORGANISATION_ID=x");
	CU_ASSERT_EQUAL(last.error, ERR_API_KEY_ACCOUNT_OVERRIDE);
	ASK(NULL, "REQUEST_METHOD=GET", "REQUEST_URI=/api/v1/search/x", "HTTP_X_ACCOUNT_UUID=x");
	CU_ASSERT_EQUAL(last.error, ERR_API_KEY_ACCOUNT_OVERRIDE);
	ASK(NULL, "REQUEST_METHOD=GET", "REQUEST_URI=/api/v1/search/x", "HTTP_X_ACCOUNTING=x");
	CU_ASSERT_EQUAL(last.status, 200);
	POST("/search/x", "{\"account_uuid\":null}");
	CU_ASSERT_EQUAL(last.error, ERR_API_KEY_ACCOUNT_OVERRIDE);
	POST("/search/x", "{\"account_uuid\":null");
	CU_ASSERT_EQUAL(last.error, ERR_INVALID_JSON);
}

/* C-003, C-004, C-005, C-015, C-018: a client without a key learns nothing about its body. */
static void
keys_come_first(void)
{
	static const char key[] =
	    "HTTP_X_API_KEY=sfk_abcdefgh_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

	ASK("{", "REQUEST_METHOD=POST", "REQUEST_URI=/api/v1/private?org_uuid=1");
	CU_ASSERT_EQUAL(last.error, ERR_UNAUTHORIZED);
	ASK("{", "REQUEST_METHOD=POST", "REQUEST_URI=/api/v1/private", "HTTP_X_API_KEY=");
	CU_ASSERT_EQUAL(last.error, ERR_UNAUTHORIZED);
	ASK("{", "REQUEST_METHOD=POST", "REQUEST_URI=/api/v1/private", "HTTP_X_API_KEY=nonsense");
	CU_ASSERT_EQUAL(last.error, ERR_UNAUTHORIZED);
	ASK("{", "REQUEST_METHOD=POST", "REQUEST_URI=/api/v1/private", key, key);
	CU_ASSERT_EQUAL(last.error, ERR_UNAUTHORIZED);
	ASK("{", "REQUEST_METHOD=POST", "REQUEST_URI=/api/v1/private",
	    "HTTP_AUTHORIZATION=Bearer "
	    "sfk_abcdefgh_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
	CU_ASSERT_EQUAL(last.error, ERR_UNAUTHORIZED);
	ASK("{", "REQUEST_METHOD=POST", "REQUEST_URI=/api/v1/private", key);
	CU_ASSERT_EQUAL(last.error, ERR_AUTHENTICATION_UNAVAILABLE);
	ASK("{", "REQUEST_METHOD=GET", "REQUEST_URI=/api/v1/private");
	CU_ASSERT_EQUAL(last.status, 405);
}

/* C-063 */
static void
request_ids_are_the_web_servers(void)
{
	ASK(NULL, "REQUEST_METHOD=GET", "REQUEST_URI=/api/v1/none",
	    "REQUEST_ID=0123456789abcdef0123456789abcdef", "HTTP_X_REQUEST_ID=evil");
	CU_ASSERT_STRING_EQUAL(last.id, "0123456789abcdef0123456789abcdef");
	CU_ASSERT_TRUE(answer_has("\"request_id\":\"0123456789abcdef0123456789abcdef\""));
	ASK(NULL, "REQUEST_METHOD=GET", "REQUEST_URI=/api/v1/none", "REQUEST_ID=x y");
	CU_ASSERT_EQUAL(strlen(last.id), 32);
}

/* "MSEC=" and the time so many seconds ago, as nginx writes it. */
static const char *
msec_ago(int64_t seconds)
{
	static char text[64];

	snprintf(text, sizeof(text), "MSEC=%jd.000", (intmax_t)(ts_now().us / SECOND_US - seconds));
	return text;
}

static void
late_work_is_not_begun(void)
{
	ASK(NULL, "REQUEST_METHOD=GET", "REQUEST_URI=/api/v1/search/x", msec_ago(100));
	CU_ASSERT_EQUAL(last.error, ERR_SEARCH_TIMEOUT); /* C-066 */
	ASK(NULL, "REQUEST_METHOD=GET", "REQUEST_URI=/api/v1/things/capabilities", msec_ago(100));
	CU_ASSERT_EQUAL(last.error, ERR_SERVICE_UNAVAILABLE);
	/* nginx keeps no request for so long: the clock was set. */
	ASK(NULL, "REQUEST_METHOD=GET", "REQUEST_URI=/api/v1/things/capabilities", msec_ago(1000));
	CU_ASSERT_EQUAL(last.status, 200);
}

static void
messages_are_cut(void)
{
	char text[2001];

	GET("/none");
	for (size_t i = 0; i < 1000; i++)
		memcpy(text + 2 * i, "\xc3\xa9", 2);
	fail_at(&last, ERR_INVALID_REQUEST, (struct str){ text, 2000 });
	text[1024] = '\0';
	CU_ASSERT_TRUE(answer_has(text));
	memcpy(text + 1024, "\xc3\xa9", 3);
	CU_ASSERT_FALSE(answer_has(text));
}

/* A status line has the reason of its status. */
static void
every_error_has_a_reason(void)
{
	for (enum error e = ERR_UNSET + 1; e < ERRORS; e++)
		CU_ASSERT_STRING_NOT_EQUAL(status_reason(error_status(e)), status_reason(0));
}

/* RFC 9110, 13.1.2 for the 304. */
static void
documents_are_written_once(void)
{
	char none_match[128];

	GET("/document");
	CU_ASSERT_TRUE(answer_is("the document"));
	CU_ASSERT_EQUAL(last.max_age, 300);
	snprintf(none_match, sizeof(none_match), "HTTP_IF_NONE_MATCH=W/\"%s\"", last.etag);
	ASK(NULL, "REQUEST_METHOD=GET", "REQUEST_URI=/api/v1/document", none_match);
	CU_ASSERT_EQUAL(last.status, 304);
	CU_ASSERT_TRUE(answer_is(""));
	GET("/document?q=1"); /* an error replaces the answer, and not the document */
	CU_ASSERT_EQUAL(last.status, 404);
	CU_ASSERT_TRUE(last.etag == NULL);
	GET("/document");
	CU_ASSERT_TRUE(answer_is("the document"));
	CU_ASSERT_EQUAL(documents_written, 1);
}

/* Counting reports needs the scope of counting and that of reports (C-009). */
static void
a_route_may_need_two_scopes(void)
{
	static const struct route both = { .scope = SCOPE_SEARCH_AGGREGATE,
		.besides = SCOPE_REPORTS_VIEW };
	const uint64_t count = SCOPE_BIT(SEARCH_AGGREGATE), reports = SCOPE_BIT(REPORTS_VIEW);
	const uint64_t scopes[] = { 0, count, reports, count | reports };

	for (size_t i = 0; i < COUNT(scopes); i++) {
		struct key key = { .scopes = scopes[i] };
		struct req rq = { .worker = &worker, .arena = arena, .route = &both, .key = &key };

		CU_ASSERT_EQUAL(auth_scope(&rq) == PASS, scopes[i] == (count | reports));
	}
}

static void
rows_without_a_column_are_found(void)
{
	static const struct route no_meter[] = {
		{ ROUTE(GET, "/a", echo), .scope = SCOPE_ANY, .access = ACCESS_PUBLIC,
		    .area = AREA_SERVICE, .entitlement = ENTITLEMENT_ANY },
		ROUTE_END,
	};
	const struct route *const bad[] = { rows, no_meter, NULL };
	char err[128];

	CU_ASSERT_TRUE(routes_check(tables, err, sizeof(err)));
	CU_ASSERT_FALSE(routes_check(bad, err, sizeof(err)));
	CU_ASSERT_STRING_EQUAL(err, "route /a has no meter");
}

int
main(void)
{
	static CU_TestInfo tests[] = {
		{ "paths are matched without decoding slashes (C-001)", paths_are_raw },
		{ "the methods of a path are listed", methods_are_listed },
		{ "literal segments take precedence over parameters (C-020)",
		    literals_go_before_parameters },
		{ "unknown and repeated parameters are refused (C-031, C-058)",
		    parameters_are_strict },
		{ "integers have one accepted spelling", integers_have_one_spelling },
		{ "query strings above the limit are refused (C-056)", query_strings_are_bounded },
		{ "only JSON without encoding is accepted (C-021, C-022)",
		    media_types_are_plain_json },
		{ "limits of bodies are checked in order (C-016, C-023)",
		    bodies_are_bounded_in_order },
		{ "faults of bodies have their codes (C-024 to C-029)",
		    faults_of_bodies_have_their_codes },
		{ "the envelope follows the area of the path (C-060 to C-062)",
		    envelopes_follow_the_area },
		{ "account overrides are refused in every place (C-011)", overrides_are_refused },
		{ "the key is checked before anything else (C-003, C-005, C-015, C-018)",
		    keys_come_first },
		{ "the request id comes from the web server (C-063)",
		    request_ids_are_the_web_servers },
		{ "a request whose budget is spent is not begun (C-066)", late_work_is_not_begun },
		{ "messages are cut at their limit (C-062)", messages_are_cut },
		{ "every error has a reason phrase", every_error_has_a_reason },
		{ "a public document is written once and answered with 200 or 304",
		    documents_are_written_once },
		{ "a key needs both scopes of a route that has two (C-009)",
		    a_route_may_need_two_scopes },
		{ "rows of a table without a column are found", rows_without_a_column_are_found },
		CU_TEST_INFO_NULL,
	};
	char err[256];
	int rc;

	if (!conf_load("surfaced", NULL, err, sizeof(err)))
		panic("%s", err);
	arena = arena_new(64 * 1024 * 1024);
	worker = (struct worker){ .arena = arena,
		.tables = tables,
		.db = db_open("host=/nonexistent dbname=none connect_timeout=1", "test") };
	worker.keys = key_cache_new(worker.db);
	rc = tap_main(tests);
	key_cache_free(worker.keys);
	db_close(worker.db);
	arena_free(arena);
	return rc;
}
