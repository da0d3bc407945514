/* SPDX-License-Identifier: ISC */
/* The right to feed a dataset: an advisory lock, and the epoch of its owner (clickhouse_priv.h). */
#include "config.h"

#include "daemon/conf.h"
#include "indexer/clickhouse_priv.h"

#include <poll.h>

enum { LOCK_FEED = 7301, LOCK_FILL = 7302 };

struct lock_row {
	bool held, taken, refill;
};

static const struct field lock_out[] = {
	FIELD(struct lock_row, held, 0),
	FIELD(struct lock_row, taken, 0),
	FIELD(struct lock_row, refill, 0),
	FIELD_END,
};

STMT(take_lock, lock_out,
    "SELECT held, NOT held AND pg_try_advisory_lock($1::bigint::int, $2::bigint::int) AS taken,"
    " coalesce((SELECT refill FROM search_feed WHERE engine = $3 AND dataset = $2), false) AS "
    "refill"
    " FROM (SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND pid = "
    "pg_backend_pid()"
    " AND classid = $1 AND objid = $2) AS held OFFSET 0) AS h");

struct held_row {
	bool held;
};

static const struct field held_out[] = {
	FIELD(struct held_row, held, 0),
	FIELD_END,
};

STMT(still_locked, held_out,
    "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND pid = "
    "pg_backend_pid()"
    " AND classid = $1 AND objid = $2) AS held");

STMT(lock_fill, held_out,
    "SELECT pg_try_advisory_xact_lock($1::bigint::int, $2::bigint::int) AS held");

enum taking
ch_take_feed(struct ch_follower *f, char err[INDEX_FAULT])
{
	struct lock_row row;

	arena_reset(f->source.a);
	db_use(f->db, f->source.a, mono_us() + conf.index_patience * 1000);
	if (db_one(f->db, &take_lock, &row, P((int64_t)LOCK_FEED), P(ch_dataset_number(f)),
		P(str_of(f->engine))) != DB_OK) {
		(void)ch_database_fault(&f->source, err);
		return TAKING_FAILED;
	}
	f->refill |= row.refill;
	if (!row.held && !row.taken) {
		if (!f->idle)
			log_event(LOGP_INFO, "index",
			    "dataset=%s clickhouse=idle reason=\"another surfaced-index feeds it\"",
			    f->name);
		f->idle = true;
		f->ready = false;
		return TAKING_IDLE;
	}
	f->idle = false;
	return row.held || ch_begin_epoch(f, 0, err) ? TAKING_MINE : TAKING_FAILED;
}

bool
ch_still_mine(struct ch_follower *f, char err[INDEX_FAULT])
{
	struct held_row lock = { .held = false };

	if (db_one(f->db, &still_locked, &lock, P((int64_t)LOCK_FEED), P(ch_dataset_number(f))) !=
	    DB_OK)
		return ch_database_fault(&f->source, err);
	if (!lock.held)
		snprintf(err, INDEX_FAULT, "the connection to the database was lost");
	return lock.held;
}

bool
ch_is_connected(const void *arg)
{
	const struct ch_follower *f = arg;
	struct pollfd p = { .fd = db_socket(f->db), .events = POLLRDHUP };

	return p.fd >= 0 && poll(&p, 1, 0) == 0;
}

bool
ch_take_fill(struct ch_follower *f, bool *mine, char err[INDEX_FAULT])
{
	struct held_row lock = { .held = false };

	if (db_one(f->db, &lock_fill, &lock, P((int64_t)LOCK_FILL), P(ch_dataset_number(f))) !=
	    DB_OK)
		return ch_database_fault(&f->source, err);
	*mine = lock.held;
	return true;
}
