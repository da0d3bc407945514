/* SPDX-License-Identifier: ISC */
/* The JSON Schema (2020-12, as OpenAPI 3.1 uses it) of a field table, and an example record. This
 * is the third and the fourth use of a table that decodes a body and writes an answer, so
 * openapi.json cannot differ from what the service does. */
#ifndef JSON_DESCRIBE_H
#define JSON_DESCRIBE_H

#include "json/json.h"

/* Writes an example for a RAW with .sub, whose members no table lists. */
typedef void json_sample(void *arg, struct buf *b, const struct field *table);

/* Callbacks of a document that collects the schemas of named tables. */
struct json_names {
	/* Writes a reference to the schema of the table. */
	void (*refer)(void *arg, struct buf *b, const struct field *table);
	json_sample *sample;
	void *arg;
};

/* The name of the schema of the table (FIELD_END_OF); NULL: the table has none. */
const char *json_table_name(const struct field *fields);
/* Writes the schema. closed adds additionalProperties false. If names is NULL, every schema is
   written in place. */
void json_describe(
    struct buf *b, const struct field *fields, bool closed, const struct json_names *names);
/* The row of tbl/examples.h for a member of a schema; NULL: none. */
const char *json_example_of(const char *schema, const char *member);
/* Writes an example record: each member from its row in tbl/examples.h, or a typical value of its
   type. */
void json_example(struct buf *b, const struct field *fields, const struct json_names *names);

#endif
