/* SPDX-License-Identifier: ISC */
/* Random records of any dataset in the index of a world, and in its documents. */
#ifndef T_UNIT_RECORD_WORLD_H
#define T_UNIT_RECORD_WORLD_H

#include "t/unit/index_world.h"

enum { KEYS = 300 };

/* Makes the records with each `step`-th number, not in the order of their keys, and returns how many. */
size_t make_records(struct world *w, unsigned step, struct naive_doc fresh[KEYS]);
/* Writes a segment of records. */
struct index_segment write_records(struct world *w, const struct naive_doc *fresh, size_t n);
int by_key(const void *a, const void *b);
/* A segment of the records with each `step`-th number, published. */
void add_records(struct world *w, unsigned step);
/* Removes each `step`-th document. */
void remove_records(struct world *w, unsigned step);
/* Merges the three segments that there are. */
void merge_all(struct world *w);
/* Compares the answers to queries of the view of hosts. */
void compare_services(struct world *w, unsigned queries);

#endif
