/* SPDX-License-Identifier: ISC */
/* Values that registries and resellers of WHOIS data write in many ways. A value that cannot be read is left
   out, since the other members of a registration are right without it. */
#include "config.h"

#include "cli/import/whois.h"

#include <openssl/sha.h>
#include <strings.h>

/* Rewrites the text as RFC 3339: a T between date and time, and an offset with a colon.

     2026-01-31 12:00:00 UTC       2026-01-31T12:00:00Z
     2026-01-31 12:00:00.000 UTC   2026-01-31T12:00:00.000Z
     2026-01-31T12:00:00-0700      2026-01-31T12:00:00-07:00
     2026-01-31 12:00:00           2026-01-31T12:00:00Z          no offset is taken for UTC */
bool
whois_time(struct str s, struct ts *out)
{
	char text[64];
	struct str rest;
	size_t n;

	if (ts_parse(s, out) || ts_parse_date(s, out))
		return true;
	if (s.n < 19 || s.n > 40 || (s.p[10] != ' ' && s.p[10] != 'T'))
		return false;
	n = 19;
	while (n < s.n && (s.p[n] == '.' || (s.p[n] >= '0' && s.p[n] <= '9')))
		n++;
	rest = str_trim((struct str){ s.p + n, s.n - n });
	memcpy(text, s.p, n);
	text[10] = 'T';
	if (rest.n == 0 || str_is(rest, "UTC") || str_is(rest, "GMT") || str_is(rest, "Z"))
		n += (size_t)snprintf(text + n, sizeof(text) - n, "Z");
	else if (rest.n == 5)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%.3s:%.2s", rest.p, rest.p + 3);
	return ts_parse((struct str){ text, n }, out);
}

void
whois_set(struct records *rs, struct record *r, const char *name, struct str value)
{
	if (value.p != NULL)
		record_set_text(rs->a, r->root, name, value);
}

void
whois_set_country(struct records *rs, struct record *r, struct str country)
{
	static const struct {
		const char *code, *name;
	} countries[] = {
#define COUNTRY(code, name) { code, name },
#include "tbl/countries.h"
#undef COUNTRY
	};

	if (country.p == NULL)
		return;
	for (size_t i = 0; country.n > 2 && i < COUNT(countries); i++) {
		const char *name = countries[i].name;

		if (strlen(name) == country.n && strncasecmp(name, country.p, country.n) == 0)
			country = str_of(countries[i].code);
	}
	if (country.n == 2)
		record_set_text(rs->a, r->root, "whois.registrant.country_code", country);
}

void
whois_set_email(struct records *rs, struct record *r, struct str email)
{
	unsigned char sum[SHA256_DIGEST_LENGTH];
	char *hex = arena_alloc(rs->a, 2 * sizeof(sum) + 1);

	if (email.p == NULL || memchr(email.p, '@', email.n) == NULL ||
	    memchr(email.p, ' ', email.n) != NULL)
		return; /* a text such as "please query the registrar" */
	email = str_lower_ascii(arena_alloc(rs->a, email.n + 1), email);
	SHA256((const unsigned char *)email.p, email.n, sum);
	hex_print(hex, sum, sizeof(sum));
	record_set_text(rs->a, r->root, "whois.registrant.email_hash", str_of(hex));
}

void
whois_set_iana_id(struct records *rs, struct record *r, struct str id)
{
	int64_t number;

	if (id.n > 0 && id.p[0] != '-' && str_int64(id, &number))
		record_set_int(rs->a, r->root, "whois.registrar_iana_id", number);
}
