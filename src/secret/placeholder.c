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

/* ---- several words in one pass ---- */

static int
lower_of(int c)
{
	return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

uint32_t
secret_words_add(struct secret_words *w, struct str word)
{
	uint32_t bit = UINT32_C(1) << w->n;

	for (size_t i = 0; i < w->n; i++)
		if (str_eq(w->words[i], word))
			return UINT32_C(1) << i;
	if (w->n == SECRET_WORDS || word.n < 2)
		panic("src/secret: no place for the word %.*s", (int)word.n, word.p);
	w->words[w->n++] = word;
	for (int c = 0; c < 256; c++) {
		if (lower_of(c) == word.p[0])
			w->first[c] |= bit;
		if (lower_of(c) == word.p[1])
			w->second[c] |= bit;
	}
	return bit;
}

uint32_t
secret_words_at(const struct secret_words *w, const char *p, size_t left)
{
	uint32_t may, are = 0;

	if (left < 2)
		return 0;
	may = w->first[(unsigned char)p[0]] & w->second[(unsigned char)p[1]];
	while (may != 0) {
		int i = __builtin_ctz(may);
		struct str word = w->words[i];

		may &= may - 1;
		if (left >= word.n && strncasecmp(p, word.p, word.n) == 0)
			are |= UINT32_C(1) << i;
	}
	return are;
}

uint32_t
secret_placeholders_compile(struct secret_words *w)
{
	uint32_t at_end = 0;

	for (size_t i = 0; i < COUNT(placeholders); i++)
		if (placeholders[i].where == WHERE_IN)
			(void)secret_words_add(w, placeholders[i].word);
		else if (placeholders[i].where == WHERE_END)
			at_end |= secret_words_add(w, placeholders[i].word);
	return at_end;
}

/* Words of at_end count at the end of the text alone. */
static bool
has_placeholder(struct str text, uint32_t at_end)
{
	const struct secret_words *w = &secret_index()->placeholders;

	for (size_t i = 0; i < text.n; i++) {
		uint32_t words = secret_words_at(w, text.p + i, text.n - i);

		if ((words & ~at_end) != 0)
			return true;
		for (words &= at_end; words != 0; words &= words - 1)
			if (i + w->words[__builtin_ctz(words)].n == text.n)
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

/* Long secrets have any short word by chance. */
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
	for (size_t i = 0; i < COUNT(placeholders); i++)
		if (placeholders[i].where == WHERE_WHOLE && s.n == placeholders[i].word.n &&
		    strncasecmp(s.p, placeholders[i].word.p, s.n) == 0)
			return true;
	if (has_placeholder(s, 0))
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

/* Looks for the words of all rows at once, up to NEAR bytes behind the candidate. */
static void
read_near(const struct candidate *c)
{
	struct secret_memo *m = c->memo;
	const struct secret_words *w = &c->x->near;
	size_t from = c->start < NEAR ? 0 : c->start - NEAR;
	size_t to = c->text.n - c->end < NEAR ? c->text.n : c->end + NEAR;

	for (size_t i = m->near_read < from ? from : m->near_read; i < to; i++) {
		uint32_t words = secret_words_at(w, c->text.p + i, c->text.n - i);

		for (; words != 0; words &= words - 1)
			m->near[__builtin_ctz(words)] = i + w->words[__builtin_ctz(words)].n;
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
	for (uint32_t words = r->near_words; words != 0; words &= words - 1)
		if (c->memo->near[__builtin_ctz(words)] > from)
			return !r->unwanted;
	return r->unwanted;
}
