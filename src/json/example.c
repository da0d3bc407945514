/* SPDX-License-Identifier: ISC */
/* Examples of records for openapi.json, made from the tables that write the records. */
#include "config.h"

#include "json/json.h"
#include "json/describe.h"

static const struct {
	const char *name, *json;
} examples[] = {
#define EXAMPLE(name, ...) { name, #__VA_ARGS__ },
#include "tbl/examples.h"
#undef EXAMPLE
};

static const char *
find_example(const char *name)
{
	for (size_t i = 0; i < COUNT(examples); i++)
		if (strcmp(examples[i].name, name) == 0)
			return examples[i].json;
	return NULL;
}

const char *
json_example_of(const char *schema, const char *member)
{
	const char *found = NULL;
	char name[128];

	if (schema != NULL) {
		snprintf(name, sizeof(name), "%s.%s", schema, member);
		found = find_example(name);
	}
	return found != NULL ? found : find_example(member);
}

/* Writes a typical value of the type. False when the type has none (a text, a number): then the
   table of examples must have a row for the member. */
static bool
write_typical_value(struct buf *b, const struct field *f)
{
	switch (f->type == FIELD_RAW ? f->item : f->type) {
	case FIELD_STR:
		if (f->values == NULL)
			return false;
		json_write_str(b, str_of(f->values[0]));
		return true;
	case FIELD_UUID:
		buf_z(b, "\"3f0b6a52-5d0c-4c3a-9a55-0f6d1c2b7e91\"");
		return true;
	case FIELD_TS:
		buf_z(b, "\"2026-01-31T12:00:00.000000Z\"");
		return true;
	case FIELD_BOOL:
		buf_z(b, "true");
		return true;
	case FIELD_INT:
	case FIELD_NUM:
	case FIELD_RAW:
	case FIELD_LIST:
	case FIELD_OBJECT:
	case FIELD_NONE:
		return false;
	}
	panic("field type %d", (int)f->type); /* UNCOVERED: there is no such type */
}

/* The row of a member. A record or a list of records in an answer that has no schema of its own
   is shown by its table: the row "tags" is of texts, and says nothing about an answer whose list of
   records has this name. */
static const char *
member_example(const char *schema, const struct field *f)
{
	const char *json = json_example_of(schema, f->name);

	return schema == NULL && f->sub != NULL && json != NULL && json[0] != '\0' ? NULL : json;
}

static void
write_member_example(
    struct buf *b, const struct field *f, const char *schema, const struct json_names *names)
{
	const char *json = member_example(schema, f);
	struct field item = { .name = f->name, .type = f->item, .values = f->values };
	bool list = f->type == FIELD_LIST || (f->type == FIELD_RAW && f->item == FIELD_LIST);

	if (json != NULL) {
		buf_z(b, json);
		return;
	}
	if (f->type == FIELD_RAW && f->sub != NULL && f->item != FIELD_OBJECT &&
	    f->item != FIELD_LIST) {
		names->sample(names->arg, b, f->sub);
		return;
	}
	if (list)
		buf_char(b, '[');
	if (f->sub != NULL && (f->type == FIELD_OBJECT || f->item != FIELD_RAW))
		json_example(b, f->sub, names);
	else if (f->type == FIELD_LIST && f->sub != NULL)
		names->sample(names->arg, b, f->sub);
	else if (!write_typical_value(b, f->type == FIELD_LIST ? &item : f))
		panic("tbl/examples.h has no row for %s of %s", f->name,
		    schema == NULL ? "a table" : schema);
	if (list)
		buf_char(b, ']');
}

void
json_example(struct buf *b, const struct field *fields, const struct json_names *names)
{
	const char *schema = json_table_name(fields), *comma = "", *json;

	buf_char(b, '{');
	for (const struct field *f = fields; f->type != FIELD_NONE; f++) {
		json = member_example(schema, f);
		if (json != NULL && json[0] == '\0')
			continue;
		buf_z(b, comma);
		json_write_str(b, str_of(f->name));
		buf_char(b, ':');
		write_member_example(b, f, schema, names);
		comma = ",";
	}
	buf_char(b, '}');
}
