/* SPDX-License-Identifier: ISC */
/* Counts for the whole installation: a process counts in memory and adds its steps to the database
   every few seconds (metric_add). They are for monitoring only: steps that a killed process has not
   sent yet are lost.

     totals_add ... totals_take --> SELECT metric_add(series, steps) --> totals_sent(rc) */
#ifndef COUNTING_TOTALS_H
#define COUNTING_TOTALS_H

#include "db/db.h"

enum total {
#define TOTAL(id, series) TOTAL_##id,
#include "tbl/totals.h"
#undef TOTAL
	TOTALS,
};

struct totals {
	uint64_t counted[TOTALS]; /* steps that the database does not have */
	uint64_t sent[TOTALS];    /* the part of them that the call under way contains */
	int64_t send_at;          /* mono_us */
};

void totals_add(struct totals *t, enum total which, uint64_t n);
/* Returns true every few seconds, when there is something to send, with the arguments of
   metric_add. The caller passes the result of that call to totals_sent before it asks again. */
bool totals_take(
    struct totals *t, struct arena *a, struct strs *series, struct strs *steps) MUST_USE;
/* Forgets the steps that were sent if rc is DB_OK; otherwise they are sent again. */
void totals_sent(struct totals *t, enum db_rc rc);

#endif
