/* SPDX-License-Identifier: ISC */
/* Shared by the files that write openapi.json and asyncapi.json. The constant part of either
 * document is a JSON file of this directory, which the build embeds. The parts that come from
 * tables are inserted at its places for them:
 *
 *   "paths": {        }    operations of the route tables (openapi.c) and their answers (openapi_answer.c)
 *   "parameters": {   }    components (openapi_book.c), which operations and answers collect; so all
 *   "responses": {    }    paths are written before the first component is
 *   "schemas": {  ... }    field tables, and documents of datasets (openapi_documents.c); constant ones follow
 *
 * An object or list of the constant part may have members of its own: inserted ones come before
 * them. */
#ifndef API_DESCRIBE_OPENAPI_PRIV_H
#define API_DESCRIBE_OPENAPI_PRIV_H

#include "api/api.h"
#include "json/describe.h"

/* ---- openapi_documents.c ---- */

/* Adds the schemas of each dataset's stored documents and hits: "Host" and "HostHit". */
struct book;
void openapi_documents(struct book *book);
/* Writes an example of the documents that the table represents; arg is the book. */
json_sample openapi_document_example;

/* ---- openapi_book.c ---- */

enum book_kind { BOOK_PARAMETER, BOOK_RESPONSE, BOOK_SCHEMA, BOOK_KINDS };

enum { BOOK_MAX = 1024 };

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

/* sample: openapi_document_example, which itself needs the book. */
void book_begin(struct book *book, struct arena *a, json_sample *sample);
/* Adds a component and writes a reference to it. Equal parameters and responses become one
   component. Its name is names[0], or names[1] when another text has names[0]; a schema has no
   second name. */
void book_ref(struct buf *b, struct book *book, enum book_kind kind, const char *const names[2],
    struct str text);
/* Adds a schema that nothing refers to yet. */
void book_schema(struct book *book, const char *name, struct str text);
/* Writes the components of one kind, as members of an object. */
void book_write(struct buf *b, const struct book *book, enum book_kind kind);

/* Returns "aggregate_hosts" as "aggregateHosts", or as "AggregateHosts" with upper. */
const char *openapi_camel(struct arena *a, const char *snake, bool upper);
/* Writes a reference to "#/where/name". */
void openapi_ref(struct buf *b, const char *where, const char *name);

/* Begins the member "content" up to the value of its "schema"; three braces end it with the object
   around it. */
void openapi_begin_content(struct buf *b);

/* Where a constant document has an object or a list to which tables add. */
#define OBJECT_AT(member) "\"" member "\": {"
#define LIST_AT(member) "\"" member "\": ["
/* Copies the constant document up to the place and inserts the text there. Moves *rest behind the
   place. */
void openapi_insert(struct buf *b, struct str *rest, const char *place, const struct buf *text);

/* ---- openapi_answer.c: members of "responses" ---- */

void openapi_answer(struct buf *b, struct book *book, const struct route *r, int status);
/* An answer for each status of the errors that the columns of the row allow. */
void openapi_failures(struct buf *b, struct book *book, const struct route *r);

#endif
