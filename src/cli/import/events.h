/* SPDX-License-Identifier: ISC */
/* The events of a batch of changed records (record/event.h), stored by one statement in the
 * transaction that writes the records. */
#ifndef CLI_IMPORT_EVENTS_H
#define CLI_IMPORT_EVENTS_H

#include "db/db.h"
#include "record/event.h"

struct event_batch {
	struct arena *a; /* set before the first event; it must outlive the batch */
	struct str *keys, *times, *kinds, *texts;
	size_t n;
};

/* Adds the events of the change of a record with this key, at most 33 for a day in UTC (C-412): the
 * 33rd is a coalesced event with the number of all further ones. scratch: memory of this call. */
void event_batch_add(struct event_batch *b, struct arena *scratch, struct str key,
    const struct record_change *change);

/* Stores the events of records of one dataset. fresh: none of them had a row in the table
   record. */
enum db_rc event_batch_store(
    struct db *db, enum dataset d, bool fresh, const struct event_batch *b) MUST_USE;

#endif
