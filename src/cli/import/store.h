/* SPDX-License-Identifier: ISC */
/* Stores records in the table record, a batch after the other:
 *
 *                         SELECT the stored ones     record_merge     COPY new ones into record
 *   keys of lane 0     -> key, text               -> in C          -> the others by way of record_stage
 *                                                                     -> their events (events.h)
 *   keys of lane 1     -> the same at the same time, on a connection and in a transaction of its own
 *
 * A hash of the key chooses the lane, so a key is always stored by the same one, and neither
 * waits for rows of the other. Two records of one key were merged before, so a batch has each
 * key once. Unchanged records are not written: a repeated import of the same file reads and
 * compares only. */
#ifndef CLI_IMPORT_STORE_H
#define CLI_IMPORT_STORE_H

#include "cli/import/batch.h"
#include "db/db.h"

struct import_sum {
	int64_t fresh, changed, unchanged;
	int64_t large; /* not stored, because the merged document would be too large */
	int64_t
	    unreadable; /* not stored, because the stored document could not be read and merged */
	int64_t tags;   /* new ones in the table tag */
	struct buf messages; /* a line for each unreadable document, on the heap */
};

struct import_store;

/* conninfo: that of db; the second lane opens a connection of its own with it. */
struct import_store *import_store_open(enum dataset d, struct db *db, const char *conninfo);
/* Reports become those of the account, which lives as long as the store. */
void import_store_account(struct import_store *st, const struct uuid *account);
void import_store_close(struct import_store *st);
/* Stores the batch, and adds what was committed to *sum. A failure leaves out a whole lane or both;
   the same import made again stores the rest. */
enum db_rc import_store_batch(
    struct import_store *st, const struct import_batch *b, struct import_sum *sum) MUST_USE;
/* After a failure: the connection that has the message. */
struct db *import_store_failed(const struct import_store *st);

/* Makes all imports of the dataset wait until the end of the transaction, for a program that
   changes records itself. */
enum db_rc import_lock(struct db *db, enum dataset d) MUST_USE;

#endif
