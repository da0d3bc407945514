/* SPDX-License-Identifier: ISC */
/* Collects the values of one slot while documents are read. Terms are numbered when they first
   occur; pairs of document and term are a stream of varints, because a rebuild has hundreds of
   millions of them in memory. */
#include "config.h"

#include "search/index/write/gather.h"

enum { TABLE_MIN = 1024 };

void *
grow_array(void *p, size_t *room, size_t want, size_t size)
{
	size_t n = *room < 16 ? 16 : *room;

	if (want <= *room)
		return p;
	while (n < want)
		n += n / 2;
	p = reallocarray(p, n, size);
	if (p == NULL)
		panic("out of memory");
	*room = n;
	return p;
}

static uint32_t
hash_bytes(const void *p, size_t n)
{
	uint64_t h = index_checksum(p, n, 1);

	return (uint32_t)(h ^ h >> 32);
}

static void
rehash(struct gather *g)
{
	uint32_t size = g->table == NULL ? TABLE_MIN : (g->mask + 1) * 2;

	free(g->table);
	g->table = mem_alloc(size * sizeof(*g->table));
	memset(g->table, 0xff, size * sizeof(*g->table));
	g->mask = size - 1;
	for (uint32_t i = 0; i < g->n; i++) {
		uint32_t at = g->hash[i] & g->mask;

		while (g->table[at] != UINT32_MAX)
			at = (at + 1) & g->mask;
		g->table[at] = i;
	}
}

struct str
gather_term(const struct gather *g, uint32_t id)
{
	return (struct str){ g->bytes + g->at[id], g->at[id + 1] - g->at[id] };
}

static void
put_varint(struct gather *g, uint32_t v)
{
	while (v >= 0x80) {
		g->stream[g->nstream++] = (unsigned char)(v | 0x80);
		v >>= 7;
	}
	g->stream[g->nstream++] = (unsigned char)v;
}

/* Appends a pair of document and term. A document may have the same value twice, but a posting has
 * it once: last[id] is the number of the newest document with the term, plus 1, and 0 for none. The
 * stream has the distance to the document before and the term, each as a varint of seven bits a
 * byte:
 *
 *   document 5, term 3; document 5, term 200; document 9, term 3
 *   5 3 | 0 200 (two bytes) | 4 3
 *
 * So documents must arrive in ascending order. gather_next reads the stream back. */
static void
add_pair(struct gather *g, uint32_t doc, uint32_t id)
{
	if (g->last[id] == doc + 1)
		return;
	g->last[id] = doc + 1;
	g->stream = grow_array(g->stream, &g->stream_room, g->nstream + 10, 1);
	put_varint(g, doc - g->newest);
	put_varint(g, id);
	g->newest = doc;
	g->npairs++;
}

static void
make_room_for_term(struct gather *g)
{
	size_t room = g->room;

	if (g->n + 2 <= g->room)
		return;
	room = room < 64 ? 64 : room + room / 2;
	g->hash = reallocarray(g->hash, room, sizeof(*g->hash));
	g->last = reallocarray(g->last, room, sizeof(*g->last));
	if (g->form == FORM_INTS)
		g->ints = reallocarray(g->ints, room, sizeof(*g->ints));
	else
		g->at = reallocarray(g->at, room, sizeof(*g->at));
	if (g->hash == NULL || g->last == NULL || (g->ints == NULL && g->at == NULL))
		panic("out of memory");
	if (g->n == 0 && g->at != NULL)
		g->at[0] = 0;
	g->room = (uint32_t)room;
}

static uint32_t
number_term(struct gather *g, uint32_t at, uint32_t hash)
{
	g->hash[g->n] = hash;
	g->last[g->n] = 0;
	g->table[at] = g->n++;
	if (g->n > g->mask / 2)
		rehash(g);
	return g->n - 1;
}

uint32_t
gather_str(struct gather *g, uint32_t doc, struct str s)
{
	uint32_t hash = hash_bytes(s.p, s.n), at, id;

	make_room_for_term(g);
	if (g->table == NULL)
		rehash(g);
	for (at = hash & g->mask; (id = g->table[at]) != UINT32_MAX; at = (at + 1) & g->mask)
		if (g->hash[id] == hash && str_eq(gather_term(g, id), s))
			break;
	if (id == UINT32_MAX) {
		g->bytes = grow_array(g->bytes, &g->bytes_room, g->nbytes + s.n + 1, 1);
		if (s.n > 0)
			memcpy(g->bytes + g->nbytes, s.p, s.n);
		g->nbytes += s.n;
		g->at[g->n + 1] = g->nbytes;
		id = number_term(g, at, hash);
	}
	add_pair(g, doc, id);
	return id;
}

uint32_t
gather_int(struct gather *g, uint32_t doc, int64_t v)
{
	uint32_t hash = hash_bytes(&v, sizeof(v)), at, id;

	make_room_for_term(g);
	if (g->table == NULL)
		rehash(g);
	for (at = hash & g->mask; (id = g->table[at]) != UINT32_MAX; at = (at + 1) & g->mask)
		if (g->ints[id] == v)
			break;
	if (id == UINT32_MAX) {
		g->ints[g->n] = v;
		id = number_term(g, at, hash);
	}
	add_pair(g, doc, id);
	return id;
}

void
gather_append_str(struct gather *g, struct str s)
{
	make_room_for_term(g);
	g->bytes = grow_array(g->bytes, &g->bytes_room, g->nbytes + s.n + 1, 1);
	if (s.n > 0)
		memcpy(g->bytes + g->nbytes, s.p, s.n);
	g->nbytes += s.n;
	g->at[++g->n] = g->nbytes;
}

void
gather_append_int(struct gather *g, int64_t v)
{
	make_room_for_term(g);
	g->ints[g->n++] = v;
}

void
gather_free(struct gather *g)
{
	enum term_form form = g->form;

	free(g->at);
	free(g->hash);
	free(g->last);
	free(g->ints);
	free(g->bytes);
	free(g->table);
	free(g->stream);
	*g = (struct gather){ .form = form };
}

size_t
gather_memory(const struct gather *g)
{
	return g->room * (size_t)16 + g->bytes_room + g->stream_room +
	       (g->table == NULL ? 0 : (g->mask + UINT64_C(1)) * 4);
}

static uint32_t
get_varint(const unsigned char **p)
{
	uint32_t v = 0;

	for (unsigned shift = 0;; shift += 7) {
		unsigned char c = *(*p)++;

		v |= (uint32_t)(c & 0x7f) << shift;
		if (c < 0x80)
			return v;
	}
}

bool
gather_next(struct gather_walk *w, uint32_t *doc, uint32_t *term)
{
	if (w->p == w->end)
		return false;
	w->doc += get_varint(&w->p);
	*doc = w->doc;
	*term = get_varint(&w->p);
	return true;
}
