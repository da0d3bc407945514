/* SPDX-License-Identifier: ISC */
/* Counted strings and UTF-8. Only str_utf8_bad accepts arbitrary bytes; the functions that count or
   cut code points need text that has passed it. */
#include "config.h"

#include "base/base.h"

#include <limits.h>
#include <strings.h>

struct str
str_of(const char *z)
{
	return z == NULL ? STR_NULL : (struct str){ z, strlen(z) };
}

bool
str_eq(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

bool
str_is(struct str a, const char *z)
{
	return str_eq(a, str_of(z));
}

bool
str_is_nocase(struct str a, const char *z)
{
	return a.n == strlen(z) && strncasecmp(a.p, z, a.n) == 0;
}

int
str_cmp(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n == 0 ? 0 : memcmp(a.p, b.p, n);

	return c != 0 ? c : (a.n > b.n) - (a.n < b.n);
}

bool
str_starts(struct str s, struct str prefix)
{
	return s.n >= prefix.n && str_eq((struct str){ s.p, prefix.n }, prefix);
}

bool
str_ends(struct str s, struct str suffix)
{
	return s.n >= suffix.n && str_eq((struct str){ s.p + (s.n - suffix.n), suffix.n }, suffix);
}

bool
str_within(struct str host, struct str zone)
{
	return str_ends(host, zone) && (host.n == zone.n || host.p[host.n - zone.n - 1] == '.');
}

struct str
str_lower_ascii(char *room, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		room[i] = s.p[i] >= 'A' && s.p[i] <= 'Z' ? (char)(s.p[i] + 32) : s.p[i];
	return (struct str){ room, s.n };
}

struct str
str_upper_ascii(char *room, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		room[i] = s.p[i] >= 'a' && s.p[i] <= 'z' ? (char)(s.p[i] - 32) : s.p[i];
	return (struct str){ room, s.n };
}

bool
str_graphic(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] <= ' ' || s.p[i] == 0x7f)
			return false;
	return s.n > 0;
}

/* The length of the UTF-8 sequence that begins with c; 0 if no sequence does. */
static size_t
sequence_length(unsigned char c)
{
	if (c < 0x80)
		return 1;
	if (c >= 0xc2 && c <= 0xdf)
		return 2;
	if (c >= 0xe0 && c <= 0xef)
		return 3;
	return c >= 0xf0 && c <= 0xf4 ? 4 : 0;
}

/* Checks the second byte of a sequence. Its range depends on the first byte; the narrower ranges
   exclude overlong forms, surrogates and values above U+10FFFF (RFC 3629, section 4). */
static bool
second_byte_ok(unsigned char first, unsigned char c)
{
	unsigned lo = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
	unsigned hi = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;

	return c >= lo && c <= hi;
}

size_t
str_utf8_bad(struct str s)
{
	const unsigned char *p = (const unsigned char *)s.p;
	size_t i = 0;

	while (i < s.n) {
		size_t n = sequence_length(p[i]);

		if (n == 0 || s.n - i < n || (n > 1 && !second_byte_ok(p[i], p[i + 1])))
			return i;
		for (size_t k = 2; k < n; k++)
			if ((p[i + k] & 0xc0) != 0x80)
				return i;
		i += n;
	}
	return s.n;
}

size_t
str_chars(struct str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += ((unsigned char)s.p[i] & 0xc0) != 0x80;
	return n;
}

struct str
str_cut(struct str s, size_t chars)
{
	size_t n = 0;

	for (; n < s.n; n++)
		if (((unsigned char)s.p[n] & 0xc0) != 0x80 && chars-- == 0)
			break;
	return (struct str){ s.p, n };
}

struct str
str_cut_bytes(struct str s, size_t bytes)
{
	if (s.n <= bytes)
		return s;
	while (bytes > 0 && ((unsigned char)s.p[bytes] & 0xc0) == 0x80)
		bytes--;
	return (struct str){ s.p, bytes };
}

/* The length of the character at the beginning of s if it has the Unicode property White_Space,
   otherwise 0. */
static size_t
space_length(struct str s)
{
	static const struct str spaces[] = {
		STR_INIT("\xc2\x85"),
		STR_INIT("\xc2\xa0"),
		STR_INIT("\xe1\x9a\x80"),
		STR_INIT("\xe2\x80\xa8"),
		STR_INIT("\xe2\x80\xa9"),
		STR_INIT("\xe2\x80\xaf"),
		STR_INIT("\xe2\x81\x9f"),
		STR_INIT("\xe3\x80\x80"),
	};

	if (s.n == 0)
		return 0;
	if (s.p[0] == ' ' || (s.p[0] >= '\t' && s.p[0] <= '\r'))
		return 1;
	for (size_t i = 0; i < COUNT(spaces); i++)
		if (str_starts(s, spaces[i]))
			return spaces[i].n;
	/* U+2000 to U+200A */
	if (s.n >= 3 && memcmp(s.p, "\xe2\x80", 2) == 0 && (unsigned char)s.p[2] >= 0x80 &&
	    (unsigned char)s.p[2] <= 0x8a)
		return 3;
	return 0;
}

struct str
str_trim(struct str s)
{
	size_t n;

	while ((n = space_length(s)) > 0) {
		s.p += n;
		s.n -= n;
	}
	while (s.n > 0) {
		size_t at = s.n - 1;

		while (at > 0 && ((unsigned char)s.p[at] & 0xc0) == 0x80)
			at--;
		if (space_length((struct str){ s.p + at, s.n - at }) != s.n - at)
			break;
		s.n = at;
	}
	return s;
}

void
str_write(struct str s, FILE *to)
{
	if (s.n > 0)
		fwrite(s.p, 1, s.n, to);
}

bool
str_int64(struct str s, int64_t *out)
{
	bool minus = s.n > 0 && s.p[0] == '-';
	int64_t v = 0;

	if (s.n == (size_t)minus)
		return false;
	for (size_t i = minus; i < s.n; i++) {
		int d = s.p[i] - '0';

		if (d < 0 || d > 9 || __builtin_mul_overflow(v, 10, &v) ||
		    __builtin_sub_overflow(v, d, &v)) /* v is negative: INT64_MIN has no positive */
			return false;
	}
	if (!minus && v == INT64_MIN)
		return false;
	*out = minus ? v : -v;
	return true;
}
