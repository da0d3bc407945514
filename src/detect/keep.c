/* SPDX-License-Identifier: ISC */
/* Observations that end without a change of their records: their rule has ended, or nobody has seen the host for 30 days. And
   the end of old rows (detect_keep in sql/functions/detect.sql). */
#include "config.h"

#include "db/guard.h"
#include "detect/detect.h"

enum { KEEP_US = 1000000, KEEP_ROWS = 1000 };

struct kept {
	int64_t n;
};

static const struct field kept_out[] = {
	FIELD(struct kept, n, 0),
	FIELD_END,
};

STMT(keep_rows, kept_out, "SELECT detect_keep($1) AS n");

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
