/* SPDX-License-Identifier: ISC */
/* Reads the characters, words and phrases of a query, and makes the message of its fault. The
 * parser (query.c, query_field.c) has no token stream: the same characters mean different things
 * in different places, for example a comma in port:22,80 and in a banner, so the parser passes
 * the characters that end a word here (`stops`).
 *
 * A message may quote the query, and it is shown in terminals, pages and logs. So quoted text is
 * shortened, and characters that one of these could interpret are replaced (is_harmful). */
#include "config.h"

#include "search/query_priv.h"

#include <assert.h>
#include <utf8proc.h>

/* Characters of quoted text, without "...", and of a message. */
enum { SHOWN = 61, MESSAGE = 400 };

static bool
is_white_space(utf8proc_int32_t c)
{
	if (c < 0x80)
		return c == ' ' || (c >= '\t' && c <= '\r');
	switch ((int)utf8proc_category(c)) {
	case UTF8PROC_CATEGORY_ZS:
	case UTF8PROC_CATEGORY_ZL:
	case UTF8PROC_CATEGORY_ZP:
		return true;
	}
	return c == 0x85;
}

/* Whether a terminal, a page or a log could interpret the character as more than text. */
static bool
is_harmful(utf8proc_int32_t c)
{
	if (c == '<' || c == '>' || c == '&' || c == '"')
		return true;
	switch ((int)utf8proc_category(c)) {
	case UTF8PROC_CATEGORY_CC:
	case UTF8PROC_CATEGORY_CF:
	case UTF8PROC_CATEGORY_CS:
	case UTF8PROC_CATEGORY_CO:
	case UTF8PROC_CATEGORY_CN:
	case UTF8PROC_CATEGORY_ZL:
	case UTF8PROC_CATEGORY_ZP:
		return true;
	}
	return false;
}

/* The length of the character at an offset. The text is valid UTF-8. */
static size_t
decode_char(struct str s, size_t at, utf8proc_int32_t *c)
{
	utf8proc_ssize_t n =
	    utf8proc_iterate((const utf8proc_uint8_t *)s.p + at, (utf8proc_ssize_t)(s.n - at), c);

	if (n <= 0)
		panic("the query is not UTF-8"); /* UNCOVERED: check_text has refused it */
	return (size_t)n;
}

const char *
query_show(struct parser *p, struct str s)
{
	struct buf b = { .a = p->a };
	unsigned chars = 0;

	for (size_t i = 0; i < s.n; chars++) {
		utf8proc_int32_t c;
		size_t n = decode_char(s, i, &c);

		if (chars == SHOWN) {
			buf_z(&b, "...");
			break;
		}
		if (is_harmful(c))
			buf_char(&b, '?');
		else
			buf_add(&b, s.p + i, n);
		i += n;
	}
	return arena_str(p->a, buf_done(&b)).p;
}

void
query_fail(struct parser *p, size_t offset, const char *fmt, ...)
{
	struct buf b = { .a = p->a };
	char text[MESSAGE * 4];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	buf_z(&b, text);
	p->fault->message = buf_done(&b);
	p->fault->at = (uint32_t)str_chars((struct str){ p->text.p, offset }) + 1;
	assert(str_chars(p->fault->message) <= MESSAGE);
}

bool
lex_end(const struct parser *p)
{
	return p->at == p->text.n;
}

/* The length of the white space at an offset, or 0. */
static size_t
white_space_at(const struct parser *p, size_t at)
{
	utf8proc_int32_t c;
	size_t n = decode_char(p->text, at, &c);

	return is_white_space(c) ? n : 0;
}

void
lex_space(struct parser *p)
{
	while (!lex_end(p)) {
		size_t n = white_space_at(p, p->at);

		if (n == 0)
			return;
		p->at += n;
	}
}

bool
lex_take(struct parser *p, const char *s)
{
	struct str rest = { p->text.p + p->at, p->text.n - p->at };

	if (!str_starts(rest, str_of(s)))
		return false;
	p->at += strlen(s);
	return true;
}

