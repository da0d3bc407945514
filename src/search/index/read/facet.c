/* SPDX-License-Identifier: ISC */
/* Counts the terms of hits by the columns. This is the inner loop of the service: a facet over all
 * hosts makes millions of increments. Two effects decide its speed.
 * - Store forwarding: two increments of the same counter in a row wait for each other, and a
 *   frequent term occurs in most documents. So neighbouring documents use different copies of
 *   the counters (COLUMN_SPLITS), which are added up at the end. Copies do not pay when they
 *   leave the cache or when there are few hits.
 * - Cache misses: sparse hits are in a cache line each. So the lines of the documents COLUMN_AHEAD
 *   are prefetched. */
#include "config.h"

#include "search/index/read/facet.h"
#include "search/index/read/request.h"

enum { SPLITS = COLUMN_SPLITS, SPLIT_MAX = 8192, SPLIT_SOME = 1 << 17, BATCH = 2048 };

uint32_t *
facet_counters(struct run *r, const struct terms *t)
{
	return pool_counters(r->pool, r->arena, column_counters(t), column_room(t));
}

/* Counts the terms that have no place in the column. */
static void
count_overflow(struct run *r, const struct terms *t, const struct set *hits, uint32_t *counts)
{
	uint64_t i, to;

	if (hits->form == SET_WORDS)
		column_count_more(t, hits->words, counts);
	else if (hits->form == SET_RANGE)
		column_count_more_range(t, hits->lo, hits->hi, counts);
	for (uint32_t k = 0; hits->form == SET_LIST && k < hits->n; k++)
		if (column_more(&t->column, hits->list[k], &i, &to))
			for (; i < to; i++)
				counts[column_place(t, column_more_id(&t->column, i))]++;
	(void)!run_spend(r, t->column.nmore / 8);
}

/* How many copies of n counters are used: four of a small dictionary, two of a medium one, whose
 * copies would leave the cache, and one when clearing and adding the copies would cost more than
 * the hits. The most frequent combination of many is no frequent one, so one copy is enough there. */
static unsigned
choose_splits(const struct facet *f, uint32_t n, uint32_t nhits)
{
	if (nhits < n / 8)
		return 1;
	if (n < SPLIT_MAX)
		return SPLITS;
	return !f->combined && n < SPLIT_SOME ? 2 : 1;
}

/* Counters of combinations, all zero. */
static uint32_t *
combination_counters(struct run *r, const struct combinations *c)
{
	return pool_counters(r->pool, r->arena, c->n, combinations_room(c));
}

/* Prepares the counters of one field: of its terms, or of its combinations, which end_facet spreads to
 * the terms.
 *
 * Missing values have the numbers behind the last term, so the inner loop counts them like
 * terms, in counters that belong to another facet when f->counts is a part of a larger array.
 * `behind` keeps their content, and end_facet restores it. */
static void
begin_facet(struct run *r, struct facet *f, uint32_t nhits)
{
	const struct combinations *comb = &f->t->column.comb;
	uint32_t n;
	unsigned splits;

	memcpy(f->behind, f->counts + f->t->n, sizeof(f->behind));
	f->combined = comb->n > 0 && !combinations_direct(comb, nhits);
	n = f->combined ? comb->n : f->t->n;
	splits = choose_splits(f, n, nhits);
	for (unsigned s = 0; s < splits; s++)
		f->c[s] = f->combined ? combination_counters(r, comb)
			  : s > 0     ? facet_counters(r, f->t)
				      : f->counts;
	for (unsigned s = splits; s < SPLITS; s++)
		f->c[s] = f->c[s % splits];
}

/* Adds n counters to others. The compiler uses vectors for a block because its length is constant
   and its copies are no part of any other array. */
static void
add_counters(uint32_t *to, const uint32_t *from, uint32_t n)
{
	uint32_t sum[ZEROS], more[ZEROS], i = 0;

	for (; n - i >= ZEROS; i += ZEROS) {
		memcpy(sum, to + i, sizeof(sum));
		memcpy(more, from + i, sizeof(more));
		for (unsigned k = 0; k < ZEROS; k++)
			sum[k] += more[k];
		memcpy(to + i, sum, sizeof(sum));
	}
	for (; i < n; i++)
		to[i] += from[i];
}

static void
end_facet(struct run *r, struct facet *f, const struct set *hits)
{
	const struct combinations *comb = &f->t->column.comb;

	for (unsigned s = 1; s < SPLITS && f->c[s] != f->c[0]; s++)
		add_counters(f->c[0], f->c[s], f->combined ? comb->n : f->t->n);
	if (f->combined) {
		combinations_spread(f->t, f->c[0], f->counts);
		(void)!run_spend(r, comb->n / 8);
	}
	memcpy(f->counts + f->t->n, f->behind, sizeof(f->behind));
	count_overflow(r, f->t, hits, f->counts);
}

