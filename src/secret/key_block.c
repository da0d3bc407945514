/* SPDX-License-Identifier: ISC */
/* Finds private keys of several lines: in files, in JSON with \n, and in source code with quotes
   around each line. */
#include "config.h"

#include "secret/secret_priv.h"

enum { LABEL = 48, BODY_LEAST = 64, BODY_MOST = 128 * 1024, LINE_MOST = 4096 };

/* Returns the line at *at and moves *at behind it. A line ends with a line feed, with \n or \r
   written as two characters (the backslash may be escaped several times), or before the dashes of
   the next block. */
static struct str
next_line(struct str text, size_t *at)
{
	static const bool may_end[256] = {
		['\n'] = true, ['\r'] = true, ['\\'] = true, ['-'] = true
	};
	size_t start = *at, i = start, end;
	size_t most = text.n - start < LINE_MOST ? text.n : start + LINE_MOST;

	while (i < text.n && text.p[i] == '-')
		i++;
	while (i < most && (!may_end[(unsigned char)text.p[i]] ||
			       (text.p[i] == '-' && (i + 1 == text.n || text.p[i + 1] != '-'))))
		i++;
	end = i;
	while (i < text.n && text.p[i] == '\\')
		i++;
	if (i < text.n && i > end && (text.p[i] == 'n' || text.p[i] == 'r'))
		i++;
	else if (i == end && i < text.n && text.p[i] != '-')
		i++;
	*at = i;
	return (struct str){ text.p + start, end - start };
}

/* Removes blanks, quotes and operators that join the parts of a string in source code. */
static struct str
trim_line(struct str s)
{
	static const char around[] = " \t\"'+,;>|*";

	while (s.n > 0 && s.p[0] != '\0' && strchr(around, s.p[0]) != NULL)
		s = (struct str){ s.p + 1, s.n - 1 };
	while (s.n > 0 && s.p[s.n - 1] != '\0' && strchr(" \t\"',;|", s.p[s.n - 1]) != NULL)
		s.n--;
	return s;
}

/* Returns the number of base64 characters in the line, or SIZE_MAX when it has other characters. */
static size_t
count_base64(const struct candidate *c, struct str s)
{
	size_t n = 0;

	while (n < s.n && (c->x->class_of[(unsigned char)s.p[n]] & CLASS_BASE64) != 0)
		n++;
	for (size_t i = n; i < s.n; i++)
		if (s.p[i] != '=' || i > n + 4)
			return SIZE_MAX;
	return n;
}

/* A field before the body, such as "Proc-Type: 4,ENCRYPTED". In a PuTTY key the count of lines is the
   last field: if the next one were a field too, a text of many such counts would be read again for each
   of them. */
static bool
is_header(const struct candidate *c, struct str s)
{
	size_t n = 0;

	if (c->anchor->row->check == SECRET_CHECK_PUTTY)
		return false;
	while (n < s.n && (ascii_alnum(s.p[n]) || s.p[n] == '-'))
		n++;
	return n > 0 && n + 1 < s.n && s.p[n] == ':' && s.p[n + 1] == ' ';
}

/* Whether the line is the checksum that ends a PGP block. */
static bool
is_checksum(struct str s)
{
	return s.n == 5 && s.p[0] == '=';
}

/* Reads lines of base64 from *at and moves *at behind the last one, or behind the END line. Returns
   true when they are long enough to be the body of a key. */
static bool
read_key_body(struct candidate *c, size_t *at)
{
	size_t sum = 0, first = *at, i = first;

	while (i < c->text.n && i - first < BODY_MOST) {
		struct str line = next_line(c->text, &i), s = trim_line(line);
		size_t end = (size_t)(line.p - c->text.p) + line.n;
		size_t n;

		if (str_starts(s, STR("-----END "))) {
			*at = end + (str_starts((struct str){ c->text.p + end, c->text.n - end },
					 STR("-----"))
					    ? 5
					    : 0);
			return sum >= BODY_LEAST;
		}
		if (s.n == 0 || (sum == 0 && is_header(c, s)) || is_checksum(s))
			continue;
		n = count_base64(c, s);
		if (n == SIZE_MAX)
			return sum >= BODY_LEAST;
		sum += n;
		*at = end;
	}
	c->open = i >= c->text.n;
	return sum >= BODY_LEAST;
}

static bool
has_body_entropy(const struct candidate *c, size_t from)
{
	return secret_has_entropy(
	    (struct str){ c->text.p + from, c->end - from }, c->anchor->row->entropy);
}

bool
secret_key_block(struct candidate *c)
{
	static const char dashes[] = "-----";
	size_t label = c->start + strlen("-----BEGIN "), from = label;
	struct str name;

	while (from < c->text.n && from - label < LABEL &&
	       (c->text.p[from] == ' ' || (c->text.p[from] >= 'A' && c->text.p[from] <= 'Z') ||
		   ascii_digit(c->text.p[from])))
		from++;
	name = (struct str){ c->text.p + label, from - label };
	if (!str_ends(name, STR("PRIVATE KEY")) && !str_ends(name, STR("PRIVATE KEY BLOCK")))
		return false;
	if (!str_starts((struct str){ c->text.p + from, c->text.n - from }, STR("-----")))
		return false;
	from += strlen(dashes);
	c->end = from;
	return read_key_body(c, &c->end) && has_body_entropy(c, from);
}

/* Matches the body of a PuTTY key: "Private-Lines: 14", then the lines. */
bool
secret_putty_block(struct candidate *c)
{
	size_t from = c->at + c->anchor->n;

	if (from == c->text.n || !ascii_digit(c->text.p[from]))
		return false;
	while (from < c->text.n && ascii_digit(c->text.p[from]))
		from++;
	c->start = from;
	c->end = from;
	return read_key_body(c, &c->end) && has_body_entropy(c, from);
}
