/* SPDX-License-Identifier: ISC */
/* The canonical forms of tbl/forms.h. One fact must have one text: otherwise the same fact from two
   tools would be two records, two values of a facet, or a change at each import.

     form      given                             stored
     address   2001:DB8:0::1                     2001:db8::1
     network   192.0.2.77/24                     192.0.2.0/24          bits beyond the prefix are cleared
     name      WWW.Example.org.                  www.example.org
               www.München.de                    www.xn--mnchen-3ya.de
     sha256    AB:CD:...                         abcd...
     hash      AB:CD:..., SHA1-Of-it              abcd..., sha1-of-it   colons between two digits each
     serial    00:0a                             A                     no leading zeros, no colons
     header    Server:  nginx                    server: nginx
     rcode     3, rcode3, nxdomain               NXDOMAIN
     cve       cve-2026-12345                    CVE-2026-12345

   A function gets a text and replaces it with its canonical form in the arena, or returns false.
   Applied to a canonical text it must return the same text, because stored documents pass through
   here again at each import. */
#include "config.h"

#include "address/idn.h"
#include "record/lookup.h"
#include "record/record_priv.h"

static char
upper_char(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
}

static bool
form_any(struct arena *a, enum form f, struct str *s)
{
	(void)a;
	(void)f;
	(void)s;
	return true;
}

static bool
form_lower(struct arena *a, enum form f, struct str *s)
{
	(void)f;
	*s = arena_lower(a, *s);
	return true;
}

static bool
form_upper(struct arena *a, enum form f, struct str *s)
{
	(void)f;
	*s = arena_upper(a, *s);
	return true;
}

static bool
form_address(struct arena *a, enum form f, struct str *s)
{
	(void)f;
	return ipnet_canonical_address(a, s);
}

static bool
form_network(struct arena *a, enum form f, struct str *s)
{
	(void)f;
	return ipnet_canonical_network(a, s);
}

static bool
form_country(struct arena *a, enum form f, struct str *s)
{
	(void)f;
	*s = arena_upper(a, *s);
	return s->n == 2 && s->p[0] >= 'A' && s->p[0] <= 'Z' && s->p[1] >= 'A' && s->p[1] <= 'Z';
}

static bool
form_slug(struct arena *a, enum form f, struct str *s)
{
	(void)f;
	*s = arena_lower(a, *s);
	for (size_t i = 0; i < s->n; i++)
		if ((unsigned char)s->p[i] >= 0x7f)
			return false;
	return str_graphic(*s);
}

/* Without this check "a.." would become "a." now and "a" at the next import of the same
   document. */
static bool
has_empty_label(struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (name.p[i] == '.' && (i == 0 || i + 1 == name.n || name.p[i + 1] == '.'))
			return true;
	return false;
}

/* A query for a name is converted by IDNA, so no query would find a name that IDNA rejects. */
static bool
form_name(struct arena *a, enum form f, struct str *s)
{
	(void)f;
	if (!idn_to_ascii(a, s))
		return false;
	if (s->n > 0 && s->p[s->n - 1] == '.')
		s->n--;
	if (!str_graphic(*s) || has_empty_label(*s))
		return false;
	*s = arena_lower(a, *s);
	return true;
}

/* The name in a tool's output is the one that the tool has requested: the bytes of UTF-8 are then
   another name than the A-labels, and the server has answered for it. Our own documents and queries
   name the domain, so record_form converts theirs before. */
static bool
form_owner(struct arena *a, enum form f, struct str *s)
{
	(void)f;
	return record_owner(a, s);
}

static bool
form_domain(struct arena *a, enum form f, struct str *s)
{
	(void)f;
	return idn_to_ascii(a, s) && record_owner(a, s) && s->p[0] != '*' &&
	       memchr(s->p, '\\', s->n) == NULL && !str_is(*s, ".");
}

/* Converts to hexadecimal digits in lower case, without the colons that certificate tools print.
   False: the text has other characters. */
