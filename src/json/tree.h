/* SPDX-License-Identifier: ISC */
/* Documents as a tree, without a field table: those that this service or PostgreSQL wrote, messages
 * of the browser, and the body of a client before its table is known. The tree lies in an arena and
 * is never changed after json_parse. */
#ifndef JSON_TREE_H
#define JSON_TREE_H

#include "base/base.h"

/* A parsed value, valid until the arena is reset; the text it was parsed from may be freed earlier.
   JSON null is a value of type JSON_NULL, never a NULL pointer. An accessor for another type
   returns "", false, 0 or NULL; every accessor takes a NULL pointer, the result of json_get for an
   absent member, as JSON null. A tree needs a copy of the text and 32 bytes of the arena for each
   value (up to 160 if thousands are in one container). */
struct json_value;

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json_value *json_parse(
    struct arena *a, struct str text); /* NULL when json_scan refuses text */
/* The same, with the place and the reason of a refusal (json.h). */
struct json_fault;
struct json_value *json_parse_with_fault(
    struct arena *a, struct str text, struct json_fault *fault);
/* Parses the body of a client, in which names may contain \u0000 (see json_decode). */
struct json_value *json_parse_body(struct arena *a, struct str text);
enum json_type json_type(const struct json_value *v);
struct str json_text(const struct json_value *v); /* JSON_STRING: unescaped */
bool json_int(
    const struct json_value *v, int64_t *out) MUST_USE; /* exact; 25.0 is the integer 25 */
double json_num(
    const struct json_value *v); /* infinite when the number is too large for a double */
struct str json_lexeme(const struct json_value *v); /* JSON_NUMBER: its exact text */
bool json_bool(const struct json_value *v);
size_t json_length(const struct json_value *v); /* number of items or members */
struct json_value *json_at(const struct json_value *v, size_t i);
struct json_value *json_get(
    const struct json_value *v, const char *name); /* OBJECT: NULL if absent */
/* The text, the time, the truth value of a member. STR_NULL, TS_NULL, false: it is of another type
   or absent, or v is no object. */
struct str json_get_text(const struct json_value *v, const char *name);
struct ts json_get_time(const struct json_value *v, const char *name);
bool json_get_bool(const struct json_value *v, const char *name);
/* Appends the value on one line. text writes each text and each name: json_write_str, or one that
   escapes more. A number that is too large for a double is written as one that is, too. */
void json_write_value(
    struct buf *b, const struct json_value *v, void (*text)(struct buf *b, struct str s));
/* OBJECT: calls fn for each member in order until it returns false. */
void json_each(const struct json_value *v,
    bool (*fn)(void *arg, struct str name, struct json_value *member), void *arg);

#endif
