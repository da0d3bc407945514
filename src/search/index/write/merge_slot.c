/* SPDX-License-Identifier: ISC */
/* Merges one slot of segments: their dictionaries and the postings of equal terms. */
#include "config.h"

#include "search/index/format/postings.h"
#include "search/index/write/build_priv.h"

struct slot_merge {
	const struct input *in;
	size_t n;
	enum level level;
	const struct terms **t; /* [input] */
	uint32_t *at;           /* [input]: its next term */
	uint32_t *docs, *room;  /* documents of all terms so far; room for merge_runs */
	size_t ndocs, docs_room, room_room;
	uint32_t *list;
	size_t list_room;
};

/* Merges two ascending runs of docs, [from, middle) and [middle, ndocs), into one. */
static void
merge_runs(struct slot_merge *m, size_t from, size_t middle)
{
	size_t a = from, b = middle, n = 0;

	if (middle == from || middle == m->ndocs || m->docs[middle - 1] < m->docs[middle])
		return;
	m->room = grow_array(m->room, &m->room_room, m->ndocs - from, sizeof(*m->room));
	while (a < middle || b < m->ndocs)
		m->room[n++] = b == m->ndocs || (a < middle && m->docs[a] < m->docs[b])
				   ? m->docs[a++]
				   : m->docs[b++];
	memcpy(m->docs + from, m->room, n * sizeof(*m->room));
}

/* Adds the live documents of a term of input i to the run of docs that begins at from. Returns
   whether there are any.
   Term t->n is every document with a value. */
static bool
add_posting(struct slot_merge *m, size_t i, uint32_t id, size_t from)
{
	uint32_t documents = segment_level(m->in[i].seg, m->level);
	const uint32_t *number = m->in[i].number[m->level];
	size_t middle = m->ndocs;
	struct posting p;
	uint32_t n;

	if (!posting_open(m->t[i], m->level, id, documents, &p))
		return false;
	m->list = grow_array(m->list, &m->list_room, p.n + UINT64_C(1), sizeof(*m->list));
	n = posting_list(&p, m->list);
	m->docs = grow_array(m->docs, &m->docs_room, m->ndocs + n + 1, sizeof(*m->docs));
	for (uint32_t k = 0; k < n; k++)
		if (m->list[k] < documents && number[m->list[k]] != NOWHERE)
			m->docs[m->ndocs++] = number[m->list[k]];
	merge_runs(m, from, middle);
	return m->ndocs > middle;
}

static size_t
find_lowest_term(const struct slot_merge *m)
{
	size_t best = m->n;

	for (size_t i = 0; i < m->n; i++)
		if (m->at[i] < m->t[i]->n &&
		    (best == m->n || terms_order(m->t[i], m->at[i], m->t[best], m->at[best]) < 0))
			best = i;
	return best;
}

/* Adds the lowest term of all inputs and its documents, and advances every input that has the
   term. */
static void
merge_term(struct slot_merge *m, size_t best, struct gather *g, uint32_t *const *numbers)
{
	uint32_t id = m->at[best];
	struct term_text room;
	size_t from = m->ndocs;

	for (size_t i = 0; i < m->n; i++) {
		bool alive;

		if (m->at[i] >= m->t[i]->n || terms_order(m->t[i], m->at[i], m->t[best], id) != 0)
			continue;
		alive = add_posting(m, i, m->at[i], from);
		if (numbers != NULL)
			numbers[i][m->at[i]] = alive ? g->n : NOWHERE;
		if (i != best)
			m->at[i]++;
	}
	m->at[best]++;
	if (m->ndocs == from)
		return;
	if (g->form == FORM_INTS)
		gather_append_int(g, m->t[best]->ints[id]);
	else
		gather_append_str(g, terms_str(m->t[best], id, &room));
}

/* Merges the dictionaries and postings of one slot. All inputs are sorted, so the lowest of
 * their next terms is the next term of the result, and every input that has it advances:
 *
 *   input 0   FreeBSD {0}    Linux {1, 2}                 m->at
 *   input 1   Linux {0}      Plan 9 {1}
 *   result    FreeBSD {0} | Linux {1, 3, 2} -> {1, 2, 3} | Plan 9 {4}     groups of docs
 *
 * Numbers of documents are new ones (number_documents). Those of one input ascend, but two
 * inputs alternate, so merge_runs merges the runs within a term. The last group has every
 * document with a value. A term whose documents are all dead is left out. */
struct groups
merge_slot(const struct merging *all, size_t slot, struct gather *g)
{
	const struct schema_field *f = &all->fields[slot / PARTS];
	struct slot_merge m = {
		.in = all->in, .n = all->n, .level = f->nested ? LEVEL_NESTED : LEVEL_DOCUMENT
	};
	struct groups out = { 0 };
	size_t best, start_room = 0, whole;

	m.t = mem_array(m.n, sizeof(*m.t));
	m.at = mem_array(m.n, sizeof(*m.at));
	for (size_t i = 0; i < m.n; i++)
		m.t[i] = &m.in[i].seg->slots[slot];
	out.start = grow_array(NULL, &start_room, 2, sizeof(*out.start));
	out.start[0] = 0;
	while ((best = find_lowest_term(&m)) < m.n) {
		merge_term(&m, best, g, all->numbers[slot]);
		out.start =
		    grow_array(out.start, &start_room, g->n + UINT64_C(2), sizeof(*out.start));
		out.start[g->n] = m.ndocs;
	}
	whole = m.ndocs;
	for (size_t i = 0; i < m.n; i++)
		(void)!add_posting(&m, i, m.t[i]->n, whole);
	out.start[g->n + 1] = m.ndocs;
	out.n = g->n;
	out.docs = m.docs;
	free(m.t);
	free(m.at);
	free(m.room);
	free(m.list);
	return out;
}

/* Takes the label of a term from the first input that has one. */
void
merge_labels(const struct merging *all, struct index_builder *b)
{
	const struct schema_field *f = b->labelled;

	for (size_t i = 0; i < all->n; i++) {
		const struct terms *t = segment_terms(all->in[i].seg, f, PART_VALUES);
		uint32_t names = segment_terms(all->in[i].seg, f->label, PART_VALUES)->n;

		for (uint32_t id = 0; t->label != NULL && id < t->n; id++) {
			uint32_t name = t->label[id]; /* read once: it may change */

			if (name < names)
				build_label(b, all->numbers[f->index * PARTS][i][id],
				    all->numbers[f->label->index * PARTS][i][name]);
		}
	}
}
