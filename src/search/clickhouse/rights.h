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

/* Prints a configuration file for 18, which has no grants, or statements for 26, that create the
   users. A name in capitals is printed in the place of the SHA-256 of each password. */
void ch_print_users(struct buf *out, unsigned version);
/* *may: whether the user of the cluster has the rights of a feeder; if not, c->message has the
   reason. False: the server did not answer. */
bool ch_may_write(struct ch_cluster *c, bool *may) MUST_USE;

#endif
