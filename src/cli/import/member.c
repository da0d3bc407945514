/* SPDX-License-Identifier: ISC */
/* The table of the host document's members, and the stored form of each kind of text.

     row          { name, type, form, offset in the struct, least, most, rows of an object }
     reading      host.c finds the row by the name and stores the value at the offset
     checking     member_form brings a text into the stored form of its row
     printing     the order of the rows is the order of the members in the document

   A new member needs a row here and a member of the struct in import.h. Rows of an object count
   their offsets from the struct around it, as http and tls are nested structs without a life of
   their own. */
#include "config.h"

#include "address/start_url.h"
#include "cli/import/import_priv.h"
#include "search/value.h"

#include <openssl/sha.h>

#define TEXT_ROW(s, m, f, max)                                                                     \
	{                                                                                          \
		STR_INIT(#m), MEMBER_TEXT, f, offsetof(s, m), 0, max, NULL                         \
	}

static bool
check_slug(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] >= 0x7f)
			return false;
	return str_graphic(s);
}

bool
import_dns_name(struct arena *a, struct str *s)
{
	if (s->n > 0 && s->p[s->n - 1] == '.')
		s->n--;
	if (s->n > IMPORT_NAME || !str_graphic(*s) || s->p[0] == '.')
		return false;
	*s = arena_lower(a, *s);
	return true;
}

static const char *
check_country(struct arena *a, struct str *s)
{
	*s = arena_upper(a, *s);
	if (s->n != 2 || s->p[0] < 'A' || s->p[0] > 'Z' || s->p[1] < 'A' || s->p[1] > 'Z')
		return "must be two letters";
	return NULL;
}

const char *
member_form(struct arena *a, const struct member *m, struct str *s, enum import_manner manner)
{
	if (s->n > (size_t)m->hi && manner == IMPORT_LENIENT && m->form == FORM_ANY)
		*s = str_cut_bytes(*s, (size_t)m->hi);
	if (s->n > (size_t)m->hi)
		return "is too long";
	if (s->n > 0 && memchr(s->p, '\0', s->n) != NULL)
		return "must not contain U+0000";
	switch (m->form) {
	case FORM_ANY:
		return NULL;
	case FORM_IP:
		return ipnet_canonical_address(a, s) ? NULL : "is no IP address";
	case FORM_PREFIX:
		return ipnet_canonical_network(a, s) ? NULL : "is no network such as 192.0.2.0/24";
	case FORM_COUNTRY:
		return check_country(a, s);
	case FORM_UPPER:
		*s = arena_upper(a, *s);
		return NULL;
	case FORM_LOWER:
		*s = arena_lower(a, *s);
		return NULL;
	case FORM_DNS:
		return import_dns_name(a, s) ? NULL : "is no DNS name";
	case FORM_SLUG:
		*s = arena_lower(a, *s);
		return check_slug(*s) ? NULL
				      : "is no tag: 1 to 128 ASCII characters without blanks";
	case FORM_TRANSPORT:
		*s = arena_lower(a, *s);
		return str_is(*s, "tcp") || str_is(*s, "udp") || str_is(*s, "sctp")
			   ? NULL
			   : "must be tcp, udp or sctp";
	}
	panic("a form %d", (int)m->form);
}

void
member_hash_banner(struct arena *a, struct import_service *s)
{
	unsigned char sum[SHA256_DIGEST_LENGTH];
	char *hex;

	if (s->banner.p == NULL || s->banner_hash.p != NULL)
		return;
	SHA256((const unsigned char *)s->banner.p, s->banner.n, sum);
	hex = arena_alloc(a, 2 * sizeof(sum) + 1);
	hex_print(hex, sum, sizeof(sum));
	s->banner_hash = str_of(hex);
}

void
import_texts_add(struct arena *a, struct texts *t, struct str s)
{
	t->p = arena_room(a, t->p, t->n, sizeof(*t->p));
	t->p[t->n++] = s;
}

