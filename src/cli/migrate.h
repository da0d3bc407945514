/* SPDX-License-Identifier: ISC */
/* The migration of a database, for doctor and restore; migrate.c draws it. Both functions return
 * EXIT_OK, or a status after a message. */
#ifndef CLI_MIGRATE_H
#define CLI_MIGRATE_H

#include "cli/cli.h"

/* The number of files in dir that were not applied to the database, and the last file's number. */
int migrate_pending(struct cli *c, const char *dir, int64_t *pending, int64_t *version);
/* Applies all files that were not applied, and prints nothing. */
int migrate_rest(struct cli *c, const char *dir);

/* Makes the rows of reports that have a document in record alone, as the earlier release wrote it:
   a transaction a report. surfacectl migrate calls it; it may run again. *adopted: how many. */
enum db_rc report_adopt(struct db *db, struct arena *a, int64_t *adopted) MUST_USE;

/* migrate_reports.c: makes the rows of reports of the earlier release. */
int migrate_reports(struct cli *c);

#endif
