/* SPDX-License-Identifier: ISC */
/* The sink writes the documents of one dataset into one layout of ClickHouse. The order of the
 * writes decides which rows a crash may leave:
 *
 *   sink_begin      the version of this pass, greater than that of any pass before
 *   sink_document   the row and, for values that are new, their numbers; in memory
 *   sink_gone       a row that marks the document as deleted
 *      |            100,000 rows or 96 MiB: 1. the numbers of values  2. the rows
 *   sink_commit     the rest, then 3. the snapshot of PostgreSQL that the layout shows (feeds, clickhouse/layout.h)
 *
 *   killed after    numbers of values that no row has. They keep their values for ever
 *     1.
 *   killed after    rows that the next pass sends again, with a greater version. The statements of a search take the
 *     2.            row of the greatest version, so nothing is counted twice
 *
 * Only the process that holds the advisory lock of the dataset has a sink (clickhouse_lock.c). */
#ifndef INDEXER_SINK_H
#define INDEXER_SINK_H

#include "indexer/indexer.h"
#include "search/clickhouse/layout.h"

struct sink;

/* Opens a sink and reads the dictionary of the layout. NULL: cluster->message has the reason. */
struct sink *sink_open(struct ch_cluster *cluster, enum dataset d, unsigned layout);
void sink_close(struct sink *s);
/* Sets a function that is called before new numbers of values are stored. When it returns false,
   nothing is stored, and the pass fails. */
void sink_guard(struct sink *s, bool (*mine)(const void *arg), const void *arg);
unsigned sink_layout(const struct sink *s);
void sink_begin(struct sink *s, uint64_t ver, const struct source *of);
bool sink_document(struct sink *s, const struct source_row *row, char err[INDEX_FAULT]) MUST_USE;
bool sink_gone(struct sink *s, struct str key, char err[INDEX_FAULT]) MUST_USE;
/* Waits for the batch that is being stored. False: it was not stored, and the pass has failed. */
bool sink_settle(struct sink *s, char err[INDEX_FAULT]) MUST_USE;
/* After sink_settle: the number of rows stored since sink_begin, and whether any row was added. */
uint64_t sink_written(const struct sink *s);
bool sink_pending(const struct sink *s) MUST_USE;
bool sink_commit(struct sink *s, const struct ch_feed_row *row, char err[INDEX_FAULT]) MUST_USE;
/* Lists the keys of the documents with one of the tags, as an array literal without its end. */
bool sink_tagged(struct sink *s, const struct str *slugs, size_t n, struct buf *keys,
    char err[INDEX_FAULT]) MUST_USE;

#endif
