/* SPDX-License-Identifier: ISC */
/* Classifies a likeness between a name and a watched word and adds its points
   (tbl/lookalike_weights.h). */
#include "config.h"

#include "lookalike/lookalike_priv.h"
#include "lookalike/words_priv.h"

static const struct {
	const char *code;
	int points;
} weights[] = {
#define LOOKALIKE_WEIGHT(id, code, points, help) { code, points },
#include "tbl/lookalike_weights.h"
#undef LOOKALIKE_WEIGHT
};

const char *
lookalike_weight_code(enum lookalike_weight w)
{
	return weights[w].code;
}

void
lookalike_reason_add(struct lookalike_reasons *r, enum lookalike_weight code, int points)
{
	if (r->n == COUNT(r->p))
		panic("a look-alike has more reasons than codes");
	r->p[r->n++] = (struct lookalike_reason){ code, points };
	r->sum += points;
}

static void
add_if(struct lookalike_reasons *r, bool condition, enum lookalike_weight code)
{
	if (condition)
		lookalike_reason_add(r, code, weights[code].points);
}

static void
add_length_points(struct lookalike_reasons *r, size_t length, size_t most)
{
	int beyond = (int)(length < most ? length : most) - TYPO_WORD;

	if (beyond > 0)
		lookalike_reason_add(r, WEIGHT_LENGTH, beyond * weights[WEIGHT_LENGTH].points);
}

static bool
is_plain_ascii(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] >= 0x80)
			return false;
	return true;
}

/* ---- homoglyphs ---- */

static char
digit_class(char c)
{
	return c == '0' ? 'o' : c == '1' || c == 'l' ? 'i' : c;
}

/* Whether two ASCII texts look alike only because rn and nn look like m, or cl like d. */
static bool
is_letter_pair(struct str word, struct str raw)
{
	size_t w = 0, wide = 0;

	if (raw.n == word.n) {
		for (size_t i = 0; i < raw.n; i++)
			if (digit_class(raw.p[i]) != digit_class(word.p[i]))
				return true;
		return false;
	}
	for (size_t i = 0; i + 1 < raw.n; i++)
		wide += raw.p[i] == 'v' && raw.p[i + 1] == 'v';
	for (size_t i = 0; i < word.n; i++)
		w += word.p[i] == 'w';
	return wide < w || w == 0;
}

static bool
judge_homoglyph(const struct likeness *l, struct lookalike_match *m)
{
	bool ascii = is_plain_ascii(l->name->unicode);
	bool pair = ascii && is_letter_pair(l->word->raw, l->raw);

	/* In ASCII, folding makes unrelated short words equal, such as acl and ad. */
	if (l->word->raw.n < TYPO_WORD && ascii)
		return false;
	m->class = LOOKALIKE_HOMOGLYPH;
	add_if(&m->reasons, true, WEIGHT_HOMOGLYPH);
	add_if(&m->reasons, !ascii, WEIGHT_OTHER_SCRIPT);
	add_if(&m->reasons, pair, WEIGHT_LETTER_PAIR);
	if (pair)
		add_length_points(&m->reasons, l->word->raw.n, LONG_WORD);
	add_if(&m->reasons, is_ordinary(l->raw), WEIGHT_ORDINARY);
	return true;
}

/* ---- misspellings ---- */

static bool
is_digit_for(char digit, char letter)
{
	static const char pairs[] = "2z3e4a5s6b6g7t8b9g9q";

	for (size_t i = 0; i + 1 < sizeof(pairs); i += 2)
		if (pairs[i] == digit && pairs[i + 1] == letter)
			return true;
	return false;
}

static bool
has_digit_for_letter(struct str word, struct str text)
{
	for (size_t i = 0; word.n == text.n && i < word.n; i++)
		if (is_digit_for(text.p[i], word.p[i]))
			return true;
	return false;
}

/* Whether the text lacks one of two equal neighbouring letters of the word. */
static bool
is_undoubled(struct str word, struct str text)
{
	size_t same = 0;

	while (same < text.n && text.p[same] == word.p[same])
		same++;
	return same > 0 && same < word.n && word.p[same] == word.p[same - 1];
}

/* Whether a finger that slips makes the edit: the letter that is added or replaced is beside the
   right one on the keyboard. */
static bool
is_slip(enum lookalike_edit edit, struct str word, struct str text)
{
	size_t same = 0, n = word.n < text.n ? word.n : text.n;

	while (same < n && text.p[same] == word.p[same])
		same++;
	if (edit == EDIT_REPLACEMENT)
		return same + 1 < n && is_beside(word.p[same], text.p[same]);
	return edit == EDIT_INSERTION && same < text.n &&
	       ((same > 0 && is_beside(word.p[same - 1], text.p[same])) ||
		   (same < word.n && is_beside(word.p[same], text.p[same])));
}

