#!/bin/sh
# SPDX-License-Identifier: ISC
# surfaced-index feeds ClickHouse: two shards have what PostgreSQL has, whatever is killed, cut off or full meanwhile (C-421).
# KILLS: how often the feeder is killed (make campaign-clickhouse-feed: 100).
[ -n "${LOOPBACK-}" ] || exec t/helper/loopback "$0" "$@"
. t/lib.sh
[ -x "$CH_SERVER" ] || skip_all "clickhouse-server is not installed"
KILLS=${KILLS:-6} SEED=${SEED:-1}
diag "seed $SEED"
WORLD_CH_ADDRESS=10.9.0.%d
for shard in 1 2 3; do
	loopback ip addr add "10.9.0.$shard/32" dev lo
done
world
mkdir -p "$W/ch/2/data"
loopback mount -t tmpfs -o "size=256m,mode=777" tmpfs "$W/ch/2/data"
ch_start 3 2
WORLD_CONF="$WORLD_CONF
engine_hosts = clickhouse
engine_dns = clickhouse
engine_reports = clickhouse"
world_conf
pg_start
index_start

# hosts FIRST NUMBER PLAN: imports hosts whose os is "Plan PLAN".
hosts()
{
	"$BUILD/t/helper/hostgen" --start "$1" --hosts "$2" --seed "$SEED" | sed "s/\"os\":\"[^\"]*\"/\"os\":\"Plan $3\"/" |
		ctl import hosts --quiet - >/dev/null
}

# documents DATASET NUMBER CHANGE
documents()
{
	PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 t/helper/docgen.py "$1" --documents "$2" --seed "$SEED" --change "$3" |
		ctl import "$1" --format ndjson --quiet - >/dev/null
}

# remove DATASET-NUMBER N: every N-th record is deleted.
remove()
{
	sql "SELECT count(*) FROM (SELECT record_remove(dataset, key) FROM (SELECT dataset, key, row_number() OVER (ORDER BY key) AS n
		FROM record WHERE dataset = $1 AND NOT gone) AS r WHERE n % $2 = 0) AS s" >/dev/null
}

layout()
{
	ctl --json search status | jq -r --arg d "$1" '.datasets[] | select(.dataset == $d) | .layout'
}

layout_is_above()
{
	_layout=$(layout hosts 2>/dev/null)
	[ "${_layout:-0}" -gt "$1" ]
}

asked()
{
	for _dataset in hosts dns reports; do
		_layout=$(layout "$_dataset" 2>/dev/null)
		[ "${_layout:-0}" -gt 0 ] || return 1
	done
}

# optimize DATASET: merges all rows of the layout that is asked, on both shards.
optimize()
{
	_table=$(echo "$1" | tr - _)_$(layout "$1")
	for shard in 1 2; do
		ch "$shard" "OPTIMIZE TABLE $_table FINAL"
	done
}

# equal_at_last: as ch_equal, after a statement to a shard that was cut off, which may wait for longer than a check does.
equal_at_last()
{
	ch_equal "$@" || ch_equal "$@" || ch_equal "$@"
}

# ---- changes ----

ok "the first layouts are filled and asked" world_until 30 asked
hosts 0 600 1
documents dns 400 0
documents reports 100 0
ok "both sides are equal after imports (C-421)" ch_equal hosts dns reports
isnt "$(ch 1 'SELECT count() FROM hosts_1')" 0 "the first shard has a part of the hosts"
isnt "$(ch 2 'SELECT count() FROM hosts_1')" 0 "the second shard has a part of the hosts"
hosts 0 300 2
documents dns 400 1
documents reports 100 1
remove 1 7
remove 3 5
ok "both sides are equal after updates and deletions (C-421)" ch_equal hosts dns reports
optimize hosts
optimize dns
ok "both sides are equal after OPTIMIZE (C-421)" ch_equal hosts dns reports
is "$(ch 1 'SELECT count() FROM (SELECT id FROM all_hosts_1_dict GROUP BY id HAVING uniqExact(field, value) > 1)')" 0 \
	"no number stands for two values"
is "$(ch 1 'SELECT count() FROM (SELECT field, value FROM all_hosts_1_dict GROUP BY field, value HAVING uniqExact(id) > 1)')" 0 \
	"no value has two numbers"
ctl tags set cdn --category test/changed --classification suspicious >/dev/null
ok "both sides are equal after a tag got another category (C-421)" ch_equal hosts

# ---- what check sees ----

place=$(ch 1 "SELECT hex(min(place)) FROM all_hosts_1 FINAL WHERE gone = 0")
ch 1 "INSERT INTO all_hosts_1 (place, ver, gone) SELECT unhex('$place'), toUInt64(-1), 1"
ctl search check hosts >"$W/check.out" 2>"$W/check.err"
is "$?" 1 "surfacectl search check fails when a record is missing in ClickHouse"
like "$(cat "$W/check.err")" "^keys that begin with 04: [0-9]+ records in PostgreSQL, [0-9]+ in ClickHouse" \
	"surfacectl search check names the keys that differ"
ch 1 "INSERT INTO all_hosts_1 (place, ver, d_tags) SELECT place, toUInt64(-1), arrayPushBack(d_tags, toUInt32(1)) FROM all_hosts_1
	FINAL WHERE gone = 0 AND place = (SELECT max(place) FROM all_hosts_1 FINAL WHERE gone = 0)"
ctl search check hosts --sample 100000 >"$W/check.out" 2>"$W/check.err"
like "$(cat "$W/check.err")" "^[0-9a-f.:]+: d_tags$" "surfacectl search check names the record and the column that differ"

# ---- a new layout ----

