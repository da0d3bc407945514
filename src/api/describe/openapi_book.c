/* SPDX-License-Identifier: ISC */
/* The components of openapi.json: parameters, responses and schemas that operations refer to. Code
   generators turn the names of components into names of types, so each must be short, unique and
   stable. */
#include "config.h"

#include "api/describe/openapi_priv.h"
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

/* Finds or adds a component. Parameters and responses are equal when their texts are equal; the
   first operation that writes one gives it its name, and another text with that name gets the
   longer second name. Schemas have names of their own, from the tables, so an equal name must mean
   an equal text.

     kind         found by    same name, other text
     parameter    text        names[1], with the operation in it
     response     text        names[1]
     schema       name        panic: two tables have one name

   Generated clients have types of these names, so renaming one is a change that its users
   notice. */
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
	char where[32];

	snprintf(where, sizeof(where), "components/%s", kind_names[kind]);
	openapi_ref(b, where, name);
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

void
book_begin(struct book *book, struct arena *a, json_sample *sample)
{
	book->a = a;
	book->names =
	    (struct json_names){ .refer = write_table_ref, .sample = sample, .arg = book };
}

void
book_write(struct buf *b, const struct book *book, enum book_kind kind)
{
	for (size_t i = 0; i < book->n; i++) {
		if (book->rows[i].kind != kind)
			continue;
		json_member(b, book->rows[i].name.p);
		buf_str(b, book->rows[i].text);
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
openapi_ref(struct buf *b, const char *where, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "#/%s/%s", where, name);
	json_begin(b, '{');
	json_member_str(b, "$ref", path);
	buf_char(b, '}');
}

void
openapi_begin_content(struct buf *b)
{
	json_member_begin(b, "content", '{');
	json_member_begin(b, "application/json", '{');
	json_member(b, "schema");
}

void
openapi_insert(struct buf *b, struct str *rest, const char *place, const struct buf *text)
{
	const char *at = memmem(rest->p, rest->n, place, strlen(place));
	size_t n;

	if (at == NULL)
		panic("the constant part of a document has no place %s", place);
	n = (size_t)(at - rest->p) + strlen(place);
	buf_add(b, rest->p, n);
	buf_str(b, buf_done(text));
	*rest = (struct str){ rest->p + n, rest->n - n };
	/* The next constant member or item begins with a quote or a brace. */
	if (strchr("\"{", str_trim(*rest).p[0]) != NULL)
		buf_char(b, ',');
}
