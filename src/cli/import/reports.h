/* SPDX-License-Identifier: ISC */
/* Stores batches of reports: a transaction for each (resource/report_store.h), so that one bad
   report costs no other. */
#ifndef CLI_IMPORT_REPORTS_H
#define CLI_IMPORT_REPORTS_H

#include "cli/import/store.h"

/* Adds what was committed to *sum. A failure of the database ends it; the same import made again
   stores the rest. */
enum db_rc import_reports(struct db *db, struct arena *a, const struct uuid *account,
    const struct import_batch *b, struct import_sum *sum) MUST_USE;

#endif
