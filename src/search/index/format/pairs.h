/* SPDX-License-Identifier: ISC */
/* Pair totals of a segment: for each of its frequent terms, how often each term of the facet fields
 * occurs among the documents of the frequent term.
 *
 *   frequent term        tags               country_code
 *   country_code:US      cdn 30, vpn 7      US 60
 *   tags:cdn             cdn 41, vpn 2      DE 11, US 30
 *
 * So the facets of such a query are read instead of counted, and for a query that differs from it
 * in few documents only these are counted (read/basis.h). A segment is immutable, so its pair
 * totals include documents that died later. Small segments have no pair totals.
 *
 * A row is a frequent term, a cell is a row's counts of one slot:
 *
 *   struct pair_cell                          n == PAIR_DENSE: a count for each term
 *   uint16_t terms[n]                         absent in a dense cell
 *   uint8_t counts[n]                         0: the count is among the large ones
 *   struct pair_large large[nlarge]           each part begins at a multiple of 8 bytes */
#ifndef SEARCH_INDEX_FORMAT_PAIRS_H
#define SEARCH_INDEX_FORMAT_PAIRS_H

#include "search/index/format/mapped.h"

#define PAIR_DENSE UINT32_MAX

enum { PAIR_TERMS_MAX = 65536 /* a slot of more terms is not counted: a term has 16 bits */ };

/* Sorted by slot and term. A slot is one of the file: its field's place times PARTS, plus the
   part. */
struct pair_term {
	uint32_t slot, term, row;
	uint32_t count; /* its documents */
};

struct pair_cell {
	uint32_t n, nlarge;
};

struct pair_large {
	uint32_t term, count;
};

struct pairs {
	const struct pair_term *terms;
	const uint32_t *slots; /* those that are counted */
	const uint64_t *at;    /* [row * nslots + slot]: its cell; one more for the end */
	const unsigned char *bytes;
	uint64_t nterms, nslots, nbytes;
};

/* Finds the sections in a mapped segment. Returns false when their sizes do not fit; without the
   sections there are no pairs, which is no failure. */
bool pairs_open(const struct mapped *m, struct pairs *out) MUST_USE;
/* Returns the entry of a frequent term, or NULL when the term is not frequent. */
const struct pair_term *pairs_find(const struct pairs *p, uint32_t slot, uint32_t term);
/* Whether the rows have counts of the slot. */
bool pairs_have(const struct pairs *p, uint32_t slot);
/* The counts of all terms of a slot. */
struct pair_counts {
	uint32_t *counts, n;
};

/* Adds the counts of a cell, times 1 or -1. */
void pairs_add(const struct pairs *p, uint32_t row, uint32_t slot, int sign, struct pair_counts to);

/* Appends the cell of n counts. */
void pair_write(struct buf *b, const uint32_t *counts, uint32_t n);

#endif
