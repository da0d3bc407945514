/* SPDX-License-Identifier: ISC */
/* Case folding and words. Banners are nearly always ASCII, so that path calls no library. */
#include "config.h"

#include "search/search.h"

#include <utf8proc.h>

static bool
ascii_word(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
}

/* The character at s.p[at] and its length; -1 and 1 for a byte that is no UTF-8. */
static size_t
character(struct str s, size_t at, utf8proc_int32_t *c)
{
	utf8proc_ssize_t n = utf8proc_iterate(
	    (const utf8proc_uint8_t *)s.p + at, (utf8proc_ssize_t)(s.n - at), c);

	if (n > 0)
		return (size_t)n;
	*c = -1;
	return 1;
}

/* Full folding where it gives one character; where it gives more (sharp s), the lower case, so
   that folding keeps the number of characters. */
static utf8proc_int32_t
fold(utf8proc_int32_t c)
{
	utf8proc_int32_t out[8];
	int class = 0;
	utf8proc_ssize_t n =
	    utf8proc_decompose_char(c, out, 8, UTF8PROC_CASEFOLD, &class);

	return n == 1 ? out[0] : utf8proc_tolower(c);
}

/* Whether folding would change nothing. */
static bool
is_plain(struct str s)
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

	if (is_plain(s))
		return s;
	out = arena_array(
	    a, s.n, 2); /* a folded character takes at most half as many bytes more */
	for (size_t i = 0; i < s.n;) {
		unsigned char byte = (unsigned char)s.p[i];
		utf8proc_int32_t c;
		size_t k;

		if (byte < 0x80) {
			out[n++] = (char)(byte | (byte >= 'A' && byte <= 'Z') << 5);
			i++;
			continue;
		}
		k = character(s, i, &c);
		if (c < 0)
			out[n++] = s.p[i];
		else
			n += (size_t)utf8proc_encode_char(
			    fold(c), (utf8proc_uint8_t *)out + n);
		i += k;
	}
	return (struct str){ out, n };
}

/* Length of the letter, digit or mark at s.p[at]; 0 when there is none. */
static size_t
word_character(struct str s, size_t at)
{
	utf8proc_category_t kind;
	utf8proc_int32_t c;
	size_t n;

	if ((unsigned char)s.p[at] < 0x80)
		return ascii_word((unsigned char)s.p[at]);
	n = character(s, at, &c);
	kind = c < 0 ? UTF8PROC_CATEGORY_CN : utf8proc_category(c);
	return kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_NO ? n : 0;
}

void
text_tokens(
    struct arena *a, struct str s, void (*fn)(void *arg, struct str token), void *arg)
{
	size_t start, n;

	s = text_fold(a, s);
	for (size_t i = 0; i < s.n;) {
		start = i;
		while (i < s.n && (n = word_character(s, i)) > 0)
			i += n;
		if (i > start)
			fn(arg, (struct str){ s.p + start, i - start });
		else
			i++; /* the tail of a longer character is no word character either */
	}
}

static size_t
char_len(struct str s, size_t i)
{
	size_t n = 1;

	while (i + n < s.n && ((unsigned char)s.p[i + n] & 0xc0) == 0x80)
		n++;
	return n;
}

/* One step back to the last star keeps this linear in pattern times text. */
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
			k += char_len(s, k);
		} else if (i < p.n && p.p[i] == s.p[k]) {
			i++;
			k++;
		} else if (star != SIZE_MAX) {
			i = star + 1;
			resume += char_len(s, resume);
			k = resume;
		} else {
			return false;
		}
	}
	while (i < p.n && p.p[i] == '*')
		i++;
	return i == p.n;
}
