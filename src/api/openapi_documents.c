/* SPDX-License-Identifier: ISC */
/* Describes the stored documents of each dataset. No struct holds them, so there is no field table to describe;
   this file makes the tables from the rows of tbl/fields. The rows have dotted names; each object has a table:

     rows                     tables
     tags                     tags: a list of texts
     services.port            services: a list of objects ----> port: a number
     services.http.title                                        http: an object ----> title: a text

   The rows of one object are adjacent. The table of an object ends with the object's dotted name, by which
   json_example finds the row "services.http.title" of tbl/examples.h. */
#include "config.h"

#include "api/openapi_priv.h"
#include "search/schema.h"

static enum field_type
field_type_of(enum value_type t)
{
	switch (t) {
	case VALUE_KEYWORD:
	case VALUE_TEXT:
	case VALUE_DNS:
	case VALUE_IP:
		return FIELD_STR;
	case VALUE_INTEGER:
		return FIELD_INT;
	case VALUE_NUMBER:
		return FIELD_NUM;
	case VALUE_BOOLEAN:
		return FIELD_BOOL;
	case VALUE_DATE:
		return FIELD_TS;
	}
	panic("value type %d", (int)t); /* UNCOVERED: the switch is complete */
}

static const struct field *object_fields(struct arena *a, enum dataset d, struct str object);

/* Makes the row of one member. Its dotted name begins with `skip` bytes of the object's. */
static struct field
member_field(struct arena *a, enum dataset d, struct str name, size_t skip)
{
	const struct schema_field *f = schema_find(d, name);
	bool list = f != NULL ? f->list : str_is(name, schema_nested(d));
	enum field_type type = f != NULL ? field_type_of(f->type) : FIELD_OBJECT;

	return (struct field){ .name = arena_str(a, (struct str){ name.p + skip, name.n - skip }).p,
		.type = list ? FIELD_LIST : type,
		.item = type,
		.flags = OMIT_UNSET,
		.sub = f != NULL ? NULL : object_fields(a, d, name) };
}

/* Makes the table of an object, or of the document itself, whose name is empty. */
static const struct field *
object_fields(struct arena *a, enum dataset d, struct str object)
{
	struct str prefix =
	    object.n > 0 ? arena_printf(a, "%.*s.", (int)object.n, object.p) : object;
	const struct schema_field *f;
	size_t n = schema_fields(d, &f), rows = 0;
	struct field *out = ARENA_ARRAY(a, n + 1, struct field);
	struct str before = STR_NULL;

	for (size_t i = 0; i < n; i++) {
		struct str name = str_of(f[i].name);

		if (!str_starts(name, prefix))
			continue;
		name.n = prefix.n + strcspn(name.p + prefix.n, ".");
		/* A row below a value, such as "tags.category", is made from it and not in the document. */
		if (str_eq(name, before))
			continue;
		before = name;
		out[rows++] = member_field(a, d, name, prefix.n);
	}
	out[rows] = (struct field){ .type = FIELD_NONE,
		.name = object.n > 0 ? arena_str(a, object).p : NULL };
	return out;
}

void
openapi_documents(struct book *book)
{
	for (enum dataset d = 0; d < DATASETS; d++) {
		struct buf document = { .a = book->a }, hit = { .a = book->a };
		const char *name = openapi_camel(book->a, schema_count_unit(d), true);

		json_describe(&document, object_fields(book->a, d, STR("")), false, NULL);
		book_schema(book, name, buf_done(&document));
		buf_char(&hit, '{');
		json_member_begin(&hit, "allOf", '[');
		openapi_ref(&hit, "components/schemas", name);
		buf_char(&hit, ',');
		json_describe(&hit, hit_members, false, &book->names);
		buf_z(&hit, "]}");
		book_schema(book, arena_printf(book->a, "%sHit", name).p, buf_done(&hit));
	}
}

void
openapi_document_example(void *arg, struct buf *b, const struct field *table)
{
	struct arena *a = ((const struct book *)arg)->a;
	const char *schema = openapi_camel(a, json_table_name(table), true);
	size_t end;

	for (enum dataset d = 0; d < DATASETS; d++) {
		struct str name = str_of(openapi_camel(a, schema_count_unit(d), true));

		if (!str_starts(str_of(schema), name))
			continue;
		json_example(b, object_fields(a, d, STR("")), NULL);
		if (str_is(name, schema))
			return;
		end = --b->n; /* the closing brace: the members of a hit follow */
		json_example(b, hit_members, NULL);
		b->p[end] = ',';
		return;
	}
}
