/* SPDX-License-Identifier: ISC */
/* Leases: parts of a month's quota that this host may hand out without asking. Every lease has a
   sequence number and every other number is absolute, so a call whose answer was lost can be
   repeated: PostgreSQL grants nothing for a sequence number that it has seen, and answers with the
   present sum. */
#include "config.h"

#include "meter/meter.h"
#include "meter/lease.h"
#include "meter/slots.h"

#include <inttypes.h>

enum {
	EXHAUSTED_S = 1,     /* workers refuse without asking for this long */
	RETRY_US = 20000,    /* between two calls while other hosts surrender units */
	GIVE_UP_US = 400000, /* after which units that they hold count as used */
	/* Smaller blocks are not renewed ahead, so that near its end a quota is shared by all
	   hosts. */
	SMALL_BLOCK = 8,
	TRIES = 3,
	RETURNS = 1000, /* leases of one call of lease_return */
	REPORTS = 64,   /* calls after one flush */
};

struct lease_answer {
	int64_t seq, granted, surrendered, taken, given_back;
	int64_t rest; /* units of the quota not leased to any host */
	int64_t idle; /* units leased to other live hosts and not used */
};

static const struct field lease_answer_out[] = {
	FIELD(struct lease_answer, seq, 0),
	FIELD(struct lease_answer, granted, 0),
	FIELD(struct lease_answer, surrendered, 0),
	FIELD(struct lease_answer, taken, 0),
	FIELD(struct lease_answer, given_back, 0),
	FIELD(struct lease_answer, rest, 0),
	FIELD(struct lease_answer, idle, 0),
	FIELD_END,
};

STMT(lease, lease_answer_out,
    "SELECT seq, granted, surrendered, taken, given_back, rest, idle"
    " FROM meter_lease($1, $2, $3, $4::bigint::integer, $5, $6, $7, $8, $9)");

struct returned {
	int64_t leases;
};

static const struct field returned_out[] = {
	FIELD(struct returned, leases, 0),
	FIELD_END,
};

/* The sequence number 0 asks for no further units. All hosts take the locks in the order of the
   owners. */
STMT(give_back, returned_out,
    "SELECT count(*) AS leases FROM (SELECT * FROM unnest($2::text[], $3::text[]::uuid[],"
    " $4::text[]::integer[], $5::text[]::bigint[], $6::text[]::bigint[], $7::text[]::bigint[],"
    " $8::text[]::bigint[]) AS r (kind, owner, month, granted, surrendered, taken, back)"
    " ORDER BY owner, month) AS r, LATERAL meter_lease($1, r.kind, r.owner, r.month, 0, r.granted,"
    " r.surrendered, r.taken, r.back)");

struct unwanted {
	struct str kind;
	struct uuid owner;
};

static const struct field unwanted_out[] = {
	FIELD(struct unwanted, kind, 0),
	FIELD(struct unwanted, owner, 0),
	FIELD_END,
};

STMT_LIST(list_unwanted, struct unwanted, unwanted_out,
    "SELECT kind, owner FROM meter_unwanted($1, $2::bigint::integer)");

static const char *
kind_name(enum slot_kind kind)
{
	return kind == SLOT_ACCOUNT_QUOTA ? "account" : "group";
}

/* Reports the slot's numbers; a seq above the last one also leases more. False: the database
   failed, or the owner does not exist. */
static bool
call_meter_lease(struct meterd *m, struct slot *s, int64_t seq, struct lease_answer *out)
{
	int64_t back = (int64_t)slot_back(s), surrendered = atomic_load(&s->surrendered);
	struct slot_note *n = slots_note(m, s);

	if (!meterd_ready(m) ||
	    !meterd_ok(m,
		db_one(m->db, &lease, out, P(m->file.head->incarnation),
		    P(str_of(kind_name((enum slot_kind)s->kind))), P(s->owner),
		    P((int64_t)s->period), P(seq), P((int64_t)atomic_load(&s->limit)),
		    P(surrendered), P((int64_t)slot_taken(s)), P(back)),
		"lease"))
		return false;
	metrics_add(m->metrics, COUNTER_LEASES);
	n->surrendered = (uint64_t)surrendered;
	n->reported = true;
	return true;
}

