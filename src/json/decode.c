/* SPDX-License-Identifier: ISC */
/* Decodes a request body into a struct by its field table, or reports all faults of the body at
   once (C-098). The scan decides whether the body is JSON, json-c builds the tree, and the table
   decides what is allowed. The first walk follows the table, so that the order of the errors does
   not depend on the order in which a client sends members; a second walk, over the tree, finds the
   unknown members. */
#include "config.h"

#include "base/char.h"
#include "base/limits.h"
#include "json/json.h"
#include "json/json_priv.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>

#define json_type jsonc_type /* json.h has functions with the names of these types */
#define json_bool jsonc_bool
#include <json-c/json_object.h>
#include <json-c/json_tokener.h>
#include <json-c/linkhash.h>
#undef json_type
#undef json_bool

enum { ERRORS_MAX = 64, NAME_SHOWN_MAX = 128 };

enum { NUL_STAND_IN = 0xff }; /* a byte that never occurs in UTF-8 */

struct decoder {
	struct arena *a;
	struct str text;
	struct ts now;
	struct buf path; /* path of the current value */
	struct field_error *errors;
	size_t nerrors;
};

static void decode_object(
    struct decoder *d, const struct field *fields, struct json_object *o, void *out);
static void report_unknown_members(
    struct decoder *d, const struct field *fields, struct json_object *o);

/* ---- errors and paths ---- */

static void
add_error(struct decoder *d, const char *code, struct str message)
{
	if (d->nerrors == ERRORS_MAX)
		return;
	if (d->errors == NULL)
		d->errors = ARENA_ARRAY(d->a, ERRORS_MAX, struct field_error);
	d->errors[d->nerrors++] =
	    (struct field_error){ str_of(code), arena_str(d->a, buf_done(&d->path)), message };
}

/* Appends a name to the path. Returns the old length, for leave_member. */
static size_t
enter_member(struct decoder *d, struct str name)
{
	size_t mark = d->path.n;

	if (mark > 0)
		buf_char(&d->path, '.');
	buf_str(&d->path, name);
	return mark;
}

static size_t
enter_list_item(struct decoder *d, size_t i)
{
	size_t mark = d->path.n;

	buf_char(&d->path, '[');
	json_write_int(&d->path, (int64_t)i);
	buf_char(&d->path, ']');
	return mark;
}

static void
leave_member(struct decoder *d, size_t mark)
{
	d->path.n = mark;
}

bool
field_has_bounds(const struct field *f)
{
	return f->lo != 0 || f->hi != 0;
}

static void
add_range_error(struct decoder *d, const struct field *f)
{
	if (field_has_bounds(f))
		add_error(d, "out_of_range",
		    arena_printf(d->a, "must be from %" PRId64 " to %" PRId64, f->lo, f->hi));
	else
		add_error(d, "out_of_range", STR("is too large a number"));
}

static struct str
count_message(struct decoder *d, const char *at, int64_t n, const char *unit)
{
	return arena_printf(
	    d->a, "must have at %s %" PRId64 " %s%s", at, n, unit, n == 1 ? "" : "s");
}

/* True when n characters or items are within the bounds. */
static bool
check_count(struct decoder *d, const struct field *f, size_t n, const char *unit)
{
	if (!field_has_bounds(f) || ((int64_t)n >= f->lo && (int64_t)n <= f->hi))
		return true;
	if ((int64_t)n < f->lo)
		add_error(d, "too_short", count_message(d, "least", f->lo, unit));
	else
		add_error(d, "too_long", count_message(d, "most", f->hi, unit));
	return false;
}

/* ---- json-c's objects ---- */

static bool
has_type(struct json_object *o, enum jsonc_type type)
{
	return json_object_get_type(o) == type;
}

static bool
is_any_number(struct json_object *o)
{
	return has_type(o, json_type_int) || has_type(o, json_type_double);
}

/* The bytes of a value as the client sent them. */
static struct str
source_text(const struct decoder *d, struct json_object *o)
{
	const struct span *s = json_object_get_userdata(o);

	return (struct str){ d->text.p + s->at, s->n };
}

