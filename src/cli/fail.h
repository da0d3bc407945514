/* SPDX-License-Identifier: ISC */
/* Messages of failures of surfacectl, and its exit statuses. */
#ifndef CLI_FAIL_H
#define CLI_FAIL_H

#include "db/db.h"

struct cli;

enum cli_exit {
	EXIT_OK = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_NOT_FOUND = 3,
	EXIT_NO_DATABASE = 4,
};

/* A message on stderr, "surfacectl: ...", and the status to return. */
int cli_fail(enum cli_exit status, const char *fmt, ...) PRINTF(2, 3);
/* Whether cli_fail has printed a message. */
bool cli_has_failed(void);
/* Appends the messages of cli_fail to a buffer instead of printing them; NULL: prints them
   again. */
void cli_catch(struct buf *into);
int cli_usage(const struct cli *c, const char *fmt, ...) PRINTF(2, 3);
/* Prints the database's message and returns the status for rc: EXIT_NOT_FOUND for DB_NONE,
   EXIT_NO_DATABASE for a database that cannot be reached or takes too long. */
int cli_fail_db(const struct cli *c, enum db_rc rc, const char *what);

#endif
