/* SPDX-License-Identifier: ISC */
/* Patterns of allow lists: google.* matches google.de and google.co.uk, and the names below
   them. */
#include "config.h"

#include "lookalike/lookalike_priv.h"

enum { LITERAL_LEAST = 2, STARS_MOST = 8 };

bool
lookalike_pattern_sound(struct str pattern)
{
	size_t literal = 0, stars = 0, dots = 0;

	for (size_t i = 0; i < pattern.n; i++) {
		char c = pattern.p[i];
		bool word =
		    (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';

		if (!word && c != '.' && c != '*')
			return false;
		if (c == '.' && (i == 0 || i + 1 == pattern.n || pattern.p[i - 1] == '.'))
			return false;
		literal += word;
		stars += c == '*';
		dots += c == '.';
	}
	return literal >= LITERAL_LEAST && stars <= STARS_MOST && dots > 0;
}

/* When the rest does not match, the last star takes one more character, so the time is at most
   proportional to the product of the lengths. */
static bool
fits(struct str pattern, struct str text)
{
	size_t p = 0, t = 0, star = SIZE_MAX, from = 0;

	while (t < text.n) {
		if (p < pattern.n && pattern.p[p] == '*') {
			star = p++;
			from = t;
		} else if (p < pattern.n && pattern.p[p] == text.p[t]) {
			p++;
			t++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			t = ++from;
		} else {
			return false;
		}
	}
	while (p < pattern.n && pattern.p[p] == '*')
		p++;
	return p == pattern.n;
}

bool
lookalike_pattern_has(struct str pattern, struct str name)
{
	while (name.p != NULL) {
		if (fits(pattern, name))
			return true;
		(void)str_until(&name, '.');
	}
	return false;
}
