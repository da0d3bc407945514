/* SPDX-License-Identifier: ISC */
/* The terms of values: the first step of a test (leaf.h). The dictionary of a slot is sorted, so an
 * exact value is a binary search, and all values that begin alike are a range. Patterns are
 * compared with each term of a range. */
#include "config.h"

#include "search/index/read/leaf.h"
#include "search/text.h"

enum { SPEND_EVERY = 4096, SMALL_MAX = 1 << 30 };

void
leaf_add_terms(struct scratch *ids, uint32_t lo, uint32_t hi)
{
	scratch_fit(ids, ids->n + (hi > lo ? hi - lo : 0));
	for (uint32_t i = lo; i < hi; i++)
		ids->p[ids->n++] = i;
}

void
leaf_add_found(const struct leaf *f, uint32_t id)
{
	if (id < f->t->n)
		scratch_add(f->r->ids, id);
}

static struct str
fold_string(struct arena *a, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] >= 0x80)
			return text_fold(a, s);
	return arena_lower(a, s);
}

static uint32_t
term_in_fold_order(const struct terms *t, uint32_t i)
{
	uint32_t id = t->fold == NULL ? i : t->fold[i];

	return id < t->n ? id : i;
}

static void
free_small(void *small)
{
	arena_free(small);
}

/* The i-th term in the folded order, folded. It lives until drop_folded: terms may be long and a
   search may look at all of them, so folded terms must not fill the memory of the request. */
static struct str
folded_term(const struct leaf *f, uint32_t i)
{
	struct str s = terms_str(f->t, term_in_fold_order(f->t, i), &f->r->term);

	if (f->t->fold == NULL)
		return s;
	if (f->r->small == NULL) {
		f->r->small = arena_new(SMALL_MAX);
		arena_defer(f->r->arena, free_small, f->r->small);
	}
	return fold_string(f->r->small, s);
}

static void
drop_folded(const struct leaf *f)
{
	if (f->r->small != NULL)
		arena_reset(f->r->small);
}

/* Compares the i-th term in the folded order with a folded text, or its beginning with a prefix. */
static int
cmp_folded(const struct leaf *f, uint32_t i, struct str key, bool prefix)
{
	struct str s = folded_term(f, i);
	int c;

	if (prefix && s.n > key.n)
		s.n = key.n;
	c = str_cmp(s, key);
	drop_folded(f);
	return c;
}

/* Finds the terms, a range in the folded order, that equal the key or start with it. Keywords
 * are compared without case, and the dictionary is sorted by bytes, where Linux and linux are
 * far apart; SECTION_FOLD has the order in which they are neighbours:
 *
 *   dictionary   0 FreeBSD  1 Linux  2 Windows  3 linux
 *   folded       FreeBSD 0, Linux 1, linux 3, Windows 2     key "linux": out = 1, 3
 *
 * One binary search for each end: the first place that is not less, and the first that is
 * greater. */
static void
folded_range(const struct leaf *f, struct str key, bool prefix, uint32_t out[2])
{
	for (int side = 0; side < 2; side++) {
		uint32_t lo = 0, hi = f->t->n;

		while (lo < hi) {
			uint32_t mid = lo + (hi - lo) / 2;

			if (cmp_folded(f, mid, key, prefix) < side)
				lo = mid + 1;
			else
				hi = mid;
		}
		out[side] = lo;
	}
}

static void
match_keyword(const struct leaf *f, struct str s)
{
	uint32_t range[2];

	folded_range(f, fold_string(f->r->arena, s), false, range);
	for (uint32_t i = range[0]; i < range[1]; i++)
		scratch_add(f->r->ids, term_in_fold_order(f->t, i));
}

/* Finds the name itself and all its subdomains. They are one range of the dictionary; this searches
   its end. */
static void
match_name(const struct leaf *f, struct str key)
{
	uint32_t lo = terms_lower(f->t, key), hi = f->t->n, from = lo;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		struct str s = terms_str(f->t, mid, &f->r->term);

		if (str_within(s, key))
			lo = mid + 1;
		else
			hi = mid;
	}
	leaf_add_terms(f->r->ids, from, lo);
}

