/* SPDX-License-Identifier: ISC */
/* For a loop that continues without the database. A request waits for its deadline and ends; a loop
 * that waited so in each turn would do nothing else while the database is away.
 *
 *   db_up: true --> calls, each with call_us --> db_ok: a failure --> the rest begins
 *     ^                                                                  |
 *     +------------------------ after rest_us -- db_up: false <---------+
 */
#ifndef DB_GUARD_H
#define DB_GUARD_H

#include "db/db.h"

/* For a loop that continues without the database: a call gives up after call_us, and after a
   failure db_up refuses further calls for rest_us. Used instead of db_use. */
void db_guard(struct db *db, struct arena *a, int64_t call_us, int64_t rest_us);
/* Returns false during the rest after a failure; otherwise gives the next call its time and returns
   true. */
bool db_up(struct db *db) MUST_USE;
/* Gives the next call its time even during the rest: for the call that repairs what a failed one
   left. */
void db_allow_call(struct db *db);
/* Returns whether rc is DB_OK, and logs a failure. A failure of the database, as opposed to a
   refused value (DB_CONFLICT), begins the rest. */
bool db_ok(struct db *db, enum db_rc rc, const char *what);

#endif
