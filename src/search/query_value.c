/* SPDX-License-Identifier: ISC */
/* Converts words to typed values, so that engines need not check values. A word that does not fit
   the type of its field is a fault with a hint. */
#include "config.h"

#include "address/idn.h"
#include "record/lookup.h"
#include "search/query_priv.h"
#include "search/text.h"

#include <math.h>

static bool
fail_type(struct parser *p, const struct schema_field *f, const struct word *w, const char *wants)
{
	if (w->wild)
		query_fail(p, w->at, "%s takes no wildcards; %s", f->name,
		    f->type == VALUE_IP ? "write a CIDR such as 10.1.0.0/16"
					: "write a value, a range such as [a TO b], or * alone");
	else
		query_fail(
		    p, w->at, "%s takes %s, not \"%s\"", f->name, wants, query_show(p, w->s));
	return false;
}

static bool
same_in_any_case(struct str s, const char *lower)
{
	char room[16];

	return s.n < sizeof(room) && str_is(str_lower_ascii(room, s), lower);
}

/* Whether a word looks like "22-80", a range in other query languages. */
static bool
looks_like_range(struct str s)
{
	size_t digits = 0;

	while (digits < s.n && ascii_digit(s.p[digits]))
		digits++;
	return digits > 0 && digits + 1 < s.n && s.p[digits] == '-';
}

static bool
parse_integer(struct parser *p, const struct schema_field *f, const struct word *w, struct value *v)
{
	struct str s = w->s;
	size_t digits = 0;

	if (schema_is_asn(f) && s.n > 2 && same_in_any_case((struct str){ s.p, 2 }, "as")) {
		s.p += 2;
		s.n -= 2;
		if (s.p[0] == '-')
			return fail_type(p, f, w, "an integer");
	}
	if (str_int64(s, &v->i))
		return true;
	for (size_t i = s.n > 0 && s.p[0] == '-'; i < s.n; i++)
		digits += ascii_digit(s.p[i]);
	if (digits > 0 && digits + (s.p[0] == '-') == s.n)
		return fail_type(p, f, w, "an integer of at most 64 bits");
	return fail_type(p, f, w,
	    looks_like_range(w->s) ? "an integer, or a range such as [1 TO 9]" : "an integer");
}

static bool
parse_query_number(
    struct parser *p, const struct schema_field *f, const struct word *w, struct value *v)
{
	char text[64], *end;

	if (w->s.n == 0 || w->s.n >= sizeof(text))
		return fail_type(p, f, w, "a number");
	memcpy(text, w->s.p, w->s.n);
	text[w->s.n] = '\0';
	if (strspn(text, "+-.0123456789eE") < w->s.n)
		return fail_type(p, f, w, "a number");
	v->n = strtod(text, &end);
	return (*end == '\0' && isfinite(v->n)) || fail_type(p, f, w, "a number");
}

static bool
parse_boolean(struct parser *p, const struct schema_field *f, const struct word *w, struct value *v)
{
	static const char *const words[] = { "false", "true", "no", "yes", "0", "1" };

	for (size_t i = 0; i < COUNT(words); i++)
		if (same_in_any_case(w->s, words[i])) {
			v->b = i % 2 == 1;
			return true;
		}
	return fail_type(p, f, w, "true or false");
}

/* Parses "now", "now-7d" or "now+12h". */
static bool
parse_now(struct parser *p, struct str s, struct ts *out)
{
	static const char units[] = "smhdw";
	static const int64_t seconds[] = { 1, 60, 3600, 86400, 604800 };
	const char *unit;
	int64_t n;

	if (s.n < 3 || !same_in_any_case((struct str){ s.p, 3 }, "now"))
		return false;
	*out = p->now;
	p->out->asks_now = true;
	if (s.n == 3)
		return true;
	unit = strchr(units, s.p[s.n - 1]);
	if (s.n < 6 || unit == NULL || (s.p[3] != '-' && s.p[3] != '+') || s.p[4] == '-' ||
	    !str_int64((struct str){ s.p + 4, s.n - 5 }, &n))
		return false;
	n = s.p[3] == '-' ? -n : n;
	return !__builtin_mul_overflow(n, seconds[unit - units] * 1000000, &n) &&
	       !__builtin_add_overflow(out->us, n, &out->us);
}