static struct str
text_of_string(struct json_object *o)
{
	return (struct str){ json_object_get_string(o), (size_t)json_object_get_string_len(o) };
}

/* Gives each value of the tree its span, as its user data. The spans and the walk have the same
   order. */
static void
attach_spans(struct json_object *o, struct span **next)
{
	struct span *span = (*next)++;

	if (o == NULL)
		return;
	json_object_set_userdata(o, span, NULL);
	if (has_type(o, json_type_object)) {
		struct json_object_iter each;

		json_object_object_foreachC(o, each) attach_spans(each.val, next);
	} else if (has_type(o, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(o); i++)
			attach_spans(json_object_array_get_idx(o, i), next);
	}
}

static void
free_tree(void *o)
{
	json_object_put(o);
}

/* Copies the text with six bytes NUL_STAND_IN in place of each \u0000. json-c ends a name at
 * U+0000, so that {"\u0000":1,"":2} would be one member. In the copy, names stay distinct, and
 * spans stay valid because no byte moves:
 *
 *   {"a\u0000b":1}     the text of the client
 *   {"a______b":1}     each _ is a byte 0xff, which occurs nowhere else in valid UTF-8
 *
 * decode_text recognises the byte and refuses the string, because PostgreSQL cannot store
 * U+0000. */
static struct str
replace_escaped_nul(struct arena *a, struct str text)
{
	char *copy = arena_alloc(a, text.n + 1);

	memcpy(copy, text.p, text.n);
	for (size_t i = 0; i < text.n; i++) {
		if (copy[i] != '\\')
			continue;
		if (str_starts((struct str){ &copy[i], text.n - i }, STR("\\u0000")))
			memset(&copy[i], NUL_STAND_IN, strlen("\\u0000"));
		else
			i++; /* the escaped character may be a backslash */
	}
	return (struct str){ copy, text.n };
}

/* Returns NULL, with the reason in *fault, if json-c refuses the text, which the scan has passed.
 * Its strict mode is off: the scan has checked the text, and the strict mode of json-c 0.18 refuses
 * every byte above 0x7f and every integer beyond 64 bits. */
static struct json_object *
build_tree(struct arena *a, const struct scan *s, struct str text, struct json_fault *fault)
{
	struct json_tokener *t = json_tokener_new_ex(LIM_JSON_DEPTH + 2);
	struct span *next = s->spans;
	enum json_tokener_error why;
	struct json_object *o;

	if (t == NULL)
		panic("out of memory"); /* UNCOVERED: malloc fails */
	o = json_tokener_parse_ex(t, text.p, (int)text.n);
	why = json_tokener_get_error(t);
	*fault = (struct json_fault){ json_tokener_get_parse_end(t), "not understood by json-c" };
	json_tokener_free(t);
	/* When malloc fails, json-c returns NULL without an error. */
	if (o == NULL && (why == json_tokener_success || why == json_tokener_continue))
		panic("out of memory"); /* UNCOVERED: malloc fails */
	if (o == NULL) {
		log_event(LOGP_ERR, "json",
		    "byte=%zu why=\"json-c refuses what the scan has passed: %s\"", fault->at,
		    json_tokener_error_desc(why));
		return NULL;
	}
	arena_defer(a, free_tree, o);
	attach_spans(o, &next);
	/* A list that cannot grow loses an item, and json-c does not report it. */
	if (next != s->spans + s->nspans)
		panic("out of memory"); /* UNCOVERED: malloc fails */
	return o;
}

/* ---- scalars ---- */

static void
add_type_error(struct decoder *d, const char *what)
{
	add_error(d, "invalid_type", arena_printf(d->a, "must be %s", what));
}

struct str
json_one_of(struct arena *a, const char *const *values)
{
	struct buf b = { .a = a };

	buf_z(&b, "must be one of ");
	for (const char *const *v = values; *v != NULL; v++) {
		buf_z(&b, v > values ? ", " : "");
		buf_z(&b, *v);
	}
	return buf_done(&b);
}

