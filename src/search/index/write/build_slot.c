/* SPDX-License-Identifier: ISC */
/* Writes one slot of a segment: its dictionary, its postings (build_terms.c, build_postings.c) and its column. Most time
   of a rebuild is spent here. */
#include "config.h"

#include "search/index/write/build_slot.h"
#include "search/index/format/column.h"

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

/* The bytes of a column with k places a document, with its overflow. */
static uint64_t
column_size(const uint32_t *values, uint32_t ndocs, uint8_t k, uint8_t width)
{
	uint64_t more = 0;

	for (uint32_t d = 0; d < ndocs; d++)
		if (values[d] > k)
			more += sizeof(uint32_t) + (uint64_t)(values[d] - k) * width;
	if (more > 0)
		more += column_words(ndocs) * (sizeof(uint64_t) + sizeof(uint32_t));
	return (uint64_t)ndocs * k * width + more;
}

/* Chooses how many values a document has in the column: a power of two that is too small for at
   most one document in 4, or COLUMN_K_MAX. A document that has more takes as long as some 10 places. Where places are
   wide, because there are very many terms, the smallest column is taken: its counters are out of the cache, so empty
   places cost more than the overflow. */
static uint8_t
choose_k(const uint32_t *values, uint32_t ndocs, uint8_t width)
{
	uint32_t over[COLUMN_K_MAX + 1] = { 0 };
	uint8_t k = 1, best = 1;

	for (uint32_t d = 0; d < ndocs; d++)
		for (unsigned i = 1; i <= COLUMN_K_MAX; i *= 2)
			over[i] += values[d] > i;
	while (k < COLUMN_K_MAX && over[k] > ndocs / 4) {
		k = (uint8_t)(k * 2);
		if (column_size(values, ndocs, k, width) < column_size(values, ndocs, best, width))
			best = k;
	}
	return width == sizeof(uint32_t) ? best : k;
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
 * (format/column.c). A field without any value has no column. */
static void
write_column(struct slot_job *j, const struct groups *g)
{
	uint32_t ndocs = j->b->ndocs, *values = mem_array(ndocs, sizeof(*values));
	uint8_t width = width_of(g->n), k;
	struct overflow o;
	void *ids;

	for (uint32_t i = 0; i < g->start[g->n]; i++)
		values[g->docs[i]]++;
	k = choose_k(values, ndocs, width);
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

	if (g->n == 0 || j->slot % PARTS != PART_VALUES || !names_nested(j->field))
		return;
	ids = new_ids(j->b->nnested, width, g->n, 1);
	for (uint32_t id = 0; id < g->n; id++)
		for (uint32_t i = g->start[id]; i < g->start[id + 1]; i++)
			store_id(ids, width, g->docs[i], id);
	section_write(j->w, SECTION_COLUMN_NESTED, j->slot, ids, (size_t)j->b->nnested * width);
	j->meta->nested_width = width;
	free(ids);
}

/* Writes the hashes of texts, and which documents have one. */
static void
write_hashed(struct slot_job *j)
{
	uint32_t n = j->field->nested ? j->b->nnested : j->b->ndocs;
	struct hashes *h = &j->b->hashes[j->field->index];
	struct groups own, above;

	hashes_fill(h, n);
	own = group_hashed(h->p, n);
	write_packed(j->w, SECTION_HASHES, j->slot, h->p, n);
	if (j->field->nested) {
		above = group_by_owner(j, &own);
		slot_write_postings(j, &own, &above);
		groups_free(&above);
	} else {
		slot_write_postings(j, &own, NULL);
	}
	groups_free(&own);
}

/* Sorts, writes and frees a slot. */
static void
write_terms(struct slot_job *j)
{
	bool column = j->field->aggregatable && j->slot % PARTS == PART_VALUES;
	struct groups own, above;

	if (j->b->merging != NULL) {
		own = merge_slot(j->b->merging, j->slot, j->g);
		slot_keep_order(j);
	} else {
		slot_sort_terms(j);
		own = group_by_term(j);
	}
	j->meta->n = j->g->n;
	slot_write_terms(j);
	if (j->field->nested) {
		write_nested_column(j, &own);
		above = group_by_owner(j, &own);
		slot_write_postings(j, &own, &above);
		groups_free(&own);
		own = above;
	} else {
		slot_write_postings(j, &own, NULL);
	}
	if (column && own.n > 0)
		write_column(j, &own);
	groups_free(&own);
	free(j->terms);
	gather_free(j->g);
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

	meta->form = (uint8_t)j.g->form;
	if (j.g->form == FORM_HASHED)
		write_hashed(&j);
	else if (j.g->form != FORM_NONE)
		write_terms(&j);
	*order = j.order;
}
