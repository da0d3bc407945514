/* SPDX-License-Identifier: ISC */
/* The loop of surfaced-meter, its registration with PostgreSQL, and PostgreSQL's clock.
 *
 * The incarnation of the mapping is registered before any other call, and again on a new
 * connection or after a failure (meterd_ready). PostgreSQL refuses an incarnation when another
 * file of this host was registered since: two files would lease for the same host. The process
 * then removes the name of its file and ends, and its master starts another one with a new file. */
#include "config.h"

#include "daemon/conf.h"
#include "daemon/daemon.h"
#include "daemon/host.h"
#include "meter/meter.h"
#include "meter/lease.h"
#include "meter/slots.h"
#include "db/guard.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum {
	ARENA_CAP = 256 * 1024 * 1024,
	TICK_MS = 20,
	DB_US = 2000000,   /* deadline of one call */
	DOWN_US = 100000,  /* pause after a failed call */
	LOOK_US = 5000000, /* polling, since a notification may be lost */
	MAINTAIN_US = 1000000,
	CLOCK_US = 1000, /* smaller differences of clocks are ignored */
};

struct moment {
	struct ts at;
};

static const struct field moment_out[] = {
	FIELD(struct moment, at, 0),
	FIELD_END,
};

STMT(begin, moment_out,
    "SELECT clock_timestamp() AS at FROM meter_begin($1, $2, clock_timestamp())");

bool
meterd_ok(struct meterd *m, enum db_rc rc, const char *what)
{
	if (rc != DB_OK && rc != DB_NONE) {
		m->registered = false;
		metrics_add(m->metrics, COUNTER_DATABASE_FAILURES);
	}
	return db_ok(m->db, rc, what);
}

/* Sets the mapping's clock from PostgreSQL's. The server read its clock at an unknown moment
 * between the question and the answer; the middle is assumed, and the error is at most half of
 * that time:
 *
 *   asked ----------------- at? ----------------- answered        boot_us
 *         |<------ slack ------>|<----- slack ----->|
 *
 * Differences within the slack may be nothing but that uncertainty and are ignored, or the clock
 * would jitter with every call. A larger step is logged, because quotas and usage follow it. */
void
meterd_set_clock(struct meterd *m, struct ts at, int64_t asked)
{
	int64_t answered = boot_us(), slack = (answered - asked) / 2 + CLOCK_US;
	int64_t epoch = at.us - (asked + (answered - asked) / 2);
	int64_t step = epoch - atomic_load(&m->file.head->epoch_us);

	if (step <= slack && step >= -slack)
		return;
	atomic_store(&m->file.head->epoch_us, epoch);
	m->now = meter_time(&m->file, answered);
	if (step >= SECOND_US || step <= -SECOND_US)
		log_event(LOGP_NOTICE, "clock_step",
		    "ms=%jd: quotas and usage follow the clock of the database",
		    (intmax_t)(step / 1000));
}

bool
meterd_ready(struct meterd *m)
{
	int64_t asked = boot_us();
	struct moment began;
	enum db_rc rc;

	if (!db_up(m->db))
		return false;
	if (m->registered || m->replaced)
		return true;
	rc = db_one(m->db, &begin, &began, P(m->file.head->incarnation), P(host_name()));
	if (rc ==
	    DB_CONFLICT) { /* another file of this host was registered since: start with a new one */
		log_event(LOGP_ERR, "closed", "why=\"%s\"", db_message(m->db));
		meter_file_drop(&m->file);
		exit(1);
	}
	m->registered = meterd_ok(m, rc, "begin");
	if (!m->registered)
		return false;
	meterd_set_clock(m, began.at, asked);
	slots_store_again(m);
	return true;
}

static int
open_ticker(void)
{
	const struct itimerspec every = { { 0, TICK_MS * 1000000L }, { 0, TICK_MS * 1000000L } };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

	if (fd < 0 || timerfd_settime(fd, 0, &every, NULL) != 0)
		panic("timerfd: %s", strerror(errno));
	return fd;
}

static struct meterd *
close_replaced(struct meterd *old)
{
	struct meterd *next = old->late;

	slots_free(old);
	meter_file_close(&old->file);
	free(old);
	return next;
}

/* A request that began in a file that was replaced since still writes into it: it counts what it had
   begun to take, and gives back. The watchdog kills a worker whose request takes longer than
   worker_stuck, so twice that time later the file is at rest, and its last numbers can be stored. */
