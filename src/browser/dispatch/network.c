/* SPDX-License-Identifier: ISC */
/* Network events from runners: decoded by the field table, redacted, and written again. Runners
 * redact as well, but a page may have taken a runner over, so nothing of its JSON is stored as
 * it came. Texts have the bounds of the table, unknown members are refused, and values of
 * members of type FIELD_RAW are checked to be counts, because the table takes any JSON for them. */
#include "config.h"

#include "browser/dispatch/evidence.h"
#include "wire/header.h"
#include "wire/stream_messages.h"

static const struct str redacted = STR_INIT("[redacted]");

static void
redact_headers(struct list headers)
{
	struct net_header *h = headers.items;

	for (size_t i = 0; i < headers.n; i++)
		if (header_secret(h[i].name))
			h[i].value = redacted;
}

/* Replaces the user information of a URL: everything between "://" and the last "@" of the
   authority. */
static struct str
redact_url(struct arena *a, struct str url)
{
	const char *end, *at = NULL, *host;

	host = url.n < 3 ? NULL : memmem(url.p, url.n, "://", 3);
	if (host == NULL)
		return url;
	host += 3;
	for (end = host; end < url.p + url.n && *end != '/' && *end != '?' && *end != '#'; end++)
		if (*end == '@')
			at = end;
	if (at == NULL)
		return url;
	return arena_printf(a, "%.*s%.*s%.*s", (int)(host - url.p), url.p, (int)redacted.n,
	    redacted.p, (int)(url.p + url.n - at), at);
}

/* Whether a member is absent, null or an integer. */
static bool
is_count(struct json j)
{
	enum { DIGITS_MAX = 15 };

	if (j.text.p == NULL || str_is(j.text, "null"))
		return true;
	for (size_t i = 0; i < j.text.n; i++)
		if (j.text.p[i] < '0' || j.text.p[i] > '9')
			return false;
	return j.text.n > 0 && j.text.n <= DIGITS_MAX;
}

static bool
clean_event(struct arena *a, struct str text, struct str *out)
{
	struct decoded how = { 0 };
	struct net_event e = { .bytes_sent = 0 };
	struct buf b = { .a = a };

	if (json_decode(a, text, net_event_fields, ts_now(), &e, &how) != JSON_OK ||
	    !is_count(e.status) || !is_count(e.remote_port) || !is_count(e.duration_ms))
		return false;
	redact_headers(e.request_headers);
	redact_headers(e.response_headers);
	e.url = redact_url(a, e.url);
	e.redirected_from = redact_url(a, e.redirected_from);
	json_write(&b, net_event_fields, &e);
	*out = buf_done(&b);
	return true;
}

bool
network_clean(struct arena *a, struct list events, struct strs *out)
{
	const struct json *in = events.items;
	struct str *docs = ARENA_ARRAY(a, events.n + 1, struct str);

	*out = (struct strs){ docs, events.n };
	for (size_t i = 0; i < events.n; i++)
		if (!clean_event(a, in[i].text, &docs[i]))
			return false;
	return true;
}
