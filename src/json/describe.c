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
write_type_keyword(struct buf *b, const char *name, const char *format, unsigned flags)
{
	if ((flags & NULLABLE) != 0)
		json_member_strs(b, "type", (const char *const[]){ name, "null", NULL });
	else
		json_member_str(b, "type", name);
	if (format != NULL)
		json_member_str(b, "format", format);
}

static void
write_enum(struct buf *b, const struct field *f)
{
	if (f->values == NULL)
		return;
	json_member_strs(b, "enum", f->values);
	if ((f->flags & NULLABLE) == 0)
		return;
	b->n--;
	buf_z(b, ",null]");
}

/* Writes bounds of characters or items; a lower bound of 0 needs no keyword. */
static void
write_count_bounds(struct buf *b, const struct field *f, const char *lo, const char *hi)
{
	if (!field_has_bounds(f))
		return;
	if (f->lo > 0)
		json_member_int(b, lo, f->lo);
	json_member_int(b, hi, f->hi);
}

static void
write_value_bounds(struct buf *b, const struct field *f)
{
	if (!field_has_bounds(f))
		return;
	json_member_int(b, "minimum", f->lo);
	json_member_int(b, "maximum", f->hi);
}

static void
describe_integer(struct buf *b, const struct field *f)
{
	write_type_keyword(b, "integer", "int64", f->flags);
	write_value_bounds(b, f);
	/* A default out of bounds stands for a member that was not sent. */
	if (f->def != 0 && (f->flags & REQUIRED) == 0 && (f->hi == 0 || f->def >= f->lo))
		json_member_int(b, "default", f->def);
}

static void describe_scalar(struct buf *b, const struct field *f);

/* Describes a raw value by its .item; a raw value without .item may be anything and
   has no keyword. */
static void
describe_raw(struct buf *b, const struct field *f)
{
	struct field as = *f;

	as.type = f->item;
	if (f->item == FIELD_OBJECT)
		write_type_keyword(b, "object", NULL, f->flags);
	else if (f->item != FIELD_STR)
		describe_scalar(b, &as);
	else if (field_has_bounds(f)) {
		json_member_begin(b, "oneOf", '[');
		buf_char(b, '{');
		write_type_keyword(b, "string", NULL, 0);
		write_count_bounds(b, f, "minLength", "maxLength");
		buf_z(b, "}," JSON({ "type" : "number" }) "," JSON({ "type" : "boolean" }) "]");
	}
}

/* Describes a value that is no list or object. */
static void
describe_scalar(struct buf *b, const struct field *f)
{
	switch (f->type) {
	case FIELD_STR:
		write_type_keyword(b, "string", NULL, f->flags);
		write_count_bounds(b, f, "minLength", "maxLength");
		if (f->pattern != NULL)
			json_member_str(b, "pattern", f->pattern);
		write_enum(b, f);
		return;
	case FIELD_UUID:
		write_type_keyword(b, "string", "uuid", f->flags);
		return;
	case FIELD_TS:
		write_type_keyword(b, "string", "date-time", f->flags);
		return;
	case FIELD_INT:
		describe_integer(b, f);
		return;
	case FIELD_NUM:
		write_type_keyword(b, "number", "double", f->flags);
		write_value_bounds(b, f);
		return;
	case FIELD_BOOL:
		write_type_keyword(b, "boolean", NULL, f->flags);
		if (f->def != 0 && (f->flags & REQUIRED) == 0) {
			json_member(b, "default");
			buf_z(b, "true");
		}
		return;
	case FIELD_RAW:
		describe_raw(b, f);
		return;
	case FIELD_LIST:
	case FIELD_OBJECT:
	case FIELD_NONE:
		return;
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
	json_member(b, "items");
	describe_items(b, f, style);
	write_count_bounds(b, f, "minItems", "maxItems");
	if ((f->flags & DISTINCT) != 0 && f->sub == NULL)
		json_member_bool(b, "uniqueItems", true);
}

/* Wraps the reference to a named schema, so that other keywords may be added beside it. */
static void
write_named_reference(struct buf *b, const struct field *f, const struct style *style)
{
	bool nullable = (f->flags & NULLABLE) != 0;

	json_member_begin(b, nullable ? "oneOf" : "allOf", '[');
	style->names->refer(style->names->arg, b, f->sub);
	buf_z(b, nullable ? "," JSON({ "type" : "null" }) "]" : "]");
}

/* A list, or one that the database has written as JSON. */
static bool
is_list(const struct field *f)
{
	return f->type == FIELD_LIST || (f->type == FIELD_RAW && f->item == FIELD_LIST);
}

static void
describe_member(struct buf *b, const struct field *f, const struct style *style)
{
	json_member(b, f->name);
	if (!is_list(f) && is_named(f->sub, style) && f->help == NULL &&
	    (f->flags & NULLABLE) == 0) {
		style->names->refer(style->names->arg, b, f->sub);
		return;
	}
	buf_char(b, '{');
	if (is_list(f)) {
		describe_list(b, f, style);
	} else if (is_named(f->sub, style)) {
		write_named_reference(b, f, style);
	} else if (f->type == FIELD_OBJECT) {
		write_type_keyword(b, "object", NULL, f->flags);
		describe_members(b, f->sub, style);
	} else {
		describe_scalar(b, f);
	}
	if (f->help != NULL)
		json_member_str(b, "description", f->help);
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
	bool any = false;

	for (const struct field *f = fields; f->type != FIELD_NONE; f++) {
		if (!is_always_present(f, closed))
			continue;
		if (!any)
			json_member_begin(b, "required", '[');
		json_item_str(b, f->name);
		any = true;
	}
	if (any)
		buf_char(b, ']');
}

/* Writes the keywords of an object after its type. */
static void
describe_members(struct buf *b, const struct field *fields, const struct style *style)
{
	json_member_begin(b, "properties", '{');
	for (const struct field *f = fields; f->type != FIELD_NONE; f++)
		describe_member(b, f, style);
	buf_char(b, '}');
	write_required(b, fields, style->closed);
	if (style->closed) {
		json_member(b, "additionalProperties");
		buf_z(b, "false");
	}
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
