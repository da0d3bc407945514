/* SPDX-License-Identifier: ISC */
/* The counts of a key as PostgreSQL has them, for GET /usage, and each worker's cache of them.
 *
 * A count has two parts. The part of this host is in the meter's memory (counting/meter.h) and is
 * exact at every moment. The part of the other hosts is in PostgreSQL, as old as their last flush:
 * conf.meter_flush at most. So nothing is lost when a worker reads the second part once in
 * conf.meter_flush, and adds the first for each answer:
 *
 *   other hosts -- flush --> usage_daily, quota_used -- one statement --> struct stored_usage --+
 *                  <= meter_flush                       <= meter_flush old                      +--> an answer
 *   this host   -- counts in the mapping, read for each answer --------------------------------+
 *
 * A client therefore sees each request that this host has counted, whichever worker it asks. An
 * entry is dropped
 *
 *   when it is conf.meter_flush old; when the cache of keys was emptied: a key, its owner, its
 *   scopes or a limit has changed (C-073); when the month ended, or a window is asked for that
 *   begins earlier; when this host's memory is another one: what were counts of this host are then
 *   counts of another.
 *
 * The meter frees the slot of a past day some time after it stored it. The entry notes the counts
 * that it found in the memory, so that such a day does not fall back to a number that was read
 * before the last flush.
 *
 * An entry is an arena: the row is decoded into it, and its texts point into libpq's result, which
 * the arena frees when the next row takes its place. Nothing is copied. */
#ifndef API_PEOPLE_USAGE_STORED_H
#define API_PEOPLE_USAGE_STORED_H

#include "http/http.h"

struct usage_key {
	struct uuid uuid;
	struct str name, key_prefix;
	struct uuid owner_uuid;
	struct str owner_name;
	struct list scopes;
};

extern const struct field usage_key_out[];

/* Positions in stored_usage.used: the account has the first USED_EACH counts, the group the
   next. */
enum { USED_OTHERS, USED_OURS, USED_EACH };

/* The one row of usage_stored: it costs one round trip. days, day_others and day_ours are parallel
   lists. ours are the counts that this host's incarnation stored last. */
struct stored_usage {
	struct usage_key api_key;
	struct ts through;
	struct list days, day_others, day_ours;
	int64_t account_quota, group_quota; /* -1: there is no group */
	struct list used;                   /* by USED_... */
};

/* The counts of the days from `first` on, one for each day. */
struct stored_days {
	uint32_t first, n;
	int64_t *others, *ours;
};

struct stored_want {
	struct uuid incarnation; /* the one of this host's memory; all zero: none */
	uint32_t first, today;   /* days */
	uint32_t month;
};

/* ---- usage.c: for other operations with a window of days, or with the quota ---- */

struct usage_args {
	struct str window;
};

extern const struct url_param usage_params[]; /* of struct usage_args */
int64_t usage_days(const struct usage_args *args);

struct usage_quota {
	struct uuid owner_uuid;
	int64_t limit, used, remaining;
	bool exhausted;
	struct ts reset_at;
};

extern const struct field usage_quota_out[];

/* The quota of the key's account with the requests that this host has counted. */
enum db_rc usage_account_quota(struct req *rq, struct usage_quota *out) MUST_USE;

/* ---- usage_stored.c ---- */

struct usage_cache;
struct usage_cache *usage_cache_new(void);
void usage_cache_free(struct usage_cache *c);

/* Sets *row and *days, which belong to the cache and stay valid until the next call. The caller
   writes newer counts of this host into days->ours. */
enum db_rc usage_stored_read(struct req *rq, const struct stored_want *want,
    const struct stored_usage **row, struct stored_days **days) MUST_USE;

#endif
