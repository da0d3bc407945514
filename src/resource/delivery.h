/* SPDX-License-Identifier: ISC */
/* Deliveries of alerts and their attempts, as the API and surfacectl show them.

     alert_delivery     one row for each alert and destination, or for a test: state, number of attempts, next time
     alert_attempt      one row for each attempt: the status code, or the reason why there is none

   delivery_out leaves the attempts out; delivery_with_history has them in `history`, which a second
   statement fills (list_attempts). http_status_code is JSON, so that
   the absence of an answer is null and not 0. */
#ifndef RESOURCE_DELIVERY_H
#define RESOURCE_DELIVERY_H

#include "db/db.h"

struct delivery {
	struct uuid uuid, alert_uuid, destination_uuid;
	struct str kind, state, failure;
	int64_t attempts;
	struct json http_status_code;
	struct ts created_at, last_attempt_at, delivered_at, next_attempt_at;
	struct list history; /* of struct attempt */
};

struct attempt {
	int64_t number;
	struct ts attempted_at, ended_at;
	struct json http_status_code;
	struct str failure;
};

/* The columns of alert_delivery that delivery_out describes. A delivery that surfaced-alert holds
   has no time of its next attempt. */
#define DELIVERY_COLUMNS                                                                           \
	"uuid, kind, alert_uuid, destination_uuid, state, attempts, created_at,"                   \
	" last_attempt_at, delivered_at,"                                                          \
	" CASE WHEN state = 'pending' AND leased_until IS NULL THEN due_at END"                    \
	" AS next_attempt_at, to_jsonb(http_status_code) AS http_status_code, failure"

extern const struct field delivery_out[], delivery_with_history[], attempt_out[];
extern const char *const delivery_states[]; /* NULL ends the list */

/* Returns the last $2 attempts of the delivery $1, oldest first. */
extern const struct stmt list_attempts;

#endif
