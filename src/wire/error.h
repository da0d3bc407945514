/* SPDX-License-Identifier: ISC */
/* Errors as clients of the API and of the stream receive them (C-060 to C-062): codes, statuses,
   messages and the JSON of an error response. */
#ifndef WIRE_ERROR_H
#define WIRE_ERROR_H

#include "json/json.h"

enum error {
	ERR_UNSET, /* in tables: no error */
#define ERROR(id, status, code, message) ERR_##id,
#include "tbl/errors.h"
#undef ERROR
	ERRORS,
};

int error_status(enum error e);
const char *error_code(enum error e);
const char *error_message(enum error e);

/* The reason phrase of a status line; "Status" for a status that no operation uses. */
const char *status_reason(int status);

/* A header of every response with status 401. */
#define ERROR_CHALLENGE "WWW-Authenticate: ApiKey header=\"X-API-Key\"\r\n"

/* Headers of every response. The API shares its origin with the console and its cookie, and it
   serves pictures and texts of hostile pages: no answer is more than data to a browser (C-326).
   nginx adds the same to its own (envelope.conf). */
#define ANSWER_POLICY                                                                              \
	"X-Content-Type-Options: nosniff\r\n"                                                      \
	"Content-Security-Policy: default-src 'none'; frame-ancestors 'none'; sandbox\r\n"

struct error_details {
	struct str message; /* empty: the message of tbl/errors.h; a long one is cut (C-062) */
	struct str request_id;
	bool bare; /* no member field_errors, as in search (C-060) */
	struct field_error *fields;
	size_t n;
};

/* Writes the body of an error response. */
void error_write(struct buf *b, enum error e, const struct error_details *details);

#endif
