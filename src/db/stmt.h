/* SPDX-License-Identifier: ISC */
/* A statement: constant SQL and the table of the row that it returns. Each is a static object
 * beside its caller. STMT enters it in the program's list, so that -D sql prints all of them and a
 * test prepares each one as the role of its program (t/sql/statements.t). */
#ifndef DB_STMT_H
#define DB_STMT_H

#include "base/registry.h"
#include "json/json.h"

/* A statement is defined beside its caller. name is the C identifier. out describes the columns in
   order, each named as its field; NULL: the statement returns no rows. The members of an OBJECT are
   columns. Columns may be of the types text, varchar, domains over them, enums, json, jsonb, inet
   and bytea (FIELD_STR), json and jsonb (FIELD_RAW), uuid, timestamptz, int2, int4, int8 and xid8,
   float4 and float8, bool, and arrays of text, uuid, int8 or float8 (LIST_OF). Any other type needs
   a cast. */
struct stmt {
	const char *name;
	const char *sql;
	const struct field *out;
	size_t size; /* bytes of the struct that a row fills; db_rows needs it */
};

/* Defines a static statement, for db_one and db_do, and enters it in the program's list for -D
   sql. */
#define STMT(ident, fields, text)                                                                  \
	static const struct stmt ident = { .name = #ident, .out = (fields), .sql = (text) };       \
	REGISTER(stmts, ident)
/* For db_list too: type is the struct that each row fills. */
#define STMT_LIST(ident, type, fields, text)                                                       \
	static const struct stmt ident = {                                                         \
		.name = #ident, .out = (fields), .sql = (text), .size = sizeof(type)               \
	};                                                                                         \
	REGISTER(stmts, ident)
/* Defines a statement that a header declares, because several files run it. */
#define STMT_SHARED(ident, type, fields, text)                                                     \
	const struct stmt ident = {                                                                \
		.name = #ident, .out = (fields), .sql = (text), .size = sizeof(type)               \
	};                                                                                         \
	REGISTER(stmts, ident)

/* Prints each statement of this program on a line for -D sql, sorted by name: the name, a tab, the
   text. */
void stmts_print(void);
/* The dump function of struct daemon, for programs whose -D knows nothing but sql. */
int stmts_dump(const char *program, const char *what);

#endif
