/* SPDX-License-Identifier: ISC */
/* Writes one slot of a segment: sorts its terms, turns pairs of document and term into postings,
   and lays out the column. Most time of a rebuild is spent here. Two things keep it short: terms
   are compared by their first eight bytes as one integer, and the pairs are grouped by counting,
   not by sorting. */
#include "config.h"

#include "search/index/write/build_priv.h"
#include "search/index/format/column.h"
#include "search/index/format/postings.h"
#include "search/text.h"

struct sort_entry {
	uint64_t key; /* the first bytes in the order of terms: decides most comparisons */
	uint32_t id;
};

struct slot_job {
	struct segment_writer *w;
	struct index_builder *b;
	struct gather *g;
	const struct schema_field *field;
	size_t slot;
	struct slot_meta *meta;
	uint32_t *terms; /* [place in the dictionary]: number by arrival */
	uint32_t *order; /* [number by arrival]: place in the dictionary */
};

/* ---- order ---- */

/* The labels from the right, joined by a byte that is less than all others: the key has the order
   of names_cmp. */
static uint64_t
name_key(struct str s)
{
	uint64_t key = 0;
	size_t end = s.n, n = 0;

	while (end > 0 && n < 8) {
		size_t start = end;

		while (start > 0 && s.p[start - 1] != '.')
			start--;
		for (size_t i = start; i < end && n < 8; i++, n++)
			key = key << 8 | (unsigned char)s.p[i];
		if (n < 8) {
			key <<= 8;
			n++;
		}
		end = start > 0 ? start - 1 : 0;
	}
	return n > 0 && n < 8 ? key << 8 * (8 - n) : key;
}

static uint64_t
bytes_key(struct str s)
{
	uint64_t key = 0;

	for (size_t i = 0; i < 8; i++)
		key = key << 8 | (i < s.n ? (unsigned char)s.p[i] : 0);
	return key;
}

static int
by_term(const void *x, const void *y, void *arg)
{
	const struct sort_entry *a = x, *b = y;
	const struct gather *g = arg;
	int c = (a->key > b->key) - (a->key < b->key);

	if (c != 0 || g->form == FORM_INTS)
		return c;
	return g->form == FORM_NAMES ? names_cmp(gather_term(g, a->id), gather_term(g, b->id))
				     : str_cmp(gather_term(g, a->id), gather_term(g, b->id));
}

/* Sorts the terms and remembers both directions: `terms` from the place in the dictionary to the
 * number by arrival, `order` back. Most comparisons are decided by a key of eight bytes, which
 * lies in the array that is sorted and not behind a pointer. The key must have the order of the
 * whole comparison, or be equal: an integer with its sign bit flipped, the first bytes of a
 * string, or the labels of a name from the right (name_key). */
static void
sort_terms(struct slot_job *j)
{
	struct gather *g = j->g;
	struct sort_entry *s = mem_array(g->n, sizeof(*s));

	for (uint32_t i = 0; i < g->n; i++) {
		s[i].id = i;
		s[i].key = g->form == FORM_INTS    ? (uint64_t)g->ints[i] ^ (UINT64_C(1) << 63)
			   : g->form == FORM_NAMES ? name_key(gather_term(g, i))
						   : bytes_key(gather_term(g, i));
	}
	qsort_r(s, g->n, sizeof(*s), by_term, g);
	j->terms = mem_array(g->n, sizeof(*j->terms));
	j->order = mem_array(g->n, sizeof(*j->order));
	for (uint32_t i = 0; i < g->n; i++) {
		j->terms[i] = s[i].id;
		j->order[s[i].id] = i;
	}
	free(s);
}

/* For a merge, whose terms arrived sorted. */
static void
keep_merged_order(struct slot_job *j)
{
	j->terms = mem_array(j->g->n, sizeof(*j->terms));
	j->order = mem_array(j->g->n, sizeof(*j->order));
	for (uint32_t i = 0; i < j->g->n; i++)
		j->terms[i] = j->order[i] = i;
}

