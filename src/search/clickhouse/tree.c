/* SPDX-License-Identifier: ISC */
/* The condition of a query, and lambdas over nested objects (sql.h). */
#include "config.h"

#include "search/clickhouse/sql_priv.h"

/* The arguments are columns, each once, and at most one for each test of the query; a facet adds
   two. */
enum { ARGS_MAX = LIM_QUERY_CLAUSES + CH_COLUMNS };

static void
put_joined(const struct ch_scope *s, struct buf *b, const struct node *n, const char *join)
{
	buf_char(b, '(');
	for (size_t i = 0; i < n->nkids; i++) {
		buf_z(b, i > 0 ? join : "");
		ch_put_node(s, b, n->kids[i]);
	}
	buf_char(b, ')');
}

/* Appends the condition that at least one nested object passes. */
static void
put_some(const struct ch_plan *p, struct buf *b, const struct node *kid)
{
	struct ch_lambda l = ch_lambda_new(p, STR_NULL);
	struct ch_scope in = { p, &l };
	struct buf body = { .a = p->a };

	ch_put_node(&in, &body, kid);
	ch_put_lambda(p, b, "arrayExists", &l, buf_done(&body));
}

/* Two negations cancel each other here, because ClickHouse 18 removes them from the statement that
   it sends to a shard, and then does not find the column in the answer. */
static void
put_not(const struct ch_scope *s, struct buf *b, const struct node *kid)
{
	while (kid->type == NODE_NESTED && s->in != NULL)
		kid = kid->kids[0];
	if (kid->type == NODE_NOT) {
		ch_put_node(s, b, kid->kids[0]);
		return;
	}
	buf_z(b, "(NOT ");
	ch_put_node(s, b, kid);
	buf_char(b, ')');
}

void
ch_put_node(const struct ch_scope *s, struct buf *b, const struct node *n)
{
	switch (n->type) {
	case NODE_ALL:
		buf_z(b, "1");
		return;
	case NODE_AND:
		put_joined(s, b, n, " AND ");
		return;
	case NODE_OR:
		put_joined(s, b, n, " OR ");
		return;
	case NODE_NOT:
		put_not(s, b, n->kids[0]);
		return;
	case NODE_NESTED:
		if (s->in != NULL)
			ch_put_node(s, b, n->kids[0]);
		else
			put_some(s->plan, b, n->kids[0]);
		return;
	case NODE_EXISTS:
	case NODE_MATCH:
	case NODE_EXACT:
	case NODE_WILDCARD:
	case NODE_RANGE:
		ch_put_leaf(s, b, n);
		return;
	}
}

/* ---- lambdas ---- */

struct ch_lambda
ch_lambda_new(const struct ch_plan *p, struct str first)
{
	struct ch_lambda l = { .args = ARENA_ARRAY(p->a, ARGS_MAX, struct str) };

	if (first.p != NULL)
		l.args[l.n++] = first;
	return l;
}

void
ch_put_lambda(const struct ch_plan *p, struct buf *b, const char *fn, const struct ch_lambda *l,
    struct str body)
{
	char objects[CH_NAME];
	size_t n = l->n == 0 ? 1 : l->n;

	buf_printf(b, "%s((", fn);
	for (size_t i = 0; i < n; i++)
		buf_printf(b, "%ss%zu", i > 0 ? ", " : "", i);
	buf_z(b, ") -> ");
	buf_str(b, body);
	for (size_t i = 0; i < l->n; i++) {
		buf_z(b, ", ");
		buf_str(b, l->args[i]);
	}
	if (l->n == 0) { /* a body without arguments is still about each nested object */
		ch_object_column(p->source, objects);
		buf_printf(b, ", %s", objects);
	}
	buf_char(b, ')');
}

void
ch_put_hits(const struct ch_plan *p, struct buf *b, const char *fn, struct str first)
{
	struct ch_lambda l = ch_lambda_new(p, first);
	struct ch_scope in = { p, &l };
	struct buf body = { .a = p->a };

	ch_put_node(&in, &body, p->query->root);
	ch_put_lambda(p, b, fn, &l, buf_done(&body));
}

/* ---- the condition of a statement ---- */

/* Whether the result of the tree is the same for all nested objects of a document. */
static bool
is_about_documents(const struct node *n)
{
	for (size_t i = 0; i < n->nkids; i++)
		if (!is_about_documents(n->kids[i]))
			return false;
	return n->type != NODE_NESTED && (n->field == NULL || !ch_own_field(n->field)->nested);
}

/* In a query of a view, the parts of the outermost AND that are about documents are conditions of
 * the statement as well: only these can use the primary key.
 *
 *   net:192.0.2.0/24 port:22     place >= ... AND place <= ... AND arrayExists((s0, s1) ->
 *                              (s0 AND has(s1, 22)), ...) */
static void
put_view_condition(const struct ch_plan *p, struct buf *b)
{
	const struct node *root = p->query->root;
	struct ch_scope documents = { p, NULL };

	if (root->type != NODE_AND && is_about_documents(root)) {
		buf_z(b, " AND ");
		ch_put_node(&documents, b, root);
	}
	for (size_t i = 0; root->type == NODE_AND && i < root->nkids; i++)
		if (is_about_documents(root->kids[i])) {
			buf_z(b, " AND ");
			ch_put_node(&documents, b, root->kids[i]);
		}
	buf_z(b, " AND ");
	ch_put_hits(p, b, "arrayExists", STR_NULL);
}

void
ch_put_condition(const struct ch_plan *p, struct buf *b)
{
	struct ch_scope documents = { p, NULL };

	if (p->view) {
		put_view_condition(p, b);
	} else if (p->query->root->type != NODE_ALL) {
		buf_z(b, " AND ");
		ch_put_node(&documents, b, p->query->root);
	}
}

/* ---- the nested objects that a hit names ---- */

bool
ch_put_matched(const struct ch_scope *s, struct buf *b, const struct node *n)
{
	bool any = false;

	switch (n->type) {
	case NODE_ALL:
	case NODE_NOT:
		return false;
	case NODE_AND:
	case NODE_OR:
		for (size_t i = 0; i < n->nkids; i++)
			any |= ch_put_matched(s, b, n->kids[i]);
		return any;
	case NODE_NESTED:
		buf_z(b, b->n > 0 ? " OR " : "");
		ch_put_node(s, b, n->kids[0]);
		return true;
	case NODE_EXISTS:
	case NODE_MATCH:
	case NODE_EXACT:
	case NODE_WILDCARD:
	case NODE_RANGE:
		if (!n->field->nested)
			return false;
		buf_z(b, b->n > 0 ? " OR " : "");
		ch_put_leaf(s, b, n);
		return true;
	}
	return false;
}
