/* SPDX-License-Identifier: ISC */
/* Two tables list the layouts of datasets: which exist, what each contains, which one is asked. All
 * rows are on the first shard (the distribution key is 0), so a missing shard never hides only some
 * of them:
 *
 *   feeds     dataset  layout  ver  filled  shards  snapshot    tags  ...   at      the row of the greatest ver counts
 *             hosts    1       5<<32|17  1   2      100:104:    c2 ...  ...     followed to this snapshot of PostgreSQL
 *             hosts    2       0    0       3       ""                  ...     is being filled
 *             hosts    0       9    0       0       ...                 ...     was dropped
 *   layouts   dataset  layout  schema  at                                      the row of the greatest `at` is asked
 *
 * Assumption: the clocks of the machines that feed are right to within minutes. The column `at` of
 * feeds is the age that operators see; which layout is asked does not depend on clocks.
 *
 * The row of `feeds` is written after all rows that its snapshot shows were stored. So after a
 * crash at any point the snapshot never shows a document that the layout lacks. */
#ifndef SEARCH_CLICKHOUSE_LAYOUT_H
#define SEARCH_CLICKHOUSE_LAYOUT_H

#include "search/clickhouse/cluster.h"
#include "search/clickhouse/dict.h"

struct ch_feed_row {
	unsigned layout, shards;
	uint64_t ver, schema;
	bool filled;
	bool asked; /* searches of the release with this schema ask it; not stored in feeds */
	int64_t at; /* microseconds since 1970 */
	char *snapshot, *tags;
};

enum { CH_LAYOUTS = 64 };

struct ch_layouts {
	struct ch_feed_row
	    row[CH_LAYOUTS]; /* descending; those whose tables were dropped are not among them */
	size_t n;
	unsigned last;      /* the greatest number that a layout ever had; 0: there was none */
	unsigned asked;     /* the layout that was switched to last, by any release; 0: none */
	uint64_t schema;    /* the schema number of `asked` */
	uint64_t own;       /* the schema number of this release */
	unsigned asked_own; /* the layout that searches of this release ask; 0: none */
};

bool ch_layouts_read(struct ch_cluster *c, enum dataset d, struct ch_layouts *out) MUST_USE;
void ch_layouts_free(struct ch_layouts *l);
/* Marks a layout as not filled, before its tables are dropped or when they are lost, so that no
   process continues from its snapshot. dropped: the tables are gone on all servers, and
   ch_layouts_read does not list the layout any more. */
bool ch_feed_retract(
    struct ch_cluster *c, enum dataset d, const struct ch_feed_row *row, bool dropped) MUST_USE;
bool ch_feed_write(struct ch_cluster *c, enum dataset d, const struct ch_feed_row *row) MUST_USE;
/* Reads the dictionary of a layout. */
bool ch_dict_read(
    struct ch_cluster *c, struct ch_dict *k, enum dataset d, unsigned layout) MUST_USE;
/* Makes searches of this release ask this layout. Its row gets a greater `at` than all other rows,
   even if the clock is behind. */
bool ch_layout_switch(struct ch_cluster *c, enum dataset d, unsigned layout) MUST_USE;

#endif
