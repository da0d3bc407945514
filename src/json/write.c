/* SPDX-License-Identifier: ISC */
/* Writes structs as JSON by their field tables. The output has no optional spaces, and a number is
   written so that it reads back as the same number. */
#include "config.h"

#include "json/json.h"
#include "json/json_priv.h"

#include <assert.h>
#include <float.h>
#include <math.h>

static bool
needs_no_escape(unsigned char c)
{
	return c >= 0x20 && c != '"' && c != '\\';
}

static void
write_escaped(struct buf *b, char c)
{
	static const char from[] = "\b\f\n\r\t\"\\", to[] = "bfnrt\"\\";
	const char *at = c == '\0' ? NULL : strchr(from, c);

	if (at == NULL) {
		buf_printf(b, "\\u%04x", (unsigned)c);
	} else {
		buf_char(b, '\\');
		buf_char(b, to[at - from]);
	}
}

void
json_write_str(struct buf *b, struct str s)
{
	size_t from = 0;

	buf_char(b, '"');
	for (size_t i = 0; i < s.n; i++) {
		if (needs_no_escape((unsigned char)s.p[i]))
			continue;
		buf_add(b, s.p + from, i - from);
		write_escaped(b, s.p[i]);
		from = i + 1;
	}
	if (s.n > from)
		buf_add(b, s.p + from, s.n - from);
	buf_char(b, '"');
}

void
json_write_int(struct buf *b, int64_t n)
{
	char digits[20];
	size_t i = sizeof(digits);
	uint64_t v = n < 0 ? -(uint64_t)n : (uint64_t)n;

	do {
		digits[--i] = (char)('0' + v % 10);
		v /= 10;
	} while (v > 0);
	if (n < 0)
		digits[--i] = '-';
	buf_add(b, digits + i, sizeof(digits) - i);
}

/* Writes a number so that it reads back as the same double, with as few digits as that takes.
 * Whole numbers up to 2^53 are written as integers, which is the common case and needs no
 * printf; minus zero is left to printf, which keeps its sign. Any other number is printed with
 * more and more digits until strtod returns it. %g drops trailing zeros, so DBL_DIG digits are a
 * good start, except for subnormal numbers, which have fewer significant digits. */
void
json_write_num(struct buf *b, double n)
{
	/* %g drops trailing zeros, so DBL_DIG digits are a good start, except for subnormal
	   numbers, which have fewer significant digits. */
	int digits = fabs(n) < DBL_MIN ? 1 : DBL_DIG;
	char text[32];

	if (!isfinite(n))
		panic("JSON has no text for the number %g", n); /* UNCOVERED: ends the process */
	if (fabs(n) <= 0x1p53 && n == floor(n) && !(n == 0 && signbit(n))) {
		json_write_int(b, (int64_t)n);
		return;
	}
	do
		snprintf(text, sizeof(text), "%.*g", digits++, n);
	while (strtod(text, NULL) != n);
	buf_z(b, text);
}

/* ---- trees ---- */

static void
write_tree_number(struct buf *b, const struct json_value *v)
{
	int64_t n;

	if (json_int(v, &n))
		json_write_int(b, n);
	else if (!isfinite(json_num(v)))
		buf_z(b, json_num(v) < 0 ? "-1e999" : "1e999");
	else
		json_write_num(b, json_num(v));
}

void
json_write_value(
    struct buf *b, const struct json_value *v, void (*text)(struct buf *b, struct str s))
{
	bool object = json_type(v) == JSON_OBJECT;

	switch (json_type(v)) {
	case JSON_NULL:
		buf_z(b, "null");
		return;
	case JSON_BOOL:
		buf_z(b, json_bool(v) ? "true" : "false");
		return;
	case JSON_NUMBER:
		write_tree_number(b, v);
		return;
	case JSON_STRING:
		text(b, json_text(v));
		return;
	case JSON_ARRAY:
	case JSON_OBJECT:
		break;
	}
	buf_char(b, object ? '{' : '[');
	for (uint32_t i = 0; i < v->n; i++) {
		const struct json_value *item = &v->u.items[i];

		if (i > 0)
			buf_char(b, ',');
		if (object) {
			text(b, (struct str){ item->name, item->name_n });
			buf_char(b, ':');
		}
		json_write_value(b, item, text);
	}
	buf_char(b, object ? '}' : ']');
}

/* ---- records ---- */

static bool
is_zero_uuid(const struct uuid *u)
{
	return uuid_cmp(u, &(const struct uuid){ { 0 } }) == 0;
}

static bool
all_fields_unset(const struct field *fields, const void *in)
{
	for (const struct field *f = fields; f->type != FIELD_NONE; f++)
		if (!field_unset(f, in))
			return false;
	return true;
}

bool
field_unset(const struct field *f, const void *in)
{
	const void *at = (const char *)in + f->offset;

	switch (f->type) {
	case FIELD_STR:
		return ((const struct str *)at)->p == NULL;
	case FIELD_UUID:
		return is_zero_uuid(at);
	case FIELD_TS:
		return ts_is_null(*(const struct ts *)at);
	case FIELD_RAW:
		return ((const struct json *)at)->text.p == NULL;
	case FIELD_LIST:
		return ((const struct list *)at)->items == NULL;
	case FIELD_OBJECT:
		return all_fields_unset(f->sub, at);
	case FIELD_INT:
	case FIELD_NUM:
	case FIELD_BOOL:
	case FIELD_NONE:
		return false;
	}
	panic("field type %d", (int)f->type); /* UNCOVERED: there is no such type */
}

static void write_field_value(struct buf *b, const struct field *f, const void *at);

