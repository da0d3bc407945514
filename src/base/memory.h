/* SPDX-License-Identifier: ISC */
/* Memory. mem_* is for objects of the process: freed with free(). An arena is for objects of a
   request: zeroed, and freed all at once. Neither returns NULL; see base.h. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include "base/str.h"

void *mem_alloc(size_t n) NEVER_NULL;
void *mem_zero(size_t n) NEVER_NULL;
/* Zeroed, with room for count + 1 elements. */
void *mem_array(size_t count, size_t size) NEVER_NULL;
void *mem_grow(void *p, size_t n) NEVER_NULL;
char *mem_text(const char *z) NEVER_NULL; /* a copy */

/* ---- arenas ---- */

struct arena;

/* cap is the number of bytes that one request may use; more is a panic, since inputs are limited
   first. */
struct arena *arena_new(size_t cap);
void *arena_alloc(struct arena *a, size_t n) NEVER_NULL;
/* Panics on overflow. */
void *arena_array(struct arena *a, size_t count, size_t size) NEVER_NULL;
struct str arena_str(struct arena *a, struct str s); /* a copy, with a NUL after its n bytes */
/* The text in ASCII lower or upper case: a copy, or s itself when nothing changes. */
struct str arena_lower(struct arena *a, struct str s);
struct str arena_upper(struct arena *a, struct str s);
struct str arena_printf(struct arena *a, const char *fmt, ...) PRINTF(2, 3);
/* Returns an array with the n elements of p and room for one more: p itself, or a copy with twice
   the room. p is NULL or the result of an earlier call. */
void *arena_room(struct arena *a, void *p, size_t n, size_t size);
/* Adds text to a list that has no text twice, unless the list has `most` already. */
void arena_add_once(struct arena *a, struct strs *list, struct str text, size_t most);
/* Calls fn(arg) at the next reset; the last function registered is called first. */
void arena_defer(struct arena *a, void (*fn)(void *), void *arg);
void arena_reset(struct arena *a);
void arena_free(struct arena *a);

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, count, type) ((type *)arena_array((a), (count), sizeof(type)))

#endif