/* ---- dictionary ---- */

struct text_table {
	const uint32_t *at;
	const char *bytes;
};

static int
by_folded(const void *x, const void *y, void *arg)
{
	const struct text_table *f = arg;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int c = str_cmp((struct str){ f->bytes + f->at[a], f->at[a + 1] - f->at[a] },
	    (struct str){ f->bytes + f->at[b], f->at[b + 1] - f->at[b] });

	return c != 0 ? c : (a > b) - (a < b);
}

/* Writes the terms in the order of their folded text, unless all are folded already. */
static void
write_fold(struct slot_job *j)
{
	struct arena *a = arena_new(1u << 30);
	uint32_t *at = mem_array(j->g->n + UINT64_C(1), sizeof(*at)), *fold;
	struct buf folded = { 0 };
	bool same = true;

	for (uint32_t i = 0; i < j->g->n; i++) {
		struct str s = gather_term(j->g, j->terms[i]), f = text_fold(a, s);

		same &= str_eq(s, f);
		buf_str(&folded, f);
		at[i + 1] = (uint32_t)folded.n;
		if (i % 1024 == 0)
			arena_reset(a);
	}
	if (!same) {
		struct text_table f = { at, folded.p };

		fold = mem_array(j->g->n, sizeof(*fold));
		for (uint32_t i = 0; i < j->g->n; i++)
			fold[i] = i;
		qsort_r(fold, j->g->n, sizeof(*fold), by_folded, &f);
		section_write(j->w, SECTION_FOLD, j->slot, fold, j->g->n * sizeof(*fold));
		free(fold);
	}
	buf_free(&folded);
	free(at);
	arena_free(a);
}

static void
write_rank(struct slot_job *j, const uint32_t *at, const char *bytes)
{
	struct text_table f = { at, bytes };
	uint32_t *sorted = mem_array(j->g->n, sizeof(*sorted)),
		 *rank = mem_array(j->g->n, sizeof(*rank));

	for (uint32_t i = 0; i < j->g->n; i++)
		sorted[i] = i;
	qsort_r(sorted, j->g->n, sizeof(*sorted), by_folded, &f);
	for (uint32_t i = 0; i < j->g->n; i++)
		rank[sorted[i]] = i;
	section_write(j->w, SECTION_RANK, j->slot, rank, j->g->n * sizeof(*rank));
	free(sorted);
	free(rank);
}

static void
write_ints(struct slot_job *j)
{
	int64_t *ints = mem_array(j->g->n, sizeof(*ints));

	for (uint32_t i = 0; i < j->g->n; i++)
		ints[i] = j->g->ints[j->terms[i]];
	section_write(j->w, SECTION_TERM_INTS, j->slot, ints, j->g->n * sizeof(*ints));
	free(ints);
}

static void
write_strings(struct slot_job *j)
{
	uint32_t *at = mem_array(j->g->n + UINT64_C(1), sizeof(*at));
	char *bytes = mem_array(j->g->nbytes, 1);
	size_t n = 0;

	for (uint32_t i = 0; i < j->g->n; i++) {
		struct str s = gather_term(j->g, j->terms[i]);

		if (s.n > 0)
			memcpy(bytes + n, s.p, s.n);
		n += s.n;
		at[i + 1] = (uint32_t)n;
	}
	section_write(j->w, SECTION_TERM_AT, j->slot, at, (j->g->n + UINT64_C(1)) * sizeof(*at));
	section_write(j->w, SECTION_TERM_BYTES, j->slot, bytes, n);
	if (j->g->form == FORM_NAMES)
		write_rank(j, at, bytes);
	free(at);
	free(bytes);
	if (j->g->form == FORM_STRINGS && j->slot % PARTS == PART_VALUES)
		write_fold(j);
}

/* ---- postings ---- */

static struct gather_walk
walk_pairs(const struct gather *g)
{
	static const unsigned char nothing[1];
	const unsigned char *p = g->stream == NULL ? nothing : g->stream;

	return (struct gather_walk){ p, p + g->nstream, 0 };
}

