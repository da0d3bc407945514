/* SPDX-License-Identifier: ISC */
/* The documents of terms: the second step of a test (leaf.h). Postings are united into a sorted list when they are
 * short, and into a bitmap otherwise. */
#include "config.h"

#include "search/index/read/leaf.h"

enum { SPEND_EVERY = 4096 };

static int
by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Removes documents at and above the limit, which only a broken file has: they would be read out of
   bounds. */
static struct set
clamp_set(const struct set_space *sp, struct set s)
{
	uint32_t n = 0;

	if (s.form == SET_WORDS && sp->limit % INDEX_BLOCK != 0) {
		if (sp->limit % 64 != 0)
			s.words[sp->limit >> 6] &= ~(UINT64_MAX << (sp->limit & 63));
		for (size_t i = (sp->limit + 63u) >> 6; i < sp->nwords; i++)
			s.words[i] = 0;
	}
	if (s.form == SET_LIST) {
		for (uint32_t i = 0; i < s.n; i++)
			if (s.list[i] < sp->limit && (n == 0 || s.list[n - 1] != s.list[i]))
				s.list[n++] = s.list[i];
		s.n = n;
	}
	return s;
}

/* The posting of documents that is not stored because that of nested documents is short: their
   owners. */
static struct posting
derive_posting(const struct leaf *f, uint32_t id, uint32_t room[POSTING_SMALL])
{
	struct posting p;
	uint32_t n;

	if (!posting_open(f->t, LEVEL_NESTED, id, f->r->seg->nnested, &p) || p.n > POSTING_SMALL)
		return (struct posting){ .form = POSTING_NONE };
	n = posting_list(&p, room);
	for (uint32_t i = 0; i < n; i++)
		room[i] = room[i] < f->r->seg->nnested ? f->r->seg->owner[room[i]] : UINT32_MAX;
	return (struct posting){
		.form = POSTING_LIST, .n = n, .limit = f->r->seg->ndocs, .list = room
	};
}

struct posting
leaf_posting(const struct leaf *f, uint32_t id, uint32_t room[POSTING_SMALL])
{
	struct posting p;

	if (posting_open(f->t, f->l, id, segment_level(f->r->seg, f->l), &p))
		return p;
	return derive_posting(f, id, room);
}

static uint64_t
sum_counts(const struct leaf *f, const struct scratch *ids)
{
	const uint32_t *count = f->t->level[f->l].count;
	uint64_t sum = 0;

	for (size_t i = 0; i < ids->n && count != NULL; i++)
		sum += count[ids->p[i]];
	return sum;
}

/* Collects a few hits as a sorted list, instead of a bitmap over all documents that would have
 * to be cleared. The room is an estimate from the stored counts; a derived posting has up to
 * POSTING_SMALL documents and its count may be smaller, because several services of a host are
 * one document. A count that changed since the estimate means damage: such a posting is left
 * out, and mapped_intact fails the request later. */
static struct set
list_documents(
    const struct leaf *f, const struct set_space *sp, const struct scratch *ids, uint64_t sum)
{
	/* a derived posting may have a document several times */
	uint64_t most = sum + ids->n * POSTING_SMALL + 1;
	struct set out = { .form = SET_LIST };
	uint32_t room[POSTING_SMALL];

	out.list = ARENA_ARRAY(f->r->arena, most, uint32_t);
	for (size_t i = 0; i < ids->n; i++) {
		struct posting p = leaf_posting(f, ids->p[i], room);

		if (p.n <= most - out.n) /* else its count has changed since it was added to sum */
			out.n += posting_list(&p, out.list + out.n);
	}
	if (ids->n > 1)
		qsort(out.list, out.n, sizeof(*out.list), by_number);
	return clamp_set(sp, out);
}

struct set
leaf_documents(const struct leaf *f, const struct scratch *ids)
{
	struct set_space sp = run_space(f->r, f->l);
	uint64_t sum = sum_counts(f, ids), spent = 0;
	struct set out = { .form = SET_WORDS };
	uint32_t room[POSTING_SMALL];

	if (sum == 0 || !run_spend(f->r, ids->n))
		return set_none();
	if (sum <= SET_LIST_MAX && ids->n <= 64)
		return list_documents(f, &sp, ids, sum);
	out.words = pool_get(f->r->pool);
	memset(out.words, 0, sp.nwords * sizeof(*out.words));
	for (size_t i = 0; i < ids->n; i++) {
		struct posting p = leaf_posting(f, ids->p[i], room);

		posting_or(&p, out.words);
		spent += p.n + 1;
		if (spent >= SPEND_EVERY || i + 1 == ids->n) {
			if (!run_spend(f->r, spent))
				break;
			spent = 0;
		}
	}
	return clamp_set(&sp, out);
}
