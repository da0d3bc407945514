/* SPDX-License-Identifier: ISC */
/* Looks for watched words in a name: in the label of its registrable domain, and in the labels
 * below it.
 *
 *   paypa1-login.example        parts: "paypai", "iogin"     joined: "paypaiiogin"
 *     whole label               words                        homoglyph, or the same label
 *     whole label               deletes                      typo
 *     each run of parts         words                        combo; all parts: the word with hyphens in it
 *     each part                 deletes                      combo, misspelled
 *     substrings of a part      words, beside lures or at an end of the part
 *     a part without its lure   deletes
 *
 * All texts are folded. The unfolded parts are kept beside them where both forms of the label
 * have the same hyphens. */
#include "config.h"

#include "lookalike/lookalike_priv.h"
#include "lookalike/words_priv.h"

enum { LABELS_MOST = 16, TYPO_TEXT = 4 };

/* A label with its hyphen parts. */
struct label {
	struct str raw, plain, paired;
	struct str below;  /* as in struct likeness: NULL for the label of the registrable domain */
	struct str behind; /* the name behind the label */
	struct {
		struct str raw, plain;
		bool lure;
	} parts[PARTS_MOST];
	size_t nparts, hyphens;
	bool lure_beside; /* another label of the name has a lure */
};

struct search {
	const struct lookalike_index *x;
	struct arena *a;
	struct found_name name;
	struct lookalike_match *matches;
	size_t n;
	/* by watched domain: index in `matches` plus one, or 0; NULL before the first match */
	uint32_t *places;
};

/* ---- matches ---- */

/* Keeps the best match of each watched domain. A match of a registrable domain is never replaced by
   one of a label below it, because the name of one registration may occur in many names. */
static void
offer_match(struct search *s, const struct likeness *l)
{
	struct lookalike_match m, *best;
	uint32_t *place;

	if (str_within(s->name.registrable, l->word->domain) || !judge_likeness(l, &m))
		return;
	if (s->places == NULL)
		s->places = ARENA_ARRAY(s->a, s->x->nwatched, uint32_t);
	place = &s->places[m.watched];
	if (*place == 0) {
		s->matches = arena_room(s->a, s->matches, s->n, sizeof(m));
		s->matches[s->n++] = m;
		*place = (uint32_t)s->n;
		return;
	}
	best = &s->matches[*place - 1];
	if (m.reasons.sum > best->reasons.sum &&
	    (l->below.p == NULL || best->class == LOOKALIKE_SUBDOMAIN))
		*best = m;
}

/* ---- misspelled texts ---- */

struct spelling {
	struct search *s;
	struct likeness l; /* all of the likeness but its word */
	const struct watched_word *last;
	size_t least; /* shortest watched word that counts */
};

static void
try_spelling(void *arg, uint64_t hash)
{
	struct spelling *t = arg;
	const struct lookalike_index *x = t->s->x;
	const struct watched_word *w;
	uint32_t at = 0;

	while ((w = words_next(x, &x->deletes, hash, &at)) != NULL) {
		size_t distance;

		if (w == t->last)
			continue;
		t->last = w;
		distance = edit_distance(w->plain, t->l.plain);
		if (w->raw.n < t->least || distance == 0 || distance > w->edits ||
		    (distance > 1 && w->plain.p[0] != t->l.plain.p[0]))
			continue;
		t->l.word = w;
		offer_match(t->s, &t->l);
	}
}

static void
find_misspelled(struct search *s, const struct likeness *text, size_t least)
{
	struct spelling t = { .s = s, .l = *text, .least = least };

	t.l.misspelled = true;
	if (text->plain.n >= TYPO_TEXT && text->plain.n <= LABEL_MOST)
		each_delete(text->plain, text->plain.n >= FAR_WORD - 2 ? 2 : 1, try_spelling, &t);
}

/* ---- the whole label ---- */

