/* SPDX-License-Identifier: ISC */
/* Finds the format of a file, by its name or by the beginning of the file. For JSON only the names
   of members count and no values: the names are fixed in the code of each tool, and differ between
   tools. */
#include "config.h"

#include "cli/import/format.h"

#include "base/ipnet.h"

static const struct format formats[] = {
#define FORMAT(dataset, name, reader, help) { DATASET_##dataset, #name, help, read_##reader },
#include "tbl/formats.h"
#undef FORMAT
};

enum how { SIGN_MEMBERS, SIGN_BEGINS, SIGN_CONTAINS, SIGN_COLUMN, SIGN_ADDRESS, SIGN_NAME };

static const struct {
	enum dataset dataset;
	const char *name;
	enum how how;
	struct str sign;
} signs[] = {
#define FORMAT_SIGN(dataset, name, how, sign)                                                      \
	{ DATASET_##dataset, #name, SIGN_##how, STR_INIT(sign) },
#include "tbl/format_signs.h"
};

static const struct {
	struct format_foreign foreign;
	enum how how;
	struct str sign;
} foreign_signs[] = {
#define FOREIGN_SIGN(name, how, sign, advice) { { name, advice }, SIGN_##how, STR_INIT(sign) },
#include "tbl/format_signs.h"
};

const struct format *
format_next(enum dataset d, const struct format *f)
{
	for (f = f == NULL ? formats : f + 1; f < formats + COUNT(formats); f++)
		if (f->dataset == d)
			return f;
	return NULL;
}

const struct format *
format_find(enum dataset d, struct str name)
{
	const struct format *f = NULL;

	while ((f = format_next(d, f)) != NULL)
		if (str_is(name, f->name))
			return f;
	return NULL;
}

bool
format_feeds(const struct format *f, enum dataset d)
{
	const struct format *other = format_find(d, str_of(f->name));

	return other != NULL && other->records == f->records;
}

static struct str
skip_spaces(struct str s)
{
	while (s.n > 0 && ascii_space(s.p[0]))
		s = (struct str){ s.p + 1, s.n - 1 };
	return s;
}

/* The input may be anything, so str_trim, which needs valid UTF-8, cannot be used. */
static struct str
trim_spaces(struct str s)
{
	s = skip_spaces(s);
	while (s.n > 0 && ascii_space(s.p[s.n - 1]))
		s.n--;
	return s;
}

/* Returns the bytes up to the quote that ends a string; *s becomes the text after the quote. */
static struct str
take_string(struct str *s)
{
	struct str string = { s->p, 0 };

	while (string.n < s->n && s->p[string.n] != '"')
		string.n += s->p[string.n] == '\\' && string.n + 1 < s->n ? 2 : 1;
	s->p += string.n;
	s->n -= string.n;
	if (s->n > 0)
		*s = (struct str){ s->p + 1, s->n - 1 };
	return string;
}

/* True when the object at the beginning of s has the member. s may end in the middle of the
   object. */
static bool
object_has(struct str s, struct str name)
{
	unsigned depth = 0;

	while (s.n > 0) {
		char c = s.p[0];
		struct str string;

		s = (struct str){ s.p + 1, s.n - 1 };
		depth += c == '{' || c == '[';
		if ((c == '}' || c == ']') && --depth == 0)
			return false;
		if (c != '"')
			continue;
		string = take_string(&s);
		if (depth == 1 && str_eq(string, name) && str_starts(skip_spaces(s), STR(":")))
			return true;
	}
	return false;
}

/* True when the object has all members of a list such as "ip+ports". */
static bool
object_has_all(struct str s, struct str names)
{
	struct str name;

	if (s.n == 0 || s.p[0] != '{')
		return false;
	while (str_part(&names, '+', &name))
		if (!object_has(s, name))
			return false;
	return true;
}

/* Whether the line is a name such as www.example.org. */
static bool
is_dns_line(struct str line)
{
	size_t dots = 0;

	for (size_t i = 0; i < line.n; i++) {
		dots += line.p[i] == '.';
		if (!ascii_alnum(line.p[i]) && strchr("._-*", line.p[i]) == NULL)
			return false;
	}
	return dots > 0 && ascii_letter(line.p[line.n - 1]);
}

static bool
first_line_is(enum how how, struct str sign, struct str head)
{
	struct str line, column;
	struct ipnet ip;

	if (!str_line(&head, &line))
		return false;
	line = trim_spaces(line);
	if (how == SIGN_ADDRESS)
		return ipnet_parse_address(line, &ip);
	if (how == SIGN_NAME)
		return is_dns_line(line);
	while (str_part(&line, ',', &column))
		if (str_eq(column, sign))
			return true;
	return false;
}

static bool
sign_fits(enum how how, struct str sign, struct str head, struct str object)
{
	switch (how) {
	case SIGN_MEMBERS:
		return object_has_all(object, sign);
	case SIGN_BEGINS:
		return str_starts(head, sign);
	case SIGN_CONTAINS:
		return memmem(head.p, head.n, sign.p, sign.n) != NULL;
	case SIGN_COLUMN:
	case SIGN_ADDRESS:
	case SIGN_NAME:
		return first_line_is(how, sign, head);
	}
	return false;
}

/* The beginning of the file, and the first object in it. */
static struct str
peek_head(struct source *s, struct str *object)
{
	struct str head = source_peek(s);

	if (str_starts(head, STR("\xef\xbb\xbf")))
		head = (struct str){ head.p + 3, head.n - 3 };
	head = *object = skip_spaces(head);
	if (head.n > 0 && head.p[0] == '[')
		*object = skip_spaces((struct str){ head.p + 1, head.n - 1 });
	return head;
}

const struct format_foreign *
format_foreign(struct source *s)
{
	struct str object, head = peek_head(s, &object);
	/* JSON and XML contain such texts as values: a script of nmap prints zones */
	bool plain = head.n > 0 && strchr("{[<", head.p[0]) == NULL;

	for (size_t i = 0; i < COUNT(foreign_signs); i++) {
		struct str sign = foreign_signs[i].sign;

		if ((foreign_signs[i].how != SIGN_CONTAINS || plain || sign.p[0] == '<') &&
		    sign_fits(foreign_signs[i].how, sign, head, object))
			return &foreign_signs[i].foreign;
	}
	return NULL;
}

const struct format *
format_guess(enum dataset d, struct source *s)
{
	struct str object, head = peek_head(s, &object);

	if (head.n == 0)
		return format_next(d, NULL); /* an empty file is valid in every format */
	for (size_t i = 0; i < COUNT(signs); i++)
		if (signs[i].dataset == d && sign_fits(signs[i].how, signs[i].sign, head, object))
			return format_find(d, str_of(signs[i].name));
	return NULL;
}
