/* SPDX-License-Identifier: ISC */
/* The two forms of an error response: responses of search have no field_errors, all others have
   (C-060, C-061). */
#include "config.h"

#include "base/limits.h"
#include "wire/error.h"

static const struct {
	int status;
	const char *code, *message;
} errors[ERRORS] = {
#define ERROR(id, status, code, message) [ERR_##id] = { status, code, message },
#include "tbl/errors.h"
#undef ERROR
};

static const struct {
	int status;
	const char *reason;
} reasons[] = {
	{ 200, "OK" },
	{ 201, "Created" },
	{ 202, "Accepted" },
	{ 304, "Not Modified" },
	{ 400, "Bad Request" },
	{ 401, "Unauthorized" },
	{ 403, "Forbidden" },
	{ 404, "Not Found" },
	{ 405, "Method Not Allowed" },
	{ 409, "Conflict" },
	{ 413, "Content Too Large" },
	{ 415, "Unsupported Media Type" },
	{ 426, "Upgrade Required" },
	{ 429, "Too Many Requests" },
	{ 500, "Internal Server Error" },
	{ 502, "Bad Gateway" },
	{ 503, "Service Unavailable" },
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

const char *
status_reason(int status)
{
	for (size_t i = 0; i < COUNT(reasons); i++)
		if (reasons[i].status == status)
			return reasons[i].reason;
	return "Status";
}

/* ---- the envelope: {"error": {...}} ---- */

struct failure {
	struct str code, message, request_id;
	struct list field_errors; /* unset: the bare form */
};

struct envelope {
	struct failure error;
};

static const struct field field_error_out[] = {
	FIELD(struct field_error, code, 0),
	FIELD(struct field_error, field, 0),
	FIELD(struct field_error, message, 0),
	FIELD_END,
};

static const struct field failure_out[] = {
	FIELD(struct failure, code, 0),
	FIELD(struct failure, message, 0),
	FIELD(struct failure, request_id, 0),
	LIST(struct failure, field_errors, OMIT_UNSET, struct field_error, field_error_out, 0, 0),
	FIELD_END,
};

static const struct field envelope_out[] = {
	OBJECT(struct envelope, error, 0, failure_out),
	FIELD_END,
};

void
error_write(struct buf *b, enum error e, const struct error_details *details)
{
	struct field_error none = { 0 }; /* an empty list has an address, an unset one has not */
	struct envelope answer = {
		.error = {
			.code = str_of(errors[e].code),
			.message = details->message.n > 0
				       ? str_cut(details->message, LIM_ERROR_MESSAGE)
				       : str_of(errors[e].message),
			.request_id = details->request_id,
		},
	};

	if (!details->bare)
		answer.error.field_errors =
		    (struct list){ details->n > 0 ? details->fields : &none, details->n };
	json_write(b, envelope_out, &answer);
}