/* Raises the limit of a slot. The order of the stores matters to workers, which read without a
 * lock:
 * - `mark` before `limit`: a worker asks for the next lease when exactly `mark` units are left,
 *   and would miss that moment if it saw the new limit with the old mark.
 * - `until` last: a worker that finds the quota not exhausted any more finds the new limit, too.
 *
 * The answer's counts are ignored, because workers have counted since. */
static void
raise_slot_limit(struct slot *s, const struct lease_answer *a)
{
	uint64_t before = atomic_load(&s->limit), granted = (uint64_t)a->granted;

	if (granted > before) {
		atomic_store(&s->mark,
		    granted - before >= SMALL_BLOCK ? (uint32_t)((granted - before) / 2) : 0);
		atomic_store(&s->limit, granted);
		atomic_store(&s->until, 0);
	}
	s->seq = (uint32_t)a->seq;
}

/* Handles a quota with nothing left. While other hosts hold unused units, which PostgreSQL has
   asked them for, the lease is retried; after that the slot is marked exhausted. */
static void
wait_or_mark_exhausted(struct meterd *m, struct slot *s, const struct lease_answer *a)
{
	struct slot_note *n = slots_note(m, s);
	int64_t now = mono_us();

	if (a->idle > 0 && n->give_up_at == 0)
		n->give_up_at = now + GIVE_UP_US;
	if (a->idle > 0 && now < n->give_up_at) {
		n->retry_at = now + RETRY_US;
		return;
	}
	n->retry_at = n->give_up_at = 0;
	/* Rounded up, for the current second is partly over. */
	atomic_store(&s->until, (uint32_t)(now / SECOND_US) + EXHAUSTED_S + 1);
}

static void
lease_more(struct meterd *m, struct slot *s)
{
	struct slot_note *n = slots_note(m, s);
	struct lease_answer a;

	for (int i = 0; i < TRIES; i++) {
		if (!call_meter_lease(m, s, (int64_t)s->seq + 1, &a))
			return;
		raise_slot_limit(s, &a);
		if (slot_left(s) > 0) {
			n->retry_at = n->give_up_at = 0;
			return;
		}
		if (a.rest <= 0)
			break;
	}
	wait_or_mark_exhausted(m, s, &a);
}

/* Fills in a new slot. PostgreSQL's counts matter when this incarnation had freed the slot of that
   period before, as after a step of the clock: the slot goes on from them. */
static void
open_quota_slot(struct meterd *m, struct slot *s)
{
	struct lease_answer a;

	if (!call_meter_lease(m, s, 1, &a)) {
		slot_free(&m->file, s);
		m->nactive--; /* slots_get added the slot last */
		return;
	}
	atomic_store(&s->word, (uint64_t)a.taken);
	atomic_store(&s->surrendered, (uint32_t)a.surrendered);
	atomic_store(&s->back, (uint64_t)a.given_back);
	raise_slot_limit(s, &a);
	slot_publish(s);
	if (slot_left(s) == 0)
		lease_more(m, s);
}

void
lease_need(struct meterd *m, enum slot_kind kind, const struct uuid *owner, uint32_t month)
{
	bool fresh;
	struct slot *s = slots_get(m, kind, owner, month, &fresh);

	if (s == NULL)
		return;
	if (fresh) {
		open_quota_slot(m, s);
		return;
	}
	if (slots_note(m, s)->retry_at != 0 ||
	    atomic_load(&s->until) > (uint32_t)(mono_us() / SECOND_US))
		return;
	if (slot_left(s) <= atomic_load(&s->mark))
		lease_more(m, s);
}

static bool
is_quota(const struct slot *s)
{
	return (s->kind == SLOT_ACCOUNT_QUOTA || s->kind == SLOT_GROUP_QUOTA) &&
	       atomic_load(&s->state) == SLOT_LIVE;
}

void
lease_retry(struct meterd *m)
{
	int64_t now = mono_us();
	bool any = false;

	for (size_t i = 0; i < m->nactive; i++) {
		struct slot *s = &m->file.slots[m->active[i]];
		const struct slot_note *n = slots_note(m, s);

		if (!is_quota(s) || n->retry_at == 0 || n->retry_at > now)
			continue;
		lease_more(m, s);
		any = true;
	}
	if (any)
		meter_wake_workers(&m->file);
}

/* Reports the slots whose leases PostgreSQL may not know, after a flush. A database that was
 * restored from a backup does not know later leases, and would grant the same units to other
 * hosts; after a failure every slot counts as unreported (slots_store_again). At most REPORTS
 * calls are made at a time, because each is a call of its own and the loop must go on leasing. */
