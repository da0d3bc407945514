#!/bin/sh
# SPDX-License-Identifier: ISC
# The engine on ClickHouse without the API: random records of every dataset, random trees of queries with every node, and
# the answers of two shards against looking at every record (C-419).
[ -n "${LOOPBACK-}" ] || exec t/helper/loopback "$0" "$@"
. t/lib.sh
[ -x "$CH_SERVER" ] || skip_all "clickhouse-server is not installed"
ch_start 2
for shard in 1 2; do
	statement=
	"$BIN/surfaced" -D clickhouse=18 >"$W/tables.sql"
	while read -r line; do
		statement="$statement $line"
		case $line in
		*\;)
			ch "$shard" "${statement%;}" || exit 1
			statement=
			;;
		esac
	done <"$W/tables.sql"
done
for dataset in hosts dns whois certificates reports open-directories; do
	"$BUILD/t/helper/ch-records" "$CH_URL" "$W/ch/password" "$dataset" "${QUERIES:-12}" >"$W/records.out" 2>&1
	is "$?" 0 "random records of $dataset are found exactly (C-419)"
	sed -n 's/^#/&/p' "$W/records.out" | head -20
done
world_ch_stop
