/* SPDX-License-Identifier: ISC */
/* Errors as clients of the API and of the stream see them (SPEC 2.3, 7). Beside core.h, since only programs
   that answer HTTP have any. */
#ifndef WIRE_ERROR_H
#define WIRE_ERROR_H

#include "json/json.h"

enum error {
	ERR_UNSET, /* "no error" in tables */
#define ERROR(id, status, code, message) ERR_##id,
#include "tbl/errors.h"
#undef ERROR
	ERRORS,
};

int error_status(enum error e);
const char *error_code(enum error e);
const char *error_message(enum error e);

/* What follows the number in a status line. */
const char *status_reason(int status);

/* A header of every 401. */
#define ERROR_CHALLENGE "WWW-Authenticate: ApiKey header=\"X-API-Key\"\r\n"

struct error_said {
	struct str message; /* without text: the error's own; a long one is cut (C-062) */
	struct str request_id;
	bool bare; /* without field_errors: search (C-060) */
	const struct field_error *fields;
	size_t n;
};

/* The envelope. */
void error_write(struct buf *b, enum error e, const struct error_said *said);

#endif
