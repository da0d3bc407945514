/* SPDX-License-Identifier: ISC */
/* Splits an input into JSON values without parsing them; json_values.h has the picture of the kinds
   of input. Each byte of the input passes one of three functions:

     between     outside of values: skips blanks, commas, brackets of outer arrays, and byte order marks
     follow      inside of a value: follows strings, escapes and brackets up to the end of the value
     json_values_next   calls both, chunk by chunk

   States of the bytes around a value (.array, .wrapper):

       [ {...} , {...} ]              array until "]"
       { "x":1, "entries": [          a value at first; when "[" opens the member, the bytes so far are dropped
          {...} , {...}               ELEMENTS until "]"
       ], "y":2 }                     REST: follow reads up to the end of the object, nothing is kept

   A value that is too long is followed to its end without being kept. */
#include "config.h"

#include "cli/import/json_values.h"

#include "cli/import/source.h"

#include <limits.h>

enum { LEVELS = 64 }; /* the bits of .objects: brackets whose kinds are known */

void
json_values_open(struct json_values *v, struct source *src, const char *member)
{
	*v = (struct json_values){ .src = src, .member = member, .blank = true };
	src->line = 1;
}

void
json_values_close(struct json_values *v)
{
	buf_free(&v->text);
}

static bool
in_list(const struct json_values *v)
{
	return v->array || v->wrapper == WRAPPER_ELEMENTS;
}

/* Begins a new value; the bytes of the last one are no longer needed. */
static void
start_value(struct json_values *v)
{
	buf_clear(&v->text);
	v->depth = 0;
	v->objects = 0;
	v->in_string = v->escaped = v->scalar = v->spread = v->skipping = false;
	v->last = '\0';
	v->matched = -1;
}

static void
begin_list(struct json_values *v)
{
	v->elements = 0;
	v->torn = false;
}

/* Moves over the byte, which counts lines. */
static char
next_byte(struct json_values *v)
{
	char c = *v->rest.p++;

	v->rest.n--;
	if (c == '\n') {
		v->src->line++;
		v->indent = 0;
		v->blank = true;
	} else if (v->blank && (c == ' ' || c == '\t')) {
		v->indent++;
	} else {
		v->blank = false;
	}
	return c;
}

/* Skips to the next value. False: the chunk has no other. Commas and closing brackets need no array
   before them: files are cut out of arrays, and some tools write the commas of an array without its
   brackets. A "}" is left over by a value that was over before. */
static bool
find_start(struct json_values *v)
{
	while (v->rest.n > 0) {
		bool list = in_list(v);
		char c = v->rest.p[0];

		if (c == "\xef\xbb\xbf"[v->mark]) {
			v->mark = (v->mark + 1) % 3;
			v->rest.p++;
			v->rest.n--;
		} else if (c == ']' && v->wrapper == WRAPPER_ELEMENTS) {
			next_byte(v);
			v->wrapper = WRAPPER_REST;
			return true;
		} else if (ascii_space(c) || c == ',' || c == ']' || (c == '[' && !list) ||
			   (c == '}' && v->torn)) {
			if (c == '[')
				begin_list(v);
			v->array = c == '[' || (v->array && c != ']');
			next_byte(v);
		} else {
			return true;
		}
	}
	return false;
}

/* Whether one of the open brackets is of this kind. */
static bool
has_open(const struct json_values *v, bool object)
{
	uint64_t levels = v->depth >= LEVELS ? UINT64_MAX : ((uint64_t)1 << v->depth) - 1;

	return ((object ? v->objects : ~v->objects) & levels) != 0;
}

