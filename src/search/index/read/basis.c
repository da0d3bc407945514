/* SPDX-License-Identifier: ISC */
/* Chooses the basis of a facet (basis.h). The terms of the query are the candidates. For each
 * candidate the number of documents that differ from the hits is counted exactly, from two bitmaps.
 * A bad candidate costs only this count. */
#include "config.h"

#include "search/index/format/words.h"
#include "search/index/read/basis.h"
#include "search/index/read/cost.h"
#include "search/index/read/leaf.h"

enum { CANDIDATES = 8, TRIES = 32 };

struct near_term {
	const struct terms *t;
	uint32_t term, row, count;
};

struct choosing {
	struct run *r;
	struct set_space sp;
	const struct facet *fs;
	size_t n;
	const struct set *hits;
	uint64_t *words; /* the hits as a bitmap; NULL: not yet needed */
	uint32_t nhits;
	struct near_term terms[CANDIDATES];
	size_t nterms, tries; /* tries: tests that were looked up, since a query has hundreds */
	uint64_t read;        /* the cost of a row of pair totals, at most */
	struct basis best;
	struct near_term *of; /* the term of the best basis */
	uint64_t cost;
};

/* ---- candidates ---- */

static void
add_candidate(struct choosing *c, const struct node *n)
{
	const struct segment *s = c->r->seg;
	struct near_term *to = &c->terms[c->nterms];
	struct leaf f = { .r = c->r, .node = n, .l = LEVEL_DOCUMENT };
	const struct pair_term *found;
	enum part p;

	if (!leaf_is_term(&f, &p, &to->term))
		return;
	to->t = f.t;
	found = pairs_find(&s->pairs, segment_slot(s, n->field, p), to->term);
	if (found == NULL)
		return;
	to->row = found->row;
	to->count = found->count;
	c->nterms++;
}

static void
find_candidates(struct choosing *c, const struct node *n)
{
	for (size_t i = 0; i < n->nkids; i++)
		find_candidates(c, n->kids[i]);
	if (n->nkids == 0 && c->nterms < CANDIDATES && c->tries++ < TRIES)
		add_candidate(c, n);
}

/* ---- costs ---- */

/* The cost of counting so many documents. */
static uint64_t
cost_of(const struct choosing *c, uint64_t documents)
{
	uint64_t sum = documents > 0 ? c->sp.nwords * (uint64_t)costs()->walk : 0;

	for (size_t i = 0; documents > 0 && i < c->n; i++) {
		uint64_t scan = cost_scan(c->fs[i].t, documents);

		sum += scan < c->fs[i].intersect ? scan : c->fs[i].intersect;
	}
	return sum;
}

static void
offer(struct choosing *c, enum basis_kind kind, struct near_term *of, uint64_t cost)
{
	if (cost >= c->cost)
		return;
	c->cost = cost;
	c->best.kind = kind;
	c->best.row = of == NULL ? 0 : of->row;
	c->of = of;
}

static uint64_t *
words_of(const struct choosing *c, const struct near_term *of)
{
	struct leaf f = { .r = c->r, .t = of->t, .l = LEVEL_DOCUMENT };
	uint64_t *words = pool_get(c->sp.pool);
	uint32_t room[POSTING_DERIVED];
	struct posting p = leaf_posting(&f, of->term, room);

	memset(words, 0, c->sp.nwords * sizeof(*words));
	posting_or(&p, words);
	return words;
}

/* Tries the documents of a term, and all others, as a basis. The numbers of documents give a lower
   bound of the difference; the bitmap is made only when that bound is small enough. */
static void
offer_term(struct choosing *c, struct near_term *of)
{
	uint64_t all = c->sp.limit, n = of->count, both;
	uint64_t near = n > c->nhits ? n - c->nhits : c->nhits - n;
	uint64_t far = all - n > c->nhits ? all - n - c->nhits : c->nhits - (all - n);
	uint64_t *words;

	if (n > all || c->read + cost_of(c, near < far ? near : far) >= c->cost)
		return;
	(void)!run_spend(c->r, c->sp.nwords / 8);
	if (c->words == NULL)
		c->words = set_as_words(&c->sp, c->hits);
	words = words_of(c, of);
	both = words_count_and(words, c->words, c->sp.nwords);
	pool_put(c->sp.pool, words);
	if (both > n || both > c->nhits)
		return; /* damage */
	offer(c, BASIS_TERM, of, c->read + cost_of(c, n - both) + cost_of(c, c->nhits - both));
	if (all - n >= c->nhits - both)
		offer(c, BASIS_OTHERS, of,
		    c->read + cost_of(c, both) + cost_of(c, all - n - (c->nhits - both)));
}

