/* SPDX-License-Identifier: ISC */
/* The two kinds of databases behind enrich.h. */
#ifndef ENRICH_ENRICH_PRIV_H
#define ENRICH_ENRICH_PRIV_H

#include "enrich/enrich.h"

#include <maxminddb.h>

/* ---- mmdb.c ---- */

bool mmdb_open(MMDB_s *db, const char *path, char fault[ENRICH_FAULT]) MUST_USE;
/* Set those members of *out that the database knows. */
void mmdb_find_network(
    MMDB_s *db, struct arena *a, const unsigned char ip[16], struct enrich_facts *out);
void mmdb_find_place(
    MMDB_s *db, struct arena *a, const unsigned char ip[16], struct enrich_facts *out);

/* ---- pfx2as.c ---- */

struct prefix {
	unsigned char from[16]; /* the first address; IPv4 as ::ffff:a.b.c.d */
	uint8_t bits;           /* of 128 */
	uint32_t asn;
	uint32_t up; /* 1 + the index of the smallest prefix around this one; 0: none */
};

struct prefixes {
	struct prefix *p;
	size_t n, room;
};

/* Adds the prefixes of a file, which may be compressed by gzip. *bad: the number of malformed
   lines. False: the file cannot be read. */
bool prefixes_read(
    struct prefixes *all, const char *path, size_t *bad, char fault[ENRICH_FAULT]) MUST_USE;
/* Sorts them; call it once after all files. */
void prefixes_finish(struct prefixes *all);
/* The longest prefix that contains the address, or NULL. */
const struct prefix *prefixes_find(const struct prefixes *all, const unsigned char ip[16]);

#endif
