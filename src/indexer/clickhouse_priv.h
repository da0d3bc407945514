/* SPDX-License-Identifier: ISC */
/* The files of a pass of surfaced-index over one dataset that is searched in ClickHouse. Snapshots
 * are used as for the index (indexer.h), but no part of the state is on this machine:
 *
 *   PostgreSQL   advisory lock of the dataset   who feeds; ends with the connection
 *                search_feed.epoch              grows with each owner of the lock; upper half of `ver`; not less than
 *                                               the epochs in `feeds`
 *   ClickHouse   feeds                          each layout's snapshot, tags and last `ver`
 *                layouts                        which layout is asked
 *
 *   take_feed: have I the lock? -- no, another has it --> nothing to do
 *      |  yes, since the last pass             yes, from now on: a new epoch; read feeds, layouts and the dictionary
 *      v
 *   source_begin with the snapshot of the newest layout that is full and has this release's schema
 *      |
 *      +-- there is none, or its snapshot does not continue (a restore), or the number of shards has changed, or an
 *      |   operator asks --> a child fills a new layout, from a snapshot and a connection of its own
 *      |
 *      +-- it continues: rows changed since, deletions, documents of changed tags -> sink -> feeds
 *      v
 *   the layout is not the one that is asked --> it is from now on; tables before the former one are dropped
 *
 * When the child has ended, its layout is the newest, and the next pass adds what changed since the
 * child's snapshot. If no other layout can be searched, this happens earlier, while the child
 * merges the rows of its layout. Two processes must not assign numbers in one dictionary. The lock
 * ends with the connection, so it is checked when a pass begins and before its last rows are sent.
 * While documents are read, COPY occupies the connection and no statement can be sent; so the
 * socket is checked before each batch with new numbers, and a connection that the server has closed
 * is seen at once. A connection may still break between a check and the next statement: therefore
 * the next owner of the lock reads the dictionary only when no INSERT of the former owner runs at
 * any server (sink.c). */
#ifndef INDEXER_CLICKHOUSE_PRIV_H
#define INDEXER_CLICKHOUSE_PRIV_H

#include "indexer/beside.h"
#include "indexer/clickhouse.h"
#include "indexer/sink.h"
#include "indexer/tags.h"

enum { EPOCH_BITS = 32 };

struct ch_follower {
	enum dataset dataset;
	const char *name;
	char engine[101];
	struct db *db;
	struct source source;
	struct buf room;
	struct ch_cluster *cluster;
	struct sink *sink;     /* the writer of the layout `at`; NULL: not opened */
	struct ch_feed_row at; /* layout 0: there is none to follow */
	unsigned asked, shards;
	uint64_t epoch, passes;
	bool ready; /* the state in ClickHouse was read; its layout is asked */
	bool refill, no_child, idle;
	bool fed; /* this pass has written a row of `feeds` */
	struct child child;
	int64_t next_beat, next_purge;
};

/* ---- clickhouse_state.c ---- */

/* Write the last failure of the database, or of ClickHouse, to err; return false. */
bool ch_database_fault(const struct source *s, char err[INDEX_FAULT]);
bool ch_cluster_fault(const struct ch_follower *f, char err[INDEX_FAULT]);
int64_t ch_dataset_number(const struct ch_follower *f);
void ch_follow_forget(struct ch_follower *f); /* forgets the followed layout */
void ch_follow_drop_sink(struct ch_follower *f);
/* Begins a new epoch, which is stored in PostgreSQL and greater than the stored one and than seen.
   The sink keeps the numbers of values that this process has assigned and could not store, unless
   another process has fed the dataset meanwhile. */
bool ch_begin_epoch(struct ch_follower *f, uint64_t seen, char err[INDEX_FAULT]) MUST_USE;
/* Reads from ClickHouse which layout to follow, unless f->ready. */
bool ch_read_state(struct ch_follower *f, char err[INDEX_FAULT]) MUST_USE;

/* ---- clickhouse_lock.c ---- */

enum taking { TAKING_FAILED, TAKING_IDLE, TAKING_MINE };

/* Takes the lock of the dataset, or finds that this process or another one already has it. */
enum taking ch_take_feed(struct ch_follower *f, char err[INDEX_FAULT]) MUST_USE;
/* Whether this process still has the lock. The connection must not be in a COPY. */
bool ch_still_mine(struct ch_follower *f, char err[INDEX_FAULT]) MUST_USE;
/* Whether the connection still exists, by its socket alone: for sink_guard, which calls this during
   a COPY, when no statement can be sent. */
bool ch_is_connected(const void *follower) MUST_USE;
/* Takes the lock under which a layout is filled; it ends with the transaction. *mine: it was
   taken. */
bool ch_take_fill(struct ch_follower *f, bool *mine, char err[INDEX_FAULT]) MUST_USE;

/* ---- clickhouse_write.c ---- */

/* Sends the documents, or the deleted keys, of the source to the sink. */
bool ch_send_documents(struct ch_follower *f, struct sink *to, enum source_what what,
    struct str keys, char err[INDEX_FAULT]) MUST_USE;
/* Writes the changed rows of the table tags. The rows are shared by all datasets, each of which
   writes them. */
bool ch_write_tags(
    struct ch_follower *f, struct str was, struct str now, char err[INDEX_FAULT]) MUST_USE;
/* Writes the row of `feeds` for the snapshot of the source. */
bool ch_commit_row(struct ch_follower *f, struct sink *to, uint64_t ver, struct buf *tags,
    char err[INDEX_FAULT]) MUST_USE;

/* ---- clickhouse_merge.c ---- */

/* Merges the rows of the layout f->at into one part on each server, which may take hours. The rows
   of a server that could not are searched as they are. Replicated tables are not merged, because
   searches read all their parts with FINAL. */
void ch_merge_layout(struct ch_follower *f);

/* ---- clickhouse_fill.c ---- */

/* Fills a new layout with all documents, over connections of its own. */
bool ch_fill(enum dataset d) MUST_USE;
/* Starts a child that does so, unless one runs or the last one has just failed. */
void ch_fill_start(struct ch_follower *f);
void ch_fill_collect(struct ch_follower *f);

#endif
