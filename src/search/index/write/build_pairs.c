/* SPDX-License-Identifier: ISC */
/* Writes the pair totals of a segment (format/pairs.h), when all of its other sections are in the
 * file. The most frequent terms come first, because they save a facet the most documents; the other
 * terms get no row when PAIR_BYTES for each document, or PAIR_LEAST, are used up.
 *
 * The bytes of a row follow the number of terms more than that of documents. So PAIR_BYTES alone
 * leaves a small segment few rows: 200,000 hosts get 12 bytes each, and the facets of
 * country_code:US and of a frequent word of a title find no row. PAIR_LEAST gives them 30 bytes
 * each; the file grows by a tenth, and both take a quarter of the time. The price is at most
 * PAIR_LEAST a segment. */
#include "config.h"

#include "search/index/format/column.h"
#include "search/index/format/postings.h"
#include "search/index/format/words.h"
#include "search/index/write/build_priv.h"

enum {
	PAIR_SHARE = 256, /* a frequent term has at least one document in so many */
	PAIR_ROWS = 512,
	PAIR_BYTES = 12,
	PAIR_LEAST =
	    6000000, /* bytes of a segment of fewer documents, whose rows are not much smaller */
	PAIR_ROOM = 2 * PAIR_TERMS_MAX, /* column_room() and combinations_room() at most */
};

struct candidate {
	const struct terms *t;
	struct pair_term at;
};

struct pairing {
	const struct segment *seg;
	struct candidate *rows;
	size_t nrows, rows_room;
	const struct terms **counted; /* the slots that are counted */
	uint32_t *slots;
	size_t nslots;
	/* The row in work: its documents, as a list and as a bitmap, and counters. */
	uint32_t *docs, ndocs, *counts[COLUMN_SPLITS];
	uint64_t *words;
	struct buf cells, at;
};

/* ---- what is paired ---- */

/* The documents of a term whose posting of documents is not stored. */
static uint32_t
derive_documents(struct pairing *p, const struct posting *nested)
{
	uint32_t from = posting_list(nested, p->docs), n = 0;

	for (uint32_t i = 0; i < from; i++) {
		uint32_t doc = segment_owner(p->seg, p->docs[i]);

		if (n == 0 || p->docs[n - 1] != doc)
			p->docs[n++] = doc;
	}
	return n;
}

/* The number of documents of a term of a slot without counts; 0 when it is less than `least`. */
static uint32_t
count_pair_documents(struct pairing *p, const struct terms *t, uint32_t id, uint32_t least)
{
	struct posting from;

	if (posting_open(t, LEVEL_DOCUMENT, id, p->seg->ndocs, &from))
		return from.n;
	if (!posting_open(t, LEVEL_NESTED, id, p->seg->nnested, &from) || from.n < least)
		return 0;
	return derive_documents(p, &from);
}

static void
add_candidates(struct pairing *p, const struct schema_field *f, enum part part)
{
	const struct terms *t = segment_terms(p->seg, f, part);
	uint32_t ndocs = p->seg->ndocs, least = ndocs / PAIR_SHARE + 1;

	for (uint32_t id = 0, common = 0; id < t->n; id++) {
		uint32_t count = t->count == NULL ? count_pair_documents(p, t, id, least)
						  : terms_next_count(t, id, &common);

		if (count < least || count > ndocs - least)
			continue;
		p->rows = grow_array(p->rows, &p->rows_room, p->nrows + 1, sizeof(*p->rows));
		p->rows[p->nrows++] = (struct candidate){ .t = t,
			.at = {
			    .slot = segment_slot(p->seg, f, part), .term = id, .count = count } };
	}
}

static int
by_count(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->at.count != y->at.count)
		return x->at.count > y->at.count ? -1 : 1;
	if (x->at.slot != y->at.slot)
		return x->at.slot < y->at.slot ? -1 : 1;
	return (x->at.term > y->at.term) - (x->at.term < y->at.term);
}

static void
choose_pairs(struct pairing *p, const struct index_builder *b)
{
	p->counted = mem_array(b->nfields, sizeof(*p->counted));
	p->slots = mem_array(b->nfields, sizeof(*p->slots));
	for (size_t i = 0; i < b->nfields; i++) {
		const struct schema_field *f = &b->fields[i];
		const struct terms *t = segment_terms(p->seg, f, PART_VALUES);

		if (!f->aggregatable)
			continue;
		for (int part = 0; part < PARTS; part++)
			add_candidates(p, f, (enum part)part);
		if (t->column.ids == NULL || t->n == 0 || t->n > PAIR_TERMS_MAX)
			continue;
		p->counted[p->nslots] = t;
		p->slots[p->nslots++] = segment_slot(p->seg, f, PART_VALUES);
	}
	if (p->nrows > 1)
		qsort(p->rows, p->nrows, sizeof(*p->rows), by_count);
	if (p->nrows > PAIR_ROWS)
		p->nrows = PAIR_ROWS;
}

/* ---- counting ---- */

static void
read_pair_documents(struct pairing *p, const struct candidate *row)
{
	struct posting from;

	if (posting_open(row->t, LEVEL_DOCUMENT, row->at.term, p->seg->ndocs, &from))
		p->ndocs = posting_list(&from, p->docs);
	else if (posting_open(row->t, LEVEL_NESTED, row->at.term, p->seg->nnested, &from))
		p->ndocs = derive_documents(p, &from);
	else
		p->ndocs = 0;
	memset(p->docs + p->ndocs, 0, COLUMN_AHEAD * sizeof(*p->docs));
	memset(p->words, 0, index_words(p->seg->ndocs) * sizeof(*p->words));
	for (uint32_t i = 0; i < p->ndocs; i++)
		p->words[p->docs[i] >> 6] |= UINT64_C(1) << (p->docs[i] & 63);
}

