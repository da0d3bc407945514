/* SPDX-License-Identifier: ISC */
/* Lists of documents: as a table that fits the terminal, as CSV, or as one JSON document on each
   line. */
#include "config.h"

#include "client/print.h"
#include "client/value.h"
#include "json/cells.h"

enum { GAP = 2, FIRST_LEAST = 40, LEAST = 8, DAY_LEN = 10, MINUTE_LEN = 16, WIDEST = 60 };

static bool
add_table_column(struct table *t, struct str path)
{
	if (t->ncolumns == COLUMNS_MAX) {
		fail(t->c, WRONG_USAGE, "--fields takes at most %d names", COLUMNS_MAX);
		return false;
	}
	path = arena_str(t->c->arena, str_trim(path));
	t->columns[t->ncolumns++] = (struct column){ .path = path.p, .heading = path.p };
	return true;
}

struct str
fields_given(const struct client *c)
{
	for (const struct option_row *row = c->command->options; row != NULL && row->name != NULL;
	     row++)
		if (row->kind == FIELDS)
			return option(c, row->name);
	return STR_NULL;
}

bool
table_begin(struct table *t, struct client *c, const struct column *columns)
{
	struct str fields = fields_given(c), name;

	*t = (struct table){ .c = c };
	if (fields.p != NULL && str_utf8_bad(fields) < fields.n) {
		fail(c, WRONG_USAGE, "--fields is no text in UTF-8");
		return false;
	}
	while (str_part(&fields, ',', &name))
		if (!add_table_column(t, name))
			return false;
	if (t->ncolumns == 0)
		for (; columns->path != NULL; columns++)
			t->columns[t->ncolumns++] = *columns;
	return true;
}

/* ---- NDJSON and CSV ---- */

static void
write_out(struct buf *b)
{
	str_write(buf_done(b), stdout);
	buf_free(b);
}

void
line_print(struct client *c, const struct json_value *v)
{
	struct buf b = { .p = NULL };

	(void)c;
	json_show(&b, v);
	buf_char(&b, '\n');
	write_out(&b);
}

/* A file is UTF-8 in every locale. */
static void
write_harmless_text(struct buf *b, struct str text)
{
	const struct screen utf8 = { .utf8 = true };

	text_show(b, &utf8, text);
}

static void
csv_heading(const struct table *t, struct buf *b)
{
	for (size_t i = 0; i < t->ncolumns; i++)
		buf_printf(b, "%s%s", i > 0 ? "," : "", t->columns[i].path);
	buf_z(b, "\r\n");
}

/* The path of a column in a document: a service has the members of its host in an object. */
static struct str
path_in(const struct table *t, const struct json_value *v, const char *path)
{
	char step[64];
	size_t n = strcspn(path, ".");

	if (n < sizeof(step) && value_get(v, "host") != NULL &&
	    json_type(value_get(v, "host")) == JSON_OBJECT) {
		memcpy(step, path, n);
		step[n] = '\0';
		if (value_get(v, step) == NULL)
			return arena_printf(t->c->page, "host.%s", path);
	}
	return str_of(path);
}

static void
csv_row(const struct table *t, struct buf *b, const struct json_value *v)
{
	struct str paths[COLUMNS_MAX];
	const struct cells cells = { .paths = paths, .n = t->ncolumns, .text = write_harmless_text,
		.string = json_show_string };

	for (size_t i = 0; i < t->ncolumns; i++)
		paths[i] = path_in(t, v, t->columns[i].path);
	cells_row(b, t->c->page, &cells, v);
}

/* ---- tables ---- */

/* The cell as it is printed before it is cut. */
static struct str
table_cell(const struct table *t, const struct column *column, const struct json_value *v)
{
	struct buf raw = { .p = NULL }, shown = { .a = t->c->page };
	struct ts time;

	value_cell(&raw, v, column->path, ", ");
	if (column->kind != CELL_TEXT && ts_parse(buf_done(&raw), &time)) {
		raw.p[DAY_LEN] = ' ';
		raw.n = column->kind == CELL_DAY ? DAY_LEN : MINUTE_LEN;
	}
	text_show(&shown, &t->c->screen, buf_done(&raw));
	buf_free(&raw);
	return buf_done(&shown);
}

static size_t
total_width(const struct table *t)
{
	size_t n = t->ncolumns == 0 ? 0 : (t->ncolumns - 1) * GAP;

	for (size_t i = 0; i < t->ncolumns; i++)
		n += t->widths[i];
	return n;
}

/* The columns of the screen that a column keeps: the first one names the document, and half a day
   is no day. */
static size_t
floor_of(const struct table *t, size_t i)
{
	size_t least = i == 0 ? FIRST_LEAST : t->columns[i].kind != CELL_TEXT ? MINUTE_LEN : LEAST;

	return t->widths[i] < least ? t->widths[i] : least;
}

