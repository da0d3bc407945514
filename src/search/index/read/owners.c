/* SPDX-License-Identifier: ISC */
/* Sets of one level as sets of the other: documents own nested documents. */
#include "config.h"

#include "search/index/read/request.h"

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
