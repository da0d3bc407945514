/* SPDX-License-Identifier: ISC */
/* Answers as lines of CSV (RFC 4180): the columns are the requested fields, in the order of the
 * request.
 *
 *   {"ip":"192.0.2.1","city":"Bath, GB","services":[{"port":22,"product":"OpenSSH"},{"port":443}]}
 *
 *   ip,city,services.port,services.product          cells_head
 *   192.0.2.1,"Bath, GB","[22,443]","[""OpenSSH"",null]"
 *
 * A member that is a list, or is below one, is a JSON array, so that columns of the same list have
 * an item for each of its objects, null where the object has no such member. An object is JSON. A
 * member that is absent is an empty cell. A text that begins with = + - @, a tab or a carriage
 * return gets ' before it: a spreadsheet would evaluate it as a formula. Lines end with CR LF. */
#ifndef RECORD_CELLS_H
#define RECORD_CELLS_H

#include "base/base.h"

struct cells {
	const struct str *names; /* "services.port" */
	const struct str *paths; /* the path in the answer: "host.city" for a service's "city" */
	size_t n;
};

void cells_head(struct buf *b, const struct cells *c);
/* Writes the line of an answer, which is the text of a JSON object. The arena is emptied. */
void cells_write(struct buf *b, struct arena *a, const struct cells *c, struct str answer);

#endif
