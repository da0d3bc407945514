/* SPDX-License-Identifier: ISC */
/* Writes schemas and examples of the stored documents of each dataset. The search fields (tbl/fields.h) have dotted
   names, "services.tls.jarm"; this file rebuilds the nested objects and arrays from them. */
#include "config.h"

#include "api/openapi_priv.h"
#include "search/schema.h"
#include "json/describe.h"

/* The members of documents that are arrays; tbl/fields.h does not mark them. */
static const char *const arrays[] = { "hostnames", "apex_domains", "cpe", "vulnerabilities", "tags",
	"services", "services.cpe", "services.tags", "services.extra_names",
	"services.http.headers", "services.http.capabilities", "services.tls.certificate.names" };

static bool
is_array(struct str name)
{
	for (size_t i = 0; i < COUNT(arrays); i++)
		if (str_is(name, arrays[i]))
			return true;
	return false;
}

static const char *
scalar_schema(enum value_type t)
{
	switch (t) {
	case VALUE_KEYWORD:
	case VALUE_TEXT:
	case VALUE_DNS:
	case VALUE_IP:
		return "{\"type\":\"string\"}";
	case VALUE_INTEGER:
		return "{\"type\":\"integer\",\"format\":\"int64\"}";
	case VALUE_NUMBER:
		return "{\"type\":\"number\"}";
	case VALUE_BOOLEAN:
		return "{\"type\":\"boolean\"}";
	case VALUE_DATE:
		return "{\"type\":\"string\",\"format\":\"date-time\"}";
	}
	panic("value type %d", (int)t);
}

/* Returns the name of a field up to its member of the object `prefix`: "services.tls" for "services.tls.jarm" and
   "services."; STR_NULL when the field is not below the prefix. */
static struct str
member_of(const struct schema_field *f, struct str prefix)
{
	struct str name = str_of(f->name), rest;

	if (!str_starts(name, prefix))
		return STR_NULL;
	rest = (struct str){ name.p + prefix.n, name.n - prefix.n };
	return (struct str){ name.p, prefix.n + strcspn(rest.p, ".") };
}

/* The two ways to write a document: as its schema, or as an example. */
struct manner {
	enum dataset dataset;
	const char *object, *end, *array, *array_end;
	void (*value)(struct buf *b, const struct schema_field *f);
};

static void write_document_object(struct buf *b, const struct manner *m, struct str prefix);

static void
write_field_type(struct buf *b, const struct schema_field *f)
{
	buf_z(b, scalar_schema(f->type));
}

/* Writes the example that tbl/examples.h has for the whole name, or for its last part. */
static void
write_field_example(struct buf *b, const struct schema_field *f)
{
	const char *dot = strrchr(f->name, '.');
	const char *json = json_example_of(NULL, f->name);

	if (json == NULL && dot != NULL)
		json = json_example_of(NULL, dot + 1);
	if (json == NULL)
		panic("tbl/examples.h has no row for %s", f->name);
	buf_z(b, json);
}

static void
write_document_member(struct buf *b, const struct manner *m, struct str member, size_t skip)
{
	const struct schema_field *f = schema_find(m->dataset, member);
	struct buf below = { 0 };

	json_write_str(b, (struct str){ member.p + skip, member.n - skip });
	buf_char(b, ':');
	if (is_array(member))
		buf_z(b, m->array);
	if (f != NULL) {
		m->value(b, f);
	} else {
		buf_str(&below, member);
		buf_char(&below, '.');
		write_document_object(b, m, buf_done(&below));
		buf_free(&below);
	}
	if (is_array(member))
		buf_z(b, m->array_end);
}

static void
write_document_object(struct buf *b, const struct manner *m, struct str prefix)
{
	const struct schema_field *f;
	size_t n = schema_fields(m->dataset, &f);
	struct str before = STR_NULL;
	const char *comma = "";

	buf_z(b, m->object);
	for (size_t i = 0; i < n; i++) {
		struct str member = member_of(&f[i], prefix);

		/* The fields of one object are adjacent rows. A field below a value, such as
		   "tags.category", is derived and not part of the document. */
		if (member.n == 0 || str_eq(member, before))
			continue;
		before = member;
		buf_z(b, comma);
		write_document_member(b, m, member, prefix.n);
		comma = ",";
	}
	buf_z(b, m->end);
}

static const struct manner as_schema = {
	.object = "{\"type\":\"object\",\"properties\":{",
	.end = "}}",
	.array = "{\"type\":\"array\",\"items\":",
	.array_end = "}",
	.value = write_field_type,
};

static const struct manner as_example = {
	.object = "{",
	.end = "}",
	.array = "[",
	.array_end = "]",
	.value = write_field_example,
};

static void
write_document(struct buf *b, const struct manner *manner, enum dataset d)
{
	struct manner m = *manner;

	m.dataset = d;
	write_document_object(b, &m, STR(""));
}

static const char *const names[DATASETS] = {
#define DATASET(id, number, name, unit, key, nested) [DATASET_##id] = unit,
#include "tbl/datasets.h"
};

void
openapi_documents(struct book *book)
{
	for (int i = 0; i < DATASETS; i++) {
		struct buf document = { .a = book->a }, hit = { .a = book->a };
		const char *name = openapi_camel(book->a, names[i], true);

		write_document(&document, &as_schema, (enum dataset)i);
		book_schema(book, name, buf_done(&document));
		buf_printf(&hit, "{\"allOf\":[{\"$ref\":\"#/components/schemas/%s\"},", name);
		json_describe(&hit, hit_members, false, &book->names);
		buf_z(&hit, "]}");
		book_schema(book, arena_printf(book->a, "%sHit", name).p, buf_done(&hit));
	}
}

void
openapi_document_example(struct buf *b, const char *schema)
{
	struct arena *a = arena_new(65536);
	size_t end;

	for (int i = 0; i < DATASETS; i++) {
		const char *name = openapi_camel(a, names[i], true);
		bool hit = strcmp(schema, arena_printf(a, "%sHit", name).p) == 0;

		if (!hit && strcmp(schema, name) != 0)
			continue;
		write_document(b, &as_example, (enum dataset)i);
		if (!hit)
			continue;
		end = --b->n; /* the closing brace: the members of a hit follow */
		json_example(b, hit_members, NULL);
		b->p[end] = ',';
	}
	arena_free(a);
}
