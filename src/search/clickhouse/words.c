/* SPDX-License-Identifier: ISC */
/* SipHash-2-4 (Aumasson and Bernstein, 2012), and the words made by it (words.h). */
#include "config.h"

#include "search/clickhouse/words.h"

struct sip {
	uint64_t v[4];
};

static uint64_t
rotate_left(uint64_t x, unsigned bits)
{
	return x << bits | x >> (64 - bits);
}

static void
sip_round(struct sip *s)
{
	s->v[0] += s->v[1];
	s->v[2] += s->v[3];
	s->v[1] = rotate_left(s->v[1], 13) ^ s->v[0];
	s->v[3] = rotate_left(s->v[3], 16) ^ s->v[2];
	s->v[0] = rotate_left(s->v[0], 32);
	s->v[2] += s->v[1];
	s->v[0] += s->v[3];
	s->v[1] = rotate_left(s->v[1], 17) ^ s->v[2];
	s->v[3] = rotate_left(s->v[3], 21) ^ s->v[0];
	s->v[2] = rotate_left(s->v[2], 32);
}

static uint64_t
little_endian(const unsigned char *p, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

static void
sip_add(struct sip *s, uint64_t m)
{
	s->v[3] ^= m;
	sip_round(s);
	sip_round(s);
	s->v[0] ^= m;
}

uint64_t
ch_siphash(const unsigned char key[16], struct str text)
{
	uint64_t k0 = little_endian(key, 8), k1 = little_endian(key + 8, 8);
	struct sip s = { { k0 ^ UINT64_C(0x736f6d6570736575), k1 ^ UINT64_C(0x646f72616e646f6d),
	    k0 ^ UINT64_C(0x6c7967656e657261), k1 ^ UINT64_C(0x7465646279746573) } };
	const unsigned char *p = (const unsigned char *)text.p;
	size_t i = 0;

	for (; text.n - i >= 8; i += 8)
		sip_add(&s, little_endian(p + i, 8));
	sip_add(&s, little_endian(p + i, text.n - i) | (uint64_t)text.n << 56);
	s.v[2] ^= 0xff;
	for (int k = 0; k < 4; k++)
		sip_round(&s);
	return s.v[0] ^ s.v[1] ^ s.v[2] ^ s.v[3];
}

uint64_t
ch_word(const struct schema_field *f, enum ch_word kind, struct str text)
{
	static const unsigned char zeros[16];
	unsigned char small[256],
	    *room = text.n + 2 <= sizeof(small) ? small : mem_array(text.n + 2, 1);
	uint64_t word;

	room[0] = (unsigned char)f->index;
	room[1] = (unsigned char)kind;
	if (text.n > 0)
		memcpy(room + 2, text.p, text.n);
	word = ch_siphash(zeros, (struct str){ (const char *)room, text.n + 2 });
	if (room != small)
		free(room);
	return word;
}
