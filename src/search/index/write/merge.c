/* SPDX-License-Identifier: ISC */
/* Merges segments into one. The documents themselves are not needed:
 * 1. The documents of all inputs, without the dead ones, get new numbers in the order of their
 *    keys.
 * 2. For each slot, the sorted dictionaries are merged; the posting of a term is the postings of
 *    the inputs, mapped to the new numbers. A term without a live document is left out.
 * 3. slot_write makes the sections as it does for a new segment.
 *
 * A merge reads immutable files and a copy of the bits of dead documents. So it can run in a child
 * process while the writer continues; index_merge_take later marks those documents dead in the
 * result that died while it ran. */
#include "config.h"

#include "search/index/write/build_priv.h"
#include "search/index/write/merge.h"
#include "search/index/write/state.h"

#include <inttypes.h>
#include <unistd.h>

/* ---- documents ---- */

static bool
is_dead(const uint64_t *dead, uint32_t doc)
{
	return dead[doc >> 6] >> (doc & 63) & 1;
}

/* An input and its next live document. */
struct reading {
	uint32_t at;
	bool keyed;
	struct segment_key key;
};

/* The input whose next live document has the lowest key, or n at the end. */
static size_t
find_lowest(const struct input *in, size_t n, struct reading *r)
{
	size_t best = n;

	for (size_t i = 0; i < n; i++) {
		while (r[i].at < in[i].seg->ndocs && is_dead(in[i].dead, r[i].at))
			r[i].at++;
		if (r[i].at == in[i].seg->ndocs)
			continue;
		if (!r[i].keyed)
			(void)segment_key(in[i].seg, r[i].at, &r[i].key);
		r[i].keyed = true;
		if (best == n ||
		    str_cmp(segment_key_str(&r[i].key), segment_key_str(&r[best].key)) < 0)
			best = i;
	}
	return best;
}

static void
begin_numbers(struct input *in, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (int l = 0; l < LEVELS; l++) {
			size_t size = segment_level(in[i].seg, l) * sizeof(uint32_t);

			in[i].number[l] = mem_alloc(size + 1);
			memset(in[i].number[l], 0xff, size);
		}
}

/* Returns false when the keys do not ascend, which only damage causes. */
static bool
number_documents(struct index_builder *b, struct input *in, size_t n, char err[INDEX_FAULT])
{
	struct reading *r = mem_array(n, sizeof(*r));
	bool ok = true;
	size_t i;

	begin_numbers(in, n);
	while (ok && (i = find_lowest(in, n, r)) < n) {
		const struct segment *s = in[i].seg;
		uint32_t doc = r[i].at++;

		r[i].keyed = false;
		build_document_begin(b);
		in[i].number[LEVEL_DOCUMENT][doc] = b->ndocs;
		for (uint32_t k = s->first[doc]; k < s->first[doc + 1] && k < s->nnested; k++) {
			in[i].number[LEVEL_NESTED][k] = b->nnested;
			build_nested_begin(b);
		}
		ok = build_document_end(b, segment_key_str(&r[i].key));
	}
	if (!ok)
		snprintf(err, INDEX_FAULT, "the keys of an input are not in order");
	free(r);
	return ok;
}

/* Copies the values that are stored by document: dates and the hashes of texts. */
static void
copy_values(struct index_builder *b, const struct schema_field *f, const struct input *in)
{
	enum level l = f->nested ? LEVEL_NESTED : LEVEL_DOCUMENT;
	const struct terms *t = segment_terms(in->seg, f, PART_VALUES);
	bool dates = terms_have_dates(t);

	for (uint32_t i = 0; (dates || t->hashes.values != NULL) && i < segment_level(in->seg, l);
	     i++) {
		uint32_t to = in->number[l][i];

		if (to == NOWHERE)
			continue;
		if (dates && terms_date(t, i) != INT64_MIN)
			build_date(b, f, to, terms_date(t, i));
		else if (!dates && packed_value(&t->hashes, i) != 0)
			build_hash(b, f, to, packed_value(&t->hashes, i));
	}
}

/* ---- a merge ---- */

struct index_merge *
index_merge_begin(const struct index_state *s, const size_t *which, size_t n)
{
	struct index_merge *m = mem_zero(sizeof(*m));

	m->id = index_new_id(s->family);
	m->inputs = mem_array(n, sizeof(*m->inputs));
	for (m->n = 0; m->n < n; m->n++) {
		struct index_segment *to = &m->inputs[m->n];
		size_t bytes;

		*to = s->segments[which[m->n]];
		bytes = index_words(to->documents) * sizeof(*to->dead);
		to->map = NULL;
		to->former = NULL;
		to->open->refs++;
		to->dead = mem_alloc(bytes + 1);
		memcpy(to->dead, s->segments[which[m->n]].dead, bytes);
	}
	return m;
}

void
index_merge_free(struct index_merge *m)
{
	if (m == NULL)
		return;
	for (size_t i = 0; i < m->n; i++) {
		segment_close(m->inputs[i].open);
		free(m->inputs[i].dead);
	}
	free(m->inputs);
	free(m);
}

static bool
check_fields(const struct merging *all, char *err)
{
	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; k < all->nfields; k++)
			if (!all->in[i].seg->has[all->fields[k].index]) {
				snprintf(err, INDEX_FAULT, "built without %s", all->fields[k].name);
				return false;
			}
	return true;
}

