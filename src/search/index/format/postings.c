/* SPDX-License-Identifier: ISC */
/* Writes and reads postings, the documents of a term. A page of the file may become zeros after its
   verification (mapped.c), so every offset and every count is checked when it is used: reading
   stays inside the file and returns only documents below the limit. */
#include "config.h"

#include "search/index/format/postings.h"
#include "search/index/format/words.h"

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
	uint16_t small[POSTING_ARRAY];
	uint64_t words[INDEX_BLOCK_WORDS];

	if (n <= POSTING_ARRAY) {
		for (uint32_t i = 0; i < n; i++)
			small[i] = (uint16_t)docs[i];
		buf_add(b, small, n * sizeof(*small));
		pad_to(b, 8);
		return;
	}
	memset(words, 0, sizeof(words));
	for (uint32_t i = 0; i < n; i++)
		words[(docs[i] & 0xffff) >> 6] |= UINT64_C(1) << (docs[i] & 63);
	buf_add(b, words, sizeof(words));
}

static uint32_t
block_end(const uint32_t *docs, uint32_t n, uint32_t from)
{
	uint32_t i = from;

	while (i < n && docs[i] >> 16 == docs[from] >> 16)
		i++;
	return i;
}

/* Writes a long posting: a table, then the documents of each block of 65536, without their upper
 * 16 bits. Documents 7, 9 and 65541, as if they were many:
 *
 *   nblocks 2, 0 | key 0, last 1, at8 3 | key 1, last 0, at8 4 | 7 9 (padded) | 5 (padded)
 *                |<------- one posting_block a block -------->|  ^ at8 * 8 bytes from the start
 *
 * A block with more than POSTING_ARRAY documents is a bitmap of 8 kB, which is smaller than the
 * array from there on. `last` is the number of documents minus 1, because 65536 does not fit
 * into 16 bits; the reader decides by it whether the block is an array or a bitmap. */