/* The places of neighbours, such as the hosts of a network, follow one another. */
static void
count_run(const struct segment *seg, uint32_t lo, uint32_t hi, struct facet *fs, size_t nfs)
{
	uint32_t at[PLACES_ROOM], from = seg->first[lo], end = seg->first[hi];

	if (end > seg->nnested) /* damage */
		end = seg->nnested;
	while (from < end) {
		uint32_t n = 0, most = PLACES_ROOM - COLUMN_AHEAD;

		while (n < most && from < end)
			at[n++] = from++;
		memset(at + n, 0, COLUMN_AHEAD * sizeof(*at));
		for (size_t i = 0; i < nfs; i++)
			if (fs[i].t->column.first != NULL)
				column_count(fs[i].t, at, n, fs[i].c);
	}
}

/* Counts by the columns of rows, for a batch of documents. */
static void
count_rows(const struct segment *seg, const uint32_t *docs, size_t n, struct facet *fs, size_t nfs)
{
	struct places w = { .first = seg->first, .nplaces = seg->nnested, .docs = docs, .n = n };
	uint32_t at[PLACES_ROOM];
	size_t k;

	if (docs[n - 1] - docs[0] == n - 1) {
		count_run(seg, docs[0], docs[n - 1] + 1, fs, nfs);
		return;
	}
	while ((k = places_next(&w, at)) > 0)
		for (size_t i = 0; i < nfs; i++)
			if (fs[i].t->column.first != NULL)
				column_count(fs[i].t, at, k, fs[i].c);
}

/* Counts by the values of the combinations that a batch of documents has. */
static void
count_directly(const struct facet *f, const uint32_t *docs, size_t n)
{
	uint32_t number[BATCH + COLUMN_AHEAD];

	combinations_of(&f->t->column.comb, docs, n, number);
	memset(number + n, 0, COLUMN_AHEAD * sizeof(*number));
	column_count(f->t, number, n, f->c);
}

/* Counts a batch of documents by a column that has no rows. */
static void
count_batch(const struct facet *f, const uint32_t *docs, size_t n)
{
	if (f->combined)
		combinations_count(&f->t->column.comb, docs, n, f->c);
	else if (f->t->column.comb.n > 0)
		count_directly(f, docs, n);
	else
		column_count(f->t, docs, n, f->c);
}

void
facet_scan(struct run *r, const struct set *hits, struct facet *fs, size_t n)
{
	struct set_space sp = run_space(r, LEVEL_DOCUMENT);
	uint32_t docs[BATCH + COLUMN_AHEAD] = { 0 }, nhits = set_count(&sp, hits);
	uint64_t values = 0;
	bool rows = false;
	struct set_walk w;
	size_t k;

	for (size_t i = 0; i < n; i++) {
		begin_facet(r, &fs[i], nhits);
		values += fs[i].combined ? 1 : fs[i].t->column.k;
		rows |= fs[i].t->column.first != NULL;
	}
	set_walk_begin(&w, &sp, hits, 0);
	while ((k = set_walk_next(&w, docs, BATCH)) > 0 && run_spend(r, k * values)) {
		for (size_t i = 0; i < n; i++)
			if (fs[i].t->column.first == NULL)
				count_batch(&fs[i], docs, k);
		if (rows)
			count_rows(r->seg, docs, k, fs, n);
	}
	for (size_t i = 0; i < n; i++)
		end_facet(r, &fs[i], hits);
}

static void
collect_term(const struct terms *t, uint32_t id, const uint32_t *map, struct scratch *out)
{
	if (id < t->n)
		scratch_add(out, map == NULL ? id : map[id]);
}

static void
collect_document(const struct terms *t, uint32_t doc, const uint32_t *map, struct scratch *out)
{
	const struct column *col = &t->column;
	uint32_t n;
	uint64_t i = column_row(col, doc, &n), to;

	for (uint32_t k = 0; k < n; k++)
		collect_term(t, column_id(col, i + k), map, out);
	if (column_more(col, doc, &i, &to))
		for (; i < to; i++)
			collect_term(t, column_more_id(col, i), map, out);
}

void
facet_terms(const struct terms *t, uint32_t doc, struct scratch *out)
{
	collect_document(t, doc, NULL, out);
}

void
facet_collect(struct run *r, const struct set *hits, const struct terms *t, const uint32_t *map,
    struct scratch *out)
{
	struct set_space sp = run_space(r, LEVEL_DOCUMENT);
	uint32_t docs[BATCH];
	struct set_walk w;
	size_t n;

	if (t->column.ids == NULL)
		return;
	set_walk_begin(&w, &sp, hits, 0);
	while ((n = set_walk_next(&w, docs, BATCH)) > 0 && run_spend(r, n * t->column.k))
		for (size_t i = 0; i < n; i++)
			collect_document(t, docs[i], map, out);
}
