/* SPDX-License-Identifier: ISC */
/* Prints records by their field table: aligned text for people, JSON for scripts. The JSON is that
   of the API (json_write with the same table), so a script needs one parser for both. Text differs
   on purpose:

     unset            -                          an empty cell would move the columns for awk
     time             seconds are enough         2027-01-31T12:00:00Z
     list             a,b,c; with narrow its number of items
     control bytes    ?                          a banner must not control the terminal

   A column is as wide as its widest cell, counted in characters, so all cells are formatted before
   the first is printed. */
#include "config.h"

#include "base/char.h"
#include "cli/cli.h"

#include <inttypes.h>

enum { NARROW = 24 };

static void
add_scalar(struct buf *b, enum field_type type, const void *from)
{
	char uuid[UUID_LEN + 1], ts[TS_LEN + 1];
	static const struct uuid none;

	switch (type) {
	case FIELD_STR:
		buf_str(b, *(const struct str *)from);
		return;
	case FIELD_UUID:
		uuid_print(from, uuid);
		buf_z(b, uuid_cmp(from, &none) == 0 ? "" : uuid);
		return;
	case FIELD_TS:
		if (ts_is_null(*(const struct ts *)from))
			return;
		ts_print(*(const struct ts *)from, ts);
		buf_printf(b, "%.19sZ", ts); /* seconds are enough for people */
		return;
	case FIELD_INT:
		buf_printf(b, "%" PRId64, *(const int64_t *)from);
		return;
	case FIELD_NUM:
		buf_printf(b, "%g", *(const double *)from);
		return;
	case FIELD_BOOL:
		buf_z(b, *(const bool *)from ? "yes" : "no");
		return;
	case FIELD_RAW:
		buf_str(b, ((const struct json *)from)->text);
		return;
	case FIELD_LIST:
	case FIELD_OBJECT:
	case FIELD_NONE:
		break;
	}
	panic("a field of type %d in a table", (int)type);
}

/* The first NARROW characters of a text; a UUID stays whole, since it is copied into commands. */
static struct str
shorten(struct arena *a, struct str s)
{
	size_t chars = 0, end = 0;
	struct uuid uuid;

	if (uuid_parse(s, &uuid) || str_utf8_bad(s) < s.n || str_chars(s) <= NARROW)
		return s;
	for (; end < s.n && chars < NARROW; end++)
		chars += (s.p[end] & 0xc0) != 0x80; /* counts first bytes of characters only */
	while (end < s.n && (s.p[end] & 0xc0) == 0x80)
		end++;
	return arena_printf(a, "%.*s...", (int)end, s.p);
}

/* Replaces each harmful character by "?". In a text that is no UTF-8, each byte beyond ASCII is
   one. */
static struct buf
show_harmless(struct arena *a, struct str s)
{
	const char *p = s.p, *end = s.p + s.n;
	bool utf8 = str_utf8_bad(s) == s.n;
	struct buf b = { .a = a };

	while (p < end) {
		const char *at = p;
		uint32_t c = utf8 ? char_next(&p) : (unsigned char)*p++;

		if (char_is_harmful(c) || (!utf8 && c > 0x7f))
			buf_char(&b, '?');
		else
			buf_add(&b, at, (size_t)(p - at));
	}
	return b;
}

/* Formats one cell. An unset value is "-", and harmful characters are replaced, since a host's
   banner must not control the terminal. A narrow cell contains the number of items of a list, and
   the beginning of a long text. */
static struct str
format_cell(struct arena *a, const struct field *f, const void *record, bool narrow)
{
	const char *from = (const char *)record + f->offset;
	struct buf b = { .a = a };

	if (f->type == FIELD_LIST && narrow) {
		const struct list *l = (const void *)from;

		buf_printf(&b, l->n > 0 ? "%zu" : "-", l->n);
	} else if (f->type == FIELD_LIST) {
		const struct list *l = (const void *)from;

		for (size_t i = 0; i < l->n; i++) {
			buf_z(&b, i > 0 ? "," : "");
			add_scalar(&b, f->item, (const char *)l->items + i * f->size);
		}
	} else if (f->type == FIELD_OBJECT) {
		json_write(&b, f->sub, from);
	} else {
		add_scalar(&b, f->type, from);
	}
	if (b.n == 0)
		buf_char(&b, '-');
	b = show_harmless(a, buf_done(&b));
	return narrow ? shorten(a, buf_done(&b)) : buf_done(&b);
}

static size_t
text_width(struct str s)
{
	return str_utf8_bad(s) == s.n ? str_chars(s) : s.n;
}

