/* SPDX-License-Identifier: ISC */
/* Copies texts of CDP's events into one network event. Every text comes from a page or a server,
 * so each is bounded, contains no U+0000, which PostgreSQL cannot store, and none of the secrets
 * of the session: user and password in a URL are cut out, and headers that carry credentials are
 * redacted.
 *
 * All copies of an event hang on one list of blocks (struct evidence) and are freed together,
 * because an event lives from its request to its last byte, through a dozen messages of
 * Chromium. */
#include "config.h"

#include "browser/runner/cdp.h"
#include "browser/runner/evidence.h"
#include "json/json.h"
#include "wire/header.h"

enum {
	HEADERS_MAX = 64,
	NAME_MAX_BYTES = 128,
	VALUE_MAX = 1024,
	HEADERS_BYTES = 12288, /* names and values of one direction */
	URL_MAX = 4096,
	BODY_MAX = 1 << 30, /* a larger content-length is ignored */
};

struct block {
	SLIST_ENTRY(block) next;
	_Alignas(16) char bytes[];
};

static void *
alloc_block(struct evidence *e, size_t n)
{
	struct block *b = mem_alloc(sizeof(*b) + n);

	SLIST_INSERT_HEAD(&e->blocks, b, next);
	return b->bytes;
}

struct str
evidence_copy(struct evidence *e, struct str s)
{
	char *p;

	if (s.p == NULL)
		return s;
	p = alloc_block(e, s.n + 1);
	for (size_t i = 0; i < s.n; i++) /* PostgreSQL cannot store U+0000 */
		p[i] = s.p[i] != '\0' ? s.p[i] : ' ';
	return (struct str){ p, s.n };
}

struct json
evidence_number(struct evidence *e, int64_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", (long long)n);
	return (struct json){ evidence_copy(e, str_of(text)) };
}

/* The part of an address between scheme:// and the path; STR_NULL: there is none. */
static struct str
url_authority(struct str url)
{
	const char *colon = memchr(url.p, ':', url.n);
	size_t at = colon != NULL ? (size_t)(colon - url.p) + 1 : url.n, n = 0;

	if (at + 2 > url.n || url.p[at] != '/' || url.p[at + 1] != '/')
		return STR_NULL;
	at += 2;
	while (at + n < url.n && strchr("/?#", url.p[at + n]) == NULL)
		n++;
	return (struct str){ url.p + at, n };
}

struct str
evidence_url(struct evidence *e, struct str url)
{
	struct str name = url_authority(url), host;
	const char *at;
	int64_t port;
	size_t before, skip;
	char *p;

	if (name.n == 0 || !evidence_origin(url, &host, &port)) {
		const char *colon = memchr(url.p, ':', url.n);

		return evidence_copy(e, colon != NULL
					    ? (struct str){ url.p, (size_t)(colon - url.p) + 1 }
					    : STR("other:"));
	}
	at = memrchr(name.p, '@', name.n);
	if (at == NULL)
		return evidence_copy(e, str_cut_bytes(url, URL_MAX));
	before = (size_t)(name.p - url.p);
	skip = (size_t)(at - name.p) + 1;
	p = alloc_block(e, url.n);
	memcpy(p, url.p, before);
	memcpy(p + before, url.p + before + skip, url.n - before - skip);
	return str_cut_bytes((struct str){ p, url.n - skip }, URL_MAX);
}

