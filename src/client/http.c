/* SPDX-License-Identifier: ISC */
/* Requests over HTTPS by libcurl: one attempt, and the rules by which it is repeated. */
#include "config.h"

#include "client/http.h"

#include <curl/curl.h>
#include <errno.h>
#include <strings.h>

enum {
	BODY_MAX = 256 * 1024 * 1024,
	CONNECT_S = 15,
	SILENT_S = 60, /* an answer of which no byte comes for so long is broken */
	TRIES = 6,
	FIRST_PAUSE_MS = 250,
	PATIENCE_S = 120, /* unless --patience */
};

/* ---- URLs ---- */

static void
add_query_encoded(struct buf *b, struct str s)
{
	static const char plain[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '\0' && strchr(plain, s.p[i]) != NULL)
			buf_char(b, s.p[i]);
		else
			buf_printf(b, "%%%02X", (unsigned)(unsigned char)s.p[i]);
}

void
url_parameter(struct buf *path, const char *name, struct str value)
{
	if (value.p == NULL)
		return;
	buf_char(path, memchr(path->p, '?', path->n) == NULL ? '?' : '&');
	buf_z(path, name);
	buf_char(path, '=');
	add_query_encoded(path, value);
}

void
url_segment(struct buf *path, struct str segment)
{
	buf_char(path, '/');
	add_query_encoded(path, segment);
}

/* ---- one attempt ---- */

struct transfer {
	struct client *c;
	CURL *curl;
	const struct ask *ask;
	struct answer *a;
	struct curl_slist *headers;
	char why[CURL_ERROR_SIZE];
};

static size_t
on_answer_body(char *bytes, size_t size, size_t count, void *arg)
{
	struct transfer *t = arg;
	size_t n = size * count;
	long status = 0;

	curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &status);
	if (t->ask->take != NULL && status < 300)
		return t->ask->take(t->ask->arg, status, bytes, n) ? n : 0;
	if (t->a->body.n + n > BODY_MAX)
		return 0;
	buf_add(&t->a->body, bytes, n);
	return n;
}

/* The value of the header if the line is one of that name. */
static bool
is_header_line(struct str line, const char *name, struct str *value)
{
	size_t n = strlen(name);

	if (line.n <= n || line.p[n] != ':' || strncasecmp(line.p, name, n) != 0)
		return false;
	*value = str_trim((struct str){ line.p + n + 1, line.n - n - 1 });
	return true;
}

static size_t
on_header(char *bytes, size_t size, size_t count, void *arg)
{
	struct transfer *t = arg;
	struct str line = { bytes, size * count }, value;
	int64_t n;

	if (str_utf8_bad(line) < line.n)
		return line.n;
	if (is_header_line(line, "Retry-After", &value) && str_int64(value, &n) && n >= 0)
		t->a->retry_after = n;
	if (is_header_line(line, "ETag", &value)) {
		if (str_starts(value, STR("W/")))
			value = (struct str){ value.p + 2, value.n - 2 };
		if (value.n >= 2 && value.p[0] == '"')
			t->a->etag =
			    arena_str(t->c->page, (struct str){ value.p + 1, value.n - 2 });
	}
	return line.n;
}

static struct curl_slist *
headers_of(struct client *c, const struct ask *ask)
{
	struct str key =
	    arena_printf(c->page, "X-API-Key: %.*s", (int)c->settings.key.n, c->settings.key.p);
	struct str accept = arena_printf(
	    c->page, "Accept: %s", ask->accept != NULL ? ask->accept : "application/json");
	struct curl_slist *list = curl_slist_append(NULL, key.p);

	list = curl_slist_append(list, accept.p);
	list = curl_slist_append(list, "Expect:");
	if (ask->body.p != NULL)
		list = curl_slist_append(list, "Content-Type: application/json");
	if (ask->header != NULL)
		list = curl_slist_append(list, ask->header);
	return list;
}

static void
set_http_options(struct transfer *t, const char *url, struct curl_slist *headers)
{
	const struct settings *s = &t->c->settings;
	CURL *curl = t->curl;

	curl_easy_reset(curl);
	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "https");
	curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
	curl_easy_setopt(curl, CURLOPT_USERAGENT, "surface/" PACKAGE_VERSION);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)SILENT_S);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, t->why);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_answer_body);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, t);
	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(curl, CURLOPT_HEADERDATA, t);
	if (t->ask->take ==
	    NULL) /* a file is stored as it is sent, since its ETag is that of its bytes */
		curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");
	curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, t->ask->method);
	if (t->ask->body.p != NULL) {
		curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)t->ask->body.n);
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, t->ask->body.p);
	} else if (strcmp(t->ask->method, "POST") == 0) {
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, "");
	}
	if (t->ask->one_way)
		curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
	if (s->cacert != NULL)
		curl_easy_setopt(curl, CURLOPT_CAINFO, s->cacert);
	if (s->socket != NULL)
		curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, s->socket);
}

