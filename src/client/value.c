/* SPDX-License-Identifier: ISC */
/* JSON values of answers: members by name, cells of tables, and JSON that is safe to print. */
#include "config.h"

#include "base/char.h"
#include "client/value.h"
#include "json/json.h"

#include <math.h>

struct json_value *
value_get(const struct json_value *v, const char *name)
{
	return v != NULL && json_type(v) == JSON_OBJECT ? json_get(v, name) : NULL;
}

struct str
value_text(const struct json_value *v, const char *name)
{
	const struct json_value *member = value_get(v, name);

	return member != NULL && json_type(member) == JSON_STRING ? json_text(member) : STR_NULL;
}

bool
value_int(const struct json_value *v, const char *name, int64_t *out)
{
	const struct json_value *member = value_get(v, name);

	return member != NULL && json_int(member, out);
}

/* ---- JSON ---- */

void
json_show_string(struct buf *b, struct str s)
{
	struct buf quoted = { .p = NULL };

	json_write_str(&quoted, s);
	json_shown(b, buf_done(&quoted));
	buf_free(&quoted);
}

void
json_show(struct buf *b, const struct json_value *v)
{
	json_write_value(b, v, json_show_string);
}

/* ---- cells ---- */

/* True when the cell, a list behind the byte `from`, has the text that stands at `at` already. */
static bool
has_item(const struct buf *b, size_t from, size_t at, const char *separator)
{
	size_t n = b->n - at, gap = strlen(separator);

	for (size_t i = from; i + n + gap <= at; i++)
		if ((i == from || memcmp(b->p + i - gap, separator, gap) == 0) &&
		    memcmp(b->p + i, b->p + at, n) == 0 &&
		    memcmp(b->p + i + n, separator, gap) == 0)
			return true;
	return false;
}

static void
add_value_item(struct buf *b, size_t from, const struct json_value *v, const char *separator)
{
	size_t before = b->n, at;

	if (json_type(v) == JSON_NULL || (json_type(v) == JSON_OBJECT && json_length(v) == 0))
		return;
	if (b->n > from)
		buf_z(b, separator);
	at = b->n;
	if (json_type(v) == JSON_STRING)
		buf_str(b, json_text(v));
	else
		json_show(b, v);
	if (at > from && has_item(b, from, at, separator))
		b->n = before;
}

static void
walk_value(
    struct buf *b, size_t from, const struct json_value *v, const char *path, const char *separator)
{
	char name[64];
	size_t n = strcspn(path, ".");

	if (v == NULL || n >= sizeof(name))
		return;
	if (json_type(v) == JSON_ARRAY) {
		for (size_t i = 0; i < json_length(v); i++)
			walk_value(b, from, json_at(v, i), path, separator);
		return;
	}
	if (path[0] == '\0') {
		add_value_item(b, from, v, separator);
		return;
	}
	memcpy(name, path, n);
	name[n] = '\0';
	walk_value(b, from, value_get(v, name), path + n + (path[n] == '.'), separator);
}

void
value_cell(struct buf *b, const struct json_value *v, const char *path, const char *separator)
{
	walk_value(b, b->n, v, path, separator);
}

bool
value_is_number(const struct json_value *v, const char *path)
{
	char name[64];
	size_t n = strcspn(path, ".");

	for (; v != NULL && path[0] != '\0'; n = strcspn(path, ".")) {
		if (n >= sizeof(name))
			return false;
		memcpy(name, path, n);
		name[n] = '\0';
		v = value_get(v, name);
		path += n + (path[n] == '.');
	}
	return v != NULL && json_type(v) == JSON_NUMBER;
}
