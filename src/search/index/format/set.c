/* SPDX-License-Identifier: ISC */
/* Sets of documents, for the evaluation of queries. set.h describes the three forms. */
#include "config.h"

#include "search/index/format/set.h"
#include "search/index/format/words.h"

/* ---- bitmaps ---- */

/* Sets the bits [lo, hi). */
static void
fill_words(uint64_t *words, uint32_t lo, uint32_t hi)
{
	uint64_t first = UINT64_MAX << (lo & 63), last = UINT64_MAX >> (63 - ((hi - 1) & 63));
	size_t a = lo >> 6, b;

	if (lo >= hi)
		return;
	b = (hi - 1) >> 6;
	if (a == b) {
		words[a] |= first & last;
		return;
	}
	words[a] |= first;
	memset(words + a + 1, 0xff, (b - a - 1) * sizeof(*words));
	words[b] |= last;
}

/* Clears all bits but [lo, hi). */
static void
clear_outside(uint64_t *words, size_t nwords, uint32_t lo, uint32_t hi)
{
	size_t a = lo >> 6, b = (hi + 63) >> 6;

	memset(words, 0, a * sizeof(*words));
	memset(words + b, 0, (nwords - b) * sizeof(*words));
	if (b > a) {
		words[a] &= UINT64_MAX << (lo & 63);
		words[b - 1] &= UINT64_MAX >> (63 - ((hi - 1) & 63));
	}
}

/* ---- sets ---- */

struct set
set_none(void)
{
	return (struct set){ .form = SET_RANGE };
}

struct set
set_all(const struct set_space *sp)
{
	return (struct set){ .form = SET_RANGE, .hi = sp->limit };
}

bool
set_is_empty(const struct set *s)
{
	return (s->form == SET_RANGE && s->lo >= s->hi) || (s->form == SET_LIST && s->n == 0);
}

uint64_t *
set_as_words(const struct set_space *sp, const struct set *s)
{
	uint64_t *words = pool_get(sp->pool);

	if (s->form == SET_WORDS) {
		memcpy(words, s->words, sp->nwords * sizeof(*words));
		return words;
	}
	memset(words, 0, sp->nwords * sizeof(*words));
	if (s->form == SET_RANGE)
		fill_words(words, s->lo, s->hi);
	for (uint32_t i = 0; s->form == SET_LIST && i < s->n; i++)
		words[s->list[i] >> 6] |= UINT64_C(1) << (s->list[i] & 63);
	return words;
}

static struct set
to_words(const struct set_space *sp, struct set a)
{
	return a.form == SET_WORDS
		   ? a
		   : (struct set){ .form = SET_WORDS, .words = set_as_words(sp, &a) };
}

bool
set_has(const struct set *a, uint32_t doc)
{
	uint32_t lo = 0, hi = a->n;

	if (a->form == SET_RANGE)
		return doc >= a->lo && doc < a->hi;
	if (a->form == SET_WORDS)
		return a->words[doc >> 6] >> (doc & 63) & 1;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (a->list[mid] < doc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < a->n && a->list[lo] == doc;
}

/* Keeps those members of a list that are in b; with keep false, those that are not. */
static struct set
filter_list(struct set a, const struct set *b, bool keep)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < a.n; i++)
		if (set_has(b, a.list[i]) == keep)
			a.list[n++] = a.list[i];
	a.n = n;
	return a;
}

static struct set
swap_sets(struct set *a, struct set *b)
{
	struct set t = *a;

	*a = *b;
	*b = t;
	return *a;
}

/* Intersects two sets and consumes both (set.h). The swap leaves six combinations instead of
 * nine, and each takes the cheapest way: a list is filtered in place, a range only moves its
 * ends, and a range cuts a bitmap by clearing words outside. Only two bitmaps are combined word
 * by word. The bitmap that is no part of the result goes back to the pool at once: the pool is
 * not limited, and a query with hundreds of tests would otherwise keep hundreds of bitmaps. */
struct set
set_and(const struct set_space *sp, struct set a, struct set b)
{
	if (a.form > b.form)
		a = swap_sets(&a, &b);
	if (a.form == SET_LIST || (a.form == SET_RANGE && b.form == SET_LIST)) {
		struct set out =
		    a.form == SET_LIST ? filter_list(a, &b, true) : filter_list(b, &a, true);

		pool_put(sp->pool, b.words);
		return out;
	}
	if (a.form == SET_RANGE && b.form == SET_RANGE) {
		a.lo = a.lo > b.lo ? a.lo : b.lo;
		a.hi = a.hi < b.hi ? a.hi : b.hi;
		return a.lo < a.hi ? a : set_none();
	}
	if (a.form == SET_RANGE) {
		clear_outside(b.words, sp->nwords, a.lo, a.hi);
		return b;
	}
	for (size_t i = 0; i < sp->nwords; i++)
		a.words[i] &= b.words[i];
	pool_put(sp->pool, b.words);
	return a;
}

