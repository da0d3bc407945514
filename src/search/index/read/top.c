/* SPDX-License-Identifier: ISC */
/* Finds the first buckets of a facet: count descending, value ascending (C-049). The best
 * candidates so far are a heap with the worst of them on top, which a better one replaces.
 *
 *   counts of all terms --> smaller than the top of the heap?  most of them: skipped
 *                           equal, and the value is later?     loses the tie
 *                           otherwise                          replaces the top, and sinks
 *
 * Comparing values is dear, because the texts of two terms lie in two dictionaries. So counts
 * decide first, and texts are read only for ties. */
#include "config.h"

#include "search/index/read/facet.h"

void
top_begin(struct top *t, struct arena *a, const struct view *v, const struct schema_field *f,
    size_t limit)
{
	*t =
	    (struct top){ .view = v, .field = f, .ordinals = &v->fields[f->index], .limit = limit };
	t->heap = ARENA_ARRAY(a, limit + 1, struct candidate);
}

static bool
is_worse(const struct top *t, struct candidate a, struct candidate b)
{
	if (a.count != b.count)
		return a.count < b.count;
	return ordinals_cmp(t->view, t->field, t->ordinals, a.id, b.id) > 0;
}

static void
sink_candidate(struct top *t, size_t i, size_t n)
{
	struct candidate c = t->heap[i];

	for (size_t kid; (kid = 2 * i + 1) < n; i = kid) {
		if (kid + 1 < n && is_worse(t, t->heap[kid + 1], t->heap[kid]))
			kid++;
		if (!is_worse(t, t->heap[kid], c))
			break;
		t->heap[i] = t->heap[kid];
	}
	t->heap[i] = c;
}

static void
push_candidate(struct top *t, struct candidate c)
{
	size_t i = t->n++;

	for (; i > 0 && is_worse(t, c, t->heap[(i - 1) / 2]); i = (i - 1) / 2)
		t->heap[i] = t->heap[(i - 1) / 2];
	t->heap[i] = c;
}

static bool
is_bucketable(const struct top *t, uint32_t id)
{
	uint32_t local;
	const struct terms *terms = ordinals_term(t->view, t->field, t->ordinals, id, &local);

	return terms_bucketable(terms, local);
}

/* Returns true when the candidate is as frequent as the worst one in the heap and loses by its
   value. */
static bool
offer_candidate(struct top *t, struct candidate c)
{
	if (t->n == t->limit && c.count < t->heap[0].count)
		return false;
	if (t->n == t->limit && !is_worse(t, t->heap[0], c))
		return true;
	if (!is_bucketable(t, c.id))
		return false;
	if (t->n < t->limit) {
		push_candidate(t, c);
		return false;
	}
	t->heap[0] = c;
	sink_candidate(t, 0, t->n);
	return false;
}

void
top_offer(struct top *t, uint32_t id, uint32_t count)
{
	t->seen += count > 0;
	if (count > 0)
		(void)!offer_candidate(t, (struct candidate){ id, count });
}

/* Offers the terms of one segment. Most counts are zero or too small; those are skipped eight at a
   time. When terms have the order of buckets (ordered) and one of them loses a tie, all later terms
   with the same count lose it, too, and are skipped: among a million hashes that occur once each, a
   few hundred are compared. */
static void
offer_segment(struct top *t, const uint32_t *counts, uint32_t from, uint32_t to, bool ordered)
{
	uint32_t lost = 0;

	for (uint32_t i = from; (i = skip_zeros(counts, i, to)) < to;) {
		uint32_t end = to - i >= 8 ? i + 8 : to, nonzero = 0, large = 0;
		uint32_t bar = t->n < t->limit           ? 1
			       : t->heap[0].count > lost ? t->heap[0].count
							 : lost + 1;

		for (uint32_t k = i; k < end; k++) {
			nonzero += counts[k] != 0;
			large += counts[k] >= bar;
		}
		t->seen += nonzero;
		for (; large > 0 && i < end; i++)
			if (counts[i] > lost &&
			    offer_candidate(t, (struct candidate){ i, counts[i] }) && ordered)
				lost = counts[i];
		i = end;
	}
}

void
top_offer_all(struct top *t, const uint32_t *counts)
{
	const struct view *v = t->view;

	for (size_t i = 0; i < v->nsegments; i++)
		offer_segment(t, counts, t->ordinals->start[i], t->ordinals->start[i + 1],
		    segment_terms(v->segments[i].seg, t->field, PART_VALUES)->rank == NULL);
}

void
top_end(struct top *t)
{
	for (size_t n = t->n; n > 1; n--) {
		struct candidate last = t->heap[n - 1];

		t->heap[n - 1] = t->heap[0];
		t->heap[0] = last;
		sink_candidate(t, 0, n - 1);
	}
}
