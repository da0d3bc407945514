/* SPDX-License-Identifier: ISC */
/* Evaluates the tree of a query over one segment. Inside of NODE_NESTED, sets contain nested
 * documents; eval_owners turns such a set into a set of documents.
 *
 * Every function ends early when the budget is used up: run_spend then sets r->rc, and the sets
 * that are still returned are incomplete. The callers need not check, because request_result
 * looks at r->rc before the answer. An incomplete set is valid memory, and its buffers belong to
 * the pool or the arena, so nothing leaks. */
#include "config.h"

#include "search/index/read/request.h"

/* Evaluates plain tests first, in their order, so that negations are applied to a small set. */
static struct set
eval_and(struct run *r, const struct node *n, enum level l)
{
	struct set_space sp = run_space(r, l);
	struct set out = set_all(&sp);

	for (size_t i = 0; i < n->nkids && !set_is_empty(&out); i++)
		if (n->kids[i]->type != NODE_NOT)
			out = set_and(&sp, out, eval_node(r, n->kids[i], l));
	for (size_t i = 0; i < n->nkids && !set_is_empty(&out); i++)
		if (n->kids[i]->type == NODE_NOT)
			out = set_andnot(&sp, out, eval_node(r, n->kids[i]->kids[0], l));
	return out;
}

static struct set
eval_or(struct run *r, const struct node *n, enum level l)
{
	struct set_space sp = run_space(r, l);
	struct set out = set_none();

	for (size_t i = 0; i < n->nkids; i++)
		out = set_or(&sp, out, eval_node(r, n->kids[i], l));
	return out;
}

/* Finds the documents of which some nested document passes. `services: (a OR b)` is `services: a
 * OR services: b`, and the documents of one plain test are stored in the segment, so these cases
 * never touch the nested level:
 *
 *   OR          some(a) or some(b)                     documents alone
 *   plain test  the stored posting of documents
 *   AND, NOT    evaluated on nested documents, then mapped to their owners
 *
 * AND and NOT cannot be taken apart: a host with services 22/udp and 80/tcp has port 22 and
 * transport tcp, but no service with both. */
static struct set
eval_some(struct run *r, const struct node *n)
{
	struct set_space sp = run_space(r, LEVEL_DOCUMENT);
	struct set out = set_none();

	switch (n->type) {
	case NODE_OR:
		for (size_t i = 0; i < n->nkids; i++)
			out = set_or(&sp, out, eval_some(r, n->kids[i]));
		return out;
	case NODE_EXISTS:
	case NODE_MATCH:
	case NODE_EXACT:
	case NODE_WILDCARD:
	case NODE_RANGE:
		return eval_leaf(r, n, LEVEL_DOCUMENT);
	case NODE_ALL:
	case NODE_AND:
	case NODE_NOT:
	case NODE_NESTED:
		return eval_owners(r, eval_node(r, n, LEVEL_NESTED));
	}
	return out;
}

struct set
eval_node(struct run *r, const struct node *n, enum level l)
{
	struct set_space sp = run_space(r, l);

	if (!run_spend(r, sp.nwords / 8 + 1))
		return set_none();
	switch (n->type) {
	case NODE_ALL:
		return set_all(&sp);
	case NODE_AND:
		return eval_and(r, n, l);
	case NODE_OR:
		return eval_or(r, n, l);
	case NODE_NOT:
		return set_not(&sp, eval_node(r, n->kids[0], l));
	case NODE_NESTED:
		return l == LEVEL_NESTED ? eval_node(r, n->kids[0], l) : eval_some(r, n->kids[0]);
	case NODE_EXISTS:
	case NODE_MATCH:
	case NODE_EXACT:
	case NODE_WILDCARD:
	case NODE_RANGE:
		return eval_leaf(r, n, l);
	}
	return set_none();
}

bool
eval_matched(struct run *r, const struct node *n, struct set *out)
{
	struct set_space sp = run_space(r, LEVEL_NESTED);
	bool any = false;

	switch (n->type) {
	case NODE_ALL:
	case NODE_NOT:
		return false;
	case NODE_AND:
	case NODE_OR:
		for (size_t i = 0; i < n->nkids; i++)
			any |= eval_matched(r, n->kids[i], out);
		return any;
	case NODE_NESTED:
		*out = set_or(&sp, *out, eval_node(r, n->kids[0], LEVEL_NESTED));
		return true;
	case NODE_EXISTS:
	case NODE_MATCH:
	case NODE_EXACT:
	case NODE_WILDCARD:
	case NODE_RANGE:
		if (n->field->nested)
			*out = set_or(&sp, *out, eval_leaf(r, n, LEVEL_NESTED));
		return n->field->nested;
	}
	return false;
}
