/* SPDX-License-Identifier: ISC */
/* A slot: one counter of meter.map, which counts the requests of one owner in one period. Workers
 * and the meter change it at the same time and without a lock, so each member that a second
 * process reads or writes is atomic. Once the slot is published, `word` and `back` change only by
 * a compare-and-swap of 64 bits: a number and the tag of its last writer, or a number and its
 * window, change together. */
#ifndef COUNTING_SLOT_H
#define COUNTING_SLOT_H

#include "base/base.h"

#include <stdatomic.h>

/* The kinds of slots, in the order in which limits refuse (C-068). */
enum slot_kind {
	SLOT_KEY_RATE,      /* owner: key; period 0 */
	SLOT_ACCOUNT_RATE,  /* owner: account; period 0; search operations */
	SLOT_ACCOUNT_QUOTA, /* owner: account; period: month */
	SLOT_GROUP_QUOTA,   /* owner: group; period: month */
	SLOT_KEY_USAGE,     /* owner: key; period: day */
	SLOT_KINDS,
};

enum slot_state {
	SLOT_EMPTY,
	SLOT_LIVE,
	SLOT_RETIRED, /* workers find it no more, but one may still be using it */
	SLOT_FREE,    /* may be given to another owner; look-ups go on behind it */
};

/* Three members have a meaning for each kind:

             rate                                    quota and usage
     word    window's start (boot_us, s) | admitted  tag of the last writer | units taken
     back    -                                       tag of the last writer | of these, given back
     limit   requests | seconds of the window        units leased (a quota's)

   The part before | is in the upper 32 bits. surrendered: units of a quota leased and returned
   unused. Every number of a quota and of usage only grows, so the larger of two reports is the
   later one. */
struct slot {
	_Atomic uint16_t state;
	uint16_t kind;
	uint32_t period;
	uint32_t seq; /* written by the meter: number of the last lease it asked for */
	_Atomic uint32_t surrendered;
	struct uuid owner;
	_Atomic uint64_t word, back, limit;
	_Atomic uint32_t mark;  /* a quota's: ask for the next lease when this is left; 0: never */
	_Atomic uint32_t until; /* a quota's: exhausted until this second of mono_us */
};

struct meter_file;

/* ---- numbers of a slot ---- */

/* Units of a quota that this host may take in all. */
uint64_t slot_room(const struct slot *s);
/* Units taken, and units taken and given back since; of a quota or of usage. */
uint64_t slot_taken(const struct slot *s);
uint64_t slot_back(const struct slot *s);
/* Units of a quota that this host can still take. Safe against concurrent changes: never too
   large. */
uint64_t slot_left(const struct slot *s);
/* Units taken and not given back, of a quota or of usage. */
uint64_t slot_used(const struct slot *s);

/* ---- for surfaced-meter alone: the states of a slot ---- */

void slot_publish(struct slot *s);
void slot_retire(struct slot *s);
void slot_free(struct meter_file *f, struct slot *s);
/* Takes the unused units of the slot's leases away from the workers and returns their number. */
uint64_t slot_surrender(struct meter_file *f, struct slot *s);

#endif
