/* SPDX-License-Identifier: ISC */
/* Domains that a project watches for look-alikes (C-845). The API writes them; surfaced-detect
   compares new names with them. min_score is null in a body for the default, which depends on what
   was imported (watched_min_score() in sql/functions/typosquatting.sql). */
#ifndef RESOURCE_WATCHED_DOMAIN_H
#define RESOURCE_WATCHED_DOMAIN_H

#include "db/db.h"

enum { MIN_SCORE_UNSET = -1 };

struct watched_domain {
	struct uuid uuid, project_uuid;
	struct str domain;
	struct list words, allow; /* struct str */
	int64_t min_score;        /* MIN_SCORE_UNSET in a body: the default */
	bool enabled;
	struct ts created_at, updated_at;
};

/* The columns that watched_domain_out describes. */
#define WATCHED_DOMAIN_COLUMNS                                                                     \
	"uuid, domain, words, allow, coalesce(min_score, watched_min_score()) AS min_score, "      \
	"enabled,"                                                                                 \
	" created_at, updated_at"

extern const struct field watched_domain_out[]; /* an answer of the API */
extern const struct field watched_domain_new[]; /* the body that creates one */
extern const struct field
    watched_domain_change[];                    /* the body that replaces one; the domain stays */
extern const struct field watched_domain_try[]; /* the body of a preview */
extern const struct field watched_domain_row[]; /* a row of watched_domains() */

#endif
