/* SPDX-License-Identifier: ISC */
/* Recognises what a web server is and whether it asks for a login, by the rows of
   tbl/capabilities.h. Readers of scanners call this with the body of an answer to any path;
   http.body has only the one to /, without its secrets (derive.c). Rows about titles and headers
   are applied to every service when its record is finished (derive.c). */
#ifndef RECORD_CAPABILITY_H
#define RECORD_CAPABILITY_H

#include "record/record.h"

struct web_answer {
	struct str path; /* asked for, with or without its query string */
	int64_t status;
	struct str body;
};

/* The capabilities of the first row that fits the body, separated by blanks; STR_NULL: no row
   does. */
struct str capability_of_answer(const struct web_answer *w);

#endif
