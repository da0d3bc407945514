/* SPDX-License-Identifier: ISC */
/* The process of surfaced-dispatch: its loop and its end. Notifications of the database only make a
   turn come earlier; every query also runs by time, because notifications may be lost. */
#include "config.h"

#include "browser/dispatch/caller.h"
#include "browser/dispatch/dispatch.h"
#include "browser/dispatch/evidence.h"
#include "daemon/conf.h"
#include "daemon/daemon.h"
#include "db/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <unistd.h>

enum {
	ARENA_CAP = 256 * 1024 * 1024,
	TICK_MS = 250,
	LOOK_US = 1000000,
	BEAT_US = 5000000,
	DB_US = 1500000,  /* a call that takes longer fails, because it blocks the loop */
	DOWN_US = 250000, /* after a failed call no call is made for this long */
};

/* One turn of the loop, the most urgent first: leases, then existing sessions, then new ones. */
static void
run_turn(struct dispatcher *d)
{
	bool notified = db_notified(d->db);

	egress_tend(d);
	host_tend(d);
	callers_tend(d);
	if (mono_due(&d->renew_at, RENEW_MS * 1000))
		session_renew_leases(d);
	session_tend_all(d);
	evidence_flush(d);
	if (mono_due(&d->beat_at, BEAT_US) && !store_beat(d))
		d->beat_at = 0;
	if (mono_due(&d->sweep_at, LOOK_US) || notified)
		store_sweep(d);
	if (mono_due(&d->look_at, LOOK_US) || notified) {
		session_check_rows(d);
		session_claim_new(d);
	}
	store_counts(d);
	arena_reset(d->arena);
}

static void
on_turn(int fd, short what, void *arg)
{
	struct dispatcher *d = arg;

	(void)what;
	run_turn(d);
	/* The database connection may have been replaced, even by one with the same descriptor
	   number. */
	if (d->db_readable != NULL)
		event_free(d->db_readable);
	fd = db_socket(d->db);
	d->db_readable = fd < 0 ? NULL : ev_fd(d->base, fd, EV_READ, on_turn, d);
}

/* Waits until the previous process has ended, which may still own dispatch.sock. Returns false if
   this process is stopped meanwhile. */
static bool
wait_for_dispatch_lock(void)
{
	const int every_ms = 50;
	char path[128];

	if ((size_t)snprintf(path, sizeof(path), "%s/dispatch.lock", conf.run_directory) >=
	    sizeof(path))
		panic("the name of run_directory is too long");
	while (fd_lock(path, O_RDWR | O_CREAT) < 0) {
		if (errno != EWOULDBLOCK)
			panic("%s: %s", path, strerror(errno));
		if (daemon_stopping())
			return false;
		usleep((useconds_t)every_ms * 1000);
	}
	return true; /* the lock lasts until the process ends */
}

static void
find_runner_user(struct dispatcher *d)
{
	const struct passwd *pw;

	d->runner_uid = geteuid();
	if (conf.runner_user[0] == '\0')
		return;
	pw = getpwnam(conf.runner_user);
	if (pw == NULL)
		panic("user %s is unknown", conf.runner_user);
	d->runner_uid = pw->pw_uid;
}

static void
stop_dispatching(void *arg)
{
	struct dispatcher *d = arg;

	event_base_loopbreak(d->base);
}

/* Frees everything but ends no session: the runners wait for the next dispatcher while their leases
   last. */
static void
free_all(struct dispatcher *d)
{
	struct session *s, *following;

	evidence_flush(d);
	for (s = LIST_FIRST(&d->sessions); s != NULL; s = following) {
		following = LIST_NEXT(s, next);
		if (s->link != NULL)
			caller_drop(s);
		if (s->exited != NULL)
			event_free(s->exited);
		LIST_REMOVE(s, next);
		arena_free(s->arena);
		free(s);
	}
	callers_close(d);
	host_close(d);
	egress_close(d);
	if (d->db_readable != NULL)
		event_free(d->db_readable);
	event_free(d->tick);
	ev_close(d->base);
}

static void
run_dispatch_loop(struct dispatcher *d)
{
	char err[512];

	d->base = ev_open(stop_dispatching, d);
	d->arena = arena_new(ARENA_CAP);
	d->db = db_open(conf.database, "surfaced-dispatch");
	db_guard(d->db, d->arena, DB_US, DOWN_US);
	d->name = host_name();
	TAILQ_INIT(&d->evidence);
	snprintf(d->fault, sizeof(d->fault), "not checked yet");
	find_runner_user(d);
	signal(SIGCHLD, SIG_IGN); /* children are watched by pidfd; the kernel reaps them */
	if (!callers_open(d, err, sizeof(err)))
		panic("%s", err);
	db_listen(d->db, "session_changed");
	db_listen(d->db, "key_changed");
	d->tick = ev_every(d->base, TICK_MS, on_turn, d);
	run_turn(d);
	event_base_dispatch(d->base);
	free_all(d);
	db_close(d->db);
	arena_free(d->arena);
}

static void
run_dispatcher(const struct pool *pool, int listener)
{
	struct dispatcher d = { .listener = -1 };

	(void)pool;
	(void)listener;
	if (wait_for_dispatch_lock())
		run_dispatch_loop(&d);
}

int
main(int argc, char **argv)
{
	static const struct daemon dispatch = {
		.name = "surfaced-dispatch", .dump = stmts_dump, .work = run_dispatcher
	};

	return daemon_main(argc, argv, &dispatch);
}
