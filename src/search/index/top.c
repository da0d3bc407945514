/* SPDX-License-Identifier: ISC */
/* The first buckets of a group: count descending, value ascending (C-049), from all candidates. */
#include "config.h"

#include "search/index/index_priv.h"

void
top_begin(struct top *t, struct arena *a, const struct view *v,
    const struct schema_field *f, size_t limit)
{
	*t = (struct top){
		.view = v, .field = f, .ordinals = &v->fields[f->index], .limit = limit
	};
	t->heap = ARENA_ARRAY(a, limit + 1, struct candidate);
}

static bool
worse(const struct top *t, struct candidate a, struct candidate b)
{
	if (a.count != b.count)
		return a.count < b.count;
	return ordinals_cmp(t->view, t->field, t->ordinals, a.id, b.id) > 0;
}

static void
sink(struct top *t, size_t i, size_t n)
{
	struct candidate c = t->heap[i];

	for (size_t kid; (kid = 2 * i + 1) < n; i = kid) {
		if (kid + 1 < n && worse(t, t->heap[kid + 1], t->heap[kid]))
			kid++;
		if (!worse(t, t->heap[kid], c))
			break;
		t->heap[i] = t->heap[kid];
	}
	t->heap[i] = c;
}

static void
insert(struct top *t, struct candidate c)
{
	size_t i = t->n++;

	for (; i > 0 && worse(t, c, t->heap[(i - 1) / 2]); i = (i - 1) / 2)
		t->heap[i] = t->heap[(i - 1) / 2];
	t->heap[i] = c;
}

static bool
bucketable(const struct top *t, uint32_t id)
{
	uint32_t local;
	const struct terms *terms =
	    ordinals_term(t->view, t->field, t->ordinals, id, &local);

	return terms_bucketable(terms, local);
}

void
top_offer(struct top *t, uint32_t id, uint32_t count)
{
	struct candidate c = { id, count };

	if (count == 0)
		return;
	t->seen++;
	if (t->n == t->limit && (count < t->heap[0].count || !worse(t, t->heap[0], c)))
		return;
	if (!bucketable(t, id))
		return;
	if (t->n < t->limit) {
		insert(t, c);
		return;
	}
	t->heap[0] = c;
	sink(t, 0, t->n);
}

/* Most counts are zero or too small: those are skipped eight at a time. Terms of the base come in
   the order of buckets, so that among equals the first to come stays. */
void
top_offer_all(struct top *t, const uint32_t *counts, uint32_t n)
{
	for (uint32_t i = 0; i < n;) {
		if (n - i >= 8) {
			uint32_t nonzero = 0, large = 0,
				 bar = t->n == t->limit ? t->heap[0].count : 0;

			for (uint32_t k = 0; k < 8; k++) {
				nonzero += counts[i + k] != 0;
				large += counts[i + k] >= bar;
			}
			if (nonzero == 0 || (bar > 0 && large == 0)) {
				t->seen += nonzero;
				i += 8;
				continue;
			}
		}
		for (uint32_t end = n - i >= 8 ? i + 8 : n; i < end; i++)
			top_offer(t, i, counts[i]);
	}
}

void
top_end(struct top *t)
{
	for (size_t n = t->n; n > 1; n--) {
		struct candidate last = t->heap[n - 1];

		t->heap[n - 1] = t->heap[0];
		t->heap[0] = last;
		sink(t, 0, n - 1);
	}
}
