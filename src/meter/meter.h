/* SPDX-License-Identifier: ISC */
/* surfaced-meter: one process for each host. It leases quota from PostgreSQL into the mapping that
 * the workers count in (counting/meter.h), stores the workers' counts in PostgreSQL, keeps the
 * limits of rates current, and serves metrics. One thread; a turn of its loop every 20 ms, or
 * sooner when a worker asks.
 *
 *              ask.c     a worker found no slot or no lease: make the slots, then wake the workers
 *                |
 *        +-------+--------+
 *        v                v
 *     rates.c          lease.c                          flush.c             slots.c, periods.c
 *     limits of rates  parts of a month's quota         counts, clock       next period, old slots,
 *                                                                           dead workers
 *        |                | meter_lease, meter_unwanted    | meter_flush       | only the mapping
 *        v                v                                v                   v
 *     PostgreSQL: key_limit, account_limit; quota_month, quota_lease; usage; meter_host
 *
 * The life of a lease. The meter calls meter_lease with the slot's numbers (taken, given back,
 * granted, surrendered) and the next sequence number. PostgreSQL locks the owner's month, stores
 * the numbers, and for a new sequence number grants a block: an eighth of what is left, at most
 * 200, so that hosts share the end of a quota fairly. The meter raises the slot's limit; when half
 * of the block is taken, a worker asks for the next one (slot.mark). When nothing is left but other
 * hosts hold unused units, PostgreSQL notifies them (meter_wanted), they surrender the units, and
 * this meter tries again for GIVE_UP_US (0.4 s). Only then the slot is marked exhausted, for about
 * a second.
 *
 * All numbers that are sent are absolute and only grow, and PostgreSQL keeps the greater one. So a
 * late call and a call of a restarted meter do no harm, and a database that was restored from a
 * backup learns the present state from the next reports (slots_store_again). After a lost answer:
 *
 *   meter -> PostgreSQL    seq 8, granted 200        grants 100 for the new number 8
 *   meter <- (lost)        seq 8, granted 300        the slot still has seq 7 and the limit 200
 *   meter -> PostgreSQL    seq 8, granted 200        the number 8 is not new: grants nothing
 *   meter <- PostgreSQL    seq 8, granted 300        the sum: the slot gets the limit 300
 *
 * Deaths, and their effects:
 *   a worker           its journal has the charge of its request (counting/meter.h); settled within
 *                      a second
 *   surfaced-meter     workers go on with the leases they have; the next meter finds slots and
 *                      numbers in the file
 *   PostgreSQL         the same; requests whose lease is used up are refused as unavailable (C-018)
 *   the host           a reboot makes a new file, hence a new incarnation; units leased to the old
 *                      one count as used
 *   the file, when
 *     another meter    meter_begin refuses this incarnation, and the process starts again
 *     has replaced it
 *     meter_slots      replace_file stores its counts in PostgreSQL, returns its unused units
 *                      there, and then makes
 *     changed, or it   a new file; requests that a worker has begun are still counted in the old
 *                      one
 *     was removed
 *     it was removed   the units leased to it count as used
 *     and no meter ran
 */
#ifndef METER_METER_H
#define METER_METER_H

#include "counting/meter.h"
#include "counting/metrics.h"
#include "db/db.h"

/* Facts about a slot that only this process needs. All zero is always correct: a restart stores and
   reports again. */
struct slot_note {
	uint64_t taken, back, surrendered; /* the numbers that PostgreSQL has */
	/* mono_us, while a lease waits for other hosts to surrender; 0: it does not */
	int64_t retry_at, give_up_at;
	int64_t retired_at; /* mono_us */
	bool reported;      /* PostgreSQL knows the slot's leases */
};

struct meterd {
	struct arena *arena; /* emptied after each turn */
	struct db *db;
	struct meter_file file;
	struct slot_note *notes; /* parallel to file.slots */
	uint32_t *active;        /* indices of the slots in use */
	size_t nactive;
	int sock, scrape; /* listen for asks, and for scrapes of the metrics */
	struct metrics *metrics;
	struct buf shared;               /* the installation's metrics, as text; mono_us: */
	int64_t shared_at, shared_until; /* next read, and when the text is too old */
	bool registered;                 /* PostgreSQL has registered this incarnation */
	int64_t flush_at, look_at, maintain_at, full_at; /* for mono_due */
	struct ts now; /* PostgreSQL's time at the begin of the turn */
	/* Replaced files whose last numbers are not stored yet, newest first (main.c). Each is a
	   copy of this struct with a file, notes and a list of slots of its own; the other members
	   are shared. */
	struct meterd *late;
	/* This struct is such a copy: PostgreSQL has closed its incarnation, or soon will. */
	bool replaced;
	int64_t late_until; /* mono_us from which no worker writes into the copy's file */
};

/* ---- ask.c: questions of workers ---- */

bool ask_open(struct meterd *m, char *err, size_t room) MUST_USE;
void ask_serve(struct meterd *m);

/* ---- rates.c ---- */

/* Makes the slots of the key's and the account's rate. False: the database failed or the table is
   full. */
bool rates_need(struct meterd *m, const struct uuid *key, const struct uuid *account) MUST_USE;
void rates_refresh(struct meterd *m);

/* ---- flush.c ---- */

/* Stores all counts that have changed. False: some are not stored, because the database failed. */
bool flush_counts(struct meterd *m);

/* ---- scrape.c ---- */

bool scrape_open(struct meterd *m, char *err, size_t room) MUST_USE;
void scrape_serve(struct meterd *m);

/* ---- shared.c: metrics of the whole installation ---- */

void shared_read(struct meterd *m);
void shared_write(const struct meterd *m, struct buf *out);

/* ---- register.c ---- */

/* True when the database can be called. Registers this incarnation first, on a new connection or
   after a failure. */
bool meterd_ready(struct meterd *m);
/* Sets the mapping's clock: PostgreSQL's clock read `at` between `asked` (boot_us) and now. */
void meterd_set_clock(struct meterd *m, struct ts at, int64_t asked);
/* Logs and counts a failure; true when rc is DB_OK. */
bool meterd_ok(struct meterd *m, enum db_rc rc, const char *what);

#endif
