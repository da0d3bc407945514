/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "json/json.h"

/* How a whole table is described. */
struct style {
	bool closed;
	const struct json_names *names;
};

static void object(struct buf *b, const struct field *fields, const struct style *style);

const char *
json_table_name(const struct field *fields)
{
	while (fields->type != FIELD_NONE)
		fields++;
	return fields->name;
}

static bool
is_named(const struct field *sub, const struct style *style)
{
	return style->names != NULL && sub != NULL && json_table_name(sub) != NULL;
}

static void
keyword(struct buf *b, const char *name, int64_t n)
{
	buf_printf(b, ",\"%s\":", name);
	json_write_int(b, n);
}

/* "type" is always the first keyword, so that the others can begin with a comma. */
static void
type(struct buf *b, const char *name, const char *format, unsigned flags)
{
	buf_printf(b,
	    (flags & NULLABLE) != 0 ? "\"type\":[\"%s\",\"null\"]" : "\"type\":\"%s\"",
	    name);
	if (format != NULL)
		buf_printf(b, ",\"format\":\"%s\"", format);
}

static void
values(struct buf *b, const struct field *f)
{
	if (f->values == NULL)
		return;
	buf_z(b, ",\"enum\":[");
	for (const char *const *v = f->values; *v != NULL; v++) {
		if (v > f->values)
			buf_char(b, ',');
		json_write_str(b, str_of(*v));
	}
	buf_z(b, (f->flags & NULLABLE) != 0 ? ",null]" : "]");
}

static bool
bounded(const struct field *f)
{
	return f->lo != 0 || f->hi != 0;
}

/* Characters or items, of which there are never less than none. */
static void
count_bounds(struct buf *b, const struct field *f, const char *lo, const char *hi)
{
	if (!bounded(f))
		return;
	if (f->lo > 0)
		keyword(b, lo, f->lo);
	keyword(b, hi, f->hi);
}

static void
value_bounds(struct buf *b, const struct field *f)
{
	if (!bounded(f))
		return;
	keyword(b, "minimum", f->lo);
	keyword(b, "maximum", f->hi);
}

static void
integer(struct buf *b, const struct field *f)
{
	type(b, "integer", "int64", f->flags);
	value_bounds(b, f);
	if (f->def != 0 && (f->flags & REQUIRED) == 0)
		keyword(b, "default", f->def);
}

static bool scalar(struct buf *b, const struct field *f);

/* A raw value says in .item what it holds, or nothing. */
static bool
raw(struct buf *b, const struct field *f)
{
	struct field as = *f;

	as.type = f->item;
	if (f->item == FIELD_STR && bounded(f)) {
		buf_z(b, "\"oneOf\":[{");
		type(b, "string", NULL, 0);
		count_bounds(b, f, "minLength", "maxLength");
		buf_z(b, "},{\"type\":\"number\"},{\"type\":\"boolean\"}]");
		return true;
	}
	if (f->item == FIELD_STR)
		return false;
	if (f->item != FIELD_OBJECT)
		return scalar(b, &as);
	type(b, "object", NULL, f->flags);
	return true;
}

/* True when it wrote a keyword: a raw value that says nothing has none. */
static bool
scalar(struct buf *b, const struct field *f)
{
	switch (f->type) {
	case FIELD_STR:
		type(b, "string", NULL, f->flags);
		count_bounds(b, f, "minLength", "maxLength");
		if (f->pattern != NULL)
			buf_printf(b, ",\"pattern\":\"%s\"", f->pattern);
		values(b, f);
		return true;
	case FIELD_UUID:
		type(b, "string", "uuid", f->flags);
		return true;
	case FIELD_TS:
		type(b, "string", "date-time", f->flags);
		return true;
	case FIELD_INT:
		integer(b, f);
		return true;
	case FIELD_NUM:
		type(b, "number", "double", f->flags);
		value_bounds(b, f);
		return true;
	case FIELD_BOOL:
		type(b, "boolean", NULL, f->flags);
		if (f->def != 0 && (f->flags & REQUIRED) == 0)
			buf_z(b, ",\"default\":true");
		return true;
	case FIELD_RAW:
		return raw(b, f);
	case FIELD_LIST:
	case FIELD_OBJECT:
	case FIELD_NONE:
		return false;
	}
	panic("field type %d", (int)f->type); /* UNCOVERED: there is no such type */
}

