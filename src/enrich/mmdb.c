/* SPDX-License-Identifier: ISC */
/* MaxMind databases, by libmaxminddb. The records of a database have one of two common forms:

     member         GeoLite2 and GeoIP2               flat (IPinfo)
     asn            autonomous_system_number: 64500   asn: "AS64500"
     as_name        autonomous_system_organization    as_name
     country_code   country.iso_code                  country_code, or country when it has two letters
     region         subdivisions[0].names.en          region
     city           city.names.en                     city

   registered_country is not used: it is the country where the network was registered, and not that
   of the address. A member of another type, a text that is not UTF-8, and every member of a damaged
   database count as absent. */
#include "config.h"

#include "enrich/enrich_priv.h"

#include <netinet/in.h>

enum { TEXT_MAX = 1024 };

bool
mmdb_open(MMDB_s *db, const char *path, char fault[ENRICH_FAULT])
{
	int rc = MMDB_open(path, MMDB_MODE_MMAP, db);

	if (rc != MMDB_SUCCESS)
		snprintf(fault, ENRICH_FAULT, "%s: %s", path, MMDB_strerror(rc));
	return rc == MMDB_SUCCESS;
}

/* Finds the record of an address; the netmask counts from the first bit of the address in its own
   family. */
static bool
find_mmdb_record(MMDB_s *db, const unsigned char ip[16], MMDB_lookup_result_s *out)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };
	bool is_v4 = ip_is_v4(ip);
	int rc;

	if (!is_v4 && db->metadata.ip_version == 4)
		return false;
	memcpy(&v4.sin_addr, ip + 12, 4);
	memcpy(&v6.sin6_addr, ip, 16);
	*out =
	    MMDB_lookup_sockaddr(db, is_v4 ? (struct sockaddr *)&v4 : (struct sockaddr *)&v6, &rc);
	if (rc != MMDB_SUCCESS || !out->found_entry)
		return false;
	if (is_v4 && db->metadata.ip_version == 6)
		out->netmask = out->netmask > 96 ? out->netmask - 96 : 0;
	return true;
}

static bool
find_value(MMDB_lookup_result_s *r, const char *const *path, MMDB_entry_data_s *out)
{
	return MMDB_aget_value(&r->entry, out, path) == MMDB_SUCCESS && out->has_data;
}

#define PATH(...) ((const char *const[]){ __VA_ARGS__, NULL })

static struct str
find_text(MMDB_lookup_result_s *r, struct arena *a, const char *const *path)
{
	MMDB_entry_data_s v;
	struct str s;

	if (!find_value(r, path, &v) || v.type != MMDB_DATA_TYPE_UTF8_STRING)
		return STR_NULL;
	s = (struct str){ v.utf8_string, v.data_size };
	return s.n > 0 && s.n <= TEXT_MAX && str_utf8_bad(s) == s.n ? arena_str(a, s) : STR_NULL;
}

static struct str
find_either(
    MMDB_lookup_result_s *r, struct arena *a, const char *const *nested, const char *const *flat)
{
	struct str s = find_text(r, a, nested);

	return s.p != NULL ? s : find_text(r, a, flat);
}

/* "AS64500" */
static bool
parse_asn(struct str s, int64_t *out)
{
	if (!str_starts(s, STR("AS")))
		return false;
	s.p += 2;
	s.n -= 2;
	return str_int64(s, out) && *out >= 0 && *out <= UINT32_MAX;
}

static bool
find_asn(MMDB_lookup_result_s *r, struct arena *a, int64_t *out)
{
	MMDB_entry_data_s v;

	if (!find_value(r, PATH("autonomous_system_number"), &v))
		return parse_asn(find_text(r, a, PATH("asn")), out);
	if (v.type != MMDB_DATA_TYPE_UINT32)
		return false;
	*out = v.uint32;
	return true;
}

static struct str
print_network(struct arena *a, const unsigned char ip[16], unsigned bits)
{
	struct ipnet net = { .bits = (uint8_t)(ip_is_v4(ip) ? bits + 96 : bits) };
	char *text = arena_alloc(a, IPNET_LEN + 1);

	memcpy(net.a, ip, sizeof(net.a));
	for (unsigned i = net.bits; i < 128; i++)
		net.a[i / 8] &= (unsigned char)~(0x80 >> i % 8);
	return (struct str){ text, ipnet_print(&net, text) };
}

void
mmdb_find_network(MMDB_s *db, struct arena *a, const unsigned char ip[16], struct enrich_facts *out)
{
	MMDB_lookup_result_s r;

	if (!find_mmdb_record(db, ip, &r) || !find_asn(&r, a, &out->asn))
		return;
	out->has_asn = true;
	out->as_name = find_either(&r, a, PATH("autonomous_system_organization"), PATH("as_name"));
	out->prefix = print_network(a, ip, r.netmask);
}

static bool
is_country(struct str s)
{
	return s.n == 2 && s.p[0] >= 'A' && s.p[0] <= 'Z' && s.p[1] >= 'A' && s.p[1] <= 'Z';
}

void
mmdb_find_place(MMDB_s *db, struct arena *a, const unsigned char ip[16], struct enrich_facts *out)
{
	MMDB_lookup_result_s r;
	struct str country;

	if (!find_mmdb_record(db, ip, &r))
		return;
	country = find_either(&r, a, PATH("country", "iso_code"), PATH("country_code"));
	if (country.p == NULL)
		country = find_text(&r, a, PATH("country"));
	if (!is_country(country))
		return;
	out->country_code = country;
	out->region = find_either(&r, a, PATH("subdivisions", "0", "names", "en"), PATH("region"));
	out->city = find_either(&r, a, PATH("city", "names", "en"), PATH("city"));
}
