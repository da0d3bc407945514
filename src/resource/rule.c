/* SPDX-License-Identifier: ISC */
/* The members of an alert rule, and the statement that creates one. */
#include "config.h"

#include "base/limits.h"
#include "resource/rule.h"
#include "wire/values.h"

/* clang-format off */
#define MEMBERS                                                                                    \
	FIELD(struct rule, uuid, 0),                                                               \
	FIELD(struct rule, name, 0),                                                               \
	ONE_OF(struct rule, source, 0, alert_sources, "The records that the rule evaluates."),     \
	ONE_OF(struct rule, min_severity, NULLABLE, severities, "Null for services."),             \
	FIELD(struct rule, query, 0),                                                              \
	LIST_OF(struct rule, destination_uuids, 0, struct uuid, 0, LIM_RULE_DESTINATIONS),         \
	FIELD(struct rule, enabled, 0),                                                            \
	FIELD(struct rule, created_at, 0),                                                         \
	FIELD(struct rule, updated_at, 0)
/* clang-format on */

const struct field rule_row[] = { MEMBERS, FIELD(struct rule, project_uuid, 0), FIELD_END };
const struct field rule_out[] = { MEMBERS, FIELD_END_OF("AlertRule") };

STMT_SHARED(insert_rule, struct rule, rule_row,
    "INSERT INTO alert_rule (project_uuid, uuid, name, source, min_severity, query,"
    " destination_uuids, enabled)"
    " SELECT $1, $2, $3, $4, $5, $6, $7::text[]::uuid[], $8 WHERE" RULE_DESTINATIONS_EXIST
    " RETURNING " RULE_COLUMNS);
