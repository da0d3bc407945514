/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "base/base.h"

struct str
str_until(struct str *rest, char separator)
{
	const char *end = rest->n == 0 ? NULL : memchr(rest->p, separator, rest->n);
	struct str part = { rest->p, end == NULL ? rest->n : (size_t)(end - rest->p) };

	*rest = end == NULL ? STR_NULL : (struct str){ end + 1, rest->n - part.n - 1 };
	return part;
}

bool
str_part(struct str *rest, char separator, struct str *part)
{
	if (rest->n == 0)
		return false;
	*part = str_until(rest, separator);
	return true;
}

bool
str_line(struct str *rest, struct str *line)
{
	return str_part(rest, '\n', line);
}

bool
str_word(struct str *rest, const char *separators, struct str *word)
{
	size_t n = strlen(separators);

	while (rest->n > 0 && memchr(separators, *rest->p, n) != NULL)
		*rest = (struct str){ rest->p + 1, rest->n - 1 };
	*word = (struct str){ rest->p, 0 };
	while (word->n < rest->n && memchr(separators, rest->p[word->n], n) == NULL)
		word->n++;
	*rest = (struct str){ rest->p + word->n, rest->n - word->n };
	return word->n > 0;
}
