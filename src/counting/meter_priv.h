/* SPDX-License-Identifier: ISC */
/* Between the files of the meter alone. */
#ifndef COUNTING_METER_PRIV_H
#define COUNTING_METER_PRIV_H

#include "counting/meter.h"

/* A worker's: the file as it stands; false when there is none. */
bool meter_file_open(struct meter_file *f) MUST_USE;
/* Another file has its name now. */
bool meter_file_replaced(const struct meter_file *f);
/* ---- meter_charge.c; a journal that is NULL notes nothing ---- */

/* A journal that no other process holds; NULL: there is none. */
struct journal *journal_join(struct meter_file *f);
/* The journal of a dead worker which charged this request for these owners (NULL: not charged) takes the place of own;
   NULL: there is none. */
struct journal *journal_adopt(const struct meter_file *f, struct journal *own,
    uint64_t request, const struct uuid *const owners[JOURNAL_ENTRIES]);
void charge_begin(struct journal *j, uint64_t request);
void charge_phase(struct journal *j, enum journal_phase phase);
/* One unit of a quota or of usage; false: a quota has none left here. *left is set for a quota. */
bool charge_take(const struct meter_file *f, struct journal *j, enum slot_kind kind,
    struct slot *s, uint64_t *left) MUST_USE;
/* All units of the journal; or of a slot, for a worker without a journal. */
void charge_return(const struct meter_file *f, struct journal *j);
void charge_return_unnoted(const struct meter_file *f, struct slot *s);
void charge_keep(struct journal *j);

/* Until the news are not these, or us have passed. */
void meter_await(const struct meter_file *f, uint32_t news, int64_t us);

#endif
