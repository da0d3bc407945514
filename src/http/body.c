/* SPDX-License-Identifier: ISC */
/* The stages of a body: media type, size, JSON and schema, in this order (C-014, C-016, C-021 to
   C-032). A body of the wrong type or size is refused before it is read or decoded. One answer
   reports the faults of the field table together with the faults of the operation's own check
   (C-098). */
#include "config.h"

#include "daemon/conf.h"
#include "http/http_priv.h"
#include "http/stages_priv.h"
#include "json/tree.h"

static struct str
skip_space(struct str s)
{
	while (s.n > 0 && (s.p[0] == ' ' || s.p[0] == '\t')) {
		s.p++;
		s.n--;
	}
	return s;
}

static struct str
skip_bytes(struct str s, size_t n)
{
	return (struct str){ s.p + n, s.n - n };
}

/* Accepts application/json, alone or with the parameter charset=utf-8, in any case, quoted or not
   (C-021). */
bool
body_media_type(struct str value)
{
	char room[128];
	struct str s;

	if (value.n > sizeof(room))
		return false;
	s = skip_space(str_lower_ascii(room, value));
	if (!str_starts(s, STR("application/json")))
		return false;
	s = skip_space(skip_bytes(s, strlen("application/json")));
	if (s.n == 0)
		return true;
	if (s.p[0] != ';')
		return false;
	s = skip_space(skip_bytes(s, 1));
	if (!str_starts(s, STR("charset=")))
		return false;
	s = skip_bytes(s, strlen("charset="));
	if (str_starts(s, STR("\"utf-8\"")))
		s = skip_bytes(s, strlen("\"utf-8\""));
	else if (str_starts(s, STR("utf-8")))
		s = skip_bytes(s, strlen("utf-8"));
	else
		return false;
	return skip_space(s).n == 0;
}

/* Accepts no Content-Encoding, or identity (C-022). */
bool
body_encoding(struct str value)
{
	char room[32];

	return value.n == 0 ||
	       (value.n <= sizeof(room) && str_is(str_lower_ascii(room, value), "identity"));
}

int
body_check_type(struct req *rq)
{
	if (rq->route->body.fields == NULL)
		return PASS;
	/* The web server passes each Content-Type line as HTTP_CONTENT_TYPE, and one of them as
	   CONTENT_TYPE. */
	if (env_count(rq, "CONTENT_TYPE") != 1 || env_count(rq, "HTTP_CONTENT_TYPE") > 1 ||
	    !body_media_type(env_get(rq, "CONTENT_TYPE")) ||
	    env_count(rq, "HTTP_CONTENT_ENCODING") > 1 ||
	    !body_encoding(env_get(rq, "HTTP_CONTENT_ENCODING")))
		return fail(rq, ERR_UNSUPPORTED_MEDIA_TYPE);
	return PASS;
}

/* Reads the body, up to the limit of its operation (C-023). The declared length is compared
 * before a byte is read, so a body that is too long costs nothing. The declaration is not
 * trusted: at most limit + 1 bytes are read, and that one more byte shows that the limit is
 * exceeded. The buffer has the size of the limit and not of the declared length for the same
 * reason. It is arena memory, which is cleared and given back with the request. */
int
body_read(struct req *rq)
{
	size_t limit = rq->route->body.limit, n = 0, got;
	struct str declared = env_get(rq, "CONTENT_LENGTH");
	int64_t length = 0;
	char *to;

	/* The web server sent a long query string in place of the body; params_read refuses it. */
	if (rq->route->body.fields == NULL || str_is(env_get(rq, "LONG_QUERY"), "1"))
		return PASS;
	if (limit == BODY_CONFIGURED)
		limit = (size_t)conf.body_limit;
	if (declared.n > 0 && (!str_int64(declared, &length) || length > (int64_t)limit))
		return fail(rq, ERR_REQUEST_TOO_LARGE);
	to = arena_alloc(rq->arena, limit + 1);
	while (n <= limit && (got = rq->read(rq->read_arg, to + n, limit + 1 - n)) > 0)
		n += got;
	if (n > limit)
		return fail(rq, ERR_REQUEST_TOO_LARGE);
	rq->body = (struct str){ to, n };
	return PASS;
}

