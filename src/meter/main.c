/* SPDX-License-Identifier: ISC */
/* The loop of surfaced-meter, and the files that it replaces. */
#include "config.h"

#include "daemon/conf.h"
#include "daemon/daemon.h"
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
};

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

/* A request that was admitted before its file was replaced still counts and gives back units in
   that file. The watchdog kills a worker whose request takes longer than worker_stuck, so after
   twice that time no worker writes into the file, and its last numbers can be stored. */
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
		periods_maintain(m);
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

   From the second column on no request begins in the old file, and each turn tries to store its
   counts and to return its leases. While PostgreSQL cannot be called, a new file would not help the
   workers, since it has no leases. */
static void
replace_meter_file(struct meterd *m)
{
	struct meterd *old;

	if (!meter_file_replaced(&m->file)) {
		if (meter_file_fits(&m->file) || !meterd_ready(m))
			return;
		meter_file_drop(&m->file);
	}
	if (!lease_return(m) || !flush_counts(m))
		return;
	log_event(LOGP_NOTICE, "meter_map",
	    "slots=%u: the file was removed or meter_slots has changed; a new file is made",
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
		replace_meter_file(m);
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
