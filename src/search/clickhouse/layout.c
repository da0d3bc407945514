/* SPDX-License-Identifier: ISC */
/* Statements about layouts (layout.h). Answers are lines of numbers and of texts in hexadecimal
   digits. */
#include "config.h"

#include "search/clickhouse/layout.h"

#include <inttypes.h>

enum { DICT_PAGE = 500000 };

/* ---- rows of feeds and layouts ---- */

static char *
text_of_hex(struct str hex)
{
	size_t n = hex.n / 2;
	char *s = mem_zero(n + 1);

	if (n == 0 || !hex_parse(hex, (unsigned char *)s, n))
		n = 1;
	s[n - 1] = '\0'; /* the blank that the statement appends */
	return s;
}

static bool
read_layout_row(struct str line, struct ch_feed_row *r)
{
	int64_t n[6];
	struct str snapshot, tags;

	for (size_t i = 0; i < COUNT(n); i++)
		if (!ch_take_number(&line, &n[i]))
			return false;
	if (!str_part(&line, '\t', &snapshot))
		return false;
	tags = line;
	*r = (struct ch_feed_row){ .layout = (unsigned)n[0],
		.ver = (uint64_t)n[1],
		.filled = n[2] != 0,
		.shards = (unsigned)n[3],
		.at = n[4],
		.schema = (uint64_t)n[5],
		.snapshot = text_of_hex(snapshot),
		.tags = text_of_hex(tags) };
	return true;
}

/* Reads the rows of `layouts`, the newest first. Searches with a schema number ask the layout of
   its newest row. */
static bool
read_asked(struct ch_cluster *c, const char *name, struct ch_layouts *l)
{
	struct str answer, line;
	int64_t layout, schema;

	if (!ch_cluster_printf(c, &answer,
		"SELECT layout, toInt64(schema) AS s FROM layouts WHERE dataset = '%s' ORDER BY "
		"at DESC, layout DESC LIMIT 1 BY s FORMAT TabSeparated",
		name))
		return false;
	while (str_line(&answer, &line)) {
		if (!ch_take_number(&line, &layout) || !ch_take_number(&line, &schema)) {
			snprintf(c->message, sizeof(c->message), "the table layouts has a bad row");
			return false;
		}
		if (l->asked == 0) {
			l->asked = (unsigned)layout;
			l->schema = (uint64_t)schema;
		}
		if ((uint64_t)schema == l->own)
			l->asked_own = (unsigned)layout;
		for (size_t i = 0; i < l->n; i++)
			l->row[i].asked |= l->row[i].layout == (unsigned)layout;
	}
	return true;
}

bool
ch_layouts_read(struct ch_cluster *c, enum dataset d, struct ch_layouts *out)
{
	const char *name = schema_dataset_name(d);
	struct str answer, line;
	int64_t n;

	*out = (struct ch_layouts){ .own = ch_schema_number(d) };
	if (!ch_cluster_printf(c, &answer,
		"SELECT layout, ver, filled, shards, at, toInt64(schema), "
		"lower(hex(concat(snapshot, ' '))), lower(hex(concat(tags, ' ')))"
		" FROM feeds FINAL WHERE dataset = '%s' AND shards > 0 ORDER BY layout DESC LIMIT "
		"%d FORMAT TabSeparated",
		name, CH_LAYOUTS))
		return false;
	while (str_line(&answer, &line)) {
		if (!read_layout_row(line, &out->row[out->n])) {
			snprintf(c->message, sizeof(c->message), "the table feeds has a bad row");
			return false;
		}
		out->n++;
	}
	if (!ch_cluster_printf(c, &answer,
		"SELECT max(layout) FROM feeds WHERE dataset = '%s' FORMAT TabSeparated", name))
		return false;
	if (str_line(&answer, &line) && ch_take_number(&line, &n))
		out->last = (unsigned)n;
	return read_asked(c, name, out);
}

void
ch_layouts_free(struct ch_layouts *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->row[i].snapshot);
		free(l->row[i].tags);
	}
	l->n = 0;
}

bool
ch_feed_write(struct ch_cluster *c, enum dataset d, const struct ch_feed_row *r)
{
	static const char sql[] = "INSERT INTO feeds (dataset, layout, ver, filled, shards, "
				  "schema, snapshot, tags, at) FORMAT RowBinary";
	struct buf row = { 0 };
	bool ok;

	ch_put_text(&row, str_of(schema_dataset_name(d)));
	ch_put_number(&row, r->layout, 4);
	ch_put_number(&row, r->ver, 8);
	buf_char(&row, r->filled);
	ch_put_number(&row, r->shards, 4);
	ch_put_number(&row, r->schema, 8);
	ch_put_text(&row, str_of(r->snapshot));
	ch_put_text(&row, str_of(r->tags));
	ch_put_number(&row, (uint64_t)r->at, 8);
	ok = ch_cluster_run(c, str_of(sql), buf_done(&row), NULL);
	buf_free(&row);
	return ok;
}

