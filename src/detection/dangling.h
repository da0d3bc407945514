/* SPDX-License-Identifier: ISC */
/* Dangling DNS records (C-169 to C-175): finds the records of a name that point to
 * something which a stranger may own or claim.
 *
 *   struct dangling_world    what the datasets know of the name, of the names that it leads to, and of their domains
 *     | dangling_judge       each current record of the name: where it leads, and whether that can be claimed
 *     v
 *   struct dangling          kind, grade, the chain, and the times of the data
 *
 *   a finding that stands already --dangling_contradiction--> when newer data contradicted it, if they did
 *
 * Pure functions: the caller reads the database and passes the present time. Missing data prove
 * nothing: neither that a record dangles nor that it no longer does.
 *
 *   state of a name    the newest answer of each of its types counts
 *   UNKNOWN            no record, SERVFAIL, or nothing newer than 30 days
 *   EXISTS             some type has NOERROR, which is not older than NXDOMAIN
 *   MISSING            NXDOMAIN, and nothing newer
 *
 * A record that leads to a name must not be newer than the answer that the name does not exist,
 * because the name may have been created together with the record. A difference of one hour is
 * allowed, because scanners query both at about the same time. */
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
	/* STR_NULL: the record has no answer; name: the last name in the answer */
	struct str answer, name;
	struct ts first, last;
};

/* A registration, or the answer of a registry that there is none. */
struct dangling_domain {
	struct str domain;
	struct ts expires; /* TS_NULL: not known */
	struct ts
	    refuted; /* when the registry answered that there is no registration, or TS_NULL */
};

/* A captured page of a host. providers: those whose page for unclaimed names it may be. */
struct dangling_page {
	struct str host;
	struct strs providers;
	struct ts at;
};

/* A certificate of a service at an address. */
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
	struct str name, type, rcode; /* type: STR_NULL for the last hop */
	struct ts seen;
};

struct dangling {
	enum dangling_kind kind;
	enum dangling_grade grade;
	struct str host, type, target;
	struct str provider, region; /* empty: none */
	const char *claim;           /* NULL: no provider */
	struct dangling_hop chain[LIM_DANGLING_HOPS + 1];
	size_t nchain;
	struct ts first, last; /* the time in which all data show it */
};

struct danglings {
	struct dangling *p;
	size_t n;
};

/* Returns the registration of a domain, or NULL when none is known. */
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
/* Adds the names to which a record leads, and their registrable domains, so that the caller can
   read their records next. A name may be added twice. */
void dangling_leads(struct arena *a, const struct dangling_record *r, struct strs *names);
/* Returns the wildcards that may have produced the records of a host, such as "*.example.org", the
   nearest first. */
struct strs dangling_wildcards(struct arena *a, struct str host, struct strs own);
/* Returns the registrable domain of a name. Only suffixes of registries count, not those that
   companies have listed for their customers (host_suffix_icann). */
struct str dangling_registrable(struct arena *a, struct str name);

/* Judges the current records of a host. */
struct danglings dangling_judge(struct arena *a, const struct dangling_world *w, struct str host);

/* Returns the name at the end of the current aliases of a host, or STR_NULL when it has none. */
struct str dangling_end(struct arena *a, const struct dangling_world *w, struct str host);

/* A stored finding. */
struct dangling_known {
	struct str host, type, target;
	struct strs chain; /* the names of its evidence */
	enum dangling_kind kind;
};

/* Returns the time of the newest data that contradict a finding, such as another answer or a target
   that exists. TS_NULL: no data do. */
struct ts dangling_contradiction(
    struct arena *a, const struct dangling_world *w, const struct dangling_known *k);

#endif