static bool
check_values(struct decoder *d, const struct field *f, struct str s)
{
	if (f->values == NULL)
		return true;
	for (const char *const *v = f->values; *v != NULL; v++)
		if (str_is(s, *v))
			return true;
	add_error(d, "not_allowed", json_one_of(d->a, f->values));
	return false;
}

static void
decode_text(struct decoder *d, const struct field *f, struct json_object *o, struct str *out)
{
	struct str s;

	if (!has_type(o, json_type_string)) {
		add_type_error(d, "a string");
		return;
	}
	s = text_of_string(o);
	/* PostgreSQL's type text cannot contain U+0000. */
	if (memchr(s.p, NUL_STAND_IN, s.n) != NULL) {
		add_error(d, "invalid_format", STR("must not contain U+0000"));
		return;
	}
	if ((f->flags & BYTES_TOO) != 0 && (int64_t)s.n > f->hi) {
		add_error(d, "too_long",
		    arena_printf(
			d->a, "must have at most %" PRId64 " characters and bytes", f->hi));
		return;
	}
	if ((f->flags & PROSE) != 0 && !str_prose(s)) {
		add_error(d, "invalid_format",
		    STR("must not contain control characters, marks of direction or invisible "
			"characters"));
		return;
	}
	if ((f->flags & TRIM) != 0)
		s = str_trim(s);
	if ((f->flags & LOWER) != 0)
		s = arena_lower(d->a, s);
	if (check_count(d, f, str_chars(s), "character") && check_values(d, f, s))
		*out = s;
}

static void
decode_integer(struct decoder *d, const struct field *f, struct json_object *o, int64_t *out)
{
	enum lexeme kind = is_any_number(o) ? lexeme_int(source_text(d, o), out) : LEXEME_FRACTION;

	if (kind == LEXEME_FRACTION)
		add_type_error(d, "an integer");
	else if (kind == LEXEME_RANGE || (field_has_bounds(f) && (*out < f->lo || *out > f->hi)))
		add_range_error(d, f);
}

static void
decode_real(struct decoder *d, const struct field *f, struct json_object *o, double *out)
{
	if (!is_any_number(o)) {
		add_type_error(d, "a number");
		return;
	}
	*out = strtod(arena_str(d->a, source_text(d, o)).p, NULL);
	if (!isfinite(*out) ||
	    (field_has_bounds(f) && (*out < (double)f->lo || *out > (double)f->hi)))
		add_range_error(d, f);
}

static void
decode_boolean(struct decoder *d, struct json_object *o, bool *out)
{
	if (has_type(o, json_type_boolean))
		*out = json_object_get_boolean(o) != 0;
	else
		add_type_error(d, "true or false");
}

static void
decode_uuid(struct decoder *d, struct json_object *o, struct uuid *out)
{
	if (!has_type(o, json_type_string))
		add_type_error(d, "a string");
	else if (!uuid_parse(text_of_string(o), out))
		add_error(d, "invalid_format", STR("must be a UUID"));
}

static void
decode_timestamp(struct decoder *d, struct json_object *o, struct ts *out)
{
	if (!has_type(o, json_type_string))
		add_type_error(d, "a string");
	else if (!ts_parse(text_of_string(o), out))
		add_error(d, "invalid_format", STR("must be an RFC 3339 timestamp with an offset"));
}

/* ---- containers ---- */

static void decode_value(struct decoder *d, const struct field *f, struct json_object *o, void *at);

/* Whether two decoded texts, UUIDs or numbers are equal. One that did not fit its row is equal to
   none. */
static bool
are_equal(enum field_type type, const void *a, const void *b)
{
	static const struct uuid unset;

	switch (type) {
	case FIELD_STR:
		return ((const struct str *)a)->p != NULL &&
		       str_eq(*(const struct str *)a, *(const struct str *)b);
	case FIELD_UUID:
		return uuid_cmp(a, &unset) != 0 && uuid_cmp(a, b) == 0;
	case FIELD_INT:
		return *(const int64_t *)a == *(const int64_t *)b;
	default:
		panic("items of type %d cannot be DISTINCT", (int)type); /* UNCOVERED: no table */
	}
}

