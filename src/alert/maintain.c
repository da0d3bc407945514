/* SPDX-License-Identifier: ISC */
/* Work that is due now and then, for the whole installation: deletes finished deliveries and usage
   after the configured number of days (sql/functions/retention.sql), makes and drops the months of
   the history of records (sql/functions/event.sql), and folds the steps of the installation's
   metrics into their sums. Each run handles one batch, so that neither the loop nor
   other writers wait for long. */
#include "config.h"

#include "alert/alert.h"
#include "base/limits.h"
#include "daemon/conf.h"
#include "db/guard.h"

enum {
	BATCH_ROWS = 500,
	SOON_US = 200000, /* until the next run after a full batch or a failure */
};

struct count {
	int64_t n;
};

static const struct field count_out[] = {
	FIELD(struct count, n, 0),
	FIELD_END,
};

STMT(keep_deliveries, count_out, "SELECT retention_deliveries($1, $2) AS n");
STMT(keep_usage, count_out, "SELECT retention_usage($1, $2) AS n");
STMT(keep_report_requests, count_out, "SELECT retention_report_requests($1, $2) AS n");
STMT(keep_sign_ins, count_out, "SELECT retention_sign_ins($1, $2) AS n");
STMT(keep_events, count_out, "SELECT record_event_keep($1, $2) AS n");

STMT(fold, count_out, "SELECT metric_fold($1) AS n");

static const int64_t request_days = LIM_REPORT_REQUEST_DAYS, sign_in_days = LIM_SIGN_IN_DAYS;

static const struct {
	const char *name;
	const struct stmt *st;
	const char *unit;    /* counted by the statement, for the log */
	const int64_t *days; /* age of what is deleted; 0: keep all; NULL: any age */
	int64_t rest_us;     /* until the next run when nothing is left to do */
} tasks[MAINTENANCE_TASKS] = {
	{ "deliveries", &keep_deliveries, "rows", &conf.delivery_days, 600000000 },
	{ "usage", &keep_usage, "rows", &conf.usage_days, 600000000 },
	{ "report_requests", &keep_report_requests, "rows", &request_days, 600000000 },
	{ "sign_ins", &keep_sign_ins, "rows", &sign_in_days, 600000000 },
	{ "history", &keep_events, "months", &conf.history_days, 600000000 },
	{ "counts", &fold, "rows", NULL, 5000000 },
};

/* Returns the microseconds until the task is due again. */
static int64_t
run_task(struct engine *e, size_t i)
{
	const int64_t most = BATCH_ROWS, *days = tasks[i].days;
	enum db_rc rc;
	struct count c;

	rc = days == NULL ? db_one(e->db, tasks[i].st, &c, P(most))
			  : db_one(e->db, tasks[i].st, &c, P(*days), P(most));
	if (!db_ok(e->db, rc, tasks[i].name))
		return SOON_US;
	if (c.n > 0 && days != NULL)
		log_event(LOGP_INFO, "pruned", "what=%s %s=%lld", tasks[i].name, tasks[i].unit,
		    (long long)c.n);
	return c.n == BATCH_ROWS ? SOON_US : tasks[i].rest_us;
}

void
maintain_tables(struct engine *e)
{
	for (size_t i = 0; i < MAINTENANCE_TASKS; i++)
		if ((tasks[i].days == NULL || *tasks[i].days > 0) && mono_us() >= e->task_at[i] &&
		    db_up(e->db))
			e->task_at[i] = mono_us() + run_task(e, i);
}
