/* SPDX-License-Identifier: ISC */
/* Dangling DNS records (AREAS.md 4, DETECTORS.md 4): which records of a name point to something
 * that somebody else may have.
 *
 *   struct dangling_world    what the datasets know of the name, of the names that it leads to, and of their domains
 *     | dangling_judge       each current record of the name: where it leads, and whether that can be claimed
 *     v
 *   struct dangling          kind, grade, the chain, and the times of the data
 *
 *   a finding that stands already --dangling_contradiction--> when newer data contradicted it, if they did
 *
 * Pure functions: the caller reads the database, and says what time it is. Missing data prove
 * nothing, neither that a record is dangling nor that it is not any more:
 *
 *   state of a name    the newest answer of each of its types counts
 *   UNKNOWN            no record, SERVFAIL, or nothing newer than 30 days
 *   EXISTS             some type has NOERROR, which is not older than NXDOMAIN
 *   MISSING            NXDOMAIN, and nothing newer
 *
 * A record that leads to a name must not be newer than the answer that the name does not exist: the
 * name may have been made together with the record. One hour is granted, since scanners ask for
 * both at the same time. */
#ifndef DETECTION_DANGLING_H
#define DETECTION_DANGLING_H

#include "base/limits.h"
#include "detection/takeover.h"

enum dangling_kind {
#define DANGLING(id, name, title, remediation) DANGLING_##id,
#include "tbl/dangling_kinds.h"
	DANGLING_KINDS
};

enum dangling_grade {
#define DANGLING_GRADE(id, kind, code, severity, confidence) DANGLING_IS_##id,
#include "tbl/dangling_kinds.h"
	DANGLING_GRADES
};

/* ---- what is known ---- */

/* A record of the dataset dns, with names in canonical form. */
struct dangling_record {
	struct str host, type, rcode;
	struct str answer, name; /* no pointer: there is none; name: the last name in the answer */
	struct ts first, last;
};

/* A registration. */
struct dangling_domain {
	struct str domain;
	struct ts expires; /* TS_NULL: not known */
};

/* A page that was captured of a host; provider n 0: it is no page for unclaimed names. */
struct dangling_page {
	struct str host, provider;
	struct ts at;
};

/* A certificate that an address shows. */
struct dangling_certificate {
	struct str ip;
	struct strs names;
	bool self_signed;
	struct ts since, last; /* the first and the last observation with this certificate */
};

/* An address of a cloud provider. */
struct dangling_address {
	struct str ip, provider, region;
};

struct dangling_world {
	struct ts now;
	const struct dangling_record *records; /* in the order of their hosts, dangling_order */
	size_t nrecords;
	const struct dangling_domain *domains;
	size_t ndomains;
	const struct dangling_page *pages;
	size_t npages;
	const struct dangling_certificate *certificates;
	size_t ncertificates;
	const struct dangling_address *addresses;
	size_t naddresses;
	struct takeovers takeovers;
	/* The project's domains, the addresses that it has declared to be its own, and the
	   providers of these. */
	struct strs own, allocated, allocated_at;
};

/* ---- what follows ---- */

struct dangling_hop {
	struct str name, type, rcode; /* type: no pointer for the last hop */
	struct ts seen;
};

struct dangling {
	enum dangling_kind kind;
	enum dangling_grade grade;
	struct str host, type, target;
	struct str provider, region; /* n 0: none */
	const char *claim;           /* NULL: no provider */
	struct dangling_hop chain[LIM_DANGLING_HOPS + 1];
	size_t nchain;
	struct ts first, last; /* since when, and until when, all data show it */
};

struct danglings {
	struct dangling *p;
	size_t n;
};

/* The registration of a domain; NULL: none is known. */
const struct dangling_domain *dangling_registration(
    const struct dangling_world *w, struct str domain);

extern const struct dangling_kind_row {
	const char *name, *title, *remediation;
} dangling_kinds[DANGLING_KINDS];

extern const struct dangling_grade_row {
	enum dangling_kind kind;
	const char *code, *severity;
	double confidence;
} dangling_grades[DANGLING_GRADES];

/* The order of records: by host, then by type. For qsort. */
int dangling_order(const void *l, const void *r);
/* Adds the names that a record leads to, and their registrable domains, for the caller that reads
   their records next. A name may be added twice. */
void dangling_leads(struct arena *a, const struct dangling_record *r, struct strs *names);
/* The names of wildcards that may have made the records of a host, the nearest first:
   "*.example.org". */
struct strs dangling_wildcards(struct arena *a, struct str host, struct strs own);
/* The registrable domain below a registry's suffix, not below one that a company has listed for its
   customers. */
struct str dangling_registrable(struct arena *a, struct str name);

/* Judges the current records of a host. */
struct danglings dangling_judge(struct arena *a, const struct dangling_world *w, struct str host);

/* The name at the end of the current aliases of a host; STR_NULL: it has none. */
struct str dangling_end(struct arena *a, const struct dangling_world *w, struct str host);

/* A finding that stands. */
struct dangling_known {
	struct str host, type, target;
	struct strs chain; /* the names of its evidence */
	enum dangling_kind kind;
};

/* The time of the newest data that contradict it: another answer, or a target that exists. TS_NULL:
   there are none. */
struct ts dangling_contradiction(
    struct arena *a, const struct dangling_world *w, const struct dangling_known *k);

#endif
