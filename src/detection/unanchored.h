/* SPDX-License-Identifier: ISC */
/* How many rules of an account are evaluated on every document (C-815). The API and
   surfacectl refuse a change that makes them more than LIM_RULES_UNANCHORED. */
#ifndef DETECTION_UNANCHORED_H
#define DETECTION_UNANCHORED_H

#include "db/db.h"
#include "detection/rule_query.h"

/* Whether a rule of this dataset and query has an anchor. A query that cannot be parsed counts as
   anchored, because it is not evaluated. */
bool rule_is_anchored(
    struct arena *a, struct str dataset, struct str query, struct ts now) MUST_USE;

/* Counts the account's own rules that are evaluated and have no anchor. Rules of the catalogue do
   not count. */
enum db_rc rules_unanchored(
    struct db *db, struct arena *a, const struct uuid *account, struct ts now, size_t *n) MUST_USE;

#endif