static bool
repeats_earlier_item(const struct field *f, const struct list *list, size_t i)
{
	const struct field *key = f->sub;
	const char *items = (const char *)list->items + (key == NULL ? 0 : key->offset);

	for (size_t k = 0; k < i; k++)
		if (are_equal(
			key == NULL ? f->item : key->type, items + i * f->size, items + k * f->size))
			return true;
	return false;
}

static void
report_repeated_items(struct decoder *d, const struct field *f, const struct list *list)
{
	for (size_t i = 1; i < list->n; i++) {
		size_t mark;

		if (!repeats_earlier_item(f, list, i))
			continue;
		mark = enter_list_item(d, i);
		if (f->sub != NULL)
			(void)enter_member(d, str_of(f->sub->name));
		add_error(d, "duplicate", STR("repeats an earlier item"));
		leave_member(d, mark);
	}
}

static void
decode_list(struct decoder *d, const struct field *f, struct json_object *o, struct list *out)
{
	const struct field item = { .type = f->sub != NULL ? FIELD_OBJECT : f->item,
		.flags = f->flags & (TRIM | LOWER),
		.sub = f->sub,
		.values = f->values };
	size_t n;

	if (!has_type(o, json_type_array)) {
		add_type_error(d, "an array");
		return;
	}
	n = json_object_array_length(o);
	if (!check_count(d, f, n, "item"))
		return;
	out->n = n;
	out->items = arena_array(d->a, n, f->size);
	for (size_t i = 0; i < n; i++) {
		size_t mark = enter_list_item(d, i);

		decode_value(
		    d, &item, json_object_array_get_idx(o, i), (char *)out->items + i * f->size);
		leave_member(d, mark);
	}
	if ((f->flags & DISTINCT) != 0)
		report_repeated_items(d, f, out);
}

static void
decode_value(struct decoder *d, const struct field *f, struct json_object *o, void *at)
{
	if (o == NULL) {
		add_error(d, "invalid_type", STR("must not be null"));
		return;
	}
	switch (f->type) {
	case FIELD_STR:
		decode_text(d, f, o, at);
		return;
	case FIELD_UUID:
		decode_uuid(d, o, at);
		return;
	case FIELD_TS:
		decode_timestamp(d, o, at);
		return;
	case FIELD_INT:
		decode_integer(d, f, o, at);
		return;
	case FIELD_NUM:
		decode_real(d, f, o, at);
		return;
	case FIELD_BOOL:
		decode_boolean(d, o, at);
		return;
	case FIELD_RAW:
		((struct json *)at)->text = arena_str(d->a, source_text(d, o));
		return;
	case FIELD_LIST:
		decode_list(d, f, o, at);
		return;
	case FIELD_OBJECT:
		if (has_type(o, json_type_object))
			decode_object(d, f->sub, o, at);
		else
			add_type_error(d, "an object");
		return;
	case FIELD_NONE: /* UNCOVERED: ends a table */
		break;   /* UNCOVERED: ends a table */
	}
	panic("field type %d", (int)f->type); /* UNCOVERED: there is no such type */
}

/* Sets a member that is absent or null; `when` is the value of a timestamp. Members of the other
   types keep the zeros of the caller. */
static void
set_absent(struct decoder *d, const struct field *f, struct ts when, void *at)
{
	if (f->type == FIELD_TS)
		*(struct ts *)at = when;
	else if (f->type == FIELD_INT)
		*(int64_t *)at = f->def;
	else if (f->type == FIELD_BOOL)
		*(bool *)at = f->def != 0;
	else if (f->type == FIELD_OBJECT)
		for (const struct field *s = f->sub; s->type != FIELD_NONE; s++)
			set_absent(d, s, (s->flags & DEFAULT_NOW) != 0 ? d->now : TS_NULL,
			    (char *)at + s->offset);
}

