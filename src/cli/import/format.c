/* SPDX-License-Identifier: ISC */
/* Finds the format of a file. A guess looks at the names of the first JSON object, never at values: names are what a
   tool's own code writes, and what two tools rarely share. */
#include "config.h"

#include "cli/import/format.h"

#define READER_HOSTS(reader) .hosts = import_##reader
#define READER_DNS(reader) .records = read_##reader
#define READER_WHOIS(reader) .records = read_##reader
#define READER_CERTIFICATES(reader) .records = read_##reader
#define READER_REPORTS(reader) .records = read_##reader
#define READER_DIRECTORIES(reader) .records = read_##reader

static const struct format formats[] = {
#define FORMAT(dataset, name, reader, help)                                                        \
	{ DATASET_##dataset, #name, help, READER_##dataset(reader) },
#include "tbl/formats.h"
#undef FORMAT
};

enum how { SIGN_MEMBERS, SIGN_BEGINS, SIGN_CONTAINS };

static const struct {
	enum dataset dataset;
	const char *name;
	enum how how;
	struct str sign;
} signs[] = {
#define FORMAT_SIGN(dataset, name, how, sign)                                                      \
	{ DATASET_##dataset, #name, SIGN_##how, STR_INIT(sign) },
#include "tbl/format_signs.h"
#undef FORMAT_SIGN
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

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct str
skip_spaces(struct str s)
{
	while (s.n > 0 && is_space(s.p[0]))
		s = (struct str){ s.p + 1, s.n - 1 };
	return s;
}

/* The bytes up to the quote that ends a string; *s is what follows it. */
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

/* Whether the object at the beginning of s has the member. The end of s may be missing. */
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

/* names: "ip+ports". */
static bool
object_has_all(struct str s, struct str names)
{
	if (s.n == 0 || s.p[0] != '{')
		return false;
	for (;;) {
		const char *plus = memchr(names.p, '+', names.n);
		struct str name = { names.p, plus == NULL ? names.n : (size_t)(plus - names.p) };

		if (!object_has(s, name))
			return false;
		if (plus == NULL)
			return true;
		names = (struct str){ plus + 1, names.n - name.n - 1 };
	}
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
	}
	return false;
}

const struct format *
format_guess(enum dataset d, struct source *s)
{
	struct str head = source_peek(s), object;

	if (str_starts(head, STR("\xef\xbb\xbf")))
		head = (struct str){ head.p + 3, head.n - 3 };
	head = object = skip_spaces(head);
	if (head.n == 0)
		return format_next(d, NULL); /* an empty file has no records in any format */
	if (object.p[0] == '[')
		object = skip_spaces((struct str){ object.p + 1, object.n - 1 });
	for (size_t i = 0; i < COUNT(signs); i++)
		if (signs[i].dataset == d && sign_fits(signs[i].how, signs[i].sign, head, object))
			return format_find(d, str_of(signs[i].name));
	return NULL;
}
