#!/bin/sh
# SPDX-License-Identifier: ISC
# surfaced-index: the index answers with the database's contents soon after each change.
. t/lib.sh
. t/helper/index-world.sh
index_world 3
host_rows

hits() { index_hits hosts "$1"; }
soon() { index_soon hosts "$1" "$2"; }
hosts() { # from, to, members
	sql "INSERT INTO host (ip, doc) SELECT ip, jsonb_build_object('ip', host(ip)) || '$3'
		FROM (SELECT '10.0.0.0'::inet + i AS ip FROM generate_series($1, $2) i) x"
}

once; result $? "surfaced-index --once succeeds on an empty database"
[ "$(hits '*')" = 0 ]; result $? "the index of an empty database has no hosts"
hosts 1 1000 '{"os": "Linux", "tags": ["c2"]}'
once; [ "$(hits 'os:linux')" = 1000 ]; result $? "new hosts are found after --once"
hosts 1 10 '{"os": "Windows \"x\" \\\\ y"}'
once; [ "$(hits 'os:linux')" = 990 ]; result $? "a replaced host no longer matches its old values"
[ "$(hits 'os:windows*')" = 10 ]; result $? "a replaced host matches its new values"
[ "$(hits 'tags.category:malware')" = 990 ]
result $? "the categories of a host come from the table of tags"
sql "UPDATE tag SET categories = '{benign}' WHERE slug = 'c2'"
once; [ "$(hits 'tags.category:malware') $(hits 'tags.category:benign')" = "0 990" ]
result $? "a change of the tag table changes the categories of its hosts"
for i in 1 2 3 4 5 6; do hosts "$i" $((i + 20)) "{\"os\": \"v$i\"}"; once; done
[ "$(hits '*') $(hits 'os:v6') $(hits 'os:v5')" = "1000 21 1" ]; result $? "merging segments loses no host"
[ "$(find "$dir/index" -name '*.seg' | wc -l)" -le 4 ]; result $? "merging leaves four segments at most"

"$top/surfaced-index" -c "$dir/conf" 2>>"$dir/log" &
pid=$!
hosts 2000 2999 '{"os": "Plan 9"}'
soon 1000 'os:"plan 9"'; result $? "the daemon indexes a thousand new hosts"
once; [ $? -eq 1 ]; result $? "a second writer exits with status 1"
# A transaction that began earlier commits later: its transaction number is lower than the published one.
mkfifo "$dir/late"
psql -X -q <"$dir/late" & 
exec 3>"$dir/late"
echo "BEGIN; INSERT INTO host (ip, doc) VALUES ('10.1.0.1', '{\"ip\": \"10.1.0.1\", \"os\": \"Late\"}');" >&3
hosts 3000 3000 '{"os": "Early"}'
soon 1 'os:early'; result $? "a later transaction is indexed before an earlier one commits"
echo 'COMMIT;' >&3
exec 3>&-
soon 1 'os:late'; result $? "an earlier transaction is indexed when it commits"
sql "DELETE FROM host WHERE ip = '10.1.0.1'"
soon 0 'os:late'; result $? "a deleted row leaves the index"
[ "$(grep -c 'dataset=hosts .*how=rebuild' "$dir/log")" = 1 ]; result $? "a deleted row causes no rebuild (C-408)"
hosts 2000 2000 '{"os": "Ghost"}'
soon 1 'os:ghost'
sql "BEGIN; DELETE FROM host WHERE ip = '10.0.7.208'; INSERT INTO host (ip, doc) VALUES ('10.0.7.208', '{\"ip\": \"10.0.7.208\", \"os\": \"Reborn\"}'); COMMIT"
soon 1 'os:reborn'; result $? "a row that is deleted and inserted again stays in the index"

# The daemon does not run. A pass that changes no document publishes nothing; a crash after it leaves the older
# generation, which then needs every deletion that it does not contain.
kill "$pid"; wait "$pid"
once
sql "BEGIN; INSERT INTO host (ip, doc) VALUES ('10.9.9.9', '{\"ip\": \"10.9.9.9\"}');
	DELETE FROM host WHERE ip = '10.9.9.9'; COMMIT"
