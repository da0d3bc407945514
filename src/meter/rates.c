/* SPDX-License-Identifier: ISC */
/* The limits of rates, as the database has them. */
#include "config.h"

#include "meter/meter.h"

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

static const struct stmt find_limits = STMT(find_limits, limits_out,
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

static const struct stmt key_limits = STMT_LIST(key_limits, struct limit, limit_out,
    "SELECT key_uuid AS owner, rate, rate_window FROM key_limit WHERE key_uuid = ANY "
    "($1::text[]::uuid[])");

static const struct stmt account_limits =
    STMT_LIST(account_limits, struct limit, limit_out,
	"SELECT account_uuid AS owner, search_rate AS rate, search_window AS rate_window "
	"FROM account_limit"
	" WHERE account_uuid = ANY ($1::text[]::uuid[])");

const struct stmt *const rate_stmts[] = { &find_limits, &key_limits, &account_limits,
	NULL };

static bool
put(struct warden *w, enum slot_kind kind, const struct uuid *owner, int64_t rate,
    int64_t seconds)
{
	bool fresh;
	struct slot *s = roster_slot(w, kind, owner, 0, &fresh);

	if (s == NULL)
		return false;
	atomic_store(&s->limit, (uint64_t)rate << 32 | (uint64_t)seconds);
	if (!fresh)
		return true;
	/* An empty window begins now: a slot that is never used grows old too. */
	atomic_store(&s->word, (uint64_t)(boot_us() / SECOND_US) << 32);
	slot_publish(s);
	return true;
}

bool
rates_need(struct warden *w, const struct uuid *key, const struct uuid *account)
{
	struct limits l;

	if (meter_find(&w->file, SLOT_KEY_RATE, key, 0) != NULL &&
	    meter_find(&w->file, SLOT_ACCOUNT_RATE, account, 0) != NULL)
		return true;
	if (!warden_db(w) ||
	    !warden_ok(
		w, db_one(w->db, &find_limits, &l, P(*key), P(*account)), "limits"))
		return false;
	return put(w, SLOT_KEY_RATE, key, l.rate, l.rate_window) &&
	       put(w, SLOT_ACCOUNT_RATE, account, l.search_rate, l.search_window);
}

/* One query for many slots; false when the database is away. */
static bool
refresh(struct warden *w, enum slot_kind kind, struct strs owners)
{
	const struct stmt *st = kind == SLOT_KEY_RATE ? &key_limits : &account_limits;
	const struct limit *rows;
	struct list list;

	if (owners.n == 0)
		return true;
	if (!warden_ok(w, db_list(w->db, st, &list, P(owners)), "limits"))
		return false;
	rows = list.items;
	for (size_t i = 0; i < list.n; i++)
		if (!put(w, kind, &rows[i].owner, rows[i].rate, rows[i].rate_window))
			return false;
	return true;
}

static void
refresh_kind(struct warden *w, enum slot_kind kind)
{
	struct str *texts = ARENA_ARRAY(w->arena, CHUNK, struct str);
	size_t n = 0;

	for (size_t i = 0; i < w->nactive; i++) {
		const struct slot *s = &w->file.slots[w->active[i]];

		if (s->kind != (uint32_t)kind || atomic_load(&s->state) != SLOT_LIVE)
			continue;
		texts[n++] = arena_uuid(w->arena, &s->owner);
		if (n < CHUNK)
			continue;
		if (!refresh(w, kind, (struct strs){ texts, n }))
			return;
		n = 0;
	}
	(void)refresh(w, kind, (struct strs){ texts, n });
}

void
rates_refresh(struct warden *w)
{
	if (!warden_db(w))
		return;
	refresh_kind(w, SLOT_KEY_RATE);
	refresh_kind(w, SLOT_ACCOUNT_RATE);
}
