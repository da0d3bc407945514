/* SPDX-License-Identifier: ISC */
/* Where positions of a text lie in the text from which it was made.
 *
 * The scan reads the clean text, which is longer or shorter than the given one wherever clean.c has
 * replaced a spelling. A shift is a position from which on the two differ by another number of
 * bytes:
 *
 *     given    hxxps://evil[.]com      the shift { .at = 13, .origin = 15 } behind the dot
 *     clean    https://evil.com
 *
 * Between two shifts both go on in step, so a text of plain spellings has no shift. */
#ifndef EXTRACT_SHIFT_PRIV_H
#define EXTRACT_SHIFT_PRIV_H

#include "base/base.h"

struct shift {
	size_t at, origin;
};

struct shifts {
	struct arena *a; /* NULL: none are wanted */
	struct shift *p; /* in the order of .at */
	size_t n;
};

/* Notes that position `at` lies at `origin`; a no-op where the shifts before say so. */
void shift_add(struct shifts *s, size_t at, size_t origin);
size_t shift_origin(const struct shifts *s, size_t at);

#endif
