/* SPDX-License-Identifier: ISC */
/* Splits an input into JSON values without parsing them; values.h has the picture of the three
   kinds of input.

     find_start   skips blanks, and commas and brackets of an outer array, up to the first byte of a value
     take_bytes   copies bytes until the brackets of the value are balanced, following strings and their escapes
     values_next  calls both, line by line

   A value that does not end costs only itself: a line that begins with "{" in the first column ends
   it as broken, and the reader goes on with that line. IMPORT_LINE bounds a value as it bounds a
   line. */
#include "config.h"

#include "cli/import/values.h"

#include "cli/import/source.h"

void
values_open(struct values *v, struct source *src)
{
	*v = (struct values){ .src = src };
}

void
values_close(struct values *v)
{
	buf_free(&v->text);
}

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Begins a new value; the bytes of the last one are no longer needed. */
static void
start_value(struct values *v)
{
	buf_clear(&v->text);
	v->depth = 0;
	v->in_string = v->escaped = false;
	v->line = v->src->line;
}

/* Follows one byte inside of a value; returns whether it ends the value. */
static bool
follow(struct values *v, char c)
{
	if (v->in_string) {
		if (v->escaped || c == '\\')
			v->escaped = !v->escaped;
		else if (c == '"')
			v->in_string = false;
		return false;
	}
	if (c == '"')
		v->in_string = true;
	else if (c == '{' || c == '[')
		v->depth++;
	else if (c == '}' || c == ']')
		return --v->depth == 0;
	return false;
}

/* Skips to the next value of the line. False: the line has no other. */
static bool
find_start(struct values *v)
{
	while (v->rest.n > 0) {
		char c = v->rest.p[0];
		bool opens = !v->begun && c == '[';

		if (!is_space(c) && !opens && !(v->array && (c == ',' || c == ']')))
			return true;
		if (!is_space(c))
			v->begun = true;
		v->array = v->array || opens;
		v->rest.p++;
		v->rest.n--;
	}
	return false;
}

/* Takes bytes of the line up to the end of the value; a line that holds no object or array is a value as it is. */
static bool
take_bytes(struct values *v)
{
	size_t n = 0;
	bool ended = false;

	if (v->text.n == 0 && v->rest.p[0] != '{' && v->rest.p[0] != '[') {
		n = v->rest.n;
		ended = true;
	}
	while (n < v->rest.n && !ended)
		ended = follow(v, v->rest.p[n++]);
	buf_add(&v->text, v->rest.p, n);
	v->rest.p += n;
	v->rest.n -= n;
	if (!ended)
		buf_char(&v->text, '\n');
	return ended;
}

static void
skip_mark(struct values *v)
{
	if (v->src->line == 1 && str_starts(v->rest, STR("\xef\xbb\xbf"))) {
		v->rest.p += 3;
		v->rest.n -= 3;
	}
}

/* Discards the rest of a value that was too long: up to its end, or to a line that begins a new object. */
static void
skip_value(struct values *v)
{
	enum source_line how = SOURCE_LINE;

	while (v->skipping) {
		while (v->rest.n > 0 && v->skipping) {
			v->skipping = !follow(v, *v->rest.p++);
			v->rest.n--;
		}
		if (!v->skipping)
			return;
		how = source_line(v->src, &v->rest);
		if (how != SOURCE_LINE)
			v->rest.n = 0;
		v->skipping = how != SOURCE_END && (v->rest.n == 0 || v->rest.p[0] != '{');
	}
}

enum values_next
values_next(struct values *v, struct str *out)
{
	enum source_line how;

	skip_value(v);
	start_value(v);
	for (;;) {
		if (v->text.n == 0 && find_start(v))
			v->line = v->src->line;
		if (v->rest.n > 0) {
			v->begun = true;
			if (!take_bytes(v))
				continue;
			*out = buf_done(&v->text);
			return VALUES_ONE;
		}
		how = source_line(v->src, &v->rest);
		if (how == SOURCE_TOO_LONG || v->text.n > IMPORT_LINE) {
			v->skipping = how == SOURCE_LINE;
			if (!v->skipping)
				v->rest.n = 0;
			v->line = how == SOURCE_TOO_LONG ? v->src->line : v->line;
			return VALUES_TOO_LONG;
		}
		if (how == SOURCE_END)
			v->rest.n = 0;
		skip_mark(v);
		if (v->text.n > 0 &&
		    (how == SOURCE_END || (v->rest.n > 0 && v->rest.p[0] == '{'))) {
			*out = buf_done(&v->text);
			return VALUES_BROKEN;
		}
		if (how == SOURCE_END)
			return VALUES_END;
	}
}
