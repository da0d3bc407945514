/* SPDX-License-Identifier: ISC */
/* The documents of terms: the second step of a test (leaf.h). Postings are united into a sorted
 * list when they are short, and into a bitmap otherwise. */
#include "config.h"

#include "search/index/read/leaf.h"

enum { SPEND_EVERY = 4096, LIST_TERMS = 64 };

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
derive_posting(const struct leaf *f, uint32_t id, uint32_t room[POSTING_DERIVED])
{
	struct posting p;
	uint32_t n;

	if (!posting_open(f->t, LEVEL_NESTED, id, f->r->seg->nnested, &p) || p.n > POSTING_DERIVED)
		return (struct posting){ .form = POSTING_NONE };
	n = posting_list(&p, room);
	for (uint32_t i = 0; i < n; i++)
		room[i] =
		    room[i] < f->r->seg->nnested ? segment_owner(f->r->seg, room[i]) : UINT32_MAX;
	return (struct posting){
		.form = POSTING_LIST, .n = n, .limit = f->r->seg->ndocs, .list = room
	};
}

struct posting
leaf_posting(const struct leaf *f, uint32_t id, uint32_t room[POSTING_DERIVED])
{
	struct posting p;

	if (posting_open(f->t, f->l, id, segment_level(f->r->seg, f->l), &p))
		return p;
	return derive_posting(f, id, room);
}

/* The most documents that the terms may have: a derived posting may have a document several
   times. */
static uint64_t
sum_counts(const struct leaf *f, const struct scratch *ids)
{
	uint64_t sum = 0;
	struct posting p;

	for (size_t i = 0; i < ids->n; i++) {
		if (!posting_open(f->t, f->l, ids->p[i], segment_level(f->r->seg, f->l), &p))
			(void)!posting_open(f->t, LEVEL_NESTED, ids->p[i], f->r->seg->nnested, &p);
		sum += p.n;
	}
	return sum;
}

/* Collects a few hits as a sorted list, instead of a bitmap over all documents that would have
 * to be cleared. A count that changed since the sum was made means damage: such a posting is left
 * out, and mapped_intact fails the request later. */
static struct set
list_documents(
    const struct leaf *f, const struct set_space *sp, const struct scratch *ids, uint64_t sum)
{
	struct set out = { .form = SET_LIST };
	uint32_t room[POSTING_DERIVED];

	out.list = ARENA_ARRAY(f->r->arena, sum + 1, uint32_t);
	for (size_t i = 0; i < ids->n; i++) {
		struct posting p = leaf_posting(f, ids->p[i], room);

		if (p.n <= sum - out.n)
			out.n += posting_list(&p, out.list + out.n);
	}
	if (ids->n > 1)
		qsort(out.list, out.n, sizeof(*out.list), by_number);
	return clamp_set(sp, out);
}

/* The documents of all terms in ids. */
struct set
leaf_documents(const struct leaf *f, const struct scratch *ids)
{
	struct set_space sp = run_space(f->r, f->l);
	uint64_t sum = ids->n <= LIST_TERMS ? sum_counts(f, ids) : UINT64_MAX, spent = 0;
	struct set out = { .form = SET_WORDS };
	uint32_t room[POSTING_DERIVED];

	if (sum == 0 || !run_spend(f->r, ids->n))
		return set_none();
	if (sum <= SET_LIST_MAX)
		return list_documents(f, &sp, ids, sum);
	out.words = pool_get(f->r->pool);
	memset(out.words, 0, sp.nwords * sizeof(*out.words));
	for (size_t i = 0; i < ids->n; i++) {
		struct posting p = leaf_posting(f, ids->p[i], room);

		posting_ahead(&p);
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
