#!/bin/sh
# SPDX-License-Identifier: ISC
# A layout of ClickHouse is followed and asked only while it is whole: after another release has used the cluster, after tables
# were lost, and while a shard is away. The rows of a new layout are merged before it is asked, unless no other one can be.
[ -n "${LOOPBACK-}" ] || exec t/helper/loopback "$0" "$@"
. t/lib.sh
[ -x "$CH_SERVER" ] || skip_all "clickhouse-server is not installed"
WORLD_CH_ADDRESS=10.9.0.%d
for shard in 1 2; do
	loopback ip addr add "10.9.0.$shard/32" dev lo
done
world
mkdir -p "$W/ch/2/data"
loopback mount -t tmpfs -o "size=512m,mode=777" tmpfs "$W/ch/2/data"
ch_start 2
WORLD_CONF="$WORLD_CONF
engine_hosts = clickhouse
engine_dns = clickhouse
request_budget = 3200
clickhouse_shards = 2"
world_conf
world_start

# hosts FIRST NUMBER
hosts()
{
	"$BUILD/t/helper/hostgen" --start "$1" --hosts "$2" --seed 1 | ctl import hosts --quiet - >/dev/null
}

# answer PATH: status and code.
answer()
{
	api GET "$1"
	echo "$STATUS $(field .error.code)"
}

# layout [DATASET]
layout()
{
	ctl --json search status | jq -r --arg d "${1:-hosts}" '.datasets[] | select(.dataset == $d) | .layout'
}

# layout_is LAYOUT [DATASET]
layout_is()
{
	[ "$(layout "${2:-hosts}" 2>/dev/null)" = "$1" ]
}

# filled LAYOUT: whether the newest row of feeds promises documents.
filled()
{
	ch 1 "SELECT filled FROM feeds FINAL WHERE dataset = 'hosts' AND layout = $1"
}

# tables LAYOUT: how many tables of a layout the servers have.
tables()
{
	for shard in 1 2; do
		ch "$shard" "SELECT count() FROM system.tables WHERE database = 'surfaced' AND match(name, '^(all_)?hosts_$1(_dict)?\$')"
	done | paste -s -d ' '
}

hosts 0 400
hosts_wait 400

# ---- the layout of another release ----

world_kill surfaced-index
ch 1 "TRUNCATE TABLE layout"
ch 1 "INSERT INTO feeds SELECT dataset, layout, ver + 1, filled, shards, 42, snapshot, tags, at FROM feeds FINAL WHERE dataset = 'hosts'"
ch 1 "INSERT INTO layouts VALUES ('hosts', 1, 42, 99999999999999999)"
index_start
ok "a release with other columns fills a layout of its own, although a clock was wrong" world_until 60 layout_is 2
for want in 3 4; do
	ctl search switch hosts >/dev/null
	ok "surfacectl search switch asks layout $want" world_until 60 layout_is "$want"
done
is "$(tables 1)" "4 4" "the layout that the other release asks is kept"
is "$(filled 1)" 1 "the row of the layout of the other release still promises its documents"
is "$(tables 2)" "0 0" "the layout before the former one is dropped"
is "$(filled 2)" 0 "the row of a layout that was dropped promises nothing"
is "$(tables 3)" "4 4" "the former layout is kept"

# ---- tables that were lost ----

world_kill surfaced-index
for shard in 1 2; do
	for table in hosts_4 hosts_4_dict all_hosts_4 all_hosts_4_dict; do
		ch "$shard" "DROP TABLE $table"
	done
done
hosts 1000 3
index_start
ok "a layout whose tables are gone is replaced by one that is filled (C-912)" world_until 60 layout_is 5
ok "nothing is missing after the tables of a layout were gone (C-421)" ch_equal hosts
hosts_wait 403
ok "all hosts are counted after the tables of a layout were gone" test "$(ch 1 'SELECT count() FROM all_hosts_5 FINAL WHERE gone = 0')" = 403

