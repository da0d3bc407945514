#!/bin/sh
# SPDX-License-Identifier: ISC
# The engine on ClickHouse without the API: random records of every dataset, random trees of queries with every node, and
# the answers of two shards against looking at every record (C-419).
[ -n "${LOOPBACK-}" ] || exec t/helper/loopback "$0" "$@"
. t/lib.sh
[ -x "$CH_SERVER" ] || skip_all "clickhouse-server is not installed"
ch_start 2
for shard in 1 2; do
	CH_AS=index world_ch_script "$shard" clickhouse=18 || exit 1
done
for dataset in hosts dns whois certificates reports open-directories; do
	"$BUILD/t/helper/ch-records" "$CH_URL" "$W/ch" "$dataset" "${QUERIES:-12}" >"$W/records.out" 2>&1
	is "$?" 0 "random records of $dataset are found exactly (C-419)"
	sed -n 's/^#/&/p' "$W/records.out" | head -20
done
world_ch_stop