once; once
[ "$(grep -c 'dataset=hosts .*how=rebuild' "$dir/log")" = 1 ]
result $? "a deletion is kept until a published generation contains it (C-408)"
hosts 2999 2999 '{"os": "Plan 9", "city": "Later"}'
once; once
is "$(sql "SELECT count(*) FROM record WHERE gone")" 0 "a deletion is purged when a published generation contains it"

# Three large segments are more than index_segments: a child merges them. It stops itself, so that everything
# below happens while it runs.
sed -i 's/^index_segments.*/index_segments = 2/' "$dir/conf"
preload=$top/t/helper/faults.so
[ -f "$preload" ] || preload= # a sanitizer's runtime has to come first: the child is not stopped then
STOP_CHILDREN=$dir/stop LD_PRELOAD=$preload "$top/surfaced-index" -c "$dir/conf" 2>>"$dir/log" &
pid=$!
hosts 100000 114999 '{"os": "Large1"}'
soon 15000 os:large1
: >"$dir/stop"
hosts 200000 214999 '{"os": "Large2"}'
soon 15000 os:large2
hosts 300000 314999 '{"os": "Large3"}'
soon 15000 os:large3
timeout 300 sh -c "until grep -q 'merging=.*documents=32001' '$dir/log'; do :; done"
result $? "a large merge runs in a child"
child=$(sed -n 's/.*merging=.*documents=32001.* pid=\([0-9]*\)$/\1/p' "$dir/log" | tail -1)
hosts 1 5 '{"os": "Meanwhile"}'
soon 5 'os:meanwhile'; result $? "changes are published while a merge runs (C-408)"
hosts 100000 100009 '{"os": "Replaced"}'
soon 10 'os:replaced'
sql "DELETE FROM host WHERE ip = '10.0.0.0'::inet + 200000"
soon 14999 'os:large2'; result $? "hosts leave the index while the merge that reads them runs"
rm "$dir/stop"
[ -z "$preload" ] || kill -CONT "$child"; result $? "the merge was still running"
timeout 300 sh -c "until [ \"\$(find $dir/index -name '*.seg' | wc -l)\" -le 3 ]; do :; done"
result $? "the merged segment takes the place of those it was made from"
[ "$(hits 'os:large1') $(hits 'os:large2') $(hits 'os:replaced')" = "14990 14999 10" ]
result $? "changes during a merge are in the merged segment"
[ "$(hits '*')" = "$(sql 'SELECT count(*) FROM host')" ]; result $? "the index has as many hosts as the table"
[ "$(grep -c 'dataset=hosts .*how=rebuild' "$dir/log")" = 1 ]; result $? "merges cause no rebuild (C-408)"

# The generation continues no longer, as after a restore, and the index is built again. The child stops itself again.
: >"$dir/stop"
sql "DELETE FROM search_feed WHERE dataset = 1; NOTIFY record_changed"
rebuilding() { [ "$(grep -c 'rebuilding=' "$dir/log")" = "$1" ]; }
ok "an index that continues no longer is built again in a child" world_until 60 rebuilding 1
hosts 11 15 '{"os": "Beside"}'
soon 5 'os:beside'; result $? "changes are published while the index is built again (C-408)"
sql "DELETE FROM host WHERE ip = '10.0.0.16'"
soon 0 '10.0.0.16'; result $? "hosts leave the index while it is built again"
is "$(hits 'os:large1')" 14990 "the older generation is served while the index is built again (C-410)"
hosts 17 17 '{"os": "Beside"}'
sql "UPDATE tag SET categories = '{malware}' WHERE slug = 'c2'"
soon 6 'os:beside'
rm "$dir/stop"
child=$(sed -n 's/.*rebuilding=.* pid=\([0-9]*\)$/\1/p' "$dir/log" | tail -1)
[ -z "$preload" ] || kill -CONT "$child"
rebuilt() { [ "$(grep -c 'dataset=hosts .*how=rebuild' "$dir/log")" = "$1" ]; }
ok "the new generation takes the place of the older one" world_until 60 rebuilt 2
is "$(hits '*') $(hits 'os:beside') $(hits '10.0.0.16') $(hits 'os:large1')" \
	"$(sql 'SELECT count(*) FROM host') 6 0 14990" "changes during a rebuild are in the new generation"
is "$(hits 'tags.category:malware')" "$(sql "SELECT count(*) FROM host WHERE doc -> 'tags' ? 'c2'")" \
	"a change of the tag table during a rebuild is in the new generation"

