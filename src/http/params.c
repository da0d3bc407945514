/* SPDX-License-Identifier: ISC */
/* The stage of URL parameters: decodes the raw query string into the struct that the route's
 * table describes (C-031, C-056 to C-058). Unknown and repeated parameters are refused, so that
 * a misspelt filter is never ignored and returns more than the client asked for.
 *
 * The raw string is split at & and = before anything is decoded: an encoded & belongs to its
 * value. Answers name the parameter and never repeat its value, which may be a secret that was
 * pasted into the wrong place; an unknown name is shown encoded and cut (params_shown). */
#include "config.h"

#include "base/limits.h"
#include "http/http_priv.h"
#include "http/stages_priv.h"

#include <ctype.h>

/* The byte of "%xx" at i, or -1. */
static int
escaped_byte(struct str s, size_t i)
{
	int hi, lo;

	if (s.n - i < 3)
		return -1;
	hi = ascii_hex(s.p[i + 1]);
	lo = ascii_hex(s.p[i + 2]);
	return hi < 0 || lo < 0 ? -1 : hi << 4 | lo;
}

bool
percent_decode(struct arena *a, struct str part, enum plus plus, struct str *out)
{
	char *to = arena_alloc(a, part.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < part.n; i++) {
		int c = (unsigned char)part.p[i];

		if (c == '%') {
			c = escaped_byte(part, i);
			i += 2;
		} else if (c == '+' && plus == PLUS_IS_SPACE) {
			c = ' ';
		}
		if (c <= 0)
			return false;
		to[n++] = (char)c;
	}
	*out = (struct str){ to, n };
	return str_utf8_bad(*out) == n;
}

struct pair {
	struct str name, value; /* raw */
};

/* Finds the next "name=value" of a query string and skips empty pairs ("a&&b"). False at the
   end. */
static bool
next_pair(struct str *query, struct pair *out)
{
	struct str item;

	while (str_part(query, '&', &item)) {
		if (item.n == 0)
			continue;
		out->name = str_until(&item, '=');
		out->value = item.p == NULL ? STR("") : item;
		return true;
	}
	return false;
}

#define ORG_UUID "org_uuid"

/* The names with which clients of similar APIs select an account (C-011). A person may use the
   first (C-327). */
bool
is_override_name(struct str name)
{
	static const char *const names[] = { ORG_UUID, "organisation_uuid", "organization_id",
		"account_uuid" };

	for (size_t i = 0; i < COUNT(names); i++)
		if (str_is(name, names[i]))
			return true;
	return false;
}

void
params_account(struct arena *a, struct str query, struct account_params *out)
{
	struct str name, value;
	struct pair p;

	*out = (struct account_params){ 0 };
	while (next_pair(&query, &p)) {
		if (p.name.n > 128 || !percent_decode(a, p.name, PLUS_IS_SPACE, &name) ||
		    !is_override_name(name))
			continue;
		if (!str_is(name, ORG_UUID)) {
			out->other++;
			continue;
		}
		out->named++;
		out->org = percent_decode(a, p.value, PLUS_IS_SPACE, &value) ? value : STR("");
	}
}

enum error
area_bad_parameter(enum area area)
{
	switch (area) {
	case AREA_SEARCH:
		return ERR_INVALID_SEARCH_PARAMETER;
	case AREA_SERVICE:
		return ERR_INVALID_REQUEST;
	case AREA_UNSET:
		break;
	}
	panic("the route has no area");
}

/* The answer names the parameter and never repeats its value. */
static int
fail_parameter(struct req *rq, const struct url_param *p, const char *code, const char *what)
{
	enum error e = p->error == ERR_UNSET ? area_bad_parameter(rq->area) : p->error;
	struct field_error fe = {
		.code = str_of(code), .field = str_of(p->field.name), .message = str_of(what)
	};

	return fail_fields(rq, e, &fe, 1);
}

static const char *
describe_bounds(struct req *rq, const struct url_param *p, const char *unit)
{
	return arena_printf(rq->arena, "must %s from %jd to %jd%s", *unit == '\0' ? "be" : "have",
	    (intmax_t)p->field.lo, (intmax_t)p->field.hi, unit)
	    .p;
}

static int
set_text_param(struct req *rq, const struct url_param *p, struct str value, void *out)
{
	size_t chars = str_chars(value);

	if (p->field.hi > 0 && (int64_t)chars < p->field.lo)
		return fail_parameter(rq, p, "too_short", describe_bounds(rq, p, " characters"));
	if (p->field.hi > 0 && (int64_t)chars > p->field.hi)
		return fail_parameter(rq, p, "too_long", describe_bounds(rq, p, " characters"));
	if (p->field.values != NULL) {
		const char *const *v = p->field.values;

		while (*v != NULL && !str_is(value, *v))
			v++;
		if (*v == NULL)
			return fail_parameter(rq, p, "unsupported",
			    arena_str(rq->arena, json_one_of(rq->arena, p->field.values)).p);
	}
	memcpy((char *)out + p->field.offset, &value, sizeof(value));
	return PASS;
}

/* Accepts the one spelling of a number: decimal digits without a leading zero. A number below zero
   is read, so that its refusal has the range. */
static bool
plain_integer(struct str s, int64_t *out)
{
	size_t sign = s.n > 0 && s.p[0] == '-';

	if (s.n == sign || s.p[0] == '+' || (s.p[sign] == '0' && s.n > 1))
		return false;
	return str_int64(s, out);
}

static int
set_integer_param(struct req *rq, const struct url_param *p, struct str value, void *out)
{
	int64_t n;

	if (!plain_integer(value, &n))
		return fail_parameter(rq, p, "invalid_type", "must be an integer");
	if (n < p->field.lo || n > p->field.hi)
		return fail_parameter(rq, p, "out_of_range", describe_bounds(rq, p, ""));
	memcpy((char *)out + p->field.offset, &n, sizeof(n));
	return PASS;
}