/* Takes from the widest column that has more than it keeps. False: no column has. */
static bool
narrow_one(struct table *t)
{
	size_t widest = SIZE_MAX;

	for (size_t i = 0; i < t->ncolumns; i++)
		if (t->widths[i] > floor_of(t, i) &&
		    (widest == SIZE_MAX || t->widths[i] > t->widths[widest]))
			widest = i;
	if (widest == SIZE_MAX)
		return false;
	t->widths[widest]--;
	return true;
}

/* Makes the table fit: columns become narrower, and when none can, the last ones are left out. */
static void
narrow(struct table *t)
{
	struct buf out = { .a = t->c->page };

	for (size_t total = total_width(t); total > t->c->screen.columns && t->ncolumns > 1;
	     total = total_width(t))
		if (!narrow_one(t)) {
			t->ncolumns--;
			buf_printf(
			    &out, "%s%s", out.n > 0 ? ", " : "", t->columns[t->ncolumns].heading);
		}
	if (out.n > 0)
		note(t->c, "the terminal is too narrow for %.*s; --wide prints all columns",
		    (int)out.n, out.p);
}

static void
find_widths(struct table *t, struct str *cells, size_t rows)
{
	size_t all = t->ncolumns;
	bool unlimited = t->c->screen.columns == SIZE_MAX;

	for (size_t i = 0; i < all; i++) {
		t->widths[i] = text_width(str_of(t->columns[i].heading));
		for (size_t row = 0; row < rows; row++) {
			size_t n = text_width(cells[row * all + i]);

			if (n > WIDEST && !unlimited && t->ncolumns > 1)
				n = WIDEST;
			if (n > t->widths[i])
				t->widths[i] = n;
		}
	}
	narrow(t);
}

static void
print_table_row(const struct table *t, struct buf *b, const struct str *cells)
{
	for (size_t i = 0; i < t->ncolumns; i++) {
		size_t have = text_width(cells[i]);
		bool last = i + 1 == t->ncolumns;

		/* The last cell is not filled with blanks. */
		text_fit(b, &t->c->screen, cells[i],
		    last && !t->right[i] && have < t->widths[i] ? have : t->widths[i], t->right[i]);
		for (int gap = 0; !last && gap < GAP; gap++)
			buf_char(b, ' ');
	}
	while (b->n > 0 && b->p[b->n - 1] == ' ')
		b->n--;
	buf_char(b, '\n');
}

static void
print_table_heading(const struct table *t, struct buf *b)
{
	struct str headings[COLUMNS_MAX];

	for (size_t i = 0; i < t->ncolumns; i++)
		headings[i] = str_of(t->columns[i].heading);
	style_out(b, &t->c->screen, BOLD);
	print_table_row(t, b, headings);
	if (t->c->screen.colour_out) {
		b->n--; /* the style ends before the line does */
		style_out(b, &t->c->screen, PLAIN);
		buf_char(b, '\n');
	}
}

static void
add_rows(struct table *t, struct buf *b, const struct json_value *list, size_t n)
{
	size_t all = t->ncolumns; /* those that are left out have cells too */
	struct str *cells = ARENA_ARRAY(t->c->page, n * all + 1, struct str);

	for (size_t row = 0; row < n; row++)
		for (size_t i = 0; i < all; i++)
			cells[row * all + i] = table_cell(t, &t->columns[i], json_at(list, row));
	if (!t->begun) {
		for (size_t i = 0; i < t->ncolumns; i++)
			t->right[i] =
			    n > 0 && value_is_number(json_at(list, 0), t->columns[i].path);
		find_widths(t, cells, n);
		print_table_heading(t, b);
	}
	for (size_t row = 0; row < n; row++)
		print_table_row(t, b, &cells[row * all]);
}

void
table_one(struct table *t, const struct json_value *v)
{
	struct buf b = { .p = NULL };

	csv_heading(t, &b);
	csv_row(t, &b, v);
	write_out(&b);
}

void
table_add(struct table *t, const struct json_value *list, size_t most)
{
	struct buf b = { .p = NULL };
	size_t n = list == NULL ? 0 : json_length(list);

	if (n > most)
		n = most;
	if (t->c->form == FORM_TABLE && n > 0)
		add_rows(t, &b, list, n);
	if (t->c->form == FORM_CSV && !t->begun)
		csv_heading(t, &b);
	for (size_t i = 0; i < n && t->c->form != FORM_TABLE; i++) {
		if (t->c->form == FORM_CSV) {
			csv_row(t, &b, json_at(list, i));
			continue;
		}
		json_show(&b, json_at(list, i));
		buf_char(&b, '\n');
	}
	t->begun = true;
	t->printed += n;
	if (b.n > 0)
		write_out(&b);
}
