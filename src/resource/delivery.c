/* SPDX-License-Identifier: ISC */
/* The members of a delivery and of an attempt. */
#include "config.h"

#include "base/limits.h"
#include "resource/delivery.h"

static const char *const kinds[] = { "alert", "test", NULL };
const char *const delivery_states[] = { "pending", "delivered", "failed", "silenced", NULL };

const struct field attempt_out[] = {
	FIELD(struct attempt, number, 0),
	FIELD(struct attempt, attempted_at, 0),
	FIELD(struct attempt, ended_at, NULLABLE),
	OPTIONAL(struct attempt, http_status_code, FIELD_INT, NULLABLE, 100, 599),
	FIELD(struct attempt, failure, NULLABLE),
	FIELD_END_OF("DeliveryAttempt"),
};

/* clang-format off */
#define MEMBERS                                                                                    \
	FIELD(struct delivery, uuid, 0),                                                           \
	ONE_OF(struct delivery, kind, 0, kinds, NULL),                                             \
	FIELD(struct delivery, alert_uuid, NULLABLE),                                              \
	FIELD(struct delivery, destination_uuid, 0),                                               \
	ONE_OF(struct delivery, state, 0, delivery_states, NULL),                                  \
	FIELD(struct delivery, attempts, 0),                                                       \
	FIELD(struct delivery, created_at, 0),                                                     \
	FIELD(struct delivery, last_attempt_at, NULLABLE),                                         \
	FIELD(struct delivery, delivered_at, NULLABLE),                                            \
	FIELD(struct delivery, next_attempt_at, NULLABLE),                                         \
	OPTIONAL(struct delivery, http_status_code, FIELD_INT, NULLABLE, 100, 599),                \
	FIELD(struct delivery, failure, NULLABLE)
/* clang-format on */

const struct field delivery_out[] = { MEMBERS, FIELD_END_OF("AlertDelivery") };
const struct field delivery_with_history[] = { MEMBERS,
	LIST(struct delivery, history, 0, struct attempt, attempt_out, 0, LIM_HISTORY),
	FIELD_END_OF("AlertDeliveryWithHistory") };

STMT_SHARED(list_attempts, struct attempt, attempt_out,
    "SELECT number, attempted_at, ended_at,"
    " to_jsonb(http_status_code) AS http_status_code, failure"
    " FROM (SELECT * FROM alert_attempt WHERE delivery_uuid = $1"
    "  ORDER BY number DESC LIMIT $2) AS last ORDER BY number");