static void
count_slot(struct pairing *p, const struct terms *t)
{
	const struct combinations *comb = &t->column.comb;
	size_t bytes = (comb->n > 0 ? comb->n : column_counters(t)) * sizeof(**p->counts), n;
	struct places w = { .first = t->column.first,
		.nplaces = t->column.nplaces,
		.docs = p->docs,
		.n = p->ndocs };
	uint32_t at[PLACES_ROOM], *counts = p->counts[0];

	for (int s = 0; s < COLUMN_SPLITS; s++)
		memset(p->counts[s], 0, bytes);
	if (comb->n > 0)
		combinations_count(comb, p->docs, p->ndocs, p->counts);
	else if (t->column.first == NULL)
		column_count(t, p->docs, p->ndocs, p->counts);
	while (t->column.first != NULL && (n = places_next(&w, at)) > 0)
		column_count(t, at, n, p->counts);
	for (uint32_t i = 0; i < (comb->n > 0 ? comb->n : t->n); i++)
		for (int s = 1; s < COLUMN_SPLITS; s++)
			p->counts[0][i] += p->counts[s][i];
	if (comb->n > 0) {
		counts = p->counts[1];
		memset(counts, 0, column_counters(t) * sizeof(*counts));
		combinations_spread(t, p->counts[0], counts);
	}
	column_count_more(t, p->words, counts);
	pair_write(&p->cells, counts, t->n);
}

/* Drops the cell that begins at `at` when the row has the same one of an earlier slot, as of
   as_name and organisation. Returns where the cell is. row: the places of the earlier cells. */
static uint64_t
share_cell(struct pairing *p, const uint64_t *row, size_t nrow, uint64_t at)
{
	size_t n = p->cells.n - at;

	for (size_t i = 0; i < nrow; i++)
		if (row[i] + n <= at && memcmp(p->cells.p + row[i], p->cells.p + at, n) == 0) {
			p->cells.n = at;
			return row[i];
		}
	return at;
}

/* Counts the rows, and leaves out those beyond the limit. */
static void
count_pair_rows(struct pairing *p)
{
	uint64_t limit = (uint64_t)PAIR_BYTES * p->seg->ndocs, end;
	uint64_t *row = mem_array(p->nslots, sizeof(*row));
	uint32_t n = 0;

	if (limit < PAIR_LEAST)
		limit = PAIR_LEAST;
	for (size_t i = 0; i < p->nrows && p->cells.n < limit; i++) {
		read_pair_documents(p, &p->rows[i]);
		for (size_t k = 0; k < p->nslots; k++) {
			row[k] = p->cells.n;
			count_slot(p, p->counted[k]);
			row[k] = share_cell(p, row, k, row[k]);
		}
		buf_add(&p->at, row, p->nslots * sizeof(*row));
		p->rows[i].at.row = n++;
	}
	end = p->cells.n;
	buf_add(&p->at, &end, sizeof(end));
	p->nrows = n;
	free(row);
}

/* ---- the sections ---- */

static int
by_pair_term(const void *a, const void *b)
{
	const struct pair_term *x = a, *y = b;

	if (x->slot != y->slot)
		return x->slot < y->slot ? -1 : 1;
	return (x->term > y->term) - (x->term < y->term);
}

static void
write_rows(struct segment_writer *w, const struct pairing *p)
{
	struct pair_term *terms = mem_array(p->nrows, sizeof(*terms));

	for (size_t i = 0; i < p->nrows; i++)
		terms[i] = p->rows[i].at;
	qsort(terms, p->nrows, sizeof(*terms), by_pair_term);
	section_write(w, SECTION_PAIR_TERMS, 0, terms, p->nrows * sizeof(*terms));
	section_write(w, SECTION_PAIR_SLOTS, 0, p->slots, p->nslots * sizeof(*p->slots));
	section_write(w, SECTION_PAIR_AT, 0, p->at.p, p->at.n);
	section_write(w, SECTION_PAIRS, 0, p->cells.p, p->cells.n);
	free(terms);
}

void
pairs_write(struct segment_writer *w, const struct index_builder *b, const struct segment_header *h)
{
	struct segment *seg = segment_unfinished(b->dataset, w, h);
	struct pairing p = { .seg = seg };

	if (seg == NULL)
		return;
	p.docs = mem_array(
	    (seg->ndocs > seg->nnested ? seg->ndocs : seg->nnested) + (size_t)COLUMN_AHEAD,
	    sizeof(*p.docs));
	choose_pairs(&p, b);
	if (p.nrows > 0 && p.nslots > 0) {
		p.words = mem_array(index_words(seg->ndocs), sizeof(*p.words));
		for (int s = 0; s < COLUMN_SPLITS; s++)
			p.counts[s] = mem_array(PAIR_ROOM, sizeof(*p.counts[s]));
		count_pair_rows(&p);
		if (p.nrows > 0)
			write_rows(w, &p);
		for (int s = 0; s < COLUMN_SPLITS; s++)
			free(p.counts[s]);
		free(p.words);
		buf_free(&p.cells);
		buf_free(&p.at);
	}
	free(p.docs);
	free(p.rows);
	free(p.counted);
	free(p.slots);
	segment_close(seg);
}
