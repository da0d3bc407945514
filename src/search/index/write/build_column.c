/* SPDX-License-Identifier: ISC */
/* The columns of a slot: the terms of each document, for facets. A document has some places in the
 * column, and the terms beyond them are stored elsewhere (MORE): it is found by the bit and the
 * rank of its document (format/column.c). A field without any value has no column. There are three
 * forms.
 *
 * Places. Each document has k of them, so the inner loop of a facet finds them without any offset.
 * With k = 2 and the terms 0 to 3:
 *
 *   document       0        1        2        3
 *   values         1, 3     2        none     0, 1, 2
 *   column         1 3      2 5      4 5      0 1          missing: n + place, so 4 or 5
 *   MORE                                      3: {2}       the values without a place
 *
 * Each place has its own number for "no value", so the places of one document never increment the
 * same counter twice in a row (facet.c has the reason).
 *
 * Combinations. Documents of many values often have the same ones, so each document has the number
 * of its combination, and a facet counts numbers: one increment a document, however many values it
 * has. The counts are spread to the terms at the end. The terms of the combinations are like k places
 * of documents. A document with more than k values, or with a rare combination, has the number 0
 * and all of its values in MORE:
 *
 *   document       0        1        2        3        4
 *   values         1, 3     2        none     0, 1, 2  1, 3
 *   column         1        2        0        0        1
 *   combinations   4 5   1 3   2 5           k = 2; missing: n + place
 *   MORE                                      3: {0, 1, 2}
 *
 * Rows. A nested field has as many places in a document as this has nested documents, where that is
 * smaller; SECTION_FIRST has that number already. A value that several nested documents have leaves
 * a place empty:
 *
 *   nested documents   0 1 2      3        -        4 5
 *   column             1 3 4      2                 0 2      empty: n, so 4
 *   MORE                                            3: {3}   when nested document 4 has the values 0 and 3
 */
#include "config.h"

#include "search/index/format/column.h"
#include "search/index/write/build_slot.h"

static uint8_t
width_of(uint32_t n)
{
	n += COLUMN_K_MAX; /* the numbers of missing values have to fit, too */
	return n < 1 << 8 ? 1 : n < 1 << 16 ? 2 : n < 1 << 24 ? 3 : 4;
}