static void
write_uuid_value(struct buf *b, const struct uuid *u)
{
	char text[UUID_LEN + 1];

	uuid_print(u, text);
	buf_char(b, '"');
	buf_add(b, text, UUID_LEN);
	buf_char(b, '"');
}

static void
write_ts(struct buf *b, struct ts t)
{
	char text[TS_LEN + 1];

	ts_print(t, text);
	buf_char(b, '"');
	buf_add(b, text, TS_LEN);
	buf_char(b, '"');
}

static void
write_list(struct buf *b, const struct field *f, const struct list *l)
{
	const struct field item = { .type = f->item };

	buf_char(b, '[');
	for (size_t i = 0; i < l->n; i++) {
		const char *at = (const char *)l->items + i * f->size;

		if (i > 0)
			buf_char(b, ',');
		if (f->sub != NULL && f->item != FIELD_RAW)
			json_write(b, f->sub, at);
		else
			write_field_value(b, &item, at);
	}
	buf_char(b, ']');
}

static void
write_field_value(struct buf *b, const struct field *f, const void *at)
{
	switch (f->type) {
	case FIELD_STR:
		json_write_str(b, *(const struct str *)at);
		return;
	case FIELD_UUID:
		write_uuid_value(b, at);
		return;
	case FIELD_TS:
		write_ts(b, *(const struct ts *)at);
		return;
	case FIELD_INT:
		json_write_int(b, *(const int64_t *)at);
		return;
	case FIELD_NUM:
		json_write_num(b, *(const double *)at);
		return;
	case FIELD_BOOL:
		buf_z(b, *(const bool *)at ? "true" : "false");
		return;
	case FIELD_RAW:
		buf_str(b, ((const struct json *)at)->text);
		return;
	case FIELD_LIST:
		write_list(b, f, at);
		return;
	case FIELD_OBJECT:
		json_write(b, f->sub, at);
		return;
	case FIELD_NONE: /* UNCOVERED: ends a table */
		break;   /* UNCOVERED: ends a table */
	}
	panic("field type %d", (int)f->type); /* UNCOVERED: there is no such type */
}

/* True when the member is written as null. An unset text, list or object that is not NULLABLE is
   written as the empty value of its type; the other types have none. */
static bool
is_written_as_null(const struct field *f, const void *in)
{
	bool has_empty = f->type == FIELD_STR || f->type == FIELD_LIST || f->type == FIELD_OBJECT;

	return field_unset(f, in) && ((f->flags & NULLABLE) != 0 || !has_empty);
}

void
json_write(struct buf *b, const struct field *fields, const void *in)
{
	char before = '{';

	assert(fields != NULL);
	for (const struct field *f = fields; f->type != FIELD_NONE; f++) {
		if ((f->flags & OMIT_UNSET) != 0 && field_unset(f, in))
			continue;
		buf_char(b, before);
		before = ',';
		json_write_str(b, str_of(f->name));
		buf_char(b, ':');
		if (is_written_as_null(f, in))
			buf_z(b, "null");
		else
			write_field_value(b, f, (const char *)in + f->offset);
	}
	buf_z(b, before == '{' ? "{}" : "}");
}

void
json_write_more(struct buf *b, const struct field *fields, const void *in)
{
	size_t end = b->n - 1;

	assert(b->p[end] == '}');
	b->n = end;
	json_write(b, fields, in);
	if (b->p[end - 1] != '{')
		b->p[end] = ','; /* in place of the brace with which json_write began */
	else
		memmove(b->p + end, b->p + end + 1, --b->n - end); /* the object was empty */
}

/* ---- objects without a table ---- */

static void
write_comma(struct buf *b)
{
	if (b->n > 0 && strchr("{[:", b->p[b->n - 1]) == NULL)
		buf_char(b, ',');
}

void
json_begin(struct buf *b, char bracket)
{
	write_comma(b);
	buf_char(b, bracket);
}

void
json_member(struct buf *b, const char *name)
{
	json_item_str(b, name);
	buf_char(b, ':');
}

void
json_member_begin(struct buf *b, const char *name, char bracket)
{
	json_member(b, name);
	buf_char(b, bracket);
}

void
json_member_str(struct buf *b, const char *name, const char *text)
{
	json_member(b, name);
	json_item_str(b, text);
}

void
json_member_int(struct buf *b, const char *name, int64_t n)
{
	json_member(b, name);
	json_write_int(b, n);
}

void
json_member_bool(struct buf *b, const char *name, bool yes)
{
	json_member(b, name);
	buf_z(b, yes ? "true" : "false");
}

void
json_member_text(struct buf *b, const char *name, struct str text)
{
	if (text.p == NULL)
		return;
	json_member(b, name);
	json_write_str(b, text);
}

void
json_member_time(struct buf *b, const char *name, struct ts at)
{
	if (ts_is_null(at))
		return;
	json_member(b, name);
	write_ts(b, at);
}

void
json_member_json(struct buf *b, const char *name, struct str json)
{
	if (json.p == NULL)
		return;
	json_member(b, name);
	buf_str(b, json);
}

void
json_item_str(struct buf *b, const char *text)
{
	write_comma(b);
	json_write_str(b, str_of(text));
}

void
json_member_strs(struct buf *b, const char *name, const char *const *texts)
{
	json_member_begin(b, name, '[');
	while (*texts != NULL)
		json_item_str(b, *texts++);
	buf_char(b, ']');
}

void
json_member_texts(struct buf *b, const char *name, struct strs texts)
{
	json_member_begin(b, name, '[');
	for (size_t i = 0; i < texts.n; i++) {
		write_comma(b);
		json_write_str(b, texts.p[i]);
	}
	buf_char(b, ']');
}
