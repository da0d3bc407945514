/* SPDX-License-Identifier: ISC */
/* What grows for ever unless somebody looks: the rows of 0013-retention.sql, after as many days as the
   configuration says. */
#include "config.h"

#include "alert/alert.h"

enum {
	MOST = 500,            /* rows at once, so that nobody waits for them */
	AGAIN_US = 200000,     /* after a batch that was full */
	REST_US = 600000000LL, /* after one that was not */
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

const struct stmt *const keep_stmts[] = { &keep_deliveries, &keep_usage, NULL };

static const struct {
	const char *what;
	const struct stmt *st;
	const int64_t *days; /* 0: for ever */
} rows[KEEPS] = {
	{ "deliveries", &keep_deliveries, &conf.delivery_days },
	{ "usage", &keep_usage, &conf.usage_days },
};

/* When it is to be done again. */
static int64_t
prune(struct engine *e, size_t i)
{
	struct count c;

	if (!engine_ok(e,
		db_one(e->db, rows[i].st, &c, P(*rows[i].days), P((int64_t)MOST)),
		rows[i].what))
		return AGAIN_US;
	if (c.n > 0)
		log_event(LOGP_INFO, "pruned", "what=%s rows=%lld", rows[i].what,
		    (long long)c.n);
	return c.n == MOST ? AGAIN_US : REST_US;
}

void
keep(struct engine *e)
{
	for (size_t i = 0; i < KEEPS; i++)
		if (*rows[i].days > 0 && mono_us() >= e->keep_at[i] && engine_db(e))
			e->keep_at[i] = mono_us() + prune(e, i);
}
