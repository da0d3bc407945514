/* SPDX-License-Identifier: ISC */
/* Prints lines of CSV (cells.h). Each cell is written into the buffer of the line, and is quoted
   afterwards if it needs quotes. */
#include "config.h"

#include "json/cells.h"
#include "json/json.h"
#include "json/tree.h"

/* ---- cells ---- */

static struct str
take_step(struct arena *a, struct str *path)
{
	const char *dot = memchr(path->p, '.', path->n);
	size_t n = dot == NULL ? path->n : (size_t)(dot - path->p);
	struct str step = arena_str(a, (struct str){ path->p, n });

	path->p += dot == NULL ? n : n + 1;
	path->n -= dot == NULL ? n : n + 1;
	return step;
}

/* Writes the items of a list as a JSON array. For an item that is an object, the member with the
   rest of the path is written. */
static void
print_items(struct buf *b, struct arena *a, const struct cells *c, const struct json_value *list,
    struct str path)
{
	buf_char(b, '[');
	for (size_t i = 0; i < json_length(list); i++) {
		const struct json_value *v = json_at(list, i);
		struct str rest = path;

		if (i > 0)
			buf_char(b, ',');
		while (v != NULL && rest.n > 0 && json_type(v) == JSON_OBJECT)
			v = json_get(v, take_step(a, &rest).p);
		if (v == NULL)
			buf_z(b, "null");
		else if (json_type(v) == JSON_ARRAY && rest.n > 0)
			print_items(b, a, c, v, rest);
		else
			json_write_value(b, v, c->string);
	}
	buf_char(b, ']');
}

bool
cell_is_formula(struct str s)
{
	/* U+FF1D, U+FF0B, U+FF0D and U+FF20 in UTF-8 */
	static const struct str wide[] = { STR_INIT("\xef\xbc\x9d"), STR_INIT("\xef\xbc\x8b"),
		STR_INIT("\xef\xbc\x8d"), STR_INIT("\xef\xbc\xa0") };

	for (size_t i = 0; i < COUNT(wide); i++)
		if (str_starts(s, wide[i]))
			return true;
	return s.n > 0 && memchr("=+-@\t\r\n", s.p[0], 7) != NULL;
}

/* Puts a cell that begins at `from` between quotes, with its quotes doubled. */
static void
quote_cell(struct buf *b, struct arena *a, size_t from)
{
	struct str cell = arena_str(a, (struct str){ b->p + from, b->n - from });

	b->n = from;
	buf_char(b, '"');
	for (size_t i = 0; i < cell.n; i++) {
		if (cell.p[i] == '"')
			buf_char(b, '"');
		buf_char(b, cell.p[i]);
	}
	buf_char(b, '"');
}

static bool
needs_quotes(const struct buf *b, size_t from)
{
	for (size_t i = from; i < b->n; i++)
		if (b->p[i] == '"' || b->p[i] == ',' || b->p[i] == '\r' || b->p[i] == '\n')
			return true;
	return b->n > from && (b->p[from] == ' ' || b->p[b->n - 1] == ' ');
}

void
cell_write(struct buf *b, struct arena *a, struct str s)
{
	size_t from = b->n;

	if (cell_is_formula(s))
		buf_char(b, '\'');
	buf_str(b, s);
	if (needs_quotes(b, from))
		quote_cell(b, a, from);
}

static void
write_member_cell(struct buf *b, struct arena *a, const struct cells *c, const struct json_value *v,
    struct str path)
{
	size_t from = b->n;

	while (v != NULL && path.n > 0 && json_type(v) == JSON_OBJECT)
		v = json_get(v, take_step(a, &path).p);
	if (v == NULL || json_type(v) == JSON_NULL)
		return;
	if (json_type(v) == JSON_ARRAY)
		print_items(b, a, c, v, path);
	else if (json_type(v) == JSON_STRING) {
		if (cell_is_formula(json_text(v)))
			buf_char(b, '\'');
		c->text(b, json_text(v));
	} else {
		json_write_value(b, v, c->string);
	}
	if (needs_quotes(b, from))
		quote_cell(b, a, from);
}

void
cells_head(struct buf *b, const struct cells *c)
{
	for (size_t i = 0; i < c->n; i++) {
		if (i > 0)
			buf_char(b, ',');
		buf_str(b, c->names[i]);
	}
	buf_z(b, "\r\n");
}

void
cells_row(struct buf *b, struct arena *a, const struct cells *c, const struct json_value *document)
{
	const struct cells to = { c->names, c->paths, c->n, c->text == NULL ? buf_str : c->text,
		c->string == NULL ? json_write_str : c->string };

	for (size_t i = 0; i < c->n; i++) {
		if (i > 0)
			buf_char(b, ',');
		write_member_cell(b, a, &to, document, c->paths[i]);
	}
	buf_z(b, "\r\n");
}

void
cells_write(struct buf *b, struct arena *a, const struct cells *c, struct str answer)
{
	const struct json_value *v = json_parse(a, answer);

	if (v == NULL)
		panic("an answer of ours is no JSON: %.*s", (int)(answer.n < 200 ? answer.n : 200),
		    answer.p);
	cells_row(b, a, c, v);
	arena_reset(a);
}
