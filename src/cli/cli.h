/* SPDX-License-Identifier: ISC */
/* surfacectl(8): one command is one file and one row of main.c's table. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "core/core.h"

enum cli_exit {
	EXIT_OK = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_NOT_FOUND = 3,
	EXIT_NO_DATABASE = 4,
};

struct cli {
	struct db *db;	     /* of the configuration or --database; connects when first used */
	struct arena *arena; /* for the whole run */
	bool json;	     /* --json: one JSON object on stdout instead of text */
	struct str actor;    /* "os:NAME", for the audit */
	const char *path;    /* "surfacectl keys create": what usage messages begin with */
};

/* run gets argv[0] = the command's name, as getopt_long wants it, and returns an exit status. A row
   with sub has no run: its first argument selects a row of sub. */
struct command {
	const char *name;
	const char *arguments; /* "--account UUID NAME": of the usage line */
	const char *help;
	int (*run)(struct cli *c, int argc, char **argv);
	const struct command *sub; /* ends with a row without name */
};

/* A message on stderr, "surfacectl: ...", and the status to return. */
int cli_fail(enum cli_exit status, const char *fmt, ...) PRINTF(2, 3);
int cli_usage(const struct cli *c, const char *fmt, ...) PRINTF(2, 3);
/* Says what the database said; DB_DOWN is EXIT_NO_DATABASE, DB_NONE EXIT_NOT_FOUND. */
int cli_fail_db(const struct cli *c, enum db_rc rc, const char *what);

extern const struct command import_command;

#endif
