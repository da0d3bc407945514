/* SPDX-License-Identifier: ISC */
/* Words within a line or a heading, by the rules of ASCII: letters of either case are equal. */
#include "config.h"

#include "extract/extract_priv.h"

#include <strings.h>

static bool
ends_word(struct str text, size_t at)
{
	if (at < text.n && (text.p[at] == 's' || text.p[at] == 'S'))
		at++;
	return at >= text.n || !ascii_alnum(text.p[at]);
}

/* Whether the text has the words, at the beginning of a word; a star at their end allows any rest
   of it. */
bool
text_has_word(struct str text, const char *word)
{
	size_t n = strlen(word);
	bool any = n > 0 && word[n - 1] == '*';

	n -= any;
	for (size_t i = 0; i + n <= text.n; i++) {
		if ((text.p[i] | 0x20) != (word[0] | 0x20) || (i > 0 && ascii_alnum(text.p[i - 1])))
			continue;
		if (strncasecmp(text.p + i, word, n) == 0 && (any || ends_word(text, i + n)))
			return true;
	}
	return false;
}
