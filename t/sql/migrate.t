#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl migrate: forward only, checked, repeatable, one at a time.
. t/lib.sh
pg_empty
dir=$W/tmp

migrate() { "$BIN/surfacectl" --database '' --json migrate --sql-dir "$@" >"$dir/out" 2>"$dir/err"; }
sql() { psql -X -q -A -t -v ON_ERROR_STOP=1 -c "$1" 2>"$dir/err"; }

cp -r sql "$dir/sql"
set -- sql/[0-9]*.sql
files=$#
dump() { pg_dump -s | sed '/^.\(un\)\{0,1\}restrict /d'; } # a random word of newer pg_dump
migrate "$dir/sql"; result $? "an empty database is migrated"
[ "$(jq '.migration.applied | length' "$dir/out")" = "$files" ]; result $? "every file was applied"
dump >"$dir/first"
migrate "$dir/sql" && [ "$(jq -c .migration.applied "$dir/out")" = '[]' ]; result $? "a second time changes nothing"
dump | diff "$dir/first" - >"$dir/err"; result $? "and the schema is the same"

echo 'CREATE TABLE extra (n int);' >"$dir/sql/9000-extra.sql"
"$BIN/surfacectl" --database '' --json migrate --sql-dir "$dir/sql" >"$dir/a" 2>>"$dir/err" &
migrate "$dir/sql"; here=$?
wait $!; there=$?
[ $((here + there)) -eq 0 ]; result $? "two at once both succeed"
[ "$(sql "SELECT count(*) FROM schema_migration WHERE version = 9000")" = 1 ]; result $? "and one applied the new file"
[ "$(sql "SELECT tableowner FROM pg_tables WHERE tablename = 'extra'")" = surfaced_owner ]; result $? "it belongs to the owner role"

# A later version brings a role and a file: who may not make them is told what to type.
sed "s/('surfaced_admin', 'LOGIN')/&, ('surfaced_later', 'LOGIN')/" sql/roles.sql >"$dir/sql/roles.sql"
command='surfacectl --database "dbname=surfaced user=postgres" migrate'
admin() { PGUSER=surfaced_admin migrate "$dir/sql" "$@"; }
admin; [ $? -eq 1 ] && grep -q 'surfaced_later' "$dir/err" && grep -qF "$command" "$dir/err"; result $? "a role that is missing"
admin --check; [ $? -eq 1 ] && grep -q 'roles are missing: surfaced_later;' "$dir/err" && grep -qF "$command" "$dir/err"; result $? "also for --check"
migrate "$dir/sql" && admin --check; result $? "the superuser makes it"
echo 'SELECT 1;' >"$dir/sql/9001-later.sql"
admin; [ $? -eq 1 ] && grep -q 'superuser' "$dir/err" && grep -qF "$command" "$dir/err"; result $? "a file that is missing"
admin --check; [ $? -eq 1 ] && grep -q '1 files up to 9001' "$dir/err" && grep -qF "$command" "$dir/err"; result $? "also for --check"
rm "$dir/sql/9001-later.sql"

cp "$dir/sql/roles.sql" "$dir/roles.sql"
printf "('surfaced_api', 'LOGIN'), ('surfaced_ad" >"$dir/sql/roles.sql"
PGUSER=surfaced_admin timeout 60 "$BIN/surfacectl" --database '' migrate --sql-dir "$dir/sql" --check >"$dir/a" 2>"$dir/err"
[ $? -eq 1 ] && grep -q 'roles.sql' "$dir/err"; result $? "a roles.sql that ends too early is none"
mv "$dir/roles.sql" "$dir/sql/"

echo 'CREATE TABLE half (n int); SELECT 1/0;' >"$dir/sql/9001-broken.sql"
migrate "$dir/sql"; [ $? -eq 1 ]; result $? "a broken file fails"
[ "$(sql "SELECT count(*) FROM pg_tables WHERE tablename = 'half'")" = 0 ]; result $? "and leaves nothing behind"
rm "$dir/sql/9001-broken.sql"

echo '-- touched' >>"$dir/sql/0002-audit.sql"
migrate "$dir/sql"; [ $? -eq 1 ] && grep -q '0002-audit.sql has changed' "$dir/err"; result $? "a file that changed is refused"
cp sql/0002-audit.sql "$dir/sql/"
rm "$dir/sql/9000-extra.sql"
migrate "$dir/sql"; [ $? -eq 1 ] && grep -q 9000-extra "$dir/err"; result $? "a database newer than the program is refused"
migrate "$dir/nowhere"; [ $? -eq 1 ] && grep -q nowhere "$dir/err"; result $? "a missing folder is named"
world_pg_kill
migrate sql; [ $? -eq 4 ]; result $? "without a server the status is 4"
world_pg_resume
