/* SPDX-License-Identifier: ISC */
/* The list of slots in use: rebuilt from the file at the start; slots are added to it when they are
   needed. periods.c prepares those of the next period and frees those of past ones. */
#include "config.h"

#include "meter/meter.h"
#include "meter/slots.h"

enum { FULL_US = 10000000 }; /* between two log lines about a full table */

struct slot_note *
slots_note(struct meterd *m, const struct slot *s)
{
	return &m->notes[s - m->file.slots];
}

void
slots_load(struct meterd *m)
{
	uint32_t n = m->file.head->slots;

	m->notes = mem_array(n, sizeof(*m->notes));
	m->active = mem_array(n, sizeof(*m->active));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t state = atomic_load(&m->file.slots[i].state);

		if (state == SLOT_LIVE || state == SLOT_RETIRED)
			m->active[m->nactive++] = i;
		if (state == SLOT_RETIRED)
			m->notes[i].retired_at = mono_us();
	}
}

void
slots_store_again(struct meterd *m)
{
	for (size_t i = 0; i < m->nactive; i++) {
		struct slot_note *n = &m->notes[m->active[i]];

		n->taken = n->back = 0;
		n->reported = false;
	}
}

void
slots_free(struct meterd *m)
{
	free(m->notes);
	free(m->active);
	m->nactive = 0;
}

struct slot *
slots_get(
    struct meterd *m, enum slot_kind kind, const struct uuid *owner, uint32_t period, bool *fresh)
{
	struct slot *s = meter_find(&m->file, kind, owner, period);

	*fresh = false;
	if (s != NULL)
		return s;
	/* After a step of the clock back into a past period, its slot goes on counting. */
	s = meter_find_retired(&m->file, kind, owner, period);
	if (s != NULL) {
		slot_publish(s);
		return s;
	}
	*fresh = true;
	if (m->nactive < m->file.head->slots / 8 * 7)
		s = meter_add(&m->file, kind, owner, period);
	if (s == NULL) {
		if (mono_due(&m->full_at, FULL_US))
			log_event(
			    LOGP_ERR, "full", "slots=%u: raise meter_slots", m->file.head->slots);
		return NULL;
	}
	*slots_note(m, s) = (struct slot_note){ 0 };
	m->active[m->nactive++] = (uint32_t)(s - m->file.slots);
	return s;
}
