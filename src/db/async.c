/* SPDX-License-Identifier: ISC */
/* The non-blocking half of db.h: a queue of calls and one connection, driven by libevent.
 *
 *   APART --> CONNECTING --> LISTENING --> IDLE <--> PREPARING --> RUNNING
 *     ^            |              |          ^                        |
 *     |            v              v          +------------------------+
 *     +------ lose_connection -----+-----------------------------------+
 *
 * The first call of the queue is the one on the connection in PREPARING and RUNNING. When a
 * connection cannot be made, every queued call is answered with DB_DOWN at once; when it is lost
 * later, only the call under way is, and the others continue on the next connection. Time-outs are
 * checked every TICK_MS. */
#include "config.h"

#include "db/async.h"
#include "db/db_priv.h"

#include <sys/queue.h>

enum {
	CALL_MEMORY = 64 * 1024 * 1024,
	TICK_MS = 100,
	CONNECT_US = 5000000,
	PAUSE_MIN_US = 50000, /* pause after a failed connection; doubled up to the maximum */
	PAUSE_MAX_US = 1000000,
};

/* One queued statement. */
struct call {
	STAILQ_ENTRY(call) next;
	struct arena *arena;
	struct db_ask ask;
	struct db_values values;
	size_t nvalues;
	int64_t deadline;
	PGresult *result;
	enum db_rc rc;
};

enum stage { APART, CONNECTING, LISTENING, IDLE, PREPARING, RUNNING };

struct db_async {
	struct db db; /* none of its blocking functions is called */
	struct event_base *base;
	struct event *event; /* on the connection's socket; NULL: none */
	struct event *tick, *wake;
	enum stage stage;
	STAILQ_HEAD(, call) calls;
	int64_t since; /* mono_us: when CONNECTING or LISTENING began */
	int64_t pause, not_before;
	void (*on_notification)(void *arg);
	void *on_notification_arg;
};

static void advance_connection(struct db_async *d);

/* ---- calls ---- */

static void
call_free(struct call *c)
{
	struct arena *a = c->arena;

	if (c->result != NULL)
		PQclear(c->result);
	arena_free(a); /* the call itself is in it */
}

/* Gives a call, already removed from the queue, its result, and frees it. */
static void
answer_call(struct call *c, enum db_rc rc)
{
	const struct stmt *st = c->ask.st;
	char *rows = NULL;
	size_t n = 0;

	if (rc == DB_OK && st->out != NULL) {
		n = (size_t)PQntuples(c->result);
		rows = arena_array(c->arena, n, st->size);
		for (size_t i = 0; i < n; i++)
			db_row(c->arena, c->result, (int)i, st, rows + i * st->size);
	}
	c->ask.done(c->ask.arg, rc, rows, n);
	call_free(c);
}

static void
answer_first_call(struct db_async *d, enum db_rc rc)
{
	struct call *c = STAILQ_FIRST(&d->calls);

	STAILQ_REMOVE_HEAD(&d->calls, next);
	answer_call(c, rc);
}

/* ---- the connection ---- */

static void
on_database_socket(int fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	advance_connection(arg);
}

/* libpq may have another socket after each step of its handshake. */
static void
watch_socket(struct db_async *d, short what)
{
	if (d->event != NULL) {
		event_free(d->event);
		d->event = NULL;
	}
	if (what == 0)
		return;
	d->event = event_new(
	    d->base, PQsocket(d->db.conn), (short)(what | EV_PERSIST), on_database_socket, d);
	if (d->event == NULL || event_add(d->event, NULL) != 0)
		panic("event_add failed for the database connection");
}

/* Closes the connection and answers the calls that cannot go on:
 *
 *   lost while it was being made    every queued call: DB_DOWN at once, for the database is away
 *   lost later                      the call under way: DB_DOWN; whether it took effect is unknown
 *                                   the others stay, and run on the next connection
 *
 * A done function may queue new calls, which must not be answered with the old ones: the failed
 * calls are moved to a list of their own first. The pause before the next connection doubles
 * with each failure in a row, so that a hundred processes do not storm a server that starts. */
static void
lose_connection(struct db_async *d, const char *why)
{
	bool under_way = d->stage == PREPARING || d->stage == RUNNING;
	bool unmade = d->stage == CONNECTING || d->stage == LISTENING;
	STAILQ_HEAD(, call) failed = STAILQ_HEAD_INITIALIZER(failed);

	watch_socket(d, 0);
	(void)db_lose(&d->db, why);
	d->stage = APART;
	d->pause = !unmade ? PAUSE_MIN_US : d->pause * 2;
	if (d->pause > PAUSE_MAX_US)
		d->pause = PAUSE_MAX_US;
	d->not_before = mono_us() + d->pause;
	if (unmade)
		log_event(LOGP_WARNING, "database", "why=\"%s\"", db_message(&d->db));
	if (under_way)
		answer_first_call(d, DB_DOWN);
	if (!unmade)
		return;
	STAILQ_CONCAT(&failed, &d->calls); /* a done function may queue new calls */
	while (!STAILQ_EMPTY(&failed)) {
		struct call *c = STAILQ_FIRST(&failed);

		STAILQ_REMOVE_HEAD(&failed, next);
		answer_call(c, DB_DOWN);
	}
}

