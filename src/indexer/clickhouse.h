/* SPDX-License-Identifier: ISC */
/* One dataset in ClickHouse: follows the database as follow.c does for the index. */
#ifndef INDEXER_CLICKHOUSE_H
#define INDEXER_CLICKHOUSE_H

#include "indexer/indexer.h"

struct ch_follower;

struct ch_follower *ch_follow_open(enum dataset d, struct db *db);
void ch_follow_close(struct ch_follower *f);
/* Makes one pass. refill: a new layout is filled, too. */
enum follow_rc ch_follow_once(struct ch_follower *f, bool refill) MUST_USE;
/* Lets ch_follow_once fill layouts in this process instead of a child. */
void ch_follow_without_child(struct ch_follower *f);

#endif
