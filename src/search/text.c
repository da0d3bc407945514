/* SPDX-License-Identifier: ISC */
/* Case folding, tokens and patterns: the functions that decide whether two texts are equal. The
 * index uses them when it is built, queries use them when they are evaluated, and alert rules
 * use them on single records, so a change here changes what an existing index finds, and needs a
 * rebuild (INDEX_VERSION in index/format/format.h).
 *
 * Nearly all banners are ASCII, so ASCII text is handled without the library. A byte that is not
 * UTF-8 is no word character and folds to itself. */
#include "config.h"

#include "search/text.h"

#include <utf8proc.h>

static bool
is_ascii_word(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
}

/* Reads the character at an offset and returns its length; -1 and 1 for a byte that is not
   UTF-8. */
static size_t
next_char(struct str s, size_t at, utf8proc_int32_t *c)
{
	utf8proc_ssize_t n =
	    utf8proc_iterate((const utf8proc_uint8_t *)s.p + at, (utf8proc_ssize_t)(s.n - at), c);

	if (n > 0)
		return (size_t)n;
	*c = -1;
	return 1;
}

/* Folds a character. Where full folding results in several characters (sharp s), this returns the
   lower case, so that folding keeps the number of characters and ? in a pattern matches one of
   them. */
static utf8proc_int32_t
fold_char(utf8proc_int32_t c)
{
	utf8proc_int32_t out[8];
	int class = 0;
	utf8proc_ssize_t n = utf8proc_decompose_char(c, out, 8, UTF8PROC_CASEFOLD, &class);

	return n == 1 ? out[0] : utf8proc_tolower(c);
}

/* Whether folding would change nothing. */
static bool
is_folded_ascii(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] >= 0x80 || (s.p[i] >= 'A' && s.p[i] <= 'Z'))
			return false;
	return true;
}

struct str
text_fold(struct arena *a, struct str s)
{
	size_t n = 0;
	char *out;

	if (is_folded_ascii(s))
		return s;
	out = arena_array(a, s.n, 2); /* a character becomes at most half as long again */
	for (size_t i = 0; i < s.n;) {
		unsigned char byte = (unsigned char)s.p[i];
		utf8proc_int32_t c;
		size_t k;

		if (byte < 0x80) {
			out[n++] = (char)(byte | (byte >= 'A' && byte <= 'Z') << 5);
			i++;
			continue;
		}
		k = next_char(s, i, &c);
		if (c < 0)
			out[n++] = s.p[i];
		else
			n +=
			    (size_t)utf8proc_encode_char(fold_char(c), (utf8proc_uint8_t *)out + n);
		i += k;
	}
	return (struct str){ out, n };
}

/* The length of the character beyond ASCII at an offset, if its category is one of a range;
   otherwise 0. */
static size_t
length_within(struct str s, size_t at, utf8proc_category_t first, utf8proc_category_t last)
{
	utf8proc_int32_t c;
	size_t n = next_char(s, at, &c);
	utf8proc_category_t kind = c < 0 ? UTF8PROC_CATEGORY_CN : utf8proc_category(c);

	return kind >= first && kind <= last ? n : 0;
}

/* The length of the letter, digit or mark at an offset; 0 for any other character. */
static size_t
word_char_length(struct str s, size_t at)
{
	if ((unsigned char)s.p[at] < 0x80)
		return is_ascii_word((unsigned char)s.p[at]);
	return length_within(s, at, UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_NO);
}

/* The length of the symbol at an offset; 0 for any other character. Those of ASCII only separate
   words: nearly every text has them. */
static size_t
symbol_length(struct str s, size_t at)
{
	if ((unsigned char)s.p[at] < 0x80)
		return 0;
	return length_within(s, at, UTF8PROC_CATEGORY_SM, UTF8PROC_CATEGORY_SO);
}

void
text_tokens(struct arena *a, struct str s, void (*fn)(void *arg, struct str token), void *arg)
{
	size_t start, n;

	s = text_fold(a, s);
	for (size_t i = 0; i < s.n;) {
		start = i;
		while (i < s.n && (n = word_char_length(s, i)) > 0)
			i += n;
		if (i == start)
			i += symbol_length(s, i);
		if (i > start)
			fn(arg, (struct str){ s.p + start, i - start });
		else
			i++; /* a later byte of a longer character is not a word character either */
	}
}

static size_t
char_length(struct str s, size_t i)
{
	size_t n = 1;

	while (i + n < s.n && ((unsigned char)s.p[i + n] & 0xc0) == 0x80)
		n++;
	return n;
}

/* On a mismatch, only the last star is tried again with one more character: an earlier star could
   not match more. So the work is at most the length of the pattern times the length of the text. */
bool
text_glob(struct str p, struct str s)
{
	size_t i = 0, k = 0, star = SIZE_MAX, resume = 0;

	while (k < s.n) {
		if (i < p.n && p.p[i] == '*') {
			star = i++;
			resume = k;
		} else if (i < p.n && p.p[i] == '?') {
			i++;
			k += char_length(s, k);
		} else if (i < p.n && p.p[i] == s.p[k]) {
			i++;
			k++;
		} else if (star != SIZE_MAX) {
			i = star + 1;
			resume += char_length(s, resume);
			k = resume;
		} else {
			return false;
		}
	}
	while (i < p.n && p.p[i] == '*')
		i++;
	return i == p.n;
}