/* Turns the pairs of document and term, which arrived in the order of documents, into the documents of
 * each term, without sorting them. Two walks over the same stream:
 *
 *   stream    (0, b) (0, c) (1, b) (3, a)
 *   counts    a: 1   b: 2   c: 1   any: 3          the first walk; the last group, term n, is every
 *   start     0      1      3      4      7        document with a value
 *   docs      3    | 0 1  | 0    | 0 1 3           the second walk: next[term] is the place of the next
 *
 * Documents arrive in ascending order, so each group is ascending, as postings must be. */
static struct groups
group_by_term(const struct slot_job *j)
{
	struct gather *g = j->g;
	struct gather_walk w = walk_pairs(g);
	struct groups out = { .n = g->n };
	uint32_t doc, term, seen = UINT32_MAX, *next;

	out.start = mem_array(g->n + UINT64_C(2), sizeof(*out.start));
	next = mem_array(g->n + UINT64_C(1), sizeof(*next));
	while (gather_next(&w, &doc, &term)) {
		out.start[j->order[term] + 1]++;
		out.start[g->n + 1] += doc != seen;
		seen = doc;
	}
	for (uint32_t i = 0; i <= g->n; i++) {
		out.start[i + 1] += out.start[i];
		next[i] = out.start[i];
	}
	out.docs = mem_array(out.start[g->n + 1], sizeof(*out.docs));
	w = walk_pairs(g);
	for (seen = UINT32_MAX; gather_next(&w, &doc, &term); seen = doc) {
		out.docs[next[j->order[term]]++] = doc;
		if (doc != seen)
			out.docs[next[g->n]++] = doc;
	}
	free(next);
	return out;
}

/* Maps groups of nested documents to groups of their documents, each document once. */
static struct groups
group_by_owner(const struct slot_job *j, const struct groups *nested)
{
	struct groups out = { .n = nested->n };
	uint32_t n = 0;

	out.start = mem_array(nested->n + UINT64_C(2), sizeof(*out.start));
	out.docs = mem_array(nested->start[nested->n + 1], sizeof(*out.docs));
	for (uint32_t i = 0; i <= nested->n; i++) {
		for (uint32_t k = nested->start[i]; k < nested->start[i + 1]; k++) {
			uint32_t doc = j->b->owner[nested->docs[k]];

			if (n == out.start[i] || out.docs[n - 1] != doc)
				out.docs[n++] = doc;
		}
		out.start[i + 1] = n;
	}
	return out;
}

static void
free_groups(struct groups *g)
{
	free(g->start);
	free(g->docs);
}

/* nested (may be NULL): the groups from which readers derive short postings, which are not stored
   then. */
static void
write_level(
    struct slot_job *j, const struct groups *g, const struct groups *nested, struct buf *blob)
{
	bool below = nested == NULL && j->field->nested;
	uint32_t *count = mem_array(g->n + UINT64_C(1), sizeof(*count));
	uint64_t *at = mem_array(g->n + UINT64_C(1), sizeof(*at));

	for (uint32_t i = 0; i <= g->n; i++) {
		uint32_t n = count[i] = g->start[i + 1] - g->start[i];

		if (nested != NULL && n > 1 &&
		    nested->start[i + 1] - nested->start[i] <= POSTING_SMALL)
			at[i] = INDEX_NEVER;
		else
			at[i] = posting_write(blob, g->docs + g->start[i], n);
	}
	section_write(j->w, below ? SECTION_COUNT_NESTED : SECTION_COUNT, j->slot, count,
	    (g->n + UINT64_C(1)) * sizeof(*count));
	section_write(j->w, below ? SECTION_AT_NESTED : SECTION_AT, j->slot, at,
	    (g->n + UINT64_C(1)) * sizeof(*at));
	free(count);
	free(at);
}

/* ---- columns ---- */

