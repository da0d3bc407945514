/* SPDX-License-Identifier: ISC */
/* Describes the stored documents of each dataset. No struct holds them, so there is no field table
   to describe; this file makes the tables from the rows of tbl/fields. The rows have dotted names;
   each object has a table:

     rows                     tables
     tags                     tags: a list of texts
     services.port            services: a list of objects ----> port: a number
     services.http.title                                        http: an object ----> title: a text

   The rows of one object are adjacent. The table of an object ends with the object's dotted name,
   and that of the document with the name of its schema, by which json_example finds the rows
   "services.http.title" and "DnsRecord.host" of tbl/examples.h. A virtual field, such as
   tags.category, is in no document, and a hidden one in no answer. */
#include "config.h"

#include "api/search/documents.h"
#include "api/describe/openapi_priv.h"
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

/* Members of documents that no query names. */
static const struct {
	enum dataset dataset;
	const char *name;
	enum value_type type;
	bool list;
} members[] = {
#define MEMBER(id, text, value, form, least, most, items, merge)                                   \
	{ DATASET_##id, text, VALUE_##value, items > 0 },
#include "tbl/fields.h"
};

/* Adds the members of the object with this prefix. Returns the number of rows. */
static size_t
fields_of_dataset(enum dataset d, struct str prefix, struct field *rows)
{
	size_t n = 0;

	for (size_t i = 0; i < COUNT(members); i++) {
		struct str name = str_of(members[i].name);
		enum field_type type = field_type_of(members[i].type);

		if (members[i].dataset == d && str_starts(name, prefix) &&
		    strchr(name.p + prefix.n, '.') == NULL)
			rows[n++] = (struct field){ .name = name.p + prefix.n,
				.type = members[i].list ? FIELD_LIST : type,
				.item = type,
				.flags = OMIT_UNSET };
	}
	return n;
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
	struct field *out = ARENA_ARRAY(a, n + COUNT(members) + 1, struct field);
	struct str before = STR_NULL;

	for (size_t i = 0; i < n; i++) {
		struct str name = str_of(f[i].name);

		if (!str_starts(name, prefix) || f[i].store == STORE_VIRTUAL ||
		    f[i].store == STORE_HIDDEN || f[i].store == STORE_GUARD)
			continue;
		name.n = prefix.n + strcspn(name.p + prefix.n, ".");
		if (str_eq(name, before))
			continue;
		before = name;
		out[rows++] = member_field(a, d, name, prefix.n);
	}
	rows += fields_of_dataset(d, prefix, out + rows);
	out[rows] = (struct field){ .type = FIELD_NONE,
		.name = object.n > 0 ? arena_str(a, object).p
				     : openapi_camel(a, answer_names[d].record, true) };
	return out;
}

/* ---- the schemas ---- */

static struct str
schema_name(struct arena *a, const char *name)
{
	return str_of(openapi_camel(a, name, true));
}

/* A service of a look-up: the members of a nested object, between the address and the place of its
   host. */
static const struct field *
host_service_fields(struct arena *a)
{
	static const char *const place[] = { "asn", "as_name", "organisation", "country_code",
		"city", "hostnames", "apex_domains" };
	const struct field *service = object_fields(a, DATASET_HOSTS, STR("services"));
	struct field *host = ARENA_ARRAY(a, COUNT(place) + 1, struct field), *out;
	size_t n = 0;

	while (service[n].type != FIELD_NONE)
		n++;
	for (size_t i = 0; i < COUNT(place); i++)
		host[i] = member_field(a, DATASET_HOSTS, str_of(place[i]), 0);
	host[COUNT(place)] = (struct field)FIELD_END;
	out = ARENA_ARRAY(a, n + 3, struct field);
	out[0] = member_field(a, DATASET_HOSTS, STR("ip"), 0);
	memcpy(&out[1], service, n * sizeof(*out));
	out[n + 1] = (struct field){
		.name = "host", .type = FIELD_OBJECT, .flags = OMIT_UNSET, .sub = host
	};
	out[n + 2] = (struct field){ .type = FIELD_NONE, .name = "services" };
	return out;
}

static void
describe_record(struct book *book, struct str name, const struct field *fields)
{
	struct buf text = { .a = book->a };

	json_describe(&text, fields, false, NULL);
	book_schema(book, name.p, buf_done(&text));
}

static void
describe_hit(struct book *book, enum dataset d, struct str record)
{
	struct buf hit = { .a = book->a };

	buf_char(&hit, '{');
	json_member_begin(&hit, "allOf", '[');
	openapi_ref(&hit, "components/schemas", record.p);
	buf_char(&hit, ',');
	json_describe(&hit, hit_members(d), false, &book->names);
	buf_z(&hit, "]}");
	book_schema(book, schema_name(book->a, answer_names[d].hit).p, buf_done(&hit));
}

#define HOST_SERVICE "HostService"

void
openapi_documents(struct book *book)
{
	for (enum dataset d = 0; d < DATASETS; d++) {
		struct str name = schema_name(book->a, answer_names[d].record);

		describe_record(book, name, object_fields(book->a, d, STR("")));
		if (hit_members(d) != NULL)
			describe_hit(book, d, name);
	}
	describe_record(book, STR(HOST_SERVICE), host_service_fields(book->a));
}

static void
write_hit_example(struct buf *b, struct arena *a, enum dataset d)
{
	size_t end;

	json_example(b, object_fields(a, d, STR("")), NULL);
	end = --b->n; /* the closing brace: the members of a hit follow */
	json_example(b, hit_members(d), NULL);
	b->p[end] = ',';
}

void
openapi_document_example(void *arg, struct buf *b, const struct field *table)
{
	struct arena *a = ((const struct book *)arg)->a;
	const char *schema = openapi_camel(a, json_table_name(table), true);

	if (strcmp(schema, HOST_SERVICE) == 0)
		json_example(b, host_service_fields(a), NULL);
	for (enum dataset d = 0; d < DATASETS; d++) {
		if (str_is(schema_name(a, answer_names[d].record), schema))
			json_example(b, object_fields(a, d, STR("")), NULL);
		else if (hit_members(d) != NULL &&
			 str_is(schema_name(a, answer_names[d].hit), schema))
			write_hit_example(b, a, d);
	}
}
