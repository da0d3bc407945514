/* SPDX-License-Identifier: ISC */
/* The members of an alert. */
#include "config.h"

#include "resource/alert.h"
#include "wire/values.h"

const char *const alert_states[] = { "open", "acknowledged", "closed", NULL };

const struct field alert_out[] = {
	FIELD(struct alert, uuid, 0),
	FIELD(struct alert, rule_uuid, 0),
	ONE_OF(struct alert, state, 0, alert_states, NULL),
	ONE_OF(struct alert, source, 0, alert_sources, NULL),
	FIELD(struct alert, source_uuid, 0),
	FIELD(struct alert, title, 0),
	ONE_OF(struct alert, severity, NULLABLE, severities, NULL),
	FIELD(struct alert, raised_count, 0),
	FIELD(struct alert, created_at, 0),
	FIELD(struct alert, updated_at, 0),
	FIELD(struct alert, last_raised_at, 0),
	FIELD(struct alert, acknowledged_at, NULLABLE),
	FIELD(struct alert, acknowledged_by_membership_uuid, NULLABLE),
	FIELD(struct alert, closed_at, NULLABLE),
	FIELD(struct alert, closed_by_membership_uuid, NULLABLE),
	FIELD_END_OF("Alert"),
};
