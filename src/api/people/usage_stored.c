/* SPDX-License-Identifier: ISC */
/* Reads the stored counts of a key with one statement, or finds them in the cache;
   api/people/usage_stored.h has the rules.

     struct entry    arena --> the row of libpq, decoded; days as two arrays from `first` to the day after today
     lookup          the last byte of the key's UUID, modulo ENTRIES: one place for each key, no search
     lifetime        conf.meter_flush from before the statement was sent, since the answer may be as old as that

   An entry that does not fit is read again in its place. While it is read, until is 0, so a failed
   statement leaves no entry that looks valid. */
#include "config.h"

#include "api/api.h"
#include "api/people/usage_stored.h"
#include "daemon/conf.h"

enum { ENTRIES = 64, ENTRY_MEMORY = 1024 * 1024 };

struct entry {
	struct arena *arena; /* holds the row; NULL: never used */
	struct stored_usage row;
	struct stored_days days;
	struct uuid key;
	struct uuid incarnation;
	uint32_t month;
	uint64_t changes; /* key_cache_changes() at that time */
	int64_t until;    /* mono_us; 0: empty */
};

/* Direct-mapped: the UUIDs of keys are random. Two keys with one place only cost each other a
   statement. */
struct usage_cache {
	struct arena *arena; /* holds the cache itself */
	struct entry entries[ENTRIES];
};

struct usage_cache *
usage_cache_new(void)
{
	struct arena *a = arena_new(ENTRY_MEMORY);
	struct usage_cache *c = ARENA_NEW(a, struct usage_cache);

	c->arena = a;
	return c;
}

void
usage_cache_free(struct usage_cache *c)
{
	for (size_t i = 0; i < ENTRIES; i++)
		arena_free(c->entries[i].arena);
	arena_free(c->arena);
}

const struct field usage_key_out[] = {
	FIELD(struct usage_key, uuid, 0),
	FIELD(struct usage_key, name, 0),
	FIELD(struct usage_key, key_prefix, 0),
	FIELD(struct usage_key, owner_uuid, 0),
	FIELD(struct usage_key, owner_name, 0),
	LIST_OF(struct usage_key, scopes, 0, struct str, 0, 0),
	FIELD_END_OF("UsageKey"),
};

static const struct field stored_out[] = {
	OBJECT(struct stored_usage, api_key, 0, usage_key_out),
	FIELD(struct stored_usage, through, NULLABLE),
	LIST_OF(struct stored_usage, days, 0, int64_t, 0, 0),
	LIST_OF(struct stored_usage, day_others, 0, int64_t, 0, 0),
	LIST_OF(struct stored_usage, day_ours, 0, int64_t, 0, 0),
	FIELD(struct stored_usage, account_quota, 0),
	FIELD(struct stored_usage, group_quota, 0),
	LIST_OF(struct stored_usage, used, 0, int64_t, 0, 0),
	FIELD_END,
};

/* through: no count before this time is missing; it is the oldest last flush among the hosts that
   run. */