static bool
hex_digits(struct arena *a, struct str *s)
{
	char *p = arena_alloc(a, s->n + 1);
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (s->p[i] == ':' && i % 3 == 2)
			continue;
		if (ascii_hex(s->p[i]) < 0)
			return false;
		p[n++] = s->p[i];
	}
	*s = arena_lower(a, (struct str){ p, n });
	return true;
}

static bool
form_sha256(struct arena *a, enum form f, struct str *s)
{
	(void)f;
	return hex_digits(a, s) && s->n == 64;
}

/* Accepts any text, because a scanner may name the algorithm in the text, or use an algorithm of
   its own. */
static bool
form_hash(struct arena *a, enum form f, struct str *s)
{
	(void)f;
	if (!hex_digits(a, s))
		*s = arena_lower(a, *s);
	return true;
}

static bool
form_serial(struct arena *a, enum form f, struct str *s)
{
	struct str digits = *s;
	bool minus = s->n > 0 && s->p[0] == '-';
	struct buf b = { .a = a };

	(void)f;
	if (minus)
		digits = (struct str){ s->p + 1, s->n - 1 };
	for (size_t i = 0; i < digits.n; i++) {
		char c = upper_char(digits.p[i]);

		if (c == ':' && i > 0)
			continue;
		if (ascii_hex(c) < 0)
			return false;
		if (c != '0' || b.n > 0)
			buf_char(&b, c);
	}
	*s = arena_printf(
	    a, "%s%.*s", minus && b.n > 0 ? "-" : "", b.n > 0 ? (int)b.n : 1, b.n > 0 ? b.p : "0");
	return digits.n > 0;
}

static bool
form_uuid(struct arena *a, enum form f, struct str *s)
{
	char out[UUID_LEN + 1];
	struct uuid u;

	(void)f;
	if (!uuid_parse(*s, &u))
		return false;
	uuid_print(&u, out);
	*s = arena_str(a, str_of(out));
	return true;
}

/* Accepts http and https only: the URL of a report is shown as a link, and a URL such as
   javascript: would run a program. */
static bool
form_url(struct arena *a, enum form f, struct str *s)
{
	char lower[8];

	(void)a;
	(void)f;
	for (size_t i = 0; i < s->n; i++)
		if ((unsigned char)s->p[i] <= ' ' || s->p[i] == 0x7f)
			return false;
	if (s->n <= sizeof(lower))
		return false;
	(void)str_lower_ascii(lower, (struct str){ s->p, sizeof(lower) });
	return memcmp(lower, "https://", 8) == 0 || memcmp(lower, "http://", 7) == 0;
}

/* In a pattern, # is a digit and * any number of further digits. */
static bool
fits_pattern(struct str s, const char *pattern)
{
	size_t at = 0;

	for (; *pattern != '\0'; pattern++) {
		if (*pattern == '*') {
			while (at < s.n && ascii_digit(s.p[at]))
				at++;
			continue;
		}
		if (at == s.n || (*pattern == '#' ? !ascii_digit(s.p[at]) : s.p[at] != *pattern))
			return false;
		at++;
	}
	return at == s.n;
}

static bool
form_pattern(struct arena *a, enum form f, struct str *s)
{
	static const struct {
		enum form form;
		const char *pattern;
	} patterns[] = {
		{ FORM_ASN, "AS#*" },
		{ FORM_CVE, "CVE-####-####*" },
		{ FORM_TECHNIQUE, "T####" },
		{ FORM_TECHNIQUE, "T####.###" },
	};

	*s = arena_upper(a, *s);
	for (size_t i = 0; i < COUNT(patterns); i++)
		if (patterns[i].form == f && fits_pattern(*s, patterns[i].pattern))
			return true;
	return false;
}

static bool
form_indicator(struct arena *a, enum form f, struct str *s)
{
	static const char *const types[] = {
#define INDICATOR_TYPE(name, form, digits, of) name,
#include "tbl/indicator_types.h"
#undef INDICATOR_TYPE
	};

	(void)f;
	*s = arena_lower(a, *s);
	for (size_t i = 0; i < COUNT(types); i++)
		if (str_is(*s, types[i]))
			return true;
	return false;
}

