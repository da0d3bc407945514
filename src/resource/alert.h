/* SPDX-License-Identifier: ISC */
/* Alerts, as the API and surfacectl show them. */
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
