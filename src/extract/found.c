/* SPDX-License-Identifier: ISC */
/* The values found: each type and value once, with the judgement of its best occurrence. A table of
 * open addressing with four times as many slots as there may be values. */
#include "config.h"

#include "base/limits.h"
#include "extract/extract_priv.h"

enum { SLOTS = 1 << 17 };

static uint32_t
hash_found_value(enum find_type type, struct str value)
{
	uint32_t h = 2166136261u ^ (uint32_t)type;

	for (size_t i = 0; i < value.n; i++)
		h = (h ^ (unsigned char)value.p[i]) * 16777619u;
	return h ^ h >> 15;
}

/* The slot of the value, or the free one where it would be. */
static uint32_t *
slot_of(struct run *r, const struct find *f)
{
	uint32_t i = hash_found_value(f->type, f->value);

	for (;; i++) {
		uint32_t *slot = &r->slots[i % SLOTS];
		const struct indicator *old;

		if (*slot == 0)
			return slot;
		old = &r->found[*slot - 1];
		if (old->type.p == type_name(f->type).p && str_eq(old->value, f->value))
			return slot;
		r->steps++;
	}
}

/* The highest confidence that an occurrence may have here. */
static unsigned
highest(const struct run *r, const struct find *f)
{
	if (f->defanged)
		return r->place.zone == ZONE_PROSE ? 70 : 80;
	return r->place.zone == ZONE_PROSE && f->type != FIND_BITCOIN &&
		       (f->type < FIND_MD5 || f->type > FIND_CERTIFICATE)
		   ? 30
		   : 60;
}

bool
found_counted(struct run *r, const struct find *f)
{
	uint32_t *slot;
	struct indicator *old;

	if (r->slots == NULL)
		r->slots = ARENA_ARRAY(r->a, SLOTS, uint32_t);
	slot = slot_of(r, f);
	if (*slot == 0)
		return r->truncated;
	old = &r->found[*slot - 1];
	if (old->disposition == DISPOSITION_IGNORED ? f->defanged : old->confidence < highest(r, f))
		return false;
	old->occurrences++;
	old->defanged |= f->defanged;
	mark_add(r, f, *slot - 1);
	return true;
}

static void
merge(struct run *r, struct indicator *old, const struct indicator *other, const struct find *f)
{
	old->occurrences++;
	old->defanged |= f->defanged;
	if (other->disposition > old->disposition ||
	    (other->disposition == old->disposition && other->confidence <= old->confidence))
		return;
	old->disposition = other->disposition;
	old->confidence = other->confidence;
	old->ignored_by = other->ignored_by;
	old->section = r->place.heading;
	old->context = context_of(r, f);
}

void
found_add(struct run *r, struct find *f)
{
	/* a text has no times of its values */
	struct indicator new = {
		.first_seen_at = TS_NULL, .last_seen_at = TS_NULL, .valid_until = TS_NULL
	};
	uint32_t *slot;

	slot = slot_of(r, f);
	if (*slot == 0 && (f->doubtful || r->truncated))
		return;
	if (f->doubtful) {
		r->found[*slot - 1].occurrences++;
		mark_add(r, f, *slot - 1);
		return;
	}
	judge(r, f, &new);
	if (*slot != 0) {
		mark_add(r, f, *slot - 1);
		merge(r, &r->found[*slot - 1], &new, f);
		return;
	}
	if (r->nfound == LIM_REPORT_INDICATORS) {
		r->truncated = true;
		return;
	}
	new.type = type_name(f->type);
	new.value = arena_str(r->a, f->value);
	new.occurrences = 1;
	new.defanged = f->defanged;
	new.section = r->place.heading;
	new.context = context_of(r, f);
	r->found = arena_room(r->a, r->found, r->nfound, sizeof(*r->found));
	r->found[r->nfound++] = new;
	*slot = (uint32_t)r->nfound;
	mark_add(r, f, *slot - 1);
}