world_kill surfaced-index
ch 2 "DROP TABLE hosts_5"
ch 2 "DROP TABLE hosts_5_dict"
index_start
ok "a layout of which one server has lost its part is replaced (C-912)" world_until 60 layout_is 6
ok "nothing is missing after one server lost its part (C-421)" ch_equal hosts

# ---- many documents of a tag ----

ctl tags set cdn --category test/changed --classification suspicious >/dev/null
ok "both sides are equal after a tag got another category (C-421)" ch_equal hosts

# ---- an epoch of PostgreSQL that is older than that of ClickHouse ----

epoch()
{
	sql "SELECT epoch FROM search_feed WHERE engine LIKE 'clickhouse:%' AND dataset = 1"
}

epoch_is_above()
{
	[ "$(epoch)" -gt "$1" ]
}

world_kill surfaced-index
seen=$(ch 1 "SELECT max(bitShiftRight(ver, 32)) FROM feeds WHERE dataset = 'hosts'")
sql "UPDATE search_feed SET epoch = 1 WHERE engine LIKE 'clickhouse:%' AND dataset = 1" >/dev/null
index_start
ok "the epoch that PostgreSQL stores exceeds that of ClickHouse, so no later feeder repeats a version" \
	world_until 30 epoch_is_above "$seen"
hosts 1000 3
ok "both sides are equal after the epoch of PostgreSQL was set back (C-421)" ch_equal hosts

# ---- the merge of a new layout ----

# A batch of the feeder has 100,000 rows.
seq "${DNS:-210000}" | awk '{ printf "{\"rrname\":\"h%d.example.org\",\"rrtype\":\"A\",\"rdata\":\"10.%d.%d.%d\"," \
	"\"time_first\":1700000000,\"time_last\":1760000000,\"count\":1}\n", $1, $1 / 65536 % 256, $1 / 256 % 256, $1 % 256 }' >"$W/dns"
ctl import dns --format cof --quiet "$W/dns" >/dev/null
ctl search switch dns >/dev/null
ok "a layout of $(wc -l <"$W/dns") records is filled and asked" world_until 30 layout_is 2 dns
for shard in 1 2; do
	is "$(ch "$shard" "SELECT count(), max(max_block_number) - min(min_block_number) FROM system.parts
		WHERE active AND database = 'surfaced' AND table = 'dns_2'" | tr '\t' ' ')" "1 2" \
		"the three batches of a new layout are one part on shard $shard"
done
like "$(cat "$W/log/surfaced-index.log")" 'dataset=dns clickhouse=merged layout=2 ms=[0-9]+$' "surfaced-index logs the merge"
ok "both sides are equal after the merge of a new layout (C-421)" ch_equal dns

# merging_fails_at LAYOUT
merging_fails_at()
{
	grep -q "dataset=hosts clickhouse=merging layout=$1 failed=\"http://10.9.0.2:" "$W/log/surfaced-index.log"
}

filled_is()
{
	[ "$(filled "$1" 2>/dev/null)" = 1 ]
}

# The server merges only while 30 MiB and twice the bytes of the rows are free.
used=$(du -sm "$W/ch/2/data" | cut -f 1)
loopback mount -o remount,size="$((used + 20))m" "$W/ch/2/data"
ctl search switch hosts >/dev/null
ok "a layout is asked although a server has no room to merge it" world_until 60 layout_is 7
ok "surfaced-index logs which server could not merge its rows" merging_fails_at 7
ok "nothing is missing in a layout that could not be merged (C-421)" ch_equal hosts
api GET /search/hosts/count
is "$STATUS $(field .count)" "200 403" "a layout that could not be merged is searched"

# The feeder tries for two seconds, and is killed meanwhile.
ctl search switch hosts >/dev/null
ok "a layout is full before its rows are merged" world_until 60 filled_is 8
world_kill surfaced-index KILL
merging_fails_at 8
is "$?" 1 "surfaced-index is killed while it merges rows"
hosts 2000 5
index_start
ok "a layout whose merge was interrupted is followed and asked" world_until 60 layout_is 8
ok "nothing is missing after the merge was interrupted (C-421)" ch_equal hosts
is "$(tables 9)" "0 0" "a layout whose merge was interrupted is not filled again"

