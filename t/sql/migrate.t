#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl migrate applies files forward only, verifies their checksums, and may run twice or concurrently.
. t/lib.sh
pg_empty
dir=$W/tmp

migrate() { "$BIN/surfacectl" --database '' --json migrate --sql-dir "$@" >"$dir/out" 2>"$dir/err"; }
sql() { psql -X -q -A -t -v ON_ERROR_STOP=1 -c "$1" 2>"$dir/err"; }

cp -r sql "$dir/sql"
set -- sql/[0-9]*.sql
files=$#
dump() { pg_dump -s | sed '/^.\(un\)\{0,1\}restrict /d'; } # a random word of newer pg_dump
migrate "$dir/sql"; result $? "migrate succeeds on an empty database"
[ "$(jq '.migration.applied | length' "$dir/out")" = "$files" ]
result $? "migrate applies every file of the directory"
dump >"$dir/first"
migrate "$dir/sql" && [ "$(jq -c .migration.applied "$dir/out")" = '[]' ]
result $? "a second migrate applies no file"
dump | diff "$dir/first" - >"$dir/err"; result $? "a second migrate leaves the schema unchanged"

echo 'CREATE TABLE extra (n int);' >"$dir/sql/9000-extra.sql"
"$BIN/surfacectl" --database '' --json migrate --sql-dir "$dir/sql" >"$dir/a" 2>>"$dir/err" &
migrate "$dir/sql"; here=$?
wait $!; there=$?
[ $((here + there)) -eq 0 ]; result $? "two concurrent runs of migrate both succeed"
[ "$(sql "SELECT count(*) FROM schema_migration WHERE version = 9000")" = 1 ]
result $? "only one of two concurrent runs applies the new file"
[ "$(sql "SELECT tableowner FROM pg_tables WHERE tablename = 'extra'")" = surfaced_owner ]
result $? "a table of a migration belongs to surfaced_owner"

# A later version has a new role and a new file; migrate prints the command for the superuser.
sed "s/('surfaced_admin', 'LOGIN')/&, ('surfaced_later', 'LOGIN')/" sql/roles.sql >"$dir/sql/roles.sql"
command='surfacectl --database "dbname=surfaced user=postgres" migrate'
admin() { PGUSER=surfaced_admin migrate "$dir/sql" "$@"; }
admin; [ $? -eq 1 ] && grep -q 'surfaced_later' "$dir/err" && grep -qF "$command" "$dir/err"
result $? "migrate as surfaced_admin names a missing role and the command that creates it"
admin --check; [ $? -eq 1 ] && grep -q 'roles are missing: surfaced_later;' "$dir/err" && grep -qF "$command" "$dir/err"
result $? "migrate --check names a missing role and the command that creates it"
migrate "$dir/sql" && admin --check; result $? "migrate as the superuser creates the missing role"
echo 'SELECT 1;' >"$dir/sql/9001-later.sql"
admin; [ $? -eq 1 ] && grep -q 'CREATEROLE' "$dir/err" && grep -qF "$command" "$dir/err"
result $? "migrate as surfaced_admin names the command that applies a new file"
admin --check; [ $? -eq 1 ] && grep -q '1 files up to 9001' "$dir/err" && grep -qF "$command" "$dir/err"
result $? "migrate --check names a new file and the command that applies it"
rm "$dir/sql/9001-later.sql"

cp "$dir/sql/roles.sql" "$dir/roles.sql"
printf "('surfaced_api', 'LOGIN'), ('surfaced_ad" >"$dir/sql/roles.sql"
PGUSER=surfaced_admin timeout 60 "$BIN/surfacectl" --database '' migrate --sql-dir "$dir/sql" --check >"$dir/a" 2>"$dir/err"
[ $? -eq 1 ] && grep -q 'roles.sql' "$dir/err"; result $? "migrate refuses a truncated roles.sql"
mv "$dir/roles.sql" "$dir/sql/"

echo 'CREATE TABLE half (n int); SELECT 1/0;' >"$dir/sql/9001-broken.sql"
migrate "$dir/sql"; [ $? -eq 1 ]; result $? "migrate fails on a file with an error"
[ "$(sql "SELECT count(*) FROM pg_tables WHERE tablename = 'half'")" = 0 ]
result $? "a file that fails leaves no table behind"
rm "$dir/sql/9001-broken.sql"

