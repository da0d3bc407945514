/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "cli/import/csv.h"

#include "json/json.h"

/* The names of the columns; the texts are on the heap, since the arena of the records is reset for
   each row. */
struct columns {
	struct buf text; /* the line of the header */
	struct str *names;
	size_t n;
	/* the same, including the columns that the header does not name; or NULL */
	struct str *wide;
	size_t nwide;
};

/* Takes the value at the beginning of *s and the comma after it. False: there was no comma. */
static bool
take_csv_value(struct arena *a, struct str *s, struct str *value)
{
	struct buf b = { .a = a };
	size_t i = 1;

	if (s->n == 0 || s->p[0] != '"') {
		*value = str_until(s, ',');
		return s->p != NULL;
	}
	for (; i < s->n; i++) {
		bool quote = s->p[i] == '"';

		if (quote && (i + 1 == s->n || s->p[i + 1] == ','))
			break;
		buf_char(&b, s->p[i]);
		i += quote && s->p[i + 1] == '"';
	}
	*value = buf_done(&b);
	if (i + 1 >= s->n) {
		*s = STR("");
		return false;
	}
	*s = (struct str){ s->p + i + 2, s->n - i - 2 };
	return true;
}

size_t
csv_split(struct arena *a, struct str line, struct str **out)
{
	struct str value;
	size_t n = 0;
	bool more;

	*out = NULL;
	do {
		more = take_csv_value(a, &line, &value);
		*out = arena_room(a, *out, n, sizeof(**out));
		(*out)[n++] = value;
	} while (more);
	return n;
}

static bool
has_column(const struct str *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (str_utf8_bad(names[i]) == names[i].n && str_is(str_trim(names[i]), name))
			return true;
	return false;
}

/* Splits the line of names into memory on the heap. */
static void
keep_names(struct columns *c, struct arena *a, struct str line)
{
	struct str *names;

	buf_str(&c->text, line);
	c->n = csv_split(a, buf_done(&c->text), &names);
	c->names = mem_array(c->n, sizeof(*c->names));
	for (size_t i = 0; i < c->n; i++)
		c->names[i] = str_of(mem_text(arena_str(a, str_trim(names[i])).p));
}

/* Replaces the column without a name by the named columns. */
static void
widen(struct columns *c, const char *unnamed)
{
	struct str rest = str_of(unnamed), part;
	size_t at = 0;

	while (at < c->n && c->names[at].n > 0)
		at++;
	if (unnamed == NULL || at == c->n)
		return;
	c->wide = mem_array(c->n + rest.n, sizeof(*c->wide));
	for (size_t i = 0; i < at; i++)
		c->wide[c->nwide++] = c->names[i];
	while (str_part(&rest, ',', &part))
		c->wide[c->nwide++] = part;
	for (size_t i = at + 1; i < c->n; i++)
		c->wide[c->nwide++] = c->names[i];
}

static void
free_columns(struct columns *c)
{
	for (size_t i = 0; i < c->n; i++)
		free((char *)(uintptr_t)c->names[i].p);
	free(c->names);
	free(c->wide);
	buf_free(&c->text);
}

/* Finds the names of the columns. *row: the line is a row and not a header. False: the names are
   unknown, which is reported. */
static bool
find_names(
    struct records *rs, struct columns *c, const struct csv *form, struct str line, bool *row)
{
	struct str *names, header = line;
	size_t n = csv_split(rs->a, line, &names);

	*row = !has_column(names, n, form->key);
	if (*row && (form->columns.p != NULL || n == 1))
		header = form->columns.p != NULL ? form->columns : str_of(form->key);
	else if (*row) {
		if (records_next(rs))
			records_bad(rs, rs->src->line,
			    "the first line does not name the column %s; name the columns with "
			    "--columns",
			    form->key);
		return false;
	}
	if (str_utf8_bad(header) != header.n) {
		if (records_next(rs))
			records_bad(rs, rs->src->line,
			    "the names of the columns are no valid UTF-8; write them in UTF-8");
		return false;
	}
	keep_names(c, rs->a, header);
	widen(c, form->unnamed);
	return true;
}

static void
take_row(
    struct records *rs, const struct columns *c, struct str line, records_value *take, void *arg)
{
	struct buf b = { .a = rs->a };
	const struct json_value *o;
	struct str *values;
	size_t n;
	bool wide;

	if (str_utf8_bad(line) != line.n) {
		records_bad(rs, rs->src->line, "the line is no valid UTF-8");
		return;
	}
	n = csv_split(rs->a, line, &values);
	wide = c->wide != NULL && n == c->nwide;
	if (!wide && n != c->n) {
		records_bad(rs, rs->src->line, "the line has %zu columns, not %zu", n, c->n);
		return;
	}
	json_begin(&b, '{');
	for (size_t i = 0; i < n; i++) {
		struct str name = wide ? c->wide[i] : c->names[i];

		if (name.n == 0)
			continue;
		json_member(&b, arena_str(rs->a, name).p);
		json_write_str(&b, values[i]);
	}
	buf_char(&b, '}');
	o = json_parse(rs->a, buf_done(&b));
	if (o == NULL)
		records_bad(rs, rs->src->line, "two columns have one name");
	else
		take(arg, o, rs->src->line);
}

void
records_csv(struct records *rs, const struct csv *form, records_value *take, void *arg)
{
	struct columns c = { .n = 0 };
	enum source_line how;
	struct str line;
	bool row = true;

	while (!rs->stop && (how = source_line(rs->src, &line)) != SOURCE_END) {
		if (rs->src->line == 1 && str_starts(line, STR("\xef\xbb\xbf")))
			line = (struct str){ line.p + 3, line.n - 3 };
		if (how == SOURCE_LINE && str_trim(line).n == 0)
			continue;
		if (how == SOURCE_LINE && c.names == NULL && !find_names(rs, &c, form, line, &row))
			break;
		/* files that were joined have several headers */
		if (!row && str_eq(line, buf_done(&c.text)))
			continue;
		if (!records_next(rs))
			break;
		if (how == SOURCE_TOO_LONG)
			records_bad(
			    rs, rs->src->line, "the line is longer than %d bytes", IMPORT_LINE);
		else
			take_row(rs, &c, line, take, arg);
	}
	free_columns(&c);
}
