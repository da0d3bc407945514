/* SPDX-License-Identifier: ISC */
/* Folds labels: two labels that look alike become equal texts.
 *
 *   "xn--80ak6aa92e"  --A-label-->  "аррӏе"  --confusables.inc-->  "apple"  --classes-->  "appie"
 *   "tìktok"          --marks--->  "tiktok"
 *   "vvest"                                                        "vvest"                "west"
 *
 * confusables.inc is made at build time from ICU's data (UTS 39) by generate.c: every code point
 * that folds to ASCII. Other code points are decomposed by utf8proc, and the results are looked
 * up in that table. The letters i, l and 1 all become i. A folded text has no "cl" and no "nn",
 * which look like d and m, so folding it again changes nothing. */
#include "config.h"

#include "lookalike/lookalike_priv.h"

#include <idn2.h>
#include <utf8proc.h>

static const struct {
	uint32_t code;
	const char *text;
} confusables[] = {
#include "lookalike/confusables.inc"
};

static const char *
find_confusable(uint32_t code)
{
	size_t from = 0, to = COUNT(confusables);

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (confusables[middle].code == code)
			return confusables[middle].text;
		if (confusables[middle].code < code)
			from = middle + 1;
		else
			to = middle;
	}
	return NULL;
}

static bool
has_only_ascii(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] >= 0x80)
			return false;
	return true;
}

/* ---- Unicode ---- */

static void
add_decomposed(struct buf *b, uint32_t code)
{
	utf8proc_int32_t room[64];
	utf8proc_ssize_t n = utf8proc_decompose_char((utf8proc_int32_t)code, room, COUNT(room),
	    UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE | UTF8PROC_CASEFOLD | UTF8PROC_STRIPMARK |
		UTF8PROC_IGNORE,
	    NULL);

	for (utf8proc_ssize_t i = 0; i < n && i < (utf8proc_ssize_t)COUNT(room); i++) {
		const char *text = find_confusable((uint32_t)room[i]);

		if (text != NULL)
			buf_z(b, text);
		else
			buf_code_point(b, (uint32_t)room[i]);
	}
}

/* Replaces each code point once. Bytes that are not UTF-8 stay. */
static struct str
without_confusables(struct arena *a, struct str s)
{
	struct buf b = { .a = a };

	while (s.n > 0) {
		utf8proc_int32_t code;
		utf8proc_ssize_t n =
		    utf8proc_iterate((const utf8proc_uint8_t *)s.p, (utf8proc_ssize_t)s.n, &code);
		const char *text;

		if (n <= 0 || code < 0x80) {
			buf_char(&b, s.p[0]);
			n = 1;
		} else if ((text = find_confusable((uint32_t)code)) != NULL) {
			buf_z(&b, text);
		} else {
			add_decomposed(&b, (uint32_t)code);
		}
		s.p += n;
		s.n -= (size_t)n;
	}
	return buf_done(&b);
}

/* A replacement may contain confusable characters itself, so this repeats until nothing changes. */
static struct str
to_ascii_letters(struct arena *a, struct str s)
{
	enum { PASSES = 4 };

	for (int i = 0; i < PASSES && !has_only_ascii(s); i++) {
		struct str next = without_confusables(a, s);

		if (str_eq(next, s))
			break;
		s = next;
	}
	return s;
}

static bool
is_a_label(struct str s)
{
	return s.n > 4 && (s.p[0] | 32) == 'x' && (s.p[1] | 32) == 'n' && s.p[2] == '-' &&
	       s.p[3] == '-';
}

static struct str
label_unicode(struct arena *a, struct str label)
{
	char *text = NULL;
	struct str out = label;

	if (is_a_label(label) && idn2_to_unicode_8z8z(arena_str(a, label).p, &text, 0) == IDN2_OK &&
	    text != NULL && !has_only_ascii(str_of(text)))
		out = arena_str(a, str_of(text));
	idn2_free(text);
	return out;
}

struct str
lookalike_unicode(struct arena *a, struct str name)
{
	struct buf b = { .a = a };

	if (memmem(name.p, name.n, "xn--", 4) == NULL)
		return name;
	while (name.p != NULL) {
		struct str label = str_until(&name, '.');

		buf_str(&b, label_unicode(a, label));
		if (name.p != NULL)
			buf_char(&b, '.');
	}
	return buf_done(&b);
}

/* ---- classes ---- */

static char
class_of(char c)
{
	if (c >= 'A' && c <= 'Z')
		c = (char)(c + ('a' - 'A'));
	return c == '0' ? 'o' : c == '1' || c == 'l' ? 'i' : c;
}

/* Returns the letter that a pair of letters looks like, or 0. wide: pairs count that are frequent
   in honest names, too. */
static char
pair_of(char c, char d, bool wide)
{
	if (c == 'v' && d == 'v')
		return 'w';
	if (c == 'r' && d == 'n')
		return 'm';
	if (wide && c == 'n' && d == 'n')
		return 'm';
	return wide && c == 'c' && (d == 'l' || d == '1') ? 'd' : '\0';
}

static char
lower_char(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static struct str
fold_classes(struct arena *a, struct str s, bool wide)
{
	char *out = arena_alloc(a, s.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		char pair =
		    i + 1 < s.n ? pair_of(lower_char(s.p[i]), lower_char(s.p[i + 1]), wide) : '\0';

		out[n++] = pair != '\0' ? pair : class_of(s.p[i]);
		i += pair != '\0';
	}
	return (struct str){ out, n };
}

/* Folding repeats because wide letters may become an A-label ("xn--"). */
struct str
fold_with(struct arena *a, struct str label, bool wide)
{
	enum { PASSES = 4 };
	struct str out = label;

	for (int i = 0; i < PASSES; i++) {
		struct str in = out;

		out = fold_classes(a, to_ascii_letters(a, label_unicode(a, in)), wide);
		if (!is_a_label(out) || str_eq(out, in))
			break;
	}
	return out;
}

struct str
lookalike_fold(struct arena *a, struct str label)
{
	return fold_with(a, label, true);
}
