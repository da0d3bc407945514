/* SPDX-License-Identifier: ISC */
/* Numbers the combinations of values that documents have (build_column.c draws them). Terms come in
 * ascending order, so the documents walk down a tree, whose nodes are the beginnings of combinations:
 *
 *   values of documents     tree
 *   0: 1, 3                 root -+- 1 --- 3       documents 0 and 2
 *   1: 1                          |  |
 *   2: 1, 3                       |  document 1
 *   3: 2                          +- 2             document 3
 *
 * The children of a node are made in the order of their terms, all documents of a term at once. So a
 * node needs to know only its latest child, and no table finds a child by its term. */
#include "config.h"

#include "search/index/write/build_slot.h"

/* The size of the tree is bounded, because a field of many values has a node for nearly each. */
enum { NODES_MAX = 1 << 20 };

struct tree_node {
	uint32_t parent, term;
	uint32_t child, of; /* the latest child, and 1 + its term */
	uint32_t documents; /* that end here */
	uint32_t depth;
};

struct combination_tree {
	struct tree_node *nodes; /* the root first */
	size_t n, room;
};

/* Returns the child of a node for a term, which is a new one when the latest is for another term. */
static uint32_t
step_down(struct combination_tree *t, uint32_t node, uint32_t term)
{
	if (t->nodes[node].of != term + 1) {
		t->nodes = grow_array(t->nodes, &t->room, t->n + 1, sizeof(*t->nodes));
		t->nodes[t->n] = (struct tree_node){
			.parent = node, .term = term, .depth = t->nodes[node].depth + 1
		};
		t->nodes[node].of = term + 1;
		t->nodes[node].child = (uint32_t)t->n++;
	}
	return t->nodes[node].child;
}

/* Fills of[document] with its node. Returns false when the tree is too large. */
static bool
walk_down(struct combination_tree *t, const struct groups *g, uint32_t ndocs, uint32_t *of)
{
	t->nodes = grow_array(t->nodes, &t->room, 1, sizeof(*t->nodes));
	t->nodes[t->n++] = (struct tree_node){ 0 };
	for (uint32_t id = 0; id < g->n; id++)
		for (uint64_t i = g->start[id]; i < g->start[id + 1]; i++) {
			if (t->n > NODES_MAX)
				return false;
			of[g->docs[i]] = step_down(t, of[g->docs[i]], id);
		}
	for (uint32_t d = 0; d < ndocs; d++)
		t->nodes[of[d]].documents++;
	return true;
}

struct ranked_node {
	uint32_t node, documents;
};

static int
by_documents(const void *a, const void *b)
{
	const struct ranked_node *x = a, *y = b;

	if (x->documents != y->documents)
		return x->documents > y->documents ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* The nodes up to a depth where documents end, the most frequent ones first, without the root. */
static struct ranked_node *
rank_nodes(const struct combination_tree *t, uint8_t depth, uint32_t *n)
{
	struct ranked_node *out = mem_array(t->n, sizeof(*out));

	*n = 0;
	for (uint32_t i = 1; i < t->n; i++)
		if (t->nodes[i].documents > 0 && t->nodes[i].depth <= depth)
			out[(*n)++] = (struct ranked_node){ i, t->nodes[i].documents };
	if (*n > 0)
		qsort(out, *n, sizeof(*out), by_documents);
	return out;
}

/* Writes the terms of n - 1 nodes, and their numbers into `documents` of each node; 0: none. */
static void
number_combinations(struct combination_tree *t, const struct ranked_node *ranked, uint32_t nterms,
    struct combining *out)
{
	out->ids = mem_array((size_t)out->n * out->k, sizeof(*out->ids));
	for (size_t i = 0; i < (size_t)out->n * out->k; i++)
		out->ids[i] = nterms + (uint32_t)(i % out->k);
	for (size_t i = 0; i < t->n; i++)
		t->nodes[i].documents = 0;
	for (uint32_t i = 1; i < out->n; i++) {
		uint32_t node = ranked[i - 1].node;

		t->nodes[node].documents = i;
		for (; node > 0; node = t->nodes[node].parent)
			out->ids[(size_t)i * out->k + t->nodes[node].depth - 1] =
			    t->nodes[node].term;
	}
}

bool
combine(const struct groups *g, uint32_t ndocs, uint32_t most, uint8_t k, struct combining *out)
{
	struct combination_tree t = { 0 };
	struct ranked_node *ranked;
	uint32_t n;

	*out = (struct combining){ .of = mem_array(ndocs, sizeof(*out->of)), .k = k };
	if (!walk_down(&t, g, ndocs, out->of)) {
		free(t.nodes);
		combining_free(out);
		return false;
	}
	ranked = rank_nodes(&t, k, &n);
	out->n = n < most ? n + 1 : most;
	number_combinations(&t, ranked, g->n, out);
	for (uint32_t d = 0; d < ndocs; d++)
		out->of[d] = t.nodes[out->of[d]].documents;
	free(ranked);
	free(t.nodes);
	return true;
}

void
combining_free(struct combining *c)
{
	free(c->of);
	free(c->ids);
	*c = (struct combining){ 0 };
}
