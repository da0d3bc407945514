/* SPDX-License-Identifier: ISC */
/* surfaced-index: keeps the search index equal to the documents in PostgreSQL. One process follows
 * the database, dataset after dataset: each has its own files, generation, snapshot and passes, so
 * a dataset that fails or is rebuilt does not delay the others. Large merges of segments and large
 * rebuilds run in child processes.
 *
 *   notification or poll
 *      |
 *      v            for each dataset a pass: a read-only transaction with one snapshot
 *   source_begin   compares the snapshot of the published generation with the database
 *      |
 *      +-- there is none, or a file is damaged: nothing can be served ---> a few documents are read in this pass, many
 *      |                                                                   by a child; its generation is published as
 *      |                                                                   it is, and followed from then on
 *      |
 *      +-- it lacks a field of this release -----------------------------> catch up; a child reads all documents
 *      |
 *      +-- its snapshot does not continue (beside.h) --------------------> no changes in this pass; a child as above
 *      |
 *      +-- catch up, from the snapshot of the last pass
 *             tags     a tag with other categories: the documents that have the tag are written again
 *             rows     those that the former snapshot does not show -> one new segment
 *             gone     keys of deleted rows -> marked dead
 *             children the segments of a child that has ended replace their inputs
 *             merges   small ones, at once
 *      |
 *      v
 *   index_publish   with the snapshot of this pass; then a large merge may start
 *
 * Why snapshots: a row gets a time or a sequence number when it is written and not when it is
 * committed. A pass that remembers the highest number would miss a transaction that commits late. A
 * snapshot of PostgreSQL lists exactly which transactions a pass has seen, so no order of commits
 * can hide a change.
 *
 * After a failure the state in memory may be half changed. It is read again from the manifest, and
 * the next pass does the same work again. Nothing is lost, because the published snapshot has not
 * advanced. */
#ifndef INDEXER_INDEXER_H
#define INDEXER_INDEXER_H

#include "db/db.h"
#include "search/index/format/index.h"

/* ---- source.c: documents and tags of one snapshot ---- */

struct source {
	enum dataset dataset;
	const char *engine; /* its name in search_feed; NULL: the name of this machine's index */
	struct db *db;
	struct arena *a;
	struct str snapshot; /* the snapshot of the transaction that source_begin has opened */
	struct ts at;        /* the time of the database at which it was taken, at the latest */
	/* The older snapshot was taken in this database, which still has the marks of all later
	   deletions. */
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
	SOURCE_BOTH,    /* the changed rows and those of a list of keys */
	SOURCE_GONE,    /* the keys of rows that were deleted since the older snapshot */
};

struct source_row {
	struct str key, json; /* valid until the next row; json is empty for a deleted row */
	unsigned char room[KEY_MAX];
};

/* Starts to read. source_next then returns the documents in no particular order, because PostgreSQL
   would sort a large table in temporary files. keys: an array literal of hexadecimal keys, for
   SOURCE_BOTH. */
enum db_rc source_documents(struct source *s, enum source_what what, struct str keys) MUST_USE;
/* Returns DB_NONE at the end. */
enum db_rc source_next(struct source *s, struct buf *room, struct source_row *out) MUST_USE;
/* Whether the dataset has so few documents that one pass can read all. */
enum db_rc source_is_small(struct source *s, bool *small) MUST_USE;
/* Adds damages that were found to the metrics of the installation. */
enum db_rc source_add_damages(struct source *s, uint64_t damages) MUST_USE;
/* Removes the marks of old deletions that are contained in the published snapshots of this index
   and of all other engines. Must not be called in a transaction. */
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
bool feed_documents(struct feed *f, struct index_state *to, enum source_what what, struct str keys,
    char err[INDEX_FAULT]) MUST_USE;
/* Fills an empty state with all documents that the snapshot shows. */
bool feed_all(struct feed *f, struct index_state *to, char err[INDEX_FAULT]) MUST_USE;

/* ---- follow.c: one dataset ---- */

struct follower;

struct follower *follow_open(
    const char *directory, enum dataset d, struct db *db, unsigned *rebuilds);
void follow_close(struct follower *f);
enum follow_rc { FOLLOW_DONE, FOLLOW_RETRY };
/* Makes one pass. FOLLOW_RETRY: the database or the disk failed, and the failure was logged. */
enum follow_rc follow_once(struct follower *f, bool rebuild) MUST_USE;
/* The time up to which the index has all changes, TS_NULL: unknown, and the reason why the last pass
   failed, "": it did not. */
struct freshness {
	struct ts at;
	char fault[INDEX_FAULT];
};
const struct freshness *follow_freshness(const struct follower *f);
/* Lets follow_once perform large merges and rebuilds in this process instead of a child. */
void follow_without_child(struct follower *f);

/* ---- freshness.c: what this index reports in the table search_feed ---- */

struct freshness_report {
	int64_t next; /* mono_us: the next report of an index that is well */
	bool faulty;  /* the last report has a fault */
};

/* Reports the freshness of each dataset; f[d] is NULL when the index has no files of it. At most one
   report in five seconds, unless a pass fails or succeeds again. */
void freshness_report(
    struct freshness_report *r, struct db *db, struct follower *const f[DATASETS]);

/* ---- datasets.c: all datasets of a directory ---- */

struct followers;

/* Returns NULL, after logging the reason, when another process has the lock. */
struct followers *followers_open(const char *directory);
void followers_close(struct followers *all);
/* Makes a pass for each dataset, one after the other. FOLLOW_RETRY: one of them failed. */
enum follow_rc followers_once(struct followers *all, bool rebuild) MUST_USE;
void followers_without_child(struct followers *all);
struct db *followers_db(struct followers *all);

#endif
