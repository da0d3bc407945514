/* SPDX-License-Identifier: ISC */
/* Leases: parts of a month's quota that this host may hand out without asking. Every number that goes
   to the database is absolute and every lease has a number, so a commit whose answer was lost does no
   harm when it is tried again. */
#include "config.h"

#include "meter/meter.h"

enum {
	EXHAUSTED_S = 1,  /* how long "nothing left" is believed without asking again */
	RETRY_US = 20000, /* between two looks for what other hosts surrender ... */
	GIVE_UP_US = 400000, /* ... and how long */
	SMALL_BLOCK =
	    8, /* smaller ones are not renewed ahead: near the limit hosts share */
	TRIES = 3,
	REPORTS = 64, /* of one flush */
};

struct answer {
	int64_t seq, granted, surrendered, taken, given_back, rest, idle;
};

static const struct field answer_out[] = {
	FIELD(struct answer, seq, 0),
	FIELD(struct answer, granted, 0),
	FIELD(struct answer, surrendered, 0),
	FIELD(struct answer, taken, 0),
	FIELD(struct answer, given_back, 0),
	FIELD(struct answer, rest, 0),
	FIELD(struct answer, idle, 0),
	FIELD_END,
};

static const struct stmt lease = STMT(lease, answer_out,
    "SELECT seq, granted, surrendered, taken, given_back, rest, idle"
    " FROM meter_lease($1, $2, $3, $4::bigint::integer, $5, $6, $7, $8, $9)");

struct unwanted {
	struct str kind;
	struct uuid owner;
};

static const struct field unwanted_out[] = {
	FIELD(struct unwanted, kind, 0),
	FIELD(struct unwanted, owner, 0),
	FIELD_END,
};

static const struct stmt list_unwanted = STMT_LIST(list_unwanted, struct unwanted,
    unwanted_out, "SELECT kind, owner FROM meter_unwanted($1, $2::bigint::integer)");

const struct stmt *const lease_stmts[] = { &lease, &list_unwanted, NULL };

static const char *
kind_name(enum slot_kind kind)
{
	return kind == SLOT_ACCOUNT_QUOTA ? "account" : "group";
}

/* Tells what the slot counts and, with a number above the last one, leases more. */
static bool
call(struct warden *w, struct slot *s, int64_t seq, struct answer *out)
{
	int64_t back = (int64_t)slot_back(s), surrendered = atomic_load(&s->surrendered);
	struct note *n = roster_note(w, s);

	if (!warden_db(w) ||
	    !warden_ok(w,
		db_one(w->db, &lease, out, P(w->file.head->incarnation),
		    P(str_of(kind_name((enum slot_kind)s->kind))), P(s->owner),
		    P((int64_t)s->period), P(seq), P((int64_t)atomic_load(&s->limit)),
		    P(surrendered), P((int64_t)slot_taken(s)), P(back)),
		"lease"))
		return false;
	metrics_add(w->metrics, COUNTER_LEASES);
	n->surrendered = (uint64_t)surrendered;
	n->told = true;
	return true;
}

/* What the answer says of a slot that already counts: its own numbers are the newer ones. */
static void
apply(struct slot *s, const struct answer *a)
{
	uint64_t before = atomic_load(&s->limit), granted = (uint64_t)a->granted;

	if (granted > before) {
		atomic_store(&s->mark, granted - before >= SMALL_BLOCK
					   ? (uint32_t)((granted - before) / 2)
					   : 0);
		atomic_store(&s->limit, granted);
		atomic_store(&s->until, 0);
	}
	s->seq = (uint32_t)a->seq;
}

/* Nothing is left. Other hosts may hold some that they do not need: they have been told. */
static void
exhausted(struct warden *w, struct slot *s, const struct answer *a)
{
	struct note *n = roster_note(w, s);
	int64_t now = mono_us();

	if (a->idle > 0 && n->give_up_at == 0)
		n->give_up_at = now + GIVE_UP_US;
	if (a->idle > 0 && now < n->give_up_at) {
		n->retry_at = now + RETRY_US;
		return;
	}
	n->retry_at = n->give_up_at = 0;
	/* One more for the second that has begun. */
	atomic_store(&s->until, (uint32_t)(now / SECOND_US) + EXHAUSTED_S + 1);
}

