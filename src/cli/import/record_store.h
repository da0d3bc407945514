/* SPDX-License-Identifier: ISC */
/* Stores records in the table record, a batch in one transaction:
 *
 *   batch, sorted by key     SELECT the stored ones     record_merge     COPY new ones into record
 *   key, text, DER        -> key, text               -> in C          -> UPDATE those whose text changed
 *
 * Two records of one key in a batch are merged before, so a key stands in it once. Unchanged records are not written:
 * a repeated import of the same file reads and compares only. */
#ifndef CLI_IMPORT_RECORD_STORE_H
#define CLI_IMPORT_RECORD_STORE_H

#include "cli/import/import.h"
#include "db/db.h"
#include "record/record.h"

struct record_item {
	struct str key, text, der; /* der: STR_NULL when it is unknown */
	bool timeless;             /* does not say when it was seen */
};

struct record_batch {
	enum dataset dataset;
	struct arena *a;
	struct record_item *items;
	size_t n, bytes;
	struct names *keys; /* the number of an item, from 1 */
};

struct record_sum {
	int64_t fresh, changed, unchanged;
	int64_t large; /* not stored, because the merged document would be too large */
	int64_t
	    unreadable; /* not stored, because the stored document could not be read and merged */
	struct buf messages; /* about those, a line each, on the heap */
};

enum { RECORD_BATCH = 5000, RECORD_BATCH_BYTES = 8 * 1024 * 1024 };

void record_batch_open(struct record_batch *b, enum dataset d);
void record_batch_close(struct record_batch *b);
void record_batch_clear(struct record_batch *b);
/* Adds a finished record, or merges it with the one of its key. scratch: memory of this call. False: merged with that one
   it would be too large, and is left out. */
bool record_batch_add(
    struct record_batch *b, struct arena *scratch, const struct record *r, struct str der) MUST_USE;
bool record_batch_full(const struct record_batch *b);

/* Stores the whole batch or nothing, and adds to *sum. scratch is reset. */
enum db_rc record_store(
    struct db *db, struct arena *scratch, struct record_batch *b, struct record_sum *sum) MUST_USE;

#endif
