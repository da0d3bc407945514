/* SPDX-License-Identifier: ISC */
/* Postings: the sorted documents of one term, written by the builder and read by queries and
   merges. format.h describes the bytes. */
#ifndef SEARCH_INDEX_FORMAT_POSTINGS_H
#define SEARCH_INDEX_FORMAT_POSTINGS_H

#include "search/index/format/terms.h"

struct posting {
	enum { POSTING_NONE, POSTING_ONE, POSTING_LIST, POSTING_GAPS, POSTING_BLOCKS } form;
	uint32_t n;
	uint32_t limit; /* documents from here on are dropped; BLOCKS: the same in blocks */
	uint32_t one;   /* ONE: its document; BLOCKS: the number of blocks */
	const uint32_t *list;
	const struct posting_block *blocks;
	const unsigned char *start;
	uint64_t room;
};

struct documents {
	const uint32_t *p;
	uint32_t n;
};

/* Appends a posting of sorted documents to b, which begins at a multiple of 8 bytes. above: for
   more than POSTING_DERIVED nested documents, the value of SECTION_PLACE for their documents; NULL
   for others. Returns where the posting begins. */
size_t posting_write(struct buf *b, struct documents own, const uint32_t *above);
/* Returns false when the posting of documents is not stored and must be derived from that of nested
   documents, which are POSTING_DERIVED at most. */
bool posting_open(
    const struct terms *t, enum level l, uint32_t id, uint32_t limit, struct posting *out);
/* How many documents of the posting are in the bitmap. */
uint32_t posting_count(const struct posting *p, const uint64_t *words);
/* Starts to read a long posting from the disk. */
void posting_ahead(const struct posting *p);
void posting_or(const struct posting *p, uint64_t *words);
uint32_t posting_list(const struct posting *p, uint32_t *out); /* out has room for p->n */

#endif
