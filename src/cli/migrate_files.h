/* SPDX-License-Identifier: ISC */
/* The directory of sql files that surfacectl migrate applies, and its comparison with the list of
 * applied files in the database. Nothing here sends a statement: migrate.c applies the files, and
 * doctor and restore read the roles and the last number.
 *
 *   DIR/roles.sql               --> struct migrate_role: its rows ('surfaced_api', 'LOGIN')
 *   DIR/0001-accounts.sql       --> files.p[0] = { version 1, name "0001-accounts", text, sha256 }
 *   DIR/0002-people.sql         --> files.p[1]
 *   DIR/functions/triggers.sql  --> files.functions[0] ...
 *                                   files.sha256: of the lines "NAME SHA256" of all functions
 *
 * The list of applied files is the table schema_migration. It must be the beginning of the
 * directory, with the same sums, because the schema of the database is unknown otherwise:
 *
 *   schema_migration    directory              verdict of migrate_files_check
 *   1 2 3               1 2 3 4 5              good: 4 and 5 are pending
 *   1 2 3               1 2                    the program is older, or a file is missing
 *   1 2 3               1 2' 3                 2 has changed since it was applied (a comment, too)
 *   1 2 3               1 other-2 3            a program with other files made the database
 *
 * The functions are compared by one sum, because all of them are applied when one differs.
 *
 * roles.sql is the only list of the roles. doctor and --check need the list without the right to
 * execute the file, so migrate_roles searches its text for rows of the form above. */
#ifndef CLI_MIGRATE_FILES_H
#define CLI_MIGRATE_FILES_H

#include "cli/cli.h"

enum { MIGRATE_HEX_LEN = 64 };

struct migrate_file {
	int64_t version; /* 0: a file of functions */
	struct str name; /* 0001-accounts */
	struct str text; /* NUL-terminated */
	char sha256[MIGRATE_HEX_LEN + 1];
};

struct migrate_files {
	struct migrate_file *p; /* the numbered ones, in order */
	int n;
	struct migrate_file *functions; /* in dir/functions, in the order of their names */
	int n_functions;
	char sha256[MIGRATE_HEX_LEN + 1]; /* hash of all function files */
};

/* A row of schema_migration. */
struct migrate_applied {
	int64_t version;
	struct str name, sha256;
};

/* Reads the numbered files and the functions; false after a message. */
bool migrate_files_read(struct arena *a, const char *dir, struct migrate_files *out) MUST_USE;
/* The number of the last file; 0: there is none. */
int64_t migrate_files_last(const struct migrate_files *f);
/* Finds the number of the last file of a directory that was not read; false after a message. */
bool migrate_newest(struct arena *a, const char *dir, int64_t *version) MUST_USE;

/* Whether the applied files, a list of struct migrate_applied in order, are the first files of the
   directory, unchanged; false after a message. */
bool migrate_files_check(
    const char *dir, const struct migrate_files *f, const struct list *applied) MUST_USE;

struct migrate_role {
	struct str name;
	bool login;
};

/* The text of roles.sql, NUL-terminated; STR_NULL after a message. */
struct str migrate_roles_text(struct arena *a, const char *dir);
/* A list of struct migrate_role: the roles that roles.sql creates; false after a message. */
bool migrate_roles(struct arena *a, const char *dir, struct list *out) MUST_USE;

/* In the message about a database to which files were applied that this release does not have yet.
   The programs of the release before run with it, since an upgrade applies the files first. */
#define MIGRATE_LATER "the schema of a later release"

#endif