static bool
stop_at_override(void *arg, struct str name, struct json_value *member)
{
	bool *found = arg;

	(void)member;
	*found = is_override_name(name);
	return !*found;
}

/* No schema has an account override as a member, so only a body that is refused anyway can hold one
   (C-011). */
static bool
has_override_member(const struct json_value *top)
{
	bool found = false;

	if (top != NULL && json_type(top) == JSON_OBJECT)
		json_each(top, stop_at_override, &found);
	return found;
}

/* "aggregations[0].limit" is below "aggregations". */
static bool
is_at_or_below(struct str field, const char *member)
{
	size_t n = strlen(member);

	return str_starts(field, str_of(member)) &&
	       (field.n == n || field.p[n] == '.' || field.p[n] == '[');
}

static enum error
error_of_field(const struct body_code *codes, struct str field, const struct json_value *top)
{
	const struct json_value *member;

	for (const struct body_code *c = codes; c != NULL && c->member != NULL; c++) {
		if (!is_at_or_below(field, c->member))
			continue;
		member = json_get(top, c->member);
		return member != NULL && json_type(member) == JSON_NULL ? c->if_null : c->error;
	}
	return ERR_INVALID_REQUEST;
}

static int
fail_body(struct req *rq, const struct decoded *how)
{
	const struct json_value *top = json_parse_body(rq->arena, rq->body);
	enum error e = ERR_INVALID_REQUEST;

	if (has_override_member(top))
		return fail(
		    rq, rq->sign_in != NULL ? ERR_INVALID_ORG_UUID : ERR_API_KEY_ACCOUNT_OVERRIDE);
	if (top != NULL && json_type(top) != JSON_OBJECT)
		return fail_at(rq, e, STR("The body must be a JSON object."));
	if (top != NULL && how->nerrors > 0)
		e = error_of_field(rq->route->body_codes, how->errors[0].field, top);
	return fail_fields(rq, e, how->errors, how->nerrors);
}

void
body_fault(struct body_faults *f, const char *field, const char *code, const char *message)
{
	if (f->n < COUNT(f->rows))
		f->rows[f->n++] = (struct field_error){
			.code = str_of(code), .field = str_of(field), .message = str_of(message)
		};
}

/* Adds the faults that the operation's own check finds to those of the field table. */
static int
check_body(struct req *rq, void *in, struct decoded *how)
{
	struct body_faults *f;

	if (rq->route->body.check == NULL)
		return how->nerrors > 0 ? fail_body(rq, how) : PASS;
	f = ARENA_NEW(rq->arena, struct body_faults);
	while (f->n < how->nerrors && f->n < COUNT(f->rows)) {
		f->rows[f->n] = how->errors[f->n];
		f->n++;
	}
	if (rq->route->body.check(rq, in, f) != PASS)
		return FAILED;
	how->errors = f->rows;
	how->nerrors = f->n;
	return f->n > 0 ? fail_body(rq, how) : PASS;
}

int
body_decode(struct req *rq)
{
	const struct body *want = &rq->route->body;
	struct decoded how = { 0 };
	void *in;

	if (want->fields == NULL)
		return PASS;
	in = arena_alloc(rq->arena, want->size);
	switch (json_decode(rq->arena, rq->body, want->fields, rq->now, in, &how)) {
	case JSON_OK:
	case JSON_FIELDS:
		rq->in = in;
		return check_body(rq, in, &how);
	case JSON_INVALID:
		return fail_at(rq, ERR_INVALID_JSON,
		    arena_printf(rq->arena, "The body is not valid JSON: %s at byte %zu.",
			how.fault.what, how.fault.at));
	case JSON_REFUSED:
		return fail(rq, ERR_INTERNAL_ERROR);
	}
	panic("json_rc out of range");
}
