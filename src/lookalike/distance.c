/* SPDX-License-Identifier: ISC */
/* Computes the edit distance of short texts, and classifies single edits. */
#include "config.h"

#include "lookalike/lookalike_priv.h"

enum { FAR = 3 };

size_t
edit_distance(struct str a, struct str b)
{
	unsigned char row[3][LABEL_MOST + 2];
	unsigned char *before = row[0], *last = row[1], *now = row[2];

	if (a.n > LABEL_MOST || b.n > LABEL_MOST || (a.n > b.n ? a.n - b.n : b.n - a.n) >= FAR)
		return FAR;
	for (size_t j = 0; j <= b.n; j++)
		last[j] = (unsigned char)j;
	for (size_t i = 1; i <= a.n; i++) {
		unsigned char *oldest = before, least;

		now[0] = least = (unsigned char)i;
		for (size_t j = 1; j <= b.n; j++) {
			unsigned v = last[j - 1] + (a.p[i - 1] != b.p[j - 1]);

			v = last[j] + 1u < v ? last[j] + 1u : v;
			v = now[j - 1] + 1u < v ? now[j - 1] + 1u : v;
			if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] &&
			    a.p[i - 2] == b.p[j - 1] && before[j - 2] + 1u < v)
				v = before[j - 2] + 1u;
			now[j] = (unsigned char)v;
			least = now[j] < least ? now[j] : least;
		}
		if (least >= FAR)
			return FAR;
		before = last;
		last = now;
		now = oldest;
	}
	return last[b.n] < FAR ? last[b.n] : FAR;
}

/* ---- names ---- */

static bool
is_vowel(char c)
{
	return c != '\0' && strchr("aeiou", c) != NULL;
}

bool
is_beside(char key, char other)
{
	static const char *const beside[256] = {
#define KEYS_BESIDE(key, keys) [key] = keys,
#include "tbl/adjacent_keys.h"
#undef KEYS_BESIDE
	};
	const char *keys = beside[(unsigned char)key];

	return keys != NULL && strchr(keys, other) != NULL;
}

static enum lookalike_edit
replacement_name(char from, char to)
{
	unsigned bits = (unsigned char)(from ^ to);

	if (is_vowel(from) && is_vowel(to))
		return EDIT_VOWEL;
	if (!is_beside(from, to) && (bits & (bits - 1)) == 0)
		return EDIT_BITSQUAT;
	return EDIT_REPLACEMENT;
}

enum lookalike_edit
edit_name(struct str word, struct str text)
{
	size_t same = 0, n = word.n < text.n ? word.n : text.n;

	if (edit_distance(word, text) > 1)
		return EDIT_TWO;
	while (same < n && word.p[same] == text.p[same])
		same++;
	if (text.n < word.n)
		return EDIT_OMISSION;
	if (text.n > word.n) {
		char added = text.p[same];
		bool twice = (same > 0 && text.p[same - 1] == added) ||
			     (same + 1 < text.n && text.p[same + 1] == added);

		return twice ? EDIT_REPETITION : EDIT_INSERTION;
	}
	if (same == n)
		return EDIT_NONE;
	if (same + 1 < n && word.p[same] == text.p[same + 1] && word.p[same + 1] == text.p[same])
		return EDIT_TRANSPOSITION;
	return replacement_name(word.p[same], text.p[same]);
}
