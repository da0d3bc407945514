/* SPDX-License-Identifier: ISC */
/* The users of ClickHouse. A worker of the API must not be able to change what is searched, so it
 * has another user than the feeder:
 *
 *   surfaced_search   surfaced, surfaced-export        reads the tables, with the settings of request.c (readonly=2)
 *   surfaced_index    surfaced-index, surfacectl       makes, fills and drops tables of the one database
 *   surfaced_shard    the servers among themselves     what either of the two does at another
 *                                                      shard */
#ifndef SEARCH_CLICKHOUSE_RIGHTS_H
#define SEARCH_CLICKHOUSE_RIGHTS_H

#include "search/clickhouse/cluster.h"

/* Prints what makes the users, with a name in capitals where the SHA-256 of its password belongs: a
   file of configuration for 18, which has no grants, statements for 26. */
void ch_print_users(struct buf *out, unsigned version);
/* Whether the user of the cluster has the rights of a feeder; if it has not, c->message says so.
   False: no answer. */
bool ch_may_write(struct ch_cluster *c, bool *may) MUST_USE;

#endif
