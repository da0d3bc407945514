/* SPDX-License-Identifier: ISC */
/* Sets of words that are searched together in one pass over a text. */
#include "config.h"

#include "secret/secret_priv.h"

#include <strings.h>

enum where { WHERE_IN, WHERE_END, WHERE_WHOLE };

static const struct {
	enum where where;
	struct str word;
} placeholders[] = {
#define PLACEHOLDER(where, word) { WHERE_##where, STR_INIT(word) },
#include "tbl/secret_placeholders.h"
#undef PLACEHOLDER
};

static int
lower_of(int c)
{
	return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

uint64_t
secret_words_add(struct secret_words *w, struct str word)
{
	uint64_t bit = UINT64_C(1) << w->n;

	for (size_t i = 0; i < w->n; i++)
		if (str_eq(w->words[i], word))
			return UINT64_C(1) << i;
	if (w->n == SECRET_WORDS || word.n < 2)
		panic("src/secret: no place for the word %.*s", (int)word.n, word.p);
	w->words[w->n++] = word;
	for (int c = 0; c < 256; c++) {
		if (lower_of(c) == word.p[0])
			w->first[c] |= bit;
		if (lower_of(c) == word.p[1])
			w->second[c] |= bit;
		if (word.n < 3 || lower_of(c) == word.p[2])
			w->third[c] |= bit;
	}
	return bit;
}

uint64_t
secret_words_at(const struct secret_words *w, const char *p, size_t left)
{
	uint64_t may, are = 0;

	if (left < 2)
		return 0;
	may = w->first[(unsigned char)p[0]] & w->second[(unsigned char)p[1]];
	if (left > 2)
		may &= w->third[(unsigned char)p[2]];
	while (may != 0) {
		int i = __builtin_ctzll(may);
		struct str word = w->words[i];

		may &= may - 1;
		if (left >= word.n && strncasecmp(p, word.p, word.n) == 0)
			are |= UINT64_C(1) << i;
	}
	return are;
}

uint64_t
secret_placeholders_compile(struct secret_words *w)
{
	uint64_t at_end = 0;

	for (size_t i = 0; i < COUNT(placeholders); i++)
		if (placeholders[i].where == WHERE_IN)
			(void)secret_words_add(w, placeholders[i].word);
		else if (placeholders[i].where == WHERE_END)
			at_end |= secret_words_add(w, placeholders[i].word);
	return at_end;
}
