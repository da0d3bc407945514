/* SPDX-License-Identifier: ISC */
/* Guesses the known name that a mistaken one was probably meant to be, for the hints in error
   messages. */
#ifndef BASE_GUESS_H
#define BASE_GUESS_H

#include "base/str.h"

enum { GUESS_MAX = 128 }; /* bytes of a name; there are no guesses for longer ones */

struct guess {
	const char *found; /* the nearest name so far; NULL: none is near */
	unsigned distance; /* distance of found, in edits */
	struct str name;   /* the mistaken name in lower case */
	char room[GUESS_MAX];
};

void guess_begin(struct guess *g, struct str name);
/* Compares the mistaken name with text, which is the known name or a part of it, and remembers
   known if text is nearer than every earlier one. */
void guess_try(struct guess *g, struct str text, const char *known);

#endif
