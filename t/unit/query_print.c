/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "t/unit/query_print.h"

struct printer {
	struct buf *b;
	enum dataset dataset;
	bool nested;
};

static void print_node(struct printer *p, const struct node *n, bool inner);

static void
quoted(struct printer *p, struct str s)
{
	buf_char(p->b, '"');
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '"' || s.p[i] == '\\')
			buf_char(p->b, '\\');
		buf_char(p->b, s.p[i]);
	}
	buf_char(p->b, '"');
}

/* Patterns stand without quotes: what could end or start something else is escaped. */
static void
pattern(struct printer *p, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '*' ||
			     c == '?' || c == '.' || c == '_' || (c & 0xc0) == 0x80;

		if (!plain && (c < 'A' || c > 'Z'))
			buf_char(p->b, '\\');
		buf_char(p->b, s.p[i]);
	}
}

static void
print_value(struct printer *p, const struct value *v)
{
	char ip[IPNET_LEN + 1], ts[TS_LEN + 1];

	switch (v->type) {
	case VALUE_KEYWORD:
	case VALUE_TEXT:
	case VALUE_DNS:
		quoted(p, v->s);
		return;
	case VALUE_IP:
		ipnet_print(&v->ip, ip);
		buf_z(p->b, ip);
		return;
	case VALUE_INTEGER:
		buf_printf(p->b, "%jd", (intmax_t)v->i);
		return;
	case VALUE_NUMBER:
		buf_printf(p->b, "%.17g", v->n);
		return;
	case VALUE_BOOLEAN:
		buf_z(p->b, v->b ? "true" : "false");
		return;
	case VALUE_DATE:
		ts_print(v->ts, ts);
		buf_z(p->b, ts);
		return;
	}
}

static void
print_name(struct printer *p, const struct schema_field *f)
{
	buf_z(p->b, p->nested ? f->relative : f->name);
}

static void
print_values(struct printer *p, const struct node *n)
{
	bool set = n->type != NODE_EXACT && n->nvalues > 1;

	print_name(p, n->field);
	buf_z(p->b, n->type == NODE_EXACT ? "=" : set ? ":{" : ":");
	for (size_t i = 0; i < n->nvalues; i++) {
		if (i > 0)
			buf_char(p->b, ',');
		if (n->type == NODE_WILDCARD)
			pattern(p, n->values[i].s);
		else
			print_value(p, &n->values[i]);
	}
	if (set)
		buf_char(p->b, '}');
	if (n->nvalues == 0) /* only words that are no numbers, as in port:https */
		buf_z(p->b, "https");
}

static void
print_bound(struct printer *p, const struct bound *b)
{
	if (b->set)
		print_value(p, &b->v);
	else
		buf_char(p->b, '*');
}

static void
print_range(struct printer *p, const struct node *n)
{
	print_name(p, n->field);
	buf_z(p->b, n->lo.set && !n->lo.inclusive ? ":{" : ":[");
	print_bound(p, &n->lo);
	buf_z(p->b, " TO ");
	print_bound(p, &n->hi);
	buf_char(p->b, n->hi.set && !n->hi.inclusive ? '}' : ']');
}

/* How many of the kids are what one bare word gives: the same test of each text field in the
   schema's order. A word is one clause, its tests would be many. */
static size_t
bare_word(const struct printer *p, struct node *const *kids, size_t n)
{
	const struct schema_field *f;
	size_t fields = schema_fields(p->dataset, &f), same = 0;

	for (; fields > 0; fields--, f++) {
		const struct node *kid = same < n ? kids[same] : NULL;

		if (f->type != VALUE_TEXT || (p->nested && !f->nested))
			continue;
		if (kid == NULL || kid->field != f || kid->nvalues != 1 ||
		    (kid->type != NODE_MATCH && kid->type != NODE_WILDCARD) ||
		    kid->type != kids[0]->type || !str_eq(kid->values[0].s, kids[0]->values[0].s))
			return 0;
		same++;
	}
	return same;
}

static void
print_or(struct printer *p, const struct node *n, bool inner)
{
	bool brackets = inner && bare_word(p, n->kids, n->nkids) < n->nkids;
	size_t word;

	if (brackets)
		buf_char(p->b, '(');
	for (size_t i = 0; i<n->nkids; i += word> 0 ? word : 1) {
		if (i > 0)
			buf_z(p->b, " OR ");
		word = bare_word(p, n->kids + i, n->nkids - i);
		if (word == 0)
			print_node(p, n->kids[i], false);
		else if (n->kids[i]->type == NODE_WILDCARD)
			pattern(p, n->kids[i]->values[0].s);
		else
			quoted(p, n->kids[i]->values[0].s);
	}
	if (brackets)
		buf_char(p->b, ')');
}

static void
print_and(struct printer *p, const struct node *n, bool inner)
{
	if (inner)
		buf_char(p->b, '(');
	for (size_t i = 0; i < n->nkids; i++) {
		if (i > 0)
			buf_z(p->b, " AND ");
		print_node(p, n->kids[i], true);
	}
	if (inner)
		buf_char(p->b, ')');
}

static void
print_nested(struct printer *p, const struct node *n)
{
	buf_printf(p->b, "%s:(", schema_nested(p->dataset));
	p->nested = true;
	print_node(p, n->kids[0], false);
	p->nested = false;
	buf_char(p->b, ')');
}

/* inner: AND and OR need brackets here. */
static void
print_node(struct printer *p, const struct node *n, bool inner)
{
	switch (n->type) {
	case NODE_ALL:
		buf_char(p->b, '*');
		return;
	case NODE_AND:
		print_and(p, n, inner);
		return;
	case NODE_OR:
		print_or(p, n, inner);
		return;
	case NODE_NOT:
		buf_z(p->b, "NOT ");
		print_node(p, n->kids[0], true);
		return;
	case NODE_NESTED:
		print_nested(p, n);
		return;
	case NODE_EXISTS:
		buf_z(p->b, "_exists_:");
		print_name(p, n->field);
		return;
	case NODE_MATCH:
	case NODE_EXACT:
	case NODE_WILDCARD:
		print_values(p, n);
		return;
	case NODE_RANGE:
		print_range(p, n);
		return;
	}
}

void
query_print(struct buf *b, const struct query *q)
{
	struct printer p = { .b = b, .dataset = q->dataset };

	print_node(&p, q->root, false);
}