before=$(layout hosts)
ctl search switch hosts >/dev/null
ok "surfacectl search switch fills a new layout and switches to it (C-912)" world_until 30 layout_is_above "$before"
ok "both sides are equal in the new layout (C-421)" ch_equal hosts

# ---- kills ----

# rows: how many rows the shards have stored since they began, those of dictionaries too.
rows()
{
	for shard in 1 2; do
		ch "$shard" "SELECT value FROM system.events WHERE event = 'InsertedRows'"
	done | awk '{ n += $1 } END { print n + 0 }'
}

stored()
{
	[ "$(rows)" -ge "$1" ]
}

random=$SEED
kills=0
while [ "$kills" -lt "$KILLS" ]; do
	kills=$((kills + 1))
	random=$(((random * 1103515245 + 12345) % 2147483648))
	# The moment is a number of rows that are stored then: of the 200 hosts, which all change, and of the dictionary.
	moment=$(($(rows) + random / 65536 % 200))
	hosts $((kills * 50)) 200 $((kills + 2)) &
	importer=$!
	world_until 30 stored "$moment" || result 1 "the feeder stores rows before it is killed"
	world_kill surfaced-index KILL
	wait "$importer"
	[ $((kills % 3)) -ne 0 ] || remove 1 11
	index_start
done
ok "both sides are equal after the feeder was killed $KILLS times after random numbers of rows (C-421)" ch_equal hosts dns reports
table=all_hosts_$(layout hosts)_dict
is "$(ch 1 "SELECT count() FROM (SELECT id FROM $table GROUP BY id HAVING uniqExact(field, value) > 1)")" 0 \
	"no number stands for two values after the kills"

# ---- a second feeder ----

mkdir "$W/index2"
! world_root || chown "$WORLD_USER" "$W/index2"
sed "s,^index_directory.*,index_directory = $W/index2," "$W/etc/surfaced-index.conf" >"$W/etc/second.conf"
(world_as "$BIN/surfaced-index" -c "$W/etc/second.conf" --once) >"$W/log/second.log" 2>&1
like "$(cat "$W/log/second.log")" 'clickhouse=idle reason="another surfaced-index feeds it"' \
	"a second surfaced-index does not feed what another one feeds"

# ---- a shard that dies, is cut off, or is full ----

failed_since()
{
	tail -n "+$1" "$W/log/surfaced-index.log" | grep -q "clickhouse=failed"
}

lines()
{
	echo $(($(wc -l <"$W/log/surfaced-index.log") + 1))
}

# The numbers of new values are kept when they cannot be stored, because rows that are sent later have them. The feeder
# makes the missing table again.
table=all_hosts_$(layout hosts)_dict
from=$(lines)
ch 1 "RENAME TABLE $table TO hidden_dict"
hosts 1500 40 19
ok "the feeder logs that numbers of values could not be stored" world_until 30 failed_since "$from"
ok "nothing is lost while numbers of values could not be stored (C-421)" equal_at_last hosts
is "$(ch 1 "SELECT count() FROM $table WHERE value = 'Plan 19'")" 1 "a number that could not be stored at first is stored later"
ch 1 "DROP TABLE hidden_dict"

from=$(lines)
world_ch_kill 2
hosts 2000 300 20
ok "the feeder logs that a shard is away" world_until 30 failed_since "$from"
world_ch_resume 2
ok "nothing is lost while a shard was dead (C-421)" equal_at_last hosts dns reports

loopback ip addr del 10.9.0.2/32 dev lo
hosts 2300 300 21
remove 1 13
loopback ip addr add 10.9.0.2/32 dev lo
ok "nothing is lost while the network to a shard was cut (C-421)" equal_at_last hosts dns reports

from=$(lines)
loopback mount -o remount,size="$(($(du -sm "$W/ch/2/data" | cut -f 1) + 1))m" "$W/ch/2/data"
head -c 1500000 /dev/zero >"$W/ch/2/data/ballast" 2>"$W/ballast.err"
hosts 3000 600 22
ok "the feeder logs that a shard's disk is full" world_until 30 failed_since "$from"
rm "$W/ch/2/data/ballast"
loopback mount -o remount,size=256m "$W/ch/2/data"
ok "nothing is lost while the disk of a shard was full (C-421)" equal_at_last hosts dns reports

# ---- a third shard, as surfaced-clickhouse(7) says ----

before=$(layout hosts)
for shard in 1 2 3; do
	world_ch_conf "$shard" 3
done
has_a_third_part()
{
	layout_is_above "$before" && [ "$(ch 3 "SELECT count() FROM hosts_$(layout hosts)" 2>/dev/null || echo 0)" -gt 0 ]
}
ok "a layout over three shards is filled when a shard was added" world_until 60 has_a_third_part
ok "both sides are equal over three shards" ch_equal hosts dns reports

# ---- a restore ----

before=$(layout hosts)
ctl backup --evidence "$W/evidence" "$W/backup" >/dev/null
hosts 4000 300 23
remove 1 3
ok "both sides are equal before the restore" ch_equal hosts
world_kill surfaced-index
ctl --database "host=$W/db dbname=surfaced user=postgres" restore --evidence "$W/evidence" --sql-dir "$SQL" --replace "$W/backup" \
	>"$W/restore.out" 2>"$W/restore.err" || diag "$(cat "$W/restore.err")"
index_start
ok "a restore from a backup fills a new layout and switches to it (C-421)" world_until 60 layout_is_above "$before"
ok "both sides are equal after the restore (C-421)" ch_equal hosts dns reports

world_ch_stop
# The kernel closes the files of a killed server a moment after its end.
world_until 30 loopback umount "$W/ch/2/data" 2>"$W/umount.err"
