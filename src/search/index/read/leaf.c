/* SPDX-License-Identifier: ISC */
/* Evaluates one test over one segment in two steps: values to terms by the dictionary, terms to
 * documents by their postings. Dates have no terms, they are scanned; neither has the address that
 * is the key of a host, because documents are sorted by key.
 *
 *   os:linux     dictionary, folded -> terms 4 (Linux), 9 (linux)    ids
 *                postings of 4 and 9, united                          a list or a bitmap
 *   *.x.com      the range of the subtree x.com, each name compared with the pattern
 *   [1 TO 9]     a range of terms; all their postings
 *
 * The first step costs as much as the dictionary, the second as much as the hits, and a client
 * chooses both. So each loop charges its work (run_spend). f->r->ids is one list for all tests
 * of a request; a test empties it when it begins, and uses it up before the next one begins. */
#include "config.h"

#include "search/index/read/request.h"
#include "search/index/format/postings.h"
#include "search/text.h"

enum { SPEND_EVERY = 4096, SMALL_MAX = 1 << 30, LIST_TERMS = 64 };
#define SECOND UINT64_C(1000000)

/* The test, and the level of the documents that it returns; a nested field can be tested at both
   levels. */
struct leaf {
	struct run *r;
	const struct node *node;
	const struct terms *t;
	enum level l;
};

/* ---- terms to documents ---- */

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

static struct posting
open_term(const struct leaf *f, uint32_t id, uint32_t room[POSTING_DERIVED])
{
	struct posting p;

	if (posting_open(f->t, f->l, id, segment_level(f->r->seg, f->l), &p))
		return p;
	return derive_posting(f, id, room);
}

/* The most documents that the terms may have: a derived posting may have a document several times. */
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
		struct posting p = open_term(f, ids->p[i], room);

		if (p.n <= sum - out.n)
			out.n += posting_list(&p, out.list + out.n);
	}
	if (ids->n > 1)
		qsort(out.list, out.n, sizeof(*out.list), by_number);
	return clamp_set(sp, out);
}

/* The documents of all terms in ids. */
static struct set
documents_of_terms(const struct leaf *f, const struct scratch *ids)
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
		struct posting p = open_term(f, ids->p[i], room);

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

/* ---- values to terms ---- */

static void
add_terms(struct scratch *ids, uint32_t lo, uint32_t hi)
{
	scratch_fit(ids, ids->n + (hi > lo ? hi - lo : 0));
	for (uint32_t i = lo; i < hi; i++)
		ids->p[ids->n++] = i;
}

static void
add_found(const struct leaf *f, uint32_t id)
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
	add_terms(f->r->ids, from, lo);
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

static void
match_pattern(const struct leaf *f, struct str pattern)
{
	struct str key = fold_string(f->r->arena, pattern), s;
	uint64_t spent = 0;
	uint32_t range[2];

	pattern_range(f, key, range);
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

/* The first term that is not less than the key of an address; with `after`, the first that is greater. */
static uint32_t
address_term(const struct terms *t, struct str key, bool after)
{
	uint32_t i = terms_lower(t, key);
	struct term_text room;

	return i + (after && i < t->n && str_eq(terms_str(t, i, &room), key));
}

/* The key of the first or the last address of a network. In an IPv6 network it is the key of an IPv6 address, even where
   the bits are those of an IPv4 address, as in segment_net. */
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
	add_terms(f->r->ids, address_term(f->t, net_key(net->a, four, &first), false),
	    address_term(f->t, net_key(last, four, &end), true));
}

static void
match_value(const struct leaf *f, const struct value *v, bool exact)
{
	switch (f->node->field->type) {
	case VALUE_KEYWORD:
		if (exact)
			add_found(f, terms_find(f->t, v->s));
		else
			match_keyword(f, v->s);
		return;
	case VALUE_DNS:
		if (exact)
			add_found(f, terms_find(f->t, v->s));
		else
			match_name(f, v->s);
		return;
	case VALUE_TEXT: /* the whole value, in version 3 of the format its hash; match_text compares tokens */
		add_found(f, f->t->form == FORM_INTS ? terms_find_int(f->t, text_key(v->s))
						     : terms_find(f->t, v->s));
		return;
	case VALUE_INTEGER:
		add_found(f, terms_find_int(f->t, v->i));
		return;
	case VALUE_NUMBER:
		add_found(f, terms_find_int(f->t, number_key(v->n)));
		return;
	case VALUE_BOOLEAN:
		add_found(f, terms_find_int(f->t, v->b));
		return;
	case VALUE_IP:
		add_net(f, &v->ip);
		return;
	case VALUE_DATE:
		return;
	}
}