/* Whether another attempt may have a better end: the network failed, and not a name, a certificate
   or an option. */
static bool
is_broken_transfer(CURLcode rc)
{
	static const CURLcode broken[] = { CURLE_COULDNT_CONNECT, CURLE_PARTIAL_FILE,
		CURLE_OPERATION_TIMEDOUT, CURLE_SSL_CONNECT_ERROR, CURLE_GOT_NOTHING,
		CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM,
		CURLE_BAD_CONTENT_ENCODING };

	for (size_t i = 0; i < COUNT(broken); i++)
		if (rc == broken[i])
			return true;
	return false;
}

struct transfer *
http_begin(struct client *c, const struct ask *ask, struct answer *a)
{
	struct transfer *t = ARENA_NEW(c->page, struct transfer);
	struct str url = arena_printf(c->page, "%.*s%.*s", (int)c->settings.url.n,
	    c->settings.url.p, (int)ask->path.n, ask->path.p);

	if (c->curl == NULL && curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK)
		c->curl = curl_easy_init();
	if (c->curl == NULL)
		panic("libcurl does not start");
	*a = (struct answer){ .body.a = c->page, .retry_after = -1 };
	*t = (struct transfer){ .c = c, .curl = c->curl, .ask = ask, .a = a };
	t->headers = headers_of(c, ask);
	set_http_options(t, url.p, t->headers);
	return t;
}

void
http_done(struct transfer *t, int result)
{
	CURLcode rc = (CURLcode)result;

	if (rc == CURLE_OK) {
		curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &t->a->status);
	} else {
		t->a->broken = is_broken_transfer(rc);
		t->a->why = arena_str(
		    t->c->page, str_of(t->why[0] != '\0' ? t->why : curl_easy_strerror(rc)))
				.p;
	}
	curl_slist_free_all(t->headers);
}

void
http_try(struct client *c, const struct ask *ask, struct answer *a)
{
	struct transfer *t = http_begin(c, ask, a);

	http_done(t, (int)curl_easy_perform(t->curl));
}

void
http_end(struct client *c)
{
	if (c->curl == NULL)
		return;
	curl_easy_cleanup(c->curl);
	curl_global_cleanup();
	c->curl = NULL;
}

/* ---- repetitions ---- */

void
http_pause(int64_t ms)
{
	struct timespec left = { ms / 1000, ms % 1000 * 1000000 };

	while (nanosleep(&left, &left) != 0 && errno == EINTR)
		;
}

int64_t
http_again_ms(int tried)
{
	return tried >= TRIES ? -1 : (int64_t)FIRST_PAUSE_MS << (tried - 1);
}

bool
http_again(const struct client *c, int tried, const char *why)
{
	int64_t ms = http_again_ms(tried);

	if (ms < 0)
		return false;
	note(c, "%s; trying again (%d of %d)", why, tried + 1, TRIES);
	http_pause(ms);
	return true;
}

int64_t
http_wait_ms(struct client *c, const struct answer *a)
{
	int64_t patience = option_number(c, "patience", PATIENCE_S), ms;

	if ((a->status != 429 && a->status != 503) || a->retry_after < 0)
		return -1;
	if (a->retry_after > patience - c->waited_ms / 1000)
		return -1;
	ms = a->retry_after * 1000 + 20;
	c->waited_ms += ms;
	return ms;
}

bool
http_wait(struct client *c, const struct answer *a)
{
	int64_t ms = http_wait_ms(c, a);

	if (ms < 0)
		return false;
	note(c, "%s; waiting for %lld s",
	    a->status == 429 ? "the rate of this key is used up" : "the API is busy",
	    (long long)a->retry_after);
	http_pause(ms);
	return true;
}

int
http_ask(struct client *c, const struct ask *ask, struct answer *a)
{
	for (int tried = 1;;) {
		http_try(c, ask, a);
		if (a->status != 0) {
			if (!ask->repeatable || !http_wait(c, a))
				return DONE;
		} else if (!a->broken || !ask->repeatable || !http_again(c, tried++, a->why)) {
			return fail(c, NO_ANSWER, "%.*s: %s", (int)c->settings.url.n,
			    c->settings.url.p, a->why);
		}
	}
}
