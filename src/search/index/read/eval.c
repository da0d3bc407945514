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

/* Reads the CPU time, which is a system call, only when enough time has passed for the slice to be
   used up. */
static bool
slice_is_over(const struct budget *b, int64_t now)
{
	return b->slice_until != 0 && now >= b->slice_from &&
	       (now >= b->slice_until || cpu_us() >= b->slice_cpu);
}

/* Charges work to the request and ends it when a limit is passed: `work` against a query that
 * looks at too many values, the deadline against a slow machine, and the slice so that a long
 * search does not keep a worker from short ones (ENGINE_SLICED: the request is handed to the
 * pool for long searches). One unit is about one value, or 64 bytes of a bitmap. Callers charge
 * in batches of thousands, because each call reads the clock. */
bool
run_spend(struct run *r, uint64_t values)
{
	int64_t now;

	r->work += values;
	if (r->rc != ENGINE_OK)
		return false;
	if (r->work > r->budget->work)
		r->rc = ENGINE_TOO_EXPENSIVE; /* see request_result in engine.c */
	else if ((now = mono_us()) >= r->budget->deadline)
		r->rc = ENGINE_TIMEOUT;
	else if (slice_is_over(r->budget, now))
		r->rc = ENGINE_SLICED;
	return r->rc == ENGINE_OK;
}

struct set_space
run_space(const struct run *r, enum level l)
{
	uint32_t limit = segment_level(r->seg, l);

	return (struct set_space){ r->arena, r->pool, limit, index_words(limit) };
}

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

struct set
eval_owners(struct run *r, struct set nested)
{
	struct set_space from = run_space(r, LEVEL_NESTED), to = run_space(r, LEVEL_DOCUMENT);
	uint32_t batch[1024];
	struct set_walk w;
	struct set out;
	size_t n;

	if (set_is_empty(&nested))
		return set_none();
	if (nested.form == SET_LIST) {
		out = (struct set){ .form = SET_LIST, .list = nested.list };
		for (uint32_t i = 0; i < nested.n; i++) {
			uint32_t doc = segment_owner(r->seg, nested.list[i]);

			if (doc < to.limit && (out.n == 0 || out.list[out.n - 1] != doc))
				out.list[out.n++] = doc;
		}
		return out;
	}
	out = (struct set){ .form = SET_WORDS, .words = pool_get(r->pool) };
	memset(out.words, 0, to.nwords * sizeof(*out.words));
	set_walk_begin(&w, &from, &nested, 0);
	while ((n = set_walk_next(&w, batch, COUNT(batch))) > 0) {
		if (!run_spend(r, n))
			break;
		for (size_t i = 0; i < n; i++) {
			uint32_t doc = segment_owner(r->seg, batch[i]);

			if (doc < to.limit)
				out.words[doc >> 6] |= UINT64_C(1) << (doc & 63);
		}
	}
	pool_put(r->pool, nested.words);
	return out;
}

/* The nested documents of a document are neighbours, so a range of documents is a range of these:
 *
 *   documents   0      1   2          first  0 2 3 5
 *   nested      0  1   2   3  4       documents 1..2 own 2..4 */
struct set
eval_owned(struct run *r, struct set documents)
{
	struct set_space from = run_space(r, LEVEL_DOCUMENT), to = run_space(r, LEVEL_NESTED);
	struct set out = { .form = SET_WORDS };
	uint32_t batch[1024];
	struct set_walk w;
	size_t n;

	if (set_is_empty(&documents) || to.limit == 0)
		return set_none();
	if (documents.form == SET_RANGE) {
		out = (struct set){ .form = SET_RANGE,
			.lo = r->seg->first[documents.lo],
			.hi = r->seg->first[documents.hi] };
		return out.lo < out.hi && out.hi <= to.limit ? out : set_none();
	}
	out.words = pool_get(r->pool);
	memset(out.words, 0, to.nwords * sizeof(*out.words));
	set_walk_begin(&w, &from, &documents, 0);
	while ((n = set_walk_next(&w, batch, COUNT(batch))) > 0 && run_spend(r, n))
		for (size_t i = 0; i < n; i++)
			for (uint32_t k = r->seg->first[batch[i]];
			     k < r->seg->first[batch[i] + 1] && k < to.limit; k++)
				out.words[k >> 6] |= UINT64_C(1) << (k & 63);
	if (documents.form == SET_WORDS)
		pool_put(r->pool, documents.words);
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
