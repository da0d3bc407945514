/* SPDX-License-Identifier: ISC */
/* Describes a field table as JSON Schema, for openapi.json and asyncapi.json. Tables with a name
   become references, so that generated clients have one type for each record. */
#include "config.h"

#include "json/json.h"
#include "json/describe.h"
#include "json/json_priv.h"

/* The parameters of json_describe, which are the same at every level. */
struct style {
	bool closed;
	const struct json_names *names;
};

static void describe_members(struct buf *b, const struct field *fields, const struct style *style);

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
write_keyword(struct buf *b, const char *name, int64_t n)
{
	buf_printf(b, ",\"%s\":", name);
	json_write_int(b, n);
}

/* Writes the keyword "type". It is always the first, so that all others can begin with a comma. */
static void
write_type_keyword(struct buf *b, const char *name, const char *format, unsigned flags)
{
	buf_printf(
	    b, (flags & NULLABLE) != 0 ? "\"type\":[\"%s\",\"null\"]" : "\"type\":\"%s\"", name);
	if (format != NULL)
		buf_printf(b, ",\"format\":\"%s\"", format);
}

static void
write_enum(struct buf *b, const struct field *f)
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

/* Writes bounds of characters or items; a lower bound of 0 needs no keyword. */
static void
write_count_bounds(struct buf *b, const struct field *f, const char *lo, const char *hi)
{
	if (!field_has_bounds(f))
		return;
	if (f->lo > 0)
		write_keyword(b, lo, f->lo);
	write_keyword(b, hi, f->hi);
}

static void
write_value_bounds(struct buf *b, const struct field *f)
{
	if (!field_has_bounds(f))
		return;
	write_keyword(b, "minimum", f->lo);
	write_keyword(b, "maximum", f->hi);
}

static void
describe_integer(struct buf *b, const struct field *f)
{
	write_type_keyword(b, "integer", "int64", f->flags);
	write_value_bounds(b, f);
	if (f->def != 0 && (f->flags & REQUIRED) == 0)
		write_keyword(b, "default", f->def);
}

static bool describe_scalar(struct buf *b, const struct field *f);

/* Describes a raw value by its .item; a raw value without .item may be anything. False: no keyword
   was written. */
static bool
describe_raw(struct buf *b, const struct field *f)
{
	struct field as = *f;

	as.type = f->item;
	if (f->item == FIELD_STR && field_has_bounds(f)) {
		buf_z(b, "\"oneOf\":[{");
		write_type_keyword(b, "string", NULL, 0);
		write_count_bounds(b, f, "minLength", "maxLength");
		buf_z(b, "},{\"type\":\"number\"},{\"type\":\"boolean\"}]");
		return true;
	}
	if (f->item == FIELD_STR)
		return false;
	if (f->item != FIELD_OBJECT)
		return describe_scalar(b, &as);
	write_type_keyword(b, "object", NULL, f->flags);
	return true;
}

/* Describes a value that is no list or object. False when it wrote no keyword, as for a raw value
   of any type. */
static bool
describe_scalar(struct buf *b, const struct field *f)
{
	switch (f->type) {
	case FIELD_STR:
		write_type_keyword(b, "string", NULL, f->flags);
		write_count_bounds(b, f, "minLength", "maxLength");
		if (f->pattern != NULL)
			buf_printf(b, ",\"pattern\":\"%s\"", f->pattern);
		write_enum(b, f);
		return true;
	case FIELD_UUID:
		write_type_keyword(b, "string", "uuid", f->flags);
		return true;
	case FIELD_TS:
		write_type_keyword(b, "string", "date-time", f->flags);
		return true;
	case FIELD_INT:
		describe_integer(b, f);
		return true;
	case FIELD_NUM:
		write_type_keyword(b, "number", "double", f->flags);
		write_value_bounds(b, f);
		return true;
	case FIELD_BOOL:
		write_type_keyword(b, "boolean", NULL, f->flags);
		if (f->def != 0 && (f->flags & REQUIRED) == 0)
			buf_z(b, ",\"default\":true");
		return true;
	case FIELD_RAW:
		return describe_raw(b, f);
	case FIELD_LIST:
	case FIELD_OBJECT:
	case FIELD_NONE:
		return false;
	}
	panic("field type %d", (int)f->type); /* UNCOVERED: there is no such type */
}

