/* SPDX-License-Identifier: ISC */
/* PostgreSQL: constant statements, prepared on first use of a connection and again after a
   reconnect, parameters by type, rows through field tables. Only this directory uses libpq. */
#ifndef DB_DB_H
#define DB_DB_H

#include "json/json.h"

struct db;

enum db_rc {
	DB_OK,
	DB_NONE,     /* no row */
	DB_CONFLICT, /* a constraint, a value the type does not take, or a raised P0001 */
	DB_TIMEOUT, /* statement_timeout, lock_timeout, a deadlock, or the deadline of db_use */
	DB_DOWN, /* no connection, it was lost, or the database is not as this program needs it:
			nothing is known to be committed */
};

/* A statement beside its only caller. The name is the C identifier; out describes the columns in
   order (NULL: no rows), each named as its field; the members of an OBJECT are columns of their own.
   Columns may be of the types text, varchar, domains over them, enums, json, jsonb, inet and bytea
   (FIELD_STR), json and jsonb (FIELD_RAW), uuid, timestamptz, int2, int4, int8 and xid8, float4 and
   float8, bool, and arrays of text, uuid, int8 or float8 (LIST_OF): anything else wants a cast. */
struct stmt {
	const char *name;
	const char *sql;
	const struct field *out;
	size_t size; /* of the struct a row fills: db_rows needs it */
};

/* For db_one and db_do. */
#define STMT(ident, fields, text)                                                        \
	{                                                                                \
		.name = #ident, .out = (fields), .sql = (text)                           \
	}
/* For db_list too, and for who makes room for a row by .size: a struct of this type. */
#define STMT_LIST(ident, type, fields, text)                                             \
	{                                                                                \
		.name = #ident, .out = (fields), .sql = (text), .size = sizeof(type)     \
	}

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
#define P(v)                                                                             \
	_Generic((v), struct str                                                         \
		 : db_param_str, struct uuid                                             \
		 : db_param_uuid, struct ts                                              \
		 : db_param_ts, int                                                      \
		 : db_param_int, int64_t                                                 \
		 : db_param_int, double                                                  \
		 : db_param_num, bool                                                    \
		 : db_param_bool, struct bytes                                           \
		 : db_param_bytes, struct strs                                           \
		 : db_param_strs)(v)

/* Does not connect yet; the connection is made, and made again after a loss, by the first call that
   needs it. application is shown in pg_stat_activity. Never NULL. */
struct db *db_open(const char *conninfo, const char *application);
void db_close(struct db *db);

/* What the following calls allocate rows in, and the moment (mono_us) after which they give up, even
   if the server hangs: set at the start of a request. 0: no deadline. */
void db_use(struct db *db, struct arena *a, int64_t deadline);

/* From here on calls give up at until, where that is earlier; the former moment is returned, for
   db_relax. */
int64_t db_hurry(struct db *db, int64_t until) MUST_USE;
void db_relax(struct db *db, int64_t former);

/* For a loop, which goes on without the database: a call gives up after call_us, and after a failure
   there is none for rest_us. Instead of db_use. */
void db_guard(struct db *db, struct arena *a, int64_t call_us, int64_t rest_us);
/* False, without a call, while it has just failed; otherwise the next call has its time. */
bool db_up(struct db *db) MUST_USE;
/* True when rc is DB_OK. Logs a failure; one of the database, not of what was said to it, is followed by
   a rest. */
bool db_ok(struct db *db, enum db_rc rc, const char *what);

enum db_rc db_begin(struct db *db) MUST_USE;
enum db_rc db_commit(struct db *db) MUST_USE;
void db_rollback(struct db *db); /* a no-op outside a transaction */

/* What -D sql prints: a line each, the name and, after a tab, the text. */
void stmts_print(const struct stmt *const *const *tables);
/* For struct daemon's dump where that is all there is. */
int stmts_dump(
    const char *program, const char *what, const struct stmt *const *const *tables);

struct db_args {
	const struct db_param *p;
	size_t n;
};

#define DB_ARGS(...)                                                                     \
	((struct db_args){ (const struct db_param[]){ __VA_ARGS__ },                     \
	    sizeof((const struct db_param[]){ __VA_ARGS__ }) /                           \
		sizeof(struct db_param) })
#define DB_NO_ARGS ((struct db_args){ NULL, 0 })

/* The first row into *out. More than one row is our bug. */
enum db_rc db_one_row(
    struct db *db, const struct stmt *st, void *out, struct db_args args) MUST_USE;
/* Every row: out->items is an array of st->size-byte structs in the arena. DB_OK also for none. */
enum db_rc db_rows(
    struct db *db, const struct stmt *st, struct list *out, struct db_args args) MUST_USE;
/* No rows wanted; *changed (may be NULL) gets the number of rows affected. */
enum db_rc db_run(
    struct db *db, const struct stmt *st, int64_t *changed, struct db_args args) MUST_USE;

#define db_one(db, st, out, ...) db_one_row((db), (st), (out), DB_ARGS(__VA_ARGS__))
#define db_list(db, st, out, ...) db_rows((db), (st), (out), DB_ARGS(__VA_ARGS__))
#define db_do(db, st, changed, ...) db_run((db), (st), (changed), DB_ARGS(__VA_ARGS__))

/* Several statements without parameters or rows: migrations and COPY set-up. */
enum db_rc db_script(struct db *db, const char *sql) MUST_USE;
/* What the server said of the last failure: for the log and the CLI, never for a client. */
const char *db_message(const struct db *db);
/* A statement that the database refuses as wrong (no such table, no right) is logged, unless the program
   shows db_message itself. */
void db_quiet(struct db *db);

/* LISTEN on a channel; after every (re)connect again. db_notified is true, once, when something was
   notified on any channel, or the connection was lost since the last call; it reads the socket
   without blocking. A lost connection is a notification: what was cached cannot be trusted. The
   channels are listened to before the first statement of a connection runs. */
void db_listen(struct db *db, const char *channel);
bool db_notified(struct db *db);
int db_socket(const struct db *db); /* to poll on; -1 without a connection */

/* COPY ... FROM STDIN and TO STDOUT, in constant memory. */
enum db_rc db_copy_in_begin(struct db *db, const char *sql) MUST_USE;
enum db_rc db_copy_in(struct db *db, struct str lines) MUST_USE;
enum db_rc db_copy_in_end(struct db *db, int64_t *rows) MUST_USE;
enum db_rc db_copy_out_begin(struct db *db, const char *sql) MUST_USE;
/* DB_NONE at the end. line is valid until the next call and comes without its newline; both ways it
   is COPY's text format, tabs and backslashes escaped. */
enum db_rc db_copy_out(struct db *db, struct str *line) MUST_USE;

#endif
