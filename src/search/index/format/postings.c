/* SPDX-License-Identifier: ISC */
/* Writes and reads postings, the documents of a term. A page of the file may become zeros after its
   verification (mapped.c), so every offset and every count is checked when it is used: reading
   stays inside the file and returns only documents below the limit. */
#include "config.h"

#include "search/index/format/gaps.h"
#include "search/index/format/mapped.h"
#include "search/index/format/postings.h"
#include "search/index/format/words.h"

enum { BATCH = 256, FORM_BITS = 1 };

/* ---- writing ---- */

static void
pad_to(struct buf *b, size_t to)
{
	static const char zeros[8];

	buf_add(b, zeros, (to - b->n % to) % to);
}

static void
write_block(struct buf *b, const uint32_t *docs, uint32_t n)
{
	uint32_t base = docs[0] & ~UINT32_C(0xffff), missing[POSTING_ARRAY], nmissing = 0;
	uint64_t words[INDEX_BLOCK_WORDS];

	if (n <= POSTING_ARRAY) {
		gaps_write(b, docs, n, base);
	} else if (n >= POSTING_MOST) {
		for (uint32_t i = 0, doc = base; nmissing < INDEX_BLOCK - n; doc++)
			if (i < n && docs[i] == doc)
				i++;
			else
				missing[nmissing++] = doc;
		gaps_write(b, missing, nmissing, base);
	} else {
		memset(words, 0, sizeof(words));
		for (uint32_t i = 0; i < n; i++)
			words[(docs[i] & 0xffff) >> 6] |= UINT64_C(1) << (docs[i] & 63);
		buf_add(b, words, sizeof(words));
	}
	pad_to(b, 8);
}

static uint32_t
block_end(const uint32_t *docs, uint32_t n, uint32_t from)
{
	uint32_t i = from;

	while (i < n && docs[i] >> 16 == docs[from] >> 16)
		i++;
	return i;
}

/* Counts the blocks. Returns whether one of them has more than POSTING_ARRAY documents. */
static bool
count_blocks(const uint32_t *docs, uint32_t n, uint32_t *nblocks)
{
	bool dense = false;

	*nblocks = 0;
	for (uint32_t i = 0, end; i < n; i = end) {
		end = block_end(docs, n, i);
		dense |= end - i > POSTING_ARRAY;
		++*nblocks;
	}
	return dense;
}

/* Writes a long posting: a table, then the documents of each block of 65536, without their upper
 * 16 bits. Documents 7, 9 and 65541, as if they were many:
 *
 *   nblocks 2, 0 | key 0, last 1, at8 3 | key 1, last 0, at8 4 | 7 2 (padded) | 5 (padded)
 *                |<------- one posting_block a block -------->|  ^ at8 * 8 bytes from the start
 *
 * A block with more than POSTING_ARRAY documents is a bitmap of 8 kB, which is read much faster.
 * One with POSTING_MOST or more is stored as the documents that it does not have, so a block of all
 * documents takes no byte: many fields have a value in each document. `last` is the number of
 * documents minus 1, because 65536 does not fit into 16 bits; the reader decides by it which of the
 * three a block is. */
static void
write_blocks(struct buf *b, const uint32_t *docs, uint32_t n, uint32_t nblocks)
{
	size_t start = b->n, table;
	uint32_t zero = 0;

	buf_add(b, &nblocks, sizeof(nblocks));
	buf_add(b, &zero, sizeof(zero));
	table = b->n;
	for (uint32_t i = 0; i < nblocks; i++)
		buf_add(b, &(struct posting_block){ 0 }, sizeof(struct posting_block));
	for (uint32_t i = 0, end; i < n; i = end) {
		struct posting_block block;

		end = block_end(docs, n, i);
		block = (struct posting_block){ .key = (uint16_t)(docs[i] >> 16),
			.last = (uint16_t)(end - i - 1),
			.at8 = (uint32_t)((b->n - start) / 8) };
		write_block(b, docs + i, end - i);
		memcpy(b->p + table, &block, sizeof(block));
		table += sizeof(block);
	}
}

/* Blocks need a table, which is worth it when one of them is a bitmap. The bytes depend only on the
   documents and not on the place, so that terms can share them. */
