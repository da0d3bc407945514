/* SPDX-License-Identifier: ISC */
/* Alert rules, as the API and surfacectl show them. */
#ifndef RESOURCE_RULE_H
#define RESOURCE_RULE_H

#include "db/db.h"

struct rule {
	struct uuid uuid, project_uuid;
	struct str name, source, min_severity, query;
	struct list destination_uuids;
	bool enabled;
	struct ts created_at, updated_at;
};

/* The columns of alert_rule that rule_row describes. */
#define RULE_COLUMNS                                                                               \
	"uuid, name, source, min_severity, query, destination_uuids, enabled,"                     \
	" created_at, updated_at, project_uuid"

extern const struct field rule_row[];
extern const struct field rule_out[]; /* an answer of the API, whose path has the project */

/* Parameters: project, uuid, name, source, min_severity, query, destinations, enabled. Returns no row when the project
   does not have one of the destinations. */
extern const struct stmt insert_rule;

#define RULE_DESTINATIONS_EXIST " alert_destinations_stand($1, $7::text[]::uuid[])"

#endif
