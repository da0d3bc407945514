/* SPDX-License-Identifier: ISC */
/* Writes and reads the keys of documents; keys.h draws their bytes. */
#include "config.h"

#include "search/index/format/keys.h"

enum { V4_KEY = 5, V6_KEY = 17, V4_MARK = 4, V6_MARK = 6 };

/* ---- addresses ---- */

static const unsigned char v4_prefix[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

struct str
address_key(const unsigned char ip[16], struct segment_key *out)
{
	bool four = ip_is_v4(ip);

	out->n = four ? V4_KEY : V6_KEY;
	out->bytes[0] = four ? V4_MARK : V6_MARK;
	memcpy(out->bytes + 1, four ? ip + sizeof(v4_prefix) : ip, out->n - 1);
	return segment_key_str(out);
}

bool
address_of_key(struct str key, unsigned char ip[16])
{
	if (key.n == V4_KEY && key.p[0] == V4_MARK) {
		memcpy(ip, v4_prefix, sizeof(v4_prefix));
		memcpy(ip + sizeof(v4_prefix), key.p + 1, 4);
		return true;
	}
	if (key.n != V6_KEY || key.p[0] != V6_MARK)
		return false;
	memcpy(ip, key.p + 1, 16);
	return true;
}

/* ---- writing ---- */

static void
add_number(struct buf *b, size_t v)
{
	if (v >= 0x80)
		buf_char(b, (char)(0x80 | (v & 0x7f)));
	buf_char(b, (char)(v >= 0x80 ? v >> 7 : v));
}

bool
keys_add(struct key_list *l, struct str key)
{
	uint64_t at = l->bytes.n;
	size_t shared = 0;

	if (key.n == 0 || key.n > KEY_MAX ||
	    (l->n > 0 && str_cmp(segment_key_str(&l->last), key) >= 0))
		return false;
	if (l->n % KEY_BLOCK == 0)
		buf_add(&l->at, &at, sizeof(at));
	else
		while (shared < key.n && shared < l->last.n &&
		       l->last.bytes[shared] == (unsigned char)key.p[shared])
			shared++;
	add_number(&l->bytes, shared);
	add_number(&l->bytes, key.n - shared);
	buf_add(&l->bytes, key.p + shared, key.n - shared);
	memcpy(l->last.bytes, key.p, key.n);
	l->last.n = key.n;
	l->n++;
	return true;
}

void
keys_free(struct key_list *l)
{
	buf_free(&l->at);
	buf_free(&l->bytes);
	*l = (struct key_list){ .n = 0 };
}

/* ---- reading ---- */

struct key_reader {
	const unsigned char *p, *end;
	bool bad;
};

static size_t
take_number(struct key_reader *r)
{
	size_t v = 0;

	for (unsigned shift = 0; shift < 14 && r->p < r->end; shift += 7) {
		unsigned char c = *r->p++;

		v |= (size_t)(c & 0x7f) << shift;
		if (c < 0x80)
			return v;
	}
	r->bad = true;
	return 0;
}

/* A reader before the first key of a block. */
static struct key_reader
open_block(const struct keys *k, uint32_t block)
{
	uint64_t from = k->at[block], to = k->at[block + 1];

	if (from > to || to > k->nbytes)
		return (struct key_reader){ .bad = true };
	return (struct key_reader){ k->bytes + from, k->bytes + to, false };
}

/* Makes the next key of a block from the one before it. */
static void
take_key(struct key_reader *r, struct segment_key *key)
{
	size_t shared = take_number(r), rest = take_number(r);

	r->bad |=
	    shared > key->n || rest > sizeof(key->bytes) - shared || rest > (size_t)(r->end - r->p);
	if (r->bad)
		return;
	memcpy(key->bytes + shared, r->p, rest);
	key->n = shared + rest;
	r->p += rest;
}

void
keys_read(const struct keys *k, uint32_t i, struct segment_key *out)
{
	struct key_reader r = open_block(k, i / KEY_BLOCK);

	out->n = 0;
	for (uint32_t at = 0; at <= i % KEY_BLOCK && !r.bad; at++)
		take_key(&r, out);
}

/* Returns the last block whose first key is not greater than the key, or 0. */
static uint32_t
find_block(const struct keys *k, struct str key)
{
	uint32_t lo = 0, hi = (k->n + KEY_BLOCK - 1) / KEY_BLOCK;
	struct segment_key first;

	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		keys_read(k, mid * KEY_BLOCK, &first);
		if (str_cmp(segment_key_str(&first), key) <= 0)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

uint32_t
keys_lower(const struct keys *k, struct str key)
{
	struct segment_key have = { .n = 0 };
	struct key_reader r;
	uint32_t i, end;

	if (k->n == 0)
		return 0;
	i = find_block(k, key) * KEY_BLOCK;
	end = k->n - i < KEY_BLOCK ? k->n : i + KEY_BLOCK;
	for (r = open_block(k, i / KEY_BLOCK); i < end && !r.bad; i++) {
		take_key(&r, &have);
		if (str_cmp(segment_key_str(&have), key) >= 0)
			return i;
	}
	return i;
}

bool
keys_are_whole(const struct keys *k)
{
	struct segment_key last = { .n = 0 }, key = { .n = 0 };
	struct key_reader r = { .bad = false };

	for (uint32_t i = 0; i < k->n; i++) {
		if (i % KEY_BLOCK == 0) {
			if (r.p != r.end ||
			    k->at[i / KEY_BLOCK] != (uint64_t)(i == 0 ? 0 : r.p - k->bytes))
				return false;
			r = open_block(k, i / KEY_BLOCK);
			key.n = 0;
		}
		take_key(&r, &key);
		if (r.bad || str_cmp(segment_key_str(&last), segment_key_str(&key)) >= 0)
			return false;
		last = key;
	}
	return r.p == r.end;
}
