/* SPDX-License-Identifier: ISC */
/* Questions of the judge (dangling.c) about one name, domain or address, answered by
   dangling_facts.c. */
#ifndef DETECTION_DANGLING_PRIV_H
#define DETECTION_DANGLING_PRIV_H

#include "detection/dangling.h"

enum dangling_is { DANGLING_UNKNOWN, DANGLING_EXISTS, DANGLING_MISSING };

#define DANGLING_SAME_LOOK                                                                         \
	(INT64_C(3600) * 1000000) /* observations within this time count as simultaneous */
#define DANGLING_DAY (INT64_C(86400) * 1000000)

struct dangling_name {
	enum dangling_is is;
	struct ts first, last; /* the time in which the data show this state */
};

/* Returns the records of a host and sets *n. NULL: there are none. */
const struct dangling_record *dangling_records(
    const struct dangling_world *w, struct str host, size_t *n);
/* Whether data of this time are at most LIM_FINDING_STALE_DAYS old. */
bool dangling_is_fresh(const struct dangling_world *w, struct ts t);
/* Whether a record is an answer of the newest look-up of its name and type. */
bool dangling_is_current(const struct dangling_world *w, const struct dangling_record *r);
/* Returns the time of the last look-up of the name and type that was answered, with records or with
   NXDOMAIN. TS_NULL: never. */
struct ts dangling_looked_up(const struct dangling_world *w, struct str host, struct str type);
struct dangling_name dangling_state(const struct dangling_world *w, struct str name);
/* Returns the current alias of a name, or NULL. */
const struct dangling_record *dangling_alias(const struct dangling_world *w, struct str name);
/* Returns the failed look-ups of a zone's SOA (SERVFAIL or REFUSED) when they span at least a day
   and no newer one succeeded; else NULL. */
const struct dangling_record *dangling_refused(const struct dangling_world *w, struct str zone);
const struct dangling_page *dangling_newest_page(const struct dangling_world *w, struct str host);
/* Returns the entry of an address of a cloud provider; NULL for any other address. */
const struct dangling_address *dangling_cloud(const struct dangling_world *w, struct str ip);
/* Returns a certificate of the address that names a stranger and was seen over at least a day.
   NULL: there is none, or another certificate of the address names the project. */
const struct dangling_certificate *dangling_foreign(
    struct arena *a, const struct dangling_world *w, struct str ip);
/* Returns the newest certificate of the address that names a domain of the project, or NULL. */
const struct dangling_certificate *dangling_our_certificate(
    struct arena *a, const struct dangling_world *w, struct str ip);
/* Returns the names to which a record of the types NS, MX, SRV or TXT leads. The names of a TXT
   record are the domains in an SPF policy. */
struct strs dangling_targets(struct arena *a, const struct dangling_record *r);
/* Whether a wildcard of the project has the same record. Then the wildcard is judged instead of
   this name. */
bool dangling_is_of_wildcard(
    struct arena *a, const struct dangling_world *w, const struct dangling_record *r);
/* Whether the name is below a domain of the project. */
bool dangling_is_own(const struct dangling_world *w, struct str name);
/* Whether a label of the name begins with an underscore. */
bool dangling_is_service(struct str name);
/* Whether the name is www, login or mail of a registrable domain. */
bool dangling_is_front(struct arena *a, struct str name);

#endif
