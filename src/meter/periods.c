/* SPDX-License-Identifier: ISC */
/* Slots at the end of their period: those of the next one are prepared before it begins, and those
   of past ones are retired when they are stored, and freed when no worker can be using them. */
#include "config.h"

#include "daemon/conf.h"
#include "meter/lease.h"
#include "meter/slots.h"

enum { AHEAD_S = 60 }; /* slots of a period are made this long before it begins */

/* ---- the next period ---- */

static void
prepare_next_period(struct meterd *m, const struct slot *s)
{
	struct ts soon = { m->now.us + AHEAD_S * SECOND_US };
	uint32_t day = meter_day(m->now), month = meter_month(m->now);
	struct uuid owner = s->owner;
	struct slot *next;
	bool fresh;

	if (atomic_load(&s->state) != SLOT_LIVE)
		return;
	if (s->kind == SLOT_KEY_USAGE && s->period == day && meter_day(soon) != day) {
		next = slots_get(m, SLOT_KEY_USAGE, &owner, meter_day(soon), &fresh);
		if (next != NULL && fresh)
			slot_publish(next);
	}
	if ((s->kind == SLOT_ACCOUNT_QUOTA || s->kind == SLOT_GROUP_QUOTA) && s->period == month &&
	    meter_month(soon) != month)
		lease_need(m, (enum slot_kind)s->kind, &owner, meter_month(soon));
}

/* ---- past periods ---- */

static bool
is_stored(const struct meterd *m, const struct slot *s)
{
	const struct slot_note *n = &m->notes[s - m->file.slots];

	return n->taken == slot_taken(s) && n->back == slot_back(s) &&
	       n->surrendered == atomic_load(&s->surrendered);
}

static bool
is_past(const struct meterd *m, const struct slot *s)
{
	uint64_t word = atomic_load(&s->word);

	switch ((enum slot_kind)s->kind) {
	case SLOT_KEY_RATE:
	case SLOT_ACCOUNT_RATE:
		return (int64_t)(word >> 32) * SECOND_US + 2 * DAY_US < boot_us();
	case SLOT_ACCOUNT_QUOTA:
	case SLOT_GROUP_QUOTA:
		return meter_month_start(s->period + 1).us + DAY_US < m->now.us && is_stored(m, s);
	case SLOT_KEY_USAGE:
		return meter_day_start(s->period + 2).us < m->now.us && is_stored(m, s);
	case SLOT_KINDS:
		break;
	}
	panic("a slot of kind %u", s->kind);
}

/* Retires a live slot whose period is over, and frees a retired one after a while. True: the
 * slot was freed. No worker finds a retired slot, but one that had found it before may still
 * count in it, and that count must not go into a slot of another owner.
 *
 * A worker uses a slot for one request at most, and the watchdog kills a worker whose request
 * takes longer than worker_stuck: after twice that time no worker uses it. is_past demands that
 * the counts of a quota or of usage are stored, so nothing is lost with the slot. */
static bool
retire_or_free(struct meterd *m, struct slot *s)
{
	struct slot_note *n = slots_note(m, s);

	if (atomic_load(&s->state) == SLOT_LIVE) {
		if (is_past(m, s)) {
			slot_retire(s);
			n->retired_at = mono_us();
		}
		return false;
	}
	if (mono_us() - n->retired_at < 2 * conf.worker_stuck * 1000)
		return false;
	slot_free(&m->file, s);
	return true;
}

void
periods_maintain(struct meterd *m)
{
	size_t n = m->nactive;

	meter_settle_dead(&m->file);
	for (size_t i = 0; i < n; i++)
		prepare_next_period(m, &m->file.slots[m->active[i]]);
	for (size_t i = 0; i < m->nactive;) {
		if (retire_or_free(m, &m->file.slots[m->active[i]]))
			m->active[i] = m->active[--m->nactive];
		else
			i++;
	}
}
