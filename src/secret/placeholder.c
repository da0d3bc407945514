/* SPDX-License-Identifier: ISC */
/* Recognises texts that stand in place of a secret: words of manuals, runs of one character, and
   texts with too little entropy. */
#include "config.h"

#include "secret/secret_priv.h"

#include <math.h>
#include <strings.h>

enum { RUN = 6 /* equal or consecutive characters */, NEAR = 256, WORDS_UP_TO = 160 };

/* Passwords that manuals use as examples. */
static const struct str whole[] = {
#define IN(word)
#define END(word)
#define WHOLE(word) STR_INIT(word),
#define PLACEHOLDER(where, word) where(word)
#include "tbl/secret_placeholders.h"
#undef PLACEHOLDER
#undef WHOLE
#undef END
#undef IN
};

/* Words in at_end count only at the end of the text. */
static bool
has_placeholder(struct str text, uint64_t at_end)
{
	const struct secret_words *w = &secret_index()->placeholders;

	for (size_t i = 0; i < text.n; i++) {
		uint64_t words = secret_words_at(w, text.p + i, text.n - i);

		if ((words & ~at_end) != 0)
			return true;
		for (words &= at_end; words != 0; words &= words - 1)
			if (i + w->words[__builtin_ctzll(words)].n == text.n)
				return true;
	}
	return false;
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

/* A long secret may contain any short word by chance, so only short ones are tested. */
bool
secret_is_placeholder(struct str s)
{
	if (s.n > WORDS_UP_TO)
		return false;
	return has_run(s) || has_placeholder(s, secret_index()->placeholders_at_end);
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
	for (size_t i = 0; i < COUNT(whole); i++)
		if (s.n == whole[i].n && strncasecmp(s.p, whole[i].p, s.n) == 0)
			return true;
	if (has_placeholder(s, 0))
		return true;
	return digits == s.n && s.n <= 5; /* a port */
}

double
secret_entropy(struct str s)
{
	unsigned char count[256] = { 0 };
	size_t n = s.n < ENTROPY_MOST ? s.n : ENTROPY_MOST;
	const double *steps = secret_index()->entropy_steps;
	double sum = 0; /* the sum of count * log2(count) over all characters */

	if (n == 0)
		return 0;
	for (size_t i = 0; i < n; i++)
		sum += steps[count[(unsigned char)s.p[i]]++];
	return log2((double)n) - sum / (double)n;
}

/* Whether the characters have at least this entropy, in tenths of a bit per character. */
bool
secret_has_entropy(struct str s, int tenths)
{
	return secret_entropy(s) >= tenths / 10.0;
}

/* Searches the words of all rows in one pass, up to NEAR bytes behind the candidate. */
static void
read_near(const struct candidate *c)
{
	struct secret_memo *m = c->memo;
	const struct secret_words *w = &c->x->near;
	size_t from = c->start < NEAR ? 0 : c->start - NEAR;
	size_t to = c->text.n - c->end < NEAR ? c->text.n : c->end + NEAR;

	for (size_t i = m->near_read < from ? from : m->near_read; i < to; i++) {
		uint64_t words = secret_words_at(w, c->text.p + i, c->text.n - i);

		for (; words != 0; words &= words - 1)
			m->near[__builtin_ctzll(words)] = i + w->words[__builtin_ctzll(words)].n;
	}
	if (m->near_read < to)
		m->near_read = to;
}

bool
secret_is_near(const struct candidate *c)
{
	const struct secret_row *r = c->anchor->row;
	size_t from = c->start < NEAR ? 0 : c->start - NEAR;

	if (r->near_words == 0)
		return true;
	read_near(c);
	for (uint64_t words = r->near_words; words != 0; words &= words - 1)
		if (c->memo->near[__builtin_ctzll(words)] > from)
			return !r->unwanted;
	return r->unwanted;
}
