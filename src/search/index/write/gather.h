/* SPDX-License-Identifier: ISC */
/* The values of one slot while a segment is built: terms by arrival, and the pairs of document and
   term in the order of documents. */
#ifndef SEARCH_INDEX_WRITE_GATHER_H
#define SEARCH_INDEX_WRITE_GATHER_H

#include "search/index/format/format.h"

struct gather {
	enum term_form form;
	uint32_t n, room;      /* terms */
	uint64_t *at;          /* the texts of a merge may be longer than their dictionary */
	uint32_t *hash, *last; /* last: the newest document of the term, plus 1 */
	int64_t *ints;
	char *bytes;
	size_t nbytes, bytes_room;
	uint32_t *table, mask; /* a hash table of terms; UINT32_MAX: a free place */
	unsigned char *stream; /* pairs: document difference and term, as varints */
	size_t nstream, stream_room;
	uint32_t newest; /* the document of the last pair */
	uint32_t npairs;
};

/* Adds a pair and returns its term, numbered by arrival. */
uint32_t gather_str(struct gather *g, uint32_t doc, struct str s);
uint32_t gather_int(struct gather *g, uint32_t doc, int64_t v);
/* Adds a term without documents, for a merge, whose terms arrive sorted. */
void gather_append_str(struct gather *g, struct str s);
void gather_append_int(struct gather *g, int64_t v);
void gather_free(struct gather *g);
struct str gather_term(const struct gather *g, uint32_t id);
size_t gather_memory(const struct gather *g);

struct gather_walk {
	const unsigned char *p, *end;
	uint32_t doc;
};

/* Returns the next pair. The walk begins with doc 0. */
bool gather_next(struct gather_walk *w, uint32_t *doc, uint32_t *term);

/* Makes room for `want` items of an array that grows by half of its size. */
void *grow_array(void *p, size_t *room, size_t want, size_t size);

#endif