static uint8_t
width_of(uint32_t n)
{
	n += COLUMN_K_MAX; /* the numbers of missing values have to fit, too */
	return n < 256 ? 1 : n < 65536 ? 2 : 4;
}

static void
store_id(void *ids, uint8_t width, size_t i, uint32_t id)
{
	if (width == 1)
		((uint8_t *)ids)[i] = (uint8_t)id;
	else if (width == 2)
		((uint16_t *)ids)[i] = (uint16_t)id;
	else
		((uint32_t *)ids)[i] = id;
}

static void *
new_ids(size_t n, uint8_t width, uint32_t none, uint8_t k)
{
	void *ids = mem_array(n, width);

	for (size_t i = 0; i < n; i++)
		store_id(ids, width, i, none + (uint32_t)(i % k));
	return ids;
}

/* Chooses how many values a document has in the column: a power of two that is too small for at
   most one document in 4, or COLUMN_K_MAX. A document that has more takes as long as some 10 places. */
static uint8_t
choose_k(const uint32_t *values, uint32_t ndocs)
{
	uint32_t over[COLUMN_K_MAX + 1] = { 0 };
	uint8_t k = 1;

	for (uint32_t d = 0; d < ndocs; d++)
		for (unsigned i = 1; i <= COLUMN_K_MAX; i *= 2)
			over[i] += values[d] > i;
	while (k < COLUMN_K_MAX && over[k] > ndocs / 4)
		k = (uint8_t)(k * 2);
	return k;
}

struct overflow {
	uint32_t n, *docs, *at, *place; /* place: [document], in docs */
	void *ids;
};

static struct overflow
plan_overflow(const uint32_t *values, uint32_t ndocs, uint8_t k, uint8_t width)
{
	struct overflow o = { 0 };
	uint32_t total = 0;

	o.place = mem_array(ndocs, sizeof(*o.place));
	for (uint32_t d = 0; d < ndocs; d++)
		o.n += values[d] > k;
	o.docs = mem_array(o.n, sizeof(*o.docs));
	o.at = mem_array(o.n + UINT64_C(1), sizeof(*o.at));
	o.n = 0;
	for (uint32_t d = 0; d < ndocs; d++) {
		o.place[d] = o.n;
		if (values[d] <= k)
			continue;
		o.docs[o.n] = d;
		o.at[o.n++] = total;
		total += values[d] - k;
	}
	o.at[o.n] = total;
	o.ids = mem_array(total, width);
	return o;
}

static void
write_ranks(struct slot_job *j, const struct overflow *o)
{
	size_t n = column_words(j->b->ndocs);
	uint64_t *words = mem_array(n, sizeof(*words));
	uint32_t *rank = mem_array(n, sizeof(*rank));

	column_rank(o->docs, o->n, j->b->ndocs, words, rank);
	section_write(j->w, SECTION_MORE_WORDS, j->slot, words, n * sizeof(*words));
	section_write(j->w, SECTION_MORE_RANK, j->slot, rank, n * sizeof(*rank));
	free(words);
	free(rank);
}

/* Writes the column of a slot: the terms of each document, for facets. A document has k places,
 * so the inner loop of a facet finds them without any offset. With k = 2 and the terms 0 to 3:
 *
 *   document       0        1        2        3
 *   values         1, 3     2        none     0, 1, 2
 *   column         1 3      2 5      4 5      0 1          missing: n + place, so 4 or 5
 *   MORE                                      3: {2}       the values without a place
 *
 * Each place has its own number for "no value", so the places of one document never increment
 * the same counter twice in a row (facet.c has the reason). MORE is found by the bit and the rank of its document
 * (format/column.c). */
