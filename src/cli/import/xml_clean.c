/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "cli/import/xml_clean.h"

enum { REFERENCE = 16 }; /* bytes of the longest reference that is followed, with "&" and ";" */

static const char replacement[] = "\xef\xbf\xbd";

static bool
begins_utf16(struct str head)
{
	return str_starts(head, STR("\xff\xfe")) || str_starts(head, STR("\xfe\xff")) ||
	       str_starts(head, STR("<\0")) || str_starts(head, STR("\0<"));
}

/* The value of encoding="..." in the declaration of XML; STR_NULL: there is none. */
static struct str
declared_encoding(struct str head)
{
	static const char name[] = "encoding";
	size_t n = sizeof(name) - 1;

	if (str_starts(head, STR("\xef\xbb\xbf")))
		head = (struct str){ head.p + 3, head.n - 3 };
	if (!str_starts(head, STR("<?xml")))
		return STR_NULL;
	for (size_t i = 0; i + n < head.n && head.p[i] != '>'; i++) {
		struct str rest = { head.p + i, head.n - i };
		size_t from = n, to;

		if (!str_starts(rest, STR("encoding")))
			continue;
		while (from < rest.n && (ascii_space(rest.p[from]) || rest.p[from] == '='))
			from++;
		for (to = from + 1; to < rest.n && rest.p[to] != rest.p[from]; to++)
			continue;
		if (to < rest.n)
			return (struct str){ rest.p + from + 1, to - from - 1 };
	}
	return STR_NULL;
}

void
xml_clean_open(struct xml_clean *c, struct str head)
{
	struct str name = declared_encoding(head);

	*c = (struct xml_clean){ .encoding = begins_utf16(head) ? XML_UTF16
					     : name.p == NULL || str_is_nocase(name, "utf-8")
						 ? XML_UTF8
						 : XML_BYTES };
}

void
xml_clean_close(struct xml_clean *c)
{
	buf_free(&c->text);
}

static void
replace(struct xml_clean *c)
{
	buf_z(&c->text, c->encoding == XML_UTF8 ? replacement : "?");
}

static bool
is_xml_character(uint32_t c)
{
	return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c < 0xd800) ||
	       (c >= 0xe000 && c < 0xfffe) || (c >= 0x10000 && c <= 0x10ffff);
}

/* Parses the number of "#x1f" or "#31". False: it is none. */
static bool
parse_number(struct str s, uint32_t *number)
{
	bool hex = s.n > 1 && s.p[1] == 'x';
	size_t i = hex ? 2 : 1;

	*number = 0;
	if (i == s.n)
		return false;
	for (; i < s.n; i++) {
		int d = ascii_hex(s.p[i]);

		if (d < 0 || (d > 9 && !hex))
			return false;
		if (*number <= 0x10ffff)
			*number = *number * (hex ? 16 : 10) + (uint32_t)d;
	}
	return true;
}

static bool
is_xml_entity(struct str name)
{
	static const char *const names[] = { "lt", "gt", "amp", "quot", "apos" };

	for (size_t i = 0; i < COUNT(names); i++)
		if (str_is(name, names[i]))
			return true;
	return false;
}

/* Adds the reference at the beginning of s. Returns the number of bytes that were used; 0: its end
   is missing. */
static size_t
add_reference(struct xml_clean *c, struct str s, bool last)
{
	size_t n = 1, most = s.n < REFERENCE ? s.n : REFERENCE;
	struct str body;
	uint32_t number;

	while (n < most && (ascii_alnum(s.p[n]) || s.p[n] == '#'))
		n++;
	if (n == s.n && n < REFERENCE && !last)
		return 0;
	body = (struct str){ s.p + 1, n - 1 };
	if (n == most || s.p[n] != ';' || body.n == 0) {
		buf_z(&c->text, "&amp;");
		return 1;
	}
	if (body.p[0] == '#' && parse_number(body, &number)) {
		if (is_xml_character(number))
			buf_add(&c->text, s.p, n + 1);
		else
			replace(c);
		return n + 1;
	}
	if (is_xml_entity(body)) {
		buf_add(&c->text, s.p, n + 1);
		return n + 1;
	}
	buf_z(&c->text, "&amp;");
	return 1;
}

/* Does the same for a character beyond ASCII. */
static size_t
add_character(struct xml_clean *c, struct str s, bool last)
{
	size_t n = 1, most = s.n < 4 ? s.n : 4;

	if (c->encoding == XML_BYTES) {
		buf_char(&c->text, s.p[0]);
		return 1;
	}
	for (size_t k = 2; k <= most; k++)
		if (str_utf8_bad((struct str){ s.p, k }) == k) {
			if (k == 3 && memcmp(s.p, "\xef\xbf", 2) == 0 &&
			    (unsigned char)s.p[2] >= 0xbe)
				replace(c); /* U+FFFE and U+FFFF */
			else
				buf_add(&c->text, s.p, k);
			return k;
		}
	while (n < most && (s.p[n] & 0xc0) == 0x80)
		n++;
	if (n == s.n && n < 4 && !last)
		return 0;
	replace(c);
	return 1;
}

static bool
passes_unchanged(char c)
{
	unsigned char u = (unsigned char)c;

	return (u >= ' ' && u < 0x80 && u != '&') || u == '\n' || u == '\t' || u == '\r';
}

struct str
xml_clean(struct xml_clean *c, struct str bytes)
{
	struct buf joined = { .n = 0 };
	bool last = bytes.n == 0;
	size_t used;

	if (c->encoding == XML_UTF16)
		return bytes;
	if (c->n > 0) {
		buf_add(&joined, c->kept, c->n);
		buf_str(&joined, bytes);
		bytes = buf_done(&joined);
		c->n = 0;
	}
	buf_clear(&c->text);
	for (; bytes.n > 0; bytes = (struct str){ bytes.p + used, bytes.n - used }) {
		used = 0;
		while (used < bytes.n && passes_unchanged(bytes.p[used]))
			used++;
		if (used > 0) {
			buf_add(&c->text, bytes.p, used);
			continue;
		}
		if (bytes.p[0] == '&') {
			used = add_reference(c, bytes, last);
		} else if ((unsigned char)bytes.p[0] >= 0x80) {
			used = add_character(c, bytes, last);
		} else {
			replace(c);
			used = 1;
		}
		if (used == 0)
			break;
	}
	memcpy(c->kept, bytes.p, bytes.n); /* fewer than REFERENCE, or none */
	c->n = bytes.n;
	buf_free(&joined);
	return buf_done(&c->text);
}
