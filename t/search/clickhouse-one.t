#!/bin/sh
# SPDX-License-Identifier: ISC
# t/search/clickhouse.t on a cluster of one shard (C-419).
SHARDS=1 exec t/search/clickhouse.t "$@"
