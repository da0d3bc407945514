/* SPDX-License-Identifier: ISC */
/* Shared by the files of the meter, and by no other. */
#ifndef COUNTING_METER_PRIV_H
#define COUNTING_METER_PRIV_H

#include "counting/meter.h"

/* Maps the existing file, for a worker; false when there is none. */
bool meter_file_open(struct meter_file *f) MUST_USE;

/* ---- meter_charge.c ---- */

/* Every journal below may be NULL: a charge is then lost when its worker is killed. */

/* Locks a journal that no living process holds, and settles it; NULL: there is none. */
struct journal *journal_join(struct meter_file *f);
/* Finds the journal of a dead worker that has charged this request to these owners (NULL: no such
   charge), locks it and unlocks own, which it replaces. NULL: there is none, and own stays. */
struct journal *journal_adopt(const struct meter_file *f, struct journal *own, uint64_t request,
    const struct uuid *const owners[JOURNAL_ENTRIES]);
void charge_begin(struct journal *j, uint64_t request);
void charge_phase(struct journal *j, enum journal_phase phase);
/* Takes a unit of a quota or of usage; false: nothing is left of the quota's leases. Sets *left for
   a quota. */
bool charge_take(const struct meter_file *f, struct journal *j, enum slot_kind kind, struct slot *s,
    uint64_t *left) MUST_USE;
/* Gives back all units of the journal; or one unit of a slot, for a worker without a journal. */
void charge_return(const struct meter_file *f, struct journal *j);
void charge_return_unnoted(const struct meter_file *f, struct slot *s);
void charge_keep(struct journal *j);

/* Waits until head.answers differs from seen, for at most us microseconds. */
void meter_await_answer(const struct meter_file *f, uint32_t seen, int64_t us);

#endif
