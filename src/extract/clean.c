/* SPDX-License-Identifier: ISC */
/* Normalises and refangs a text: the first step of extract(). Bytes that are no UTF-8 become
 * blanks, characters without width disappear, and each spelling of tbl/defang.h becomes the plain
 * one, marked in fang[].
 *
 *     text    hxxps://evil[.]com/a\xff
 *     p       https://evil.com/a
 *     fang    111110000000100000 0
 *
 * NFC is applied to pieces of at most PIECE bytes, since sorting combining marks is quadratic in
 * their number. */
#include "config.h"

#include "extract/extract_priv.h"

#include <stdlib.h>
#include <utf8proc.h>

enum { PIECE = 240 };

enum part { SCHEME, COLON, DOT, WORD, AT, SLASH };

static const struct defang {
	enum part part;
	struct str spelling, plain;
} table[] = {
#define DEFANG(part, spelling, plain) { part, STR_INIT(spelling), STR_INIT(plain) },
#include "tbl/defang.h"
#undef DEFANG
};

/* Characters without width, and those that are a dot; the others stay. */
static bool
replace_code_point(utf8proc_int32_t c, struct buf *out)
{
	switch (c) {
	case 0xad:
	case 0x200b:
	case 0x200c:
	case 0x200d:
	case 0x2060:
	case 0xfeff:
		return true;
	case 0x3002:
	case 0xff0e:
	case 0xff61:
		buf_char(out, '.');
		return true;
	case 0xa0:
	case 0x2007:
	case 0x202f:
		buf_char(out, ' ');
		return true;
	default:
		return false;
	}
}

struct normal {
	struct str in;
	struct buf out;
	struct shifts given;
};

static void
add_composed(struct buf *out, struct str piece)
{
	utf8proc_uint8_t *made = NULL;
	utf8proc_ssize_t n = utf8proc_map((const utf8proc_uint8_t *)piece.p,
	    (utf8proc_ssize_t)piece.n, &made, UTF8PROC_STABLE | UTF8PROC_COMPOSE);

	if (n >= 0)
		buf_add(out, made, (size_t)n);
	else
		buf_str(out, piece);
	free(made);
}

/* Adds the run of characters beyond ASCII at i with the character before it, with which they may
   compose. */
static size_t
add_foreign(struct normal *to, size_t i)
{
	char room[PIECE + 16];
	struct buf piece = { .p = room, .room = sizeof(room) }, *out = &to->out;
	struct str text = to->in;
	size_t begun = i, at = out->n, origin = i;

	if (out->n > 0 && ascii_letter(out->p[out->n - 1])) {
		piece.p[piece.n++] = out->p[--out->n];
		at = out->n;
		origin = shift_origin(&to->given, at);
	}
	while (i < text.n && (unsigned char)text.p[i] >= 0x80 && i - begun < PIECE - 8) {
		utf8proc_int32_t c;
		utf8proc_ssize_t n = utf8proc_iterate(
		    (const utf8proc_uint8_t *)text.p + i, (utf8proc_ssize_t)(text.n - i), &c);

		if (n <= 0)
			piece.p[piece.n++] = ' ';
		else if (!replace_code_point(c, &piece)) {
			memcpy(piece.p + piece.n, text.p + i, (size_t)n);
			piece.n += (size_t)n;
		}
		i += n > 0 ? (size_t)n : 1;
	}
	add_composed(out, (struct str){ room, piece.n });
	shift_add(&to->given, at, origin);
	shift_add(&to->given, out->n, i);
	return i;
}

static void
normalise(struct normal *to, struct arena *a)
{
	struct str text = to->in;

	to->out = (struct buf){ .a = a, .p = arena_alloc(a, text.n + 64), .room = text.n + 64 };
	for (size_t i = 0; i < text.n;) {
		char c = text.p[i];

		if ((unsigned char)c >= 0x80)
			i = add_foreign(to, i);
		else {
			buf_char(&to->out, c == '\r' && (i + 1 == text.n || text.p[i + 1] != '\n')
					       ? '\n'
					   : (unsigned char)c < ' ' && c != '\n' && c != '\t' ? ' '
											      : c);
			i++;
		}
	}
}

/* ---- refanging ---- */

struct refang {
	struct str in;
	char *p;
	unsigned char *fang;
	size_t n;
	struct shifts shifts;
	unsigned char first[256], next[sizeof(table) / sizeof(*table)];
};

_Static_assert(sizeof(table) / sizeof(*table) < 255, "the index of a row fits into a byte");

static bool
part_of_name(char c)
{
	return ascii_alnum(c) || c == '-' || c == '_' || (unsigned char)c >= 0x80;
}

static bool
spelled(struct str in, size_t at, struct str spelling)
{
	if (in.n - at < spelling.n)
		return false;
	for (size_t i = 0; i < spelling.n; i++) {
		char c = in.p[at + i];

		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		if (c != spelling.p[i])
			return false;
	}
	return true;
}

