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

#include "search/index/read/leaf.h"
#include "search/text.h"

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
	leaf_add_found(f, terms_find(f->t, token));
	k->out = k->any ? set_and(&sp, k->out, leaf_documents(f, f->r->ids))
			: leaf_documents(f, f->r->ids);
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
	all = leaf_documents(&f, f.r->ids);
	f.t = segment_terms(f.r->seg, f.node->field, PART_TOKENS);
	f.r->ids->n = 0;
	scratch_add(f.r->ids, f.t->n);
	return set_andnot(&sp, all, leaf_documents(&f, f.r->ids));
}

/* Finds the documents whose text is s, where the file has a hash of 32 bits of each text. The hash
 * alone would find a wrong one among some million texts; only those with the same tokens are
 * compared. */
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
		return leaf_find_address(t, address_key(b->v.ip.a, &room), after);
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
	leaf_add_terms(f->r->ids, lo, hi);
	return leaf_documents(f, f->r->ids);
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
		return leaf_dates(f);
	if (n->field->type == VALUE_TEXT && (!exact || f->t->form == FORM_HASHED)) {
		for (size_t i = 0; i < n->nvalues; i++)
			out = set_or(&sp, out,
			    exact ? match_whole_text(f, n->values[i].s)
				  : match_text(f, n->values[i].s));
		return out;
	}
	for (size_t i = 0; i < n->nvalues; i++)
		leaf_find_value(f, &n->values[i], exact);
	return leaf_documents(f, f->r->ids);
}

static struct set
match_any_value(const struct leaf *f)
{
	struct set_space sp = run_space(f->r, f->l);

	if (is_key(f))
		return set_all(&sp);
	if (f->node->field->type == VALUE_DATE)
		return leaf_date_range(f);
	scratch_add(f->r->ids, f->t->n);
	return leaf_documents(f, f->r->ids);
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
		leaf_find_pattern(f, n->values[i].s);
	return leaf_documents(f, f->r->ids);
}

static void
keep_token(void *arg, struct str token)
{
	struct tokens *k = arg;

	leaf_add_found(k->f, terms_find(k->f->t, token));
}

bool
leaf_is_term(struct leaf *f, enum part *p, uint32_t *id)
{
	const struct node *n = f->node;
	struct scratch *ids = f->r->ids;

	if ((n->type != NODE_MATCH && n->type != NODE_EXACT) || n->nvalues != 1 ||
	    n->field->of != NULL || n->field->passed != NULL || is_key(f) ||
	    n->field->type == VALUE_DATE || !f->r->seg->has[n->field->index])
		return false;
	*p = n->field->type == VALUE_TEXT && n->type == NODE_MATCH ? PART_TOKENS : PART_VALUES;
	f->t = segment_terms(f->r->seg, n->field, *p);
	ids->n = 0;
	if (*p == PART_TOKENS)
		text_tokens(f->r->arena, n->values[0].s, keep_token, &(struct tokens){ .f = f });
	else
		leaf_find_value(f, &n->values[0], n->type == NODE_EXACT);
	*id = ids->n == 1 ? ids->p[0] : f->t->n;
	return ids->n == 1;
}

/* Evaluates the test of a boolean that says whether the time of a date has passed: it is a test of
   that date. */
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
		return n->field->type == VALUE_DATE ? leaf_date_range(&f) : range_terms(&f);
	case NODE_ALL:
	case NODE_AND:
	case NODE_OR:
	case NODE_NOT:
	case NODE_NESTED:
		break;
	}
	panic("node type %d is not a test", (int)n->type);
}