/* Describes the items of a list by a reference to their schema, or by the schema itself. */
static void
describe_items(struct buf *b, const struct field *f, const struct style *style)
{
	const struct field item = { .type = f->item, .values = f->values, .pattern = f->pattern };

	if (is_named(f->sub, style)) {
		style->names->refer(style->names->arg, b, f->sub);
		return;
	}
	buf_char(b, '{');
	if (f->sub != NULL) {
		write_type_keyword(b, "object", NULL, 0);
		describe_members(b, f->sub, style);
	} else {
		describe_scalar(b, &item);
	}
	buf_char(b, '}');
}

static void
describe_list(struct buf *b, const struct field *f, const struct style *style)
{
	write_type_keyword(b, "array", NULL, f->flags);
	buf_z(b, ",\"items\":");
	describe_items(b, f, style);
	write_count_bounds(b, f, "minItems", "maxItems");
}

/* Wraps the reference to a named schema, so that other keywords may be added beside it. */
static void
write_named_reference(struct buf *b, const struct field *f, const struct style *style)
{
	bool nullable = (f->flags & NULLABLE) != 0;

	buf_z(b, nullable ? "\"oneOf\":[" : "\"allOf\":[");
	style->names->refer(style->names->arg, b, f->sub);
	buf_z(b, nullable ? ",{\"type\":\"null\"}]" : "]");
}

static void
describe_member(struct buf *b, const struct field *f, const struct style *style)
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
		describe_list(b, f, style);
	} else if (is_named(f->sub, style)) {
		write_named_reference(b, f, style);
	} else if (f->type == FIELD_OBJECT) {
		write_type_keyword(b, "object", NULL, f->flags);
		describe_members(b, f->sub, style);
	} else {
		any = describe_scalar(b, f);
	}
	if (f->help != NULL) {
		buf_z(b, any ? ",\"description\":" : "\"description\":");
		json_write_str(b, str_of(f->help));
	}
	buf_char(b, '}');
}

/* True when the member is always present: in a request the required members, in an answer all but
   OMIT_UNSET. */
static bool
is_always_present(const struct field *f, bool closed)
{
	return closed ? (f->flags & REQUIRED) != 0 : (f->flags & OMIT_UNSET) == 0;
}

static void
write_required(struct buf *b, const struct field *fields, bool closed)
{
	const char *before = ",\"required\":[";

	for (const struct field *f = fields; f->type != FIELD_NONE; f++) {
		if (!is_always_present(f, closed))
			continue;
		buf_z(b, before);
		json_write_str(b, str_of(f->name));
		before = ",";
	}
	if (before[1] == '\0')
		buf_char(b, ']');
}

/* Writes the keywords of an object after its type. */
static void
describe_members(struct buf *b, const struct field *fields, const struct style *style)
{
	buf_z(b, ",\"properties\":{");
	for (const struct field *f = fields; f->type != FIELD_NONE; f++) {
		if (f > fields)
			buf_char(b, ',');
		describe_member(b, f, style);
	}
	buf_char(b, '}');
	write_required(b, fields, style->closed);
	if (style->closed)
		buf_z(b, ",\"additionalProperties\":false");
}

void
json_describe(
    struct buf *b, const struct field *fields, bool closed, const struct json_names *names)
{
	const struct style style = { .closed = closed, .names = names };

	buf_char(b, '{');
	write_type_keyword(b, "object", NULL, 0);
	describe_members(b, fields, &style);
	buf_char(b, '}');
}
