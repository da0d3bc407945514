/* SPDX-License-Identifier: ISC */
/* Documents on stdout in the form that client.form selects. */
#ifndef CLIENT_PRINT_H
#define CLIENT_PRINT_H

#include "client/client.h"

enum cell_kind {
	CELL_TEXT,
	CELL_DAY,    /* a time, of which a table has the day */
	CELL_MINUTE, /* a time, of which a table has day and minute */
};

enum { COLUMNS_MAX = 64 };

struct column {
	const char
	    *path; /* in the document, as in the parameter fields; NULL: the end of the table */
	const char *heading; /* a name that queries know too */
	enum cell_kind kind;
};

/* A table may come in several parts, one for each answer of the API; the first part decides the
   widths. */
struct table {
	struct client *c;
	struct column columns[COLUMNS_MAX];
	size_t ncolumns;
	size_t widths[COLUMNS_MAX];
	bool right[COLUMNS_MAX];
	bool begun;
	size_t printed; /* documents */
};

/* Uses the columns of --fields if it is given and the command has it, or else those of the table.
   False after a message:
   --fields has too many. */
bool table_begin(struct table *t, struct client *c, const struct column *columns) MUST_USE;
/* Prints at most `most` documents of a list. */
void table_add(struct table *t, const struct json_value *list, size_t most);

/* The value of the command's option --fields; without pointer: not given, or the command has
   none. */
struct str fields_given(const struct client *c);
/* Prints one document as CSV with its heading. */
void table_one(struct table *t, const struct json_value *v);

/* Prints one document; columns are those of CSV. On a terminal a member on each line, and each
   nested object as a block. */
int record_print(struct client *c, const struct json_value *v, const struct column *columns);
/* Prints one document on one line as JSON. */
void line_print(struct client *c, const struct json_value *v);

#endif
