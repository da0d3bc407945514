/* SPDX-License-Identifier: ISC */
/* The facts about one name, domain or address (dangling_facts.c), for the judge (dangling.c). */
#ifndef DETECTION_DANGLING_PRIV_H
#define DETECTION_DANGLING_PRIV_H

#include "detection/dangling.h"

enum dangling_is { DANGLING_UNKNOWN, DANGLING_EXISTS, DANGLING_MISSING };

#define DANGLING_SAME_LOOK                                                                         \
	(INT64_C(3600) * 1000000) /* scanners see at once all that they see within this time */
#define DANGLING_DAY (INT64_C(86400) * 1000000)

struct dangling_name {
	enum dangling_is is;
	struct ts first, last; /* since when, and until when the data show this state */
};

/* The records of a host; NULL: there are none. */
const struct dangling_record *dangling_records(
    const struct dangling_world *w, struct str host, size_t *n);
/* Whether data of this time are not older than 30 days. */
bool dangling_is_fresh(const struct dangling_world *w, struct ts t);
/* Whether a record is an answer of the newest look-up of its name and type. */
bool dangling_is_current(const struct dangling_world *w, const struct dangling_record *r);
/* When the name and type were last looked up with an answer: records, or that there are none.
   TS_NULL: never. */
struct ts dangling_looked_up(const struct dangling_world *w, struct str host, struct str type);
struct dangling_name dangling_state(const struct dangling_world *w, struct str name);
/* The current alias of a name; NULL: none. */
const struct dangling_record *dangling_alias(const struct dangling_world *w, struct str name);
/* The record of a zone without SOA, refused or failed at two times a day apart; NULL: none. */
const struct dangling_record *dangling_refused(const struct dangling_world *w, struct str zone);
const struct dangling_page *dangling_newest_page(const struct dangling_world *w, struct str host);
/* The address of a cloud provider; NULL: it is none's. */
const struct dangling_address *dangling_cloud(const struct dangling_world *w, struct str ip);
/* A certificate of the address that names somebody else, seen at two times a day apart; NULL: none,
   or one of the project. */
const struct dangling_certificate *dangling_foreign(
    struct arena *a, const struct dangling_world *w, struct str ip);
/* The newest certificate of the address that names a domain of the project; NULL: none. */
const struct dangling_certificate *dangling_our_certificate(
    struct arena *a, const struct dangling_world *w, struct str ip);
/* The names that a record of the types NS, MX, SRV and TXT leads to; of TXT, those of an SPF
   policy. */
struct strs dangling_targets(struct arena *a, const struct dangling_record *r);
/* Whether a wildcard of the project has the same record, so that it is the wildcard that is
   judged. */
bool dangling_is_of_wildcard(
    struct arena *a, const struct dangling_world *w, const struct dangling_record *r);
/* Whether the name is below a domain of the project. */
bool dangling_is_own(const struct dangling_world *w, struct str name);
/* Whether some label of the name begins with an underscore. */
bool dangling_is_service(struct str name);
/* Whether the name is www, login or mail of a registrable domain. */
bool dangling_is_front(struct arena *a, struct str name);

#endif