/* "Server:  nginx" becomes "server: nginx". */
static bool
form_header(struct arena *a, enum form f, struct str *s)
{
	struct str value = *s, name = arena_lower(a, str_until(&value, ':'));

	(void)f;
	if (value.p == NULL)
		return false;
	value = str_trim(value);
	*s = arena_printf(a, "%.*s: %.*s", (int)name.n, name.p, (int)value.n, value.p);
	return str_graphic(name);
}

/* ---- vocabularies ---- */

static const struct {
	const char *fault;
	bool closed;
} forms[FORMS] = {
#define FORM(id, function, only, asked, text) [FORM_##id] = { text, only },
#include "tbl/forms.h"
#undef FORM
};

static const struct {
	enum form form;
	struct str spelling, canonical;
} words[] = {
#define WORD(form, spelling, canonical) { FORM_##form, STR_INIT(spelling), STR_INIT(canonical) },
#include "tbl/words.h"
#undef WORD
};

/* Removes everything but letters and digits, and converts to lower case; STR_NULL when more than 64
   characters are left. */
static struct str
fold_word(struct str s, char room[64])
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (!ascii_alnum(s.p[i]))
			continue;
		if (n == 64)
			return STR_NULL;
		room[n++] = s.p[i];
	}
	return str_lower_ascii(room, (struct str){ room, n });
}

static bool
find_word(enum form f, struct str *s)
{
	char room[64];
	struct str folded = fold_word(*s, room);

	for (size_t i = 0; i < COUNT(words); i++)
		if (words[i].form == f && str_eq(words[i].spelling, folded)) {
			*s = words[i].canonical;
			return true;
		}
	return false;
}

static bool
form_words(struct arena *a, enum form f, struct str *s)
{
	(void)a;
	return find_word(f, s) || !forms[f].closed;
}

/* "client transfer prohibited" and "clientTransferProhibited https://icann.org/epp#..." are one
   status. Registries use further ones ("server recover prohibited"), whose words are joined in the
   same way. */
static bool
form_status(struct arena *a, enum form f, struct str *s)
{
	const char *url = s->n == 0 ? NULL : memmem(s->p, s->n, " http", 5);
	struct buf b = { .a = a };
	bool word = false;

	if (url != NULL)
		s->n = (size_t)(url - s->p);
	*s = str_trim(*s);
	if (find_word(f, s))
		return true;
	for (size_t i = 0; i < s->n; i++) {
		if (s->p[i] == ' ' || s->p[i] == '_' || s->p[i] == '-') {
			word = b.n > 0;
			continue;
		}
		buf_char(&b, word ? upper_char(s->p[i]) : s->p[i]);
		word = false;
	}
	*s = buf_done(&b);
	return str_graphic(*s);
}

/* ---- DNS parameters ---- */

struct dns_number {
	unsigned number;
	const char *name;
};

static const struct dns_number dns_types[] = {
#define DNS_TYPE(number, name, answer) { number, name },
#define DNS_RCODE(number, name)
#include "tbl/dns_names.h"
#undef DNS_TYPE
#undef DNS_RCODE
};

static const struct dns_number dns_rcodes[] = {
#define DNS_TYPE(number, name, answer)
#define DNS_RCODE(number, name) { number, name },
#include "tbl/dns_names.h"
#undef DNS_TYPE
#undef DNS_RCODE
};

/* Reads the number after a prefix: TYPE65 is 65. */
static bool
read_numbered(struct str s, const char *prefix, unsigned *out)
{
	struct str digits = s;
	int64_t v;

	if (!str_starts(s, str_of(prefix)))
		return false;
	digits.p += strlen(prefix);
	digits.n -= strlen(prefix);
	if (digits.n == 0 || !ascii_digit(digits.p[0]) || !str_int64(digits, &v) || v > UINT16_MAX)
		return false;
	*out = (unsigned)v;
	return true;
}