echo '-- touched' >>"$dir/sql/0003-audit.sql"
migrate "$dir/sql"; [ $? -eq 1 ] && grep -q '0003-audit.sql has changed' "$dir/err"
result $? "migrate refuses a database whose applied file has changed"
cp sql/0003-audit.sql "$dir/sql/"
rm "$dir/sql/9000-extra.sql"
migrate "$dir/sql"; [ $? -eq 1 ] && grep -q 9000-extra "$dir/err"
result $? "migrate refuses a database newer than the program"

# ---- functions ----

rm -r "$dir/sql"
cp -r sql "$dir/sql"
sql "DELETE FROM schema_migration WHERE version = 9000; DROP TABLE extra" && migrate "$dir/sql"
dump >"$dir/first"
migrate "$dir/sql" && dump | diff "$dir/first" - >"$dir/err"
result $? "functions that are applied a second time leave the schema unchanged"
grep -lEi 'FUNCTION +[a-z_.]+ *\(.*\) *RETURNS|LANGUAGE +(sql|plpgsql)|PROCEDURE' sql/0*.sql >"$dir/err"
[ $? -eq 1 ]; result $? "no numbered file defines a function"
grep -hoE '^CREATE OR REPLACE FUNCTION [a-z_]+' sql/functions/*.sql | sort | uniq -d >"$dir/err"
[ ! -s "$dir/err" ]; result $? "each function is defined once"
[ "$(sql "SELECT count(*) FROM pg_proc WHERE pronamespace = 'public'::regnamespace")" = \
	"$(cat sql/functions/*.sql | grep -c '^CREATE OR REPLACE FUNCTION ')" ]
result $? "the database has the functions of sql/functions and no others"

sql "DROP FUNCTION session_limits" && migrate "$dir/sql" && dump | diff "$dir/first" - >"$dir/err"
result $? "migrate restores a function that was dropped, with its rights"

version() { sql "SELECT later_version()"; }
later()
{
	echo "CREATE OR REPLACE FUNCTION later_version() RETURNS integer LANGUAGE sql AS 'SELECT $1';" >"$dir/sql/functions/later.sql"
}
later 1
admin --check; [ $? -eq 1 ] && grep -q 'files up to' "$dir/err"
result $? "migrate --check fails when a file of functions has changed"
migrate "$dir/sql" && admin --check && [ "$(version)" = 1 ]
result $? "migrate applies a changed file of functions without a numbered file"
echo 'CREATE TABLE half (n int);' >"$dir/sql/9000-half.sql"
later "broken("
migrate "$dir/sql"; [ $? -eq 1 ] && grep -q 'functions/later' "$dir/err" && [ "$(sql "SELECT to_regclass('half') IS NULL")" = t ]
result $? "a function that cannot be created leaves no table of the same run behind"
rm "$dir/sql/9000-half.sql"
later 2
sql "UPDATE schema_functions SET release = '999.1'"
admin --check && migrate "$dir/sql" && [ "$(version)" = 1 ]
result $? "migrate leaves the functions of a later release alone"
sql "UPDATE schema_functions SET release = '0.0.9'"
migrate "$dir/sql" && [ "$(version)" = 2 ]
result $? "migrate replaces the functions of an earlier release"
rm "$dir/sql/functions/later.sql"
sql "DROP FUNCTION later_version" && migrate "$dir/sql"

# ---- another numbering ----

mv "$dir/sql/0002-people.sql" "$dir/sql/0002-persons.sql"
migrate "$dir/sql"; [ $? -eq 1 ] && grep -q '0002-people, which .* does not have in that place' "$dir/err" &&
	[ "$(sql "SELECT name FROM schema_migration WHERE version = 2")" = 0002-people ]
result $? "migrate refuses a database that files of other names made"
mv "$dir/sql/0002-persons.sql" "$dir/sql/0016-people.sql"
admin --check; [ $? -eq 1 ] && grep -q '0002-people, which .* does not have in that place' "$dir/err"
result $? "migrate --check refuses a database that files of other numbers made"
mv "$dir/sql/0016-people.sql" "$dir/sql/0002-people.sql"
admin --check; result $? "migrate --check accepts the same files again"
migrate "$dir/nowhere"; [ $? -eq 1 ] && grep -q nowhere "$dir/err"
result $? "migrate names a directory that does not exist"
world_pg_kill
migrate sql; [ $? -eq 4 ]; result $? "migrate exits with status 4 without a server"
world_pg_resume
