/* SPDX-License-Identifier: ISC */
/* surfacectl doctor: does surfaced-alert evaluate changes and send webhooks? */
#include "config.h"

#include "cli/doctor/doctor.h"

enum { LATE_S = 60 };

struct queue {
	int64_t changes, deliveries, late;
};

static const struct field queue_out[] = {
	FIELD(struct queue, changes, 0),
	FIELD(struct queue, deliveries, 0),
	FIELD(struct queue, late, 0),
	FIELD_END,
};

/* Counts the waiting work. late: how long the oldest is overdue, whether or not a process has taken it. */
STMT(read_queue, queue_out,
    "SELECT (SELECT count(*) FROM alert_change) AS changes,"
    " (SELECT count(*) FROM alert_delivery WHERE state = 'pending') AS deliveries,"
    " greatest(0, extract(epoch FROM now() - least("
    "  (SELECT min(due_at) FROM alert_change),"
    "  (SELECT min(due_at) FROM alert_delivery WHERE state = 'pending'))))::bigint"
    " AS late");

void
doctor_alerts(struct doctor *d)
{
	struct queue q;

	if (!d->database || db_one_row(d->c->db, &read_queue, &q, DB_NO_ARGS) != DB_OK)
		return;
	if (q.late > LATE_S) {
		doctor_say(d, HEALTH_WARNING, "alerts", DO_WITH(RESTART, "surfaced-alert"),
		    "%lld changes and %lld deliveries wait, for %lld s by now",
		    (long long)q.changes, (long long)q.deliveries, (long long)q.late);
		doctor_cause(d, "daemon", "surfaced-alert");
	} else {
		doctor_say(d, HEALTH_OK, "alerts", NO_ADVICE,
		    "%lld changes and %lld deliveries to come", (long long)q.changes,
		    (long long)q.deliveries);
	}
}
