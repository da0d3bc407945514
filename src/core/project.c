/* SPDX-License-Identifier: ISC */
/* Which projects a key sees: those of its account, within its owner's ceiling and its own. */
#include "config.h"

#include "core/core.h"

static const struct field project_out[] = {
	FIELD(struct project, uuid, 0),
	FIELD(struct project, account, 0),
	FIELD(struct project, name, 0),
	FIELD(struct project, manager, 0),
	FIELD_END,
};

static const struct stmt visible_project = STMT(visible_project, project_out,
    "SELECT p.uuid, p.account_uuid AS account, p.name,"
    " m.role = 'owner' OR coalesce(pm.role = 'manager', false) AS manager"
    " FROM api_key k JOIN member m ON m.uuid = k.owner_uuid"
    " JOIN project p ON p.account_uuid = k.account_uuid AND p.uuid = $2"
    " LEFT JOIN project_member pm ON pm.project_uuid = p.uuid AND pm.member_uuid = m.uuid"
    " WHERE k.uuid = $1 AND (k.projects IS NULL OR p.uuid = ANY (k.projects))"
    "  AND (m.role = 'owner' OR m.all_projects OR pm.member_uuid IS NOT NULL)");

enum db_rc
project_find(struct db *db, const struct key *k, struct uuid project, struct project *out)
{
	return db_one(db, &visible_project, out, P(k->uuid), P(project));
}