/* ---- text ---- */

struct tokens {
	const struct leaf *f;
	struct set out;
	bool any;
};

static void
match_token(void *arg, struct str token)
{
	struct tokens *k = arg;
	const struct leaf *f = k->f;
	struct set_space sp = run_space(f->r, f->l);

	if (k->any && set_is_empty(&k->out))
		return;
	f->r->ids->n = 0;
	add_found(f, terms_find(f->t, token));
	k->out = k->any ? set_and(&sp, k->out, documents_of_terms(f, f->r->ids))
			: documents_of_terms(f, f->r->ids);
	k->any = true;
}

static void
count_query_token(void *arg, struct str token)
{
	(void)token;
	++*(unsigned *)arg;
}

/* Finds the documents with all tokens of s. They must be in the same value: a banner "a b" of
 * one service must not match because a is in one service and b in another. A nested document has
 * one value of a text, so several tokens are combined on the nested level and mapped to their
 * documents at the end. One token alone needs no such detour and uses the postings of documents. */
static struct set
match_text(const struct leaf *leaf, struct str s)
{
	struct leaf f = *leaf;
	struct tokens k = { .f = &f, .out = set_none() };
	unsigned n = 0;

	f.t = segment_terms(f.r->seg, f.node->field, PART_TOKENS);
	text_tokens(f.r->arena, s, count_query_token, &n);
	if (n > 1 && f.node->field->nested)
		f.l = LEVEL_NESTED;
	text_tokens(f.r->arena, s, match_token, &k);
	return f.l == leaf->l ? k.out : eval_owners(f.r, k.out);
}

/* Keeps the documents whose text has this hash. */
static struct set
keep_hash(const struct leaf *f, struct set candidates, uint32_t hash)
{
	struct set_space sp = run_space(f->r, f->l);
	struct set out = { .form = SET_WORDS };
	uint32_t batch[1024];
	struct set_walk w;
	size_t n;

	if (set_is_empty(&candidates))
		return set_none();
	out.words = pool_get(f->r->pool);
	memset(out.words, 0, sp.nwords * sizeof(*out.words));
	set_walk_begin(&w, &sp, &candidates, 0);
	while ((n = set_walk_next(&w, batch, COUNT(batch))) > 0 && run_spend(f->r, n))
		for (size_t i = 0; i < n; i++)
			if (packed_value(&f->t->hashes, batch[i]) == hash)
				out.words[batch[i] >> 6] |= UINT64_C(1) << (batch[i] & 63);
	if (candidates.form == SET_WORDS)
		pool_put(f->r->pool, candidates.words);
	return out;
}

/* The documents that have a text without any token. */
static struct set
texts_without_token(const struct leaf *leaf)
{
	struct set_space sp = run_space(leaf->r, leaf->l);
	struct leaf f = *leaf;
	struct set all;

	f.r->ids->n = 0;
	scratch_add(f.r->ids, f.t->n);
	all = documents_of_terms(&f, f.r->ids);
	f.t = segment_terms(f.r->seg, f.node->field, PART_TOKENS);
	f.r->ids->n = 0;
	scratch_add(f.r->ids, f.t->n);
	return set_andnot(&sp, all, documents_of_terms(&f, f.r->ids));
}

/* Finds the documents whose text is s, where the file has a hash of 32 bits of each text. The hash alone would find a
 * wrong one among some million texts; only those with the same tokens are compared. */
static struct set
match_whole_text(const struct leaf *leaf, struct str s)
{
	struct leaf f = *leaf;
	unsigned n = 0;
	struct set out;

	f.l = f.node->field->nested ? LEVEL_NESTED : LEVEL_DOCUMENT;
	text_tokens(f.r->arena, s, count_query_token, &n);
	out = keep_hash(&f, n > 0 ? match_text(&f, s) : texts_without_token(&f), text_hash(s));
	return f.l == leaf->l ? out : eval_owners(f.r, out);
}

