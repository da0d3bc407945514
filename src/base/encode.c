/* SPDX-License-Identifier: ISC */
/* Hexadecimal and base64: opaque bytes as text. */
#include "config.h"

#include "base/base.h"

static const char digits64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static const char hex[] = "0123456789abcdef";

void
hex_print(char *out, const unsigned char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		*out++ = hex[bytes[i] >> 4];
		*out++ = hex[bytes[i] & 15];
	}
	*out = '\0';
}

struct str
hex_text(struct arena *a, struct str bytes)
{
	char *out = arena_alloc(a, 2 * bytes.n + 1);

	hex_print(out, (const unsigned char *)bytes.p, bytes.n);
	return (struct str){ out, 2 * bytes.n };
}

bool
hex_parse(struct str s, unsigned char *out, size_t n)
{
	if (s.n != 2 * n)
		return false;
	for (size_t i = 0; i < n; i++) {
		const char *high = memchr(hex, s.p[2 * i], sizeof(hex) - 1);
		const char *low = memchr(hex, s.p[2 * i + 1], sizeof(hex) - 1);

		if (high == NULL || low == NULL)
			return false;
		out[i] = (unsigned char)((high - hex) << 4 | (low - hex));
	}
	return true;
}

size_t
base64url_print(char *out, const unsigned char *bytes, size_t n)
{
	const char *start = out;

	for (size_t i = 0; i < n; i += 3) {
		unsigned left = n - i > 3 ? 3 : (unsigned)(n - i);
		unsigned v = (unsigned)bytes[i] << 16;

		if (left > 1)
			v |= (unsigned)bytes[i + 1] << 8;
		if (left > 2)
			v |= bytes[i + 2];
		for (unsigned k = 0; k <= left; k++)
			*out++ = digits64[v >> (18 - 6 * k) & 63];
	}
	*out = '\0';
	return (size_t)(out - start);
}

bool
base64url_parse(struct str s, unsigned char *out, size_t room, size_t *n)
{
	unsigned v = 0, bits = 0;

	*n = 0;
	if (s.n % 4 == 1)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		const char *d = s.p[i] == '\0' ? NULL : strchr(digits64, s.p[i]);

		if (d == NULL)
			return false;
		v = v << 6 | (unsigned)(d - digits64);
		bits += 6;
		if (bits < 8)
			continue;
		if (*n == room)
			return false;
		bits -= 8;
		out[(*n)++] = (unsigned char)(v >> bits);
		v &= (1u << bits) - 1;
	}
	/* Nonzero spare bits would be another spelling of the same bytes. */
	return v == 0;
}

/* Fills the table of digit values; 64 means no digit. base64_parse uses a table because a
   screenshot has a million digits. */
static void
fill_base64_values(unsigned char values[256])
{
	memset(values, 64, 256);
	for (unsigned char i = 0; i < 62; i++)
		values[(unsigned char)digits64[i]] = i;
	values['+'] = 62;
	values['/'] = 63;
}

bool
base64_parse(struct str s, unsigned char *out, size_t room, size_t *n)
{
	static unsigned char values[256];
	size_t pad = 0;

	if (values[0] == 0)
		fill_base64_values(values);
	*n = 0;
	if (s.n % 4 != 0)
		return false;
	while (pad < 2 && pad < s.n && s.p[s.n - 1 - pad] == '=')
		pad++;
	if (s.n / 4 * 3 - pad > room)
		return false;
	for (size_t i = 0; i < s.n; i += 4) {
		size_t left = i + 4 == s.n ? 4 - pad : 4;
		unsigned v = 0, bad = 0;

		for (size_t k = 0; k < 4; k++) {
			unsigned d = k < left ? values[(unsigned char)s.p[i + k]] : 0;

			bad |= d & 64;
			v = v << 6 | (d & 63);
		}
		if (bad != 0 || (left < 4 && (v & ((1U << (8 * (4 - left))) - 1)) != 0))
			return false;
		for (size_t k = 0; k + 1 < left; k++)
			out[(*n)++] = (unsigned char)(v >> (16 - 8 * k));
	}
	return true;
}
