/* SPDX-License-Identifier: ISC */
/* Gaps are the distances of documents, each to the one before; the first one is a distance, too.
 * GAPS_PACKED of them are a byte, their width in bits, and then as many bits each; with a byte
 * GAPS_VARINTS they are varints. The rest at the end is written likewise, but fewer than GAPS_FEW
 * without such a byte.
 *
 *   documents   1000 1003 1010 ... (32 of them, gaps below 1024)   10 | 1000 3 7 ... (32 * 10 bits) */
#include "config.h"

#include "search/index/format/gaps.h"

enum { GAPS_FEW = 4, GAPS_VARINTS = 64 };

/* ---- writing ---- */

void
gaps_put_number(struct buf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		buf_char(b, (char)(0x80 | (v & 0x7f)));
	buf_char(b, (char)v);
}

static void
put_varints(struct buf *b, const uint32_t *docs, uint32_t n, uint32_t base)
{
	for (uint32_t i = 0; i < n; i++) {
		gaps_put_number(b, docs[i] - base);
		base = docs[i];
	}
}

static uint32_t
varint_size(uint32_t v)
{
	return 1 + (v >= 1 << 7) + (v >= 1 << 14) + (v >= 1 << 21) + (v >= 1 << 28);
}

static uint32_t
packed_size(uint32_t n, uint32_t bits)
{
	return (n * bits + 7) / 8;
}

/* Writes n gaps: their width in bits and the gaps in that many bits each, or GAPS_VARINTS and
   varints, when one large gap would make all of them wide. */
static void
put_packed(struct buf *b, const uint32_t *docs, uint32_t n, uint32_t base)
{
	uint64_t words[GAPS_PACKED / 2 + 1] = { 0 };
	uint32_t all = 0, varints = 0, bits, before = base;

	for (uint32_t i = 0; i < n; before = docs[i++]) {
		all |= docs[i] - before;
		varints += varint_size(docs[i] - before);
	}
	bits = all == 0 ? 0 : 32 - (uint32_t)__builtin_clz(all);
	if (varints < packed_size(n, bits)) {
		buf_char(b, GAPS_VARINTS);
		put_varints(b, docs, n, base);
		return;
	}
	for (uint32_t i = 0, at = 0; i < n; base = docs[i++], at += bits) {
		uint64_t gap = docs[i] - base;

		words[at / 64] |= gap << at % 64;
		if (at % 64 + bits > 64)
			words[at / 64 + 1] |= gap >> (64 - at % 64);
	}
	buf_char(b, (char)bits);
	buf_add(b, words, packed_size(n, bits));
}

void
gaps_write(struct buf *b, const uint32_t *docs, uint32_t n, uint32_t base)
{
	for (uint32_t m; n >= GAPS_FEW; n -= m, docs += m, base = docs[-1]) {
		m = n < GAPS_PACKED ? n : GAPS_PACKED;
		put_packed(b, docs, m, base);
	}
	put_varints(b, docs, n, base);
}

/* ---- reading ---- */

uint64_t
gaps_get_number(const unsigned char **p, const unsigned char *end)
{
	uint64_t v = 0;

	for (unsigned shift = 0; *p < end && shift < 64; shift += 7) {
		unsigned char c = *(*p)++;

		v |= (uint64_t)(c & 0x7f) << shift;
		if (c < 0x80)
			break;
	}
	return v;
}

/* Reads up to `room` varints, fewer at the end. */
static uint32_t
gaps_varints(struct gaps *g, uint32_t *out, uint32_t room)
{
	const unsigned char *p = g->p;
	uint32_t n = 0, most = g->left < room ? g->left : room, doc = g->doc;

	while (n < most && p < g->end) {
		uint64_t gap = *p;

		if (gap < 0x80)
			p++;
		else
			gap = gaps_get_number(&p, g->end);
		if (gap >= g->limit - doc)
			break;
		doc += (uint32_t)gap;
		out[n++] = doc;
	}
	g->left = n < most ? 0 : g->left - n;
	g->doc = doc;
	g->p = p;
	return n;
}

/* Adds n gaps of `bits` bits each to doc. p has 8 more readable bytes. Returns the last
   document. */
static inline __attribute__((always_inline)) uint64_t
unpack_gaps(const unsigned char *p, const uint32_t n, uint32_t bits, uint64_t doc, uint32_t *out)
{
	uint64_t mask = (UINT64_C(1) << bits) - 1, word;

	_Pragma("GCC unroll 8") for (uint32_t i = 0; i < n; i++)
	{
		memcpy(&word, p + i * bits / 8, sizeof(word));
		doc += word >> i * bits % 8 & mask;
		out[i] = (uint32_t)doc;
	}
	return doc;
}

/* Reads up to GAPS_PACKED documents, as put_packed wrote them. 0: damage. */
static uint32_t
gaps_packed(struct gaps *g, uint32_t *out)
{
	unsigned char copy[GAPS_PACKED * sizeof(uint32_t) + sizeof(uint64_t)] = { 0 };
	uint32_t bits = g->p < g->end ? *g->p++ : UINT32_MAX;
	uint32_t n = g->left < GAPS_PACKED ? g->left : GAPS_PACKED;
	size_t size, rest = (size_t)(g->end - g->p);
	const unsigned char *from = g->p;
	uint64_t last;

	if (bits == GAPS_VARINTS)
		return gaps_varints(g, out, n);
	size = bits <= 32 ? packed_size(n, bits) : 0;
	if (bits > 32 || rest < size) {
		g->left = 0;
		return 0;
	}
	if (rest < size + sizeof(uint64_t)) /* the end of the postings */
		from = memcpy(copy, from, size);
	last = n < GAPS_PACKED ? unpack_gaps(from, n, bits, g->doc, out)
			       : unpack_gaps(from, GAPS_PACKED, bits, g->doc, out);
	g->left = last < g->limit ? g->left - n : 0;
	g->doc = (uint32_t)last;
	g->p += size;
	return last < g->limit ? n : 0;
}

uint32_t
gaps_next(struct gaps *g, uint32_t *out, uint32_t room)
{
	uint32_t n = 0;

	while (g->left >= GAPS_FEW &&
	       room - n >= (g->left < GAPS_PACKED ? g->left : GAPS_PACKED))
		n += gaps_packed(g, out + n);
	if (g->left < GAPS_FEW)
		n += gaps_varints(g, out + n, room - n);
	return n;
}
