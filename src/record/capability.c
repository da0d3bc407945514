/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "record/capability.h"
#include "record/record_priv.h"

/* A marker is near the beginning of an answer, so only this many bytes are searched. */
enum { LOOK_AT = 64 * 1024 };

enum where { IN_BODY, IN_WHOLE, IN_TITLE, IN_PREFIX, IN_SUFFIX, IN_HEADER, IN_ASKS };

static const struct row {
	enum where in;
	struct str path;
	int64_t status;
	struct str marker, capabilities;
} rows[] = {
#define RECOGNISE(in, path, status, marker, capabilities)                                          \
	{ IN_##in, STR_INIT(path), status, STR_INIT(marker), STR_INIT(capabilities) },
#define RECOGNISE_PAGE(title, in, marker, capabilities)
#include "tbl/capabilities.h"
#undef RECOGNISE
#undef RECOGNISE_PAGE
};

static const struct page {
	struct str title;
	enum { BESIDE_SERVER, BESIDE_HEADER } in;
	struct str marker, capabilities;
} pages[] = {
#define RECOGNISE(in, path, status, marker, capabilities)
#define RECOGNISE_PAGE(title, in, marker, capabilities)                                            \
	{ STR_INIT(title), BESIDE_##in, STR_INIT(marker), STR_INIT(capabilities) },
#include "tbl/capabilities.h"
#undef RECOGNISE
#undef RECOGNISE_PAGE
};

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Compares s with the marker. White space in s is skipped, but not before its first character. */
static bool
begins_with_marker(struct str s, struct str marker)
{
	size_t at = 0;

	for (size_t i = 0; i < s.n && at < marker.n; i++) {
		if (at > 0 && is_blank(s.p[i]))
			continue;
		if (s.p[i] != marker.p[at])
			return false;
		at++;
	}
	return at == marker.n;
}

static bool
has_marker(struct str body, struct str marker)
{
	size_t from = 0;

	body.n = body.n < LOOK_AT ? body.n : LOOK_AT;
	while (from < body.n) {
		const char *p = memchr(body.p + from, marker.p[0], body.n - from);

		if (p == NULL)
			return false;
		from = (size_t)(p - body.p);
		if (begins_with_marker((struct str){ p, body.n - from }, marker))
			return true;
		from++;
	}
	return false;
}

static bool
contains_nocase(struct str s, struct str marker)
{
	for (size_t i = 0; i + marker.n <= s.n; i++)
		if (strncasecmp(s.p + i, marker.p, marker.n) == 0)
			return true;
	return false;
}

static bool
fits_answer(const struct row *r, const struct web_answer *w)
{
	switch (r->in) {
	case IN_WHOLE:
		return str_eq(w->body, r->marker);
	case IN_BODY:
		return has_marker(w->body, r->marker);
	case IN_ASKS:
		return contains_nocase(w->asks, r->marker);
	case IN_TITLE:
	case IN_PREFIX:
	case IN_SUFFIX:
	case IN_HEADER:
		return false; /* these rows are for members of a service (fits_members) */
	}
	/* UNCOVERED: the switch is complete */
	panic("a row of tbl/capabilities.h of %d", (int)r->in);
}

struct str
capability_of_answer(const struct web_answer *w)
{
	struct str rest = w->path, path;

	if (!str_part(&rest, '?', &path))
		return STR_NULL;
	for (size_t i = 0; i < COUNT(rows); i++)
		if (rows[i].status == w->status && str_eq(rows[i].path, path) &&
		    fits_answer(&rows[i], w))
			return rows[i].capabilities;
	return STR_NULL;
}

/* ---- members of a service ---- */

static bool
has_header(const struct record_object *service, struct str marker)
{
	const struct str *headers;
	size_t n = record_texts(service, "http.headers", &headers);

	for (size_t i = 0; i < n; i++)
		if (contains_nocase(headers[i], marker))
			return true;
	return false;
}

static bool
fits_members(const struct row *r, const struct record_object *service)
{
	struct str title = record_text(service, "http.title");
	int64_t status;

	if (record_int(service, "http.status_code", &status) && status != r->status)
		return false;
	switch (r->in) {
	case IN_TITLE:
		return str_eq(title, r->marker);
	case IN_PREFIX:
		return str_starts(title, r->marker);
	case IN_SUFFIX:
		return str_ends(title, r->marker);
	case IN_HEADER:
		return has_header(service, r->marker);
	case IN_BODY:
	case IN_WHOLE:
	case IN_ASKS:
		return false; /* these rows are for answers (capability_of_answer) */
	}
	/* UNCOVERED: the switch is complete */
	panic("a row of tbl/capabilities.h of %d", (int)r->in);
}

static bool
is_page(const struct page *p, const struct record_object *service)
{
	int64_t status;

	if (record_int(service, "http.status_code", &status) && status != 200)
		return false;
	return str_eq(record_text(service, "http.title"), p->title) &&
	       (p->in == BESIDE_SERVER
		       ? contains_nocase(record_text(service, "http.server"), p->marker)
		       : has_header(service, p->marker));
}

/* Makes a new list, because the present one may be shared with another record (record_merge). */
static void
add_capabilities(struct arena *a, struct record_object *service, struct str names)
{
	const struct str *had;
	size_t n = record_texts(service, "http.capabilities", &had), most = n + names.n;
	struct record_value v = { .set = true, .texts = { ARENA_ARRAY(a, most, struct str), n } };
	struct str name;

	for (size_t i = 0; i < n; i++)
		v.texts.p[i] = had[i];
	while (str_part(&names, ' ', &name))
		v.texts.p[v.texts.n++] = name;
	record_sort_texts(&v);
	if (v.texts.n <= LIM_LIST)
		*record_make(a, service, "http.capabilities") = v;
}

void
record_derive_capabilities(struct arena *a, struct record_object *service)
{
	if (record_text(service, "http.title").p == NULL &&
	    record_texts(service, "http.headers", &(const struct str *){ NULL }) == 0)
		return;
	for (size_t i = 0; i < COUNT(rows); i++)
		if (fits_members(&rows[i], service))
			add_capabilities(a, service, rows[i].capabilities);
	for (size_t i = 0; i < COUNT(pages); i++)
		if (is_page(&pages[i], service))
			add_capabilities(a, service, pages[i].capabilities);
}
