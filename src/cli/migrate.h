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

#endif