static void
find_whole(struct search *s, const struct label *v)
{
	struct likeness l = { .name = &s->name,
		.raw = v->raw,
		.plain = v->plain,
		.below = v->below,
		.behind = v->behind,
		.lure = v->lure_beside };
	uint64_t hash = word_hash(v->plain);
	const struct watched_word *w;
	uint32_t at = 0;

	while ((w = words_next(s->x, &s->x->whole, hash, &at)) != NULL)
		if (str_eq(w->plain, v->plain)) {
			l.word = w;
			offer_match(s, &l);
		}
	hash = word_hash(v->paired);
	at = 0;
	while ((w = words_next(s->x, &s->x->whole, hash, &at)) != NULL)
		if (str_eq(w->paired, v->paired)) {
			l.word = w;
			offer_match(s, &l);
		}
	if (v->below.p == NULL)
		find_misspelled(s, &l, TYPO_WORD);
}

/* ---- parts between hyphens ---- */

/* Notes the properties of the parts other than those from `from` to `to`. */
static void
look_beside(const struct label *v, size_t from, size_t to, struct likeness *l)
{
	bool own = to - from + 1 < v->nparts;

	for (size_t i = 0; i < v->nparts; i++) {
		if (i >= from && i <= to)
			continue;
		own &= is_own_words(v->parts[i].plain);
		l->lure |= v->parts[i].lure;
		l->www |= str_is(v->parts[i].plain, "www");
		l->digits |= has_digits(v->parts[i].raw);
		l->random |= is_random(v->parts[i].plain);
		l->whole_domain |= i == to + 1 && str_is(v->parts[i].plain, "com");
	}
	l->own |= own;
}

static struct str
join_parts(struct search *s, const struct label *v, size_t from, size_t to, bool raw)
{
	struct buf b = { .a = s->a };

	if (from == to)
		return raw ? v->parts[from].raw : v->parts[from].plain;
	for (size_t i = from; i <= to; i++)
		buf_str(&b, raw ? v->parts[i].raw : v->parts[i].plain);
	return buf_done(&b);
}

/* Whether each part is an ordinary word, as in disney-plus, which the owner may write with a
   hyphen, too. A part of an A-label is not ordinary. */
static bool
has_only_words(const struct label *v)
{
	for (size_t i = 0; i < v->nparts; i++)
		if (v->parts[i].raw.p == NULL ||
		    (!is_ordinary(v->parts[i].raw) && v->parts[i].raw.n >= TYPO_TEXT))
			return false;
	return true;
}

static void
find_run(struct search *s, const struct label *v, size_t from, size_t to)
{
	bool all = from == 0 && to + 1 == v->nparts;
	struct likeness l = { .name = &s->name,
		.shape = all ? SHAPE_WHOLE : SHAPE_PART,
		.hyphen = all,
		.raw = join_parts(s, v, from, to, true),
		.plain = join_parts(s, v, from, to, false),
		.below = v->below,
		.behind = v->behind,
		.lure = v->lure_beside,
		.hyphens = v->hyphens };
	size_t least = from == to ? HYPHEN_WORD : TYPO_WORD;
	uint64_t hash = word_hash(l.plain);
	const struct watched_word *w;
	uint32_t at = 0;

	look_beside(v, from, to, &l);
	if (all && has_only_words(v))
		return;
	while ((w = words_next(s->x, &s->x->whole, hash, &at)) != NULL)
		if (w->raw.n >= least && str_eq(w->plain, l.plain) &&
		    (w->raw.n >= TYPO_WORD || str_eq(w->raw, l.raw))) {
			l.word = w;
			offer_match(s, &l);
		}
	if (from == to && v->below.p == NULL)
		find_misspelled(s, &l, TYPO_WORD);
}

static void
find_runs(struct search *s, const struct label *v)
{
	for (size_t from = 0; v->nparts > 1 && from < v->nparts; from++)
		for (size_t to = from; to < v->nparts; to++)
			find_run(s, v, from, to);
}

/* ---- within a part ---- */

static struct str
text_between(struct str s, size_t from, size_t to)
{
	return (struct str){ s.p + from, to - from };
}

/* Whether a watched word inside a part is more than an accident, when the rest of the part is not
   made of lures alone. Common words contain others (sanfrancisco, opensearch), and a rest of one
   letter is a misspelling. */
