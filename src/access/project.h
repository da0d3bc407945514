/* SPDX-License-Identifier: ISC */
/* Projects as one key sees them. */
#ifndef ACCESS_PROJECT_H
#define ACCESS_PROJECT_H

#include "access/key.h"
#include "db/db.h"

struct project {
	struct uuid uuid, account;
	struct str name;
	bool manager; /* the key's owner manages it */
};

/* DB_NONE when the project does not exist, is another account's, or is outside the ceiling of the
   key or of its owner: one answer, 404 (C-116). */
enum db_rc project_find(struct db *db, const struct key *k, struct uuid project,
    struct project *out) MUST_USE;

#endif
