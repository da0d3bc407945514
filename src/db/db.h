/* SPDX-License-Identifier: ISC */
/* PostgreSQL for every program of this project: constant statements, typed parameters, rows through
 * field tables. Only this directory uses libpq.
 *
 * The life of a call. A program opens a struct db once and never connects explicitly:
 *
 *   db_use(db, arena, deadline)          the request begins: memory and time for its calls
 *        |
 *   db_one(db, &statement, &row, P(key)) the call
 *        |
 *        +-- connection alive? -- no --> inside a transaction? -- yes --> DB_DOWN (half is lost)
 *        |                                    | no
 *        |                                    v
 *        |                               connect, LISTEN on every channel
 *        +-- statement prepared on this connection? -- no --> PREPARE
 *        |
 *        +-- execute; poll(2) the socket until the result is complete or the deadline has passed
 *        |
 *        +-- decode the row by the statement's field table; texts point into libpq's result,
 *            which the arena frees when the request ends
 *
 * Three decisions carry the rest:
 *
 * Prepared statements belong to a connection. A program with forty statements that uses three
 * prepares three. After a reconnect nothing is prepared, and each statement is prepared again when
 * it is next used; no caller notices. When a migration changes the result type of a prepared
 * statement, the server refuses it once (SQLSTATE 0A000): that call returns DB_DOWN, the connection
 * is closed and the next call prepares on a new one.
 *
 * Nothing waits longer than its deadline. Every wait is poll(2) with the time that is left. A
 * statement that is still running at the deadline costs the connection and returns DB_TIMEOUT; the
 * next call reconnects. It is not cancelled, because that request would go to a server that may
 * itself hang; client_connection_check_interval in sql/roles.sql makes the server notice. The
 * deadline comes from one of three:
 *
 *   a request       db_use     one deadline for all calls of the request
 *   a loop          db_guard   call_us for each call. After a failed call, db_up allows none for
 *                   (guard.h)  rest_us, so that a dead database does not cost every turn of the
 *                              loop call_us
 *   an event loop   async.h    one deadline for each call. If a connection cannot be made, all
 *                              queued calls return DB_DOWN at once; if it is lost later, only the
 *                              call under way does, and the others wait for the next connection
 *                              until their deadlines (DB_TIMEOUT)
 *
 * A transaction never survives its connection. A connection that is lost inside one makes every
 * further call answer DB_DOWN until db_rollback or db_commit, so no program continues in the middle
 * of something that the server has rolled back. A COMMIT whose answer is lost is DB_DOWN or
 * DB_TIMEOUT too: the caller must not assume either outcome, and statements are written so that
 * repeating them is harmless (absolute numbers, unique keys). db_commit after a failed statement
 * rolls back and returns DB_CONFLICT: the server would answer that COMMIT with success.
 *
 * Errors have three meanings. DB_CONFLICT: the data is at fault (SQLSTATE 22, 23, P0001).
 * DB_TIMEOUT: try again (the deadline, statement_timeout, lock_timeout, a deadlock). DB_DOWN:
 * nothing is known, after a lost connection and after every other error, such as a missing table or
 * right, which is logged.
 *
 * A row that does not fit its field table is a bug of ours: a column of another name, another type
 * or another number of columns ends the process (panic). Names of columns inside an OBJECT are not
 * compared. NULL becomes the unset value; integers, numbers and booleans have none and become 0 or
 * false.
 *
 * A notification is a hint; polling is the truth. Callers that cache ask db_notified, which is also
 * true after a lost connection, since notifications may have been lost with it.
 */
#ifndef DB_DB_H
#define DB_DB_H

#include "db/param.h"
#include "db/stmt.h"

struct db;

enum db_rc {
	DB_OK,
	DB_NONE,     /* no row */
	DB_CONFLICT, /* a constraint, a value the type does not take, or a raised P0001 */
	DB_TIMEOUT,  /* statement_timeout, lock_timeout, a deadlock, or the deadline of db_use */
	DB_DOWN, /* no connection, a lost connection, or a schema that this program does not fit:
			nothing is known to be committed */
};

/* Does not connect: the first call that needs a connection makes it, also after a loss. application
   is shown in pg_stat_activity. Never NULL. */
struct db *db_open(const char *conninfo, const char *application);
void db_close(struct db *db);

/* Sets the arena in which the following calls allocate rows, and the moment (mono_us) after which
   they give up, even when the server hangs. Called at the start of a request. 0: no deadline. */
void db_use(struct db *db, struct arena *a, int64_t deadline);

/* Brings the deadline forward to until, unless it is earlier already. Returns the former deadline,
   which db_relax restores. */
int64_t db_hurry(struct db *db, int64_t until) MUST_USE;
void db_relax(struct db *db, int64_t former);

enum db_rc db_begin(struct db *db) MUST_USE;
enum db_rc db_commit(struct db *db) MUST_USE;
void db_rollback(struct db *db); /* a no-op outside a transaction */

/* Reads the one row into *out. More than one row is a bug of ours and panics. */
enum db_rc db_one_row(
    struct db *db, const struct stmt *st, void *out, struct db_args args) MUST_USE;
/* Reads every row: out->items is an array of st->size-byte structs in the arena. DB_OK also without
   rows. */
enum db_rc db_rows(
    struct db *db, const struct stmt *st, struct list *out, struct db_args args) MUST_USE;
/* Runs a statement without reading rows. *changed (may be NULL) gets the number of affected
   rows. */
enum db_rc db_run(
    struct db *db, const struct stmt *st, int64_t *changed, struct db_args args) MUST_USE;

#define db_one(db, st, out, ...) db_one_row((db), (st), (out), DB_ARGS(__VA_ARGS__))
#define db_list(db, st, out, ...) db_rows((db), (st), (out), DB_ARGS(__VA_ARGS__))
#define db_do(db, st, changed, ...) db_run((db), (st), (changed), DB_ARGS(__VA_ARGS__))

/* Runs several statements without parameters or rows: migrations, and set-up before COPY. */
enum db_rc db_script(struct db *db, const char *sql) MUST_USE;
/* The server's message about the last failure: for the log and the CLI, never for a client of the
   API. */
const char *db_message(const struct db *db);
/* Whether that failure means that the database does not have what this program expects, or that the
   role has no right to it. */
bool db_misfits(const struct db *db);
/* Stops the log lines about statements that the server refuses as wrong (no such table, no right):
   for a program that shows db_message itself. */
void db_quiet(struct db *db);

/* Listens on a channel, on every connection before its first statement. db_notified returns true
   once after a notification on any channel, and once after a lost connection, because a cache that
   missed a notification cannot be trusted. It reads the socket without blocking. */
void db_listen(struct db *db, const char *channel);
bool db_notified(struct db *db);
int db_socket(const struct db *db); /* for poll(2); -1 without a connection */
/* A setting that each connection of db gets with set_config. The texts must stay. */
void db_setting(struct db *db, const char *name, struct str value);

#endif
