/* SPDX-License-Identifier: ISC */
/* Work that depends on time alone: ends observations whose rule has ended or whose host was not
   seen for 30 days, deletes old rows (detect_keep in sql/functions/detect.sql), and stores the days
   of dashboards that have ended (dashboard_fill in sql/functions/project_dashboard.sql). */
#include "config.h"

#include "base/limits.h"
#include "db/guard.h"
#include "detect/keep.h"

enum { KEEP_US = 1000000, KEEP_ROWS = 1000, DAYS_US = 60000000, RETRY_US = 600000000 };

/* Old notes of secrets are compared with their documents, which takes time and changes little. */
#define SECRETS_US (24 * 3600 * SECOND_US)

struct kept {
	int64_t n;
};

static const struct field kept_out[] = {
	FIELD(struct kept, n, 0),
	FIELD_END,
};

struct kept_until {
	struct str place;
};

static const struct field kept_until_out[] = {
	FIELD(struct kept_until, place, NULLABLE),
	FIELD_END,
};

STMT(keep_rows, kept_out, "SELECT detect_keep($1) AS n");
STMT(untag_documents, kept_out, "SELECT detect_untag($1) AS n");
STMT(keep_secret_rows, kept_until_out, "SELECT secret_keep($1, $2) AS place");
STMT(retry_rules, kept_out, "SELECT detect_retry($1) AS n");
STMT(keep_days, kept_out, "SELECT dashboard_fill(1) AS n");

bool
keep_observations(struct detect *x)
{
	const int64_t most = KEEP_ROWS;
	struct kept k;

	if (!mono_due(&x->keep_at, KEEP_US) || !db_up(x->db) ||
	    !db_ok(x->db, db_one(x->db, &keep_rows, &k, P(most)), "keep"))
		return false;
	if (k.n >= most)
		x->keep_at = 0;
	return k.n >= most;
}

bool
keep_tags(struct detect *x)
{
	const int64_t most = KEEP_ROWS;
	struct kept k;

	if (!x->untags || !db_up(x->db) ||
	    !db_ok(x->db, db_one(x->db, &untag_documents, &k, P(most)), "untag"))
		return false;
	x->untags = k.n >= most;
	return x->untags;
}

bool
keep_secrets(struct detect *x)
{
	const int64_t most = KEEP_ROWS;
	struct str after = str_of(x->secrets_after);
	struct kept_until k = { .place = STR_NULL };

	if (!mono_due(&x->secrets_at, SECRETS_US) || !db_up(x->db) ||
	    !db_ok(x->db, db_one(x->db, &keep_secret_rows, &k, P(after), P(most)), "secrets"))
		return false;
	if (k.place.n >= sizeof(x->secrets_after))
		k.place = STR_NULL; /* the subjects of imports are shorter */
	memcpy(x->secrets_after, k.place.p == NULL ? "" : k.place.p, k.place.n);
	x->secrets_after[k.place.n] = '\0';
	if (k.place.p != NULL)
		x->secrets_at = 0;
	return k.place.p != NULL;
}

void
retry_failed_rules(struct detect *x)
{
	const int64_t hours = LIM_RULE_RETRY_HOURS;
	struct kept k;

	if (mono_due(&x->retry_at, RETRY_US) && db_up(x->db) &&
	    db_ok(x->db, db_one(x->db, &retry_rules, &k, P(hours)), "retry") && k.n > 0)
		x->load_at = 0; /* in memory they have failed */
}

/* One project at a time, since the first days of a large one take seconds. */
bool
keep_dashboards(struct detect *x)
{
	struct kept k;

	if (!mono_due(&x->days_at, DAYS_US) || !db_up(x->db) ||
	    !db_ok(x->db, db_one_row(x->db, &keep_days, &k, DB_NO_ARGS), "days"))
		return false;
	if (k.n > 0)
		x->days_at = 0;
	return k.n > 0;
}
