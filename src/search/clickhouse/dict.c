/* SPDX-License-Identifier: ISC */
/* A hash table of (field, value) with the numbers of values (dict.h). */
#include "config.h"

#include "search/clickhouse/dict.h"
#include "search/text.h"

#include <endian.h>

enum { FIRST_PLACES = 1 << 12, FOLD_MEMORY = 1 << 26, NUMBER_BITS = CH_IDS - 1 };

struct dict_entry {
	size_t at; /* in bytes */
	uint32_t n, hash, id;
};

struct ch_dict {
	const struct schema_field *fields;
	size_t nfields;
	uint32_t *next; /* [field]: the next number */
	struct dict_entry *entries;
	size_t nentries, room;
	uint32_t *places, mask; /* the entry's number plus 1; 0: a free place */
	struct buf bytes, fresh;
	struct arena *fold;
};

struct ch_dict *
ch_dict_new(enum dataset d)
{
	struct ch_dict *k = mem_zero(sizeof(*k));

	k->nfields = schema_fields(d, &k->fields);
	k->next = mem_array(k->nfields, sizeof(*k->next));
	k->places = mem_array(FIRST_PLACES, sizeof(*k->places));
	k->mask = FIRST_PLACES - 1;
	k->fold = arena_new(FOLD_MEMORY);
	return k;
}

void
ch_dict_free(struct ch_dict *k)
{
	if (k == NULL)
		return;
	free(k->next);
	free(k->entries);
	free(k->places);
	buf_free(&k->bytes);
	buf_free(&k->fresh);
	arena_free(k->fold);
	free(k);
}

struct buf *
ch_dict_fresh(struct ch_dict *k)
{
	return &k->fresh;
}

size_t
ch_dict_values(const struct ch_dict *k)
{
	return k->nentries;
}

/* ---- RowBinary ---- */

void
ch_put_length(struct buf *b, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		buf_char(b, (char)(0x80 | (n & 0x7f)));
	buf_char(b, (char)n);
}

void
ch_put_text(struct buf *b, struct str s)
{
	ch_put_length(b, s.n);
	buf_str(b, s);
}

void
ch_put_number(struct buf *b, uint64_t v, size_t bytes)
{
	uint64_t little = htole64(v);

	buf_add(b, &little, bytes);
}

/* ---- the hash table ---- */

/* Hashes eight bytes at a time. */
static uint32_t
hash_dict_value(unsigned field, struct str s)
{
	static const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15); /* 2^64 / the golden ratio */
	uint64_t h = (s.n << 8 | field) * odd, word;

	for (; s.n >= sizeof(word); s.p += sizeof(word), s.n -= sizeof(word)) {
		memcpy(&word, s.p, sizeof(word));
		h = (h ^ word) * odd;
		h ^= h >> 32;
	}
	word = 0;
	if (s.n > 0)
		memcpy(&word, s.p, s.n);
	h = (h ^ word) * odd;
	h = (h ^ h >> 32) * odd;
	return (uint32_t)(h >> 32);
}

/* Returns the place of a value, or the free place where it would be stored. */
static uint32_t *
find_place(const struct ch_dict *k, unsigned field, struct str s, uint32_t hash)
{
	for (uint32_t i = hash & k->mask;; i = (i + 1) & k->mask) {
		const struct dict_entry *e;

		if (k->places[i] == 0)
			return &k->places[i];
		e = &k->entries[k->places[i] - 1];
		if (e->hash == hash && e->n == s.n && e->id >> CH_ID_SHIFT == field &&
		    (s.n == 0 || memcmp(k->bytes.p + e->at, s.p, s.n) == 0))
			return &k->places[i];
	}
}

static void
double_places(struct ch_dict *k)
{
	uint32_t n = (k->mask + 1) * 2;

	free(k->places);
	k->places = mem_array(n, sizeof(*k->places));
	k->mask = n - 1;
	for (size_t i = 0; i < k->nentries; i++) {
		uint32_t at = k->entries[i].hash & k->mask;

		while (k->places[at] != 0)
			at = (at + 1) & k->mask;
		k->places[at] = (uint32_t)i + 1;
	}
}

static void
add_dict_entry(struct ch_dict *k, uint32_t *place, struct dict_entry e, struct str s)
{
	if (k->nentries == k->room) {
		k->room = k->room == 0 ? FIRST_PLACES : k->room * 2;
		k->entries = mem_grow(k->entries, k->room * sizeof(*k->entries));
	}
	e.at = k->bytes.n;
	e.n = (uint32_t)s.n;
	buf_str(&k->bytes, s);
	k->entries[k->nentries++] = e;
	*place = (uint32_t)k->nentries;
	if (k->nentries * 2 > k->mask)
		double_places(k);
}

bool
ch_dict_load(struct ch_dict *k, unsigned field, struct str s, uint32_t id)
{
	uint32_t hash = hash_dict_value(field, s), number = id & NUMBER_BITS, *place;

	if (field >= k->nfields || id >> CH_ID_SHIFT != field || s.n > UINT32_MAX)
		return false;
	place = find_place(k, field, s, hash);
	if (*place != 0) /* a row that was sent twice */
		return k->entries[*place - 1].id == id;
	add_dict_entry(k, place, (struct dict_entry){ .hash = hash, .id = id }, s);
	if (number >= k->next[field])
		k->next[field] = number + 1;
	return true;
}

bool
ch_dict_find(const struct ch_dict *k, const struct schema_field *f, struct str s, uint32_t *id)
{
	uint32_t place = *find_place(k, f->index, s, hash_dict_value(f->index, s));

	if (place != 0)
		*id = k->entries[place - 1].id;
	return place != 0;
}

static void
add_fresh(struct ch_dict *k, const struct schema_field *f, struct str s, uint32_t id)
{
	arena_reset(k->fold);
	buf_char(&k->fresh, (char)f->index);
	ch_put_text(&k->fresh, text_fold(k->fold, s));
	ch_put_text(&k->fresh, s);
	ch_put_number(&k->fresh, id, sizeof(id));
}

bool
ch_dict_id(struct ch_dict *k, const struct schema_field *f, struct str s, uint32_t *id)
{
	uint32_t hash = hash_dict_value(f->index, s), *place = find_place(k, f->index, s, hash);

	if (*place != 0) {
		*id = k->entries[*place - 1].id;
		return true;
	}
	if (k->next[f->index] >= CH_IDS)
		return false;
	*id = ch_id(f, k->next[f->index]++, s);
	add_dict_entry(k, place, (struct dict_entry){ .hash = hash, .id = *id }, s);
	add_fresh(k, f, s, *id);
	return true;
}
