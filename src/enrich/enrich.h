/* SPDX-License-Identifier: ISC */
/* Databases about addresses: for an address, its network, autonomous system and place. Imports add it to the hosts that do
 * not say it themselves (surfaced-import(5)).
 *
 *   mmdb_asn    MaxMind DB   asn, as_name, prefix         GeoLite2's nested form, or the flat one of IPinfo
 *   mmdb_city   MaxMind DB   country_code, region, city
 *   pfx2as      text         asn, prefix                  CAIDA's RouteViews files: "192.0.2.0<TAB>24<TAB>64500"
 *
 * Each database is optional. A database that cannot be opened is named and left out, because an import is worth more
 * than its enrichment.
 *
 * The members of a host describe one fact together: the name of an AS is wrong beside another number, and a city is
 * wrong beside another country. So members are added by groups:
 *
 *   group     members               is added when the host
 *   network   asn, as_name, prefix  has no asn, or the same asn; then each member that is missing
 *   place     country_code,         says nothing else about its place; then each member that is missing
 *             region, city
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

/* A text whose p is NULL is unknown. */
struct enrich_facts {
	bool has_asn;
	int64_t asn; /* 0 to 2^32-1 */
	struct str as_name, prefix, country_code, region, city;
};

/* Opens the databases. fault is called for each one that cannot be used, and for a prefix file with lines that are no
   prefixes. NULL: no database is open. */
struct enrich *enrich_open(
    const struct enrich_files *files, void (*fault)(void *arg, const char *what), void *arg);
void enrich_close(struct enrich *e);

/* Finds what the databases know of an address; the texts are in the arena. */
struct enrich_facts enrich_find(struct enrich *e, struct arena *a, const unsigned char ip[16]);

/* Adds to `have` what it lacks, by groups. replace: a group that was found replaces the one that is there. False: nothing
   has changed. */
bool enrich_add(struct enrich_facts *have, const struct enrich_facts *found, bool replace);

#endif
