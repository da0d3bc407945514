#!/bin/sh
# SPDX-License-Identifier: ISC
# A present release of ClickHouse, as the npm package chdb has it (t/helper/chdb): the tables and the users of
# surfaced -D clickhouse=26; with QUERIES, as in make campaign-clickhouse-26, also every node of the grammar on every dataset,
# the feeder, and the operations (C-419). It is one shard, and no server: t/search/clickhouse*.t have two shards, faults and
# TLS with Debian's release 18.
[ -n "${LOOPBACK-}" ] || CHDB=$(t/helper/npm chdb 2>/dev/null)
export CHDB
[ -n "${LOOPBACK-}" ] || exec t/helper/loopback "$0" "$@"
. t/lib.sh
library=$(find "${CHDB:-/nonexistent}" -name libchdb.so 2>/dev/null)
[ -n "$library" ] || skip_all "npm cannot install chdb"
world
world_chdb_start "$library"
version=$(ch 1 'SELECT version()')
diag "ClickHouse $version"
like "$version" '^2[6-9]\.' "the library is a present release"

# ---- tables and users ----

# as USER COMMAND...
as()
{
	CH_AS=$1
	shift
	"$@"
	_rc=$?
	CH_AS=
	return $_rc
}

ok "the user of the feeder makes the tables of every dataset" as index world_ch_script 1 clickhouse=26
is "$(ch 1 "SELECT count() FROM system.tables WHERE database = 'surfaced'")" 32 "each dataset has its tables"

# refused USER SQL
refused()
{
	as "$1" ch 1 "$2" 2>&1 | grep -oE '^Code: [0-9]+'
}

for statement in 'INSERT INTO feeds (layout) VALUES (9)' 'DROP TABLE hosts_1' 'ALTER TABLE hosts_1 DROP COLUMN gone' \
	'TRUNCATE TABLE hosts_1' 'OPTIMIZE TABLE hosts_1 FINAL'; do
	like "$(refused search "$statement")" '^Code: (164|497)' "the user of the workers may not: $statement"
done
for statement in 'CREATE DATABASE mine' 'CREATE TABLE default.mine (a UInt8) ENGINE = Log' 'ALTER TABLE hosts_1 DELETE WHERE 1'; do
	is "$(refused index "$statement")" "Code: 497" "the user of the feeder may not: $statement"
done
ch 1 "INSERT INTO hosts_1 (place, ver) VALUES ('a', 1)"
ch 1 "INSERT INTO hosts_1 (place, ver) VALUES ('a', 2)"
parts="SELECT count() FROM system.parts WHERE active AND database = 'surfaced' AND table = 'hosts_1'"
is "$(as search ch 1 "$parts")" 2 "the user of the workers reads how many parts a table has"
is "$(as index ch 1 "SELECT count() FROM system.merges WHERE table = 'hosts_1'")" 0 "the user of the feeder reads which parts are merged"
is "$(as index ch 1 'CHECK GRANT SELECT, INSERT, CREATE TABLE, DROP TABLE, OPTIMIZE ON *')" 1 \
	"the user of the feeder has the rights that surfaced-index asks for"
as index ch 1 'OPTIMIZE TABLE hosts_1 FINAL'
is "$(ch 1 "$parts")" 1 "the user of the feeder may merge rows"
ch 1 'TRUNCATE TABLE hosts_1'
grep -vE '^--' "$W/ch/users.sql" >"$W/tmp/statements"
while read -r statement; do
	quoted=$(printf %s "${statement%;}" | sed -e "s/SURFACED_[A-Z]*/$(printf x | sha256sum | cut -c 1-64)/" -e "s/'/''/g")
	parsed=$(ch 1 "SELECT formatQuery('$quoted') FORMAT TabSeparated" 2>&1)
	like "$parsed" '^(CREATE USER|GRANT) ' "the release parses: $statement"
done <"$W/tmp/statements"

[ -n "${QUERIES-}" ] || { # make campaign-clickhouse-26 has the rest, which takes many minutes
	world_kill chdb
	exit 0
}

# ---- every node on every dataset ----

for dataset in hosts dns whois certificates reports open-directories; do
	"$BUILD/t/helper/ch-records" "$CH_URL" "$W/ch" "$dataset" "$QUERIES" >"$W/records.out" 2>&1
	is "$?" 0 "random records of $dataset are found exactly (C-419)"
	sed -n 's/^#/&/p' "$W/records.out" | head -20
done

# ---- the feeder and the operations ----

WORLD_CONF="$WORLD_CONF
engine_hosts = clickhouse"
world_conf
pg_start
follow()
{
	(world_as "$BIN/surfaced-index" -c "$W/etc/surfaced-index.conf" --once)
}
"$BUILD/t/helper/hostgen" --hosts 200 --seed 1 | ctl import hosts --quiet - >/dev/null
ok "surfaced-index fills a layout and follows it" follow
sql "SELECT count(*) FROM (SELECT record_remove(dataset, key) FROM record WHERE dataset = 1 ORDER BY key LIMIT 20) AS r" >/dev/null
ok "surfaced-index sends the deletions of records" follow
api_start
world_meter_start
web_start
api GET /search/hosts/count
is "$STATUS $(field .count)" "200 180" "the count is that of the records (C-419)"
api GET '/search/hosts?limit=3&q=services:(port:>1000)'
is "$STATUS $(field '.hosts | length')" "200 3" "a page comes from the present release (C-419)"
api POST /search/hosts/aggregate '{"aggregations":[{"field":"ip_version"},{"field":"services.banner_hash"}]}'
is "$STATUS $(field '(.groups | length), ([.groups[0].buckets[].count] | add)' | tr '\n' ' ')" "200 2 180 " "facets come from the present release (C-419)"
world_kill chdb