static void
open_connection(struct db_async *d)
{
	d->stage = CONNECTING;
	d->since = mono_us();
	db_begin_connection(&d->db);
	if (PQstatus(d->db.conn) == CONNECTION_BAD)
		lose_connection(d, PQerrorMessage(d->db.conn));
	else
		watch_socket(d, EV_WRITE);
}

/* Sends what the socket accepts; the rest follows when it is writable. False: the connection is
   lost. */
static bool
send_queued(struct db_async *d)
{
	int unsent = PQflush(d->db.conn);

	if (unsent < 0) {
		lose_connection(d, PQerrorMessage(d->db.conn));
		return false;
	}
	watch_socket(d, unsent > 0 ? EV_READ | EV_WRITE : EV_READ);
	return true;
}

static void
start_listening(struct db_async *d)
{
	char text[DB_CHANNELS_MAX * 80] = "";
	size_t n = 0;

	d->stage = LISTENING;
	for (size_t i = 0; i < d->db.nchannels; i++)
		n += (size_t)snprintf(
		    text + n, sizeof(text) - n, "LISTEN %.60s;", d->db.channels[i]);
	if (PQsetnonblocking(d->db.conn, 1) != 0 || !PQsendQuery(d->db.conn, text))
		lose_connection(d, PQerrorMessage(d->db.conn));
	else
		(void)send_queued(d);
}

static void
shake_hands(struct db_async *d)
{
	watch_socket(d, 0); /* before libpq closes the socket it has */
	switch (PQconnectPoll(d->db.conn)) {
	case PGRES_POLLING_READING:
		watch_socket(d, EV_READ);
		return;
	case PGRES_POLLING_WRITING:
		watch_socket(d, EV_WRITE);
		return;
	case PGRES_POLLING_OK:
		start_listening(d);
		return;
	case PGRES_POLLING_FAILED:
	case PGRES_POLLING_ACTIVE:
		break;
	}
	lose_connection(d, PQerrorMessage(d->db.conn));
}

/* ---- statements ---- */

static void
send_first_call(struct db_async *d)
{
	struct call *c = STAILQ_FIRST(&d->calls);
	char label[DB_LABEL_ROOM];
	bool known = db_label(&d->db, c->ask.st, label), sent;

	d->stage = known ? RUNNING : PREPARING;
	sent = known ? PQsendQueryPrepared(d->db.conn, label, (int)c->nvalues, c->values.values,
			   c->values.lengths, c->values.formats, 1)
		     : PQsendPrepare(d->db.conn, label, c->ask.st->sql, 0, NULL);
	if (!sent)
		lose_connection(d, PQerrorMessage(d->db.conn));
	else
		(void)send_queued(d);
}

/* Handles the end of a command: all its results have arrived. */
static void
finish_command(struct db_async *d)
{
	struct call *c = STAILQ_FIRST(&d->calls);
	enum stage was = d->stage;

	d->stage = IDLE;
	if (was == LISTENING) {
		d->pause = PAUSE_MIN_US;
		if (d->on_notification != NULL)
			d->on_notification(d->on_notification_arg);
		return;
	}
	if (was == PREPARING && c->rc == DB_OK) {
		db_prepared(&d->db, c->ask.st);
		return;
	}
	answer_first_call(d, c->rc);
	if (d->db.stale)
		lose_connection(d, NULL);
}

static void
take_result(struct db_async *d, PGresult *res)
{
	struct call *c = STAILQ_FIRST(&d->calls);
	enum db_rc rc = db_judge(&d->db, res);

	if (d->stage == LISTENING) {
		PQclear(res);
		return;
	}
	if (c->rc == DB_OK)
		c->rc = rc;
	if (d->stage == RUNNING && c->result == NULL && rc == DB_OK)
		c->result = res;
	else
		PQclear(res);
}

static void
take_notifications(struct db_async *d)
{
	PGnotify *n;
	bool any = false;

	while (d->db.conn != NULL && (n = PQnotifies(d->db.conn)) != NULL) {
		any = true;
		PQfreemem(n);
	}
	if (any && d->on_notification != NULL)
		d->on_notification(d->on_notification_arg);
}

/* Performs one step. False: the connection was lost, or nothing can be done until more bytes
   arrive. */
