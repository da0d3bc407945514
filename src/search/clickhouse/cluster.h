/* SPDX-License-Identifier: ISC */
/* The servers of ClickHouse that surfaced-index feeds. Statements are sent to the first server;
   tables are created on all servers. */
#ifndef SEARCH_CLICKHOUSE_CLUSTER_H
#define SEARCH_CLICKHOUSE_CLUSTER_H

#include "search/clickhouse/http.h"
#include "search/clickhouse/schema.h"

/* The servers of one cluster. */
struct ch_cluster {
	struct ch_server server; /* the first server */
	struct ch_http *http;    /* the connection to the first server */
	char **urls;
	unsigned nurls;
	int64_t patience_us; /* for one statement */
	struct ch_release release;
	bool too_large;           /* the last answer exceeded the limit of an answer */
	char message[CH_MESSAGE]; /* the last failure */
};

struct conf;

/* Whether ClickHouse is configured as the engine of the dataset, or of the source of the view. */
bool ch_answers(const struct conf *c, enum dataset d) MUST_USE;
/* Opens the cluster that the configuration names. */
struct ch_cluster *ch_cluster_open(const struct conf *c);
/* urls: the URLs of all servers, separated by blanks; "": only that of server. */
struct ch_cluster *ch_cluster_new(const struct ch_server *server, const char *urls);
void ch_cluster_free(struct ch_cluster *c);
/* Runs a statement at the first server. data: rows in the format that the statement names, or
   STR_NULL. The answer is valid until the next one. */
bool ch_cluster_run(
    struct ch_cluster *c, struct str sql, struct str data, struct str *answer) MUST_USE;
bool ch_cluster_printf(struct ch_cluster *c, struct str *answer, const char *format, ...) MUST_USE
    PRINTF(3, 4);
/* On every server: ch_cluster_prepare creates the tables that all layouts share, ch_layout_create
   those of one layout, and ch_layout_drop drops those of one layout. */
bool ch_cluster_prepare(struct ch_cluster *c) MUST_USE;
bool ch_layout_create(struct ch_cluster *c, enum dataset d, unsigned layout) MUST_USE;
bool ch_layout_drop(struct ch_cluster *c, enum dataset d, unsigned layout) MUST_USE;
/* Finds a server that should have the tables of a layout but lacks one: *server is its URL, or
   NULL. shards: the number of shards when the layout was filled. A server that became a shard later
   has no tables yet, and is not reported. */
bool ch_layout_lost(struct ch_cluster *c, enum dataset d, unsigned layout, unsigned shards,
    const char **server) MUST_USE;
/* The number of shards of the cluster. */
bool ch_cluster_shards(struct ch_cluster *c, unsigned *shards) MUST_USE;
/* Takes the first number, up to a tab, from a line of an answer. */
bool ch_take_number(struct str *line, int64_t *out) MUST_USE;

#endif