/* Whether the value is over, although it is incomplete, before the byte c. */
static bool
ends_early(struct json_values *v, char c)
{
	bool object = (v->objects & 1) != 0;

	if (c == '{' && v->blank && v->indent == 0 &&
	    (!v->spread || (object ? v->last != ':' : v->last != '[' && v->last != ',')))
		v->resync = RESYNC_FILE;
	else if (v->in_string)
		return false;
	else if (c == '{' && v->blank && v->indent > 0 && v->indent == v->own_indent)
		v->resync = RESYNC_ELEMENT;
	else if (in_list(v) && c == '{' && v->depth == 1 && object && v->last != ':')
		v->resync = RESYNC_ELEMENT;
	else if (in_list(v) && c != '{' && v->depth <= LEVELS && !has_open(v, c == '}'))
		v->resync = RESYNC_ELEMENT;
	return v->resync != RESYNC_NONE;
}

/* Follows one byte of a string, and compares a name of the outermost object with .member. */
static void
follow_string(struct json_values *v, char c)
{
	if (c == '\n') { /* JSON allows none in a string, so the string has no end */
		v->in_string = v->escaped = false;
		v->matched = -1;
	} else if (v->escaped || c == '\\') {
		v->escaped = !v->escaped;
		v->matched = -1;
	} else if (c == '"') {
		v->in_string = false;
		if (v->matched >= 0 && v->member[v->matched] != '\0')
			v->matched = -1;
	} else if (v->matched >= 0) {
		v->matched = c != '\0' && v->member[v->matched] == c ? v->matched + 1 : -1;
	}
}

static void
open_bracket(struct json_values *v, char c)
{
	v->depth++;
	v->objects = v->objects << 1 | (c == '{');
}

/* Closes the innermost bracket of the kind, and those inside of it that have no end. Returns whether
   this ends the value. */
static bool
close_bracket(struct json_values *v, char c)
{
	bool object = c == '}', known = v->depth <= LEVELS;

	if (known && !has_open(v, object))
		return false;
	while (known && ((v->objects & 1) != 0) != object) {
		v->objects >>= 1;
		v->depth--;
	}
	v->objects >>= 1;
	return --v->depth == 0;
}

enum followed { GOES_ON, ENDS, ENTERS_MEMBER };

/* Follows one byte inside of a value. */
static enum followed
follow(struct json_values *v, char c)
{
	enum followed how = GOES_ON;

	if (v->in_string) {
		follow_string(v, c);
		return GOES_ON;
	}
	switch (c) {
	case '"':
		v->in_string = true;
		v->matched = v->member != NULL && v->depth == 1 && v->wrapper == WRAPPER_NONE &&
				     (v->last == '{' || v->last == ',')
				 ? 0
				 : -1;
		break;
	case '[':
		if (v->matched >= 0 && v->last == ':')
			return ENTERS_MEMBER;
		open_bracket(v, c);
		break;
	case '{':
		open_bracket(v, c);
		break;
	case '}':
	case ']':
		how = close_bracket(v, c) ? ENDS : GOES_ON;
		break;
	case '\n':
		/* "{" alone on the first line of a value */
		if (v->depth == 1 && v->last == '{' && v->src->line == v->line)
			v->spread = true;
		return GOES_ON;
	case ' ':
	case '\t':
	case '\r':
	case ':':
		break;
	default:
		v->matched = -1;
	}
	if (!ascii_space(c))
		v->last = c;
	return how;
}

/* A number or a word ends with its line, or in a list at the next comma or bracket. */
static bool
ends_scalar(const struct json_values *v, char c)
{
	return c == '\n' || (in_list(v) && !v->in_string && (c == ',' || c == ']'));
}

/* Moves over bytes of a string that mean nothing here; most bytes of a file are of this kind. */
static void
skip_plain_text(struct json_values *v)
{
	size_t n = 0;

	while (n < v->rest.n && v->rest.p[n] != '"' && v->rest.p[n] != '\\' && v->rest.p[n] != '\n')
		n++;
	v->rest.p += n;
	v->rest.n -= n;
}

/* Takes bytes up to the end of the value or of the chunk. A value that lies in one chunk is not
   copied. */