static bool
parse_date(struct parser *p, const struct schema_field *f, const struct word *w, struct span *v)
{
	struct ts first, last;

	if (ts_parse_date(w->s, &first))
		last.us = first.us + 86400LL * 1000000 - 1;
	else if (ts_parse(w->s, &first) || parse_now(p, w->s, &first))
		last = first;
	else
		return fail_type(
		    p, f, w, "a date (2026-01-31, 2026-01-31T12:00:00Z, now or now-7d)");
	if (!ts_is_printable(first) || !ts_is_printable(last))
		return fail_type(p, f, w, "a date in the years 0001 to 9999");
	v->first.ts = first;
	v->last.ts = last;
	return true;
}

/* Whether a folded text is a DNS name: labels of letters, digits, - and _ or of characters beyond
   ASCII. The first label may be *, as in certificates. */
static bool
is_dns(struct str s)
{
	size_t label = 0, wild = str_starts(s, STR("*.")) ? 2 : 0;

	for (size_t i = wild; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c == '.' && label == 0)
			return false;
		if (c != '.' && c < 0x80 && c != '-' && c != '_' && (c < '0' || c > '9') &&
		    (c < 'a' || c > 'z'))
			return false;
		label = c == '.' ? 0 : label + 1;
		if (label > 63)
			return false;
	}
	return label > 0 && s.n <= 253;
}

/* Names of DNS records may have every byte: "." is the root, and networks below /24 are delegated
   as 0/25.2.0.192.in-addr.arpa (RFC 2317). They have the form that imports gave them. */
static bool
is_dns_owner(struct parser *p, const struct schema_field *f, const struct word *w, struct str *s)
{
	*s = w->s;
	for (size_t i = 0; i < s->n; i++)
		if ((unsigned char)s->p[i] <= ' ')
			return false;
	return !lex_is_url(*s) && record_canonical(p->a, f->dataset, f->name, s);
}

/* Gives a name A-labels, which records have. Asset services have names as they were sent. */
static bool
name_to_ascii(struct parser *p, struct str *name)
{
	return p->dataset == DATASET_ASSET_SERVICES || idn_to_ascii(p->a, name);
}

bool
value_dns(struct parser *p, const struct schema_field *f, const struct word *w, struct value *v)
{
	struct word ascii = *w;

	if (!name_to_ascii(p, &ascii.s))
		return fail_type(p, f, w, "a DNS name");
	if (f->dataset == DATASET_DNS)
		return is_dns_owner(p, f, &ascii, &v->s) || fail_type(p, f, w, "a DNS name");
	v->s = text_fold(p->a, ascii.s);
	if (v->s.n > 1 && str_ends(v->s, STR(".")))
		v->s.n--;
	return is_dns(v->s) || fail_type(p, f, w, "a DNS name");
}

static void
count_nonempty_token(void *arg, struct str token)
{
	*(size_t *)arg += token.n > 0;
}

static size_t
count_tokens(struct parser *p, struct str s)
{
	size_t n = 0;

	text_tokens(p->a, s, count_nonempty_token, &n);
	return n;
}

/* Whether a word is only an operator, as in "port : 22". */
static bool
is_operator(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (strchr(":=<>!", s.p[i]) == NULL)
			return false;
	return s.n > 0;
}

static bool
parse_text(struct parser *p, const struct word *w, struct value *v)
{
	v->s = text_fold(p->a, w->s);
	if (count_tokens(p, v->s) > 0)
		return true;
	if (str_is(w->s, "&&") || str_is(w->s, "||"))
		query_fail(p, w->at, "write %s", w->s.p[0] == '|' ? "OR" : "AND");
	else if (is_operator(w->s))
		query_fail(p, w->at, "no white space can stand before : and other operators");
	else
		query_fail(p, w->at, "\"%s\" has no letter, digit or symbol to search for",
		    query_show(p, w->s));
	return false;
}

