/* SPDX-License-Identifier: ISC */
/* surfaced-alert(8): its loop. */
#include "config.h"

#include "alert/alert.h"
#include "daemon/conf.h"
#include "daemon/daemon.h"

#include <errno.h>
#include <unistd.h>

enum {
	ARENA_CAP = 1 << 30,
	DB_US = 10000000, /* a call that takes longer is a failure */
	DOWN_US = 500000, /* after one the database is left alone for a moment */
};

static void on_turn(int fd, short what, void *arg);

/* The connection may be another one, under the same number too. */
static void
watch(struct engine *e)
{
	int fd = db_socket(e->db);

	if (e->news != NULL)
		event_free(e->news);
	e->news = fd < 0 ? NULL : ev_fd(e->base, fd, EV_READ, on_turn, e);
}

/* What is left to do is done in the next turn of the loop, so that webhooks under way go on. A notification
   may have come with the answers of statements, and its socket says nothing of it any more. */
static void
turn(struct engine *e)
{
	bool more = !e->stopping && evaluate(e);

	more = deliver(e) || more;
	if (!e->stopping)
		keep(e);
	more = db_notified(e->db) || more;
	arena_reset(e->arena);
	watch(e);
	if (e->stopping && e->sent == NULL && sender_busy(e->sender) == 0)
		event_base_loopbreak(e->base);
	else if (more)
		event_active(e->poll, EV_TIMEOUT, 0);
}

static void
on_turn(int fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	turn(arg);
}

static void
on_sent(void *arg, struct sending *s)
{
	struct engine *e = arg;

	s->next = e->sent;
	e->sent = s;
	event_active(e->poll, EV_TIMEOUT, 0);
}

/* What is under way ends; nothing is begun. */
static void
on_stop(void *arg)
{
	struct engine *e = arg;

	e->stopping = true;
	event_active(e->poll, EV_TIMEOUT, 0);
}

static void
work(const struct pool *pool, int listener)
{
	struct engine e = { .arena = arena_new(ARENA_CAP),
		.db = db_open(conf.database, pool->name) };

	(void)listener;
	db_guard(e.db, e.arena, DB_US, DOWN_US);
	db_listen(e.db, "alert_work");
	e.base = ev_open(on_stop, &e);
	e.sender = sender_new(e.base, on_sent, &e);
	e.poll = ev_every(e.base, conf.alert_poll, on_turn, &e);
	event_active(e.poll, EV_TIMEOUT, 0);
	if (event_base_dispatch(e.base) < 0)
		panic("event loop");
	if (e.news != NULL)
		event_free(e.news);
	event_free(e.poll);
	sender_free(e.sender);
	ev_close(e.base);
	db_close(e.db);
	arena_free(e.arena);
}

/* Not at the first webhook, when nobody looks. */
static bool
check(char *err, size_t room)
{
	if (conf.webhook_ca_file[0] == '\0' || access(conf.webhook_ca_file, R_OK) == 0)
		return true;
	snprintf(
	    err, room, "webhook_ca_file %s: %s", conf.webhook_ca_file, strerror(errno));
	return false;
}

static int
dump(const char *what)
{
	static const struct stmt *const *const stmts[] = { deliver_stmts, evaluate_stmts,
		keep_stmts, NULL };

	return stmts_dump("surfaced-alert", what, stmts);
}

int
main(int argc, char **argv)
{
	static const struct daemon alert = {
		.name = "surfaced-alert", .check = check, .dump = dump, .work = work
	};

	return daemon_main(argc, argv, &alert);
}