/* ---- dates ---- */

/* Both ends are inclusive. A document without a date has INT64_MIN, which no span contains. */
struct span_us {
	int64_t lo, hi;
};

/* Tests 64 dates. The first loop writes a byte for each, so that the compiler can use vectors; the
   second one packs eight bytes of 0 or 1 into eight bits by a multiplication. */
#define DATES_WORD(name, type)                                                                     \
	static uint64_t name(const type *d, type lo, type hi)                                      \
	{                                                                                          \
		unsigned char in[64];                                                              \
		uint64_t word = 0, eight;                                                          \
                                                                                                   \
		for (int i = 0; i < 64; i++)                                                       \
			in[i] = (unsigned char)((d[i] >= lo) & (d[i] <= hi));                      \
		for (int i = 0; i < 8; i++) {                                                      \
			memcpy(&eight, in + i * 8, sizeof(eight));                                 \
			word |= (eight * UINT64_C(0x0102040810204080) >> 56) << i * 8;             \
		}                                                                                  \
		return word;                                                                       \
	}

DATES_WORD(times_word, int64_t)
DATES_WORD(seconds_word, uint32_t)

/* The whole seconds of a span, counted from the epoch; lo is greater than hi when there are none. 0 is no date. */
static void
span_seconds(const struct terms *t, const struct span_us *s, uint32_t *lo, uint32_t *hi)
{
	uint64_t after = (uint64_t)s->lo - (uint64_t)t->epoch,
		 before = (uint64_t)s->hi - (uint64_t)t->epoch;
	uint64_t from = after / SECOND + (after % SECOND != 0), to = before / SECOND;

	from = s->lo <= t->epoch ? 1 : from;
	to = s->hi < t->epoch ? 0 : to;
	*lo = from > UINT32_MAX ? UINT32_MAX : (uint32_t)from;
	*hi = from > UINT32_MAX ? 0 : to > UINT32_MAX ? UINT32_MAX : (uint32_t)to;
}

/* Tests the dates of those documents among 64 that have one. */
static uint64_t
packed_word(const struct packed *p, uint32_t base, uint32_t lo, uint32_t hi)
{
	uint32_t i = p->has.before[base >> 6];
	uint64_t word = 0;

	for (uint64_t bits = p->has.bits[base >> 6]; bits != 0 && i < p->n; bits &= bits - 1, i++)
		if (p->values[i] >= lo && p->values[i] <= hi)
			word |= bits & -bits;
	return word;
}

static uint64_t
dates_word(const struct terms *t, uint32_t base, const struct span_us *s)
{
	uint32_t lo, hi;

	if (t->dates != NULL)
		return times_word(t->dates + base, s->lo, s->hi);
	span_seconds(t, s, &lo, &hi);
	return t->seconds.has.bits != NULL ? packed_word(&t->seconds, base, lo, hi)
					   : seconds_word(t->seconds.values + base, lo, hi);
}

static uint64_t
last_dates_word(const struct terms *t, uint32_t base, uint32_t end, const struct span_us *s)
{
	uint64_t word = 0;

	for (uint32_t i = base; i < end; i++) {
		int64_t us = terms_date(t, i);

		word |= (uint64_t)(us >= s->lo && us <= s->hi) << (i - base);
	}
	return word;
}

static struct set
scan_dates(const struct leaf *leaf, const struct span_us *spans, size_t n)
{
	struct leaf f = *leaf;
	struct set out = { .form = SET_WORDS };
	struct set_space sp;

	f.l = f.node->field->nested ? LEVEL_NESTED : LEVEL_DOCUMENT;
	sp = run_space(f.r, f.l);
	if (!terms_have_dates(f.t))
		return set_none();
	out.words = pool_get(f.r->pool);
	memset(out.words, 0, sp.nwords * sizeof(*out.words));
	for (uint32_t base = 0; base < sp.limit; base += 64) {
		uint64_t word = 0;

		for (size_t k = 0; k < n; k++)
			word |= sp.limit - base < 64
				    ? last_dates_word(f.t, base, sp.limit, &spans[k])
				    : dates_word(f.t, base, &spans[k]);
		out.words[base >> 6] = word;
		if (base % 65536 == 0 && !run_spend(f.r, 65536))
			break;
	}
	return f.l == leaf->l ? out : eval_owners(f.r, out);
}