static bool
is_likely(enum lookalike_edit edit, struct str word, struct str text)
{
	return edit == EDIT_REPETITION || edit == EDIT_TRANSPOSITION ||
	       (edit == EDIT_OMISSION && is_undoubled(word, text)) || is_slip(edit, word, text);
}

static bool
differs_at_end(struct str word, struct str text)
{
	size_t n = word.n < text.n ? word.n : text.n;

	return word.n != text.n && memcmp(word.p, text.p, n) == 0 &&
	       (n == 0 || word.p[word.n - 1] != text.p[text.n - 1]);
}

static bool
is_number(char c)
{
	return c >= '0' && c <= '9';
}

/* Whether a digit is within a text of letters, or before it, where no name has one: r0blox is none
   of a series. */
static bool
has_stray_digit(struct str word, struct str text)
{
	return !has_digits(word) && has_digits(text) && !is_number(text.p[text.n - 1]);
}

/* Whether the texts differ only in digits, as names of a series do: cdn24 and cdn34. */
static bool
differs_in_digits(struct str word, struct str text)
{
	size_t w = 0, t = 0;
	bool digits = false;

	if (has_stray_digit(word, text))
		return false;

	for (;; w++, t++) {
		for (; w < word.n && is_number(word.p[w]); w++)
			digits = true;
		for (; t < text.n && is_number(text.p[t]); t++)
			digits = true;
		if (w == word.n || t == text.n || word.p[w] != text.p[t])
			break;
	}
	return digits && w == word.n && t == text.n;
}

/* Chooses the texts in which the edit is classified: the unfolded ones when they differ by one
   edit, else the folded ones. */
static void
edit_texts(const struct likeness *l, struct str *word, struct str *text)
{
	bool raw = l->raw.p != NULL && edit_distance(l->word->raw, l->raw) == 1;

	*word = raw ? l->word->raw : l->word->plain;
	*text = raw ? l->raw : l->plain;
}

static bool
has_hyphen(struct str s)
{
	return memchr(s.p, '-', s.n) != NULL;
}

static bool
judge_typo(const struct likeness *l, struct lookalike_match *m)
{
	struct str word, text;

	m->class = LOOKALIKE_TYPO;
	add_if(&m->reasons, true, WEIGHT_TYPO);
	add_length_points(&m->reasons, l->word->raw.n,
	    has_hyphen(l->word->raw) ? TYPO_WORD : LONG_TYPO);
	if (l->hyphen) {
		m->edit = EDIT_INSERTION;
		add_if(&m->reasons, true, WEIGHT_HYPHEN);
		return true;
	}
	edit_texts(l, &word, &text);
	m->edit = edit_name(word, text);
	if (differs_in_digits(word, text))
		return false;
	add_if(&m->reasons, m->edit == EDIT_TWO, WEIGHT_TWO_EDITS);
	add_if(&m->reasons, is_likely(m->edit, word, text), WEIGHT_EDIT);
	add_if(&m->reasons, has_digit_for_letter(word, text), WEIGHT_DIGIT);
	add_if(&m->reasons, has_stray_digit(word, text), WEIGHT_DIGITS);
	add_if(&m->reasons, word.p[0] != text.p[0], WEIGHT_FIRST_LETTER);
	add_if(&m->reasons, differs_at_end(word, text), WEIGHT_LAST_LETTER);
	add_if(&m->reasons, is_ordinary(l->raw) || is_ordinary_words(l->raw), WEIGHT_ORDINARY);
	return true;
}

/* ---- the word with additions ---- */

static bool
judge_combo(const struct likeness *l, struct lookalike_match *m)
{
	struct str word, text;
	bool own = l->own && !l->name->abused && !l->name->hosted;

	m->class = LOOKALIKE_COMBO;
	add_if(&m->reasons, l->shape == SHAPE_PART, WEIGHT_COMBO);
	add_if(&m->reasons, l->shape == SHAPE_JOINED, WEIGHT_JOINED);
	add_if(&m->reasons, l->shape == SHAPE_AFFIX, WEIGHT_AFFIX);
	if (l->misspelled) {
		edit_texts(l, &word, &text);
		m->edit = edit_name(word, text);
		add_if(&m->reasons, true, WEIGHT_MISSPELLED);
		add_if(&m->reasons, word.p[0] != text.p[0], WEIGHT_FIRST_LETTER);
		add_if(&m->reasons, is_ordinary(l->raw), WEIGHT_ORDINARY);
	}
	add_if(&m->reasons, l->word->raw.n < TYPO_WORD, WEIGHT_SHORT);
	add_if(&m->reasons, l->word->ordinary && (!l->lure || l->shape != SHAPE_PART), WEIGHT_WATCHED_WORD);
	if (!l->word->ordinary)
		add_length_points(&m->reasons, l->word->raw.n, LONG_WORD);
	add_if(&m->reasons, own, WEIGHT_OWN_WORD);
	add_if(&m->reasons, l->lure && !own, WEIGHT_LURE);
	add_if(&m->reasons, l->hyphens >= 2, WEIGHT_HYPHENS);
	add_if(&m->reasons, l->digits, WEIGHT_DIGITS);
	add_if(&m->reasons, l->random && !l->lure && !l->digits, WEIGHT_RANDOM);
	return true;
}

