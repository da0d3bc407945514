/* SPDX-License-Identifier: ISC */
/* Values that registries and resellers of WHOIS data write in many ways. A value that cannot be
   read is left out, since the other members of a registration are right without it. */
#include "config.h"

#include "cli/import/whois.h"

#include <openssl/sha.h>

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

		if (str_is_nocase(country, name))
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
