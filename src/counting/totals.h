/* SPDX-License-Identifier: ISC */
/* What a process counts for the installation, which the database adds up (metric_add). They are for people:
   what a process that is killed has not told yet is lost. */
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
	uint64_t counted[TOTALS], told[TOTALS];
	int64_t tell_at; /* mono_us */
};

void totals_add(struct totals *t, enum total which, uint64_t n);
/* True every few seconds, when there is something: what metric_add is to be told. totals_told follows. */
bool totals_tell(
    struct totals *t, struct arena *a, struct strs *series, struct strs *steps) MUST_USE;
/* What it did not hear is told again. */
void totals_told(struct totals *t, enum db_rc rc);

#endif