/* ---- below another domain ---- */

/* Whether the suffix of the watched domain follows the word: paypal.com.evil.example,
   usps.com-track.example. */
static bool
goes_on_with_suffix(struct str behind, struct str suffix)
{
	struct str next = str_until(&behind, '.'), top = str_until(&suffix, '.');

	next = str_until(&next, '-');
	return str_eq(next, top) || str_is(next, "com");
}

static bool
judge_below(const struct likeness *l, struct lookalike_match *m)
{
	bool whole = l->whole_domain ||
		     (l->shape == SHAPE_WHOLE && goes_on_with_suffix(l->behind, l->word->suffix));
	bool certain = l->www || whole;
	bool own = l->own && !l->name->abused && !l->name->hosted && !certain;

	m->class = LOOKALIKE_SUBDOMAIN;
	add_if(&m->reasons, true, WEIGHT_SUBDOMAIN);
	add_if(&m->reasons, whole, WEIGHT_WHOLE_DOMAIN);
	add_if(&m->reasons, l->www && !whole, WEIGHT_WWW);
	add_if(&m->reasons, own, WEIGHT_OWN_WORD);
	add_if(&m->reasons, l->lure && !own && !certain, WEIGHT_LURE);
	add_if(&m->reasons, l->word->raw.n < TYPO_WORD && !certain, WEIGHT_SHORT);
	add_if(&m->reasons, l->word->ordinary && !l->lure && !certain, WEIGHT_WATCHED_WORD);
	add_if(&m->reasons, l->name->strange && !certain, WEIGHT_STRANGE_DOMAIN);
	if (!l->word->ordinary && !certain)
		add_length_points(&m->reasons, l->word->raw.n, LONG_WORD);
	return true;
}

/* The label equals the word, but below another public suffix, or below a suffix where a provider's
   customers choose names. */
static bool
judge_same(const struct likeness *l, struct lookalike_match *m)
{
	if (!l->name->hosted) {
		m->class = LOOKALIKE_TLD;
		add_if(&m->reasons, true, WEIGHT_TLD);
		if ((l->name->abused || l->name->generic) && !l->word->ordinary)
			add_length_points(&m->reasons, l->word->raw.n, LONG_WORD);
		return true;
	}
	m->class = LOOKALIKE_SUBDOMAIN;
	add_if(&m->reasons, true, WEIGHT_SUBDOMAIN);
	add_if(&m->reasons, l->word->raw.n < TYPO_WORD, WEIGHT_SHORT);
	add_if(&m->reasons, l->word->ordinary, WEIGHT_WATCHED_WORD);
	if (!l->word->ordinary)
		add_length_points(&m->reasons, l->word->raw.n, LONG_WORD);
	return true;
}

bool
judge_likeness(const struct likeness *l, struct lookalike_match *m)
{
	bool resembles;

	*m = (struct lookalike_match){ .watched = l->word->watched,
		.word = l->word->raw,
		.registrable = l->name->registrable,
		.found = l->below.p != NULL ? l->below : l->name->registrable };
	if (l->below.p != NULL)
		resembles = judge_below(l, m);
	else if (l->shape != SHAPE_WHOLE)
		resembles = judge_combo(l, m);
	else if (l->misspelled || l->hyphen)
		resembles = judge_typo(l, m);
	else if (str_eq(l->raw, l->word->raw))
		resembles = judge_same(l, m);
	else
		resembles = judge_homoglyph(l, m);
	add_if(&m->reasons, resembles && l->name->known, WEIGHT_KNOWN);
	add_if(&m->reasons, resembles && l->name->abused, WEIGHT_ABUSED_SUFFIX);
	add_if(&m->reasons, resembles && l->name->restricted, WEIGHT_RESTRICTED);
	add_if(&m->reasons, resembles && l->name->hosted, WEIGHT_HOSTED);
	return resembles;
}
