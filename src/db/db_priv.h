/* SPDX-License-Identifier: ISC */
/* Shared by the files of db/ alone. */
#ifndef DB_DB_PRIV_H
#define DB_DB_PRIV_H

#include "db/db.h"

#include <libpq-fe.h>

enum { DB_STMTS_MAX = 512, DB_CHANNELS_MAX = 8, DB_MESSAGE_MAX = 1024, DB_LABEL_ROOM = 80 };

struct db {
	PGconn *conn; /* NULL: none */
	char *conninfo, *application;
	struct arena *arena;                  /* the caller's */
	int64_t deadline;                     /* mono_us; 0: none */
	int64_t call_us, rest_us, down_until; /* guard.c */
	const struct stmt
	    *prepared[DB_STMTS_MAX]; /* on this connection; the index is in its name */
	size_t nprepared;
	const char *channels[DB_CHANNELS_MAX]; /* constants */
	size_t nchannels;
	int64_t alive_at; /* mono_us: the connection was last seen to be usable */
	bool in_transaction;
	bool lost;  /* a connection was lost since db_notified last returned true */
	bool stale; /* the schema has changed under a prepared statement */
	bool quiet;
	char *copy_line; /* libpq's memory, freed by the next db_copy_out */
	char message[DB_MESSAGE_MAX];
	char sqlstate[6];    /* the server sent the message with it; "": libpq made the message */
	bool probes;         /* this connection examines another one (pooled.c) */
	const char *setting; /* set on each connection; NULL: none */
	struct str setting_value;
};

/* ---- conn.c ---- */

/* Begins a connection; PQconnectPoll performs the further steps. */
void db_begin_connection(struct db *db);
/* Returns DB_OK when there is a connection. Reconnects outside a transaction only. */
enum db_rc db_ensure(struct db *db) MUST_USE;
/* Closes the connection and keeps why (may be NULL) for db_message. Always returns DB_DOWN. */
enum db_rc db_lose(struct db *db, const char *why);
/* Sends queued bytes and waits, within the deadline, until PQgetResult would not block. Returns
   DB_OK, DB_TIMEOUT or DB_DOWN; the connection is closed unless it returns DB_OK. */
enum db_rc db_wait_result(struct db *db) MUST_USE;
/* Waits for poll events on the socket within the deadline. */
enum db_rc db_wait_socket(struct db *db, short events) MUST_USE;
/* Maps a finished result to enum db_rc and keeps the server's message for db_message. */
enum db_rc db_judge(struct db *db, const PGresult *res) MUST_USE;
/* Reads every result of the commands that were sent; returns the first failure. */
enum db_rc db_drain(struct db *db) MUST_USE;

/* ---- pooled.c ---- */

/* Refuses a new connection whose statements run in several sessions of the server. */
enum db_rc db_check_session(struct db *db) MUST_USE;

/* ---- db.c ---- */

/* Writes the server's name for a statement; returns whether it is prepared on this connection. */
bool db_label(const struct db *db, const struct stmt *st, char label[DB_LABEL_ROOM]);
/* Records that a statement is prepared on this connection. */
void db_prepared(struct db *db, const struct stmt *st);

/* ---- param.c ---- */

struct db_values {
	const char **values;
	int *lengths, *formats;
};

/* Converts parameters to libpq's arrays, allocated in the arena. False: a text contains a NUL byte,
   which PostgreSQL cannot store. */
bool db_values(struct arena *a, struct db_args args, struct db_values *out) MUST_USE;

/* ---- row.c ---- */

void db_row(struct arena *a, const PGresult *res, int row, const struct stmt *st, void *out);

#endif
