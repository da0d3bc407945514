/* SPDX-License-Identifier: ISC */
/* The confidence of one occurrence:
 *
 *                       in a section of indicators    elsewhere
 *     defanged                     80                    70
 *     plain                        60                    30
 *     a plain hash                 60                    60
 *     a plain bitcoin address      60                    60
 *
 * From 60 on an occurrence is an indicator. The rules below lower it: names of code, references,
 * own words, sections that are about victims. Each of them raised the precision on public reports
 * (C-804). */
#include "config.h"

#include "address/netaddr.h"
#include "extract/extract_priv.h"

enum { CONFIDENT = 60, MENTIONED = 30, REFERRED = 10 };

static bool
is_hash_type(enum find_type t)
{
	return t >= FIND_MD5 && t <= FIND_CERTIFICATE;
}

static bool
is_name(enum find_type t)
{
	return t == FIND_DOMAIN || t == FIND_URL || t == FIND_EMAIL;
}

/* Compares letters and digits alone: "We Live Security" and welivesecurity. */
static bool
is_publisher(const struct run *r, struct str host)
{
	struct str label = host;

	if (r->own_name.n < 4)
		return false;
	while (label.p != NULL) {
		struct str part = str_until(&label, '.');

		if (label.p != NULL && str_eq(part, r->own_name))
			return true;
	}
	return false;
}

static bool
is_own(const struct run *r, const struct find *f)
{
	return f->host.p != NULL &&
	       ((r->own.p != NULL && str_within(f->host, r->own)) || is_publisher(r, f->host));
}

/* Words before the value on its line: three or more make it a part of a sentence. */
static bool
in_sentence(const struct run *r, const struct find *f)
{
	size_t words = 0, letters = 0;

	if (f->alone || r->place.row)
		return false;
	for (size_t i = f->at; i > r->place.from && f->at - i < NEAR; i--) {
		char c = r->text.p[i - 1];

		if (c == ';' || c == '\t')
			break;
		if (ascii_letter(c))
			letters++;
		else if (c == ' ') {
			words += letters > 0;
			letters = 0;
		} else if (c != ',' && c != '.')
			letters = 0;
	}
	return words + (letters > 0) >= 3;
}

static bool
listed(const struct run *r, const struct find *f)
{
	const struct place *p = &r->place;

	if (p->zone == ZONE_WEAK)
		return f->alone || p->row || f->defanged;
	if (p->zone != ZONE_INDICATORS)
		return false;
	return f->defanged || !is_name(f->type) || !in_sentence(r, f);
}

/* The author's site at the foot of a page: "Foo Research | www.foo.com        12". */
static bool
in_footer(const struct run *r, const struct find *f)
{
	const char *p = r->text.p;
	size_t end = r->place.to, digits = 0, letters = 0;

	if (f->type != FIND_DOMAIN || !str_starts(f->value, STR("www.")))
		return false;
	for (; end > f->end && ascii_digit(p[end - 1]); end--)
		digits++;
	for (size_t i = f->at; i > r->place.from && f->at - i < NEAR; i--)
		letters += ascii_letter(p[i - 1]);
	return digits >= 1 && digits <= 3 && letters > 2 && end > f->end + 2 &&
	       strspn(p + f->end, " \t") >= end - f->end;
}

/* True for a network beside an address in it: a column such as "announced as", which is about
   thousands of other addresses. */
static bool
is_network_of_address(const struct run *r, const struct find *f)
{
	const char *p = r->text.p;
	size_t from = f->at - r->place.from > 4 * (size_t)NEAR ? f->at - 4 * NEAR : r->place.from;
	size_t to = r->place.to - f->end > 4 * (size_t)NEAR ? f->end + 4 * NEAR : r->place.to;
	struct ipnet net, one;

	if (f->type != FIND_CIDR || !ipnet_parse(f->value, &net))
		return false;
	for (size_t i = from, end; i < to; i = end + 1) {
		for (end = i; end < to && (ascii_hex(p[end]) >= 0 || strchr(".:", p[end]) != NULL);)
			end++;
		if ((i < f->at || i >= f->end) && end - i >= 7 && end - i <= 45 &&
		    ipnet_parse_address((struct str){ p + i, end - i }, &one) &&
		    ipnet_contains(&net, one.a))
			return true;
	}
	return false;
}

static unsigned
confidence(const struct run *r, const struct find *f)
{
	const struct place *p = &r->place;
	bool in = listed(r, f);
	unsigned base = f->defanged                                              ? (in ? 80 : 70)
			: in || is_hash_type(f->type) || f->type == FIND_BITCOIN ? CONFIDENT
										 : MENTIONED;

	if (f->type == FIND_ASN || f->type == FIND_CVE || f->type == FIND_TECHNIQUE ||
	    is_network_of_address(r, f) || p->zone == ZONE_OFF ||
	    (p->zone == ZONE_VICTIMS && !is_hash_type(f->type)))
		return MENTIONED;
	if (is_hash_type(f->type) && f->type != FIND_CERTIFICATE && secret_hash(r, f))
		return base > CONFIDENT ? CONFIDENT - 10 : MENTIONED;
	if (f->defanged)
		return base;
	if (p->looked_up && !is_hash_type(f->type))
		return MENTIONED;
	if (f->link || (p->cites && f->type == FIND_URL) || in_footer(r, f) ||
	    (is_name(f->type) && p->reference && !f->alone))
		return REFERRED;
	if (p->code && !is_hash_type(f->type) && !(in && f->alone) && (is_name(f->type) || !in))
		return MENTIONED;
	return base;
}

void
judge(const struct run *r, const struct find *f, struct indicator *out)
{
	struct str list = benign_list(r, f);

	out->confidence = is_own(r, f) ? REFERRED : confidence(r, f);
	out->disposition =
	    out->confidence >= CONFIDENT ? DISPOSITION_INDICATOR : DISPOSITION_MENTION;
	if (list.p == NULL)
		return;
	out->ignored_by = list;
	if (f->defanged && out->confidence >= 80 && !f->reserved) {
		out->disposition = DISPOSITION_MENTION;
		out->confidence = CONFIDENT - 10;
		return;
	}
	out->disposition = DISPOSITION_IGNORED;
	if (out->confidence > REFERRED)
		out->confidence = REFERRED;
}
