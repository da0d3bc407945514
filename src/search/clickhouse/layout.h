/* SPDX-License-Identifier: ISC */
/* The layouts of a dataset: which exist, what each contains, which one is asked. Two tables have this, on the first shard
 * alone (the key of their distribution is 0), so it is never half there:
 *
 *   feeds     dataset  layout  ver  filled  shards  snapshot    tags  ...   at      the row of the greatest ver counts
 *             hosts    1       5<<32|17  1   2      100:104:    c2 ...  ...     followed to this snapshot of PostgreSQL
 *             hosts    2       0    0       3       ""                  ...     is being filled
 *   layouts   dataset  layout  schema  at                                      the row of the greatest `at` is asked
 *
 * The row of `feeds` is written after all rows that its snapshot shows were stored. So whatever is killed, the snapshot
 * never promises more than the layout has. */
#ifndef SEARCH_CLICKHOUSE_LAYOUT_H
#define SEARCH_CLICKHOUSE_LAYOUT_H

#include "search/clickhouse/dict.h"
#include "search/clickhouse/http.h"

/* Servers: the first is asked and fed, and tables are made on all. */
struct ch_cluster {
	struct ch_server server; /* how the first one is reached */
	struct ch_http *http;    /* to it */
	char **urls;
	unsigned nurls;
	int64_t patience_us; /* of one statement */
	struct ch_release release;
	char message[CH_MESSAGE]; /* the last failure */
};

struct conf;

/* Whether the configuration says that ClickHouse answers the dataset, or the source of this view. */
bool ch_answers(const struct conf *c, enum dataset d) MUST_USE;
/* The servers of a configuration. */
struct ch_cluster *ch_cluster_open(const struct conf *c);
/* urls: all servers between blanks; "": the server's url alone. */
struct ch_cluster *ch_cluster_new(const struct ch_server *server, const char *urls);
void ch_cluster_free(struct ch_cluster *c);
/* Runs a statement at the first server. data: rows in RowBinary, or STR_NULL. The answer is valid until the next one. */
bool ch_cluster_run(
    struct ch_cluster *c, struct str sql, struct str data, struct str *answer) MUST_USE;
bool ch_cluster_printf(struct ch_cluster *c, struct str *answer, const char *format, ...) MUST_USE
    PRINTF(3, 4);
/* Makes the tables of layouts, and those of one layout, on every server; and drops those of a layout. */
bool ch_cluster_prepare(struct ch_cluster *c) MUST_USE;
bool ch_layout_create(struct ch_cluster *c, enum dataset d, unsigned layout) MUST_USE;
bool ch_layout_drop(struct ch_cluster *c, enum dataset d, unsigned layout) MUST_USE;

struct ch_feed_row {
	unsigned layout, shards;
	uint64_t ver, schema;
	bool filled;
	int64_t at; /* microseconds since 1970 */
	char *snapshot, *tags;
};

enum { CH_LAYOUTS = 64 };

struct ch_layouts {
	struct ch_feed_row row[CH_LAYOUTS]; /* ascending */
	size_t n;
	unsigned asked;  /* the layout that is asked; 0: none */
	uint64_t schema; /* its columns */
};

bool ch_layouts_read(struct ch_cluster *c, enum dataset d, struct ch_layouts *out) MUST_USE;
void ch_layouts_free(struct ch_layouts *l);
/* The number of shards of the cluster. */
bool ch_cluster_shards(struct ch_cluster *c, unsigned *shards) MUST_USE;
/* The newest layout that was filled, or NULL. */
const struct ch_feed_row *ch_layouts_filled(const struct ch_layouts *l);
bool ch_feed_write(struct ch_cluster *c, enum dataset d, const struct ch_feed_row *row) MUST_USE;
/* Reads the dictionary of a layout. */
bool ch_dict_read(
    struct ch_cluster *c, struct ch_dict *k, enum dataset d, unsigned layout) MUST_USE;
/* From now on this layout is asked. */
bool ch_layout_switch(struct ch_cluster *c, enum dataset d, unsigned layout) MUST_USE;

#endif
