/* SPDX-License-Identifier: ISC */
/* The rows that a statement reads (sql.h): all with FINAL, or those of listed parts (parts.c). */
#include "config.h"

#include "search/clickhouse/sql_priv.h"

void
ch_put_parts(struct buf *b, struct str names)
{
	buf_z(b, "_part IN (");
	buf_str(b, names);
	buf_char(b, ')');
}

void
ch_put_listed(const struct ch_plan *p, struct buf *b)
{
	struct str large = p->parts.large, small = p->parts.small;
	struct buf names = { .a = p->a };

	if (large.p == NULL && small.p == NULL)
		return;
	buf_str(&names, large);
	buf_z(&names, large.p != NULL && small.p != NULL ? ", " : "");
	buf_str(&names, small);
	buf_z(b, " AND ");
	ch_put_parts(b, buf_done(&names));
}

/* Appends FROM and WHERE of the rows that are read without FINAL: those of the large parts whose
   documents the small parts lack. */
static void
put_large_parts(const struct ch_plan *p, struct buf *b, struct str where)
{
	char table[CH_NAME];

	ch_table_name(p->source, p->layout, CH_ROWS, table);
	buf_printf(b, " FROM %s WHERE gone = 0 AND ", table);
	ch_put_parts(b, p->parts.large);
	buf_str(b, where);
	if (p->parts.small.p == NULL)
		return;
	ch_table_name(p->source, p->layout, CH_LOCAL_ROWS, table);
	buf_z(b, " AND place NOT IN (SELECT place FROM ");
	ch_put_name(b, p->database);
	buf_printf(b, ".%s WHERE ", table);
	ch_put_parts(b, p->parts.small);
	buf_char(b, ')');
}

/* Appends FROM and WHERE of the rows that are read with FINAL: those of the small parts, or all. */
static void
put_final(const struct ch_plan *p, struct buf *b, struct str where)
{
	char table[CH_NAME];

	ch_table_name(p->source, p->layout, CH_ROWS, table);
	buf_printf(b, " FROM %s FINAL WHERE gone = 0", table);
	if (p->parts.small.p != NULL) {
		buf_z(b, " AND ");
		ch_put_parts(b, p->parts.small);
	}
	buf_str(b, where);
}

void
ch_put_rows_where(
    const struct ch_plan *p, struct buf *b, struct str select, struct str where, struct str rest)
{
	bool large = p->parts.large.p != NULL, final = !large || p->parts.small.p != NULL;

	buf_char(b, '(');
	if (large) {
		buf_str(b, select);
		put_large_parts(p, b, where);
		buf_str(b, rest);
	}
	buf_z(b, large && final ? " UNION ALL " : "");
	if (final) {
		buf_str(b, select);
		put_final(p, b, where);
		buf_str(b, rest);
	}
	buf_char(b, ')');
}

void
ch_put_rows(const struct ch_plan *p, struct buf *b, struct str select, struct str rest)
{
	struct buf where = { .a = p->a };

	ch_put_condition(p, &where);
	ch_put_rows_where(p, b, select, buf_done(&where), rest);
}