/* Whether a word ends at the offset. */
static bool
word_ends_at(const struct parser *p, size_t at, const char *stops)
{
	char c;

	if (at == p->text.n)
		return true;
	c = p->text.p[at];
	return c == '(' || c == ')' || c == '"' || strchr(stops, c) != NULL ||
	       white_space_at(p, at) > 0;
}

bool
lex_keyword(struct parser *p, const char *upper)
{
	size_t n = strlen(upper);

	if (p->text.n - p->at < n)
		return false;
	for (size_t i = 0; i < n; i++) {
		char c = p->text.p[p->at + i];

		if (c != upper[i] && (c & ~0x20) != upper[i])
			return false;
	}
	if (!word_ends_at(p, p->at + n, ""))
		return false;
	p->at += n;
	return true;
}

struct str
lex_raw(const struct parser *p)
{
	size_t at = p->at;

	while (!word_ends_at(p, at, "")) {
		utf8proc_int32_t c;

		if (p->text.p[at] == '\\' && at + 1 < p->text.n)
			at++;
		at += decode_char(p->text, at, &c);
	}
	return (struct str){ p->text.p + p->at, at - p->at };
}

bool
lex_is_url(struct str raw)
{
	size_t n = 0;

	while (n < raw.n &&
	       (ascii_letter(raw.p[n]) || (n > 0 && strchr("0123456789+.-", raw.p[n]) != NULL)))
		n++;
	return n > 0 && str_starts((struct str){ raw.p + n, raw.n - n }, STR("://"));
}

/* Reads an escape: a backslash and one character. */
static bool
read_escape(struct parser *p, struct buf *b)
{
	utf8proc_int32_t c;
	size_t n;

	p->at++;
	if (lex_end(p)) {
		query_fail(p, p->at - 1, "the query ends with a backslash; write \\\\ for one");
		return false;
	}
	n = decode_char(p->text, p->at, &c);
	if (c == 'n' || c == 'r' || c == 't') {
		buf_char(b, c == 'n' ? '\n' : c == 'r' ? '\r' : '\t');
	} else if ((c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')) {
		query_fail(p, p->at - 1, "unknown escape; write \\\\ for a backslash");
		return false;
	} else {
		buf_add(b, p->text.p + p->at, n);
	}
	p->at += n;
	return true;
}

static bool
read_phrase(struct parser *p, struct word *out)
{
	struct buf b = { .a = p->a };
	size_t start = p->at++;

	while (!lex_end(p) && p->text.p[p->at] != '"') {
		if (p->text.p[p->at] == '\\') {
			if (!read_escape(p, &b))
				return false;
		} else {
			buf_char(&b, p->text.p[p->at++]);
		}
	}
	if (lex_end(p)) {
		query_fail(p, start, "this quote is never closed");
		return false;
	}
	p->at++;
	*out = (struct word){ .s = buf_done(&b), .at = start, .quoted = true };
	return true;
}

bool
lex_word(struct parser *p, const char *stops, struct word *out)
{
	struct buf b = { .a = p->a };
	utf8proc_int32_t unused;
	size_t n;

	if (!lex_end(p) && p->text.p[p->at] == '"')
		return read_phrase(p, out);
	*out = (struct word){ .at = p->at };
	while (!word_ends_at(p, p->at, stops)) {
		char c = p->text.p[p->at];

		if (c == '\\') {
			char next = p->at + 1 < p->text.n ? p->text.p[p->at + 1] : '\0';

			out->literal_star |= next == '*' || next == '?';
			if (!read_escape(p, &b))
				return false;
			continue;
		}
		out->wild |= c == '*' || c == '?';
		n = decode_char(p->text, p->at, &unused);
		buf_add(&b, p->text.p + p->at, n);
		p->at += n;
	}
	out->s = buf_done(&b);
	return true;
}