bool
ch_feed_retract(struct ch_cluster *c, enum dataset d, const struct ch_feed_row *r, bool dropped)
{
	struct ch_feed_row row = *r;

	row.filled = false;
	row.ver = dropped ? r->ver + 2 : r->ver + 1;
	if (dropped)
		row.shards = 0;
	return ch_feed_write(c, d, &row);
}

bool
ch_layout_switch(struct ch_cluster *c, enum dataset d, unsigned layout)
{
	static const char sql[] =
	    "INSERT INTO layouts (dataset, layout, schema, at) FORMAT RowBinary";
	struct buf row = { 0 };
	struct str answer, line;
	int64_t at = ts_now().us, last = 0;
	bool ok;

	if (!ch_cluster_printf(c, &answer,
		"SELECT max(at) FROM layouts WHERE dataset = '%s' FORMAT TabSeparated",
		schema_dataset_name(d)))
		return false;
	if (str_line(&answer, &line) && ch_take_number(&line, &last) && at <= last)
		at = last + 1; /* the clock of another machine was ahead */
	ch_put_text(&row, str_of(schema_dataset_name(d)));
	ch_put_number(&row, layout, 4);
	ch_put_number(&row, ch_schema_number(d), 8);
	ch_put_number(&row, (uint64_t)at, 8);
	ok = ch_cluster_run(c, str_of(sql), buf_done(&row), NULL);
	buf_free(&row);
	return ok;
}

/* ---- the dictionary ---- */

/* Adds a row to the dictionary. *last is the number of the former row: rows come in the order of
   their numbers, so two values with one number are adjacent. */
static bool
load_value(struct ch_dict *k, struct str line, struct buf *room, int64_t *last)
{
	struct str field, number;
	size_t values = ch_dict_values(k);
	int64_t f, id;

	if (!str_part(&line, '\t', &field) || !str_part(&line, '\t', &number) ||
	    !str_int64(field, &f) || !str_int64(number, &id))
		return false;
	buf_clear(room);
	if (room->room < line.n)
		buf_add(room, line.p, line.n);
	if (line.n > 0 && !hex_parse(line, (unsigned char *)room->p, line.n / 2))
		return false;
	if (!ch_dict_load(k, (unsigned)f, (struct str){ room->p, line.n / 2 }, (uint32_t)id))
		return false;
	if (id == *last && ch_dict_values(k) > values)
		return false;
	*last = id;
	return true;
}

/* Adds the rows of a page to the dictionary, and counts them. */
static bool
load_page(struct ch_dict *k, struct str page, int64_t *last, int *rows)
{
	struct buf room = { 0 };
	struct str line;
	bool ok = true;

	for (*rows = 0; ok && str_line(&page, &line); ++*rows)
		ok = load_value(k, line, &room, last);
	buf_free(&room);
	return ok;
}

/* A page begins with the last number of the former page, because another value with that number may
   follow. So a page must have two rows or more, and a full page that ends with the number with which
   it began is read again in a larger one. */
bool
ch_dict_read(struct ch_cluster *c, struct ch_dict *k, enum dataset d, unsigned layout)
{
	char table[CH_NAME];
	struct str answer;
	int64_t last = -1, first;
	int most = DICT_PAGE, rows = most;
	bool grown = false;

	ch_table_name(d, layout, CH_DICT, table);
	while (rows == most) {
		if (!ch_cluster_printf(c, &answer,
			"SELECT field, id, lower(hex(value)) FROM %s WHERE toInt64(id) >= %" PRId64
			" ORDER BY id LIMIT %d FORMAT TabSeparated",
			table, last, most)) {
			if (!c->too_large || most == 2 || grown)
				return false;
			most = most > 16 ? most / 8 : 2; /* long values: a smaller page */
			rows = most;
			continue;
		}
		first = last;
		if (!load_page(k, answer, &last, &rows)) {
			snprintf(c->message, sizeof(c->message),
			    "%s has an invalid row: a value with two numbers, or a number with two "
			    "values; surfacectl search switch fills another layout",
			    table);
			return false;
		}
		if (rows == most && last == first) {
			most *= 2;
			rows = most;
			grown = true;
		}
	}
	return true;
}
