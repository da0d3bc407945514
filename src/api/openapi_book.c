/* SPDX-License-Identifier: ISC */
/* The components of openapi.json: equal texts are one, different ones of a name are numbered. */
#include "config.h"

#include "api/openapi_priv.h"

#include <ctype.h>

static const char *const kind_names[BOOK_KINDS] = { "parameters", "responses",
	"schemas" };

/* base, or base with a number behind it. */
static bool
is_named(struct str name, const char *base)
{
	size_t n = strlen(base);

	return str_starts(name, str_of(base)) &&
	       strspn(name.p + n, "0123456789") == name.n - n;
}

struct str
book_add(struct book *book, enum book_kind kind, const char *base, struct str text)
{
	struct component *c;
	unsigned others = 0;

	for (size_t i = 0; i < book->n; i++) {
		c = &book->rows[i];
		if (c->kind != kind)
			continue;
		if (!is_named(c->name, base))
			continue;
		if (str_eq(c->text, text))
			return c->name;
		others++;
	}
	if (book->n == BOOK_MAX)
		panic("more than %d components", BOOK_MAX);
	c = &book->rows[book->n++];
	c->kind = kind;
	c->text = text;
	c->name =
	    others == 0 ? str_of(base) : arena_printf(book->a, "%s%u", base, others + 1);
	return c->name;
}

void
book_ref(struct buf *b, struct book *book, enum book_kind kind, const char *base,
    struct str text)
{
	struct str name = book_add(book, kind, base, text);

	buf_printf(b, "{\"$ref\":\"#/components/%s/%.*s\"}", kind_names[kind],
	    (int)name.n, name.p);
}

static void
write_kind(struct buf *b, const struct book *book, enum book_kind kind)
{
	const char *comma = "";

	buf_printf(b, ",\"%s\":{", kind_names[kind]);
	for (size_t i = 0; i < book->n; i++) {
		if (book->rows[i].kind != kind)
			continue;
		buf_z(b, comma);
		json_write_str(b, book->rows[i].name);
		buf_char(b, ':');
		buf_str(b, book->rows[i].text);
		comma = ",";
	}
	buf_char(b, '}');
}

void
book_write(struct buf *b, const struct book *book)
{
	for (enum book_kind k = 0; k < BOOK_KINDS; k++)
		write_kind(b, book, k);
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