struct str
value_canonical(struct parser *p, const struct schema_field *f, struct str s, const char **fault)
{
	const struct schema_field *stored = f->of != NULL ? f->of : f;
	struct str canonical = s;

	*fault = f->canonical ? record_value_fault(p->a, stored->dataset, stored->name, &canonical)
			      : NULL;
	return *fault == NULL ? canonical : s;
}

bool
value_span(struct parser *p, const struct schema_field *f, const struct word *w, struct span *v)
{
	const char *fault;
	bool ok = true;

	*v = (struct span){ { .type = f->type }, { .type = f->type } };
	switch (f->type) {
	case VALUE_KEYWORD:
		v->first.s = text_fold(p->a, value_canonical(p, f, w->s, &fault));
		break;
	case VALUE_TEXT:
		ok = parse_text(p, w, &v->first);
		break;
	case VALUE_DNS:
		ok = value_dns(p, f, w, &v->first);
		break;
	case VALUE_IP:
		ok = ipnet_parse(w->s, &v->first.ip) || fail_type(p, f, w, "an address or CIDR");
		break;
	case VALUE_INTEGER:
		ok = parse_integer(p, f, w, &v->first);
		break;
	case VALUE_NUMBER:
		ok = parse_query_number(p, f, w, &v->first);
		break;
	case VALUE_BOOLEAN:
		ok = parse_boolean(p, f, w, &v->first);
		break;
	case VALUE_DATE:
		return parse_date(p, f, w, v);
	}
	v->last = v->first;
	return ok;
}

/* ---- patterns ---- */

bool
value_has_patterns(const struct schema_field *f)
{
	return f->type == VALUE_KEYWORD || f->type == VALUE_TEXT || f->type == VALUE_DNS;
}

static void
measure_token(void *arg, struct str token)
{
	if (token.n > *(size_t *)arg)
		*(size_t *)arg = token.n;
}

/* Whether a pattern can match a token. A pattern on text is compared with one token at a time, so
   one that spans several tokens would never match. */
static bool
is_one_token(struct parser *p, struct str folded)
{
	char *room = ARENA_ARRAY(p->a, folded.n, char);
	size_t longest = 0;

	for (size_t i = 0; i < folded.n; i++)
		room[i] = folded.p[i] == '*' || folded.p[i] == '?' ? 'x' : folded.p[i];
	text_tokens(p->a, (struct str){ room, folded.n }, measure_token, &longest);
	return longest == folded.n;
}

static struct str
without_colons(struct parser *p, struct str s)
{
	char *room = ARENA_ARRAY(p->a, s.n, char);
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != ':')
			room[n++] = s.p[i];
	return (struct str){ room, n };
}

bool
value_pattern(struct parser *p, const struct schema_field *f, const struct word *w, struct value *v)
{
	struct str s = w->s;
	size_t literal;

	if (f->type == VALUE_DNS && !name_to_ascii(p, &s)) {
		query_fail(p, w->at,
		    "a label with * or ? has letters of ASCII alone; write the whole name, or *. "
		    "before it");
		return false;
	}
	*v = (struct value){ .type = f->type,
		.s = text_fold(p->a, f->colons ? without_colons(p, s) : s) };
	if (f->type == VALUE_DNS && str_ends(v->s, STR(".")))
		v->s.n--;
	literal = str_chars(v->s);
	for (size_t i = 0; i < v->s.n; i++)
		literal -= v->s.p[i] == '*' || v->s.p[i] == '?';
	if (w->literal_star)
		query_fail(
		    p, w->at, "a pattern cannot hold an escaped * or ?; quote the whole value");
	else if (literal < 2)
		query_fail(p, w->at, "a pattern needs two characters besides * and ?");
	else if (f->type == VALUE_TEXT && !is_one_token(p, v->s))
		query_fail(p, w->at, "a pattern on text covers one word: letters, digits, * and ?");
	else if (f->type == VALUE_DNS && str_ends(v->s, STR(".")))
		return fail_type(p, f, &(struct word){ .s = w->s, .at = w->at }, "a DNS name");
	else
		return true;
	return false;
}
