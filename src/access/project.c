/* SPDX-License-Identifier: ISC */
/* Finds a project for a key. The rules are in the SQL function visible_projects. */
#include "config.h"

#include "access/key.h"
#include "access/project.h"
#include "db/db.h"

static const struct field project_out[] = {
	FIELD(struct project, uuid, 0),
	FIELD(struct project, account, 0),
	FIELD(struct project, name, 0),
	FIELD(struct project, manager, 0),
	FIELD_END,
};

STMT(visible_project, project_out,
    "SELECT uuid, account, name, manager FROM visible_projects($1) WHERE uuid = $2");

enum db_rc
project_find(struct db *db, const struct key *k, struct uuid project, struct project *out)
{
	return db_one(db, &visible_project, out, P(k->uuid), P(project));
}