static void
write_blocks(struct buf *b, const uint32_t *docs, uint32_t n)
{
	size_t start = b->n, table;
	uint32_t nblocks = 0, zero = 0;

	for (uint32_t i = 0; i < n; i = block_end(docs, n, i))
		nblocks++;
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

uint64_t
posting_write(struct buf *b, const uint32_t *docs, uint32_t n)
{
	uint64_t at;

	if (n <= 1)
		return n == 0 ? 0 : docs[0];
	pad_to(b, 8);
	at = b->n;
	if (n <= POSTING_SMALL)
		buf_add(b, docs, n * sizeof(*docs));
	else
		write_blocks(b, docs, n);
	return at;
}

/* ---- reading ---- */

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

/* Opens the posting of a term; posting_or and posting_list then read it. SECTION_AT has the
 * document itself when there is only one, so a rare term costs no byte and no cache line of the
 * postings.
 *
 * A count or an offset that the file cannot have makes an empty posting and no error. The file
 * was valid when it was opened, so only damage in place can cause that, and mapped_intact fails
 * the request when it has finished. Until then readers must only stay inside their arrays. */
bool
posting_open(const struct terms *t, enum level l, uint32_t id, uint32_t limit, struct posting *out)
{
	uint64_t at;

	*out = (struct posting){ .form = POSTING_NONE, .limit = limit };
	if (t->level[l].at == NULL || t->level[l].count == NULL || id > t->n)
		return true;
	at = t->level[l].at[id];
	if (at == INDEX_NEVER)
		return false;
	out->n = t->level[l].count[id];
	if (out->n == 1 && at < limit) {
		out->one = (uint32_t)at;
		out->form = POSTING_LIST;
	} else if (out->n > 1 && out->n <= limit && at < t->npostings && at % 8 == 0) {
		out->start = t->postings + at;
		out->room = t->npostings - at;
		if (out->n > POSTING_SMALL) {
			if (open_blocks(out))
				return true;
		} else if (out->room >= out->n * sizeof(uint32_t)) {
			out->list = (const uint32_t *)(const void *)out->start;
			out->form = POSTING_LIST;
		}
	}
	if (out->form == POSTING_NONE)
		out->n = 0;
	return true;
}

static const uint32_t *
list_of(const struct posting *p)
{
	return p->list != NULL ? p->list : &p->one;
}

/* The documents of a block, or NULL when they are outside of the file or above the limit. */
static const void *
block_content(const struct posting *p, const struct posting_block *b)
{
	uint64_t at = (uint64_t)b->at8 * 8;
	uint64_t n = b->last < POSTING_ARRAY ? (b->last + 1u) * sizeof(uint16_t)
					     : INDEX_BLOCK_WORDS * sizeof(uint64_t);

	if (b->key >= p->limit || at > p->room || p->room - at < n)
		return NULL;
	return p->start + at;
}

void
posting_or(const struct posting *p, uint64_t *words)
{
	if (p->form == POSTING_LIST) {
		const uint32_t *list = list_of(p);

		for (uint32_t i = 0; i < p->n; i++) {
			uint32_t doc = list[i]; /* read once: it may change */

			if (doc < p->limit)
				words[doc >> 6] |= UINT64_C(1) << (doc & 63);
		}
	}
	if (p->form != POSTING_BLOCKS)
		return;
	for (uint32_t i = 0; i < p->one; i++) {
		const struct posting_block b = p->blocks[i]; /* read once: it may change */
		const void *content = block_content(p, &b);
		uint64_t *out = words + (size_t)b.key * INDEX_BLOCK_WORDS;

		if (content == NULL)
			continue;
		if (b.last < POSTING_ARRAY) {
			const uint16_t *docs = content;

			for (uint32_t k = 0; k <= b.last; k++)
				out[docs[k] >> 6] |= UINT64_C(1) << (docs[k] & 63);
		} else {
			const uint64_t *in = content;

			for (size_t k = 0; k < INDEX_BLOCK_WORDS; k++)
				out[k] |= in[k];
		}
	}
}

static uint32_t
count_list(const struct posting *p, const uint64_t *words)
{
	const uint32_t *list = list_of(p);
	uint32_t n = 0, last = UINT32_MAX;

	for (uint32_t i = 0; i < p->n; i++) {
		uint32_t doc = list[i]; /* read once: it may change */

		if (doc < p->limit && doc != last)
			n += words[doc >> 6] >> (doc & 63) & 1;
		last = doc;
	}
	return n;
}

uint32_t
posting_count(const struct posting *p, const uint64_t *words)
{
	uint32_t n = 0;

	if (p->form == POSTING_LIST)
		return count_list(p, words);
	for (uint32_t i = 0; p->form == POSTING_BLOCKS && i < p->one; i++) {
		const struct posting_block b = p->blocks[i]; /* read once: it may change */
		const void *content = block_content(p, &b);
		const uint64_t *in = words + (size_t)b.key * INDEX_BLOCK_WORDS;
		const uint16_t *docs = content;

		if (content == NULL)
			continue;
		for (uint32_t k = 0; b.last < POSTING_ARRAY && k <= b.last; k++)
			n += in[docs[k] >> 6] >> (docs[k] & 63) & 1;
		if (b.last >= POSTING_ARRAY)
			n += (uint32_t)words_count_and(in, content, INDEX_BLOCK_WORDS);
	}
	return n;
}

static uint32_t
list_block(const struct posting_block *b, const void *content, uint32_t *out, uint32_t room)
{
	uint32_t base = (uint32_t)b->key * INDEX_BLOCK, n = 0;
	const uint16_t *docs = content;
	const uint64_t *words = content;

	if (b->last < POSTING_ARRAY) {
		for (uint32_t k = 0; k <= b->last && n < room; k++)
			out[n++] = base + docs[k];
		return n;
	}
	for (uint32_t k = 0; k < INDEX_BLOCK_WORDS; k++)
		for (uint64_t w = words[k]; w != 0 && n < room; w &= w - 1)
			out[n++] = base + k * 64 + (uint32_t)__builtin_ctzll(w);
	return n;
}

uint32_t
posting_list(const struct posting *p, uint32_t *out)
{
	const uint32_t *list = list_of(p);
	uint32_t n = 0;

	if (p->form == POSTING_LIST)
		for (uint32_t i = 0; i < p->n; i++) {
			uint32_t doc = list[i]; /* read once: it may change */

			if (doc < p->limit)
				out[n++] = doc;
		}
	if (p->form == POSTING_BLOCKS)
		for (uint32_t i = 0; i < p->one; i++) {
			const struct posting_block b = p->blocks[i];
			const void *content = block_content(p, &b);

			if (content != NULL)
				n += list_block(&b, content, out + n, p->n - n);
		}
	return n;
}
