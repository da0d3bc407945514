/* SPDX-License-Identifier: ISC */
/* Alerts, as the API and surfacectl show them. surfaced-alert raises one when a finding or service
   begins to match a rule, and counts further changes in raised_count instead of raising another: a
   rule and an object have at most one alert that is not closed (the index alert_unclosed).
   source_uuid is the finding or service, by source. The moves between the states are rows of
   tbl/alert_moves.h. */
#ifndef RESOURCE_ALERT_H
#define RESOURCE_ALERT_H

#include "db/db.h"

struct alert {
	struct uuid uuid, rule_uuid, source_uuid, acknowledged_by_membership_uuid,
	    closed_by_membership_uuid;
	struct str state, source, title, severity;
	int64_t raised_count;
	struct ts created_at, updated_at, last_raised_at, acknowledged_at, closed_at;
};

/* The columns of the table alert that alert_out describes. */
#define ALERT_COLUMNS                                                                              \
	"uuid, rule_uuid, state, source, source_uuid, title, severity, raised_count,"              \
	" created_at, updated_at, last_raised_at, acknowledged_at,"                                \
	" acknowledged_by_membership_uuid, closed_at, closed_by_membership_uuid"

extern const struct field alert_out[];
extern const char *const alert_states[]; /* NULL ends the list */

#endif