static struct set
merge_lists(const struct set_space *sp, const struct set *a, const struct set *b)
{
	struct set out = { .form = SET_LIST };
	uint32_t i = 0, k = 0;

	out.list = ARENA_ARRAY(sp->arena, a->n + b->n, uint32_t);
	while (i < a->n || k < b->n) {
		uint32_t x = i < a->n ? a->list[i] : UINT32_MAX;
		uint32_t y = k < b->n ? b->list[k] : UINT32_MAX;

		out.list[out.n++] = x < y ? x : y;
		i += x <= y;
		k += y <= x;
	}
	return out;
}

struct set
set_or(const struct set_space *sp, struct set a, struct set b)
{
	if (a.form > b.form)
		a = swap_sets(&a, &b);
	if (set_is_empty(&a))
		return b;
	if (set_is_empty(&b))
		return a;
	if (a.form == SET_RANGE && a.lo == 0 && a.hi == sp->limit) {
		pool_put(sp->pool, b.words);
		return a;
	}
	if (a.form == SET_LIST && b.form == SET_LIST && a.n + b.n <= SET_LIST_MAX)
		return merge_lists(sp, &a, &b);
	b = to_words(sp, b);
	if (a.form == SET_RANGE) {
		fill_words(b.words, a.lo, a.hi);
	} else if (a.form == SET_LIST) {
		for (uint32_t i = 0; i < a.n; i++)
			b.words[a.list[i] >> 6] |= UINT64_C(1) << (a.list[i] & 63);
	} else {
		for (size_t i = 0; i < sp->nwords; i++)
			b.words[i] |= a.words[i];
		pool_put(sp->pool, a.words);
	}
	return b;
}

struct set
set_not(const struct set_space *sp, struct set a)
{
	if (set_is_empty(&a))
		return set_all(sp);
	if (a.form == SET_RANGE && a.lo == 0)
		return a.hi < sp->limit
			   ? (struct set){ .form = SET_RANGE, .lo = a.hi, .hi = sp->limit }
			   : set_none();
	if (a.form == SET_RANGE && a.hi == sp->limit)
		return (struct set){ .form = SET_RANGE, .hi = a.lo };
	a = to_words(sp, a);
	for (size_t i = 0; i < sp->nwords; i++)
		a.words[i] = ~a.words[i];
	clear_outside(a.words, sp->nwords, 0, sp->limit);
	return a;
}

struct set
set_andnot(const struct set_space *sp, struct set a, struct set b)
{
	if (set_is_empty(&a) || set_is_empty(&b)) {
		pool_put(sp->pool, b.words);
		return a;
	}
	if (a.form == SET_LIST) {
		a = filter_list(a, &b, false);
		pool_put(sp->pool, b.words);
		return a;
	}
	if (b.form == SET_RANGE)
		return set_and(sp, a, set_not(sp, b));
	a = to_words(sp, a);
	if (b.form == SET_LIST) {
		for (uint32_t i = 0; i < b.n; i++)
			a.words[b.list[i] >> 6] &= ~(UINT64_C(1) << (b.list[i] & 63));
		return a;
	}
	for (size_t i = 0; i < sp->nwords; i++)
		a.words[i] &= ~b.words[i];
	pool_put(sp->pool, b.words);
	return a;
}

uint32_t
set_count(const struct set_space *sp, const struct set *a)
{
	if (a->form == SET_RANGE)
		return a->lo < a->hi ? a->hi - a->lo : 0;
	return a->form == SET_LIST ? a->n : (uint32_t)words_count(a->words, sp->nwords);
}

/* ---- walking ---- */

void
set_walk_begin(struct set_walk *w, const struct set_space *sp, const struct set *s, uint32_t from)
{
	*w = (struct set_walk){ .set = s, .nwords = sp->nwords };
	switch (s->form) {
	case SET_RANGE:
		w->next = from > s->lo ? from : s->lo;
		break;
	case SET_LIST:
		while (w->next < s->n && s->list[w->next] < from)
			w->next++;
		break;
	case SET_WORDS:
		w->next = from >> 6;
		if (w->next < w->nwords)
			w->word = s->words[w->next] & UINT64_MAX << (from & 63);
		break;
	}
}

static size_t
walk_words(struct set_walk *w, uint32_t *docs, size_t room)
{
	const uint64_t *words = w->set->words;
	size_t n = 0;

	while (w->next < w->nwords && room - n >= 64) {
		uint32_t base = w->next * 64;
		uint64_t word = w->word;

		if (word == UINT64_MAX) {
			for (uint32_t i = 0; i < 64; i++)
				docs[n + i] = base + i;
			n += 64;
		} else {
			for (; word != 0; word &= word - 1)
				docs[n++] = base + (uint32_t)__builtin_ctzll(word);
		}
		w->next++;
		w->word = w->next < w->nwords ? words[w->next] : 0;
	}
	return n;
}

size_t
set_walk_next(struct set_walk *w, uint32_t *docs, size_t room)
{
	const struct set *s = w->set;
	size_t n = 0;

	switch (s->form) {
	case SET_RANGE:
		while (n < room && w->next < s->hi)
			docs[n++] = w->next++;
		return n;
	case SET_LIST:
		while (n < room && w->next < s->n)
			docs[n++] = s->list[w->next++];
		return n;
	case SET_WORDS:
		while (n == 0 && w->next < w->nwords)
			n = walk_words(w, docs, room);
		return n;
	}
	return 0;
}
