/* SPDX-License-Identifier: ISC */
/* The files of the compiler: leaf.c writes one test, tree.c the condition of a query, from.c the
   rows that are read, sql.c and facet.c statements. */
#ifndef SEARCH_CLICKHOUSE_SQL_PRIV_H
#define SEARCH_CLICKHOUSE_SQL_PRIV_H

#include "search/clickhouse/sql.h"

/* The arguments of a lambda over nested objects: arrays with an element for each. */
struct ch_lambda {
	struct str *args; /* expressions */
	size_t n;
};

/* The place of a condition: about documents, or in a lambda about nested objects. */
struct ch_scope {
	const struct ch_plan *plan;
	struct ch_lambda *in; /* NULL: about documents */
};

/* ---- leaf.c ---- */

void ch_put_hex(struct buf *b, struct str s);      /* unhex('...') */
void ch_put_name(struct buf *b, const char *name); /* a database in quotes */
/* Appends the name of the lambda's argument for an expression; if there is none, it is added. */
void ch_put_arg(const struct ch_scope *s, struct buf *b, struct str expression);
/* Converts a pattern of a query to a pattern of LIKE, folded. */
struct str ch_like(struct arena *a, struct str pattern);
void ch_put_leaf(const struct ch_scope *s, struct buf *b, const struct node *n);

/* ---- tree.c ---- */

void ch_put_node(const struct ch_scope *s, struct buf *b, const struct node *n);
/* Begins a lambda of a plan, whose first argument is the expression (STR_NULL: none). */
struct ch_lambda ch_lambda_new(const struct ch_plan *p, struct str first);
/* Appends "fn((s0, s1) -> body, a0, a1)". */
void ch_put_lambda(const struct ch_plan *p, struct buf *b, const char *fn,
    const struct ch_lambda *l, struct str body);
/* Appends a call of fn with a lambda that is true for the nested objects that are hits of a view.
   first: an array whose elements fn returns (arrayFilter); STR_NULL: there is none. */
void ch_put_hits(const struct ch_plan *p, struct buf *b, const char *fn, struct str first);
/* Appends " AND condition of the query". */
void ch_put_condition(const struct ch_plan *p, struct buf *b);
/* Appends the tests of the query that are about nested objects and are not negated, as the body of
   a lambda. False: there are none. */
bool ch_put_matched(const struct ch_scope *s, struct buf *b, const struct node *n);

/* ---- from.c ---- */

/* Appends "_part IN (names)". */
void ch_put_parts(struct buf *b, struct str names);
/* Appends " AND _part IN (...)" of all listed parts, if there are lists. */
void ch_put_listed(const struct ch_plan *p, struct buf *b);
/* Appends "(select FROM ... WHERE gone = 0 AND condition of the query rest)", or such a SELECT of
   the large parts and one of the small ones, joined by UNION ALL. */
void ch_put_rows(const struct ch_plan *p, struct buf *b, struct str select, struct str rest);
/* Does the same with a condition instead of that of the query. */
void ch_put_rows_where(
    const struct ch_plan *p, struct buf *b, struct str select, struct str where, struct str rest);

#endif
