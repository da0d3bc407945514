/* SPDX-License-Identifier: ISC */
/* The slots in use, as surfaced-meter alone sees them: a list of their places (meterd.active) and
 * what it knows about each (meterd.notes). Both are memory of this process; slots_load makes them
 * again from the file, so a killed meter loses only its notes, and it then stores and reports once
 * too often.
 *
 *   slots_get --> fresh, filled in by its caller, slot_publish --> LIVE
 *       a minute before its period begins, or when a worker asks      |
 *                                                                     | the period is over, and
 *                                                                     v the counts are stored
 *   FREE <-- no worker can still use it: twice worker_stuck later -- RETIRED
 *
 * The order matters: a slot is stored before it is retired, because no flush reads a free slot. And
 * it rests before it is freed, because a worker that found it while it was live may count in it
 * until the end of its request. */
#ifndef METER_SLOTS_H
#define METER_SLOTS_H

#include "meter/meter.h"

void slots_load(struct meterd *m);
void slots_free(struct meterd *m);
/* The slot of an owner and period. *fresh: it is new, and the caller fills it in and publishes it.
   NULL: the table is full, which is logged. */
struct slot *slots_get(
    struct meterd *m, enum slot_kind kind, const struct uuid *owner, uint32_t period, bool *fresh);
struct slot_note *slots_note(struct meterd *m, const struct slot *s);
/* PostgreSQL may have been restored from a backup: all counts and leases are to be stored again. */
void slots_store_again(struct meterd *m);

/* ---- periods.c ---- */

/* Settles dead workers, prepares the slots of a period that begins soon, retires and frees those of
   past ones. */
void periods_maintain(struct meterd *m);

#endif
