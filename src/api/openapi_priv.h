/* SPDX-License-Identifier: ISC */
/* Between the openapi*.c: openapi.c writes the document and its operations. */
#ifndef API_OPENAPI_PRIV_H
#define API_OPENAPI_PRIV_H

#include "api/api.h"

/* ---- openapi_schemas.c ---- */

struct openapi_schema {
	const char *name, *text; /* NULL ends the list */
};

extern const struct openapi_schema openapi_schemas[];

/* The JSON Schema of a stored document of the dataset. */
void openapi_document(struct buf *b, enum dataset d);

/* ---- openapi_book.c ---- */

enum book_kind { BOOK_PARAMETER, BOOK_RESPONSE, BOOK_SCHEMA, BOOK_KINDS };

enum { BOOK_MAX = 512 };

struct component {
	enum book_kind kind;
	struct str name, text;
};

struct book {
	struct arena *a; /* texts and names live there */
	struct component rows[BOOK_MAX];
	size_t n;
};

/* The name of the component with this text, added when it is new. */
struct str book_add(
    struct book *book, enum book_kind kind, const char *base, struct str text);
/* Adds it, and writes a reference to it. */
void book_ref(struct buf *b, struct book *book, enum book_kind kind, const char *base,
    struct str text);
/* Every kind as a member of "components" that others stand before. */
void book_write(struct buf *b, const struct book *book);

/* "aggregate_hosts" as "aggregateHosts", or with an upper first letter. */
const char *openapi_camel(struct arena *a, const char *snake, bool upper);
void openapi_member(struct buf *b, const char *name, const char *text);

/* ---- openapi_answer.c: members of "responses" ---- */

#define OPENAPI_HEADER(name) "\"" name "\":{\"$ref\":\"#/components/headers/" name "\"}"

void openapi_answer(struct buf *b, struct book *book, const struct route *r, int status);
/* A comma and an answer for each status of the errors that the columns of the row allow. */
void openapi_failures(struct buf *b, struct book *book, const struct route *r);

#endif