size_t
posting_write(struct buf *b, struct documents own, const uint32_t *above)
{
	uint32_t nblocks;
	bool blocks = own.n > POSTING_ARRAY && count_blocks(own.p, own.n, &nblocks);
	size_t place;

	pad_to(b, blocks ? 8 : POSTING_UNIT);
	place = b->n;
	gaps_put_number(b, (uint64_t)own.n << FORM_BITS | blocks);
	if (above != NULL)
		buf_add(b, above, sizeof(*above));
	if (blocks) {
		pad_to(b, 8);
		write_blocks(b, own.p, own.n, nblocks);
	} else {
		gaps_write(b, own.p, own.n, 0);
	}
	return place;
}

/* ---- opening ---- */

/* The gaps of a posting without blocks. */
static struct gaps
gaps_of(const struct posting *p)
{
	const unsigned char *end = p->room == 0 ? p->start : p->start + p->room;

	return (struct gaps){ p->start, end, p->n, 0, p->limit };
}

static bool
open_blocks(struct posting *p)
{
	uint32_t nblocks;

	if (p->room < 8)
		return false;
	memcpy(&nblocks, p->start, sizeof(nblocks));
	if (nblocks > (p->room - 8) / sizeof(struct posting_block))
		return false;
	p->form = POSTING_BLOCKS;
	p->blocks = (const struct posting_block *)(const void *)(p->start + 8);
	p->limit = (p->limit + INDEX_BLOCK - 1) / INDEX_BLOCK; /* now in blocks */
	p->room = p->room < (uint64_t)UINT32_MAX * 8 ? p->room : (uint64_t)UINT32_MAX * 8;
	p->one = nblocks;
	return true;
}

/* Reads the head of a posting. Returns the place of the posting of documents of a long posting of
   nested ones; 0: there is none. */
static uint32_t
open_place(const struct terms *t, uint32_t place, bool nested, struct posting *out)
{
	uint64_t at = (uint64_t)place * POSTING_UNIT, head;
	const unsigned char *p = t->postings + at, *end = t->postings + t->npostings;
	uint32_t above = 0;

	if (at >= t->npostings)
		return 0;
	head = gaps_get_number(&p, end);
	if (nested && head >> FORM_BITS > POSTING_DERIVED && end - p >= (ptrdiff_t)sizeof(above)) {
		memcpy(&above, p, sizeof(above));
		p += sizeof(above);
	}
	if ((head & 1) != 0)
		p = t->postings + ((uint64_t)(p - t->postings) + 7) / 8 * 8;
	if (head >> FORM_BITS > out->limit || p > end)
		return above;
	out->n = (uint32_t)(head >> FORM_BITS);
	out->start = p;
	out->room = (uint64_t)(end - p);
	if ((head & 1) == 0)
		out->form = POSTING_GAPS;
	else
		(void)!open_blocks(out);
	return above;
}

static void
open_rare(const struct terms *t, uint32_t id, struct posting *out)
{
	uint32_t i = ranked_before(&t->rare, id);

	out->one = i < t->nonly ? terms_only(t, i) : UINT32_MAX;
	if (out->one >= out->limit)
		return;
	out->form = POSTING_ONE;
	out->n = 1;
}

/* Opens a posting of documents of a nested field. */
static bool
open_above(const struct terms *t, uint32_t place, uint32_t limit, struct posting *out)
{
	struct posting nested = { .form = POSTING_NONE, .limit = UINT32_MAX };
	uint32_t above = open_place(t, place, true, &nested);

	if (nested.n <= POSTING_DERIVED)
		return false;
	out->limit = limit;
	(void)open_place(t, above, false, out);
	return true;
}

/* Opens the posting of a term; posting_or and posting_list then read it. The document of a rare
 * term is not in the postings, so such a term costs no byte and no cache line of them.
 *
 * A count or an offset that the file cannot have makes an empty posting and no error. The file
 * was valid when it was opened, so only damage in place can cause that, and mapped_intact fails
 * the request when it has finished. Until then readers must only stay inside their arrays. */
bool
posting_open(const struct terms *t, enum level l, uint32_t id, uint32_t limit, struct posting *out)
{
	bool above = t->nested && l == LEVEL_DOCUMENT, stored = true;
	uint32_t i = id;

	*out = (struct posting){ .form = POSTING_NONE, .limit = limit };
	if (id > t->n)
		return true;
	if (t->place != NULL && terms_is_rare(t, id)) {
		stored = !above;
		if (stored)
			open_rare(t, id, out);
	} else if (t->place != NULL) {
		i -= t->rare.bits == NULL ? 0 : ranked_before(&t->rare, id);
		if (i >= t->ncommon)
			return true;
		if (above)
			stored = open_above(t, t->place[i], limit, out);
		else
			(void)open_place(t, t->place[i], t->nested, out);
	}
	if (out->form == POSTING_NONE)
		out->n = 0;
	return stored;
}