static int
set_uuid_param(struct req *rq, const struct url_param *p, struct str value, void *out)
{
	struct uuid u;

	if (!uuid_parse(value, &u))
		return fail_parameter(rq, p, "invalid_format", "must be a UUID");
	memcpy((char *)out + p->field.offset, &u, sizeof(u));
	return PASS;
}

static int
set_param(struct req *rq, const struct url_param *p, struct str value, void *out)
{
	if (p->field.type == FIELD_STR)
		return set_text_param(rq, p, value, out);
	if (p->field.type == FIELD_INT)
		return set_integer_param(rq, p, value, out);
	if (p->field.type == FIELD_UUID)
		return set_uuid_param(rq, p, value, out);
	panic("URL parameter %s has type %d", p->field.name, (int)p->field.type);
}

static const struct url_param *
find_param(const struct url_param *p, struct str name)
{
	for (; p != NULL && p->field.type != FIELD_NONE; p++)
		if (str_is(name, p->field.name))
			return p;
	return NULL;
}

static void
set_defaults(const struct url_param *p, void *out)
{
	for (; p != NULL && p->field.type != FIELD_NONE; p++)
		if (p->field.type == FIELD_INT)
			memcpy((char *)out + p->field.offset, &p->field.def, sizeof(int64_t));
}

static int
fail_query(struct req *rq, const char *what)
{
	return fail_at(rq, area_bad_parameter(rq->area), str_of(what));
}

enum { NAME_SHOWN = 40 };

struct str
params_shown(struct arena *a, struct str name)
{
	struct buf b = { .a = a };

	for (size_t i = 0; i < name.n && i < NAME_SHOWN; i++) {
		unsigned char c = (unsigned char)name.p[i];

		if (c < 0x80 && (isalnum(c) || strchr("_.-[]", c) != NULL))
			buf_char(&b, (char)c);
		else
			buf_printf(&b, "%%%02X", c);
	}
	if (name.n > NAME_SHOWN)
		buf_z(&b, "...");
	return buf_done(&b);
}

static int
fail_unknown_param(struct req *rq, struct str name)
{
	const struct url_param *known = rq->route->params;
	struct buf b = { .a = rq->arena };
	struct field_error fe = { .code = STR("unknown_field") };
	struct guess g;

	if (name.n == 0)
		return fail_query(rq, "The query string has a parameter without a name.");
	guess_begin(&g, name);
	buf_z(&b, known == NULL ? "is unknown; the operation takes no parameter"
				: "is unknown; the operation takes ");
	for (const struct url_param *p = known; p != NULL && p->field.type != FIELD_NONE; p++) {
		guess_try(&g, str_of(p->field.name), p->field.name);
		buf_printf(&b, "%s%s", p > known ? ", " : "", p->field.name);
	}
	if (g.found != NULL)
		buf_printf(&b, "; did you mean %s?", g.found);
	fe.field = params_shown(rq->arena, name);
	fe.message = buf_done(&b);
	return fail_fields(rq, area_bad_parameter(rq->area), &fe, 1);
}

static int
read_pair(struct req *rq, const struct pair *pair, uint64_t *seen, void *out)
{
	const struct route *r = rq->route;
	const struct url_param *p;
	struct str name, value;

	if (!percent_decode(rq->arena, pair->name, PLUS_IS_SPACE, &name) ||
	    !percent_decode(rq->arena, pair->value, PLUS_IS_SPACE, &value))
		return fail_query(rq, "The query string has an invalid percent escape, a "
				      "NUL or invalid UTF-8.");
	/* organisation.c has read it. */
	if (rq->sign_in != NULL && str_is(name, ORG_UUID))
		return PASS;
	p = find_param(r->params, name);
	if (p == NULL)
		return fail_unknown_param(rq, name);
	if (*seen & 1ull << (p - r->params))
		return fail_parameter(rq, p, "duplicate", "is repeated");
	*seen |= 1ull << (p - r->params);
	return set_param(rq, p, value, out);
}

/* The web server sends a query string above QUERY_STRING_BESIDE_BODY in place of the body
   (LONG_QUERY). */
static bool
body_was_replaced(const struct req *rq)
{
	return rq->route->body.fields != NULL && str_is(env_get(rq, "LONG_QUERY"), "1");
}

static int
check_query_length(struct req *rq)
{
	int most = body_was_replaced(rq) ? LIM_QUERY_STRING_BESIDE_BODY : LIM_QUERY_STRING;

	if (rq->query_string.n <= (size_t)most)
		return PASS;
	return fail_query(rq, arena_printf(rq->arena,
				  "The query string is longer than %d bytes, the limit %s a body.",
				  most, rq->route->body.fields == NULL ? "without" : "with")
				  .p);
}

int
params_read(struct req *rq)
{
	const struct route *r = rq->route;
	struct str query = rq->query_string;
	void *out = arena_alloc(rq->arena, r->params_size + 1);
	struct pair pair;
	uint64_t seen = 0;

	if (check_query_length(rq) != PASS)
		return FAILED;
	set_defaults(r->params, out);
	while (next_pair(&query, &pair))
		if (read_pair(rq, &pair, &seen, out) != PASS)
			return FAILED;
	for (const struct url_param *p = r->params; p != NULL && p->field.type != FIELD_NONE; p++)
		if (p->field.flags & REQUIRED && !(seen & 1ull << (p - r->params)))
			return fail_parameter(rq, p, "required", "is required");
	rq->params = out;
	return PASS;
}
