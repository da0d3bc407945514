/* SPDX-License-Identifier: ISC */
/* The indexes of DIR/indexes.sql: those of tables that may be long. surfacectl migrate builds each
 * that is missing after its transaction, so that programs write while an index is built:
 *
 *   the index        migrate                             --check and doctor
 *   missing          CREATE INDEX CONCURRENTLY           missing
 *   invalid          DROP INDEX CONCURRENTLY, CREATE     missing: an interruption left it behind
 *   valid            nothing                             nothing
 *
 * A directory without the file has no such indexes. Each function returns EXIT_OK, or a status
 * after a message. */
#ifndef CLI_MIGRATE_INDEXES_H
#define CLI_MIGRATE_INDEXES_H

#include "cli/cli.h"

int migrate_indexes(struct cli *c, const char *dir);
/* The names of those that are missing or invalid, with commas between them; without pointer:
   none. */
int migrate_indexes_missing(struct cli *c, const char *dir, struct str *names);

#endif
