/* SPDX-License-Identifier: ISC */
/* Responses of HTTP/1 as archives have them: with the coding in which they were sent, or without it
   although the header still names it. */
#include "config.h"

#include "cli/import/page.h"

#include "base/limits.h"
#include "base/url.h"
#include "cli/import/tool_host.h"

#include <zlib.h>

enum { URL_MOST = 2048, CHUNK_LINE = 4096 };

/* ---- codings ---- */

/* Joins the chunks of a body. False: they do not add up, so the body was stored without them. */
static bool
join_chunks(struct arena *a, struct str *body)
{
	struct buf b = { .a = a };
	struct str rest = *body;

	while (rest.n > 0) {
		const char *end = memchr(rest.p, '\n', rest.n < CHUNK_LINE ? rest.n : CHUNK_LINE);
		size_t size = 0, i = 0;

		for (; i < rest.n && i < 8 && ascii_hex(rest.p[i]) >= 0; i++)
			size = size * 16 + (size_t)ascii_hex(rest.p[i]);
		if (i == 0 || end == NULL)
			return false;
		rest = (struct str){ end + 1, (size_t)(rest.p + rest.n - end) - 1 };
		if (size == 0)
			break;
		if (size > rest.n)
			return false;
		buf_add(&b, rest.p, size);
		rest = (struct str){ rest.p + size, rest.n - size };
		for (i = 0; i < 2 && rest.n > 0 && (rest.p[0] == '\r' || rest.p[0] == '\n'); i++)
			rest = (struct str){ rest.p + 1, rest.n - 1 };
	}
	*body = buf_done(&b);
	return true;
}

/* Unpacks gzip and deflate, up to a byte more than a body may have. False: the body is not
   packed. */
static bool
inflate_body(struct arena *a, struct str *body)
{
	size_t room = LIM_SECRET_TEXT + 1;
	unsigned char *out = arena_alloc(a, room);
	z_stream z = { .next_in = (unsigned char *)(uintptr_t)body->p,
		.avail_in = (unsigned)body->n,
		.next_out = out,
		.avail_out = (unsigned)room };
	int rc;

	if (inflateInit2(&z, 15 + 32) != Z_OK)
		panic("inflateInit2 failed");
	rc = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	if (rc != Z_STREAM_END && rc != Z_BUF_ERROR && rc != Z_OK)
		return false;
	*body = (struct str){ (const char *)out, room - z.avail_out };
	return body->n > 0;
}

/* Removes the codings, the last one first. NULL, or the fault. */
static const char *
decode_body(struct arena *a, struct str transfer, struct str content, struct str *body)
{
	struct str one = str_trim(content);

	if (str_is_nocase(str_trim(transfer), "chunked"))
		(void)join_chunks(a, body);
	if (one.n == 0 || str_is_nocase(one, "identity") || body->n == 0)
		return NULL;
	if (str_is_nocase(one, "gzip") || str_is_nocase(one, "x-gzip") ||
	    str_is_nocase(one, "deflate")) {
		(void)inflate_body(a, body);
		return NULL;
	}
	/* an archive may have removed it, and then the body is text */
	return str_utf8_bad(*body) == body->n
		   ? NULL
		   : "the Content-Encoding of the response is neither gzip nor deflate";
}

/* ---- responses ---- */

const char *
page_of_http(struct arena *a, struct str response, struct page *out)
{
	struct str rest = response, line = str_until(&rest, '\n'), transfer = STR(""),
		   content = STR("");
	struct str version = str_until(&line, ' '), code = str_trim(line);

	if (!str_starts(version, STR("HTTP/")) || rest.p == NULL)
		return "the block is no response of HTTP";
	code.n = code.n < 3 ? code.n : 3;
	if (!str_int64(code, &out->status))
		return "the status line of the response has no status";
	out->headers = rest;
	for (;;) {
		const char *begin = rest.p;
		struct str name;

		if (rest.p == NULL)
			return "the header of the response does not end";
		line = str_trim(str_until(&rest, '\n'));
		if (line.n == 0) {
			out->headers.n = (size_t)(begin - out->headers.p);
			break;
		}
		name = str_until(&line, ':');
		line = line.p == NULL ? STR("") : str_trim(line);
		if (str_is_nocase(name, "content-type"))
			out->content_type = line;
		else if (str_is_nocase(name, "content-encoding"))
			content = line;
		else if (str_is_nocase(name, "transfer-encoding"))
			transfer = line;
	}
	out->body = rest.p == NULL ? STR("") : rest;
	return decode_body(a, transfer, content, &out->body);
}

struct str
page_hostname(struct arena *a, const struct page *p)
{
	struct str authority, rest, host;

	if (!url_split(p->url, &authority, &rest))
		return STR_NULL;
	host = arena_lower(a, url_host(authority));
	while (host.n > 0 && host.p[host.n - 1] == '.')
		host.n--;
	return host;
}

static bool
is_http(struct str url)
{
	return str_is_nocase((struct str){ url.p, url.n < 7 ? url.n : 7 }, "http://") ||
	       str_is_nocase((struct str){ url.p, url.n < 8 ? url.n : 8 }, "https://");
}

const char *
page_finish(struct arena *a, struct page *p)
{
	struct str host;

	if (p->url.n == 0 || p->url.n > URL_MOST || !is_http(p->url) || !str_graphic(p->url) ||
	    str_utf8_bad(p->url) < p->url.n)
		return "url is no URL of http or https with at most 2048 bytes";
	host = page_hostname(a, p);
	if (host.n == 0 || host.n > LIM_DNS_NAME)
		return "url has no host";
	if (p->status < 0 || p->status > 999)
		return "status is no number from 0 to 999";
	if (ts_is_null(p->captured_at))
		return "captured_at is missing";
	if (p->body.n > LIM_SECRET_TEXT)
		return "the body has more than 1048576 bytes";
	if (p->title.n == 0)
		p->title = tool_title(a, p->body);
	p->title = (struct str){ p->title.p, str_utf8_bad(p->title) };
	return NULL;
}