void
lease_report(struct meterd *m)
{
	struct lease_answer a;
	int calls = 0;

	for (size_t i = 0; i < m->nactive && calls < REPORTS; i++) {
		struct slot *s = &m->file.slots[m->active[i]];
		struct slot_note *n = slots_note(m, s);

		if (!is_quota(s) || (n->reported && n->surrendered == atomic_load(&s->surrendered)))
			continue;
		calls++;
		n->reported = true; /* even on failure: the owner may not exist any more */
		if (call_meter_lease(m, s, s->seq, &a))
			raise_slot_limit(s, &a);
		else if (!m->registered)
			return;
	}
}

/* The rows of one call, as parallel lists. */
struct returns {
	struct str kind[RETURNS], owner[RETURNS], month[RETURNS];
	struct str granted[RETURNS], surrendered[RETURNS], taken[RETURNS], back[RETURNS];
	struct slot *slot[RETURNS];
	uint64_t number[RETURNS]; /* surrendered, to note it when it is stored */
	size_t n;
};

static void
add_return(struct meterd *m, struct returns *r, struct slot *s)
{
	size_t n = r->n++;
	uint64_t back = slot_back(s);

	r->slot[n] = s;
	r->number[n] = atomic_load(&s->surrendered);
	r->kind[n] = str_of(kind_name((enum slot_kind)s->kind));
	r->owner[n] = arena_uuid(m->arena, &s->owner);
	r->month[n] = arena_printf(m->arena, "%u", s->period);
	r->granted[n] = arena_printf(m->arena, "%" PRIu64, atomic_load(&s->limit));
	r->surrendered[n] = arena_printf(m->arena, "%" PRIu64, r->number[n]);
	r->taken[n] = arena_printf(m->arena, "%" PRIu64, slot_taken(s));
	r->back[n] = arena_printf(m->arena, "%" PRIu64, back);
}

#define RETURNS_P(member) P(((struct strs){ r->member, r->n }))

static bool
report_returns(struct meterd *m, struct returns *r)
{
	struct returned got;

	if (r->n == 0)
		return true;
	if (!meterd_ready(m) ||
	    !meterd_ok(m,
		db_one(m->db, &give_back, &got, P(m->file.head->incarnation), RETURNS_P(kind),
		    RETURNS_P(owner), RETURNS_P(month), RETURNS_P(granted), RETURNS_P(surrendered),
		    RETURNS_P(taken), RETURNS_P(back)),
		"return"))
		return false;
	metrics_add(m->metrics, COUNTER_LEASES);
	for (size_t i = 0; i < r->n; i++)
		slots_note(m, r->slot[i])->surrendered = r->number[i];
	r->n = 0;
	return true;
}

bool
lease_return(struct meterd *m)
{
	struct returns *r = ARENA_NEW(m->arena, struct returns);

	for (size_t i = 0; i < m->nactive; i++) {
		struct slot *s = &m->file.slots[m->active[i]];

		if (!is_quota(s))
			continue;
		(void)slot_surrender(&m->file, s);
		if (slots_note(m, s)->surrendered != atomic_load(&s->surrendered))
			add_return(m, r, s);
		if (r->n == RETURNS && !report_returns(m, r))
			return false;
	}
	return report_returns(m, r);
}

void
lease_doubt(struct meterd *m)
{
	for (size_t i = 0; i < m->nactive; i++)
		if (is_quota(&m->file.slots[m->active[i]]))
			atomic_store(&m->file.slots[m->active[i]].until, 0);
}

void
lease_surrender(struct meterd *m)
{
	uint32_t month = meter_month(m->now);
	const struct unwanted *rows;
	struct list list;

	if (!meterd_ready(m) || !meterd_ok(m,
				    db_list(m->db, &list_unwanted, &list,
					P(m->file.head->incarnation), P((int64_t)month)),
				    "unwanted"))
		return;
	rows = list.items;
	for (size_t i = 0; i < list.n; i++) {
		enum slot_kind kind =
		    str_is(rows[i].kind, "account") ? SLOT_ACCOUNT_QUOTA : SLOT_GROUP_QUOTA;
		struct slot *s = meter_find(&m->file, kind, &rows[i].owner, month);

		if (s != NULL)
			slot_surrender(&m->file, s);
	}
	lease_report(m);
}
