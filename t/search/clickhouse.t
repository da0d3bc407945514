#!/bin/sh
# SPDX-License-Identifier: ISC
# ClickHouse answers as PostgreSQL does: random queries of the grammar on each dataset are compared with plain SQL over the
# stored documents, on one shard and on two, after updates and deletions, and while parts are merged (C-419). SEED gives
# other queries, QUERIES more of them.
[ -n "${LOOPBACK-}" ] || exec t/helper/loopback "$0" "$@"
. t/lib.sh
[ -x "$CH_SERVER" ] || skip_all "clickhouse-server is not installed"
seed=${SEED:-1} queries=${QUERIES:-25}
CH_LOG=debug # the servers log the statements
diag "seed $seed"

# servers N: a world whose searches are all answered by N shards, with documents.
servers()
{
	ch_start "$1"
	for dataset in hosts dns whois certificates reports open_directories; do
		WORLD_CONF="$WORLD_CONF
engine_$dataset = clickhouse"
	done
	world_conf
	world_start
	world_env
	t/helper/fill-world "$W" --documents 600 --seed "$seed" 2>"$W/fill.err" || diag "$(cat "$W/fill.err")"
}

# compare DATASET WHAT
compare()
{
	PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 t/helper/differential.py "$W" "$1" --queries "$queries" --seed "$seed" \
		>"$W/table.out" 2>&1
	relay "$W/table.out"
	sums=0
	[ "$1" != hosts ] || sums=$((queries / 6))
	is "$(grep -cE '^ok ' "$W/table.out")" $((queries + 1 + sums)) \
		"every query of $1 was compared with SQL, $2 (C-419)"
}

servers "${SHARDS:-2}"
for dataset in hosts services dns whois certificates reports open-directories; do
	compare "$dataset" "${SHARDS:-2} shards"
done

# Merging moves rows from part to part while queries run.
(
	while [ ! -e "$W/merged" ]; do
		for table in hosts_1 dns_1; do
			for shard in $(seq "${SHARDS:-2}"); do
				ch "$shard" "OPTIMIZE TABLE $table FINAL" >>"$W/optimize.out" 2>&1
			done
		done
	done
) &
merger=$!
seed=$((seed + 1))
compare hosts "while parts are merged"
compare services "while parts are merged"
compare dns "while parts are merged"
: >"$W/merged"
wait "$merger"

for shard in $(seq "${SHARDS:-2}"); do
	isnt "$(ch "$shard" "SELECT count() FROM hosts_1")" 0 "shard $shard has hosts of its own (C-419)"
done
# The log of the server has the statements: none has a text of the queries, which are about these names.
for shard in $(seq "${SHARDS:-2}"); do
	isnt "$(grep -c "gone = 0" "$W/ch/$shard/server.log")" 0 "the log of shard $shard has statements"
	is "$(grep -cE "gone = 0.*(nginx|example)" "$W/ch/$shard/server.log")" 0 \
		"no statement in the log of shard $shard has a text of a query (C-419)"
done
world_ch_stop
