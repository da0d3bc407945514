/* SPDX-License-Identifier: ISC */
/* JSON values of answers: members by name, cells of tables, and text that is safe to print. */
#ifndef CLIENT_VALUE_H
#define CLIENT_VALUE_H

#include "client/screen.h"
#include "json/tree.h"

/* Members of an object; NULL, a text without pointer, or false if v is no object or has no such
   member. */
struct json_value *value_get(const struct json_value *v, const char *name);
struct str value_text(const struct json_value *v, const char *name);
bool value_int(const struct json_value *v, const char *name, int64_t *out);

/* Appends what a path such as "services.http.title" leads to, in lists too: each value once, with a
   separator between them, and not escaped. */
void value_cell(struct buf *b, const struct json_value *v, const char *path, const char *separator);
/* Whether a path leads to numbers alone. */
bool value_is_number(const struct json_value *v, const char *path);
/* Appends a value as JSON on one line. Control characters and marks of direction are escaped as
   \u009b, so the line can be printed on a terminal; a JSON parser reads the same value. */
void json_show(struct buf *b, const struct json_value *v);
/* The same for a string. */
void json_show_string(struct buf *b, struct str s);

#endif