: >"$dir/stop"
sql "DELETE FROM search_feed WHERE dataset = 1; NOTIFY record_changed"
world_until 60 rebuilding 2
hosts 18 18 '{"os": "Beside"}'
soon 7 'os:beside' # is in a manifest of its own
kill -KILL "$pid"; wait "$pid" 2>/dev/null
rm "$dir/stop"
LD_PRELOAD=$preload "$top/surfaced-index" -c "$dir/conf" 2>>"$dir/log" &
pid=$!
ok "a rebuild that was killed begins again" world_until 60 rebuilt 3

# A byte of a published segment changes in place.
segment=$(find "$dir/index" -name '*.seg' -size +100k | head -1)
inode=$(stat -c %i "$segment")
printf '\377' | dd of="$segment" bs=1 seek=20000 conv=notrunc status=none
timeout 300 sh -c "until grep -q 'repaired=' '$dir/log'; do :; done"; result $? "a damaged file is noticed (C-423)"
soon 14990 'os:large1'; result $? "a damaged file is repaired (C-423)"
[ "$(stat -c %i "$segment")" != "$inode" ]; result $? "a repaired file is another one (C-423)"
kill "$pid"; wait "$pid"; pid=
# The database does not answer: the query waits for a lock that the test holds.
cp "$dir/conf" "$dir/patient"
echo 'index_patience = 500' >>"$dir/conf"
mkfifo "$dir/lock"
psql -X -q <"$dir/lock" >"$dir/locked" &
exec 3>"$dir/lock"
echo 'BEGIN; LOCK TABLE record; SELECT 1;' >&3
until [ -s "$dir/locked" ]; do :; done
timeout 300 "$top/surfaced-index" --once -c "$dir/conf" 2>>"$dir/log"
is $? 1 "surfaced-index gives up after index_patience if the database hangs"
mv "$dir/patient" "$dir/conf"
echo 'COMMIT;' >&3
exec 3>&-
once; [ "$(hits 'os:early')" = 1 ]; result $? "surfaced-index succeeds after the database answers again"
: >"$dir/index/hosts.manifest"
once; [ "$(hits 'os:early')" = 1 ]; result $? "a broken manifest is replaced by a new one"
once --rebuild; [ "$(hits 'os:early')" = 1 ]; result $? "--rebuild builds a complete index"
no_indexer() { [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'surfaced-index'")" = 0 ]; }
world_until 60 no_indexer # a connection that has ended has reported its temporary files
is "$(sql 'SELECT temp_files FROM pg_stat_database WHERE datname = current_database()')" 0 \
	"PostgreSQL writes no temporary file for a rebuild"
# The version of a format is behind the eight bytes of the magic.
printf '\377' | dd of="$dir/index/hosts.manifest" bs=1 seek=8 conv=notrunc status=none
rebuilds=$(grep -c 'dataset=hosts .*how=rebuild' "$dir/log")
sed -i 's/^index_segments.*/index_segments = 8/' "$dir/conf"
"$top/surfaced-index" -c "$dir/conf" 2>>"$dir/log" &
pid=$!
ok "an index in another format is built anew" world_until 60 rebuilt $((rebuilds + 1))
like "$(grep 'hosts' "$dir/log")" 'written by another version' "the journal says why the index is built anew"
is "$(hits '*')" "$(sql 'SELECT count(*) FROM host')" "the new index has all hosts"
for i in 1 2 3; do
	hosts $((500000 + 1000 * i)) $((500000 + 1000 * i + 99)) "{\"os\": \"Idle$i\"}"
	soon 100 "os:idle$i"
done
idle() { [ "$(find "$dir/index" -name 'hosts-*.seg' | wc -l)" -le 2 ]; }
idle; is $? 1 "a few changes in a row leave their segments"
ok "an index that does not change is merged to two segments" world_until 60 idle
is "$(hits '*') $(hits 'os:idle2')" "$(sql 'SELECT count(*) FROM host') 100" \
	"a merge of an idle index loses no host"
kill "$pid"; wait "$pid"; pid=
grep -Eq 'panic|Sanitizer' "$dir/log"; [ $? -eq 1 ]
result $? "the log has no panic and no sanitizer report"