static bool
advance_once(struct db_async *d)
{
	PGresult *res;

	if (d->stage == IDLE) {
		if (STAILQ_EMPTY(&d->calls))
			return false;
		send_first_call(d);
		return d->stage == PREPARING || d->stage == RUNNING;
	}
	if (PQisBusy(d->db.conn))
		return false;
	res = PQgetResult(d->db.conn);
	if (res != NULL)
		take_result(d, res);
	else
		finish_command(d);
	return d->stage != APART;
}

static void
advance_connection(struct db_async *d)
{
	if (d->stage == CONNECTING) {
		shake_hands(d);
		return;
	}
	if (d->stage == APART)
		return;
	if (!PQconsumeInput(d->db.conn) || PQstatus(d->db.conn) != CONNECTION_OK) {
		lose_connection(d, PQerrorMessage(d->db.conn));
		return;
	}
	if (!send_queued(d))
		return;
	while (advance_once(d))
		;
	take_notifications(d);
}

/* ---- time ---- */

static void
expire_calls(struct db_async *d, int64_t now)
{
	struct call *c, *after;

	c = STAILQ_FIRST(&d->calls);
	if (c != NULL && c->deadline < now && (d->stage == PREPARING || d->stage == RUNNING)) {
		d->stage = IDLE; /* so that lose does not answer the call again */
		answer_first_call(d, DB_TIMEOUT);
		lose_connection(d, "a statement has taken too long");
	}
	for (c = STAILQ_FIRST(&d->calls); c != NULL; c = after) {
		after = STAILQ_NEXT(c, next);
		if (c->deadline >= now || (c == STAILQ_FIRST(&d->calls) && d->stage >= PREPARING))
			continue;
		STAILQ_REMOVE(&d->calls, c, call, next);
		answer_call(c, DB_TIMEOUT);
	}
}

static void
tick_database(int fd, short what, void *arg)
{
	struct db_async *d = arg;
	int64_t now = mono_us();

	(void)fd;
	(void)what;
	if ((d->stage == CONNECTING || d->stage == LISTENING) && now - d->since > CONNECT_US)
		lose_connection(d, "no answer to the connection");
	expire_calls(d, now);
	if (d->stage == APART && now >= d->not_before &&
	    (d->db.nchannels > 0 || !STAILQ_EMPTY(&d->calls)))
		open_connection(d);
}

/* Starts a queued call from the loop, so that done is never called before db_async_run has
   returned. */
static void
on_wake(int fd, short what, void *arg)
{
	struct db_async *d = arg;

	(void)fd;
	(void)what;
	if (d->stage == IDLE)
		advance_connection(d);
	else if (d->stage == APART && mono_us() >= d->not_before)
		open_connection(d);
}

/* ---- public functions ---- */

struct db_async *
db_async_open(struct event_base *base, const char *conninfo, const char *application)
{
	struct db_async *d = mem_zero(sizeof(*d));

	d->db.conninfo = mem_text(conninfo);
	d->db.application = mem_text(application);
	d->base = base;
	d->pause = PAUSE_MIN_US;
	STAILQ_INIT(&d->calls);
	d->tick = ev_every(base, TICK_MS, tick_database, d);
	d->wake = event_new(base, -1, 0, on_wake, d);
	if (d->wake == NULL)
		panic("out of memory");
	return d;
}

void
db_async_close(struct db_async *d)
{
	struct call *c;

	watch_socket(d, 0);
	event_free(d->tick);
	event_free(d->wake);
	while ((c = STAILQ_FIRST(&d->calls)) != NULL) {
		STAILQ_REMOVE_HEAD(&d->calls, next);
		call_free(c);
	}
	(void)db_lose(&d->db, NULL);
	free(d->db.conninfo);
	free(d->db.application);
	free(d);
}

void
db_async_listen(
    struct db_async *d, const char *channel, void (*on_notification)(void *arg), void *arg)
{
	if (d->db.nchannels == DB_CHANNELS_MAX || d->stage != APART)
		panic("%s is listened to too late", channel);
	d->db.channels[d->db.nchannels++] = channel;
	d->on_notification = on_notification;
	d->on_notification_arg = arg;
}

void
db_async_run(struct db_async *d, const struct db_ask *ask, struct db_args args)
{
	struct arena *a = arena_new(CALL_MEMORY);
	struct call *c = ARENA_NEW(a, struct call);

	if (ask->st->out != NULL && ask->st->size == 0)
		panic("%s is no STMT_LIST", ask->st->name);
	c->arena = a;
	c->ask = *ask;
	c->nvalues = args.n;
	c->deadline = mono_us() + ask->wait_us;
	if (!db_values(a, args, &c->values))
		panic("%s: a text holds a NUL byte", ask->st->name);
	STAILQ_INSERT_TAIL(&d->calls, c, next);
	event_active(d->wake, EV_TIMEOUT, 0);
}
