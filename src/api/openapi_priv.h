/* SPDX-License-Identifier: ISC */
/* Shared by the files that write openapi.json. The constant part of the document is src/api/openapi.json; the parts
   that come from tables are inserted there: openapi.c writes operations, openapi_answer.c their answers,
   openapi_documents.c the documents of datasets, and openapi_book.c collects the components. */
#ifndef API_OPENAPI_PRIV_H
#define API_OPENAPI_PRIV_H

#include "api/api.h"
#include "json/describe.h"

/* ---- openapi_documents.c ---- */

/* Adds the schemas of each dataset's stored documents and hits: "Host" and "HostHit". */
struct book;
void openapi_documents(struct book *book);
/* Writes an example of the documents that this schema describes. */
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
/* Adds a component and writes a reference to it. Equal parameters and responses become one component. Its name is
   names[0], or names[1] when another text has names[0]; a schema has no second name. */
void book_ref(struct buf *b, struct book *book, enum book_kind kind, const char *const names[2],
    struct str text);
/* Adds a schema that nothing refers to yet. */
void book_schema(struct book *book, const char *name, struct str text);
/* Writes the components of one kind, as members of an object. */
void book_write(struct buf *b, const struct book *book, enum book_kind kind);

/* Returns "aggregate_hosts" as "aggregateHosts", or as "AggregateHosts" with upper. */
const char *openapi_camel(struct arena *a, const char *snake, bool upper);
/* Writes ,"name":"text". */
void openapi_member(struct buf *b, const char *name, const char *text);

/* ---- openapi_answer.c: members of "responses" ---- */

void openapi_answer(struct buf *b, struct book *book, const struct route *r, int status);
/* A comma and an answer for each status of the errors that the columns of the row allow. */
void openapi_failures(struct buf *b, struct book *book, const struct route *r);

#endif
