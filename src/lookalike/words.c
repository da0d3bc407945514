/* SPDX-License-Identifier: ISC */
/* The tables of words: ordinary words, lures, and public suffixes. Each is sorted for a binary
   search. */
#include "config.h"

#include "lookalike/lookalike_priv.h"
#include "lookalike/words_priv.h"

static const char *const ordinary[] = {
#define ORDINARY_WORD(word) word,
#include "tbl/ordinary_words.h"
#undef ORDINARY_WORD
};

static const char *const abused[] = {
#define ABUSED_SUFFIX(suffix) suffix,
#include "tbl/abused_suffixes.h"
#undef ABUSED_SUFFIX
};

static const char *const shared[] = {
#define SHARED_DOMAIN(domain) domain,
#include "tbl/shared_domains.h"
#undef SHARED_DOMAIN
};

static const char *const hosting[] = {
#define HOSTING_SUFFIX(suffix) suffix,
#include "tbl/hosting_suffixes.h"
#undef HOSTING_SUFFIX
};

static const char *const known[] = {
#define KNOWN_DOMAIN(domain) domain,
#include "tbl/known_domains.h"
#undef KNOWN_DOMAIN
};

static const char *const own[] = {
#define OWN_WORD(word) word,
#include "tbl/own_words.h"
#undef OWN_WORD
};

static const char *const lures[] = {
#define LURE(word) word,
#include "tbl/lures.h"
#undef LURE
};

enum { LURE_LONGEST = 24, LURE_WITHIN = 3, LURE_ALONE = 5, ORDINARY_LEAST = 4 };

static bool
table_has(const char *const *table, size_t n, struct str word)
{
	size_t from = 0, to = n;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		int order = str_cmp(str_of(table[middle]), word);

		if (order == 0)
			return true;
		if (order < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return false;
}

bool
is_ordinary(struct str word)
{
	return table_has(ordinary, COUNT(ordinary), word);
}

bool
is_ordinary_words(struct str text)
{
	bool upto[LABEL_MOST + 1] = { true };

	if (text.n > LABEL_MOST || is_ordinary(text))
		return false;
	for (size_t to = ORDINARY_LEAST; to <= text.n; to++)
		for (size_t from = 0; from + ORDINARY_LEAST <= to && !upto[to]; from++)
			upto[to] =
			    upto[from] && is_ordinary((struct str){ text.p + from, to - from });
	return text.n > 0 && upto[text.n];
}

bool
is_abused_suffix(struct str suffix)
{
	return table_has(abused, COUNT(abused), suffix);
}

bool
is_known_domain(struct str domain)
{
	return table_has(known, COUNT(known), domain) || table_has(shared, COUNT(shared), domain);
}

bool
lookalike_is_shared(struct str name)
{
	while (name.p != NULL) {
		if (table_has(shared, COUNT(shared), name))
			return true;
		(void)str_until(&name, '.');
	}
	return false;
}

bool
is_hosting_suffix(struct str name)
{
	return table_has(hosting, COUNT(hosting), name);
}

/* ---- lures, compared in their folded form ---- */

struct folded {
	char text[COUNT(lures)][LURE_LONGEST];
	const char *sorted[COUNT(lures)];
	bool made;
};

static struct folded folded_lures, folded_own;

static int
compare_words(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void
fold_words(struct folded *to, const char *const *words, size_t n)
{
	struct arena *a = arena_new(1 << 20);

	for (size_t i = 0; i < n; i++) {
		struct str s = fold_with(a, str_of(words[i]), false);

		if (s.n >= LURE_LONGEST)
			panic("the word %s is too long", words[i]);
		memcpy(to->text[i], s.p, s.n);
		to->sorted[i] = to->text[i];
	}
	qsort(to->sorted, n, sizeof(*to->sorted), compare_words);
	to->made = true;
	arena_free(a);
}

static bool
is_lure(struct str text)
{
	if (!folded_lures.made)
		fold_words(&folded_lures, lures, COUNT(lures));
	return text.n < LURE_LONGEST && table_has(folded_lures.sorted, COUNT(lures), text);
}

static bool
is_own_word(struct str text)
{
	if (!folded_own.made)
		fold_words(&folded_own, own, COUNT(own));
	return text.n < LURE_LONGEST && table_has(folded_own.sorted, COUNT(own), text);
}

bool
is_own_words(struct str text)
{
	if (is_own_word(text))
		return true;
	for (size_t n = LURE_WITHIN; n + LURE_WITHIN <= text.n; n++)
		if (is_own_word((struct str){ text.p, n }) &&
		    is_own_word((struct str){ text.p + n, text.n - n }))
			return true;
	return false;
}

/* 0 and 1 never occur, because folding made them o and i */
static bool
is_digit_like(char c)
{
	return c >= '0' && c <= '9';
}

/* A lure of fewer than LURE_WITHIN letters counts only when it is the whole text, because pairs of
   letters can make any text. A text of several lures must contain one of at least LURE_ANCHOR
   letters. */
bool
is_lures(struct str text)
{
	enum { NO, SHORT_ONLY, YES };
	unsigned char upto[LABEL_MOST + 1] = { SHORT_ONLY };

	if (text.n == 0 || text.n > LABEL_MOST)
		return false;
	if (is_lure(text))
		return true;
	for (size_t to = 1; to <= text.n; to++) {
		if (is_digit_like(text.p[to - 1]))
			upto[to] = upto[to - 1];
		for (size_t n = LURE_WITHIN; n <= to && n < LURE_LONGEST; n++) {
			unsigned char before = upto[to - n];

			if (before != NO && is_lure((struct str){ text.p + to - n, n }))
				upto[to] = before == YES || n >= LURE_ANCHOR || upto[to] == YES
					       ? YES
					       : SHORT_ONLY;
		}
	}
	return upto[text.n] == YES;
}

size_t
lure_before(struct str text)
{
	for (size_t n = text.n < LURE_LONGEST ? text.n : LURE_LONGEST - 1; n >= LURE_WITHIN; n--)
		if (is_lure((struct str){ text.p, n }))
			return n;
	return 0;
}

size_t
lure_behind(struct str text)
{
	for (size_t n = text.n < LURE_LONGEST ? text.n : LURE_LONGEST - 1; n >= LURE_WITHIN; n--)
		if (is_lure((struct str){ text.p + text.n - n, n }))
			return n;
	return 0;
}

bool
has_lure(struct str text)
{
	return is_lures(text) || lure_before(text) >= LURE_ALONE || lure_behind(text) >= LURE_ALONE;
}

bool
has_digits(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] >= '0' && s.p[i] <= '9')
			return true;
	return false;
}

bool
is_random(struct str s)
{
	size_t consonants = 0, vowels = 0;

	for (size_t i = 0; i < s.n; i++) {
		bool vowel = strchr("aeiouy", s.p[i]) != NULL;

		consonants = vowel ? 0 : consonants + 1;
		vowels += vowel;
		if (consonants >= 4 || (s.p[i] == 'q' && i + 1 < s.n && s.p[i + 1] != 'u'))
			return true;
	}
	return s.n >= 2 && vowels == 0;
}
