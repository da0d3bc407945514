/* SPDX-License-Identifier: ISC */
/* The loop of surfaced-alert(8). A turn judges one batch of changes, sends what is due and runs the
   maintenance. A turn follows a notification of the database, the end of an attempt, the poll
   interval, or a turn that left work to do. Database calls block the loop; transfers do not, and
   continue between turns. */
#include "config.h"

#include "alert/alert.h"
#include "daemon/conf.h"
#include "daemon/daemon.h"
#include "db/guard.h"

#include <errno.h>
#include <unistd.h>

enum {
	ARENA_CAP = 1 << 30,
	DB_US = 10000000, /* deadline of one database call */
	DOWN_US = 500000, /* pause after a failed call */
};

static void on_alert_turn(int fd, short what, void *arg);

/* Called after each turn, because db.c may have replaced the connection: even a descriptor of the
   same number may be a new socket, which epoll does not know yet. */
static void
watch_database(struct engine *e)
{
	int fd = db_socket(e->db);

	if (e->notified != NULL)
		event_free(e->notified);
	e->notified = fd < 0 ? NULL : ev_fd(e->base, fd, EV_READ, on_alert_turn, e);
}

/* Work that is left is done in another turn, so that transfers progress in between. Notifications
   are asked for at the end: one that arrived together with the result of a statement does not make
   the socket readable again. */
static void
run_alert_turn(struct engine *e)
{
	bool more = !e->stopping && evaluate_changes(e);

	more = send_deliveries(e) || more;
	if (!e->stopping)
		maintain_tables(e);
	more = db_notified(e->db) || more;
	arena_reset(e->arena);
	watch_database(e);
	if (e->stopping && e->ended == NULL && sender_busy(e->sender) == 0)
		event_base_loopbreak(e->base);
	else if (more)
		event_active(e->poll, EV_TIMEOUT, 0);
}

static void
on_alert_turn(int fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	run_alert_turn(arg);
}

static void
on_attempt_end(void *arg, struct attempt *t)
{
	struct engine *e = arg;

	t->next = e->ended;
	e->ended = t;
	event_active(e->poll, EV_TIMEOUT, 0);
}

/* Attempts under way end and are stored; no other one is started. run_alert_turn ends the loop
   after them. */
static void
on_alert_stop(void *arg)
{
	struct engine *e = arg;

	e->stopping = true;
	event_active(e->poll, EV_TIMEOUT, 0);
}

static void
run_alerts(const struct pool *pool, int listener)
{
	struct engine e = { .arena = arena_new(ARENA_CAP),
		.db = db_open(conf.database, pool->name) };

	(void)listener;
	db_guard(e.db, e.arena, DB_US, DOWN_US);
	db_listen(e.db, "alert_work");
	e.base = ev_open(on_alert_stop, &e);
	e.sender = sender_new(e.base, on_attempt_end, &e);
	e.poll = ev_every(e.base, conf.alert_poll, on_alert_turn, &e);
	event_active(e.poll, EV_TIMEOUT, 0);
	if (event_base_dispatch(e.base) < 0)
		panic("event_base_dispatch failed");
	if (e.notified != NULL)
		event_free(e.notified);
	event_free(e.poll);
	sender_free(e.sender);
	ev_close(e.base);
	db_close(e.db);
	arena_free(e.arena);
}

/* A missing CA file must fail the start, when the administrator is looking, and not the first
   webhook. */
static bool
check_ca_file(char *err, size_t room)
{
	if (conf.webhook_ca_file[0] == '\0' || access(conf.webhook_ca_file, R_OK) == 0)
		return true;
	snprintf(err, room, "webhook_ca_file %s: %s", conf.webhook_ca_file, strerror(errno));
	return false;
}

int
main(int argc, char **argv)
{
	static const struct daemon alert = { .name = "surfaced-alert",
		.check = check_ca_file,
		.dump = stmts_dump,
		.work = run_alerts };

	return daemon_main(argc, argv, &alert);
}
