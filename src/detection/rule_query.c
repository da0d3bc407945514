/* SPDX-License-Identifier: ISC */
/* Parses and evaluates the query of a detection rule, and finds its anchor. */
#include "config.h"

#include "detection/rule_query.h"

enum dataset
rule_query_dataset(struct str name)
{
	for (enum dataset d = 0; d < DATASETS_AND_CONDITIONS; d++) {
		struct str have = str_of(schema_dataset_name(d));
		size_t i = 0;

		while (i < have.n && i < name.n &&
		       (have.p[i] == name.p[i] || (have.p[i] == '-' && name.p[i] == '_')))
			i++;
		if (i == have.n && i == name.n)
			return d;
	}
	return DATASETS_AND_CONDITIONS;
}

static bool
parse_member(struct arena *a, enum dataset d, const char *member, struct str text, struct ts now,
    struct query *out, struct rule_query_fault *fault)
{
	fault->member = member;
	return query_parse(a, d, text, now, out, &fault->fault);
}

bool
rule_query_parse(struct arena *a, enum dataset d, struct str query, struct str exclude,
    struct ts now, struct rule_query *out, struct rule_query_fault *fault)
{
	*out = (struct rule_query){ .excludes = exclude.n > 0 };
	return parse_member(a, d, "query", query, now, &out->query, fault) &&
	       (!out->excludes ||
		   parse_member(a, d, "exclude", exclude, now, &out->exclude, fault));
}

bool
rule_query_passes(struct arena *scratch, const struct rule_query *q, const struct match_document *d,
    struct match_limit *limit)
{
	return match_document(scratch, &q->query, d, limit) &&
	       !(q->excludes && match_document(scratch, &q->exclude, d, limit)) &&
	       !(limit != NULL && limit->over);
}

/* ---- one tree ---- */

/* Adds a test to an AND. The children of the AND stay free of AND and ALL. */
static void
join_test(struct arena *a, struct node *all, const struct node *n)
{
	if (n->type == NODE_ALL)
		return;
	if (n->type == NODE_AND) {
		for (size_t i = 0; i < n->nkids; i++)
			join_test(a, all, n->kids[i]);
		return;
	}
	all->kids = arena_room(a, all->kids, all->nkids, sizeof(struct node *));
	all->kids[all->nkids++] = (struct node *)(uintptr_t)n;
}

static void
join_exclude(struct arena *a, struct node *all, const struct node *n)
{
	struct node *negation;

	if (n->type == NODE_NOT) {
		join_test(a, all, n->kids[0]);
		return;
	}
	negation = ARENA_NEW(a, struct node);
	*negation = (struct node){ .type = NODE_NOT, .at = 1, .nkids = 1 };
	negation->kids = ARENA_ARRAY(a, 1, struct node *);
	negation->kids[0] = (struct node *)(uintptr_t)n;
	join_test(a, all, negation);
}

void
rule_query_join(
    struct arena *a, const struct rule_query *q, const struct query *besides, struct query *out)
{
	struct node *all = ARENA_NEW(a, struct node);

	*all = (struct node){ .type = NODE_AND, .at = 1 };
	join_test(a, all, q->query.root);
	if (q->excludes)
		join_exclude(a, all, q->exclude.root);
	if (besides != NULL)
		join_exclude(a, all, besides->root);
	*out = q->query;
	out->asks_now |=
	    (q->excludes && q->exclude.asks_now) || (besides != NULL && besides->asks_now);
	if (all->nkids == 0)
		all->type = NODE_ALL;
	out->root = all->nkids == 1 ? all->kids[0] : all;
}

/* ---- fields ---- */

static bool
is_of_tags(const struct schema_field *f)
{
	struct str name = str_of((f->of == NULL ? f : f->of)->name);

	if (str_starts(name, STR("services.")))
		name = (struct str){ name.p + strlen("services."), name.n - strlen("services.") };
	return str_is(name, "tags") || str_starts(name, STR("tags."));
}

static bool
asks_tags(const struct node *n, uint32_t *at)
{
	if (n->field != NULL && is_of_tags(n->field)) {
		*at = n->at;
		return true;
	}
	for (size_t i = 0; i < n->nkids; i++)
		if (asks_tags(n->kids[i], at))
			return true;
	return false;
}

bool
query_asks_tags(const struct query *q, uint32_t *at)
{
	return asks_tags(q->root, at);
}

static bool
asks_passed(const struct node *n)
{
	const struct schema_field *f = n->field;

	if (f != NULL && (f->of == NULL ? f : f->of)->passed != NULL)
		return true;
	for (size_t i = 0; i < n->nkids; i++)
		if (asks_passed(n->kids[i]))
			return true;
	return false;
}

bool
rule_query_uses_now(const struct rule_query *q)
{
	return q->query.asks_now || asks_passed(q->query.root) ||
	       (q->excludes && (q->exclude.asks_now || asks_passed(q->exclude.root)));
}

/* ---- anchors ---- */

static bool
can_anchor(const struct node *n)
{
	if ((n->type != NODE_MATCH && n->type != NODE_EXACT) || n->bare || n->nvalues == 0 ||
	    (n->field->of == NULL ? n->field : n->field->of)->store == STORE_VIRTUAL)
		return false;
	switch (n->field->type) {
	case VALUE_KEYWORD:
	case VALUE_INTEGER:
	case VALUE_DNS:
	case VALUE_IP:
		return true;
	case VALUE_TEXT:
	case VALUE_NUMBER:
	case VALUE_BOOLEAN:
	case VALUE_DATE:
		return false;
	}
	panic("value_type %d", (int)n->field->type); /* UNCOVERED: the switch is complete */
}

static const struct node *
better_anchor(const struct node *a, const struct node *b)
{
	return a == NULL || (b != NULL && b->nvalues < a->nvalues) ? b : a;
}

static const struct node *
find_anchor(const struct node *n)
{
	const struct node *best = NULL;

	if (can_anchor(n))
		return n;
	if (n->type != NODE_AND && n->type != NODE_NESTED)
		return NULL;
	for (size_t i = 0; i < n->nkids; i++)
		best = better_anchor(best, find_anchor(n->kids[i]));
	return best;
}

const struct node *
rule_query_anchor(const struct rule_query *q)
{
	return find_anchor(q->query.root);
}