/* The range of terms that can match the pattern. */
static void
pattern_range(const struct leaf *f, struct str key, uint32_t range[2])
{
	struct scratch *ids = f->r->ids;
	size_t n = ids->n;

	range[0] = 0;
	range[1] = f->t->n;
	if (f->t->form != FORM_NAMES) {
		folded_range(f, glob_prefix(key), true, range);
	} else if (glob_subtree(key).n > 0) {
		/* match_name adds the terms of the subtree, which are removed again */
		match_name(f, glob_subtree(key));
		range[0] = ids->n > n ? ids->p[n] : 0;
		range[1] = ids->n > n ? ids->p[ids->n - 1] + 1 : 0;
		ids->n = n;
	}
}

void
leaf_find_pattern(const struct leaf *f, struct str pattern)
{
	struct str key = fold_string(f->r->arena, pattern), s;
	uint64_t spent = 0;
	uint32_t range[2];

	pattern_range(f, key, range);
	terms_ahead(f->t, range[0], range[1]);
	for (uint32_t i = range[0]; i < range[1]; i++) {
		s = folded_term(f, i);
		if (text_glob(key, s))
			scratch_add(f->r->ids, term_in_fold_order(f->t, i));
		spent += glob_cost(key, s);
		if (spent < SPEND_EVERY && i + 1 < range[1])
			continue;
		drop_folded(f);
		if (!run_spend(f->r, spent))
			return;
		spent = 0;
	}
}

uint32_t
leaf_find_address(const struct terms *t, struct str key, bool after)
{
	uint32_t i = terms_lower(t, key);
	struct term_text room;

	return i + (after && i < t->n && str_eq(terms_str(t, i, &room), key));
}

/* The key of the first or the last address of a network. In an IPv6 network it is the key of an
   IPv6 address, even where the bits are those of an IPv4 address, as in segment_net. */
static struct str
net_key(const unsigned char ip[16], bool four, struct segment_key *out)
{
	if (four)
		return address_key(ip, out);
	out->n = 17;
	out->bytes[0] = 6;
	memcpy(out->bytes + 1, ip, 16);
	return segment_key_str(out);
}

/* Adds the terms of a network, which are neighbours. */
static void
add_net(const struct leaf *f, const struct ipnet *net)
{
	bool four = ip_is_v4(net->a) && net->bits >= 96;
	struct segment_key first, end;
	unsigned char last[16];

	memcpy(last, net->a, sizeof(last));
	for (unsigned bit = net->bits; bit < 128; bit++)
		last[bit / 8] |= (unsigned char)(0x80 >> bit % 8);
	leaf_add_terms(f->r->ids, leaf_find_address(f->t, net_key(net->a, four, &first), false),
	    leaf_find_address(f->t, net_key(last, four, &end), true));
}

void
leaf_find_value(const struct leaf *f, const struct value *v, bool exact)
{
	switch (f->node->field->type) {
	case VALUE_KEYWORD:
		if (exact)
			leaf_add_found(f, terms_find(f->t, v->s));
		else
			match_keyword(f, v->s);
		return;
	case VALUE_DNS:
		if (exact)
			leaf_add_found(f, terms_find(f->t, v->s));
		else
			match_name(f, v->s);
		return;
	/* the whole value, or its hash where the slot has hashes; match_text compares tokens */
	case VALUE_TEXT:
		leaf_add_found(f, f->t->form == FORM_INTS ? terms_find_int(f->t, text_key(v->s))
							  : terms_find(f->t, v->s));
		return;
	case VALUE_INTEGER:
		leaf_add_found(f, terms_find_int(f->t, v->i));
		return;
	case VALUE_NUMBER:
		leaf_add_found(f, terms_find_int(f->t, number_key(v->n)));
		return;
	case VALUE_BOOLEAN:
		leaf_add_found(f, terms_find_int(f->t, v->b));
		return;
	case VALUE_IP:
		add_net(f, &v->ip);
		return;
	case VALUE_DATE:
		return;
	}
}
