/* SPDX-License-Identifier: ISC */
/* Random records of every dataset, the same ones after the same seed. */
#ifndef T_UNIT_RANDOM_RECORD_H
#define T_UNIT_RANDOM_RECORD_H

#include "record/record_priv.h"

extern uint64_t random_seed; /* never 0 */

unsigned random_pick(unsigned n); /* below n */
/* A finished record with the key of this number. timed: with the times at which it was seen. */
struct record random_record(struct arena *a, enum dataset d, bool timed, unsigned n);

#endif
