/* SPDX-License-Identifier: ISC */
/* The two forms of an error response (SPEC 2.3): responses of search have no field_errors, all
   others have (C-060, C-061). */
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

void
error_write(struct buf *b, enum error e, const struct error_details *details)
{
	buf_z(b, "{\"error\":{\"code\":");
	json_write_str(b, str_of(errors[e].code));
	buf_z(b, ",\"message\":");
	json_write_str(b, details->message.n > 0 ? str_cut(details->message, LIM_ERROR_MESSAGE)
						 : str_of(errors[e].message));
	buf_z(b, ",\"request_id\":");
	json_write_str(b, details->request_id);
	if (!details->bare)
		write_field_errors(b, details->fields, details->n);
	buf_z(b, "}}");
}
