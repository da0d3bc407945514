/* SPDX-License-Identifier: ISC */
/* Recognises the product of a web server and whether it requires a login, by the rows of
   tbl/capabilities.h. Readers of scanner files call this with the body of the answer to any path;
   http.body contains only the body for the path /, without its secrets (derive.c). Rows about
   titles and headers are applied to every service when its record is finished (derive.c). */
#ifndef RECORD_CAPABILITY_H
#define RECORD_CAPABILITY_H

#include "record/record.h"

struct web_answer {
	struct str path; /* the requested path, with or without its query string */
	int64_t status;
	struct str body;
	struct str asks; /* the header www-authenticate */
};

/* The capabilities of the first row that fits the body, separated by blanks; STR_NULL: no row
   does. */
struct str capability_of_answer(const struct web_answer *w);

#endif