static void
decode_object(struct decoder *d, const struct field *fields, struct json_object *o, void *out)
{
	for (const struct field *f = fields; f->type != FIELD_NONE; f++) {
		void *at = (char *)out + f->offset;
		size_t mark = enter_member(d, str_of(f->name));
		struct json_object *member;

		if (!json_object_object_get_ex(o, f->name, &member)) {
			set_absent(d, f, (f->flags & DEFAULT_NOW) != 0 ? d->now : TS_NULL, at);
			if ((f->flags & REQUIRED) != 0)
				add_error(d, "required", STR("is required"));
		} else if (member == NULL && (f->flags & NULLABLE) != 0) {
			set_absent(d, f, TS_NULL, at);
		} else {
			decode_value(d, f, member, at);
		}
		leave_member(d, mark);
	}
}

/* ---- unknown members: reported after the errors of known members ---- */

static bool
is_showable_name(struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (name.p[i] < 0x20 || name.p[i] > 0x7e)
			return false;
	return name.n > 0 && name.n <= NAME_SHOWN_MAX;
}

static void
report_unknown_member(struct decoder *d, const struct field *fields, struct str name)
{
	struct guess g;
	size_t mark;

	if (!is_showable_name(name)) {
		add_error(d, "unknown_field", STR("has a member with an unknown name"));
		return;
	}
	mark = enter_member(d, name);
	guess_begin(&g, name);
	for (const struct field *f = fields; f->type != FIELD_NONE; f++)
		guess_try(&g, str_of(f->name), f->name);
	add_error(d, "unknown_field",
	    g.found == NULL
		? STR("is not a known member")
		: arena_printf(d->a, "is not a known member; did you mean %s?", g.found));
	leave_member(d, mark);
}

static void
report_unknown_below(struct decoder *d, const struct field *f, struct json_object *o)
{
	size_t mark = enter_member(d, str_of(f->name));

	if (f->sub != NULL && has_type(o, json_type_object) && f->type == FIELD_OBJECT)
		report_unknown_members(d, f->sub, o);
	if (f->sub != NULL && has_type(o, json_type_array) && f->type == FIELD_LIST) {
		for (size_t i = 0; i < json_object_array_length(o) && d->nerrors < ERRORS_MAX;
		     i++) {
			struct json_object *item = json_object_array_get_idx(o, i);
			size_t outer = enter_list_item(d, i);

			if (has_type(item, json_type_object))
				report_unknown_members(d, f->sub, item);
			leave_member(d, outer);
		}
	}
	leave_member(d, mark);
}

static void
report_unknown_members(struct decoder *d, const struct field *fields, struct json_object *o)
{
	struct json_object_iter each;

	json_object_object_foreachC(o, each)
	{
		const struct field *f = fields;

		while (f->type != FIELD_NONE && strcmp(f->name, each.key) != 0)
			f++;
		if (f->type == FIELD_NONE)
			report_unknown_member(d, fields, str_of(each.key));
		else
			report_unknown_below(d, f, each.val);
	}
}

enum json_rc
json_decode(struct arena *a, struct str body, const struct field *fields, struct ts now, void *out,
    struct decoded *how)
{
	struct scan s = { .a = a, .mode = SCAN_SPANS, .depth = LIM_JSON_DEPTH, .nul_names = true };
	struct decoder d = { .a = a, .text = body, .now = now, .path = { .a = a } };
	struct json_object *o;

	*how = (struct decoded){ .errors = NULL };
	if (body.n > INT_MAX || !scan_text(&s, body)) {
		how->fault = body.n > INT_MAX ? (struct json_fault){ 0, "too long" } : s.fault;
		return JSON_INVALID;
	}
	if (body.p[s.spans[0].at] == '{') {
		o = build_tree(a, &s, replace_escaped_nul(a, body), &how->fault);
		if (o == NULL)
			return JSON_REFUSED;
		decode_object(&d, fields, o, out);
		report_unknown_members(&d, fields, o);
	} else {
		add_type_error(&d, "a JSON object"); /* C-025 */
	}
	how->errors = d.errors;
	how->nerrors = d.nerrors;
	return d.nerrors > 0 ? JSON_FIELDS : JSON_OK;
}