/* ---- reading ---- */

enum block_form {
	BLOCK_GAPS,
	BLOCK_BITMAP,
	BLOCK_MISSING, /* the gaps of the documents that it does not have */
};

static enum block_form
block_form(const struct posting_block *b)
{
	if (b->last < POSTING_ARRAY)
		return BLOCK_GAPS;
	return b->last + 1u >= POSTING_MOST ? BLOCK_MISSING : BLOCK_BITMAP;
}

/* The documents of a block, or NULL when they are outside of the file or above the limit. */
static const unsigned char *
block_content(const struct posting *p, const struct posting_block *b)
{
	uint64_t at = (uint64_t)b->at8 * 8;
	uint64_t n = block_form(b) == BLOCK_BITMAP ? INDEX_BLOCK_WORDS * sizeof(uint64_t) : 0;

	if (b->key >= p->limit || at > p->room || p->room - at < n)
		return NULL;
	return p->start + at;
}

/* The documents of the block, or those that it does not have. */
static struct gaps
gaps_of_block(const struct posting *p, const struct posting_block *b, const unsigned char *content)
{
	uint32_t base = (uint32_t)b->key << 16, n = b->last + 1u;

	if (block_form(b) == BLOCK_MISSING)
		n = INDEX_BLOCK - n;
	return (struct gaps){ content, p->start + p->room, n, base, base + INDEX_BLOCK };
}

static void
or_documents(uint64_t *words, const uint32_t *docs, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		words[docs[i] >> 6] |= UINT64_C(1) << (docs[i] & 63);
}

static void
or_gaps(struct gaps g, uint64_t *words)
{
	uint32_t docs[BATCH], n;

	while ((n = gaps_next(&g, docs, BATCH)) > 0)
		or_documents(words, docs, n);
}

/* The bitmap of a block: its content, or `room`. */
static const uint64_t *
block_words(const struct posting *p, const struct posting_block *b, const unsigned char *content,
    uint64_t room[INDEX_BLOCK_WORDS])
{
	struct gaps g = gaps_of_block(p, b, content);
	uint32_t docs[BATCH], n;

	if (block_form(b) == BLOCK_BITMAP)
		return (const uint64_t *)(const void *)content;
	memset(room, 0xff, INDEX_BLOCK_WORDS * sizeof(*room));
	while ((n = gaps_next(&g, docs, BATCH)) > 0)
		for (uint32_t i = 0; i < n; i++)
			room[(docs[i] & 0xffff) >> 6] &= ~(UINT64_C(1) << (docs[i] & 63));
	return room;
}

static void
or_block(const struct posting *p, const struct posting_block *b, uint64_t *words)
{
	const unsigned char *content = block_content(p, b);
	uint64_t *out = words + (size_t)b->key * INDEX_BLOCK_WORDS, room[INDEX_BLOCK_WORDS];
	const uint64_t *in;

	if (content == NULL)
		return;
	switch (block_form(b)) {
	case BLOCK_BITMAP:
	case BLOCK_MISSING:
		in = block_words(p, b, content, room);
		for (size_t k = 0; k < INDEX_BLOCK_WORDS; k++)
			out[k] |= in[k];
		return;
	case BLOCK_GAPS:
		or_gaps(gaps_of_block(p, b, content), words);
	}
}

/* The length of a posting is not stored. A gap takes two bytes at most where postings are long, and
   a bitmap INDEX_BLOCK bits. */
void
posting_ahead(const struct posting *p)
{
	uint64_t most = UINT64_C(2) * p->n;
	uint64_t blocks = p->one * (INDEX_BLOCK / 8 + sizeof(struct posting_block));

	if (p->form != POSTING_GAPS && p->form != POSTING_BLOCKS)
		return;
	if (p->form == POSTING_BLOCKS && blocks < most)
		most = blocks;
	mapped_ahead(p->start, most < p->room ? most : p->room);
}

