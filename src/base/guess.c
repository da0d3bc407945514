/* SPDX-License-Identifier: ISC */
/* Guesses which known name a mistaken one was meant to be, for the hints in error messages. The
   work is bounded by GUESS_MAX, because the mistaken name comes from a client. */
#include "config.h"

#include "base/base.h"

/* Returns the number of edits (insert, delete, replace, swap of neighbours) that turn a into b. */
static unsigned
edit_distance(struct str a, struct str b)
{
	unsigned rows[3][GUESS_MAX + 1];
	unsigned *before = rows[0], *last = rows[1], *now = rows[2], *spare;

	for (size_t k = 0; k <= b.n; k++)
		last[k] = (unsigned)k;
	for (size_t i = 1; i <= a.n; i++) {
		now[0] = (unsigned)i;
		for (size_t k = 1; k <= b.n; k++) {
			unsigned d = last[k - 1] + (a.p[i - 1] != b.p[k - 1]);

			d = last[k] + 1 < d ? last[k] + 1 : d;
			d = now[k - 1] + 1 < d ? now[k - 1] + 1 : d;
			if (i > 1 && k > 1 && a.p[i - 1] == b.p[k - 2] &&
			    a.p[i - 2] == b.p[k - 1] && before[k - 2] + 1 < d)
				d = before[k - 2] + 1;
			now[k] = d;
		}
		spare = before;
		before = last;
		last = now;
		now = spare;
	}
	return last[b.n];
}

void
guess_begin(struct guess *g, struct str name)
{
	/* A name at this distance is not near any more; short names allow fewer edits. */
	*g = (struct guess){ .distance = name.n < 4 ? 2 : name.n < 9 ? 3 : 4 };
	if (name.n >= 2 && name.n <= GUESS_MAX)
		g->name = str_lower_ascii(g->room, name);
}

void
guess_try(struct guess *g, struct str text, const char *known)
{
	unsigned distance;

	if (g->name.n == 0 || text.n > GUESS_MAX)
		return;
	distance = edit_distance(g->name, text);
	if (distance >= g->distance)
		return;
	g->distance = distance;
	g->found = known;
}
