/* SPDX-License-Identifier: ISC */
/* Prints the place of a faulty member for messages, "services[2].tls.certificate.names[0]". The
   places form a list from the member up to the record, on the stack of the functions that walk the
   tree:

     read_object("names")  --up-->  "certificate"  --up-->  "tls"  --up-->  "services"[2]  --up-->  NULL

   So a walk without a fault needs only a few words of stack, and a path is printed only for a
   fault. */
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