static enum followed
take_json_value(struct json_values *v)
{
	const char *from = v->rest.p;
	enum followed how = GOES_ON;

	while (v->rest.n > 0 && how == GOES_ON) {
		char c = v->rest.p[0];

		if ((c == '{' || c == '}' || c == ']') && v->depth > 0 && ends_early(v, c))
			break;
		if (v->scalar && ends_scalar(v, c)) {
			how = ENDS;
			break;
		}
		if (v->scalar)
			v->in_string ^= c == '"';
		else
			how = follow(v, c);
		next_byte(v);
		if (v->in_string && !v->escaped && !v->scalar && v->matched < 0)
			skip_plain_text(v);
	}
	v->whole = (struct str){ from, (size_t)(v->rest.p - from) };
	if (v->skipping || v->wrapper == WRAPPER_REST || (how == ENDS && v->text.n == 0))
		return how;
	buf_str(&v->text, v->whole);
	v->whole = buf_done(&v->text);
	return how;
}

/* Begins a value at the next byte, or continues the object whose member has ended. */
static void
begin_value(struct json_values *v)
{
	start_value(v);
	v->line = v->src->line;
	v->byte = v->taken - v->rest.n + 1;
	v->element = in_list(v) ? ++v->elements : 0;
	v->own_indent = v->blank ? v->indent : UINT_MAX;
	v->mark = 0;
	if (v->wrapper == WRAPPER_REST) {
		open_bracket(v, '{');
		v->last = ']';
		return;
	}
	v->scalar = v->rest.p[0] != '{' && v->rest.p[0] != '[';
}

/* Whether json_values_next returns *how now, after the bytes of a chunk, or reads on. */
static bool
ends_value(struct json_values *v, enum followed followed, enum json_values_next *how)
{
	bool skipping = v->skipping;

	if (followed == ENTERS_MEMBER) {
		v->wrapper = WRAPPER_ELEMENTS;
		start_value(v);
		begin_list(v);
		return false;
	}
	if (v->resync != RESYNC_NONE) {
		bool rest = v->wrapper == WRAPPER_REST;

		v->torn = in_list(v);
		if (rest || v->resync == RESYNC_FILE) /* its array is open, but not its member */
			v->wrapper = WRAPPER_NONE;
		v->resync = RESYNC_NONE;
		*how = JSON_VALUE_BROKEN;
		v->depth = 0;
		v->skipping = false;
		return !skipping || rest;
	}
	if (followed == ENDS) {
		bool rest = v->wrapper == WRAPPER_REST;

		v->depth = 0;
		v->scalar = v->skipping = false;
		if (rest)
			v->wrapper = WRAPPER_NONE;
		*how = JSON_VALUE;
		return !skipping && !rest;
	}
	if (!skipping && v->text.n > IMPORT_LINE) {
		v->skipping = true;
		*how = JSON_VALUE_TOO_LONG;
		return true;
	}
	return false;
}

enum json_values_next
json_values_next(struct json_values *v, struct str *out)
{
	enum json_values_next how;
	bool inside = v->depth > 0 || v->scalar; /* the value before was too long and goes on */

	for (;;) {
		if (v->rest.n == 0) {
			v->rest = source_chunk(v->src);
			v->taken += v->rest.n;
		}
		if (v->rest.n == 0)
			break;
		if (!inside && !find_start(v))
			continue;
		if (!inside)
			begin_value(v);
		if (ends_value(v, take_json_value(v), &how)) {
			*out = v->whole;
			if (how == JSON_VALUE && out->n > IMPORT_LINE)
				return JSON_VALUE_TOO_LONG;
			return how;
		}
		inside = v->depth > 0 || v->scalar;
	}
	*out = buf_done(&v->text);
	inside = (inside && !v->skipping) || v->wrapper != WRAPPER_NONE;
	how = v->scalar && !v->skipping ? JSON_VALUE : inside ? JSON_VALUE_BROKEN : JSON_VALUES_END;
	v->depth = 0;
	v->scalar = v->skipping = false;
	v->wrapper = WRAPPER_NONE;
	return how;
}
