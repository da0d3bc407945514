/* SPDX-License-Identifier: ISC */
/* The type of an indicator and its canonical value. An address with the length of a whole address
   (/32, /128) is one address, whichever type its source gave it. */
#include "config.h"

#include "cli/report/value.h"

#include "record/record.h"

static const struct {
	enum value_kind kind;
	const char *type;
} types[] = {
	{ VALUE_DOMAIN, "domain" },
	{ VALUE_URL, "url" },
	{ VALUE_EMAIL, "email" },
	{ VALUE_MD5, "md5" },
	{ VALUE_SHA1, "sha1" },
	{ VALUE_SHA256, "sha256" },
	{ VALUE_SHA512, "sha512" },
	{ VALUE_CERTIFICATE, "certificate_sha256" },
	{ VALUE_JARM, "jarm" },
	{ VALUE_ASN, "asn" },
	{ VALUE_CVE, "cve" },
	{ VALUE_BITCOIN, "bitcoin" },
};

enum value_kind
value_hash_kind(struct str algorithm)
{
	static const struct {
		const char *name;
		enum value_kind kind;
	} hashes[] = {
		{ "md5", VALUE_MD5 },
		{ "sha1", VALUE_SHA1 },
		{ "sha256", VALUE_SHA256 },
		{ "sha512", VALUE_SHA512 },
	};
	char room[8];
	struct str name = { room, 0 };

	for (size_t i = 0; i < algorithm.n; i++) {
		if (!ascii_alnum(algorithm.p[i]))
			continue;
		if (name.n == sizeof(room))
			return VALUE_NONE;
		room[name.n++] = algorithm.p[i];
	}
	for (size_t i = 0; i < COUNT(hashes); i++)
		if (str_is_nocase(name, hashes[i].name))
			return hashes[i].kind;
	return VALUE_NONE;
}

/* STR_NULL: the text is no address and no network. */
static struct str
address_type(struct arena *a, struct str *value)
{
	struct str text = *value;
	struct ipnet net;

	/* as before a port: MISP's ip-dst|port has "[2001:db8::1]|443" */
	if (text.n > 2 && text.p[0] == '[' && text.p[text.n - 1] == ']')
		text = (struct str){ text.p + 1, text.n - 2 };
	if (!ipnet_parse(text, &net) || (text.n < value->n && ip_is_v4(net.a)))
		return STR_NULL;
	*value = ipnet_text(a, &net);
	if (net.bits < 128)
		return STR("cidr");
	return ip_is_v4(net.a) ? STR("ipv4") : STR("ipv6");
}

/* A number alone, or "as 64500", is written AS64500. */
static struct str
asn_text(struct arena *a, struct str value)
{
	int64_t number;

	if (value.n > 2 && (value.p[0] | ' ') == 'a' && (value.p[1] | ' ') == 's')
		value = str_trim((struct str){ value.p + 2, value.n - 2 });
	if (str_int64(value, &number) && number >= 0 && number <= UINT32_MAX)
		return arena_printf(a, "AS%jd", (intmax_t)number);
	return value;
}

struct str
value_type(struct arena *a, enum value_kind kind, struct str *value)
{
	struct str type = STR_NULL, trimmed;

	if (str_utf8_bad(*value) < value->n || memchr(value->p, '\0', value->n) != NULL)
		return STR_NULL;
	trimmed = str_trim(*value);
	if (trimmed.n == 0 || str_chars(trimmed) > 4096)
		return STR_NULL;
	if (kind == VALUE_ADDRESS || kind == VALUE_HOST)
		type = address_type(a, &trimmed);
	if (type.p == NULL && kind == VALUE_HOST)
		kind = VALUE_DOMAIN;
	if (kind == VALUE_ASN)
		trimmed = asn_text(a, trimmed);
	for (size_t i = 0; i < COUNT(types) && type.p == NULL; i++)
		if (types[i].kind == kind)
			type = str_of(types[i].type);
	if (type.p == NULL || record_indicator_fault(a, type, &trimmed) != NULL)
		return STR_NULL;
	*value = trimmed;
	return type;
}