static void
renew(struct warden *w, struct slot *s)
{
	struct note *n = roster_note(w, s);
	struct answer a;

	for (int i = 0; i < TRIES; i++) {
		if (!call(w, s, (int64_t)s->seq + 1, &a))
			return;
		apply(s, &a);
		if (slot_left(s) > 0) {
			n->retry_at = n->give_up_at = 0;
			return;
		}
		if (a.rest <= 0)
			break;
	}
	exhausted(w, s, &a);
}

/* A slot that this incarnation had before goes on counting where it ended. */
static void
begin(struct warden *w, struct slot *s)
{
	struct answer a;

	if (!call(w, s, 1, &a)) {
		slot_free(&w->file, s);
		w->nactive--; /* it was added last */
		return;
	}
	atomic_store(&s->word, (uint64_t)a.taken);
	atomic_store(&s->surrendered, (uint32_t)a.surrendered);
	atomic_store(&s->back, (uint64_t)a.given_back);
	apply(s, &a);
	slot_publish(s);
	if (slot_left(s) == 0)
		renew(w, s);
}

void
lease_need(
    struct warden *w, enum slot_kind kind, const struct uuid *owner, uint32_t month)
{
	bool fresh;
	struct slot *s = roster_slot(w, kind, owner, month, &fresh);

	if (s == NULL)
		return;
	if (fresh) {
		begin(w, s);
		return;
	}
	if (roster_note(w, s)->retry_at != 0 ||
	    atomic_load(&s->until) > (uint32_t)(mono_us() / SECOND_US))
		return;
	if (slot_left(s) <= atomic_load(&s->mark))
		renew(w, s);
}

static bool
is_quota(const struct slot *s)
{
	return (s->kind == SLOT_ACCOUNT_QUOTA || s->kind == SLOT_GROUP_QUOTA) &&
	       atomic_load(&s->state) == SLOT_LIVE;
}

void
lease_retry(struct warden *w)
{
	int64_t now = mono_us();
	bool any = false;

	for (size_t i = 0; i < w->nactive; i++) {
		struct slot *s = &w->file.slots[w->active[i]];
		const struct note *n = roster_note(w, s);

		if (!is_quota(s) || n->retry_at == 0 || n->retry_at > now)
			continue;
		renew(w, s);
		any = true;
	}
	if (any)
		meter_wake_workers(&w->file);
}

/* A database that came back from a backup has not heard of leases since: other hosts would get them too. */
void
lease_report(struct warden *w)
{
	struct answer a;
	int calls = 0;

	for (size_t i = 0; i < w->nactive && calls < REPORTS; i++) {
		struct slot *s = &w->file.slots[w->active[i]];
		struct note *n = roster_note(w, s);

		if (!is_quota(s) ||
		    (n->told && n->surrendered == atomic_load(&s->surrendered)))
			continue;
		calls++;
		n->told =
		    true; /* an owner that is no longer there is not asked for again */
		if (call(w, s, s->seq, &a))
			apply(s, &a);
		else if (!w->begun)
			return;
	}
}

void
lease_doubt(struct warden *w)
{
	for (size_t i = 0; i < w->nactive; i++)
		if (is_quota(&w->file.slots[w->active[i]]))
			atomic_store(&w->file.slots[w->active[i]].until, 0);
}

void
lease_surrender(struct warden *w)
{
	uint32_t month = meter_month(w->now);
	const struct unwanted *rows;
	struct list list;

	if (!warden_db(w) || !warden_ok(w,
				 db_list(w->db, &list_unwanted, &list,
				     P(w->file.head->incarnation), P((int64_t)month)),
				 "unwanted"))
		return;
	rows = list.items;
	for (size_t i = 0; i < list.n; i++) {
		enum slot_kind kind = str_is(rows[i].kind, "account") ? SLOT_ACCOUNT_QUOTA
								      : SLOT_GROUP_QUOTA;
		struct slot *s = meter_find(&w->file, kind, &rows[i].owner, month);

		if (s != NULL)
			slot_surrender(&w->file, s);
	}
	lease_report(w);
}
