/* SPDX-License-Identifier: ISC */
/* JSON documents as lines of CSV (RFC 4180): the columns are fields, in the order of a request.
 * Exports and the program surface print this dialect, and nginx/html/console/csv.js does.
 *
 *   {"ip":"192.0.2.1","city":"Bath, GB","services":[{"port":22,"product":"OpenSSH"},{"port":443}]}
 *
 *   ip,city,services.port,services.product          cells_head
 *   192.0.2.1,"Bath, GB","[22,443]","[""OpenSSH"",null]"
 *
 * A member that is a list, or is below one, is a JSON array, so that columns of the same list have
 * an item for each of its objects, null where the object has no such member. An object is JSON. A
 * member that is absent is an empty cell. A text that a spreadsheet would evaluate gets ' before it
 * (cell_is_formula); a number never does. Lines end with CR LF. */
#ifndef JSON_CELLS_H
#define JSON_CELLS_H

#include "base/base.h"

struct json_value;

struct cells {
	const struct str *names; /* "services.port" */
	const struct str *paths; /* the path in the answer: "host.city" for a service's "city" */
	size_t n;
	/* NULL: as they are. Else they write a text, and a JSON string, for a terminal. */
	void (*text)(struct buf *b, struct str s);
	void (*string)(struct buf *b, struct str s);
};

/* Whether a spreadsheet would evaluate the text: it begins with = + - @, with their fullwidth
   forms, or with a tab or the end of a line. */
bool cell_is_formula(struct str s);
/* Writes a text as a cell. */
void cell_write(struct buf *b, struct arena *a, struct str s);

void cells_head(struct buf *b, const struct cells *c);
/* Writes the line of a document. The arena is for the steps of paths. */
void cells_row(
    struct buf *b, struct arena *a, const struct cells *c, const struct json_value *document);
/* The same for an answer, which is the text of a JSON object. The arena is emptied. */
void cells_write(struct buf *b, struct arena *a, const struct cells *c, struct str answer);

#endif
