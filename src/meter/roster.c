/* SPDX-License-Identifier: ISC */
/* The slots in use: found again at the start, added, prepared for the next period, retired. */
#include "config.h"

#include "daemon/conf.h"
#include "meter/meter.h"

enum {
	AHEAD_S = 60,       /* before a day or a month begins its counters stand */
	FULL_US = 10000000, /* between two words of it */
};

struct note *
roster_note(struct warden *w, const struct slot *s)
{
	return &w->notes[s - w->file.slots];
}

void
roster_load(struct warden *w)
{
	uint32_t n = w->file.head->slots;

	w->notes = mem_array(n, sizeof(*w->notes));
	w->active = mem_array(n, sizeof(*w->active));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t state = atomic_load(&w->file.slots[i].state);

		if (state == SLOT_LIVE || state == SLOT_RETIRED)
			w->active[w->nactive++] = i;
		if (state == SLOT_RETIRED)
			w->notes[i].retired_at = mono_us();
	}
}

void
roster_forget(struct warden *w)
{
	for (size_t i = 0; i < w->nactive; i++) {
		struct note *n = &w->notes[w->active[i]];

		n->taken = n->back = 0;
		n->told = false;
	}
}

void
roster_free(struct warden *w)
{
	free(w->notes);
	free(w->active);
}

struct slot *
roster_slot(struct warden *w, enum slot_kind kind, const struct uuid *owner,
    uint32_t period, bool *fresh)
{
	struct slot *s = meter_find(&w->file, kind, owner, period);

	*fresh = false;
	if (s != NULL)
		return s;
	/* The clock has stepped back into a period that seemed to be over: its slot goes on counting. */
	s = meter_find_retired(&w->file, kind, owner, period);
	if (s != NULL) {
		slot_publish(s);
		return s;
	}
	*fresh = true;
	if (w->nactive < w->file.head->slots / 8 * 7)
		s = meter_add(&w->file, kind, owner, period);
	if (s == NULL) {
		/* Whoever is refused asks again and again. */
		if (mono_due(&w->full_at, FULL_US))
			log_event(LOGP_ERR, "full", "slots=%u: raise meter_slots",
			    w->file.head->slots);
		return NULL;
	}
	*roster_note(w, s) = (struct note){ 0 };
	w->active[w->nactive++] = (uint32_t)(s - w->file.slots);
	return s;
}

/* ---- what begins soon ---- */

static void
prepare(struct warden *w, const struct slot *s)
{
	struct ts soon = { w->now.us + AHEAD_S * SECOND_US };
	uint32_t day = meter_day(w->now), month = meter_month(w->now);
	struct uuid owner = s->owner;
	struct slot *next;
	bool fresh;

	if (atomic_load(&s->state) != SLOT_LIVE)
		return;
	if (s->kind == SLOT_KEY_USAGE && s->period == day && meter_day(soon) != day) {
		next = roster_slot(w, SLOT_KEY_USAGE, &owner, meter_day(soon), &fresh);
		if (next != NULL && fresh)
			slot_publish(next);
	}
	if ((s->kind == SLOT_ACCOUNT_QUOTA || s->kind == SLOT_GROUP_QUOTA) &&
	    s->period == month && meter_month(soon) != month)
		lease_need(w, (enum slot_kind)s->kind, &owner, meter_month(soon));
}

/* ---- what is over ---- */

static bool
is_stored(const struct warden *w, const struct slot *s)
{
	const struct note *n = &w->notes[s - w->file.slots];

	return n->taken == slot_taken(s) && n->back == slot_back(s) &&
	       n->surrendered == atomic_load(&s->surrendered);
}

static bool
is_over(const struct warden *w, const struct slot *s)
{
	uint64_t word = atomic_load(&s->word);

	switch ((enum slot_kind)s->kind) {
	case SLOT_KEY_RATE:
	case SLOT_ACCOUNT_RATE:
		return (int64_t)(word >> 32) * SECOND_US + 2 * DAY_US < boot_us();
	case SLOT_ACCOUNT_QUOTA:
	case SLOT_GROUP_QUOTA:
		return meter_month_start(s->period + 1).us + DAY_US < w->now.us &&
		       is_stored(w, s);
	case SLOT_KEY_USAGE:
		return meter_day_start(s->period + 2).us < w->now.us && is_stored(w, s);
	case SLOT_KINDS:
		break;
	}
	panic("a slot of kind %u", s->kind);
}

/* Nobody holds a slot longer than the watchdog lets a worker live with one request. */
static bool
let_go(struct warden *w, struct slot *s)
{
	struct note *n = roster_note(w, s);

	if (atomic_load(&s->state) == SLOT_LIVE) {
		if (is_over(w, s)) {
			slot_retire(s);
			n->retired_at = mono_us();
		}
		return false;
	}
	if (mono_us() - n->retired_at < 2 * conf.worker_stuck * 1000)
		return false;
	slot_free(&w->file, s);
	return true;
}

void
roster_keep(struct warden *w)
{
	size_t n = w->nactive;

	meter_settle_dead(&w->file);
	for (size_t i = 0; i < n; i++)
		prepare(w, &w->file.slots[w->active[i]]);
	for (size_t i = 0; i < w->nactive;) {
		if (let_go(w, &w->file.slots[w->active[i]]))
			w->active[i] = w->active[--w->nactive];
		else
			i++;
	}
}
