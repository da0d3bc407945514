#!/bin/sh
# SPDX-License-Identifier: ISC
# t/search/clickhouse.t on a cluster of one shard, with fewer queries (C-419).
SHARDS=1 QUERIES=${QUERIES:-10} exec t/search/clickhouse.t "$@"
