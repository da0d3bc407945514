/* SPDX-License-Identifier: ISC */
/* Postings: the sorted documents of one term, written by the builder and read by queries and
   merges. format.h describes the bytes. */
#ifndef SEARCH_INDEX_FORMAT_POSTINGS_H
#define SEARCH_INDEX_FORMAT_POSTINGS_H

#include "search/index/format/terms.h"

struct posting {
	enum { POSTING_NONE, POSTING_LIST, POSTING_BLOCKS } form;
	uint32_t n;
	uint32_t limit; /* LIST: documents from here on are dropped; BLOCKS: the same in blocks */
	uint32_t one;   /* LIST without list: its only document; BLOCKS: the number of blocks */
	const uint32_t *list;
	const struct posting_block *blocks;
	const unsigned char *start;
	uint64_t room;
};

/* Appends the posting of sorted documents to b. Returns the value for SECTION_AT. */
uint64_t posting_write(struct buf *b, const uint32_t *docs, uint32_t n);
/* Returns false when the posting of this level is not stored and must be derived from the nested
   level. */
bool posting_open(
    const struct terms *t, enum level l, uint32_t id, uint32_t limit, struct posting *out);
/* How many documents of the posting are in the bitmap. */
uint32_t posting_count(const struct posting *p, const uint64_t *words);
void posting_or(const struct posting *p, uint64_t *words);
uint32_t posting_list(const struct posting *p, uint32_t *out); /* out has room for p->n */

#endif