/* ---- the difference ---- */

/* Finds the documents of the basis that are not hits, and the hits that are not in the basis. */
static void
find_difference(struct choosing *c)
{
	bool others = c->best.kind == BASIS_OTHERS;
	uint64_t *words = words_of(c, c->of), *added = pool_get(c->sp.pool);

	for (size_t i = 0; i < c->sp.nwords; i++) {
		uint64_t basis = others ? ~words[i] : words[i];

		added[i] = c->words[i] & ~basis;
		words[i] = basis & ~c->words[i];
	}
	c->best.added = (struct set){ .form = SET_WORDS, .words = added };
	c->best.removed = (struct set){ .form = SET_WORDS, .words = words };
	if (others) /* drops the bits above the limit */
		c->best.removed = set_and(&c->sp, set_all(&c->sp), c->best.removed);
}

/* The documents that are no hits. Unlike set_not, this leaves the hits valid. */
static struct set
complement_of(const struct set_space *sp, const struct set *hits)
{
	struct set others = *hits;

	if (hits->form != SET_RANGE)
		others = (struct set){ .form = SET_WORDS, .words = set_as_words(sp, hits) };
	return set_not(sp, others);
}

static void
choose_term(struct choosing *c, const struct node *root)
{
	find_candidates(c, root);
	for (size_t i = 0; i < c->n; i++)
		c->read += c->fs[i].t->n * (uint64_t)costs()->clear;
	for (size_t i = 0; i < c->nterms; i++)
		offer_term(c, &c->terms[i]);
	if (c->of != NULL)
		find_difference(c);
	pool_put(c->sp.pool, c->words);
}

struct basis
basis_choose(struct request *rq, const struct set *hits, struct facet *fs, size_t n, bool pairs)
{
	struct choosing c = { .r = &rq->run, .hits = hits, .fs = fs, .n = n };
	uint64_t totals = 0;

	c.sp = run_space(c.r, LEVEL_DOCUMENT);
	c.nhits = set_count(&c.sp, hits);
	facet_costs(c.r, c.nhits, fs, n);
	c.cost = cost_of(&c, c.nhits);
	for (size_t i = 0; i < n; i++)
		totals += fs[i].t->n * (uint64_t)costs()->clear;
	offer(&c, BASIS_ALL, NULL, totals + cost_of(&c, c.sp.limit - c.nhits));
	if (pairs && c.cost > c.sp.nwords * (uint64_t)costs()->word)
		choose_term(&c, rq->query->root);
	if (c.best.kind == BASIS_NONE)
		c.best.added = *hits;
	else if (c.best.kind == BASIS_ALL)
		c.best.removed = complement_of(&c.sp, hits);
	return c.best;
}

/* ---- counts ---- */

bool
basis_has(const struct segment *s, const struct schema_field *f)
{
	return pairs_have(&s->pairs, segment_slot(s, f, PART_VALUES));
}

void
basis_add(
    const struct segment *s, const struct basis *b, const struct schema_field *f, uint32_t *counts)
{
	const struct terms *t = segment_terms(s, f, PART_VALUES);
	uint32_t common = 0;
	bool all = b->kind == BASIS_ALL || b->kind == BASIS_OTHERS;

	for (uint32_t id = 0; all && id < t->n; id++)
		counts[id] += terms_next_count(t, id, &common);
	if (b->kind == BASIS_TERM || b->kind == BASIS_OTHERS)
		pairs_add(&s->pairs, b->row, segment_slot(s, f, PART_VALUES),
		    b->kind == BASIS_TERM ? 1 : -1, (struct pair_counts){ counts, t->n });
}

/* The sets of BASIS_NONE are the hits themselves, which are not freed. */
void
basis_free(struct run *r, struct basis *b)
{
	if (b->kind == BASIS_NONE)
		return;
	pool_put(r->pool, b->added.words);
	pool_put(r->pool, b->removed.words);
}
