/* SPDX-License-Identifier: ISC */
/* Reads what the datasets know about names that resemble a watched domain, and gives them their
 * scores. surfaced-detect and the preview of the API call this, so both say the same (C-183).
 *
 *   struct lookalike (a match of lookalike_find)
 *      |   DNS at the name and below it, without wildcards; whois of its registrable domain; hosts at its addresses; the
 *      |   certificate that is remembered; rankings, parked name servers, the project's own domains
 *      v
 *   verdict   LOOKALIKE_REPORTED    it exists, and has the points
 *             LOOKALIKE_WEAK        it exists, and has less
 *             LOOKALIKE_GONE        there is an answer that it does not exist, newer than all that shows it, and its registration
 *                                   is not known to last
 *             LOOKALIKE_UNKNOWN     nothing says that it exists, or that it does not (SERVFAIL)
 *             LOOKALIKE_OWN         it belongs to the project, or its allow list has it
 *
 * The answers that count are those seen within an hour of the latest one of their name and type. */
#ifndef RESOURCE_LOOKALIKE_FACTS_H
#define RESOURCE_LOOKALIKE_FACTS_H

#include "json/tree.h"
#include "lookalike/lookalike.h"
#include "record/dataset.h"
#include "resource/watched_domain.h"

enum lookalike_verdict {
	LOOKALIKE_REPORTED,
	LOOKALIKE_WEAK,
	LOOKALIKE_GONE,
	LOOKALIKE_UNKNOWN,
	LOOKALIKE_OWN,
};

struct lookalike_certificate {
	struct str sha256; /* NULL: none is known */
	struct ts at, first_seen_at, seen_at; /* `at`: when its validity begins */
	bool shared; /* it has a name of the watched domain, too */
};

/* A watched domain with what is known about its own site. */
struct watched_site {
	struct watched_domain w;
	struct strs name_servers, targets, titles, favicons, addresses;
	struct str organisation;
};

struct lookalike {
	const struct watched_site *site;
	struct lookalike_match m; /* reasons: with those of the facts */
	struct lookalike_facts facts;
	bool was_reported; /* it is a finding already, which ten points less leave alone */
	bool same_favicon;
	bool registered; /* whois knows its registration, which has not expired */
	enum lookalike_verdict verdict;
	int score;
	struct strs addresses, mail_exchangers, name_servers;
	struct str registrar, organisation;
	struct lookalike_certificate certificate; /* the caller may set a newer one before */
	struct ts first_seen_at, last_seen_at, last_resolved_at, gone_at; /* TS_NULL: not known */
};

/* Reads what is known about the site of a watched domain. */
enum db_rc watched_site_read(struct db *db, struct arena *a, const struct watched_domain *w,
    struct watched_site *out) MUST_USE;
/* Reads the facts of l->m.found, of which site and m are set, and judges. */
enum db_rc lookalike_read(struct db *db, struct arena *a, struct lookalike *l) MUST_USE;
/* The severity of a reported one. */
const char *lookalike_severity(const struct lookalike *l);
/* Writes [{"code": ..., "weight": ...}, ...]. */
void lookalike_write_reasons(struct buf *b, const struct lookalike_reasons *r);

/* A known name, with the certificate that has it. */
struct known_name {
	struct str name;
	struct str key; /* the key of the certificate's document, in hexadecimal */
	struct lookalike_certificate certificate; /* sha256 NULL: of another dataset */
};

/* A walk through all known names of DNS, whois or certificates. */
struct name_walk {
	enum dataset dataset;
	struct str watched; /* the domain that shared certificates have a name of */
	struct str behind;  /* the key in hexadecimal behind which the next page begins */
	bool more;          /* there are names behind the page */
};

/* Reads a page of names: struct known_name, names of one domain side by side once. */
enum db_rc lookalike_names_page(
    struct db *db, struct arena *a, struct name_walk *w, struct list *names) MUST_USE;
/* The names of a certificate's document: struct known_name. */
struct list lookalike_certificate_names(
    struct arena *a, const struct json_value *doc, struct str watched);

#endif
