/* SPDX-License-Identifier: ISC */
/* A set of documents of one level of one segment, in one of three forms:
 *
 *   SET_RANGE   documents lo..hi-1: every document, no document, a network
 *   SET_LIST    sorted documents, in the arena of the request
 *   SET_WORDS   a bitmap from the pool; bits at and above `limit` are 0
 *
 * The operations consume their arguments: they reuse or release the buffers, so that even a long
 * query needs few bitmaps. The order of the forms matters: set_and and set_or swap their arguments
 * so that the first one has the lower form. */
#ifndef SEARCH_INDEX_FORMAT_SET_H
#define SEARCH_INDEX_FORMAT_SET_H

#include "search/index/format/pool.h"

enum { SET_LIST_MAX = 4096 };

struct set {
	enum set_form { SET_RANGE, SET_LIST, SET_WORDS } form;
	uint32_t lo, hi; /* RANGE: [lo, hi) */
	uint32_t *list, n;
	uint64_t *words;
};

struct set_space {
	struct arena *arena;
	struct words_pool *pool;
	uint32_t limit; /* the number of documents of the level */
	size_t nwords;
};

struct set set_none(void);
struct set set_all(const struct set_space *sp);
bool set_is_empty(const struct set *s);
struct set set_and(const struct set_space *sp, struct set a, struct set b);
struct set set_or(const struct set_space *sp, struct set a, struct set b);
struct set set_andnot(const struct set_space *sp, struct set a, struct set b);
struct set set_not(const struct set_space *sp, struct set a);
/* A bitmap of the set, from the pool. The set stays valid. */
uint64_t *set_as_words(const struct set_space *sp, const struct set *s);
uint32_t set_count(const struct set_space *sp, const struct set *a);
bool set_has(const struct set *a, uint32_t doc);

/* Visits the members in ascending order, a batch at a time. */
struct set_walk {
	const struct set *set;
	uint32_t next; /* a place in the list, a document, or a word */
	uint64_t word;
	size_t nwords;
};

void set_walk_begin(
    struct set_walk *w, const struct set_space *sp, const struct set *s, uint32_t from);
/* Returns the number of documents written to docs, 0 at the end. room must be at least 64. */
size_t set_walk_next(struct set_walk *w, uint32_t *docs, size_t room);

#endif
