/* SPDX-License-Identifier: ISC */
/* Texts in the place of a secret: words of manuals, runs of one character, and text with too little entropy. */
#include "config.h"

#include "secret/secret_priv.h"

#include <math.h>
#include <strings.h>

enum { RUN = 6 /* equal or counting characters */, NEAR = 256, WORDS_UP_TO = 160 };

enum where { WHERE_IN, WHERE_END, WHERE_WHOLE };

static const struct {
	enum where where;
	struct str word;
} placeholders[] = {
#define PLACEHOLDER(where, word) { WHERE_##where, STR_INIT(word) },
#include "tbl/secret_placeholders.h"
#undef PLACEHOLDER
};

static bool
has_word(struct str text, struct str word)
{
	for (size_t i = 0; i + word.n <= text.n; i++)
		if ((text.p[i] | 0x20) == word.p[0] && strncasecmp(text.p + i, word.p, word.n) == 0)
			return true;
	return false;
}

/* The end of the last word in the text; 0: there is none. */
static size_t
last_word(struct str text, struct str word)
{
	for (size_t i = text.n; i >= word.n; i--)
		if ((text.p[i - word.n] | 0x20) == word.p[0] &&
		    strncasecmp(text.p + i - word.n, word.p, word.n) == 0)
			return i;
	return 0;
}

/* "xxxxxx", "000000", "123456" or "abcdef" */
static bool
has_run(struct str s)
{
	int same = 1, counting = 1;

	for (size_t i = 1; i < s.n && same < RUN && counting < RUN; i++) {
		same = s.p[i] == s.p[i - 1] ? same + 1 : 1;
		counting = s.p[i] == s.p[i - 1] + 1 ? counting + 1 : 1;
	}
	return same >= RUN || counting >= RUN;
}

static bool
ends_with(struct str s, struct str word)
{
	return s.n >= word.n && strncasecmp(s.p + s.n - word.n, word.p, word.n) == 0;
}

/* Long secrets have any short word by chance. */
bool
secret_is_placeholder(struct str s)
{
	if (s.n > WORDS_UP_TO)
		return false;
	for (size_t i = 0; i < COUNT(placeholders); i++)
		if (placeholders[i].where == WHERE_IN
			? has_word(s, placeholders[i].word)
			: placeholders[i].where == WHERE_END && ends_with(s, placeholders[i].word))
			return true;
	return has_run(s);
}

bool
secret_is_weak_password(struct str s)
{
	size_t digits = 0;

	if (s.n < 4 || strchr("$%{<[#*(.", s.p[0]) != NULL || memchr(s.p, '{', s.n) != NULL)
		return true;
	for (size_t i = 0; i < s.n; i++) {
		if ((unsigned char)s.p[i] >= 0x80)
			return true;
		digits += ascii_digit(s.p[i]);
	}
	for (size_t i = 0; i < COUNT(placeholders); i++)
		if (placeholders[i].where == WHERE_WHOLE
			? s.n == placeholders[i].word.n && ends_with(s, placeholders[i].word)
			: has_word(s, placeholders[i].word))
			return true;
	return digits == s.n && s.n <= 5; /* a port */
}

/* The entropy of the distribution of its characters. */
bool
secret_has_entropy(struct str s, int tenths)
{
	unsigned char count[256] = { 0 };
	size_t n = s.n < ENTROPY_MOST ? s.n : ENTROPY_MOST;
	const double *steps = secret_index()->entropy_steps;
	double sum = 0; /* the sum of count * log2(count) over the characters */

	if (n == 0)
		return tenths == 0;
	for (size_t i = 0; i < n; i++)
		sum += steps[count[(unsigned char)s.p[i]]++];
	return log2((double)n) - sum / (double)n >= tenths / 10.0;
}

bool
secret_is_near(struct secret_near *n, struct str text, size_t start, size_t end, struct str words)
{
	size_t from = start < NEAR ? 0 : start - NEAR;
	size_t to = text.n - end < NEAR ? text.n : end + NEAR;
	struct str word;

	if (n->read > from && n->hit > from)
		return true;
	if (n->read < from)
		n->read = from;
	while (n->read < to && str_word(&words, " ", &word)) {
		size_t before = n->read - from < word.n ? from : n->read - word.n;
		struct str part = { text.p + before, to - before };
		size_t last = last_word(part, word);

		if (last > 0 && before + last > n->hit)
			n->hit = before + last;
	}
	if (n->read < to)
		n->read = to;
	return n->hit > from;
}
