/* SPDX-License-Identifier: ISC */
/* The statements of db.h without blocking, for programs of daemon/ev.h: one connection, one statement at a
   time, in order. A database that hangs costs its callers their time-out and nobody else anything. */
#ifndef DB_ASYNC_H
#define DB_ASYNC_H

#include "daemon/ev.h"
#include "db/db.h"

struct db_async;

/* rows: n structs of the statement's size, valid until it returns; none unless rc is DB_OK. It may ask
   again. */
typedef void db_done(void *arg, enum db_rc rc, const void *rows, size_t n);

/* Connects when first used, and again by itself while it listens. Never NULL. */
struct db_async *db_async_open(
    struct event_base *base, const char *conninfo, const char *application);
/* What is under way is given up; its done is not called. */
void db_async_close(struct db_async *d);

/* Before the first statement. told also follows every new connection: what was known may be stale. */
void db_async_listen(
    struct db_async *d, const char *channel, void (*told)(void *arg), void *arg);

struct db_ask {
	const struct stmt *st; /* a STMT_LIST, or one without rows */
	int64_t wait_us;       /* then it is DB_TIMEOUT */
	db_done *done;         /* never called before db_async_run has returned */
	void *arg;
};

void db_async_run(struct db_async *d, const struct db_ask *ask, struct db_args args);

#define db_async(d, ask, ...) db_async_run((d), (ask), DB_ARGS(__VA_ARGS__))

#endif
