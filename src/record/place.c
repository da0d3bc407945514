/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "record/place.h"

static void
print_place(struct buf *b, const struct place *at)
{
	if (at->up != NULL) {
		print_place(b, at->up);
		buf_char(b, '.');
	}
	buf_str(b, at->name);
	if (at->item != PLACE_NO_ITEM)
		buf_printf(b, "[%zu]", at->item);
}

bool
place_fault(struct arena *a, const struct place *at, const char *why, struct str *what)
{
	struct buf b = { .a = a };

	if (at != NULL) {
		print_place(&b, at);
		buf_z(&b, ": ");
	}
	buf_z(&b, why);
	*what = buf_done(&b);
	return false;
}