STMT(usage_stored, stored_out,
    "SELECT k.uuid, k.name, k.prefix AS key_prefix, k.owner_uuid, m.name AS owner_name,"
    " " KEY_SCOPES "::text[] AS scopes,"
    " h.through, d.days, d.day_others, d.day_ours,"
    " (SELECT quota FROM account_limit WHERE account_uuid = $4) AS account_quota,"
    " coalesce((SELECT quota FROM group_limit WHERE group_uuid = $5), -1) AS group_quota,"
    " (SELECT ARRAY["
    "   coalesce(sum(used) FILTER (WHERE owner_uuid = $4 AND incarnation <> $2), 0),"
    "   coalesce(sum(used) FILTER (WHERE owner_uuid = $4 AND incarnation = $2), 0),"
    "   coalesce(sum(used) FILTER (WHERE owner_uuid = $5 AND incarnation <> $2), 0),"
    "   coalesce(sum(used) FILTER (WHERE owner_uuid = $5 AND incarnation = $2), 0)]::bigint[]"
    "  FROM quota_used WHERE owner_uuid IN ($4, $5) AND month = $6::bigint::integer) AS used"
    " FROM api_key k JOIN member m ON m.uuid = k.owner_uuid"
    " CROSS JOIN (SELECT coalesce(min(flushed_through) FILTER (WHERE incarnation = $2"
    "  OR last_seen > now() - interval '60 s'), max(flushed_through)) AS through"
    "  FROM meter_host WHERE closed_at IS NULL) h"
    " CROSS JOIN (SELECT coalesce(array_agg(day), '{}') AS days,"
    "  coalesce(array_agg(others), '{}') AS day_others, coalesce(array_agg(ours), '{}') AS day_ours"
    "  FROM (SELECT (day - date '1970-01-01')::bigint AS day,"
    "   coalesce(sum(requests) FILTER (WHERE incarnation <> $2), 0)::bigint AS others,"
    "   coalesce(sum(requests) FILTER (WHERE incarnation = $2), 0)::bigint AS ours"
    "   FROM usage_daily WHERE key_uuid = $1 AND day >= date '1970-01-01' + "
    "$3::bigint::integer GROUP BY day) AS counted) d"
    " WHERE k.uuid = $1");

/* Spreads the lists of the row, which have the days with counts alone. */
static void
spread_days(struct entry *e, const struct stored_want *want)
{
	const struct stored_usage *row = &e->row;
	const int64_t *day = row->days.items, *others = row->day_others.items,
		      *ours = row->day_ours.items;
	/* One more than to today: an entry may be used for a moment after midnight. */
	struct stored_days d = { .first = want->first, .n = want->today - want->first + 2 };

	d.others = ARENA_ARRAY(e->arena, d.n, int64_t);
	d.ours = ARENA_ARRAY(e->arena, d.n, int64_t);
	for (size_t i = 0; i < row->days.n; i++) {
		if (day[i] < d.first || day[i] >= d.first + d.n)
			continue; /* a day that was counted while the database's clock was ahead */
		d.others[day[i] - d.first] = others[i];
		d.ours[day[i] - d.first] = ours[i];
	}
	e->days = d;
}

static bool
entry_fits(const struct entry *e, const struct req *rq, const struct stored_want *want)
{
	return e->until > mono_us() && uuid_cmp(&e->key, &rq->key->uuid) == 0 &&
	       e->changes == key_cache_changes(rq->worker->keys) &&
	       uuid_cmp(&e->incarnation, &want->incarnation) == 0 && e->month == want->month &&
	       e->days.first <= want->first && want->today - e->days.first < e->days.n;
}

static enum db_rc
read_entry(struct entry *e, struct req *rq, const struct stored_want *want)
{
	int64_t asked = mono_us(); /* the entry's age counts from before the answer */
	enum db_rc rc;

	e->until = 0;
	if (e->arena == NULL)
		e->arena = arena_new(ENTRY_MEMORY);
	arena_reset(e->arena);
	db_use(rq->db, e->arena, rq->deadline);
	rc = db_one(rq->db, &usage_stored, &e->row, P(rq->key->uuid), P(want->incarnation),
	    P((int64_t)want->first), P(rq->key->account), P(rq->key->group_uuid),
	    P((int64_t)want->month));
	db_use(rq->db, rq->arena, rq->deadline);
	if (rc != DB_OK)
		return rc;
	spread_days(e, want);
	e->key = rq->key->uuid;
	e->incarnation = want->incarnation;
	e->month = want->month;
	e->changes = key_cache_changes(rq->worker->keys);
	e->until = asked + conf.meter_flush * 1000;
	return DB_OK;
}

enum db_rc
usage_stored_read(struct req *rq, const struct stored_want *want, const struct stored_usage **row,
    struct stored_days **days)
{
	const struct uuid *key = &rq->key->uuid;
	struct entry *e = &rq->worker->usage->entries[key->b[sizeof(key->b) - 1] % ENTRIES];
	enum db_rc rc = DB_OK;

	if (!entry_fits(e, rq, want))
		rc = read_entry(e, rq, want);
	*row = &e->row;
	*days = &e->days;
	return rc;
}