bool
evidence_origin(struct str url, struct str *host, int64_t *port)
{
	static const struct {
		struct str prefix;
		int64_t port;
	} schemes[] = { { STR_INIT("http://"), 80 }, { STR_INIT("https://"), 443 },
		{ STR_INIT("ws://"), 80 }, { STR_INIT("wss://"), 443 } };
	struct str a = url_authority(url);
	const char *at, *colon;

	*port = 0;
	for (size_t i = 0; i < COUNT(schemes); i++)
		if (str_starts(url, schemes[i].prefix))
			*port = schemes[i].port;
	if (*port == 0 || a.n == 0)
		return false;
	at = memrchr(a.p, '@', a.n);
	if (at != NULL)
		a = (struct str){ at + 1, a.n - (size_t)(at - a.p) - 1 };
	colon = memrchr(a.p, ':', a.n);
	if (colon != NULL && memchr(colon, ']', a.n - (size_t)(colon - a.p)) == NULL) {
		struct str digits = { colon + 1, a.n - (size_t)(colon - a.p) - 1 };

		a.n = (size_t)(colon - a.p);
		if (!str_int64(digits, port) || *port < 0 || *port > UINT16_MAX)
			return false;
	}
	if (a.n > 2 && a.p[0] == '[')
		a = (struct str){ a.p + 1, a.n - 2 };
	*host = a;
	return a.n > 0;
}

int64_t
evidence_line(struct str method, struct str url)
{
	struct str a = url_authority(url);
	const char *end = url.p + url.n, *from = a.p != NULL ? a.p + a.n : end,
		   *hash = memchr(from, '#', (size_t)(end - from));
	size_t target = (size_t)((hash != NULL ? hash : end) - from);

	if (target == 0 || *from != '/') /* an empty path is sent as "/" */
		target++;
	return (int64_t)(method.n + target + strlen("  HTTP/1.1\r\n"));
}

/* ---- headers ---- */

struct header_copy {
	struct evidence *e;
	struct net_header *headers;
	size_t n, bytes;
	int64_t all;
};

/* Chromium joins the values of headers of the same name with newlines; each becomes a header
   again. */
static bool
copy_header(void *arg, struct str name, struct json_value *value)
{
	struct header_copy *t = arg;
	struct str rest = json_text(value);
	int64_t body;

	while (rest.p != NULL) {
		struct str v = str_until(&rest, '\n');

		t->all += (int64_t)(name.n + v.n + 4);
		if (str_is_nocase(name, "content-length") && str_int64(v, &body) && body > 0 &&
		    body <= BODY_MAX)
			t->all += body;
		v = header_secret(name) ? STR("[redacted]") : str_cut_bytes(v, VALUE_MAX);
		if (t->n == HEADERS_MAX || name.n > NAME_MAX_BYTES ||
		    t->bytes + name.n + v.n > HEADERS_BYTES)
			continue;
		t->bytes += name.n + v.n;
		t->headers[t->n++] =
		    (struct net_header){ evidence_copy(t->e, name), evidence_copy(t->e, v) };
	}
	return true;
}

struct list
evidence_headers(struct evidence *e, const struct json_value *headers, int64_t *bytes)
{
	struct header_copy t = { .e = e,
		.headers = alloc_block(e, HEADERS_MAX * sizeof(struct net_header)) };

	if (headers != NULL)
		json_each(headers, copy_header, &t);
	if (bytes != NULL)
		*bytes = t.all;
	return (struct list){ t.headers, t.n };
}

void
evidence_tls(struct evidence *e, const struct json_value *details)
{
	double until = cdp_num(details, "validTo");

	if (details == NULL)
		return;
	e->event.tls = (struct net_tls){
		.version = evidence_copy(e, cdp_text(details, "protocol")),
		.cipher = evidence_copy(e, cdp_text(details, "cipher")),
		.subject =
		    evidence_copy(e, str_cut_bytes(cdp_text(details, "subjectName"), VALUE_MAX)),
		.issuer = evidence_copy(e, str_cut_bytes(cdp_text(details, "issuer"), VALUE_MAX)),
		.not_after =
		    until > 0 && until < 2e11 ? (struct ts){ (int64_t)until * 1000000 } : TS_NULL,
	};
}

void
evidence_free(struct evidence *e)
{
	struct block *b;

	while ((b = SLIST_FIRST(&e->blocks)) != NULL) {
		SLIST_REMOVE_HEAD(&e->blocks, next);
		free(b);
	}
}
