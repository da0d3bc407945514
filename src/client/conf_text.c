/* SPDX-License-Identifier: ISC */
/* Lines "name = value". A name never begins with #, so a line that is a comment has none of the
   names asked for. */
#include "config.h"

#include "client/conf_text.h"

/* Whether the line sets that name, and to which value. */
static bool
sets_name(struct str line, const char *name, struct str *value)
{
	const char *equals = line.n > 0 ? memchr(line.p, '=', line.n) : NULL;
	size_t n;

	if (equals == NULL)
		return false;
	n = (size_t)(equals - line.p);
	*value = str_trim((struct str){ equals + 1, line.n - n - 1 });
	return str_is(str_trim((struct str){ line.p, n }), name);
}

struct str
config_value(struct str text, const char *name)
{
	struct str line, found = STR_NULL, value;

	while (str_line(&text, &line))
		if (sets_name(line, name, &value))
			found = value;
	return found;
}

void
config_without(struct buf *b, struct str text, const char *name)
{
	struct str line, value;

	while (str_line(&text, &line)) {
		if (sets_name(line, name, &value))
			continue;
		buf_str(b, line);
		buf_char(b, '\n');
	}
}