static void
print_heading(const struct field *fields, const size_t *widths)
{
	for (size_t k = 0; fields[k].type != FIELD_NONE; k++) {
		bool last = fields[k + 1].type == FIELD_NONE;

		for (const char *p = fields[k].name; *p != '\0'; p++)
			putchar(*p == '_' ? ' ' : *p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p);
		if (!last)
			printf("%*s", (int)(widths[k] - strlen(fields[k].name) + 2), "");
	}
	putchar('\n');
}

static bool
has_line_word(const char *words, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = strstr(words, word); p != NULL; p = strstr(p + n, word))
		if ((p == words || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0'))
			return true;
	return false;
}

/* The fields that narrow names. */
static const struct field *
choose_fields(struct arena *a, const struct field *fields, const char *narrow)
{
	struct field *out;
	size_t n = 0, kept = 0;

	while (fields[n].type != FIELD_NONE)
		n++;
	out = ARENA_ARRAY(a, n + 1, struct field);
	for (size_t i = 0; i <= n; i++)
		if (fields[i].type == FIELD_NONE || has_line_word(narrow, fields[i].name))
			memcpy(&out[kept++], &fields[i], sizeof(out[0]));
	return out;
}

static void
print_table(struct arena *a, const struct field *fields, struct list list, size_t size, bool narrow)
{
	size_t columns = 0, *widths;
	struct str *cells;

	while (fields[columns].type != FIELD_NONE)
		columns++;
	widths = ARENA_ARRAY(a, columns, size_t);
	cells = ARENA_ARRAY(a, columns * list.n, struct str);
	for (size_t k = 0; k < columns; k++)
		widths[k] = strlen(fields[k].name);
	for (size_t i = 0; i < list.n; i++) {
		for (size_t k = 0; k < columns; k++) {
			struct str s =
			    format_cell(a, &fields[k], (const char *)list.items + i * size, narrow);

			cells[i * columns + k] = s;
			if (text_width(s) > widths[k])
				widths[k] = text_width(s);
		}
	}
	print_heading(fields, widths);
	for (size_t i = 0; i < list.n; i++) {
		for (size_t k = 0; k < columns; k++) {
			struct str s = cells[i * columns + k];

			str_write(s, stdout);
			if (k + 1 < columns)
				printf("%*s", (int)(widths[k] - text_width(s) + 2), "");
		}
		putchar('\n');
	}
}

static int
print_json_line(struct arena *a, const struct buf *b)
{
	struct buf shown = { .a = a };

	json_shown(&shown, (struct str){ b->p, b->n });
	buf_char(&shown, '\n');
	fwrite(shown.p, 1, shown.n, stdout);
	return EXIT_OK;
}

int
cli_print_list(const struct cli *c, const char *name, const struct field *fields, struct list list,
    size_t size)
{
	struct buf b = { .a = c->arena };

	if (!c->json) {
		bool narrow = c->narrow != NULL && !c->wide;

		print_table(c->arena, narrow ? choose_fields(c->arena, fields, c->narrow) : fields,
		    list, size, narrow);
		return EXIT_OK;
	}
	buf_char(&b, '{');
	json_write_str(&b, str_of(name));
	buf_z(&b, ":[");
	for (size_t i = 0; i < list.n; i++) {
		buf_z(&b, i > 0 ? "," : "");
		json_write(&b, fields, (const char *)list.items + i * size);
	}
	buf_z(&b, "]}");
	return print_json_line(c->arena, &b);
}

int
cli_print(const struct cli *c, const char *name, const struct field *fields, const void *record)
{
	struct buf b = { .a = c->arena };

	if (c->json) {
		buf_char(&b, '{');
		json_write_str(&b, str_of(name));
		buf_char(&b, ':');
		json_write(&b, fields, record);
		buf_char(&b, '}');
		return print_json_line(c->arena, &b);
	}
	for (const struct field *f = fields; f->type != FIELD_NONE; f++) {
		struct str s = format_cell(c->arena, f, record, false);

		printf("%-16s %.*s\n", f->name, (int)s.n, s.p);
	}
	return EXIT_OK;
}

/* ---- the rows of a statement ---- */

int
cli_one_row(
    struct cli *c, const char *name, const struct stmt *st, const char *given, struct db_args args)
{
	void *row = arena_alloc(c->arena, st->size);
	enum db_rc rc = db_one_row(c->db, st, row, args);

	if (rc != DB_OK)
		return cli_fail_db(c, rc, given);
	return cli_print(c, name, st->out, row);
}

int
cli_rows(struct cli *c, const char *name, const struct stmt *st, struct db_args args)
{
	struct list rows;
	enum db_rc rc = db_rows(c->db, st, &rows, args);

	if (rc != DB_OK)
		return cli_fail_db(c, rc, name);
	return cli_print_list(c, name, st->out, rows, st->size);
}
