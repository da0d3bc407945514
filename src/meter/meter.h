/* SPDX-License-Identifier: ISC */
/* surfaced-meter: one process a host that leases quota from PostgreSQL into the shared mapping, stores
   what the workers count there, and keeps the limits in it true. Killed anywhere it takes up again where
   the mapping stands. */
#ifndef METER_METER_H
#define METER_METER_H

#include "counting/meter.h"
#include "counting/metrics.h"
#include "db/db.h"

/* What this process alone knows of a slot; all zero after a restart, which is always right. */
struct note {
	uint64_t taken, back, surrendered; /* as stored last */
	int64_t retry_at,
	    give_up_at; /* a lease that waits for other hosts; mono_us, 0: none */
	int64_t retired_at;
	bool told; /* the database has heard what was leased */
};

struct warden {
	struct arena *arena; /* of one round */
	struct db *db;
	struct meter_file file;
	struct note *notes; /* parallel to file.slots */
	uint32_t *active;   /* the slots in use */
	size_t nactive;
	int sock, scrape;
	struct metrics *metrics;
	struct buf shared; /* as it is shown */
	int64_t shared_at, shared_until;
	bool begun; /* the database knows this incarnation */
	int64_t flush_at, look_at, keep_at, full_at;
	struct ts now; /* the time of PostgreSQL's clock */
};

/* ---- roster.c: slots in use ---- */

void roster_load(struct warden *w);
void roster_free(struct warden *w);
/* A new slot is not published; *fresh says which. NULL: the table is full (logged). */
struct slot *roster_slot(struct warden *w, enum slot_kind kind, const struct uuid *owner,
    uint32_t period, bool *fresh);
struct note *roster_note(struct warden *w, const struct slot *s);
/* The database may be another one now: everything is to be stored again. */
void roster_forget(struct warden *w);
/* What begins soon is prepared, what ended is retired and freed. */
void roster_keep(struct warden *w);

/* ---- ask.c: what workers want ---- */

bool ask_open(struct warden *w, char *err, size_t room) MUST_USE;
void ask_serve(struct warden *w);

/* ---- lease.c ---- */

/* A slot of this quota with something left in it, if there is anything. */
void lease_need(
    struct warden *w, enum slot_kind kind, const struct uuid *owner, uint32_t month);
/* Leases that wait for other hosts, or are about to end. */
void lease_retry(struct warden *w);
/* What other hosts want, or is no longer allowed. */
void lease_surrender(struct warden *w);
/* Limits may have changed: what was exhausted is asked for again. */
void lease_doubt(struct warden *w);
/* What was surrendered and could not be said, and what the database may not know: some of it. */
void lease_report(struct warden *w);

/* ---- rates.c ---- */

/* Slots of the key's and the account's rate. False: not now. */
bool rates_need(
    struct warden *w, const struct uuid *key, const struct uuid *account) MUST_USE;
void rates_refresh(struct warden *w);

/* ---- flush.c ---- */

void flush_counts(struct warden *w);

/* ---- scrape.c ---- */

bool scrape_open(struct warden *w, char *err, size_t room) MUST_USE;
void scrape_serve(struct warden *w);

/* ---- shared.c: what the installation counts ---- */

void shared_read(struct warden *w);
void shared_write(const struct warden *w, struct buf *out);

/* ---- main.c ---- */

/* False, without a call, while the database is away; makes this incarnation known first. */
bool warden_db(struct warden *w);
/* `at` was PostgreSQL's time at some moment since `asked` (boot_us). */
void warden_clock(struct warden *w, struct ts at, int64_t asked);
/* Notes a failure; true when rc is DB_OK. */
bool warden_ok(struct warden *w, enum db_rc rc, const char *what);

/* What each file asks of the database: for -D sql. */
extern const struct stmt *const lease_stmts[],
    *const rate_stmts[], *const flush_stmts[], *const shared_stmts[];

#endif
