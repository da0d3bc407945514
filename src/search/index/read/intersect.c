/* SPDX-License-Identifier: ISC */
/* Facets without columns: how many hits a term has is the size of the intersection of its posting
 * with the hits. A field of few terms has few postings, and 64 documents of two bitmaps are
 * compared at once:
 *
 *   field       terms    columns of 200,000 hits    postings of 1,000,000 documents
 *   os              8    1 place a hit              8 bitmaps of 15,625 words          postings are cheaper
 *   port       60,000    8 places a hit             3,000,000 documents                columns are cheaper
 *
 * facet_count compares both costs, field by field (cost.h). */
#include "config.h"

#include "search/index/read/cost.h"
#include "search/index/read/facet.h"
#include "search/index/read/leaf.h"

enum { SPEND_EVERY = 4096 };

void
facet_intersect(struct run *r, const uint64_t *hits, const struct facet *f)
{
	struct leaf all = { .r = r, .t = f->t, .l = LEVEL_DOCUMENT };
	struct set_space sp = run_space(r, LEVEL_DOCUMENT);
	uint32_t room[POSTING_DERIVED];
	uint64_t spent = 0;

	mapped_ahead(f->t->own_postings, f->t->nown_postings);
	for (uint32_t id = 0; id < f->t->n; id++) {
		struct posting p = leaf_posting(&all, id, room);

		f->counts[id] += posting_count(&p, hits);
		spent += 1 + (p.n < sp.nwords / 8 ? p.n : sp.nwords / 8);
		if (spent < SPEND_EVERY)
			continue;
		if (!run_spend(r, spent))
			return;
		spent = 0;
	}
	(void)!run_spend(r, spent);
}

/* This is done once a request and segment, because it looks at the count of each term. */
void
facet_costs(const struct run *r, uint32_t nhits, struct facet *fs, size_t n)
{
	struct set_space sp = run_space(r, LEVEL_DOCUMENT);

	for (size_t i = 0; i < n; i++)
		fs[i].intersect = cost_intersect(fs[i].t, sp.nwords, cost_scan(fs[i].t, nhits));
}

void
facet_count(struct run *r, const struct set *hits, struct facet *fs, size_t n)
{
	struct set_space sp = run_space(r, LEVEL_DOCUMENT);
	struct facet *scanned = ARENA_ARRAY(r->arena, n + 1, struct facet);
	uint32_t nhits = set_count(&sp, hits);
	uint64_t *words = hits->form == SET_WORDS ? hits->words : NULL, *own = NULL;
	size_t nscanned = 0;

	for (size_t i = 0; nhits > 0 && i < n && r->rc == ENGINE_OK; i++) {
		if (fs[i].intersect > cost_scan(fs[i].t, nhits)) {
			scanned[nscanned++] = fs[i];
			continue;
		}
		if (words == NULL)
			words = own = set_as_words(&sp, hits);
		facet_intersect(r, words, &fs[i]);
	}
	if (nscanned > 0)
		facet_scan(r, hits, scanned, nscanned);
	pool_put(r->pool, own);
}
