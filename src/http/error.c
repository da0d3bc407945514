/* SPDX-License-Identifier: ISC */
/* The two envelopes (SPEC 2.3): search's has no field_errors, the others' always has (C-060, C-061). */
#include "config.h"

#include "http/http_priv.h"
#include "base/limits.h"

struct error_row {
	int status;
	const char *code, *message;
};

static const struct error_row errors[ERRORS] = {
#define ERROR(id, status, code, message) [ERR_##id] = { status, code, message },
#include "tbl/errors.h"
#undef ERROR
};

int
error_status(enum error e)
{
	return errors[e].status;
}

const char *
error_code(enum error e)
{
	return errors[e].code;
}

const char *
error_message(enum error e)
{
	return errors[e].message;
}

/* At most LIM_ERROR_MESSAGE characters of a valid text (C-062). */
static struct str
cut(struct str s)
{
	size_t chars = 0, i = 0;

	for (; i < s.n; i++) {
		if (((unsigned char)s.p[i] & 0xc0) == 0x80)
			continue;
		if (chars++ == LIM_ERROR_MESSAGE)
			break;
	}
	return (struct str){ s.p, i };
}

static void
write_field_errors(struct buf *b, const struct field_error *fe, size_t n)
{
	buf_z(b, ",\"field_errors\":[");
	for (size_t i = 0; i < n; i++) {
		buf_z(b, i > 0 ? ",{\"code\":" : "{\"code\":");
		json_write_str(b, str_of(fe[i].code));
		buf_z(b, ",\"field\":");
		json_write_str(b, fe[i].field);
		buf_z(b, ",\"message\":");
		json_write_str(b, fe[i].message);
		buf_char(b, '}');
	}
	buf_char(b, ']');
}

static int
write_error(struct req *rq, enum error e, struct str message,
    const struct field_error *fe, size_t n)
{
	struct buf *b = reply_begin(rq, errors[e].status);

	rq->error = e;
	rq->retry_after = 0;
	rq->location = NULL;
	buf_z(b, "{\"error\":{\"code\":");
	json_write_str(b, str_of(errors[e].code));
	buf_z(b, ",\"message\":");
	json_write_str(b, cut(message));
	buf_z(b, ",\"request_id\":");
	json_write_str(b, str_of(rq->id));
	if (rq->area != AREA_SEARCH)
		write_field_errors(b, fe, n);
	buf_z(b, "}}");
	return FAILED;
}

int
fail(struct req *rq, enum error e)
{
	return write_error(rq, e, str_of(errors[e].message), NULL, 0);
}

int
fail_at(struct req *rq, enum error e, struct str message)
{
	return write_error(
	    rq, e, message.n > 0 ? message : str_of(errors[e].message), NULL, 0);
}

/* A member's path as we may repeat it: an unknown member's name is the client's text (C-062). */
static bool
showable(struct str field)
{
	for (size_t i = 0; i < field.n; i++) {
		char c = field.p[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			(c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.' ||
			c == '[' || c == ']'))
			return false;
	}
	return field.n > 0 && field.n <= 128;
}

int
fail_fields(struct req *rq, enum error e, const struct field_error *fe, size_t n)
{
	struct str message = str_of(errors[e].message);

	if (n > 0 && showable(fe[0].field))
		message = arena_printf(rq->arena, "%s %.*s: %.*s.", errors[e].message,
		    (int)fe[0].field.n, fe[0].field.p, (int)fe[0].message.n,
		    fe[0].message.p);
	return write_error(rq, e, message, fe, n);
}

int
fail_field(struct req *rq, const char *field, const char *code, const char *message)
{
	struct field_error fe = {
		.code = code, .field = str_of(field), .message = str_of(message)
	};

	return fail_fields(rq, ERR_INVALID_REQUEST, &fe, 1);
}

int
fail_retry(struct req *rq, enum error e, int seconds)
{
	fail(rq, e);
	rq->retry_after = seconds;
	return FAILED;
}

int
fail_db(struct req *rq, enum db_rc rc) /* the only place that knows */
{
	bool search = rq->area == AREA_SEARCH;

	switch (rc) {
	case DB_OK:
	case DB_NONE:
		break;
	case DB_CONFLICT:
		return fail(rq, ERR_INTERNAL_ERROR);
	case DB_TIMEOUT:
		return fail(rq, search ? ERR_SEARCH_TIMEOUT : ERR_SERVICE_UNAVAILABLE);
	case DB_DOWN:
		log_event(LOGP_ERR, "database", "req=%s why=\"%s\"", rq->id,
		    db_message(rq->db));
		return fail(
		    rq, search ? ERR_SEARCH_UNAVAILABLE : ERR_SERVICE_UNAVAILABLE);
	}
	panic("fail_db of %d", (int)rc);
}
