/* SPDX-License-Identifier: ISC */
/* surfaced-meter: its loop. */
#include "config.h"

#include "base/daemon.h"
#include "meter/meter.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum {
	ARENA_CAP = 256 * 1024 * 1024,
	TICK_MS = 20,
	DB_US = 2000000,   /* a call that takes longer is a failure */
	DOWN_US = 100000,  /* after one the database is left alone for a moment */
	LOOK_US = 5000000, /* notifications are a hint: this is the truth */
	KEEP_US = 1000000,
	LOCK_US = 50000,
};

static const struct stmt begin = STMT(begin, NULL, "SELECT meter_begin($1, $2, $3)");

static const struct stmt *const main_stmts[] = { &begin, NULL };

static const struct stmt *const *const stmts[] = { main_stmts, lease_stmts, rate_stmts,
	flush_stmts, shared_stmts, NULL };

bool
warden_ok(struct warden *w, enum db_rc rc, const char *what)
{
	if (rc != DB_OK && rc != DB_NONE) {
		w->begun = false;
		metrics_add(w->metrics, COUNTER_DATABASE_FAILURES);
	}
	return db_ok(w->db, rc, what);
}

bool
warden_db(struct warden *w)
{
	enum db_rc rc;

	if (!db_up(w->db))
		return false;
	if (w->begun)
		return true;
	rc = db_do(w->db, &begin, NULL, P(w->file.head->incarnation), P(host_name()),
	    P(ts_now()));
	if (rc ==
	    DB_CONFLICT) { /* another file has taken this one's place since: begin with a new one */
		log_event(LOGP_ERR, "closed", "why=\"%s\"", db_message(w->db));
		meter_file_drop();
		exit(1);
	}
	w->begun = warden_ok(w, rc, "begin");
	if (w->begun)
		roster_forget(w);
	return w->begun;
}

static int
ticker(void)
{
	const struct itimerspec every = { { 0, TICK_MS * 1000000L },
		{ 0, TICK_MS * 1000000L } };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

	if (fd < 0 || timerfd_settime(fd, 0, &every, NULL) != 0)
		panic("timerfd: %s", strerror(errno));
	return fd;
}

static void
turn(struct warden *w)
{
	bool told;

	w->now = ts_now();
	ask_serve(w);
	scrape_serve(w);
	told = db_notified(w->db);
	if (told)
		lease_doubt(w);
	if (mono_due(&w->look_at, LOOK_US) || told) {
		rates_refresh(w);
		lease_surrender(w);
	}
	lease_retry(w);
	if (mono_due(&w->flush_at, conf.meter_flush * 1000))
		flush_counts(w);
	if (mono_due(&w->keep_at, KEEP_US))
		roster_keep(w);
	shared_read(w);
	arena_reset(w->arena);
}

/* A former self may still be on its way out. */
static bool
hold_lock(int timer)
{
	uint64_t ticks;

	while (meter_lock() < 0) {
		if (!daemon_wait(-1, timer))
			return false;
		(void)!read(timer, &ticks, sizeof(ticks));
	}
	return true;
}

static void
serve(struct warden *w, int timer)
{
	char err[512];
	uint64_t ticks;

	if (!meter_file_hold(&w->file, err, sizeof(err)) ||
	    !ask_open(w, err, sizeof(err)) || !scrape_open(w, err, sizeof(err)))
		panic("%s", err);
	roster_load(w);
	w->metrics = metrics_open();
	db_listen(w->db, "key_changed");
	db_listen(w->db, "meter_wanted");
	while (daemon_wait(w->sock, timer)) {
		(void)!read(timer, &ticks, sizeof(ticks));
		turn(w);
	}
	w->now = ts_now();
	flush_counts(w);
	roster_free(w);
	buf_free(&w->shared);
}

static void
work(const struct pool *pool, int listener)
{
	struct warden w = { .arena = arena_new(ARENA_CAP),
		.db = db_open(conf.database, pool->name) };
	int timer = ticker();

	(void)listener;
	db_guard(w.db, w.arena, DB_US, DOWN_US);
	if (hold_lock(timer))
		serve(&w, timer);
	db_close(w.db);
	arena_free(w.arena);
}

static int
dump(const char *what)
{
	return stmts_dump("surfaced-meter", what, stmts);
}

int
main(int argc, char **argv)
{
	static const struct daemon meter = {
		.name = "surfaced-meter",
		.dump = dump,
		.work = work,
	};

	return daemon_main(argc, argv, &meter);
}