struct import_service *
import_service_add(struct arena *a, struct import_host *h)
{
	h->services = arena_room(a, h->services, h->nservices, sizeof(*h->services));
	h->has_services = true;
	return &h->services[h->nservices++];
}

struct texts
import_apex_domains(struct arena *a, const struct texts *names)
{
	struct texts out = { ARENA_ARRAY(a, names->n, struct str), 0 };

	for (size_t i = 0; i < names->n; i++) {
		struct str s = names->p[i];
		struct str apex;

		if (str_starts(s, STR("*."))) {
			s.p += 2;
			s.n -= 2;
		}
		apex = host_registrable(a, s);
		if (apex.p != NULL)
			out.p[out.n++] = apex;
	}
	return out;
}

#define ANY(s, m) TEXT_ROW(s, m, FORM_ANY, IMPORT_TEXT)
#define INT_ROW(s, m, lo, hi)                                                                      \
	{                                                                                          \
		STR_INIT(#m), MEMBER_INT, FORM_ANY, offsetof(s, m), lo, hi, NULL                   \
	}
#define TIME_ROW(s, m)                                                                             \
	{                                                                                          \
		STR_INIT(#m), MEMBER_TIME, FORM_ANY, offsetof(s, m), TS_OLDEST_US, TS_NEWEST_US,   \
		    NULL                                                                           \
	}
#define BOOL_ROW(s, m)                                                                             \
	{                                                                                          \
		STR_INIT(#m), MEMBER_BOOL, FORM_ANY, offsetof(s, m), 0, 1, NULL                    \
	}
#define TEXTS_ROW(s, m, f, max)                                                                    \
	{                                                                                          \
		STR_INIT(#m), MEMBER_TEXTS, f, offsetof(s, m), 0, max, NULL                        \
	}
#define OBJECT_ROW(m, rows)                                                                        \
	{                                                                                          \
		STR_INIT(#m), MEMBER_OBJECT, FORM_ANY, 0, 0, 0, rows                               \
	}
#define ROWS_END                                                                                   \
	{                                                                                          \
		.type = MEMBER_END                                                                 \
	}

#define HTTP(m, type, f, hi) HTTP_BETWEEN(m, type, f, 0, hi)
#define HTTP_BETWEEN(m, type, f, lo, hi)                                                           \
	{                                                                                          \
		STR_INIT(#m), type, f, offsetof(struct import_service, http.m), lo, hi, NULL       \
	}
#define TLS(m)                                                                                     \
	{                                                                                          \
		STR_INIT(#m), MEMBER_TEXT, FORM_ANY, offsetof(struct import_service, tls.m), 0,    \
		    IMPORT_TEXT, NULL                                                              \
	}
#define CERTIFICATE(m, type, f, lo, hi)                                                            \
	{                                                                                          \
		STR_INIT(#m), type, f, offsetof(struct import_service, tls.certificate.m), lo, hi, \
		    NULL                                                                           \
	}

static const struct member member_http[] = {
	HTTP(status_code, MEMBER_INT, FORM_ANY, 999),
	HTTP(title, MEMBER_TEXT, FORM_ANY, IMPORT_TEXT),
	HTTP(body, MEMBER_TEXT, FORM_ANY, LIM_BODY),
	HTTP(headers, MEMBER_TEXTS, FORM_ANY, IMPORT_TEXT),
	HTTP(server, MEMBER_TEXT, FORM_ANY, IMPORT_TEXT),
	HTTP(body_hash, MEMBER_TEXT, FORM_LOWER, IMPORT_TEXT),
	HTTP(favicon_hash, MEMBER_TEXT, FORM_LOWER, IMPORT_TEXT),
	HTTP_BETWEEN(favicon_mmh3, MEMBER_INT, FORM_ANY, INT32_MIN, INT32_MAX),
	HTTP(favicon_md5, MEMBER_TEXT, FORM_LOWER, IMPORT_TEXT),
	HTTP(capabilities, MEMBER_TEXTS, FORM_ANY, IMPORT_TEXT),
	ROWS_END,
};

static const struct member member_certificate[] = {
	CERTIFICATE(fingerprint_sha256, MEMBER_TEXT, FORM_LOWER, 0, IMPORT_TEXT),
	CERTIFICATE(subject_cn, MEMBER_TEXT, FORM_ANY, 0, IMPORT_TEXT),
	CERTIFICATE(issuer_cn, MEMBER_TEXT, FORM_ANY, 0, IMPORT_TEXT),
	CERTIFICATE(names, MEMBER_TEXTS, FORM_DNS, 0, IMPORT_TEXT),
	CERTIFICATE(not_after, MEMBER_TIME, FORM_ANY, TS_OLDEST_US, TS_NEWEST_US),
	CERTIFICATE(self_signed, MEMBER_BOOL, FORM_ANY, 0, 1),
	ROWS_END,
};

static const struct member member_tls[] = {
	TLS(version),
	TLS(jarm),
	TLS(ja4s),
	OBJECT_ROW(certificate, member_certificate),
	ROWS_END,
};

const struct member member_service[] = {
	INT_ROW(struct import_service, port, 1, 65535),
	TEXT_ROW(struct import_service, transport, FORM_TRANSPORT, IMPORT_TEXT),
	ANY(struct import_service, protocol),
	ANY(struct import_service, service_name),
	ANY(struct import_service, vendor),
	ANY(struct import_service, product),
	ANY(struct import_service, version),
	TEXTS_ROW(struct import_service, cpe, FORM_ANY, IMPORT_TEXT),
	TEXT_ROW(struct import_service, banner, FORM_ANY, IMPORT_BANNER),
	TEXT_ROW(struct import_service, banner_hash, FORM_LOWER, IMPORT_TEXT),
	TEXTS_ROW(struct import_service, tags, FORM_SLUG, IMPORT_SLUG),
	BOOL_ROW(struct import_service, tls_enabled),
	TEXTS_ROW(struct import_service, extra_names, FORM_DNS, IMPORT_TEXT),
	OBJECT_ROW(http, member_http),
	OBJECT_ROW(tls, member_tls),
	TIME_ROW(struct import_service, first_seen),
	TIME_ROW(struct import_service, last_seen),
	ROWS_END,
};

const struct member member_host[] = {
	TEXT_ROW(struct import_host, ip, FORM_IP, 64),
	INT_ROW(struct import_host, asn, 0, UINT32_MAX),
	ANY(struct import_host, as_name),
	ANY(struct import_host, organisation),
	TEXT_ROW(struct import_host, prefix, FORM_PREFIX, 64),
	TEXT_ROW(struct import_host, country_code, FORM_COUNTRY, 64),
	ANY(struct import_host, region),
	ANY(struct import_host, city),
	TEXTS_ROW(struct import_host, hostnames, FORM_DNS, IMPORT_TEXT),
	TEXTS_ROW(struct import_host, apex_domains, FORM_DNS, IMPORT_TEXT),
	TEXT_ROW(struct import_host, ptr, FORM_DNS, IMPORT_TEXT),
	ANY(struct import_host, os),
	TEXTS_ROW(struct import_host, cpe, FORM_ANY, IMPORT_TEXT),
	TEXTS_ROW(struct import_host, vulnerabilities, FORM_UPPER, IMPORT_TEXT),
	TEXTS_ROW(struct import_host, tags, FORM_SLUG, IMPORT_SLUG),
	TIME_ROW(struct import_host, first_seen),
	TIME_ROW(struct import_host, last_seen),
	INT_ROW(struct import_host, ip_version, 4, 6),
	INT_ROW(struct import_host, service_count, 0, IMPORT_ITEMS),
	{ STR_INIT("services"), MEMBER_SERVICES, FORM_ANY, 0, 0, 0, NULL },
	ROWS_END,
};
