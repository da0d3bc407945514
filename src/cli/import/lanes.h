/* SPDX-License-Identifier: ISC */
/* A lane: the part of a batch that one connection stores in one transaction. lanes.c makes it,
   store.c stores it. */
#ifndef CLI_IMPORT_LANES_H
#define CLI_IMPORT_LANES_H

#include "cli/import/events.h"
#include "cli/import/store.h"

enum { LANES = 2 };

struct lane {
	enum dataset dataset;
	struct db *db;
	struct arena *a;      /* memory of a round (store.c) */
	unsigned first, last; /* lanes */
	const struct import_item *items;
	size_t n;
	struct strs tags;
	struct ts now; /* last_seen of new records that have none */
	struct import_sum sum;
	struct event_batch added, events; /* events of keys without a row, and all others */
	enum db_rc rc;
};

/* Stores the items of a lane or nothing; the result is lane->rc. The start of a thread. */
void *lane_store(void *lane);

#endif