static bool
means_word_within(const struct watched_word *w, struct str left, struct str right, bool lure)
{
	bool strange = is_random(left) || is_random(right) || has_digits(left) || has_digits(right);

	if (left.n > 0 && right.n > 0 && !lure)
		return false;
	if (left.n + right.n == 1)
		return w->raw.n >= LONG_WORD;
	return w->raw.n >= AFFIX_WORD ||
	       (!w->ordinary && (lure || strange) && left.n + right.n >= 3);
}

/* Tries a word at an offset of a part. It counts when the rest consists of lures, or when the word
   is long enough and at an end of the part. */
static void
try_within(
    struct search *s, const struct label *v, size_t part, const struct watched_word *w, size_t from)
{
	struct str plain = v->parts[part].plain, raw = v->parts[part].raw;
	struct str left = text_between(plain, 0, from);
	struct str right = text_between(plain, from + w->plain.n, plain.n);
	bool only_lures = (left.n == 0 || is_lures(left)) && (right.n == 0 || is_lures(right));
	struct likeness l = { .word = w,
		.name = &s->name,
		.shape = only_lures ? SHAPE_JOINED : SHAPE_AFFIX,
		.raw = w->raw,
		.plain = w->plain,
		.below = v->below,
		.behind = v->behind,
		.lure = has_lure(left) || has_lure(right) || str_is(left, "www"),
		.www = str_is(left, "www"),
		.digits = has_digits(left) || has_digits(right),
		.random = is_random(left) || is_random(right),
		.own = v->nparts == 1 && left.n + right.n > 0 &&
		       (left.n == 0 || is_own_words(left)) && (right.n == 0 || is_own_words(right)),
		.hyphens = v->hyphens };

	if (!only_lures &&
	    (v->below.p != NULL || is_ordinary(raw) || (!w->ordinary && is_ordinary_words(raw)) ||
		!means_word_within(w, left, right, l.lure)))
		return;
	look_beside(v, part, part, &l);
	l.lure |= v->lure_beside;
	offer_match(s, &l);
}

/* Tries the words whose folded form is the text between two offsets of a part. */
static void
try_substring(struct search *s, const struct label *v, size_t part, struct str text, uint64_t hash)
{
	const struct watched_word *w;
	uint32_t at = 0;

	while ((w = words_next(s->x, &s->x->whole, hash, &at)) != NULL)
		if (w->raw.n >= TYPO_WORD && str_eq(w->plain, text))
			try_within(s, v, part, w, (size_t)(text.p - v->parts[part].plain.p));
}

/* The number of digits at the beginning or end of a folded text. Folding made letters of 0 and 1. */
static size_t
digits_before(struct str s)
{
	size_t n = 0;

	while (n < s.n && s.p[n] >= '0' && s.p[n] <= '9')
		n++;
	return n;
}

static size_t
digits_behind(struct str s)
{
	size_t n = 0;

	while (n < s.n && s.p[s.n - 1 - n] >= '0' && s.p[s.n - 1 - n] <= '9')
		n++;
	return n;
}

static void
find_within(struct search *s, const struct label *v, size_t part)
{
	struct str text = v->parts[part].plain;

	for (size_t from = 0; from + TYPO_WORD <= text.n; from++) {
		uint64_t hash = HASH_START;

		for (size_t to = from + 1; to <= text.n; to++) {
			hash = hash_byte(hash, text.p[to - 1]);
			if (to - from >= TYPO_WORD && to - from < text.n)
				try_substring(s, v, part, text_between(text, from, to), hash);
		}
	}
}

/* Looks for a misspelled word in the rest of a part, from one offset to another. The other text of
   the part is a lure or digits. */
static void
find_in_rest(struct search *s, const struct label *v, size_t part, size_t from, size_t to)
{
	struct str plain = v->parts[part].plain, raw = v->parts[part].raw;
	size_t other = plain.n - (to - from);
	/* When folding did not change the length, the letters of both forms are at the same
	   places. */
	struct likeness l = { .name = &s->name,
		.shape = SHAPE_JOINED,
		.raw = raw.n == plain.n ? text_between(raw, from, to) : STR_NULL,
		.plain = text_between(plain, from, to),
		.digits = has_digits(text_between(plain, 0, from)) ||
			  has_digits(text_between(plain, to, plain.n)),
		.hyphens = v->hyphens };

	l.lure = !l.digits;
	find_misspelled(s, &l, other < LURE_ANCHOR ? JOINED_FAR : JOINED_TYPO);
}

