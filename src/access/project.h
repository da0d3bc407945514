/* SPDX-License-Identifier: ISC */
/* Projects within the reach of an API key: those of its account, within its owner's ceiling and the
   key's own. */
#ifndef ACCESS_PROJECT_H
#define ACCESS_PROJECT_H

#include "access/key.h"
#include "db/db.h"

struct project {
	struct uuid uuid, account;
	struct str name;
	bool manager; /* the key's owner manages it */
};

/* Finds a project. Returns DB_NONE when the project does not exist, belongs to another account, or
   is outside the ceiling of the key or of its owner. The client gets the same 404 in all these
   cases, so that it cannot find out which projects exist (C-116). */
enum db_rc project_find(
    struct db *db, const struct key *k, struct uuid project, struct project *out) MUST_USE;

#endif
