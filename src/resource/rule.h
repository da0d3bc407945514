/* SPDX-License-Identifier: ISC */
/* Alert rules, as the API and surfacectl show them.
 *
 * A file of this directory describes one resource for both programs, which differ in two things:
 * which rows they may touch, and which members they show. So their statements differ in the WHERE
 * clause only, and the rest is here:
 *
 *   table alert_rule
 *        |  RULE_COLUMNS       the list behind SELECT or RETURNING, in the order of rule_row
 *        v
 *   struct rule                filled by rule_row, which panics at the first row if the two lists differ
 *        |
 *        +-- rule_out -------> answer of the API; its last row names the schema in openapi.json
 *        +-- rule_row -------> surfacectl, as text or as JSON
 *
 *   insert_rule                a statement without a WHERE clause of its own serves both programs
 *
 * A new column needs a member of the struct, its name in RULE_COLUMNS and a row of the table. The
 * tables of request bodies stay beside their handlers in src/api, since surfacectl reads arguments
 * instead. */
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

/* Parameters: project, uuid, name, source, min_severity, query, destinations, enabled. Returns no
   row when the project does not have one of the destinations. */
extern const struct stmt insert_rule;

#define RULE_DESTINATIONS_EXIST " alert_destinations_stand($1, $7::text[]::uuid[])"

#endif
