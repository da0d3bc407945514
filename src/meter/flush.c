/* SPDX-License-Identifier: ISC */
/* Stores the counts of slots that changed, as absolute numbers: repeated or late calls do no
 * harm. The answer also brings PostgreSQL's clock.
 *
 * A slot is dirty while its numbers differ from those that PostgreSQL has confirmed (slot_note),
 * so a failure needs no reaction: the slots stay dirty, and the next flush sends newer numbers.
 * Slots go in batches of CHUNK rows; only the last batch carries `through`, the moment before
 * which no count is missing, since the earlier ones do not contain all slots. */
#include "config.h"

#include "meter/meter.h"
#include "meter/lease.h"
#include "meter/slots.h"

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

STMT(store, stored_out,
    "SELECT meter_flush($1, $2, $3::text[]::uuid[], $4::text[]::integer[], "
    "$5::text[]::bigint[],"
    " $6::text[]::bigint[], $7::text[]::uuid[], $8::text[]::integer[], "
    "$9::text[]::bigint[],"
    " $10::text[]::bigint[]) AS known, clock_timestamp() AS at");

/* The rows of one call, as parallel lists. */
struct column {
	struct str owner[CHUNK], period[CHUNK], taken[CHUNK], back[CHUNK];
	const struct slot *slot[CHUNK];
	uint64_t numbers[CHUNK][2]; /* taken and back, to note them when they are stored */
	size_t n;
};

struct batch {
	struct column quota, usage;
};

static void
add_slot_row(struct meterd *m, struct column *c, const struct slot *s)
{
	uint64_t back = slot_back(s), taken = slot_taken(s);
	size_t n = c->n++;

	c->owner[n] = arena_uuid(m->arena, &s->owner);
	c->period[n] = arena_printf(m->arena, "%u", s->period);
	c->taken[n] = arena_printf(m->arena, "%" PRIu64, taken);
	c->back[n] = arena_printf(m->arena, "%" PRIu64, back);
	c->slot[n] = s;
	c->numbers[n][0] = taken;
	c->numbers[n][1] = back;
}

static void
note_stored(struct meterd *m, const struct column *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct slot_note *n = slots_note(m, c->slot[i]);

		n->taken = c->numbers[i][0];
		n->back = c->numbers[i][1];
	}
}

#define LIST_P(column, member) P(((struct strs){ (column).member, (column).n }))

/* Stores and empties the batch. through: no count before this moment is missing after the call;
   TS_NULL: more batches follow. False: the database failed, or does not know this incarnation. */
static bool
store_count_batch(struct meterd *m, struct batch *b, struct ts through)
{
	int64_t asked = boot_us();
	struct stored got;

	if (m->replaced && b->quota.n + b->usage.n == 0)
		return true;
	if (!meterd_ok(m,
		db_one(m->db, &store, &got, P(m->file.head->incarnation), P(through),
		    LIST_P(b->quota, owner), LIST_P(b->quota, period), LIST_P(b->quota, taken),
		    LIST_P(b->quota, back), LIST_P(b->usage, owner), LIST_P(b->usage, period),
		    LIST_P(b->usage, taken), LIST_P(b->usage, back)),
		"flush"))
		return false;
	if (!got.known && !m->replaced) {
		m->registered = false;
		return false;
	}
	meterd_set_clock(m, got.at, asked);
	metrics_add(m->metrics, COUNTER_FLUSHES);
	note_stored(m, &b->quota);
	note_stored(m, &b->usage);
	b->quota.n = b->usage.n = 0;
	return true;
}

static bool
is_dirty(struct meterd *m, const struct slot *s)
{
	const struct slot_note *n = slots_note(m, s);

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

bool
flush_counts(struct meterd *m)
{
	/* Taken before the slots are read: a request counted after this moment may be missing. */
	struct ts through = meter_time(&m->file, boot_us());
	struct batch *b;

	if (!meterd_ready(m))
		return false;
	b = ARENA_NEW(m->arena, struct batch);
	for (size_t i = 0; i < m->nactive; i++) {
		const struct slot *s = &m->file.slots[m->active[i]];
		struct column *c = column_of(b, s);

		if (c == NULL || !is_dirty(m, s))
			continue;
		add_slot_row(m, c, s);
		if (c->n == CHUNK && !store_count_batch(m, b, TS_NULL))
			return false;
	}
	if (!store_count_batch(m, b, through))
		return false;
	if (!m->replaced)
		lease_report(m);
	return true;
}
