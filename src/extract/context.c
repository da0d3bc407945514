/* SPDX-License-Identifier: ISC */
/* The sentence or the row of a value, without live links (C-143): each dot between two characters
 * of a name becomes "[.]", and each scheme hxxp. */
#include "config.h"

#include "extract/extract_priv.h"

#include <strings.h>

enum { LONGEST_CONTEXT = 300, BEFORE = 140 };

static bool
continues(char c)
{
	return (c & 0xc0) == 0x80;
}

static bool
ends_sentence(const struct run *r, size_t at)
{
	char c = r->text.p[at];

	return (c == '.' || c == '!' || c == '?') && at + 1 < r->place.to &&
	       r->text.p[at + 1] == ' ';
}

static size_t
context_begin(const struct run *r, const struct find *f)
{
	size_t i = f->at;

	while (
	    i > r->place.from && f->at - i < BEFORE && (r->place.row || !ends_sentence(r, i - 1)))
		i--;
	while (
	    i < f->at && (r->text.p[i] == ' ' || r->text.p[i] == '\t' || continues(r->text.p[i])))
		i++;
	return i;
}

static bool
in_name(char c)
{
	return ascii_alnum(c) || c == '-' || c == '_' || c == '*' || (unsigned char)c >= 0x80;
}

/* The text for the character at i, which moves on. */
static struct str
defang(const struct run *r, size_t *i)
{
	const char *p = r->text.p + *i;
	size_t rest = r->text.n - *i;
	struct str plain = { p, 1 };

	if (rest >= 6 && strncasecmp(p, "http", 4) == 0 && memchr(p + 4, ':', 2) != NULL) {
		*i += 4;
		return STR("hxxp");
	}
	if (rest >= 5 && strncasecmp(p, "ftp", 3) == 0 && memchr(p + 3, ':', 2) != NULL) {
		*i += 3;
		return STR("fxp");
	}
	if (*p == '.' && *i > 0 && rest > 1 && in_name(p[-1]) && in_name(p[1]))
		plain = STR("[.]");
	else if (*p == '\t')
		plain = STR(" ");
	++*i;
	return plain;
}

struct str
context_of(struct run *r, const struct find *f)
{
	struct buf b = { .a = r->scratch };
	size_t i = context_begin(r, f), chars = 0;

	b.p = arena_alloc(r->scratch, LONGEST_CONTEXT * 4 + 1);
	b.room = LONGEST_CONTEXT * 4;
	while (i < r->place.to && chars < LONGEST_CONTEXT) {
		bool over = i > f->end && !r->place.row && ends_sentence(r, i - 1);
		struct str next = over ? STR_NULL : defang(r, &i);

		if (over)
			break;
		for (size_t k = 0; k < next.n; k++)
			chars += !continues(next.p[k]);
		if (chars > LONGEST_CONTEXT)
			break;
		buf_str(&b, next);
	}
	while (i < r->place.to && chars == LONGEST_CONTEXT && continues(r->text.p[i]))
		buf_char(&b, r->text.p[i++]);
	while (b.n > 0 && b.p[b.n - 1] == ' ')
		b.n--;
	return arena_str(r->a, buf_done(&b));
}