static void
number_terms(struct merging *all, const struct schema_field *f)
{
	uint32_t **numbers = mem_array(all->n, sizeof(*numbers));

	for (size_t i = 0; i < all->n; i++)
		numbers[i] =
		    mem_array(segment_terms(all->in[i].seg, f, PART_VALUES)->n, sizeof(**numbers));
	all->numbers[f->index * PARTS] = numbers;
}

static void
free_merging(struct merging *all)
{
	for (size_t s = 0; s < all->nfields * PARTS; s++) {
		for (size_t i = 0; all->numbers[s] != NULL && i < all->n; i++)
			free(all->numbers[s][i]);
		free(all->numbers[s]);
	}
	for (size_t i = 0; i < all->n; i++)
		for (int l = 0; l < LEVELS; l++)
			free(all->in[i].number[l]);
	free(all->numbers);
	free(all->in);
}

/* Verifies the inputs after they were read. Reading checks only that accesses stay inside of the
   file, and the result gets checksums of its own, so damage that was copied into it would never be
   found. */
static bool
inputs_are_whole(const struct index_merge *m, char err[INDEX_FAULT])
{
	bool whole = true;

	for (size_t i = 0; whole && i < m->n; i++) {
		struct mapped *file = &m->inputs[i].open->file;
		uint64_t bytes = UINT64_MAX;
		struct verified v = { 0 };

		file->err = err;
		whole = mapped_verify(file, &v, &bytes);
		file->err = NULL;
		if (!whole)
			mapped_condemn(file); /* the next pass builds the index again */
	}
	return whole;
}

bool
index_merge_write(
    struct index_merge *m, const char *directory, struct index_segment *out, char err[INDEX_FAULT])
{
	struct index_tags none = { 0 };
	enum dataset d = m->inputs[0].dataset;
	struct index_builder *b = index_build_new(d, &none);
	struct merging all = { .n = m->n };
	bool ok;

	all.nfields = schema_fields(d, &all.fields);
	all.in = mem_array(m->n, sizeof(*all.in));
	all.numbers = mem_array(all.nfields * PARTS, sizeof(*all.numbers));
	for (size_t i = 0; i < m->n; i++)
		all.in[i] = (struct input){ .seg = m->inputs[i].open, .dead = m->inputs[i].dead };
	ok = check_fields(&all, err) && number_documents(b, all.in, all.n, err);
	if (ok) {
		for (size_t k = 0; k < all.nfields; k++)
			for (size_t i = 0; i < all.n; i++)
				copy_values(b, &all.fields[k], &all.in[i]);
		if (b->labelled != NULL) {
			number_terms(&all, b->labelled);
			number_terms(&all, b->labelled->label);
		}
		b->merging = &all;
		b->id = m->id;
		ok = index_build_write(b, directory, out, err);
		m->full = b->full != NULL;
		ok = ok && inputs_are_whole(m, err);
	}
	free_merging(&all);
	index_build_free(b);
	return ok;
}

bool
index_segment_verify(const char *directory, struct index_segment *s, char err[INDEX_FAULT])
{
	struct segment *seg = segment_open(directory, s, SEGMENT_VERIFY, err);

	if (seg == NULL)
		return false;
	s->file.mark = seg->file.mark;
	segment_close(seg);
	return true;
}

/* Marks those documents dead in the result that died while the merge ran. `before` has the bits of
 * the beginning, which the merge has used, and `now` those of the state:
 *
 *   before   0 1 0 0      document 1 is not in the result at all
 *   now      0 1 0 1      document 3 died meanwhile: now & ~before
 *
 * The numbers of the result are others than those of the input, so the document is found by its
 * key. No bit ever returns to 0, because a record that comes back is a document of a new
 * segment. */
static void
carry_deaths(
    const struct index_segment *before, const struct index_segment *now, struct index_segment *to)
{
	for (size_t w = 0; w < index_words(before->documents); w++)
		for (uint64_t bits = now->dead[w] & ~before->dead[w]; bits != 0; bits &= bits - 1) {
			struct segment_key key;

			index_mark_dead(
			    to, segment_key(now->open,
				    (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits), &key));
		}
}

/* Replaces the inputs of a merge by its result, in the parent. The merge may have run for
 * minutes in a child, and passes went on meanwhile, so an input may have lost documents
 * (carry_deaths) or may be gone altogether, because all of its documents died. Then the merge is
 * dropped, and the next one will choose among the segments that exist. */
bool
index_merge_take(const struct index_merge *m, const char *directory, struct index_state *s,
    struct index_segment fresh, char err[INDEX_FAULT])
{
	for (size_t i = 0; i < m->n; i++)
		if (index_state_find(s, m->inputs[i].file.id) == NULL) {
			snprintf(err, INDEX_FAULT, "an input of the merge is gone");
			return false;
		}
	fresh.open = segment_open(directory, &fresh, SEGMENT_BY_MARK, err);
	if (fresh.open == NULL)
		return false;
	if (fresh.open->file.mended == 0) /* otherwise the next pass replaces the file */
		fresh.file.mark = fresh.open->file.mark;
	fresh.dead = mem_array(index_words(fresh.documents), sizeof(*fresh.dead));
	for (size_t i = 0; i < m->n; i++) {
		const struct index_segment *input = index_state_find(s, m->inputs[i].file.id);
		size_t at = (size_t)(input - s->segments);

		carry_deaths(&m->inputs[i], input, &fresh);
		index_state_drop(s, at, at + 1);
	}
	index_state_insert(s, fresh);
	return true;
}
