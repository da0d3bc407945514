#!/bin/sh
# SPDX-License-Identifier: ISC
# Answers are exact whatever parts the tables of two shards of ClickHouse have: none, one, a large one with newer, older or
# deleted versions of its documents in small ones, and parts that are merged while documents change (C-419).
# ROUNDS: transactions during the searches, at least 12 (make campaign-clickhouse-parts: 500). SEED: other changes.
[ -n "${LOOPBACK-}" ] || exec t/helper/loopback "$0" "$@"
. t/lib.sh
[ -x "$CH_SERVER" ] || skip_all "clickhouse-server is not installed"
seed=${SEED:-1}
diag "seed $seed"
WORLD_SEARCH_WORKERS=4
CH_LOG=debug # the logs have all statements
ch_start 2
WORLD_CONF="$WORLD_CONF
engine_hosts = clickhouse
search_slice = 10000
search_share = 100
search_wait = 60000"
world_conf
pg_start

# The hosts, and the shard of each, are known before the first one is fed.
"$BUILD/t/helper/hostgen" --hosts 2000 --seed "$seed" |
	jq -c '.city = (["Plan A", "Plan B", "Plan A", "Plan B", "Plan C", "Plan C", "Toggle", .city][input_line_number % 8]) | del(.city | nulls) |
		if input_line_number % 8 == 7
		then .services += [{port: (4001 + input_line_number % 16 / 8 | floor), transport: "tcp"}] | .service_count = (.services | length)
		else . end' |
	ctl import hosts --quiet - >/dev/null
sql "SET client_min_messages = warning; CREATE TABLE saved AS SELECT key, doc, 0 AS shard FROM record WHERE dataset = 1; TRUNCATE record"
{
	printf 'SELECT x, cityHash64(unhex(x)) %% 2 + 1 FROM (SELECT arrayJoin(['
	sql "SELECT string_agg(quote_literal(encode(key, 'hex')), ',') FROM saved"
	printf ']) AS x) FORMAT TabSeparated'
} >"$W/keys.sql"
ch 1 "$(cat "$W/keys.sql")" | while read -r digits shard; do
	echo "UPDATE saved SET shard = $shard WHERE key = '\\x$digits';"
done >"$W/shards.sql"
psql -Xq -1 -f "$W/shards.sql" >/dev/null
# Numbers of the hosts of a shard, in the order of their keys.
sql "CREATE VIEW numbered AS SELECT *, row_number() OVER (PARTITION BY shard ORDER BY key) AS n FROM saved"
# Tables of another database, whose parts have the most rows of all.
for shard in 1 2; do
	ch "$shard" "CREATE DATABASE IF NOT EXISTS elsewhere"
	for layout in 1 2; do
		ch "$shard" "CREATE TABLE elsewhere.hosts_$layout (place String, ver UInt64, gone UInt8) ENGINE = ReplacingMergeTree(ver)
			PARTITION BY tuple() ORDER BY place"
		ch "$shard" "INSERT INTO elsewhere.hosts_$layout SELECT toString(number), 1, 0 FROM (SELECT number FROM system.numbers LIMIT 9000)"
	done
done
index_start
export_start
api_start
web_start
hosts_wait 0
world_env

# merges STOP|START SHARD
merges()
{
	ch "$2" "SYSTEM $1 MERGES surfaced.hosts_$layout"
}

# parts SHARD: the names of its parts, the one with the most rows first.
parts()
{
	ch "$1" "SELECT name FROM system.parts WHERE database = 'surfaced' AND table = 'hosts_$layout' AND active
		ORDER BY rows DESC, name" | paste -s -d ' '
}

# change STATEMENT...: in one transaction, which the feeder sends in one INSERT; waits until it is fed.
change()
{
	sql "BEGIN; $(printf '%s;' "$@") COMMIT"
	ch_equal hosts || fail "both servers have what the database has"
}

# put WHERE CITY: a statement that stores these hosts with the city; "": with their own.
put()
{
	echo "INSERT INTO record (dataset, key, doc) SELECT 1, key, CASE WHEN '$2' = '' THEN doc
			ELSE regexp_replace(doc, '\"city\":\"[^\"]*\"', '\"city\":\"$2\"') END
		FROM numbered WHERE $1 ON CONFLICT (dataset, key) DO UPDATE SET doc = excluded.doc, gone = false"
}

