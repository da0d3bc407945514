/* SPDX-License-Identifier: ISC */
/* PostgreSQL for every program of this project: constant statements, typed parameters, rows through field
 * tables. Only this directory uses libpq.
 *
 * The life of a call. A program opens a struct db once and never connects explicitly:
 *
 *   db_use(db, arena, deadline)          the request begins: memory and time for the calls that follow
 *        |
 *   db_one(db, &statement, &row, P(key)) the call
 *        |
 *        +-- connection alive? -- no --> inside a transaction? -- yes --> DB_DOWN (half of it is lost)
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
 * Prepared statements belong to a connection. A program with forty statements that uses three prepares
 * three. After a reconnect nothing is prepared, and each statement is prepared again when it is next used;
 * no caller notices. When a migration changes the result type of a prepared statement, the server refuses
 * it once (SQLSTATE 0A000): the connection is closed and the next call prepares on a new one.
 *
 * Nothing waits longer than its deadline. Every wait is poll(2) with the time that is left. A statement
 * that is still running at the deadline costs the connection, because a request to cancel it would go to a
 * server that may itself hang; client_connection_check_interval in sql/roles.sql makes the server notice.
 * A program with a loop uses db_guard instead: one failed call, then no call for a while.
 *
 * A transaction never survives its connection. A connection that is lost inside one makes every further
 * call answer DB_DOWN until db_rollback, so no program continues in the middle of something that the server
 * has rolled back. A COMMIT whose answer is lost is DB_DOWN too: the caller must not assume either outcome,
 * and statements are written so that repeating them is harmless (absolute numbers, unique keys).
 *
 * A notification is a hint; polling is the truth. Callers that cache ask db_notified, which is also true
 * after a lost connection, since notifications may have been lost with it.
 */
#ifndef DB_DB_H
#define DB_DB_H

#include "base/registry.h"
#include "json/json.h"

struct db;

enum db_rc {
	DB_OK,
	DB_NONE,     /* no row */
	DB_CONFLICT, /* a constraint, a value the type does not take, or a raised P0001 */
	DB_TIMEOUT,  /* statement_timeout, lock_timeout, a deadlock, or the deadline of db_use */
	DB_DOWN, /* no connection, a lost connection, or a schema that this program does not fit:
			nothing is known to be committed */
};

/* A statement is defined beside its caller. name is the C identifier. out describes the columns in order,
   each named as its field; NULL: the statement returns no rows. The members of an OBJECT are columns.
   Columns may be of the types text, varchar, domains over them, enums, json, jsonb, inet and bytea
   (FIELD_STR), json and jsonb (FIELD_RAW), uuid, timestamptz, int2, int4, int8 and xid8, float4 and
   float8, bool, and arrays of text, uuid, int8 or float8 (LIST_OF). Any other type needs a cast. */
struct stmt {
	const char *name;
	const char *sql;
	const struct field *out;
	size_t size; /* bytes of the struct that a row fills; db_rows needs it */
};

