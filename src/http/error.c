/* SPDX-License-Identifier: ISC */
/* Error answers. Search operations and all others have different envelopes (C-060, C-061);
   wire/error.h writes both, and this file chooses the message. A message never repeats text that
   only the client knows (C-062). */
#include "config.h"

#include "http/http_priv.h"

/* Answers with the error. A null message: the one of the error's row. */
static void
write_answer(struct req *rq, enum error e, struct str message, struct field_error *fe, size_t n)
{
	struct buf *b = reply_begin(rq, error_status(e));

	rq->error = e;
	rq->retry_after = 0;
	rq->location = NULL;
	error_write(b, e,
	    &(struct error_details){ .message = message,
		.request_id = str_of(rq->id),
		.bare = rq->area == AREA_SEARCH,
		.fields = fe,
		.n = n });
}

void
answer_error(struct req *rq, enum error e, struct str message)
{
	write_answer(rq, e, message, NULL, 0);
}

/* True when the message may repeat this path of a member or this name of a parameter. An unknown
   name is the client's own text (C-062), so it must be short and plain. */
static bool
is_safe_name(struct str field)
{
	for (size_t i = 0; i < field.n; i++) {
		char c = field.p[i];

		if (!(ascii_alnum(c) || c == '_' || c == '-' || c == '.' || c == '[' || c == ']' ||
			c == '%'))
			return false;
	}
	return field.n > 0 && field.n <= 128;
}

void
answer_field_errors(struct req *rq, enum error e, struct field_error *fe, size_t n)
{
	struct str message = STR_NULL;

	if (n > 0 && is_safe_name(fe[0].field))
		message = arena_printf(rq->arena, "%s %.*s: %.*s%s", error_message(e),
		    (int)fe[0].field.n, fe[0].field.p, (int)fe[0].message.n, fe[0].message.p,
		    str_ends(fe[0].message, STR("?")) ? "" : ".");
	write_answer(rq, e, message, fe, n);
}

int
fail_field(struct req *rq, const char *field, const char *code, const char *message)
{
	struct field_error fe = {
		.code = str_of(code), .field = str_of(field), .message = str_of(message)
	};

	return fail_fields(rq, ERR_INVALID_REQUEST, &fe, 1);
}

int
fail_faults(struct req *rq, struct body_faults *faults)
{
	return fail_fields(rq, ERR_INVALID_REQUEST, faults->rows, faults->n);
}

/* The only function that maps results of the database to errors of the API. A conflict that the
   handler did not expect is a fault of this program. */
enum error
error_of_db(struct req *rq, enum db_rc rc)
{
	bool search = rq->area == AREA_SEARCH;

	switch (rc) {
	case DB_OK:
	case DB_NONE:
		break;
	case DB_CONFLICT:
		return ERR_INTERNAL_ERROR;
	case DB_TIMEOUT:
		return search ? ERR_SEARCH_TIMEOUT : ERR_SERVICE_UNAVAILABLE;
	case DB_DOWN:
		log_event(LOGP_ERR, "database", "req=%s why=\"%s\"", rq->id, db_message(rq->db));
		return search ? ERR_SEARCH_UNAVAILABLE : ERR_SERVICE_UNAVAILABLE;
	}
	panic("fail_db was called with db_rc %d", (int)rc);
}
