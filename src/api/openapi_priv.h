/* SPDX-License-Identifier: ISC */
/* Between the openapi*.c. The document is src/api/openapi.json, which holds everything constant, with the parts
   that the tables write inserted: openapi.c writes operations, openapi_answer.c their answers,
   openapi_documents.c the documents of datasets, openapi_book.c collects the components. */
#ifndef API_OPENAPI_PRIV_H
#define API_OPENAPI_PRIV_H

#include "api/api.h"

/* ---- openapi_documents.c ---- */

/* Adds the schemas of each dataset's stored documents and hits: "Host" and "HostHit". */
struct book;
void openapi_documents(struct book *book);
/* An example of the documents that this schema describes. */
void openapi_document_example(struct buf *b, const char *schema);

/* ---- openapi_book.c ---- */

enum book_kind { BOOK_PARAMETER, BOOK_RESPONSE, BOOK_SCHEMA, BOOK_KINDS };

enum { BOOK_MAX = 512 };

struct component {
	enum book_kind kind;
	struct str name, text;
};

struct book {
	struct arena *a; /* owns texts and names */
	bool closed;     /* tables are described as requests: without other members */
	struct json_names names;
	struct component rows[BOOK_MAX];
	size_t n;
};

void book_begin(struct book *book, struct arena *a);
/* Adds a component and writes a reference to it. Equal parameters and responses are one component. The name is
   the first of both that no other text has; a schema has no second. */
void book_ref(struct buf *b, struct book *book, enum book_kind kind,
    const char *const names[2], struct str text);
/* Adds a schema that nothing refers to yet. */
void book_schema(struct book *book, const char *name, struct str text);
/* The members of one kind. */
void book_write(struct buf *b, const struct book *book, enum book_kind kind);

/* "aggregate_hosts" as "aggregateHosts", or with an upper first letter. */
const char *openapi_camel(struct arena *a, const char *snake, bool upper);
void openapi_member(struct buf *b, const char *name, const char *text);

/* ---- openapi_answer.c: members of "responses" ---- */

void openapi_answer(struct buf *b, struct book *book, const struct route *r, int status);
/* A comma and an answer for each status of the errors that the columns of the row allow. */
void openapi_failures(struct buf *b, struct book *book, const struct route *r);

#endif
