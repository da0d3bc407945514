/* SPDX-License-Identifier: ISC */
/* The last stage of an import: stores a batch in PostgreSQL. */
#ifndef CLI_IMPORT_STORE_H
#define CLI_IMPORT_STORE_H

#include "cli/import/pipe.h"
#include "db/db.h"

struct import_sum {
	int64_t fresh, changed, unchanged, tags;
	int64_t large;      /* hosts of the last batch that were not merged, as too large */
	struct str example; /* one of those hosts, until the next batch */
};

struct import_store {
	struct db *db;
	struct arena *arena;   /* memory of one batch */
	struct import_sum sum; /* counts of the committed batches */
};

/* Stores the whole batch or nothing. */
enum db_rc import_store_batch(struct import_store *st, const struct import_batch *b) MUST_USE;

#endif