void
posting_or(const struct posting *p, uint64_t *words)
{
	switch (p->form) {
	case POSTING_NONE:
		return;
	case POSTING_ONE:
		or_documents(words, &p->one, 1);
		return;
	case POSTING_LIST:
		for (uint32_t i = 0; i < p->n; i++) {
			uint32_t doc = p->list[i]; /* read once: it may change */

			if (doc < p->limit)
				words[doc >> 6] |= UINT64_C(1) << (doc & 63);
		}
		return;
	case POSTING_GAPS:
		or_gaps(gaps_of(p), words);
		return;
	case POSTING_BLOCKS:
		for (uint32_t i = 0; i < p->one; i++) {
			const struct posting_block b = p->blocks[i]; /* read once: it may change */

			or_block(p, &b, words);
		}
	}
}

static uint32_t
count_documents(const uint32_t *docs, uint32_t n, const uint64_t *words)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < n; i++)
		found += words[docs[i] >> 6] >> (docs[i] & 63) & 1;
	return found;
}

/* A derived list may contain a document several times in a row. */
static uint32_t
count_list(const struct posting *p, const uint64_t *words)
{
	uint32_t n = 0, last = UINT32_MAX;

	for (uint32_t i = 0; i < p->n; i++) {
		uint32_t doc = p->list[i]; /* read once: it may change */

		if (doc < p->limit && doc != last)
			n += (uint32_t)(words[doc >> 6] >> (doc & 63) & 1);
		last = doc;
	}
	return n;
}

static uint32_t
count_gaps(struct gaps g, const uint64_t *words)
{
	uint32_t docs[BATCH], n, found = 0;

	while ((n = gaps_next(&g, docs, BATCH)) > 0)
		found += count_documents(docs, n, words);
	return found;
}

static uint32_t
count_block(const struct posting *p, const struct posting_block *b, const uint64_t *words)
{
	const unsigned char *content = block_content(p, b);
	const uint64_t *in = words + (size_t)b->key * INDEX_BLOCK_WORDS;
	uint64_t room[INDEX_BLOCK_WORDS];

	if (content == NULL)
		return 0;
	switch (block_form(b)) {
	case BLOCK_BITMAP:
	case BLOCK_MISSING:
		return (uint32_t)words_count_and(
		    in, block_words(p, b, content, room), INDEX_BLOCK_WORDS);
	case BLOCK_GAPS:
		return count_gaps(gaps_of_block(p, b, content), words);
	}
	return 0;
}

uint32_t
posting_count(const struct posting *p, const uint64_t *words)
{
	uint32_t n = 0;

	switch (p->form) {
	case POSTING_NONE:
		break;
	case POSTING_ONE:
		return count_documents(&p->one, 1, words);
	case POSTING_LIST:
		return count_list(p, words);
	case POSTING_GAPS:
		return count_gaps(gaps_of(p), words);
	case POSTING_BLOCKS:
		for (uint32_t i = 0; i < p->one; i++) {
			const struct posting_block b = p->blocks[i]; /* read once: it may change */

			n += count_block(p, &b, words);
		}
	}
	return n;
}

static uint32_t
list_block(const struct posting *p, const struct posting_block *b, uint32_t *out, uint32_t room)
{
	const unsigned char *content = block_content(p, b);
	uint64_t made[INDEX_BLOCK_WORDS];
	const uint64_t *words;
	uint32_t base = (uint32_t)b->key << 16, n = 0;
	struct gaps g;

	if (content == NULL)
		return 0;
	if (block_form(b) == BLOCK_GAPS) {
		g = gaps_of_block(p, b, content);
		return gaps_next(&g, out, room);
	}
	words = block_words(p, b, content, made);
	for (uint32_t k = 0; k < INDEX_BLOCK_WORDS; k++)
		for (uint64_t w = words[k]; w != 0 && n < room; w &= w - 1)
			out[n++] = base + k * 64 + (uint32_t)__builtin_ctzll(w);
	return n;
}

uint32_t
posting_list(const struct posting *p, uint32_t *out)
{
	struct gaps g = gaps_of(p);
	uint32_t n = 0;

	switch (p->form) {
	case POSTING_NONE:
		break;
	case POSTING_ONE:
		out[n++] = p->one;
		break;
	case POSTING_LIST:
		for (uint32_t i = 0; i < p->n; i++) {
			uint32_t doc = p->list[i]; /* read once: it may change */

			if (doc < p->limit)
				out[n++] = doc;
		}
		break;
	case POSTING_GAPS:
		return gaps_next(&g, out, p->n);
	case POSTING_BLOCKS:
		for (uint32_t i = 0; i < p->one; i++) {
			const struct posting_block b = p->blocks[i];

			n += list_block(p, &b, out + n, p->n - n);
		}
	}
	return n;
}
