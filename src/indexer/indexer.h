/* SPDX-License-Identifier: ISC */
/* surfaced-index: keeps the search index equal to the documents in PostgreSQL. One process follows the database; a large
 * merge of segments runs in a child, and so does a rebuild while there is an older generation to follow.
 *
 *   notification or poll
 *      |
 *      v            one pass: a read-only transaction with one snapshot
 *   source_begin   compares the snapshot of the published generation with the database
 *      |
 *      +-- there is none, or a file is damaged: nothing can be served ---> all documents are read in this pass
 *      |
 *      +-- it lacks a field of this release -----------------------------> catch up; a child reads all documents
 *      |
 *      +-- its snapshot does not continue (beside.h) --------------------> no changes in this pass; a child as above
 *      |
 *      +-- catch up, from the snapshot of the last pass
 *             tags     a tag with other categories: the documents that have the tag are written again
 *             hosts    rows that the former snapshot does not show -> one new segment
 *             gone     addresses of deleted rows -> marked dead
 *             children the segments of a child that has ended replace their inputs; small merges at once
 *      |
 *      v
 *   index_publish   with the snapshot of this pass; then a large merge may start
 *
 * Why snapshots: a time or a sequence number in a row is from its writing and not from its commit. A
 * transaction that commits late would be missed by a pass that remembers the highest number. A snapshot of PostgreSQL
 * lists exactly which transactions a pass has seen, so no order of commits can hide a change.
 *
 * Failures: the state in memory may be half changed after one. It is read again from the manifest, and the next pass does
 * the same work again. Nothing is lost, because the published snapshot has not advanced. */
#ifndef INDEXER_INDEXER_H
#define INDEXER_INDEXER_H

#include "db/db.h"
#include "search/index/format/index.h"

/* ---- source.c: documents and tags, as one snapshot sees them ---- */

struct source {
	struct db *db;
	struct arena *a;
	struct str snapshot; /* the one of the transaction that source_begin opened */
	/* The older snapshot is of this database, and host_gone has all later deletions. */
	bool continues;
	struct tag *tags;
	size_t ntags;
};

/* Opens a read-only transaction with one snapshot. since: the older snapshot, or "". */
enum db_rc source_begin(struct source *s, const char *since) MUST_USE;
void source_end(struct source *s);

enum source_what {
	SOURCE_ALL,
	SOURCE_CHANGED, /* rows that the older snapshot does not show as they are now */
	SOURCE_BOTH,    /* the changed rows and those of a list of addresses */
	SOURCE_GONE,    /* the addresses of rows that were deleted since the older snapshot */
};

/* Starts to read. source_next then returns the documents in the order of addresses. ips: an array literal, for
   SOURCE_BOTH. */
enum db_rc source_documents(struct source *s, enum source_what what, struct str ips) MUST_USE;
/* Returns DB_NONE at the end. *json is valid until the next call. */
enum db_rc source_next(struct source *s, struct buf *room, struct str *json) MUST_USE;
/* Removes old rows of host_gone that the published snapshot contains. Must not be called in a transaction. */
enum db_rc source_purge(struct source *s, const char *snapshot) MUST_USE;

/* ---- feed.c: documents into segments ---- */

enum { FEED_MEMORY = 1 << 30 };

struct feed {
	const char *directory;
	struct source source;
	struct buf room;
	uint64_t written; /* documents, since the caller set it to 0 */
};

/* Adds segments of the documents to the state. */
bool feed_documents(struct feed *f, struct index_state *to, enum source_what what, struct str ips,
    char err[INDEX_FAULT]) MUST_USE;
/* Fills an empty state with everything that the snapshot shows. */
bool feed_all(struct feed *f, struct index_state *to, char err[INDEX_FAULT]) MUST_USE;

/* ---- follow.c ---- */

struct follower;

/* Returns NULL, after logging the reason, when another process has the lock. */
struct follower *follow_open(const char *directory);
void follow_close(struct follower *f);
enum follow_rc { FOLLOW_DONE, FOLLOW_RETRY };
/* Makes one pass. FOLLOW_RETRY: the database or the disk failed, which is logged. */
enum follow_rc follow_once(struct follower *f, bool rebuild) MUST_USE;
/* Lets follow_once perform large merges itself. */
void follow_without_child(struct follower *f);
struct db *follow_db(struct follower *f);

#endif
