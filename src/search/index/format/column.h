/* SPDX-License-Identifier: ISC */
/* Reads the columns of a slot: the terms of each document (write_column in write/build_slot.c draws one). Numbers that the
   dictionary does not have, which only damage causes, are counted in the last counter. */
#ifndef SEARCH_INDEX_FORMAT_COLUMN_H
#define SEARCH_INDEX_FORMAT_COLUMN_H

#include "search/index/format/terms.h"

enum { COLUMN_SPLITS = 4, COLUMN_AHEAD = 32 };

/* The number of counters of a field: one a term, and one for each place without a value. */
size_t column_counters(const struct terms *t);
/* Counts the terms of n documents that have places in the column. Neighbouring documents use different counters, c[0] to
   c[COLUMN_SPLITS - 1], which may be the same array. docs has COLUMN_AHEAD more readable entries. */
void column_count(
    const struct terms *t, const uint32_t *docs, size_t n, uint32_t *const c[COLUMN_SPLITS]);
/* The i-th number of the column: place i % k of document i / k. */
uint32_t column_id(const struct column *c, size_t i);

/* Documents with more terms than places. Returns the number of the document among them, or c->nmore. */
uint32_t column_more(const struct column *c, uint32_t doc);
/* The numbers of the i-th such document without a place: *from to *to - 1, for column_more_id. */
void column_more_range(const struct column *c, uint32_t i, uint64_t *from, uint64_t *to);
uint32_t column_more_id(const struct column *c, uint64_t i);
/* Counts the terms of the i-th such document that have no place. */
void column_count_more(const struct terms *t, uint32_t i, uint32_t *counts);

#endif
