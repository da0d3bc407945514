/* SPDX-License-Identifier: ISC */
/* The router: finds the row of a raw request target. The path is split before its segments are
   decoded, so an encoded '/', '?' or dot segment cannot turn one path into another. An encoded '/'
   is a character of a parameter, as in the name 0/25.2.0.192.in-addr.arpa; a path with another one
   matches no row. A linear search through some sixty rows is too short to need an index. */
#include "config.h"

#include "http/http_priv.h"

enum { SEGMENTS_MAX = 16 };

const char *const method_names[] = { "", "GET", "POST", "PUT", "PATCH", "DELETE" };

struct segments {
	struct str part[SEGMENTS_MAX];
	size_t n;
};

static bool
add_segment(struct arena *a, struct segments *s, struct str raw)
{
	struct str *part = &s->part[s->n];

	if (s->n == SEGMENTS_MAX || !percent_decode(a, raw, PLUS_IS_PLUS, part))
		return false;
	for (size_t i = 0; i < part->n; i++)
		if (part->p[i] == '?' || part->p[i] == '\\')
			return false;
	s->n++;
	return part->n > 0 && !str_is(*part, ".") && !str_is(*part, "..");
}

/* Splits "/a/b" into its segments. False for "", "//", a trailing '/' and segments that no route
   can have. */
static bool
split_path(struct arena *a, struct str path, struct segments *s)
{
	s->n = 0;
	while (path.n > 0) {
		const char *end;
		struct str raw;

		if (path.p[0] != '/')
			return false;
		path.p++;
		path.n--;
		end = path.n == 0 ? NULL : memchr(path.p, '/', path.n);
		raw = (struct str){ path.p, end == NULL ? path.n : (size_t)(end - path.p) };
		if (!add_segment(a, s, raw))
			return false;
		path.p += raw.n;
		path.n -= raw.n;
	}
	return s->n > 0;
}

/* Finds the next segment of a route's pattern. False at its end. */
static bool
next_pattern(const char **pattern, struct str *out)
{
	if (**pattern == '\0')
		return false;
	(*pattern)++;
	*out = (struct str){ *pattern, strcspn(*pattern, "/") };
	*pattern += out->n;
	return true;
}

/* Returns 0 when the path does not match the pattern. Otherwise each segment adds a bit, which
 * is 1 for a literal and 0 for a parameter, and the largest score wins:
 *
 *   path      /a/7/b/count
 *   pattern   /a/{x}/b/{y}      1 1 0 1 0
 *   pattern   /a/{x}/b/count    1 1 0 1 1     wins, in whatever order the rows are
 *
 * The method plays no part, or a wrong method would select another path: the answer to it has to
 * be 405 with the methods of the best path (Allow). */
static unsigned
score_pattern(const char *pattern, const struct segments *s, size_t from)
{
	unsigned score = 1;
	struct str want;

	for (size_t i = from; i < s->n; i++) {
		if (!next_pattern(&pattern, &want))
			return 0;
		score <<= 1;
		if (want.n > 0 && want.p[0] == '{')
			continue;
		if (!str_eq(want, s->part[i]))
			return 0;
		score |= 1;
	}
	return *pattern == '\0' ? score : 0;
}

static void
capture_segments(
    const char *pattern, const struct segments *s, size_t from, struct router_match *out)
{
	struct str want;

	out->ncaptured = 0;
	for (size_t i = from; next_pattern(&pattern, &want); i++) {
		if (want.p[0] != '{')
			continue;
		if (out->ncaptured == PATH_PARAMS)
			panic("%s has too many parameters", out->route->path);
		out->captured[out->ncaptured++] = s->part[i];
	}
}

/* HEAD is answered like GET; the web server leaves the body out. */
static bool
method_fits(enum method m, struct str method)
{
	return str_is(method, method_names[m]) || (m == METHOD_GET && str_is(method, "HEAD"));
}

static void
add_allow(struct buf *allow, enum method m)
{
	if (allow->n > 0)
		buf_z(allow, ", ");
	buf_z(allow, m == METHOD_GET ? "GET, HEAD" : method_names[m]);
}

/* True for paths below /api/v1 (C-001); from is the first segment behind the prefix. */
static bool
is_below_prefix(const struct segments *s, size_t *from)
{
	*from = 2;
	return s->n > 2 && str_is(s->part[0], "api") && str_is(s->part[1], "v1");
}

enum match
router_match(struct arena *a, const struct route *const *tables, struct str method, struct str uri,
    struct router_match *out)
{
	struct buf allow = { .a = a };
	unsigned best = 0, score;
	struct segments s;
	size_t from;

	*out = (struct router_match){ .area = AREA_SERVICE };
	uri = str_until(&uri, '?');
	if (str_starts(uri, STR("/api/v1/search/")))
		out->area = AREA_SEARCH;
	if (!split_path(a, uri, &s) || !is_below_prefix(&s, &from))
		return MATCH_NONE;
	for (; *tables != NULL; tables++)
		for (const struct route *r = *tables; r->method != METHOD_UNSET; r++) {
			score = score_pattern(r->path, &s, from);
			if (score == 0 || score < best)
				continue;
			if (score > best) {
				best = score;
				allow.n = 0;
				out->route = NULL;
			}
			out->area = r->area;
			add_allow(&allow, r->method);
			if (method_fits(r->method, method))
				out->route = r;
		}
	if (out->route != NULL) {
		out->area = out->route->area;
		capture_segments(out->route->path, &s, from, out);
		return MATCH_FOUND;
	}
	if (allow.n == 0)
		return MATCH_NONE;
	buf_char(&allow, '\0');
	out->allow = allow.p;
	return MATCH_METHOD;
}

static const char *
missing_column(const struct route *r)
{
	if (r->handler == NULL)
		return "handler";
	if (r->scope == SCOPE_UNSET)
		return "scope";
	if (r->access == ACCESS_UNSET)
		return "access";
	if (r->meter == METER_UNSET)
		return "meter";
	if (r->area == AREA_UNSET)
		return "area";
	if (r->entitlement == ENTITLEMENT_UNSET)
		return "entitlement";
	if (r->access == ACCESS_PROJECT && strncmp(r->path, "/projects/{project_uuid}", 24) != 0)
		return "project in its path";
	return NULL;
}

bool
routes_check(const struct route *const *tables, char *err, size_t room)
{
	for (; *tables != NULL; tables++)
		for (const struct route *r = *tables; r->method != METHOD_UNSET; r++) {
			const char *lacks = missing_column(r);

			if (lacks == NULL)
				continue;
			snprintf(err, room, "route %s has no %s", r->path, lacks);
			return false;
		}
	return true;
}