# remove WHERE
remove()
{
	echo "UPDATE record SET doc = '', gone = true WHERE dataset = 1 AND NOT gone AND key IN (SELECT key FROM numbered WHERE $1)"
}

# again SHARD PART...: these parts and no others, each as one that a merge has made, with the next numbers in this order.
again()
{
	_shard=$1 _n=0
	shift
	for _part in "$@"; do
		_n=$((_n + 1))
		ch "$_shard" "CREATE TABLE again_$_n AS hosts_$layout ENGINE = ReplacingMergeTree(ver) PARTITION BY tuple() ORDER BY place
			SETTINGS index_granularity = 1024"
		ch "$_shard" "INSERT INTO again_$_n SELECT * FROM hosts_$layout WHERE _part = '$_part'"
		ch "$_shard" "OPTIMIZE TABLE again_$_n FINAL"
	done
	ch "$_shard" "ALTER TABLE hosts_$layout DROP PARTITION tuple()"
	for _i in $(seq "$_n"); do
		ch "$_shard" "ALTER TABLE hosts_$layout ATTACH PARTITION tuple() FROM again_$_i"
		ch "$_shard" "DROP TABLE again_$_i"
	done
}

# reads BYTES: how the searches have read rows since the log of the first server, which they all ask, had so many bytes:
# large (listed parts without FINAL), small (listed parts with FINAL), all (with FINAL). The matching services of the
# hits of a page, which are few, are always read with FINAL.
reads()
{
	tail -c "+$(($1 + 1))" "$W/ch/1/server.log" | grep 'executeQuery: (from .*user: surfaced_search' |
		grep -v 'AND place IN (' | grep -oE 'FROM all_hosts_[0-9]+( FINAL)? WHERE gone = 0( AND _part IN)?' |
		sed -e '/FINAL/!s/.*/large/' -e 's/.*FINAL.*_part.*/small/' -e 's/.*FINAL.*/all/' | sort -u
}

# compare WHAT [READS]
compare()
{
	bytes=$(stat -c %s "$W/ch/1/server.log")
	PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 t/helper/parts.py "$W" compare --layout "$layout" --parts "$1" >"$W/compare.out" 2>&1 ||
		fail "the comparison with $1 came to its end"
	relay "$W/compare.out"
	[ -z "${2-}" ] || is "$(reads "$bytes" | paste -s -d ' ')" "$2" "the searches have read these parts as they should: $1"
}

layout=1
merges STOP 1
merges STOP 2

compare "no row at all"
change "$(put 'shard = 1 AND n <= 500' '')"
is "$(parts 1), $(parts 2)" "all_1_1_0, " "the first shard has one part and the second none"
compare "one part on a shard and none on the other" small

again 1 all_1_1_0
again 1 all_2_2_1
compare "one merged part on a shard and none on the other" large
change "$(put 'shard = 2 AND n <= 900' '')"
change "$(put 'shard = 2 AND n <= 20' 'New')" "$(remove 'shard = 2 AND n BETWEEN 21 AND 30')"
again 2 all_2_2_0 all_1_1_0
change "$(put 'shard = 1 AND n <= 15' 'New')" "$(remove 'shard = 1 AND n BETWEEN 16 AND 40')"
is "$(parts 1), $(parts 2)" "all_3_3_1 all_4_4_0, all_4_4_1 all_3_3_1" \
	"merged parts of the same name are the largest on one shard and a small one on the other"
compare "merged parts of the same name, the largest on one shard and a small one on the other" "large small"

change "$(put 'shard = 1 AND n BETWEEN 16 AND 25' 'Back')" "$(remove 'shard = 2 AND n BETWEEN 10 AND 30')"
change "$(put 'shard = 1 AND n BETWEEN 20 AND 22' 'Again')" "$(remove 'shard = 1 AND n = 23')" "$(put 'shard = 2 AND n = 10' '')"
change "$(put 'n > 970' '')" "$(remove 'n <= 3')"
compare "documents that were deleted, came back and changed in several small parts" "large small"
for shard in 1 2; do
	ch "$shard" "INSERT INTO hosts_$layout SELECT * FROM hosts_$layout FINAL ORDER BY place LIMIT 60"
