/* SPDX-License-Identifier: ISC */
/* Writes and reads pair totals (pairs.h). Most counts are small, so a byte is enough for them; the
   others are stored again as 32 bits. A cell that has a count for more than a third of the terms
   has one for each term and no numbers. */
#include "config.h"

#include "search/index/format/pairs.h"

enum { PAIR_ALIGN = 8, PAIR_SMALL = 255 /* the least large count */, PAIR_DENSE_PART = 3 };

static size_t
aligned(size_t n)
{
	return (n + PAIR_ALIGN - 1) / PAIR_ALIGN * PAIR_ALIGN;
}

/* ---- writing ---- */

static void
align(struct buf *b)
{
	static const char zeros[PAIR_ALIGN];

	buf_add(b, zeros, aligned(b->n) - b->n);
}

static void
write_terms(struct buf *b, const uint32_t *counts, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint16_t term = (uint16_t)i;

		if (counts[i] > 0)
			buf_add(b, &term, sizeof(term));
	}
	align(b);
}

void
pair_write(struct buf *b, const uint32_t *counts, uint32_t n)
{
	struct pair_cell cell = { 0 };
	bool dense;

	for (uint32_t i = 0; i < n; i++) {
		cell.n += counts[i] > 0;
		cell.nlarge += counts[i] >= PAIR_SMALL;
	}
	dense = cell.n > n / PAIR_DENSE_PART;
	if (dense)
		cell.n = PAIR_DENSE;
	buf_add(b, &cell, sizeof(cell));
	if (!dense)
		write_terms(b, counts, n);
	for (uint32_t i = 0; i < n; i++)
		if (dense || counts[i] > 0)
			buf_char(b, (char)(counts[i] < PAIR_SMALL ? counts[i] : 0));
	align(b);
	for (uint32_t i = 0; i < n; i++) {
		struct pair_large large = { i, counts[i] };

		if (counts[i] >= PAIR_SMALL)
			buf_add(b, &large, sizeof(large));
	}
}

/* ---- reading ---- */

bool
pairs_open(const struct mapped *m, struct pairs *out)
{
	struct span terms = mapped_span(m, 0, SECTION_PAIR_TERMS),
		    slots = mapped_span(m, 0, SECTION_PAIR_SLOTS),
		    at = mapped_span(m, 0, SECTION_PAIR_AT),
		    bytes = mapped_span(m, 0, SECTION_PAIRS);

	*out = (struct pairs){ .terms = (const struct pair_term *)(const void *)terms.p,
		.slots = (const uint32_t *)(const void *)slots.p,
		.at = (const uint64_t *)(const void *)at.p,
		.bytes = bytes.p,
		.nterms = terms.n / sizeof(struct pair_term),
		.nslots = slots.n / sizeof(uint32_t),
		.nbytes = bytes.n };
	return terms.n % sizeof(struct pair_term) == 0 && slots.n % sizeof(uint32_t) == 0 &&
	       out->nslots <= SLOTS_MAX && out->nterms < UINT32_MAX &&
	       at.n == (out->nterms > 0 ? out->nterms * out->nslots + 1 : 0) * sizeof(uint64_t);
}

const struct pair_term *
pairs_find(const struct pairs *p, uint32_t slot, uint32_t term)
{
	uint64_t lo = 0, hi = p->nterms;

	while (lo < hi) {
		uint64_t mid = lo + (hi - lo) / 2;
		const struct pair_term *t = &p->terms[mid];

		if (t->slot < slot || (t->slot == slot && t->term < term))
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == p->nterms || p->terms[lo].slot != slot || p->terms[lo].term != term)
		return NULL;
	return &p->terms[lo];
}

static uint64_t
find_slot(const struct pairs *p, uint32_t slot)
{
	uint64_t i = 0;

	while (i < p->nslots && p->slots[i] != slot)
		i++;
	return i;
}

bool
pairs_have(const struct pairs *p, uint32_t slot)
{
	return find_slot(p, slot) < p->nslots;
}

/* The parts of a cell, or of an empty one when they are not inside of the section. */
struct parts {
	const uint16_t *terms; /* NULL: dense */
	const uint8_t *counts;
	const struct pair_large *large;
	uint32_t n, nlarge;
};

static struct parts
open_cell(const struct pairs *p, uint64_t at, uint32_t n)
{
	struct pair_cell cell;
	struct parts out = { 0 };
	uint64_t room, terms, counts;
	bool dense;

	if (at % PAIR_ALIGN != 0 || at > p->nbytes || p->nbytes - at < sizeof(cell))
		return out;
	memcpy(&cell, p->bytes + at, sizeof(cell));
	at += sizeof(cell);
	room = p->nbytes - at;
	dense = cell.n == PAIR_DENSE;
	out.n = dense ? n : cell.n;
	terms = dense ? 0 : aligned(out.n * sizeof(uint16_t));
	counts = aligned(out.n);
	if (terms + counts + cell.nlarge * sizeof(*out.large) > room)
		return (struct parts){ 0 };
	if (!dense)
		out.terms = (const uint16_t *)(const void *)(p->bytes + at);
	out.counts = p->bytes + at + terms;
	out.large = (const struct pair_large *)(const void *)(out.counts + counts);
	out.nlarge = cell.nlarge;
	return out;
}

void
pairs_add(const struct pairs *p, uint32_t row, uint32_t slot, int sign, struct pair_counts to)
{
	uint64_t place = find_slot(p, slot);
	struct parts c;

	if (place == p->nslots || row >= p->nterms)
		return;
	c = open_cell(p, p->at[row * p->nslots + place], to.n);
	for (uint32_t i = 0; c.terms == NULL && i < c.n; i++)
		to.counts[i] += (uint32_t)(sign * c.counts[i]);
	for (uint32_t i = 0; c.terms != NULL && i < c.n; i++)
		if (c.terms[i] < to.n)
			to.counts[c.terms[i]] += (uint32_t)(sign * c.counts[i]);
	for (uint32_t i = 0; i < c.nlarge; i++) {
		const struct pair_large large = c.large[i]; /* read once: it may change */

		if (large.term < to.n)
			to.counts[large.term] += (uint32_t)sign * large.count;
	}
}
