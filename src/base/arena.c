/* SPDX-License-Identifier: ISC */
/* Request memory: everything that a request needs is allocated here and freed by one reset, so
 * no code path of a handler has to free anything.
 *
 *   blocks   newest -> older -> oldest       only the newest block is asked for room
 *
 * A reset keeps one block, so that a worker whose requests are small never calls malloc again
 * after the first one; blocks above KEEP_MAX are freed, so that a single large request does not
 * enlarge the worker for good. Memory is cleared when it is lent. The cap ends a process that
 * would eat the machine. With ARENA_EMULATE each allocation has a block of its own, and the
 * sanitizers detect every overrun. */
#include "config.h"

#include "base/base.h"

#include <stdlib.h>

enum { BLOCK_MIN = 64 * 1024, KEEP_MAX = 1024 * 1024, ALIGN = 16 };

struct block {
	struct block *next;
	size_t room, used;
	_Alignas(ALIGN) unsigned char bytes[];
};

struct deferred {
	struct deferred *next;
	void (*fn)(void *);
	void *arg;
};

struct arena {
	struct block *blocks; /* newest first */
	struct deferred *deferred;
	size_t taken, cap;
};

static struct block *
new_block(size_t room)
{
	struct block *b = malloc(sizeof(*b) + room);

	if (b == NULL)
		panic("out of memory: %zu bytes", room);
	b->next = NULL;
	b->room = room;
	b->used = 0;
	return b;
}

struct arena *
arena_new(size_t cap)
{
	struct arena *a = mem_zero(sizeof(*a));

	a->cap = cap;
	return a;
}

static struct block *
find_or_add_block(struct arena *a, size_t n)
{
	struct block *b = a->blocks;

#ifdef ARENA_EMULATE
	size_t room = n;
	bool fits = false;
#else
	size_t room = n > BLOCK_MIN ? n : BLOCK_MIN;
	bool fits = b != NULL && b->room - b->used >= n;
#endif
	if (fits)
		return b;
	b = new_block(room);
	b->next = a->blocks;
	a->blocks = b;
	return b;
}

void *
arena_alloc(struct arena *a, size_t n)
{
	struct block *b;
	void *p;

	if (n > a->cap - a->taken)
		panic("a request needs more than the %zu bytes of its arena", a->cap);
	n = (n + ALIGN - 1) / ALIGN * ALIGN;
	a->taken = a->taken + n > a->cap ? a->cap : a->taken + n;
	b = find_or_add_block(a, n);
	p = b->bytes + b->used;
	b->used += n;
	return memset(p, 0, n);
}

void *
arena_array(struct arena *a, size_t count, size_t size)
{
	size_t n;

	if (__builtin_mul_overflow(count, size, &n))
		panic("the size of an array overflows: %zu times %zu bytes", count, size);
	return arena_alloc(a, n);
}

struct str
arena_str(struct arena *a, struct str s)
{
	char *p = arena_alloc(a, s.n + 1);

	if (s.n > 0)
		memcpy(p, s.p, s.n);
	return (struct str){ p, s.n };
}

struct str
arena_lower(struct arena *a, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] >= 'A' && s.p[i] <= 'Z')
			return str_lower_ascii(arena_alloc(a, s.n + 1), s);
	return s;
}

struct str
arena_upper(struct arena *a, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] >= 'a' && s.p[i] <= 'z')
			return str_upper_ascii(arena_alloc(a, s.n + 1), s);
	return s;
}

/* The capacity is not stored, because it follows from n: it is four, and doubles each time n
   reaches it. So the array is full when n is 0, or a power of two from 4 on. */
void *
arena_room(struct arena *a, void *p, size_t n, size_t size)
{
	void *larger;

	if (p != NULL && (n < 4 || (n & (n - 1)) != 0))
		return p;
	larger = arena_array(a, n < 4 ? 4 : 2 * n, size);
	if (n > 0)
		memcpy(larger, p, n * size);
	return larger;
}

struct str
arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *p;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		panic("vsnprintf failed");
	p = arena_alloc(a, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return (struct str){ p, (size_t)n };
}

void
arena_add_once(struct arena *a, struct strs *list, struct str text, size_t most)
{
	struct str *p;

	for (size_t i = 0; i < list->n; i++)
		if (str_eq(list->p[i], text))
			return;
	if (list->n == most)
		return;
	p = arena_room(a, (void *)(uintptr_t)list->p, list->n, sizeof(*p));
	p[list->n++] = text;
	list->p = p;
}

void
arena_defer(struct arena *a, void (*fn)(void *), void *arg)
{
	struct deferred *d = ARENA_NEW(a, struct deferred);

	d->fn = fn;
	d->arg = arg;
	d->next = a->deferred;
	a->deferred = d;
}

void
arena_reset(struct arena *a)
{
	struct block *b, *next, *keep = NULL;

	for (struct deferred *d = a->deferred; d != NULL; d = d->next)
		d->fn(d->arg);
	a->deferred = NULL;
	for (b = a->blocks; b != NULL; b = next) {
		next = b->next;
#ifndef ARENA_EMULATE
		if (keep == NULL && b->room <= KEEP_MAX) {
			keep = b;
			continue;
		}
#endif
		free(b);
	}
	if (keep != NULL) {
		keep->next = NULL;
		keep->used = 0;
	}
	a->blocks = keep;
	a->taken = 0;
}

void
arena_free(struct arena *a)
{
	if (a == NULL)
		return;
	arena_reset(a);
	free(a->blocks);
	free(a);
}
