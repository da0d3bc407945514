/* SPDX-License-Identifier: ISC */
/* A hash table of names with open addressing, at most half full, that can be cleared as a whole.

     slots   | - | "192.0.2.1" 2 | - | "web" 1 | "ssh" 1 | - | ...      room is a power of two
                                      ^ hash("ssh") fell on "web", so the next free slot has it

   The table never grows: its owner creates it for the largest number of names, and empties it when
   it is full. Single names are never removed, so a search may end at the first unused slot. The
   names are copied into an arena. */
#include "config.h"

#include "cli/import/import.h"
#include "cli/import/names.h"

struct name {
	struct str s; /* p NULL: an unused slot */
	uint32_t value;
};

struct names {
	struct arena *arena;
	struct name *slots;
	size_t room, n;
	uint64_t seed;
};

struct names *
names_new(size_t most)
{
	struct names *t = mem_zero(sizeof(*t));

	for (t->room = 64; t->room < 2 * most; t->room *= 2)
		continue;
	t->slots = mem_array(t->room, sizeof(t->slots[0]));
	t->arena = arena_new(SIZE_MAX / 2);
	random_bytes(&t->seed, sizeof(t->seed));
	return t;
}

void
names_free(struct names *t)
{
	arena_free(t->arena);
	free(t->slots);
	free(t);
}

void
names_clear(struct names *t)
{
	memset(t->slots, 0, t->room * sizeof(t->slots[0]));
	t->n = 0;
	arena_reset(t->arena);
}

bool
names_full(const struct names *t)
{
	return t->n >= t->room / 2;
}

/* The hash has a random seed, so that no file can be written whose names collide. */
static uint64_t
hash(const struct names *t, struct str s)
{
	uint64_t h = t->seed;

	for (size_t i = 0; i < s.n; i++) {
		h = (h ^ (unsigned char)s.p[i]) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
	}
	return h;
}

uint32_t *
names_at(struct names *t, struct str s)
{
	size_t at = hash(t, s) & (t->room - 1);

	for (; t->slots[at].s.p != NULL; at = (at + 1) & (t->room - 1))
		if (str_eq(t->slots[at].s, s))
			return &t->slots[at].value;
	if (names_full(t))
		panic("more names than the table was made for");
	t->slots[at] = (struct name){ arena_str(t->arena, s), 0 };
	t->n++;
	return &t->slots[at].value;
}
