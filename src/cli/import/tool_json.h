/* SPDX-License-Identifier: ISC */
/* Members of JSON that a tool wrote. A member may be missing or have another type in the next
 * release of the tool, so each function accepts NULL and a value of any type. For these it returns
 * the result that means "no value", such as NULL or STR_NULL. */
#ifndef CLI_IMPORT_TOOL_JSON_H
#define CLI_IMPORT_TOOL_JSON_H

#include "json/json.h"
#include "json/tree.h"

/* The member of an object, or NULL. */
const struct json_value *tool_get(const struct json_value *o, const char *name);
/* The number of items of a list, or 0; and an item, or NULL. */
size_t tool_items(const struct json_value *v);
const struct json_value *tool_item(const struct json_value *v, size_t i);
/* The text without blanks around it; STR_NULL when v is no text or an empty one. */
struct str tool_text(const struct json_value *v);
/* A member that is an integer, or a text of digits. False: the object has no such member. */
bool tool_number(const struct json_value *o, const char *name, int64_t *out) MUST_USE;
/* The member when it is a list with items, or NULL. */
const struct json_value *tool_list(const struct json_value *o, const char *name);
/* True when the member is true, 1, "1" or "true": releases of one tool write it differently. */
bool tool_true(const struct json_value *o, const char *name);
/* True when the text, or a text of the list, is the word. */
bool tool_has(const struct json_value *v, const char *word);
/* Seconds since 1970, with or without a fraction; TS_NULL when v is no number or no time. */
struct ts tool_seconds(const struct json_value *v);
/* Parses a time in any form that tools and registries write: RFC 3339, "2026-01-31 12:00:00
   UTC", an offset without a colon, a date. False: the text is not a time, or it is the unset
   time of Go. */
bool tool_time(struct str s, struct ts *out) MUST_USE;
/* The time of a member, or TS_NULL. */
struct ts tool_member_time(const struct json_value *o, const char *name);

#endif