static void
store_id(void *ids, uint8_t width, size_t i, uint32_t id)
{
	if (width == 1)
		((uint8_t *)ids)[i] = (uint8_t)id;
	else if (width == 2)
		((uint16_t *)ids)[i] = (uint16_t)id;
	else if (width == 3)
		for (size_t k = 0; k < 3; k++)
			((uint8_t *)ids)[i * 3 + k] = (uint8_t)(id >> 8 * k);
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

/* ---- the form ---- */

struct layout {
	uint8_t width, k;
	const uint32_t *first; /* rows */
	uint32_t ndocs, nnested;
	struct combining comb; /* n 0: the column has none */
};

/* The first place of a document. */
static size_t
place_of_value(const struct layout *l, uint32_t d)
{
	return l->first == NULL ? (size_t)d * l->k : l->first[d];
}

/* The number of places of a document. A combination has one for each value. */
static uint32_t
places_of(const struct layout *l, uint32_t d)
{
	if (l->comb.n > 0)
		return l->comb.of[d] > 0 ? UINT32_MAX : 0;
	return l->first == NULL ? l->k : l->first[d + 1] - l->first[d];
}

static size_t
all_places(const struct layout *l)
{
	return l->first == NULL ? (size_t)l->ndocs * l->k : l->nnested;
}

/* The bytes of the number of a combination. */
static uint8_t
number_width(const struct layout *l)
{
	return l->comb.n <= COMBINATIONS_SHORT ? 1 : 2;
}

/* The bytes of a column, with its overflow. */
static uint64_t
column_size(const struct layout *l, const uint32_t *values)
{
	uint64_t more = 0;

	for (uint32_t d = 0; d < l->ndocs; d++)
		if (values[d] > places_of(l, d))
			more +=
			    sizeof(uint32_t) + (uint64_t)(values[d] - places_of(l, d)) * l->width;
	if (more > 0)
		more += column_words(l->ndocs) * (sizeof(uint64_t) + sizeof(uint32_t));
	if (l->comb.n > 0)
		return (uint64_t)l->ndocs * number_width(l) + more +
		       (uint64_t)l->comb.n * l->comb.k * l->width;
	return all_places(l) * l->width + more;
}

/* Chooses how many values a document has in the column: a power of two that is too small for at
   most one document in 4, or COLUMN_K_MAX. A document that has more takes as long as some 10
   places. Where places are wide, because there are very many terms, the smallest column is taken:
   its counters are out of the cache, so empty places cost more than the overflow. */
static void
choose_k(struct layout *l, const uint32_t *values)
{
	uint32_t over[COLUMN_K_MAX + 1] = { 0 };
	struct layout best = *l;

	for (uint32_t d = 0; d < l->ndocs; d++)
		for (unsigned i = 1; i <= COLUMN_K_MAX; i *= 2)
			over[i] += values[d] > i;
	while (l->k < COLUMN_K_MAX && over[l->k] > l->ndocs / 4) {
		l->k = (uint8_t)(l->k * 2);
		if (column_size(l, values) < column_size(&best, values))
			best = *l;
	}
	if (l->width > sizeof(uint16_t))
		*l = best;
}

static uint32_t
documents_above(const struct layout *l, const uint32_t *values, uint32_t k)
{
	uint32_t n = 0;

	for (uint32_t d = 0; d < l->ndocs; d++)
		n += values[d] > k;
	return n;
}

/* Whether at most one document in 8 has values without a place, which cost as in choose_k. */
static bool
most_have_places(const struct layout *l, const uint32_t *values)
{
	uint32_t over = 0;

	for (uint32_t d = 0; d < l->ndocs; d++)
		over += values[d] > places_of(l, d);
	return over <= l->ndocs / 8;
}

/* Takes combinations when some document has several values, at most one document in 8 has values
   without a place, and the column grows by at most a byte a document. A combination has so many
   terms that few documents have more values, because looking for values without a place passes over
   all documents. */
static void
choose_combinations(
    struct layout *l, const struct slot_job *j, const struct groups *g, const uint32_t *values)
{
	uint64_t size = column_size(l, values);
	struct layout comb = *l;
	uint8_t k = 1;

	while (k < COLUMN_K_MAX && documents_above(l, values, k) > l->ndocs / 512)
		k = (uint8_t)(k * 2);
	if ((l->k == 1 && size == (uint64_t)l->ndocs * l->width) || j->b->combinations < 2 ||
	    l->width > sizeof(uint16_t) || !combine(g, l->ndocs, j->b->combinations, k, &comb.comb))
		return;
	comb.k = (uint8_t)(COLUMN_COMBINATIONS + k);
	comb.first = NULL;
	if (most_have_places(&comb, values) && column_size(&comb, values) <= size + l->ndocs)
		*l = comb;
	else
		combining_free(&comb.comb);
}

static struct layout
choose_column_layout(const struct slot_job *j, const struct groups *g, const uint32_t *values)
{
	struct layout l = {
		.width = width_of(g->n), .k = 1, .ndocs = j->b->ndocs, .nnested = j->b->nnested
	};
	struct layout rows = l;

	choose_k(&l, values);
	rows.k = COLUMN_ROWS;
	rows.first = j->b->first;
	if (j->field->nested && column_size(&rows, values) < column_size(&l, values))
		l = rows;
	choose_combinations(&l, j, g, values);
	return l;
}

/* ---- overflow ---- */

struct overflow {
	uint32_t n, *docs, *at, *place; /* place: [document], in docs */
	uint64_t total;
	void *ids;
};

/* Returns only the total when it passes the ceiling. */
static struct overflow
plan_overflow(const struct layout *l, const uint32_t *values)
{
	struct overflow o = { 0 };

	for (uint32_t d = 0; d < l->ndocs; d++)
		if (values[d] > places_of(l, d)) {
			o.n++;
			o.total += values[d] - places_of(l, d);
		}
	if (o.total > ceilings()->more)
		return o;
	o.place = mem_array(l->ndocs, sizeof(*o.place));
	o.docs = mem_array(o.n, sizeof(*o.docs));
	o.at = mem_array(o.n + UINT64_C(1), sizeof(*o.at));
	o.ids = mem_array(o.total, l->width);
	o.n = 0;
	o.total = 0;
	for (uint32_t d = 0; d < l->ndocs; d++) {
		o.place[d] = o.n;
		if (values[d] <= places_of(l, d))
			continue;
		o.docs[o.n] = d;
		o.at[o.n++] = (uint32_t)o.total;
		o.total += values[d] - places_of(l, d);
	}
	o.at[o.n] = (uint32_t)o.total;
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

static void
write_overflow(struct slot_job *j, const struct overflow *o, uint8_t width)
{
	write_ranks(j, o);
	section_write(j->w, SECTION_MORE_AT, j->slot, o->at, (o->n + UINT64_C(1)) * sizeof(*o->at));
	section_write(j->w, SECTION_MORE_IDS, j->slot, o->ids, (size_t)o->at[o->n] * width);
}

static void
free_overflow(struct overflow *o)
{
	free(o->docs);
	free(o->at);
	free(o->place);
	free(o->ids);
}

/* ---- a column ---- */

static void
write_ids(struct slot_job *j, enum section_kind kind, const uint32_t *ids, size_t n, uint8_t width)
{
	void *to = mem_array(n, width);

	for (size_t i = 0; i < n; i++)
		store_id(to, width, i, ids[i]);
	section_write(j->w, kind, j->slot, to, n * width);
	free(to);
}

static void
write_combinations(struct slot_job *j, const struct layout *l)
{
	const struct combining *c = &l->comb;

	write_ids(j, SECTION_COLUMN, c->of, l->ndocs, number_width(l));
	write_ids(j, SECTION_COMBINATIONS, c->ids, (size_t)c->n * c->k, l->width);
}

void
slot_write_column(struct slot_job *j, const struct groups *g)
{
	uint32_t ndocs = j->b->ndocs, *values = mem_array(ndocs, sizeof(*values));
	struct overflow o;
	struct layout l;
	void *ids;

	for (uint64_t i = 0; i < g->start[g->n]; i++)
		values[g->docs[i]]++;
	l = choose_column_layout(j, g, values);
	o = plan_overflow(&l, values);
	if (o.total > ceilings()->more) {
		j->b->full = "the values of a field";
		free_overflow(&o);
		combining_free(&l.comb);
		free(values);
		return;
	}
	ids =
	    l.comb.n > 0 ? NULL : new_ids(all_places(&l), l.width, g->n, l.first == NULL ? l.k : 1);
	memset(values, 0, ndocs * sizeof(*values));
	for (uint32_t id = 0; id < g->n; id++)
		for (uint64_t i = g->start[id]; i < g->start[id + 1]; i++) {
			uint32_t d = g->docs[i], nth = values[d]++, k = places_of(&l, d);

			if (nth >= k)
				store_id(o.ids, l.width, o.at[o.place[d]] + nth - k, id);
			else if (ids != NULL)
				store_id(ids, l.width, place_of_value(&l, d) + nth, id);
		}
	if (l.comb.n > 0)
		write_combinations(j, &l);
	else
		section_write(j->w, SECTION_COLUMN, j->slot, ids, all_places(&l) * l.width);
	if (o.n > 0)
		write_overflow(j, &o, l.width);
	j->meta->width = l.width;
	j->meta->k = l.k;
	j->meta->more = o.n;
	free_overflow(&o);
	combining_free(&l.comb);
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
void
slot_write_nested_column(struct slot_job *j, const struct groups *g)
{
	uint8_t width = width_of(g->n);
	void *ids;

	if (g->n == 0 || j->slot % PARTS != PART_VALUES || !names_nested(j->field))
		return;
	ids = new_ids(j->b->nnested, width, g->n, 1);
	for (uint32_t id = 0; id < g->n; id++)
		for (uint64_t i = g->start[id]; i < g->start[id + 1]; i++)
			store_id(ids, width, g->docs[i], id);
	section_write(j->w, SECTION_COLUMN_NESTED, j->slot, ids, (size_t)j->b->nnested * width);
	j->meta->nested_width = width;
	free(ids);
}