static void
write_column(struct slot_job *j, const struct groups *g)
{
	uint32_t ndocs = j->b->ndocs, *values = mem_array(ndocs, sizeof(*values));
	uint8_t width = width_of(g->n), k;
	struct overflow o;
	void *ids;

	for (uint32_t i = 0; i < g->start[g->n]; i++)
		values[g->docs[i]]++;
	k = choose_k(values, ndocs);
	ids = new_ids((size_t)ndocs * k, width, g->n, k);
	o = plan_overflow(values, ndocs, k, width);
	memset(values, 0, ndocs * sizeof(*values));
	for (uint32_t id = 0; id < g->n; id++)
		for (uint32_t i = g->start[id]; i < g->start[id + 1]; i++) {
			uint32_t d = g->docs[i], nth = values[d]++;

			if (nth < k)
				store_id(ids, width, (size_t)d * k + nth, id);
			else
				store_id(o.ids, width, o.at[o.place[d]] + nth - k, id);
		}
	section_write(j->w, SECTION_COLUMN, j->slot, ids, (size_t)ndocs * k * width);
	if (o.n > 0) {
		if (j->b->more_docs)
			section_write(
			    j->w, SECTION_MORE_DOCS, j->slot, o.docs, o.n * sizeof(*o.docs));
		else
			write_ranks(j, &o);
		section_write(
		    j->w, SECTION_MORE_AT, j->slot, o.at, (o.n + UINT64_C(1)) * sizeof(*o.at));
		section_write(j->w, SECTION_MORE_IDS, j->slot, o.ids, (size_t)o.at[o.n] * width);
	}
	j->meta->width = width;
	j->meta->k = k;
	j->meta->more = o.n;
	free(o.docs);
	free(o.at);
	free(o.place);
	free(o.ids);
	free(ids);
	free(values);
}

static bool
names_nested(const struct schema_field *f)
{
	const struct schema_field *names[SCHEMA_NAMING];

	for (size_t i = 0, n = schema_naming(f->dataset, names); i < n; i++)
		if (names[i] == f)
			return true;
	return false;
}

/* Writes the column of nested documents of a field that names one in search results: port and
   transport of a service. */
static void
write_nested_column(struct slot_job *j, const struct groups *g)
{
	uint8_t width = width_of(g->n);
	void *ids;

	if (j->slot % PARTS != PART_VALUES || !names_nested(j->field))
		return;
	ids = new_ids(j->b->nnested, width, g->n, 1);
	for (uint32_t id = 0; id < g->n; id++)
		for (uint32_t i = g->start[id]; i < g->start[id + 1]; i++)
			store_id(ids, width, g->docs[i], id);
	section_write(j->w, SECTION_COLUMN_NESTED, j->slot, ids, (size_t)j->b->nnested * width);
	j->meta->nested_width = width;
	free(ids);
}

void
slot_write(struct segment_writer *w, struct index_builder *b, size_t slot, struct slot_meta *meta,
    uint32_t **order)
{
	struct slot_job j = { .w = w,
		.b = b,
		.g = &b->slots[slot],
		.field = &b->fields[slot / PARTS],
		.slot = slot,
		.meta = meta };
	struct groups own = { 0 }, above;
	struct buf blob = { 0 };
	bool column;

	*order = NULL;
	meta->form = (uint8_t)j.g->form;
	if (j.g->form == FORM_NONE)
		return;
	if (b->merging != NULL) {
		own = merge_slot(b->merging, slot, j.g);
		keep_merged_order(&j);
	} else {
		sort_terms(&j);
		own = group_by_term(&j);
	}
	meta->n = j.g->n;
	if (j.g->form == FORM_INTS)
		write_ints(&j);
	else
		write_strings(&j);
	write_level(&j, &own, NULL, &blob);
	if (j.field->nested) {
		write_nested_column(&j, &own);
		above = group_by_owner(&j, &own);
		write_level(&j, &above, &own, &blob);
		free_groups(&own);
		own = above;
	}
	section_write(w, SECTION_POSTINGS, slot, blob.p, blob.n);
	column = j.field->aggregatable && slot % PARTS == PART_VALUES && meta->n > 0;
	if (column)
		write_column(&j, &own);
	free_groups(&own);
	buf_free(&blob);
	free(j.terms);
	*order = j.order;
	gather_free(j.g);
}