/* The items of a list: a reference to their schema, or the schema itself. */
static void
items(struct buf *b, const struct field *f, const struct style *style)
{
	const struct field item = {
		.type = f->item, .values = f->values, .pattern = f->pattern
	};

	if (is_named(f->sub, style)) {
		style->names->refer(style->names->arg, b, f->sub);
		return;
	}
	buf_char(b, '{');
	if (f->sub != NULL) {
		type(b, "object", NULL, 0);
		object(b, f->sub, style);
	} else {
		scalar(b, &item);
	}
	buf_char(b, '}');
}

static void
list(struct buf *b, const struct field *f, const struct style *style)
{
	type(b, "array", NULL, f->flags);
	buf_z(b, ",\"items\":");
	items(b, f, style);
	count_bounds(b, f, "minItems", "maxItems");
}

/* A member whose schema has a name: the other keywords stand beside the reference. */
static void
reference(struct buf *b, const struct field *f, const struct style *style)
{
	bool nullable = (f->flags & NULLABLE) != 0;

	buf_z(b, nullable ? "\"oneOf\":[" : "\"allOf\":[");
	style->names->refer(style->names->arg, b, f->sub);
	buf_z(b, nullable ? ",{\"type\":\"null\"}]" : "]");
}

static void
member(struct buf *b, const struct field *f, const struct style *style)
{
	bool any = true;

	json_write_str(b, str_of(f->name));
	buf_char(b, ':');
	if (f->type != FIELD_LIST && is_named(f->sub, style) && f->help == NULL &&
	    (f->flags & NULLABLE) == 0) {
		style->names->refer(style->names->arg, b, f->sub);
		return;
	}
	buf_char(b, '{');
	if (f->type == FIELD_LIST) {
		list(b, f, style);
	} else if (is_named(f->sub, style)) {
		reference(b, f, style);
	} else if (f->type == FIELD_OBJECT) {
		type(b, "object", NULL, f->flags);
		object(b, f->sub, style);
	} else {
		any = scalar(b, f);
	}
	if (f->help != NULL) {
		buf_z(b, any ? ",\"description\":" : "\"description\":");
		json_write_str(b, str_of(f->help));
	}
	buf_char(b, '}');
}

/* A request says what must be sent; an answer has every member but those left out when unset. */
static bool
always(const struct field *f, bool closed)
{
	return closed ? (f->flags & REQUIRED) != 0 : (f->flags & OMIT_UNSET) == 0;
}

static void
required(struct buf *b, const struct field *fields, bool closed)
{
	const char *before = ",\"required\":[";

	for (const struct field *f = fields; f->type != FIELD_NONE; f++) {
		if (!always(f, closed))
			continue;
		buf_z(b, before);
		json_write_str(b, str_of(f->name));
		before = ",";
	}
	if (before[1] == '\0')
		buf_char(b, ']');
}

/* What follows an object's type. */
static void
object(struct buf *b, const struct field *fields, const struct style *style)
{
	buf_z(b, ",\"properties\":{");
	for (const struct field *f = fields; f->type != FIELD_NONE; f++) {
		if (f > fields)
			buf_char(b, ',');
		member(b, f, style);
	}
	buf_char(b, '}');
	required(b, fields, style->closed);
	if (style->closed)
		buf_z(b, ",\"additionalProperties\":false");
}

void
json_describe(struct buf *b, const struct field *fields, bool closed,
    const struct json_names *names)
{
	const struct style style = { .closed = closed, .names = names };

	buf_char(b, '{');
	type(b, "object", NULL, 0);
	object(b, fields, &style);
	buf_char(b, '}');
}
