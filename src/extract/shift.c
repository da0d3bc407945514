/* SPDX-License-Identifier: ISC */
/* Positions of a text in the text from which it was made (shift_priv.h). */
#include "config.h"

#include "extract/shift_priv.h"

void
shift_add(struct shifts *s, size_t at, size_t origin)
{
	struct shift *last = s->n > 0 ? &s->p[s->n - 1] : NULL;
	size_t same = last == NULL ? at : last->origin + (at - last->at);

	if (s->a == NULL || same == origin)
		return;
	/* a letter that was taken back to compose has its position already */
	if (last != NULL && at <= last->at) {
		if (at == last->at)
			last->origin = origin;
		return;
	}
	s->p = arena_room(s->a, s->p, s->n, sizeof(*s->p));
	s->p[s->n++] = (struct shift){ at, origin };
}

size_t
shift_origin(const struct shifts *s, size_t at)
{
	size_t from = 0, to = s->n, origin;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (s->p[middle].at <= at)
			from = middle + 1;
		else
			to = middle;
	}
	origin = from == 0 ? at : s->p[from - 1].origin + (at - s->p[from - 1].at);
	return from < s->n && origin > s->p[from].origin ? s->p[from].origin : origin;
}