/* Finds a misspelled word directly before or after a lure or digits, without a hyphen between
   them. */
static void
find_beside_lure(struct search *s, const struct label *v, size_t part)
{
	struct str plain = v->parts[part].plain;
	size_t before = lure_before(plain), behind = lure_behind(plain);

	if (before == 0)
		before = digits_before(plain);
	if (behind == 0)
		behind = digits_behind(plain);
	if (before > 0 && before < plain.n)
		find_in_rest(s, v, part, before, plain.n);
	if (behind > 0 && behind < plain.n)
		find_in_rest(s, v, part, 0, plain.n - behind);
}

/* ---- labels ---- */

static void
split_label(struct search *s, struct label *v)
{
	struct str plain, raw = v->raw;
	size_t hyphens = 0;

	v->plain = fold_with(s->a, v->raw, false);
	v->paired = fold_with(s->a, v->raw, true);
	plain = v->plain;
	for (size_t i = 0; i < plain.n; i++)
		v->hyphens += plain.p[i] == '-';
	for (size_t i = 0; i < raw.n; i++)
		hyphens += raw.p[i] == '-';
	if (hyphens != v->hyphens) /* the hyphens of an A-label do not separate parts */
		raw = STR_NULL;
	while (plain.p != NULL && v->nparts < PARTS_MOST) {
		struct str part = str_until(&plain, '-');
		struct str written = raw.p == NULL ? STR_NULL : str_until(&raw, '-');

		if (part.n == 0)
			continue;
		v->parts[v->nparts].raw = written;
		v->parts[v->nparts].plain = part;
		v->parts[v->nparts++].lure = has_lure(part);
	}
}

static void
find_in_label(struct search *s, struct label *v)
{
	split_label(s, v);
	find_whole(s, v);
	find_runs(s, v);
	for (size_t i = 0; i < v->nparts; i++) {
		find_within(s, v, i);
		if (v->below.p == NULL)
			find_beside_lure(s, v, i);
	}
}

/* ---- labels below the registrable one ---- */

static bool
has_lures(struct search *s, struct str labels)
{
	while (labels.p != NULL) {
		struct str label = str_until(&labels, '.');

		while (label.p != NULL)
			if (has_lure(fold_with(s->a, str_until(&label, '-'), false)))
				return true;
	}
	return false;
}

/* Whether a label begins with an underscore, as in paypal.com._report._dmarc.example, which is not
   the name of a host. */
static bool
has_service_label(struct str labels)
{
	for (size_t i = 0; i < labels.n; i++)
		if (labels.p[i] == '_' && (i == 0 || labels.p[i - 1] == '.'))
			return true;
	return false;
}

static void
find_below(struct search *s)
{
	struct str rest = s->name.name;
	size_t suffix = s->name.suffix.n + 1;

	for (size_t i = 0; i < LABELS_MOST && rest.n > s->name.registrable.n; i++) {
		struct str below = rest, raw = str_until(&rest, '.'), beside = rest;
		struct str left = { s->name.name.p, (size_t)(below.p - s->name.name.p) };

		beside.n -= beside.n < suffix ? beside.n : suffix; /* a name may have a NUL */
		if (raw.n == 0 || raw.n > LABEL_MOST || has_service_label(rest))
			continue;
		find_in_label(s, &(struct label){ .raw = raw,
				     .below = below,
				     .behind = rest,
				     .lure_beside =
					 has_lures(s, beside) || has_lures(s, left) });
	}
}

size_t
lookalike_find(
    const struct lookalike_index *x, struct arena *a, struct str name, struct lookalike_match **out)
{
	struct search s = { .x = x, .a = a };
	bool shared;

	*out = NULL;
	if (!name_split(a, name, &s.name))
		return 0;
	shared = lookalike_is_shared(name);
	if (!shared || !s.name.hosted)
		find_in_label(&s, &(struct label){ .raw = s.name.label });
	if (!shared)
		find_below(&s);
	*out = s.matches;
	return s.n;
}
