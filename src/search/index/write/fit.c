/* SPDX-License-Identifier: ISC */
/* Estimates whether segments fit into one (format/ceilings.h). */
#include "config.h"

#include "search/index/format/ceilings.h"
#include "search/index/format/segment.h"
#include "search/index/write/merge.h"

/* The bytes of the largest dictionary of texts. Hexadecimal ones are without offsets. */
static uint64_t
largest_texts(const struct segment *s)
{
	const struct schema_field *fields;
	size_t n = schema_fields(s->dataset, &fields) * PARTS;
	uint64_t most = 0;

	for (size_t i = 0; i < n; i++)
		if (s->slots[i].form != FORM_HEX && s->slots[i].nbytes > most)
			most = s->slots[i].nbytes;
	return most;
}

/* The most values of a field without a place in its column. */
static uint64_t
most_more(const struct segment *s)
{
	const struct schema_field *fields;
	size_t n = schema_fields(s->dataset, &fields) * PARTS;
	uint64_t most = 0;

	for (size_t i = 0; i < n; i++)
		if (s->slots[i].column.nids > most)
			most = s->slots[i].column.nids;
	return most;
}

/* The share of a number that belongs to documents that live. */
static uint64_t
living_share(const struct index_segment *s, uint64_t n)
{
	double living = (double)(s->documents - s->ndead) / s->documents;

	return (uint64_t)((double)n * living);
}

void
merge_need_add(struct merge_need *n, const struct index_segment *s)
{
	n->documents += s->documents - s->ndead;
	n->nested += living_share(s, s->open->nnested);
	n->file += living_share(s, s->open->file.size);
	n->texts += living_share(s, largest_texts(s->open));
	n->more += living_share(s, most_more(s->open));
}

/* Whether so much, `times`, is below the ceilings by an eighth, because an estimate may be
   wrong. */
static bool
is_below(const struct merge_need *n, uint64_t times)
{
	const struct ceilings *c = ceilings();

	return times * n->documents < c->documents - c->documents / 8 &&
	       times * n->nested < c->documents - c->documents / 8 &&
	       times * n->file < c->file - c->file / 8 &&
	       times * n->texts < c->texts - c->texts / 8 &&
	       times * n->more < c->more - c->more / 8;
}

bool
merge_fits(const struct merge_need *n)
{
	return is_below(n, 1);
}

bool
segment_is_full(const struct index_segment *s)
{
	struct merge_need n = { 0 };

	merge_need_add(&n, s);
	return s->full || !is_below(&n, 2);
}
