/* SPDX-License-Identifier: ISC */
/* What was counted, stored as absolute numbers: twice or late it does no harm. */
#include "config.h"

#include "meter/meter.h"

#include <inttypes.h>

enum { CHUNK = 1000 };

struct stored {
	bool known;
	struct ts at;
};

static const struct field stored_out[] = {
	FIELD(struct stored, known, 0),
	FIELD(struct stored, at, 0),
	FIELD_END,
};

static const struct stmt store = STMT(store, stored_out,
    "SELECT meter_flush($1, $2, $3::text[]::uuid[], $4::text[]::integer[], "
    "$5::text[]::bigint[],"
    " $6::text[]::bigint[], $7::text[]::uuid[], $8::text[]::integer[], "
    "$9::text[]::bigint[],"
    " $10::text[]::bigint[]) AS known, clock_timestamp() AS at");

const struct stmt *const flush_stmts[] = { &store, NULL };

struct column {
	struct str owner[CHUNK], period[CHUNK], taken[CHUNK], back[CHUNK];
	const struct slot *slot[CHUNK];
	uint64_t numbers[CHUNK][2];
	size_t n;
};

struct batch {
	struct column quota, usage;
};

static void
add(struct warden *w, struct column *c, const struct slot *s)
{
	uint64_t back = slot_back(s), taken = slot_taken(s);
	size_t n = c->n++;

	c->owner[n] = arena_uuid(w->arena, &s->owner);
	c->period[n] = arena_printf(w->arena, "%u", s->period);
	c->taken[n] = arena_printf(w->arena, "%" PRIu64, taken);
	c->back[n] = arena_printf(w->arena, "%" PRIu64, back);
	c->slot[n] = s;
	c->numbers[n][0] = taken;
	c->numbers[n][1] = back;
}

static void
note(struct warden *w, const struct column *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct note *n = roster_note(w, c->slot[i]);

		n->taken = c->numbers[i][0];
		n->back = c->numbers[i][1];
	}
}

#define LIST_P(column, member) P(((struct strs){ (column).member, (column).n }))

static bool
send(struct warden *w, struct batch *b, struct ts through)
{
	int64_t asked = boot_us();
	struct stored got;

	if (!warden_ok(w,
		db_one(w->db, &store, &got, P(w->file.head->incarnation), P(through),
		    LIST_P(b->quota, owner), LIST_P(b->quota, period),
		    LIST_P(b->quota, taken), LIST_P(b->quota, back),
		    LIST_P(b->usage, owner), LIST_P(b->usage, period),
		    LIST_P(b->usage, taken), LIST_P(b->usage, back)),
		"flush"))
		return false;
	if (!got.known) {
		w->begun = false;
		return false;
	}
	warden_clock(w, got.at, asked);
	metrics_add(w->metrics, COUNTER_FLUSHES);
	note(w, &b->quota);
	note(w, &b->usage);
	b->quota.n = b->usage.n = 0;
	return true;
}

static bool
is_dirty(struct warden *w, const struct slot *s)
{
	const struct note *n = roster_note(w, s);

	return n->taken != slot_taken(s) || n->back != slot_back(s);
}

static struct column *
column_of(struct batch *b, const struct slot *s)
{
	switch ((enum slot_kind)s->kind) {
	case SLOT_ACCOUNT_QUOTA:
	case SLOT_GROUP_QUOTA:
		return &b->quota;
	case SLOT_KEY_USAGE:
		return &b->usage;
	case SLOT_KEY_RATE:
	case SLOT_ACCOUNT_RATE:
		return NULL;
	case SLOT_KINDS:
		break;
	}
	panic("a slot of kind %u", s->kind);
}

void
flush_counts(struct warden *w)
{
	/* A request that is counted later may be missing below. */
	struct ts through = meter_time(&w->file, boot_us());
	struct batch *b;

	if (!warden_db(w))
		return;
	b = ARENA_NEW(w->arena, struct batch);
	for (size_t i = 0; i < w->nactive; i++) {
		const struct slot *s = &w->file.slots[w->active[i]];
		struct column *c = column_of(b, s);

		if (c == NULL || !is_dirty(w, s))
			continue;
		add(w, c, s);
		if (c->n == CHUNK && !send(w, b, TS_NULL))
			return;
	}
	if (send(w, b, through))
		lease_report(w);
}
