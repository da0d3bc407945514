/* SPDX-License-Identifier: ISC */
/* The state of the database's migrations, for doctor and restore; migrate.c draws it. All functions but
 * migrate_newest return EXIT_OK, or a status after a message. */
#ifndef CLI_MIGRATE_H
#define CLI_MIGRATE_H

#include "cli/cli.h"

/* The number of files in dir that were not applied to the database, and the number of the last file. */
int migrate_pending(struct cli *c, const char *dir, int64_t *pending, int64_t *version);
/* Applies all files that were not applied, and prints nothing. */
int migrate_rest(struct cli *c, const char *dir);
/* The number of the last file in dir; false after a message. */
bool migrate_newest(struct cli *c, const char *dir, int64_t *version) MUST_USE;

struct migrate_role {
	struct str name;
	bool login;
};

/* A list of struct migrate_role: the roles that roles.sql creates. */
int migrate_roles(struct cli *c, const char *dir, struct list *out);

#endif
