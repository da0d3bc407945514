/* SPDX-License-Identifier: ISC */
/* The servers of ClickHouse that surfaced-index feeds: statements to the first, and tables on
   all. */
#ifndef SEARCH_CLICKHOUSE_CLUSTER_H
#define SEARCH_CLICKHOUSE_CLUSTER_H

#include "search/clickhouse/http.h"
#include "search/clickhouse/schema.h"

/* Servers: the first is asked and fed, and tables are made on all. */
struct ch_cluster {
	struct ch_server server; /* how the first one is reached */
	struct ch_http *http;    /* to it */
	char **urls;
	unsigned nurls;
	int64_t patience_us; /* of one statement */
	struct ch_release release;
	bool too_large;           /* the last answer was larger than an answer may be */
	char message[CH_MESSAGE]; /* the last failure */
};

struct conf;

/* Whether the configuration says that ClickHouse answers the dataset, or the source of this
   view. */
bool ch_answers(const struct conf *c, enum dataset d) MUST_USE;
/* The servers of a configuration. */
struct ch_cluster *ch_cluster_open(const struct conf *c);
/* urls: all servers between blanks; "": the server's url alone. */
struct ch_cluster *ch_cluster_new(const struct ch_server *server, const char *urls);
void ch_cluster_free(struct ch_cluster *c);
/* Runs a statement at the first server. data: rows in the format that the statement names, or
   STR_NULL. The answer is valid until the next one. */
bool ch_cluster_run(
    struct ch_cluster *c, struct str sql, struct str data, struct str *answer) MUST_USE;
bool ch_cluster_printf(struct ch_cluster *c, struct str *answer, const char *format, ...) MUST_USE
    PRINTF(3, 4);
/* Makes the tables of layouts, and those of one layout, on every server; and drops those of a
   layout. */
bool ch_cluster_prepare(struct ch_cluster *c) MUST_USE;
bool ch_layout_create(struct ch_cluster *c, enum dataset d, unsigned layout) MUST_USE;
bool ch_layout_drop(struct ch_cluster *c, enum dataset d, unsigned layout) MUST_USE;
/* Finds a server that must have tables of a layout and has not: server is its URL, or NULL. shards:
   how many the cluster had when the layout was filled. A server that has become a shard later has
   no tables, and is not meant. */
bool ch_layout_lost(struct ch_cluster *c, enum dataset d, unsigned layout, unsigned shards,
    const char **server) MUST_USE;
/* The number of shards of the cluster. */
bool ch_cluster_shards(struct ch_cluster *c, unsigned *shards) MUST_USE;
/* Takes a number from a line of an answer. */
bool ch_take_number(struct str *line, int64_t *out) MUST_USE;

#endif