static struct set
match_dates(const struct leaf *f)
{
	const struct node *n = f->node;
	struct span_us *spans = ARENA_ARRAY(f->r->arena, n->nvalues, struct span_us);

	for (size_t i = 0; i < n->nvalues; i++)
		spans[i].lo = spans[i].hi = n->values[i].ts.us;
	return scan_dates(f, spans, n->nvalues);
}

static struct set
range_dates(const struct leaf *f)
{
	const struct node *n = f->node;
	struct span_us s = { INT64_MIN + 1, INT64_MAX };

	if (n->lo.set)
		s.lo = n->lo.v.ts.us + !n->lo.inclusive;
	if (n->hi.set)
		s.hi = n->hi.v.ts.us - !n->hi.inclusive;
	return scan_dates(f, &s, 1);
}

/* ---- addresses ---- */

/* Whether the field is the address by which documents are sorted. */
static bool
is_key(const struct leaf *f)
{
	return f->r->seg->addresses && f->node->field == schema_address(f->r->seg->dataset);
}

static struct set
match_nets(const struct leaf *f)
{
	struct set_space sp = run_space(f->r, f->l);
	struct set out = set_none();

	for (size_t i = 0; i < f->node->nvalues; i++) {
		struct set one = { .form = SET_RANGE };

		segment_net(f->r->seg, &f->node->values[i].ip, &one.lo, &one.hi);
		if (one.lo < one.hi &&
		    one.hi - one.lo <= 64) { /* a union of lists is cheaper than of ranges */
			uint32_t lo = one.lo, n = one.hi - one.lo;

			one = (struct set){ .form = SET_LIST, .n = n };
			one.list = ARENA_ARRAY(f->r->arena, n, uint32_t);
			for (uint32_t k = 0; k < n; k++)
				one.list[k] = lo + k;
		}
		out = set_or(&sp, out, one);
	}
	return out;
}

/* The first document whose address is not less than the bound; with `after`, the first that is
   greater. */
static uint32_t
address_place(const struct segment *seg, const struct bound *b, bool after)
{
	uint32_t doc = segment_lower_ip(seg, b->v.ip.a);
	unsigned char at[16];

	if (!after || doc >= seg->ndocs)
		return doc;
	segment_ip(seg, doc, at);
	return doc + (memcmp(at, b->v.ip.a, 16) == 0);
}

static struct set
range_keys(const struct leaf *f)
{
	const struct node *n = f->node;
	struct set out = { .form = SET_RANGE, .hi = f->r->seg->ndocs };

	if (n->lo.set)
		out.lo = address_place(f->r->seg, &n->lo, !n->lo.inclusive);
	if (n->hi.set)
		out.hi = address_place(f->r->seg, &n->hi, n->hi.inclusive);
	return out.lo < out.hi ? out : set_none();
}

/* ---- ranges of terms ---- */

static uint32_t
range_place(const struct leaf *f, const struct bound *b, bool after)
{
	const struct terms *t = f->t;
	struct segment_key room;
	struct str s;
	uint32_t i;
	int64_t key;

	if (t->form == FORM_INTS) {
		key = f->node->field->type == VALUE_NUMBER    ? number_key(b->v.n)
		      : f->node->field->type == VALUE_BOOLEAN ? b->v.b
							      : b->v.i;
		i = terms_lower_int(t, key);
		return i + (after && i < t->n && t->ints[i] == key);
	}
	if (t->form == FORM_ADDRS)
		return address_term(t, address_key(b->v.ip.a, &room), after);
	s = b->v.s;
	i = terms_lower(t, s);
	return i + (after && i < t->n && str_eq(terms_str(t, i, &f->r->term), s));
}

static struct set
range_terms(const struct leaf *f)
{
	const struct node *n = f->node;
	uint32_t lo = 0, hi = f->t->n;

	if (f->t->form == FORM_NONE)
		return set_none();
	if (n->lo.set)
		lo = range_place(f, &n->lo, !n->lo.inclusive);
	if (n->hi.set)
		hi = range_place(f, &n->hi, n->hi.inclusive);
	add_terms(f->r->ids, lo, hi);
	return documents_of_terms(f, f->r->ids);
}