# The merge of shard 2 fails after two seconds; searches have no layout until the new one is asked.
world_kill surfaced-index
ch 2 "DROP TABLE hosts_7"
ch 2 "DROP TABLE hosts_8"
index_start
ok "a layout is asked when all full ones were lost" world_until 60 layout_is 9
ok "surfaced-index tries to merge the rows of the layout that is asked" world_until 30 merging_fails_at 9
like "$(sed -n '/dataset=hosts clickhouse=switched layout=9/,$p' "$W/log/surfaced-index.log")" \
	"dataset=hosts clickhouse=merging layout=9 failed=" "a layout is asked before its merge has ended when no other one can be asked"
ok "both sides are equal after a layout was followed during its merge (C-421)" ch_equal hosts
loopback mount -o remount,size=512m "$W/ch/2/data"

# ---- a dictionary that is damaged ----

# refused_since LINE
refused_since()
{
	tail -n "+$1" "$W/log/surfaced-index.log" |
		grep -q 'clickhouse=failed .*_dict has an invalid row: a value with two numbers, or a number with two values'
}

# damaged LAYOUT ROWS: the dictionary has more rows, which the first server sends to their shard in the background.
damaged()
{
	[ "$(ch 1 "SELECT count() FROM all_hosts_$1_dict")" -gt "$2" ]
}

# damage WHAT COLUMNS: a row of the dictionary, with these columns in place of folded, value and id.
damage()
{
	_layout=$(layout)
	world_kill surfaced-index
	_rows=$(ch 1 "SELECT count() FROM all_hosts_${_layout}_dict")
	ch 1 "INSERT INTO all_hosts_${_layout}_dict (field, folded, value, id)
		SELECT field, $2 FROM all_hosts_${_layout}_dict WHERE value = 'Linux' LIMIT 1"
	world_until 30 damaged "$_layout" "$_rows"
	_from=$(($(wc -l <"$W/log/surfaced-index.log") + 1))
	index_start
	ok "surfaced-index follows no layout in which $1" world_until 60 refused_since "$_from"
	ctl search switch hosts >/dev/null
	ok "surfacectl search switch replaces a layout in which $1" world_until 60 layout_is $((_layout + 1))
	ok "both sides are equal after a layout was replaced in which $1" ch_equal hosts
}

damage "a number has two values" "'another', 'another', id"
damage "a value has two numbers" "folded, value, id + 4000000"

# ---- a shard that is away ----

echo "clickhouse_partial = yes" >>"$W/etc/surfaced.conf"
world_kill surfaced
api_start
exact='/search/hosts/count?q=NOT+os:Linux'
api GET "$exact"
is "$STATUS" "200" "with all shards a test of a value is answered"
world_ch_kill 2
api GET '/search/hosts?limit=2'
is "$STATUS $(field .total.relation)" "200 gte" "with clickhouse_partial the hosts of the other shard are a lower bound (C-420)"
is "$(answer "$exact")" "503 search_upstream_failed" \
	"with clickhouse_partial a test of a value is refused while a part of the dictionary is away (C-420)"
api POST /search/hosts/aggregate '{"aggregations":[{"field":"os"}]}'
is "$STATUS $(field .error.code)" "503 search_upstream_failed" \
	"with clickhouse_partial an aggregation of values is refused while a part of the dictionary is away (C-420)"
world_ch_resume 2
world_kill surfaced
sed -i "s,^clickhouse_url = .*,clickhouse_url = http://$(world_ch_address 2):$(world_ch_port 2 http)," "$W/etc/surfaced.conf"
api_start
world_ch_kill 1
is "$(answer /search/hosts/count)" "503 search_upstream_failed" \
	"with clickhouse_partial and the first shard away nothing is called misconfigured (C-420)"
world_ch_stop
# The kernel closes the files of a killed server a moment after its end.
world_until 30 loopback umount "$W/ch/2/data" 2>"$W/umount.err"
