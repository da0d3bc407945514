/* SPDX-License-Identifier: ISC */
/* The ranges of harmful characters (char.h). */
#include "config.h"

#include "base/base.h"
#include "base/char.h"

uint32_t
char_next(const char **p)
{
	unsigned char first = (unsigned char)*(*p)++;
	int more = first < 0xc0 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
	uint32_t c = more == 0 ? first : first & (0x3fu >> more);

	while (more-- > 0)
		c = c << 6 | ((unsigned char)*(*p)++ & 0x3fu);
	return c;
}

/* U+034F joins invisibly, U+115F, U+1160, U+3164 and U+FFA0 are letters without a shape, and U+FE00
   to U+FE0F choose a form of the character before them. */
bool
char_is_harmful(uint32_t c)
{
	static const struct {
		uint32_t from, to;
	} ranges[] = { { 0, 0x1f }, { 0x7f, 0x9f }, { 0xad, 0xad }, { 0x34f, 0x34f },
		{ 0x61c, 0x61c }, { 0x115f, 0x1160 }, { 0x17b4, 0x17b5 }, { 0x180b, 0x180f },
		{ 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0x3164, 0x3164 },
		{ 0xe000, 0xf8ff }, { 0xfe00, 0xfe0f }, { 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 },
		{ 0xfff0, 0xfffb }, { 0xe0000, 0x10ffff } };

	for (size_t i = 0; i < COUNT(ranges); i++)
		if (c >= ranges[i].from && c <= ranges[i].to)
			return true;
	return false;
}

static bool
is_harmless(struct str s, const char *allowed)
{
	const char *p = s.p, *end = s.p + s.n;

	if (str_utf8_bad(s) < s.n)
		return false;
	while (p < end) {
		uint32_t c = char_next(&p);

		if (char_is_harmful(c) && (c == 0 || c > 0x1f || strchr(allowed, (int)c) == NULL))
			return false;
	}
	return true;
}

bool
str_visible(struct str s)
{
	return is_harmless(s, "");
}

bool
str_prose(struct str s)
{
	return is_harmless(s, "\t\n\r");
}

/* Characters above U+FFFF are a pair of surrogates in JSON. */
static void
write_code_point(struct buf *b, uint32_t c)
{
	if (c >= 0x10000)
		buf_printf(b, "\\u%04x\\u%04x", (unsigned)(0xd800 + ((c - 0x10000) >> 10)),
		    (unsigned)(0xdc00 + (c & 0x3ff)));
	else
		buf_printf(b, "\\u%04x", (unsigned)c);
}

void
json_shown(struct buf *b, struct str json)
{
	const char *p = json.p, *end = json.p + json.n;

	if (str_utf8_bad(json) < json.n) {
		buf_str(b, json);
		return;
	}
	while (p < end) {
		const char *from = p;
		uint32_t c = char_next(&p);

		if (c < 0x20 || !char_is_harmful(c)) /* JSON has them between values */
			buf_add(b, from, (size_t)(p - from));
		else
			write_code_point(b, c);
	}
}