/* Sets *s to the name in the table, or to the prefix and the number when the table lacks the
   number. */
static bool
dns_number(
    struct arena *a, const struct dns_number *table, size_t n, const char *prefix, struct str *s)
{
	unsigned number;

	*s = arena_upper(a, *s);
	for (size_t i = 0; i < n; i++)
		if (str_is(*s, table[i].name))
			return true;
	if (!read_numbered(*s, prefix, &number) && !read_numbered(*s, "", &number))
		return false;
	for (size_t i = 0; i < n; i++)
		if (number == table[i].number) {
			*s = str_of(table[i].name);
			return true;
		}
	*s = arena_printf(a, "%s%u", prefix, number);
	return true;
}

static bool
form_dns_type(struct arena *a, enum form f, struct str *s)
{
	(void)f;
	return dns_number(a, dns_types, COUNT(dns_types), "TYPE", s);
}

static bool
form_rcode(struct arena *a, enum form f, struct str *s)
{
	(void)f;
	return dns_number(a, dns_rcodes, COUNT(dns_rcodes), "RCODE", s);
}

static unsigned
number_of_dns_name(const struct dns_number *table, size_t n, const char *prefix, struct str name)
{
	unsigned number = 0;

	for (size_t i = 0; i < n; i++)
		if (str_is(name, table[i].name))
			return table[i].number;
	if (!read_numbered(name, prefix, &number))
		panic("%.*s is not in its canonical form", (int)name.n, name.p);
	return number;
}

unsigned
record_dns_type(struct str name)
{
	return number_of_dns_name(dns_types, COUNT(dns_types), "TYPE", name);
}

unsigned
record_dns_rcode(struct str name)
{
	return number_of_dns_name(dns_rcodes, COUNT(dns_rcodes), "RCODE", name);
}

/* ---- a text of any form ---- */

/* Checks a text and brings it into its canonical form. The order of the checks matters. In the
   lenient manner a text of free form is cut first, at the end of a character.

   Four times the limit bounds the work of a form function, which may shorten its text: a hash loses
   its colons. U+0000 is refused for every form, because neither the type text of PostgreSQL nor a C
   string can contain it. The limit itself applies to the canonical text, which is stored and
   indexed. */
const char *
record_form(
    struct arena *a, const struct record_member *m, struct str *s, enum record_manner manner)
{
	static bool (*const functions[FORMS])(struct arena *, enum form, struct str *) = {
#define FORM(id, function, closed, asked, fault) [FORM_##id] = form_##function,
#include "tbl/forms.h"
#undef FORM
	};

	if (s->n > (size_t)m->most && manner == RECORD_LENIENT && m->form == FORM_TEXT)
		*s = str_cut_bytes(*s, (size_t)m->most);
	if (s->n > 4 * (size_t)m->most) /* a form may be shorter: a hash loses its colons */
		return "is too long";
	if (s->n > 0 && memchr(s->p, '\0', s->n) != NULL)
		return "must not contain U+0000";
	if (m->form == FORM_OWNER && manner == RECORD_STRICT && !idn_to_ascii(a, s))
		return forms[m->form].fault;
	if (!functions[m->form](a, m->form, s))
		return forms[m->form].fault;
	if (s->n > (size_t)m->most)
		return "is too long";
	return s->n < (size_t)m->least ? "is too short" : NULL;
}

const char *
record_value_fault(struct arena *a, enum dataset d, const char *member, struct str *value)
{
	const struct record_member *m = record_root(d);

	for (const char *end; *member != '\0'; member = end + (*end == '.')) {
		end = member + strcspn(member, ".");
		m = record_kid(m, (struct str){ member, (size_t)(end - member) });
		if (m == NULL)
			panic(
			    "a record has no member %s", member); /* UNCOVERED: callers name one */
	}
	return record_form(a, m, value, RECORD_STRICT);
}

bool
record_canonical(struct arena *a, enum dataset d, const char *member, struct str *value)
{
	return record_value_fault(a, d, member, value) == NULL;
}
