/* SPDX-License-Identifier: ISC */
/* surfacectl doctor: does surfaced-alert evaluate changes and send webhooks? The process may run
   and still do nothing, so the check looks at its two queues instead: alert_change, the changes to
   evaluate, and alert_delivery, the webhooks to send. A queue may be long after an import. A queue
   whose oldest entry has been due for more than LATE_S seconds belongs to a process that hangs or
   does not run. The finding names the daemon as its cause, so that a stopped process is reported
   once, with the advice to start it. */
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

/* Counts the waiting work. late: how long the oldest is overdue, whether or not a process has taken
   it. */
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
		doctor_report(d, HEALTH_WARNING, "alerts", DO_WITH(RESTART, "surfaced-alert"),
		    "%lld changes and %lld deliveries wait, for %lld s by now",
		    (long long)q.changes, (long long)q.deliveries, (long long)q.late);
		doctor_cause(d, "daemon", "surfaced-alert");
	} else {
		doctor_report(d, HEALTH_OK, "alerts", NO_ADVICE,
		    "%lld changes and %lld deliveries to come", (long long)q.changes,
		    (long long)q.deliveries);
	}
}
