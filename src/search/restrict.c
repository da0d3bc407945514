/* SPDX-License-Identifier: ISC */
/* Restricts a parsed query to the documents that an account may read: one more test beside all
   others, so that totals, pages, facets and estimates of any engine know no other documents.

     tree of the query           os:linux port:22                NODE_ALL
     restricted                  AND(visibility, os, port)       visibility */
#include "config.h"

#include "search/query.h"

void
query_restrict(struct arena *a, struct query *q, const struct uuid *account)
{
	const struct schema_field *guard = schema_guard(q->dataset);
	struct node *all, *test;
	const struct node *root = q->root;
	size_t n;

	if (guard == NULL)
		return;
	test = ARENA_NEW(a, struct node);
	*test = (struct node){ .type = NODE_EXACT, .at = 1, .field = guard, .nvalues = 2 };
	test->values = ARENA_ARRAY(a, 2, struct value);
	test->values[0] = (struct value){ .type = VALUE_KEYWORD, .s = STR("*") };
	test->values[1] = (struct value){ .type = VALUE_KEYWORD, .s = arena_uuid(a, account) };
	if (root->type == NODE_ALL) {
		q->root = test;
		return;
	}
	all = ARENA_NEW(a, struct node);
	n = root->type == NODE_AND ? root->nkids : 1;
	*all = (struct node){ .type = NODE_AND, .at = 1, .nkids = n + 1 };
	all->kids = ARENA_ARRAY(a, n + 1, struct node *);
	all->kids[0] = test;
	for (size_t i = 0; i < n; i++)
		all->kids[i + 1] =
		    root->type == NODE_AND ? root->kids[i] : (struct node *)(uintptr_t)root;
	q->root = all;
}
