/* SPDX-License-Identifier: ISC */
/* URLs of a TAXII server, by libcurl's parser, so that the host that is compared is the one that
   libcurl connects to. */
#include "config.h"

#include "cli/report/taxii_http.h"

#include <curl/curl.h>
#include <strings.h>

static struct str
url_text(struct arena *a, CURLU *u)
{
	char *text = NULL;
	struct str out = STR_NULL;

	if (curl_url_get(u, CURLUPART_URL, &text, CURLU_NO_DEFAULT_PORT) == CURLUE_OK)
		out = arena_str(a, str_of(text));
	curl_free(text);
	return out;
}

static bool
has_part(CURLU *u, CURLUPart part)
{
	char *text = NULL;
	bool has = curl_url_get(u, part, &text, 0) == CURLUE_OK;

	curl_free(text);
	return has;
}

/* The canonical URL with a slash at its end; STR_NULL: see taxii_url. */
static struct str
finish_url(struct arena *a, CURLU *u)
{
	struct str out = url_text(a, u);

	if (out.p == NULL || !str_starts(out, STR("https://")) || has_part(u, CURLUPART_USER) ||
	    has_part(u, CURLUPART_PASSWORD) || has_part(u, CURLUPART_QUERY) ||
	    has_part(u, CURLUPART_FRAGMENT))
		return STR_NULL;
	return str_ends(out, STR("/")) ? out : arena_printf(a, "%s/", out.p);
}

struct str
taxii_url(struct arena *a, struct str given)
{
	CURLU *u = curl_url();
	struct str out = STR_NULL;

	if (u == NULL)
		panic("out of memory");
	if (curl_url_set(u, CURLUPART_URL, arena_str(a, given).p, 0) == CURLUE_OK)
		out = finish_url(a, u);
	curl_url_cleanup(u);
	return out;
}

/* "https://host:port/" of a canonical URL. */
static struct str
origin_of(struct str url)
{
	const char *end = memchr(url.p + 8, '/', url.n - 8);

	return (struct str){ url.p, (size_t)(end - url.p) + 1 };
}

struct str
taxii_url_join(struct arena *a, struct str base, struct str reference)
{
	CURLU *u = curl_url();
	struct str out = STR_NULL;

	if (u == NULL)
		panic("out of memory");
	if (memchr(reference.p, '\0', reference.n) == NULL &&
	    curl_url_set(u, CURLUPART_URL, arena_str(a, base).p, 0) == CURLUE_OK &&
	    curl_url_set(u, CURLUPART_URL, arena_str(a, reference).p, 0) == CURLUE_OK)
		out = finish_url(a, u);
	curl_url_cleanup(u);
	if (out.p == NULL || strncasecmp(out.p, base.p, origin_of(base).n) != 0)
		return STR_NULL;
	return out;
}

static void
add_encoded(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (ascii_alnum(s.p[i]) || (s.p[i] != '\0' && strchr("-._~", s.p[i]) != NULL))
			buf_char(b, s.p[i]);
		else
			buf_printf(b, "%%%02X", (unsigned)(unsigned char)s.p[i]);
}

struct str
taxii_url_segment(struct arena *a, struct str url, struct str segment)
{
	struct buf b = { .a = a };

	buf_str(&b, url);
	add_encoded(&b, segment);
	buf_char(&b, '/');
	return buf_done(&b);
}

void
taxii_url_parameter(struct buf *url, const char *name, struct str value)
{
	if (value.p == NULL)
		return;
	buf_char(url, memchr(url->p, '?', url->n) == NULL ? '?' : '&');
	add_encoded(url, str_of(name));
	buf_char(url, '=');
	add_encoded(url, value);
}
