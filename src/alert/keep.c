/* SPDX-License-Identifier: ISC */
/* What grows for ever unless somebody looks: the rows of 0013-retention.sql, after as many days as the
   configuration says, and the steps of what is counted. */
#include "config.h"

#include "alert/alert.h"
#include "daemon/conf.h"

enum {
	MOST = 500,        /* rows at once, so that nobody waits for them */
	AGAIN_US = 200000, /* after a batch that was full */
};

struct count {
	int64_t n;
};

static const struct field count_out[] = {
	FIELD(struct count, n, 0),
	FIELD_END,
};

static const struct stmt keep_deliveries =
    STMT(keep_deliveries, count_out, "SELECT retention_deliveries($1, $2) AS n");
static const struct stmt keep_usage =
    STMT(keep_usage, count_out, "SELECT retention_usage($1, $2) AS n");

static const struct stmt fold = STMT(fold, count_out, "SELECT metric_fold($1) AS n");

const struct stmt *const keep_stmts[] = { &keep_deliveries, &keep_usage, &fold, NULL };

static const struct {
	const char *what;
	const struct stmt *st;
	const int64_t *days; /* NULL: no matter; 0: for ever */
	int64_t rest_us;     /* until it is looked at again */
} rows[KEEPS] = {
	{ "deliveries", &keep_deliveries, &conf.delivery_days, 600000000 },
	{ "usage", &keep_usage, &conf.usage_days, 600000000 },
	{ "counts", &fold, NULL, 5000000 },
};

/* When it is to be done again: soon, if this batch was full. */
static int64_t
work(struct engine *e, size_t i)
{
	const int64_t most = MOST, *days = rows[i].days;
	enum db_rc rc;
	struct count c;

	rc = days == NULL ? db_one(e->db, rows[i].st, &c, P(most))
			  : db_one(e->db, rows[i].st, &c, P(*days), P(most));
	if (!db_ok(e->db, rc, rows[i].what))
		return AGAIN_US;
	if (c.n > 0 && days != NULL)
		log_event(LOGP_INFO, "pruned", "what=%s rows=%lld", rows[i].what,
		    (long long)c.n);
	return c.n == MOST ? AGAIN_US : rows[i].rest_us;
}

void
keep(struct engine *e)
{
	for (size_t i = 0; i < KEEPS; i++)
		if ((rows[i].days == NULL || *rows[i].days > 0) &&
		    mono_us() >= e->keep_at[i] && db_up(e->db))
			e->keep_at[i] = mono_us() + work(e, i);
}