static void
flush_replaced(struct meterd *m)
{
	struct meterd **at = &m->late;

	while (*at != NULL) {
		struct meterd *old = *at;
		bool rests = mono_us() > old->late_until;

		meter_settle_dead(&old->file);
		if (!lease_return(old) || !flush_counts(old)) {
			m->registered = false; /* another database may answer the next call */
			return;
		}
		if (rests)
			*at = close_replaced(old);
		else
			at = &old->late;
	}
}

/* One turn of the loop. Workers that wait come first (ask_serve), because requests hang on them.
 * A notification makes every "exhausted" doubtful (lease_doubt): a limit may have been raised,
 * or another host may have surrendered units. The rest goes by time. Every number that is sent
 * is absolute, so no call depends on the success of another one. */
static void
run_meter_turn(struct meterd *m)
{
	bool notified;

	m->now = meter_time(&m->file, boot_us());
	ask_serve(m);
	scrape_serve(m);
	notified = db_notified(m->db);
	if (notified)
		lease_doubt(m);
	if (mono_due(&m->look_at, LOOK_US) || notified) {
		rates_refresh(m);
		lease_surrender(m);
	}
	lease_retry(m);
	if (mono_due(&m->flush_at, conf.meter_flush * 1000)) {
		(void)flush_counts(m); /* the next flush stores what this one could not */
		flush_replaced(m);
	}
	if (mono_due(&m->maintain_at, MAINTAIN_US))
		slots_maintain(m);
	shared_read(m);
	arena_reset(m->arena);
}

/* Waits for the lock, which a predecessor may hold until it has ended. False: this process is to
   end first. */
static bool
wait_for_meter_lock(int timer)
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
hold_file(struct meterd *m)
{
	char err[512];

	if (!meter_file_hold(&m->file, err, sizeof(err)))
		panic("%s", err);
	slots_load(m);
}

/* Makes a new file when meter_slots has changed, or when the file was removed.

     file      named | no name, until all is stored | kept for 2 worker_stuck | closed
     new file                                       | named
     workers   count | finish their requests, wait  | count in the new file

   From the second column on no request begins in the old file, and each turn tries to store its counts and
   to return its leases. While PostgreSQL cannot be called, a new file would not help the workers, since
   it has no leases. */
static void
replace_file(struct meterd *m)
{
	struct meterd *old;

	if (!meter_file_replaced(&m->file)) {
		if (meter_file_fits(&m->file) || !meterd_ready(m))
			return;
		meter_file_drop(&m->file);
	}
	if (!lease_return(m) || !flush_counts(m))
		return;
	log_event(LOGP_NOTICE, "meter_map", "slots=%u: was changed or removed, and is made again",
	    m->file.head->slots);
	old = mem_zero(sizeof(*old));
	*old = *m;
	old->replaced = true;
	old->late_until = mono_us() + 2 * conf.worker_stuck * 1000;
	m->late = old;
	m->file = (struct meter_file){ 0 };
	m->nactive = 0;
	m->registered = false;
	hold_file(m);
}

static void
serve_host(struct meterd *m, int timer)
{
	char err[512];
	uint64_t ticks;

	hold_file(m);
	if (!ask_open(m, err, sizeof(err)) || !scrape_open(m, err, sizeof(err)))
		panic("%s", err);
	m->metrics = metrics_open();
	db_listen(m->db, "key_changed");
	db_listen(m->db, "meter_wanted");
	while (daemon_wait(m->sock, timer)) {
		(void)!read(timer, &ticks, sizeof(ticks));
		replace_file(m);
		run_meter_turn(m);
	}
	m->now = meter_time(&m->file, boot_us());
	(void)flush_counts(m);
	flush_replaced(m);
	while (m->late != NULL)
		m->late = close_replaced(m->late);
	slots_free(m);
	buf_free(&m->shared);
}

static void
run_meter(const struct pool *pool, int listener)
{
	struct meterd m = { .arena = arena_new(ARENA_CAP),
		.db = db_open(conf.database, pool->name) };
	int timer = open_ticker();

	(void)listener;
	db_guard(m.db, m.arena, DB_US, DOWN_US);
	if (wait_for_meter_lock(timer))
		serve_host(&m, timer);
	db_close(m.db);
	arena_free(m.arena);
}

int
main(int argc, char **argv)
{
	static const struct daemon meter = {
		.name = "surfaced-meter",
		.dump = stmts_dump,
		.work = run_meter,
	};

	return daemon_main(argc, argv, &meter);
}
