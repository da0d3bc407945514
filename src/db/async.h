/* SPDX-License-Identifier: ISC */
/* The statements of db.h for an event loop, without blocking: one connection, one statement at a
   time, in the order of the calls. While the database hangs, its callers get DB_TIMEOUT and the
   loop serves all other events. */
#ifndef DB_ASYNC_H
#define DB_ASYNC_H

#include "daemon/ev.h"
#include "db/db.h"

struct db_async;

/* Receives the result. rows: n structs of the statement's size, valid until this function returns;
   n is 0 unless rc is DB_OK. The function may call db_async_run again. */
typedef void db_done(void *arg, enum db_rc rc, const void *rows, size_t n);

/* Connects when first used, and by itself after a loss while it listens on a channel. Never
   NULL. */
struct db_async *db_async_open(
    struct event_base *base, const char *conninfo, const char *application);
/* Abandons the calls under way without calling their done functions. */
void db_async_close(struct db_async *d);

/* Must precede the first statement. on_notification is called for each notification, and after
   every new connection, because notifications may have been lost with the former one. */
void db_async_listen(
    struct db_async *d, const char *channel, void (*on_notification)(void *arg), void *arg);

struct db_ask {
	const struct stmt *st; /* a STMT_LIST, or a statement without rows */
	int64_t wait_us;       /* time until the call is answered with DB_TIMEOUT */
	db_done *done;         /* never called before db_async_run has returned */
	void *arg;
};

void db_async_run(struct db_async *d, const struct db_ask *ask, struct db_args args);

#define db_async(d, ask, ...) db_async_run((d), (ask), DB_ARGS(__VA_ARGS__))

#endif
