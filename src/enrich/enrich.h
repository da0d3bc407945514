/* SPDX-License-Identifier: ISC */
/* Databases about addresses: the network, autonomous system and place of an address. An import adds
 * these facts to a host whose document lacks them (surfaced-import(5)).
 *
 *   mmdb_asn    MaxMind DB   asn, as_name, prefix         GeoLite2's nested form, or the flat one of IPinfo
 *   mmdb_city   MaxMind DB   country_code, region, city
 *   pfx2as      text         asn, prefix                  CAIDA's RouteViews files: "192.0.2.0<TAB>24<TAB>64500"
 *
 * Each database is optional. A database that cannot be opened is reported and not used; the import
 * goes on without it.
 *
 * Members that describe one fact must agree: the name of an AS is wrong beside the number of
 * another, and a city is wrong beside another country. So members are added by groups. The missing
 * members of a group are added when
 *
 *   group     members                      condition
 *   network   asn, as_name, prefix         the host has no asn, or the asn that was found
 *   place     country_code, region, city   each member that the host has equals the one that was found
 */
#ifndef ENRICH_ENRICH_H
#define ENRICH_ENRICH_H

#include "base/base.h"

struct enrich;

enum { ENRICH_PREFIX_FILES = 2, ENRICH_FAULT = 512 };

/* Paths; NULL or "": there is no such database. */
struct enrich_files {
	const char *mmdb_asn, *mmdb_city;
	const char *pfx2as[ENRICH_PREFIX_FILES]; /* usually one of IPv4 and one of IPv6 */
};

/* The facts about an address. p of a text is NULL when the fact is unknown. */
struct enrich_facts {
	bool has_asn;
	int64_t asn; /* 0 to 2^32-1 */
	struct str as_name, prefix, country_code, region, city;
};

/* Opens the databases. Calls fault for each database that cannot be used, and for a file of
   prefixes with malformed lines. Returns NULL when no database is open. */
struct enrich *enrich_open(
    const struct enrich_files *files, void (*fault)(void *arg, const char *what), void *arg);
void enrich_close(struct enrich *e);

/* Finds what the databases know of an address; the texts are in the arena. */
struct enrich_facts enrich_find(struct enrich *e, struct arena *a, const unsigned char ip[16]);

/* Adds the members of `found` that `have` lacks, by the rule above. replace: a group that was found
   replaces the group of `have`. Returns false when nothing has changed. */
bool enrich_add(struct enrich_facts *have, const struct enrich_facts *found, bool replace);

#endif
