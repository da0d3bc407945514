/* SPDX-License-Identifier: ISC */
/* Records for tests: random ones of every dataset, the same after the same seed, and those of a text. */
#ifndef T_UNIT_RANDOM_RECORD_H
#define T_UNIT_RANDOM_RECORD_H

#include "record/record_priv.h"

extern uint64_t random_seed; /* never 0 */

unsigned random_pick(unsigned n); /* below n */
/* A finished record with the key of this number. timed: with the times at which it was seen. */
struct record random_record(struct arena *a, enum dataset d, bool timed, unsigned n);
/* The finished record of a document; the test ends when it is a bad one. */
struct record record_of_text(struct arena *to, enum dataset d, const char *text);

#endif
