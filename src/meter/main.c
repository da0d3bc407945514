/* SPDX-License-Identifier: ISC */
/* surfaced-meter: its loop. */
#include "config.h"

#include "daemon/conf.h"
#include "daemon/daemon.h"
#include "daemon/host.h"
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
	CLOCK_US = 1000, /* two clocks that differ by less agree */
};

struct moment {
	struct ts at;
};

static const struct field moment_out[] = {
	FIELD(struct moment, at, 0),
	FIELD_END,
};

static const struct stmt begin = STMT(begin, moment_out,
    "SELECT clock_timestamp() AS at FROM meter_begin($1, $2, clock_timestamp())");

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

/* Follows PostgreSQL's clock, which read `at` at some moment since `asked`: this moment is not known
   better than the time the answer took, so smaller differences are none. */
void
warden_clock(struct warden *w, struct ts at, int64_t asked)
{
	int64_t answered = boot_us(), slack = (answered - asked) / 2 + CLOCK_US;
	int64_t epoch = at.us - (asked + (answered - asked) / 2);
	int64_t step = epoch - atomic_load(&w->file.head->epoch_us);

	if (step <= slack && step >= -slack)
		return;
	atomic_store(&w->file.head->epoch_us, epoch);
	w->now = meter_time(&w->file, answered);
	if (step >= SECOND_US || step <= -SECOND_US)
		log_event(LOGP_NOTICE, "clock_step",
		    "ms=%jd: quotas and usage follow the clock of the database",
		    (intmax_t)(step / 1000));
}

bool
warden_db(struct warden *w)
{
	int64_t asked = boot_us();
	struct moment began;
	enum db_rc rc;

	if (!db_up(w->db))
		return false;
	if (w->begun)
		return true;
	rc = db_one(w->db, &begin, &began, P(w->file.head->incarnation), P(host_name()));
	if (rc ==
	    DB_CONFLICT) { /* another file has taken this one's place since: begin with a new one */
		log_event(LOGP_ERR, "closed", "why=\"%s\"", db_message(w->db));
		meter_file_drop();
		exit(1);
	}
	w->begun = warden_ok(w, rc, "begin");
	if (!w->begun)
		return false;
	warden_clock(w, began.at, asked);
	roster_forget(w);
	return true;
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

	w->now = meter_time(&w->file, boot_us());
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
	w->now = meter_time(&w->file, boot_us());
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
