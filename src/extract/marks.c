/* SPDX-License-Identifier: ISC */
/* Marks the occurrences of values in the bytes that the caller has given. */
#include "config.h"

#include "extract/extract_priv.h"

static bool
within_character(struct str text, size_t at)
{
	return at < text.n && ((unsigned char)text.p[at] & 0xc0) == 0x80;
}

void
mark_add(struct run *r, const struct find *f, size_t indicator)
{
	const struct clean *c = &r->text;
	struct str text = r->in->text;
	size_t after = r->nmarks > 0 ? r->marks[r->nmarks - 1].end : 0, start, end;

	if (!r->in->marks)
		return;
	start = shift_origin(&c->given, shift_origin(&c->refanged, f->at));
	end = shift_origin(&c->given, shift_origin(&c->refanged, f->end));
	while (start > 0 && within_character(text, start))
		start--;
	while (within_character(text, end))
		end++;
	if (start < after || end <= start || end > text.n)
		return;
	r->marks = arena_room(r->a, r->marks, r->nmarks, sizeof(*r->marks));
	r->marks[r->nmarks++] = (struct extract_mark){ start, end, indicator };
}
