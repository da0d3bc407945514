/* SPDX-License-Identifier: ISC */
/* The end of the import that knows the database. */
#ifndef CLI_IMPORT_STORE_H
#define CLI_IMPORT_STORE_H

#include "cli/import/import.h"
#include "db/db.h"

struct import_sum {
	int64_t fresh, changed, unchanged, tags;
	int64_t large;      /* of the last batch: left out, the host would be too large */
	struct str example; /* one of those hosts, until the next batch */
};

struct import_store {
	struct db *db;
	struct arena *arena;   /* of one batch */
	struct import_sum sum; /* of the batches that are committed */
};

/* All of it or nothing. */
enum db_rc import_store_batch(
    struct import_store *st, const struct import_batch *b) MUST_USE;

#endif
