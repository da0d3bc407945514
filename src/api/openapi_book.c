/* SPDX-License-Identifier: ISC */
/* The components of openapi.json: parameters, responses and schemas that operations refer to. Code generators turn
   the names of components into names of types, so each must be short, unique and stable. */
#include "config.h"

#include "api/openapi_priv.h"
#include "json/describe.h"

#include <ctype.h>

static const char *const kind_names[BOOK_KINDS] = { "parameters", "responses", "schemas" };

static const struct component *
find_by_name(const struct book *book, enum book_kind kind, const char *name)
{
	for (size_t i = 0; i < book->n; i++)
		if (book->rows[i].kind == kind && str_is(book->rows[i].name, name))
			return &book->rows[i];
	return NULL;
}

static const struct component *
find_by_text(const struct book *book, enum book_kind kind, struct str text)
{
	for (size_t i = 0; i < book->n; i++)
		if (book->rows[i].kind == kind && str_eq(book->rows[i].text, text))
			return &book->rows[i];
	return NULL;
}

static const struct component *
add_component(struct book *book, enum book_kind kind, const char *const names[2], struct str text)
{
	const struct component *old = kind == BOOK_SCHEMA ? find_by_name(book, kind, names[0])
							  : find_by_text(book, kind, text);
	const char *name = names[0];
	struct component *c;

	if (old != NULL && str_eq(old->text, text))
		return old;
	if (find_by_name(book, kind, name) != NULL)
		name = names[1];
	if (name == NULL || find_by_name(book, kind, name) != NULL)
		panic("two %s of openapi.json have the name %s", kind_names[kind], names[0]);
	if (book->n == BOOK_MAX)
		panic("more than %d components", BOOK_MAX);
	c = &book->rows[book->n++];
	*c = (struct component){ kind, arena_str(book->a, str_of(name)), text };
	return c;
}

static void
write_ref(struct buf *b, enum book_kind kind, const char *name)
{
	buf_printf(b, "{\"$ref\":\"#/components/%s/%s\"}", kind_names[kind], name);
}

void
book_ref(struct buf *b, struct book *book, enum book_kind kind, const char *const names[2],
    struct str text)
{
	write_ref(b, kind, add_component(book, kind, names, text)->name.p);
}

void
book_schema(struct book *book, const char *name, struct str text)
{
	add_component(book, BOOK_SCHEMA, (const char *const[2]){ name, NULL }, text);
}

/* A table without members represents stored documents, whose schemas openapi_documents.c adds. */
static void
write_table_ref(void *arg, struct buf *b, const struct field *table)
{
	struct book *book = arg;
	const char *name = openapi_camel(book->a, json_table_name(table), true);
	struct buf text = { .a = book->a };

	if (table->type != FIELD_NONE) {
		json_describe(&text, table, book->closed, &book->names);
		book_schema(book, name, buf_done(&text));
	}
	write_ref(b, BOOK_SCHEMA, name);
}

static void
write_table_example(void *arg, struct buf *b, const struct field *table)
{
	const struct book *book = arg;

	openapi_document_example(b, openapi_camel(book->a, json_table_name(table), true));
}

void
book_begin(struct book *book, struct arena *a)
{
	book->a = a;
	book->names = (struct json_names){
		.refer = write_table_ref, .sample = write_table_example, .arg = book
	};
}

void
book_write(struct buf *b, const struct book *book, enum book_kind kind)
{
	const char *comma = "";

	for (size_t i = 0; i < book->n; i++) {
		if (book->rows[i].kind != kind)
			continue;
		buf_z(b, comma);
		json_write_str(b, book->rows[i].name);
		buf_char(b, ':');
		buf_str(b, book->rows[i].text);
		comma = ",";
	}
}

const char *
openapi_camel(struct arena *a, const char *snake, bool upper)
{
	char *out = arena_alloc(a, strlen(snake) + 1), *p = out;

	for (; *snake != '\0'; snake++) {
		if (*snake == '_') {
			upper = true;
			continue;
		}
		*p++ = upper ? (char)toupper((unsigned char)*snake) : *snake;
		upper = false;
	}
	return out;
}

void
openapi_member(struct buf *b, const char *name, const char *text)
{
	buf_printf(b, ",\"%s\":", name);
	json_write_str(b, str_of(text));
}