done
compare "a small part of rows that other parts have with the same version" "large small"

merges START 2
ch 2 "OPTIMIZE TABLE hosts_$layout FINAL"
is "$(parts 2 | wc -w)" 1 "the second shard has one part after a merge"
compare "one merged part, which has deleted documents, and many parts on the other shard" "large small"
merges STOP 2
change "$(put 'n <= 3' 'Returned')" "$(remove 'n BETWEEN 100 AND 120')"
compare "documents that a merged part has as deleted, which came back" "large small"

for shard in 1 2; do
	merges START "$shard"
	ch "$shard" "OPTIMIZE TABLE hosts_$layout FINAL"
	merges STOP "$shard"
done
is "$(parts 1 | wc -w) $(parts 2 | wc -w)" "1 1" "both shards have one part after a merge"
compare "one merged part on each shard" large
change "$(put 'n BETWEEN 1 AND 9' 'Small')" "$(remove 'n BETWEEN 50 AND 60')" "$(put 'n BETWEEN 110 AND 120' 'Other')"
change "$(put 'n BETWEEN 55 AND 57' 'Back')" "$(remove 'n = 5')"
compare "one merged part on each shard, and newer, deleted and returned documents in small ones" "large small"
change "$(put 'n BETWEEN 1 AND 400' 'Half')"
change "$(put 'true' 'Whole')"
change "$(put 'true' '')"
compare "parts of all documents, of which the newest is not the merged one"
change "$(remove 'shard = 1')"
compare "a shard whose documents were all deleted"
change "$(put 'shard = 1 AND n % 2 = 0' '')" "$(remove 'shard = 2 AND n % 2 = 0')"
compare "documents that came back on a shard and were deleted on the other"

asked()
{
	[ "$(ctl --json search status | jq -r '.datasets[] | select(.dataset == "hosts") | .layout')" = 2 ]
}
ctl search switch hosts >/dev/null
ok "a new layout is filled and asked" world_until 30 asked
layout=2
merges STOP 1
merges STOP 2
compare "a new layout, which was filled"
# attach TABLE TO: the parts become parts of TO behind its others, each with its level.
attach()
{
	ch 1 "ALTER TABLE $2 ATTACH PARTITION tuple() FROM $1"
}
for table in older newer; do
	ch 1 "CREATE TABLE $table AS hosts_2 ENGINE = ReplacingMergeTree(ver) PARTITION BY tuple() ORDER BY place
		SETTINGS index_granularity = 1024"
done
attach hosts_2 older
change "$(put 'n > 30' 'Fresh')" "$(remove 'n <= 20')"
compare "changes after a layout was filled"
ch 1 "INSERT INTO newer SELECT * FROM hosts_2 WHERE _part NOT IN (SELECT name FROM system.parts WHERE database = 'surfaced'
	AND table = 'older' AND active)"
ch 1 "OPTIMIZE TABLE newer FINAL"
ch 1 "ALTER TABLE hosts_2 DROP PARTITION tuple()"
attach older hosts_2
attach newer hosts_2
merges START 2
ch 2 "OPTIMIZE TABLE hosts_2 FINAL"
is "$(parts 1)" "all_4_4_1 all_3_3_1" "the larger of two merged parts is the newer one"
ok "both servers have what the database has when the smaller merged part is the older one" ch_equal hosts
compare "a largest part that a merge has made, and a smaller one with older versions" small
merges START 1
merges START 2

# ---- changes, merges and searches at the same time ----

# campaign ROUNDS
campaign()
{
	change "$(put 'true' '')"
	PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 t/helper/parts.py "$W" campaign --layout "$layout" --rounds "$1" --seed "$seed" \
		>"$W/campaign.out" 2>&1 || fail "the campaign came to its end"
	relay "$W/campaign.out"
	ok "both servers have what the database has after the changes" ch_equal hosts
}

rounds=${ROUNDS:-12}
campaign $((rounds - rounds / 2))
compare "the parts that the changes have left"
world_ch_kill 2
world_ch_resume 2
compare "the parts that a server has found after a crash"
campaign $((rounds / 2))
world_ch_stop
