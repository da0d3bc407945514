/* SPDX-License-Identifier: ISC */
/* A batch of records for the table record, each as its text. A record whose key the batch already
 * has is merged with that one, so a batch has at most one record of a key. */
#ifndef CLI_IMPORT_BATCH_H
#define CLI_IMPORT_BATCH_H

#include "base/ts.h"
#include "record/ports.h"
#include "record/record.h"

struct import_item {
	struct str key, text, der; /* der: STR_NULL when it is unknown */
	size_t room;               /* bytes that text may have before it needs other memory */
	struct ts seen;            /* last_seen of the record; TS_NULL: the record has none */
	struct record_scan scan;
};

struct import_batch {
	enum dataset dataset;
	struct arena *a;
	struct import_item *items;
	size_t n;
	size_t bytes;       /* of all items */
	size_t copied;      /* bytes in the arena, which keeps what merged items have outgrown */
	struct names *keys; /* the number of an item, from 1 */
	struct import_item *last; /* the item that was added or merged last */
	struct str *tags;         /* slugs that have to be in the table tag */
	size_t ntags;
	struct buf notes; /* about masked secrets: a JSON array without its last bracket */
};

enum {
	IMPORT_BATCH = 10000,
	IMPORT_BATCH_BYTES = 16 * 1024 * 1024,
	IMPORT_BATCH_ROOM = 64 * 1024 * 1024 /* of the arena */
};

void import_batch_open(struct import_batch *b, enum dataset d);
void import_batch_close(struct import_batch *b);
void import_batch_clear(struct import_batch *b);
/* Adds a finished record, or merges it with the one of its key. scratch: memory of this call.
   False: the merged record would be too large, so the new one is left out. */
bool import_batch_add(
    struct import_batch *b, struct arena *scratch, const struct record *r, struct str der) MUST_USE;
/* Adds to the last record the ports that its scan has covered; called once for each record. */
void import_batch_prove(struct import_batch *b, const struct record_scan *scan);
void import_batch_add_tag(struct import_batch *b, struct str slug);
bool import_batch_full(const struct import_batch *b);

/* Parses and finishes a stored text. A text of an older release may have members that no longer
   exist. False: *what is the reason. */
bool import_read_text(
    struct arena *a, enum dataset d, struct str text, struct record *r, struct str *what) MUST_USE;
/* Does the same for a text that this process has printed, which cannot fail. */
struct record import_own_text(struct arena *a, enum dataset d, struct str text);
/* The text of a record; STR_NULL when it is too large to be stored. */
struct str import_write_text(struct arena *a, const struct record *r);
/* Adds a line to a message: a stored document is kept unchanged, because it cannot be read. what:
   the reason; STR_NULL: the document would become too large. */
void import_report_kept(
    struct buf *to, struct arena *a, enum dataset d, struct str key, struct str what);

#endif
