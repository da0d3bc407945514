/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "address/idn.h"

#include <idn2.h>

bool
idn_is_ascii(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] >= 0x80)
			return false;
	return true;
}

/* Whether the text has letters, digits, hyphens and dots alone. UTS 46 leaves other characters of
   ASCII in an A-label, and makes some of characters beyond ASCII, such as a slash of U+2100. */
static bool
is_plain_label(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '.')
			return false;
	}
	return s.n > 0;
}

/* The result may have several labels, because U+3002 is a dot to UTS 46. */
static bool
add_converted(struct arena *a, struct buf *b, struct str label)
{
	uint8_t *made = NULL;
	bool ok = memchr(label.p, '\0', label.n) == NULL &&
		  idn2_lookup_u8((const uint8_t *)arena_str(a, label).p, &made,
		      IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL) == IDN2_OK &&
		  is_plain_label(str_of((const char *)made));

	if (ok)
		buf_z(b, (const char *)made);
	idn2_free(made);
	return ok;
}

bool
idn_to_ascii(struct arena *a, struct str *name)
{
	struct str rest = *name;
	struct buf b = { .a = a };

	if (idn_is_ascii(*name))
		return true;
	for (;;) {
		struct str label = str_until(&rest, '.');

		if (idn_is_ascii(label))
			buf_str(&b, label);
		else if (!add_converted(a, &b, label))
			return false;
		if (rest.p == NULL)
			break;
		buf_char(&b, '.');
	}
	*name = buf_done(&b);
	return true;
}

struct str
name_without_dot(struct str name)
{
	if (name.n > 1 && name.p[name.n - 1] == '.')
		name.n--;
	return name;
}
