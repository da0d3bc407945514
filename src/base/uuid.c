/* SPDX-License-Identifier: ISC */
/* UUIDs as 16 bytes, and their text form. */
#include "config.h"

#include "base/base.h"

static bool
is_dash_position(size_t i)
{
	return i == 8 || i == 13 || i == 18 || i == 23;
}

bool
uuid_parse(struct str s, struct uuid *out)
{
	size_t k = 0;

	if (s.n != UUID_LEN)
		return false;
	for (size_t i = 0; i < UUID_LEN;) {
		int hi, lo;

		if (is_dash_position(i)) {
			if (s.p[i++] != '-')
				return false;
			continue;
		}
		hi = ascii_hex(s.p[i]);
		lo = ascii_hex(s.p[i + 1]);
		if (hi < 0 || lo < 0)
			return false;
		out->b[k++] = (unsigned char)(hi << 4 | lo);
		i += 2;
	}
	return true;
}

void
uuid_print(const struct uuid *u, char out[UUID_LEN + 1])
{
	char hex[33];
	size_t k = 0;

	hex_print(hex, u->b, sizeof(u->b));
	for (size_t i = 0; i < UUID_LEN; i++)
		out[i] = is_dash_position(i) ? '-' : hex[k++];
	out[UUID_LEN] = '\0';
}

struct uuid_text
uuid_text(const struct uuid *u)
{
	struct uuid_text text;

	uuid_print(u, text.z);
	return text;
}

struct str
arena_uuid(struct arena *a, const struct uuid *u)
{
	char *text = arena_alloc(a, UUID_LEN + 1);

	uuid_print(u, text);
	return (struct str){ text, UUID_LEN };
}

struct uuid
uuid_random(void)
{
	struct uuid u;

	random_bytes(u.b, sizeof(u.b));
	u.b[6] = (unsigned char)((u.b[6] & 0x0f) | 0x40);
	u.b[8] = (unsigned char)((u.b[8] & 0x3f) | 0x80);
	return u;
}

int
uuid_cmp(const struct uuid *a, const struct uuid *b)
{
	return memcmp(a->b, b->b, sizeof(a->b));
}
