/* SPDX-License-Identifier: ISC */
/* Splits a name into its public suffix, its registrable domain and its label. */
#include "config.h"

#include "lookalike/lookalike_priv.h"
#include "lookalike/words_priv.h"

#include "address/start_url.h"

/* Returns the registrable domain by the ICANN section of the list alone, for example webflow.io. */
static struct str
icann_registrable(struct str name)
{
	struct str rest = name, at = name;

	while (rest.p != NULL) {
		struct str here = rest;

		if (host_suffix_icann(here))
			return at;
		at = here;
		(void)str_until(&rest, '.');
	}
	return name;
}

/* Returns the part of the name that is one label below a suffix of tbl/hosting_suffixes.h, or
   STR_NULL. */
static struct str
hosted_name(struct str name)
{
	struct str at = name;

	(void)str_until(&name, '.');
	while (name.p != NULL) {
		if (is_hosting_suffix(name))
			return at;
		at = name;
		(void)str_until(&name, '.');
	}
	return STR_NULL;
}

/* Whether the suffix is gov, edu, mil or int, or one of these or ac below a country: gov.uk,
   edu.au, ac.jp. */
static bool
is_restricted(struct str suffix)
{
	static const char *const first[] = { "gov", "edu", "mil", "int", "gouv", "gob" };
	struct str rest = suffix, label = str_until(&rest, '.');

	if (rest.p != NULL && str_is(label, "ac"))
		return true;
	for (size_t i = 0; i < COUNT(first); i++)
		if (str_is(label, first[i]))
			return true;
	return false;
}

/* Whether the suffix is a top-level domain of the years since 2001 that belongs to no country. */
static bool
is_generic(struct str suffix)
{
	static const char *const first[] = { "com", "net", "org", "edu", "gov", "int", "mil", "info",
		"arpa", "coop", "museum", "aero", "cat", "post" };

	if (suffix.n < 3 || memchr(suffix.p, '.', suffix.n) != NULL || str_starts(suffix, STR("xn--")))
		return false;
	for (size_t i = 0; i < COUNT(first); i++)
		if (str_is(suffix, first[i]))
			return false;
	return true;
}

/* Whether the label of a registrable domain is none that a company chooses: it has two digits, or
   random letters and more of them than an abbreviation. */
static bool
is_strange(struct str label)
{
	enum { ABBREVIATION = 6 };
	size_t digits = 0;

	for (size_t i = 0; i < label.n; i++)
		digits += label.p[i] >= '0' && label.p[i] <= '9';
	return digits >= 2 || (label.n > ABBREVIATION && is_random(label));
}

bool
name_split(struct arena *a, struct str name, struct found_name *out)
{
	struct str rest;

	*out = (struct found_name){ .name = name };
	out->registrable = hosted_name(name);
	if (out->registrable.p == NULL)
		out->registrable = host_registrable(a, name);
	if (out->registrable.p == NULL || out->registrable.n > name.n)
		return false;
	out->registrable = (struct str){ name.p + name.n - out->registrable.n, out->registrable.n };
	rest = out->registrable;
	out->label = str_until(&rest, '.');
	if (rest.p == NULL || out->label.n == 0 || out->label.n > LABEL_MOST)
		return false;
	out->suffix = rest;
	out->icann = icann_registrable(out->registrable);
	out->hosted = out->icann.n < out->registrable.n;
	out->generic = is_generic(rest);
	out->abused = !out->hosted && is_abused_suffix(rest);
	out->known = !out->hosted && is_known_domain(out->registrable);
	out->strange = is_strange(out->label);
	out->restricted = is_restricted(rest);
	out->unicode = lookalike_unicode(a, out->label);
	return true;
}