/* Whether a number or a usual top-level domain begins at `at`, ends a word, and so makes " . " a
   dot. */
static bool
name_continues(struct str in, size_t at, struct str before)
{
	static const char *const tops[] = { "com", "net", "org", "info", "ru", "cn", "xyz", "top",
		"io", "biz", "co", "onion", "online", "site", "club", "pw", "su", "cc", "tk" };
	struct str word = { in.p + at, 0 };

	while (at + word.n < in.n && word.n < 32 && part_of_name(word.p[word.n]))
		word.n++;
	if (word.n == 0)
		return false;
	for (size_t i = 0; i < sizeof(tops) / sizeof(*tops); i++)
		if (str_is_nocase(word, tops[i]))
			return true;
	return word.n <= 3 && strspn(word.p, "0123456789") >= word.n && before.n > 0 &&
	       ascii_digit(before.p[before.n - 1]);
}

static bool
colon_follows(struct str in, size_t at)
{
	static const char *const signs[] = { "://", "[:", "(:", "{:", ":[/", ":\\\\",
		"\\[:", ":/" };

	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
		if (spelled(in, at, str_of(signs[i])))
			return true;
	return false;
}

static bool
row_fits(const struct refang *r, const struct defang *row, size_t at)
{
	struct str in = r->in, before = { r->p, r->n };
	char left = r->n > 0 ? r->p[r->n - 1] : ' ';
	size_t behind = at + row->spelling.n;
	char right = behind < in.n ? in.p[behind] : ' ';

	switch (row->part) {
	case SCHEME:
		return !ascii_alnum(left) && colon_follows(in, behind);
	case COLON:
		return ascii_alnum(left) || (left == ':' && row->plain.n == 1);
	case DOT:
		return part_of_name(left) && (part_of_name(right) || right == '*') &&
		       (row->spelling.n > 1 || left != '\\');
	case WORD:
		return part_of_name(left) && part_of_name(right) &&
		       name_continues(in, behind, before);
	case AT:
		return part_of_name(left) && part_of_name(right);
	case SLASH:
		return part_of_name(left) || left == '/';
	}
	return false;
}

/* Links the rows by their first character, in the order of the table: first[c] and next[row] are
   one more than the index of a row, 0 where none follows. */
static void
index_rows(struct refang *r)
{
	for (size_t i = sizeof(table) / sizeof(*table); i-- > 0;) {
		unsigned char c = (unsigned char)table[i].spelling.p[0];

		r->next[i] = r->first[c];
		r->first[c] = (unsigned char)(i + 1);
		if (ascii_letter((char)c))
			r->first[c - 'a' + 'A'] = r->first[c];
	}
}

/* The first row that fits at `at`, or NULL. */
static const struct defang *
row_at(const struct refang *r, size_t at)
{
	for (unsigned i = r->first[(unsigned char)r->in.p[at]]; i > 0; i = r->next[i - 1])
		if (spelled(r->in, at, table[i - 1].spelling) && row_fits(r, &table[i - 1], at))
			return &table[i - 1];
	return NULL;
}

/* A PDF prints the two hyphens of "xn--" as one dash. */
static bool
dash_of_xn(const struct refang *r, size_t at)
{
	return r->n >= 2 && str_is_nocase((struct str){ r->p + r->n - 2, 2 }, "xn") &&
	       r->in.n - at > 3 && memcmp(r->in.p + at, "\xe2\x80\x93", 3) == 0;
}

static void
append_refanged(struct refang *r, struct str plain, unsigned char mark)
{
	memcpy(r->p + r->n, plain.p, plain.n);
	memset(r->fang + r->n, mark, plain.n);
	r->n += plain.n;
}

/* Replaces the n bytes at i; returns where the text goes on. */
static size_t
replace_spelling(struct refang *r, size_t i, size_t n, struct str plain)
{
	append_refanged(r, plain, 1);
	shift_add(&r->shifts, r->n, i + n);
	return i + n;
}

struct clean
clean_text(struct arena *a, const struct extract_input *in)
{
	struct arena *marks = in->marks ? a : NULL;
	struct normal normal = { .in = in->text, .given = { .a = marks } };
	struct refang r = { .shifts = { .a = marks } };

	normalise(&normal, a);
	r.in = buf_done(&normal.out);
	index_rows(&r);
	r.p = arena_alloc(a, r.in.n + 2);
	r.fang = arena_alloc(a, r.in.n + 2);
	for (size_t i = 0; i < r.in.n;) {
		const struct defang *row = row_at(&r, i);

		if (row != NULL)
			i = replace_spelling(&r, i, row->spelling.n, row->plain);
		else if (dash_of_xn(&r, i))
			i = replace_spelling(&r, i, 3, STR("--"));
		else
			append_refanged(&r, (struct str){ r.in.p + i++, 1 }, 0);
	}
	r.p[r.n] = '\n';
	return (struct clean){ r.p, r.n, r.fang, r.shifts, normal.given };
}
