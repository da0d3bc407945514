/* SPDX-License-Identifier: ISC */
/* Reads the columns of a slot: the terms of each document (write_column in write/build_column.c
   draws both forms). */
#ifndef SEARCH_INDEX_FORMAT_COLUMN_H
#define SEARCH_INDEX_FORMAT_COLUMN_H

#include "search/index/format/terms.h"

enum { COLUMN_SPLITS = 4, COLUMN_AHEAD = 32 };

/* Returns the counter of a term. For a term that the dictionary does not have, this is the counter
   after the last term. */
static inline uint32_t
column_place(const struct terms *t, uint32_t id)
{
	return id < t->n ? id : t->n;
}

/* The number of counters of a field: one for each term, and one for each place without a value. */
size_t column_counters(const struct terms *t);
/* The number of counters that column_count may write. It is larger, because damaged numbers are
   counted, too. Counters after column_counters() need not be cleared. */
size_t column_room(const struct terms *t);
/* Counts the terms that n documents have in the column, the terms of n places of a column of rows,
   or the terms of n combinations. Successive documents use different counters, c[0] to
   c[COLUMN_SPLITS - 1], which may be the same array. docs has COLUMN_AHEAD more readable
   entries. */
void column_count(
    const struct terms *t, const uint32_t *docs, size_t n, uint32_t *const c[COLUMN_SPLITS]);

/* Whether so few documents are counted that each of them is looked up, without counters of
   combinations. */
static inline bool
combinations_direct(const struct combinations *c, uint32_t documents)
{
	return documents < c->n / 4;
}

/* The number of counters that combinations_count may write; the first n of them are counts. */
size_t combinations_room(const struct combinations *c);
/* Counts the combinations that n documents have, like column_count. */
void combinations_count(const struct combinations *c, const uint32_t *docs, size_t n,
    uint32_t *const counts[COLUMN_SPLITS]);
/* Adds the count of each combination to those of its terms. */
void combinations_spread(const struct terms *t, const uint32_t *from, uint32_t *counts);
/* The combinations of n documents, for column_count. */
void combinations_of(const struct combinations *c, const uint32_t *docs, size_t n, uint32_t *out);

/* The places of documents in columns of rows, which are the same in all these columns. Counting a
   list of places needs no loop for each document, whose end the processor would mispredict. docs
   has COLUMN_AHEAD more readable entries. */
struct places {
	const uint32_t *first; /* of the column */
	uint32_t nplaces;
	const uint32_t *docs;
	size_t n, i;   /* number of documents, and of those whose places were all returned */
	uint32_t done; /* places of docs[i] that were returned */
};

enum { PLACES_ROOM = 4096 };
/* Returns the number of places in out, 0 at the end. COLUMN_AHEAD zeros follow them. */
size_t places_next(struct places *w, uint32_t out[PLACES_ROOM]);

/* The first of the n places of a document, for column_id. */
uint64_t column_row(const struct column *c, uint32_t doc, uint32_t *n);
uint32_t column_id(const struct column *c, uint64_t i);

/* Counts the terms that have no place in the column, for the documents of a bitmap or of a
   range. */
void column_count_more(const struct terms *t, const uint64_t *words, uint32_t *counts);
void column_count_more_range(const struct terms *t, uint32_t lo, uint32_t hi, uint32_t *counts);
/* Finds the terms of a document that have no place: entries *from to *to - 1 for column_more_id.
   Returns false when all terms have one. */
bool column_more(const struct column *c, uint32_t doc, uint64_t *from, uint64_t *to);
uint32_t column_more_id(const struct column *c, uint64_t i);
/* Fills `words` and `rank` from the documents that have terms without a place. */
void column_rank(const uint32_t *docs, uint32_t n, uint32_t ndocs, uint64_t *words, uint32_t *rank);
size_t column_words(uint32_t ndocs); /* the number of words of both */

#endif
