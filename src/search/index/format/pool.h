/* SPDX-License-Identifier: ISC */
/* Memory that one worker keeps between requests: bitmaps, counters and lists of terms. Fresh pages
   from the kernel cost more than clearing old ones. */
#ifndef SEARCH_INDEX_FORMAT_POOL_H
#define SEARCH_INDEX_FORMAT_POOL_H

#include "base/base.h"

struct words_pool;

struct words_pool *pool_new(void);
void pool_free(struct words_pool *p);
void pool_fit(struct words_pool *p, size_t nwords); /* every bitmap has at least nwords */
uint64_t *pool_get(struct words_pool *p);           /* not cleared */
void pool_put(struct words_pool *p, uint64_t *words);
void pool_reset(struct words_pool *p); /* takes back everything that was lent */
/* n zeros, in an array of at least `room` numbers whose others may have any content; valid until
   the reset. They come from the arena until the pool has learned at a reset how many counters a
   request needs. */
uint32_t *pool_counters(struct words_pool *p, struct arena *a, size_t n, size_t room);
/* The counters that are lent: of all, and those that are not in an arena. */
struct pool_mark {
	size_t all, here;
};
struct pool_mark pool_mark(const struct words_pool *p);
/* Takes back the counters that were lent since the mark. */
void pool_release(struct words_pool *p, struct pool_mark mark);

struct scratch { /* a growing list of terms */
	uint32_t *p;
	size_t n, room;
};

void scratch_add(struct scratch *s, uint32_t v);
void scratch_fit(struct scratch *s, size_t room);

#endif