/* ---- */

static struct set
match_all_values(const struct leaf *f, bool exact)
{
	const struct node *n = f->node;
	struct set_space sp = run_space(f->r, f->l);
	struct set out = set_none();

	if (is_key(f))
		return match_nets(f);
	if (n->field->type == VALUE_DATE)
		return match_dates(f);
	if (n->field->type == VALUE_TEXT && (!exact || f->t->form == FORM_HASHED)) {
		for (size_t i = 0; i < n->nvalues; i++)
			out = set_or(&sp, out,
			    exact ? match_whole_text(f, n->values[i].s)
				  : match_text(f, n->values[i].s));
		return out;
	}
	for (size_t i = 0; i < n->nvalues; i++)
		match_value(f, &n->values[i], exact);
	return documents_of_terms(f, f->r->ids);
}

static struct set
match_any_value(const struct leaf *f)
{
	struct set_space sp = run_space(f->r, f->l);

	if (is_key(f))
		return set_all(&sp);
	if (f->node->field->type == VALUE_DATE)
		return range_dates(f);
	scratch_add(f->r->ids, f->t->n);
	return documents_of_terms(f, f->r->ids);
}

static struct set
match_wildcards(struct leaf *f)
{
	const struct node *n = f->node;

	if (n->field->type == VALUE_TEXT) /* patterns of text are compared with tokens */
		f->t = segment_terms(f->r->seg, n->field, PART_TOKENS);
	if (f->t->form != FORM_STRINGS && f->t->form != FORM_HEX && f->t->form != FORM_NAMES)
		return set_none();
	for (size_t i = 0; i < n->nvalues; i++)
		match_pattern(f, n->values[i].s);
	return documents_of_terms(f, f->r->ids);
}

/* Evaluates the test of a boolean that says whether the time of a date has passed: it is a test of that date. */
static struct set
eval_passed(struct run *r, const struct node *n, enum level l)
{
	struct set_space sp = run_space(r, l);
	struct node date = { .type = NODE_EXISTS, .field = n->field->passed, .bare = n->bare };
	struct set out = set_none();

	if (n->type == NODE_EXISTS)
		return eval_leaf(r, &date, l);
	for (size_t i = 0; i < n->nvalues; i++) {
		struct bound now = { true, !n->values[i].b, { .type = VALUE_DATE, .ts = r->now } };

		date.type = NODE_RANGE;
		date.lo = n->values[i].b ? (struct bound){ .set = false } : now;
		date.hi = n->values[i].b ? now : (struct bound){ .set = false };
		out = set_or(&sp, out, eval_leaf(r, &date, l));
	}
	return out;
}

struct set
eval_leaf(struct run *r, const struct node *n, enum level l)
{
	struct leaf f = { .r = r, .node = n, .l = l };
	struct node own = *n;

	if (n->field->of != NULL) { /* a field of a view has its values in the source */
		own.field = n->field->of;
		return eval_leaf(r, &own, l);
	}
	if (l == LEVEL_NESTED && !n->field->nested)
		return eval_owned(r, eval_leaf(r, n, LEVEL_DOCUMENT));
	if (n->field->passed != NULL)
		return eval_passed(r, n, l);
	/* The segment was built without the field and has no values of it. A query that names the
	   field must not get an answer without them. */
	if (!r->seg->has[n->field->index]) {
		if (r->rc == ENGINE_OK && !n->bare)
			r->rc = ENGINE_UNAVAILABLE;
		return set_none();
	}
	f.t = segment_terms(r->seg, n->field, PART_VALUES);
	r->ids->n = 0;
	switch (n->type) {
	case NODE_EXISTS:
		return match_any_value(&f);
	case NODE_MATCH:
		return match_all_values(&f, false);
	case NODE_EXACT:
		return match_all_values(&f, true);
	case NODE_WILDCARD:
		return match_wildcards(&f);
	case NODE_RANGE:
		if (is_key(&f))
			return range_keys(&f);
		return n->field->type == VALUE_DATE ? range_dates(&f) : range_terms(&f);
	case NODE_ALL:
	case NODE_AND:
	case NODE_OR:
	case NODE_NOT:
	case NODE_NESTED:
		break;
	}
	panic("node type %d is not a test", (int)n->type);
}
