/* SPDX-License-Identifier: ISC */
/* Writes one slot of a segment: its dictionary, its postings and its column (build_terms.c,
   build_postings.c, build_column.c). Most time of a rebuild is spent here. */
#include "config.h"

#include "search/index/write/build_slot.h"

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
write_slot_terms(struct slot_job *j)
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
		slot_write_nested_column(j, &own);
		above = group_by_owner(j, &own);
		slot_write_postings(j, &own, &above);
		groups_free(&own);
		own = above;
	} else {
		slot_write_postings(j, &own, NULL);
	}
	if (column && own.n > 0)
		slot_write_column(j, &own);
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
		write_slot_terms(&j);
	*order = j.order;
}
