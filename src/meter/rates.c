/* SPDX-License-Identifier: ISC */
/* Slots of rates: their limits come from PostgreSQL, their counts stay in the mapping. Each host
 * counts rates for itself, so nothing is leased and no count is stored.
 *
 * A changed limit arrives by the notification key_changed, or by polling when the notification
 * was lost (LOOK_US in main.c). The limits of all live slots are read again then, CHUNK rows
 * with one query. */
#include "config.h"

#include "meter/meter.h"
#include "meter/slots.h"

enum { CHUNK = 2000 };

struct limits {
	int64_t rate, rate_window, search_rate, search_window;
};

static const struct field limits_out[] = {
	FIELD(struct limits, rate, 0),
	FIELD(struct limits, rate_window, 0),
	FIELD(struct limits, search_rate, 0),
	FIELD(struct limits, search_window, 0),
	FIELD_END,
};

STMT(find_limits, limits_out,
    "SELECT k.rate, k.rate_window, a.search_rate, a.search_window FROM key_limit k, "
    "account_limit a"
    " WHERE k.key_uuid = $1 AND a.account_uuid = $2");

struct limit {
	struct uuid owner;
	int64_t rate, rate_window;
};

static const struct field limit_out[] = {
	FIELD(struct limit, owner, 0),
	FIELD(struct limit, rate, 0),
	FIELD(struct limit, rate_window, 0),
	FIELD_END,
};

STMT_LIST(key_limits, struct limit, limit_out,
    "SELECT key_uuid AS owner, rate, rate_window FROM key_limit WHERE key_uuid = ANY "
    "($1::text[]::uuid[])");

STMT_LIST(account_limits, struct limit, limit_out,
    "SELECT account_uuid AS owner, search_rate AS rate, search_window AS rate_window "
    "FROM account_limit"
    " WHERE account_uuid = ANY ($1::text[]::uuid[])");

static bool
set_rate(
    struct meterd *m, enum slot_kind kind, const struct uuid *owner, int64_t rate, int64_t seconds)
{
	bool fresh;
	struct slot *s = slots_get(m, kind, owner, 0, &fresh);

	if (s == NULL)
		return false;
	atomic_store(&s->limit, (uint64_t)rate << 32 | (uint64_t)seconds);
	if (!fresh)
		return true;
	/* An empty window begins now, so that is_over retires the slot even if it is never used. */
	atomic_store(&s->word, (uint64_t)(boot_us() / SECOND_US) << 32);
	slot_publish(s);
	return true;
}

bool
rates_need(struct meterd *m, const struct uuid *key, const struct uuid *account)
{
	struct limits l;

	if (meter_find(&m->file, SLOT_KEY_RATE, key, 0) != NULL &&
	    meter_find(&m->file, SLOT_ACCOUNT_RATE, account, 0) != NULL)
		return true;
	if (!meterd_ready(m) ||
	    !meterd_ok(m, db_one(m->db, &find_limits, &l, P(*key), P(*account)), "limits"))
		return false;
	return set_rate(m, SLOT_KEY_RATE, key, l.rate, l.rate_window) &&
	       set_rate(m, SLOT_ACCOUNT_RATE, account, l.search_rate, l.search_window);
}

/* Reads the limits of many slots with one query. False: the database failed or the table is
   full. */
static bool
refresh_limits(struct meterd *m, enum slot_kind kind, struct strs owners)
{
	const struct stmt *st = kind == SLOT_KEY_RATE ? &key_limits : &account_limits;
	const struct limit *rows;
	struct list list;

	if (owners.n == 0)
		return true;
	if (!meterd_ok(m, db_list(m->db, st, &list, P(owners)), "limits"))
		return false;
	rows = list.items;
	for (size_t i = 0; i < list.n; i++)
		if (!set_rate(m, kind, &rows[i].owner, rows[i].rate, rows[i].rate_window))
			return false;
	return true;
}

static void
refresh_kind(struct meterd *m, enum slot_kind kind)
{
	struct str *texts = ARENA_ARRAY(m->arena, CHUNK, struct str);
	size_t n = 0;

	for (size_t i = 0; i < m->nactive; i++) {
		const struct slot *s = &m->file.slots[m->active[i]];

		if (s->kind != (uint32_t)kind || atomic_load(&s->state) != SLOT_LIVE)
			continue;
		texts[n++] = arena_uuid(m->arena, &s->owner);
		if (n < CHUNK)
			continue;
		if (!refresh_limits(m, kind, (struct strs){ texts, n }))
			return;
		n = 0;
	}
	(void)refresh_limits(m, kind, (struct strs){ texts, n });
}

void
rates_refresh(struct meterd *m)
{
	if (!meterd_ready(m))
		return;
	refresh_kind(m, SLOT_KEY_RATE);
	refresh_kind(m, SLOT_ACCOUNT_RATE);
}