/* Defines a static statement, for db_one and db_do, and enters it in the program's list for -D sql. */
#define STMT(ident, fields, text)                                                                  \
	static const struct stmt ident = { .name = #ident, .out = (fields), .sql = (text) };       \
	REGISTER(stmts, ident)
/* For db_list too: type is the struct that each row fills. */
#define STMT_LIST(ident, type, fields, text)                                                       \
	static const struct stmt ident = {                                                         \
		.name = #ident, .out = (fields), .sql = (text), .size = sizeof(type)               \
	};                                                                                         \
	REGISTER(stmts, ident)
/* Defines a statement that a header declares, because several files run it. */
#define STMT_SHARED(ident, type, fields, text)                                                     \
	const struct stmt ident = {                                                                \
		.name = #ident, .out = (fields), .sql = (text), .size = sizeof(type)               \
	};                                                                                         \
	REGISTER(stmts, ident)

enum param_type {
	PARAM_NULL,
	PARAM_STR,
	PARAM_UUID,
	PARAM_TS,
	PARAM_INT,
	PARAM_NUM,
	PARAM_BOOL,
	PARAM_BYTES,
	PARAM_STRS
};

struct bytes {
	const unsigned char *p;
	size_t n;
};

struct strs { /* text[] */
	const struct str *p;
	size_t n;
};

struct db_param {
	enum param_type type;
	union {
		struct str str;
		struct uuid uuid;
		struct ts ts;
		int64_t i;
		double n;
		bool b;
		struct bytes bytes;
		struct strs strs;
	};
};

struct db_param db_param_str(struct str v); /* p == NULL: SQL NULL; so for TS_NULL */
struct db_param db_param_uuid(struct uuid v);
struct db_param db_param_ts(struct ts v);
struct db_param db_param_int(int64_t v);
struct db_param db_param_num(double v);
struct db_param db_param_bool(bool v);
struct db_param db_param_bytes(struct bytes v);
struct db_param db_param_strs(struct strs v);

/* The parameter's type follows from the expression's C type. */
#define P(v)                                                                                       \
	_Generic((v), struct str                                                                   \
		 : db_param_str, struct uuid                                                       \
		 : db_param_uuid, struct ts                                                        \
		 : db_param_ts, int                                                                \
		 : db_param_int, int64_t                                                           \
		 : db_param_int, double                                                            \
		 : db_param_num, bool                                                              \
		 : db_param_bool, struct bytes                                                     \
		 : db_param_bytes, struct strs                                                     \
		 : db_param_strs)(v)

/* Does not connect: the first call that needs a connection makes it, also after a loss. application is
   shown in pg_stat_activity. Never NULL. */
struct db *db_open(const char *conninfo, const char *application);
void db_close(struct db *db);

/* Sets the arena in which the following calls allocate rows, and the moment (mono_us) after which they give
   up, even when the server hangs. Called at the start of a request. 0: no deadline. */
void db_use(struct db *db, struct arena *a, int64_t deadline);

/* Brings the deadline forward to until, unless it is earlier already. Returns the former deadline, which
   db_relax restores. */
int64_t db_hurry(struct db *db, int64_t until) MUST_USE;
void db_relax(struct db *db, int64_t former);

/* For a loop that continues without the database: a call gives up after call_us, and after a failure
   db_up refuses further calls for rest_us. Used instead of db_use. */
void db_guard(struct db *db, struct arena *a, int64_t call_us, int64_t rest_us);
/* Returns false during the rest after a failure; otherwise gives the next call its time and returns true. */
bool db_up(struct db *db) MUST_USE;
/* Returns whether rc is DB_OK, and logs a failure. A failure of the database, as opposed to a refused value
   (DB_CONFLICT), begins the rest. */
bool db_ok(struct db *db, enum db_rc rc, const char *what);

enum db_rc db_begin(struct db *db) MUST_USE;
enum db_rc db_commit(struct db *db) MUST_USE;
void db_rollback(struct db *db); /* a no-op outside a transaction */

/* Prints each statement of this program on a line for -D sql, sorted by name: the name, a tab, the text. */
void stmts_print(void);
/* The dump function of struct daemon, for programs whose -D knows nothing but sql. */
int stmts_dump(const char *program, const char *what);

struct db_args {
	const struct db_param *p;
	size_t n;
};

#define DB_ARGS(...)                                                                               \
	((struct db_args){ (const struct db_param[]){ __VA_ARGS__ },                               \
	    sizeof((const struct db_param[]){ __VA_ARGS__ }) / sizeof(struct db_param) })
#define DB_NO_ARGS ((struct db_args){ NULL, 0 })

/* Reads the one row into *out. More than one row is a bug of ours and panics. */
enum db_rc db_one_row(
    struct db *db, const struct stmt *st, void *out, struct db_args args) MUST_USE;
/* Reads every row: out->items is an array of st->size-byte structs in the arena. DB_OK also without rows. */
enum db_rc db_rows(
    struct db *db, const struct stmt *st, struct list *out, struct db_args args) MUST_USE;
/* Runs a statement without reading rows. *changed (may be NULL) gets the number of affected rows. */
enum db_rc db_run(
    struct db *db, const struct stmt *st, int64_t *changed, struct db_args args) MUST_USE;

#define db_one(db, st, out, ...) db_one_row((db), (st), (out), DB_ARGS(__VA_ARGS__))
#define db_list(db, st, out, ...) db_rows((db), (st), (out), DB_ARGS(__VA_ARGS__))
#define db_do(db, st, changed, ...) db_run((db), (st), (changed), DB_ARGS(__VA_ARGS__))

/* Runs several statements without parameters or rows: migrations, and set-up before COPY. */
enum db_rc db_script(struct db *db, const char *sql) MUST_USE;
/* The server's message about the last failure: for the log and the CLI, never for a client of the API. */
const char *db_message(const struct db *db);
/* Stops the log lines about statements that the server refuses as wrong (no such table, no right): for a
   program that shows db_message itself. */
void db_quiet(struct db *db);

/* Listens on a channel, on every connection before its first statement. db_notified returns true once after
   a notification on any channel, and once after a lost connection, because a cache that missed a notification
   cannot be trusted. It reads the socket without blocking. */
void db_listen(struct db *db, const char *channel);
bool db_notified(struct db *db);
int db_socket(const struct db *db); /* for poll(2); -1 without a connection */

/* COPY ... FROM STDIN and TO STDOUT, in constant memory. */
enum db_rc db_copy_in_begin(struct db *db, const char *sql) MUST_USE;
enum db_rc db_copy_in(struct db *db, struct str lines) MUST_USE;
enum db_rc db_copy_in_end(struct db *db, int64_t *rows) MUST_USE;
enum db_rc db_copy_out_begin(struct db *db, const char *sql) MUST_USE;
/* DB_NONE at the end. line has no newline and is valid until the next call. Lines are in COPY's text format
   in both directions: tabs and backslashes are escaped. */
enum db_rc db_copy_out(struct db *db, struct str *line) MUST_USE;

#endif
