/* SPDX-License-Identifier: ISC */
/* Lists of documents as the distances between them, for postings. */
#ifndef SEARCH_INDEX_FORMAT_GAPS_H
#define SEARCH_INDEX_FORMAT_GAPS_H

#include "base/base.h"

enum { GAPS_PACKED = 32 };

/* Appends n ascending documents, none of which is below base. */
void gaps_write(struct buf *b, const uint32_t *docs, uint32_t n, uint32_t base);

/* A reader: `left` documents that follow `doc`. It ends at a document that is not below the limit,
   which only damage causes. */
struct gaps {
	const unsigned char *p, *end;
	uint32_t left, doc, limit;
};

/* Reads up to `room` documents; 0: there are no more. The room is at least GAPS_PACKED, or the
   number of documents. */
uint32_t gaps_next(struct gaps *g, uint32_t *out, uint32_t room);

/* A number of 7 bits a byte. */
void gaps_put_number(struct buf *b, uint64_t v);
uint64_t gaps_get_number(const unsigned char **p, const unsigned char *end);

#endif
