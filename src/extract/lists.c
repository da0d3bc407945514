/* SPDX-License-Identifier: ISC */
/* Lists that need no heading: texts of one value a line, and tables whose first line names a type
   and a value. */
#include "config.h"

#include "extract/extract_priv.h"
#include "extract/lists.h"

enum { FEWEST_VALUES = 5, LONGEST_HEADER = 400 };

/* A single word with a dot, or as long as a hash. */
static bool
one_value(struct str line)
{
	return memchr(line.p, ' ', line.n) == NULL && memchr(line.p, '\t', line.n) == NULL &&
	       (line.n >= 32 || memchr(line.p, '.', line.n) != NULL);
}

static struct str
trimmed(struct str s)
{
	while (s.n > 0 && strchr(" \t\r\"'#*_`", s.p[0]) != NULL) {
		s.p++;
		s.n--;
	}
	while (s.n > 0 && strchr(" \t\r\"'*_`", s.p[s.n - 1]) != NULL)
		s.n--;
	return s;
}

bool
list_of_values(struct str text)
{
	size_t lines = 0, values = 0;

	while (text.p != NULL) {
		struct str line = trimmed(str_until(&text, '\n'));

		lines += line.n > 0;
		values += line.n > 0 && one_value(line);
	}
	return values >= FEWEST_VALUES && values * 10 >= lines * 8;
}

static bool
is_one_of_words(struct str cell, const char *const *names)
{
	for (; *names != NULL; names++)
		if (str_is_nocase(cell, *names))
			return true;
	return false;
}

bool
list_header(struct str line, char *sep)
{
	static const char *const types[] = { "type", "indicator type", "indicator_type", "ioc type",
		"ioc_type", "category", "kind", NULL };
	static const char *const values[] = { "value", "data", "indicator", "indicator value",
		"indicator_value", "ioc", "observable", NULL };
	static const char *const either[] = { "indicator", "indicators", NULL };
	bool type = false, value = false, both = false;

	*sep = '\0';
	if (line.n < 8 || line.n > LONGEST_HEADER)
		return false;
	for (const char *c = ",;\t|"; *c != '\0' && *sep == '\0'; c++)
		if (memchr(line.p, *c, line.n) != NULL)
			*sep = *c;
	while (*sep != '\0' && line.p != NULL) {
		struct str cell = trimmed(str_until(&line, *sep));

		type |= is_one_of_words(cell, types);
		both |= is_one_of_words(cell, either);
		value |= is_one_of_words(cell, values) && (!both || !is_one_of_words(cell, either));
	}
	return (type && (value || both)) || (both && value);
}

bool
list_refers(struct str line)
{
	static const char *const words[] = { "description", "reference", "references", "ref",
		"report", "source", "sources", "article", "advisory", "blog", "write-up", "writeup",
		NULL };
	struct str word;

	while (line.n > 0 && strchr(" \t-*+>|\"`#", line.p[0]) != NULL) {
		line.p++;
		line.n--;
	}
	word = (struct str){ line.p, 0 };
	while (word.n < line.n && word.n < 16 &&
	       (ascii_letter(line.p[word.n]) || line.p[word.n] == '-'))
		word.n++;
	line.p += word.n;
	line.n -= word.n;
	line = trimmed(line);
	return is_one_of_words(word, words) && line.n > 0 && strchr(":=,|;", line.p[0]) != NULL;
}
