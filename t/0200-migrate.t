#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl migrate: forward only, checked, repeatable, one at a time.
cd "$(dirname "$0")/.." || exit 1
ctl=${TOP_BUILDDIR:-.}/surfacectl
dir=$(mktemp -d /tmp/surfaced.XXXXXX)
trap 't/helper/pg stop "$dir"; rm -rf "$dir"' EXIT
export PGHOST="$dir" PGUSER=postgres PGDATABASE=surfaced
t/helper/pg start "$dir" || exit 1

n=0
ok() { # status of the last command, what
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' "$dir/err"; fi
}
migrate() { "$ctl" --database '' --json migrate --sql-dir "$@" >"$dir/out" 2>"$dir/err"; }
sql() { psql -X -q -A -t -v ON_ERROR_STOP=1 -c "$1" 2>"$dir/err"; }

cp -r sql "$dir/sql"
set -- sql/[0-9]*.sql
files=$#
dump() { pg_dump -s | sed '/^.\(un\)\{0,1\}restrict /d'; } # a random word of newer pg_dump
migrate "$dir/sql"; ok $? "an empty database is migrated"
[ "$(jq '.migration.applied | length' "$dir/out")" = "$files" ]; ok $? "every file was applied"
dump >"$dir/first"
migrate "$dir/sql" && [ "$(jq -c .migration.applied "$dir/out")" = '[]' ]; ok $? "a second time changes nothing"
dump | diff "$dir/first" - >"$dir/err"; ok $? "and the schema is the same"

echo 'CREATE TABLE extra (n int);' >"$dir/sql/9000-extra.sql"
"$ctl" --database '' --json migrate --sql-dir "$dir/sql" >"$dir/a" 2>>"$dir/err" &
migrate "$dir/sql"; here=$?
wait $!; there=$?
[ $((here + there)) -eq 0 ]; ok $? "two at once both succeed"
[ "$(sql "SELECT count(*) FROM schema_migration WHERE version = 9000")" = 1 ]; ok $? "and one applied the new file"
[ "$(sql "SELECT tableowner FROM pg_tables WHERE tablename = 'extra'")" = surfaced_owner ]; ok $? "it belongs to the owner role"

# A later version brings a role and a file: who may not make them is told what to type.
sed "s/('surfaced_admin', 'LOGIN')/&, ('surfaced_later', 'LOGIN')/" sql/roles.sql >"$dir/sql/roles.sql"
command='surfacectl --database "dbname=surfaced user=postgres" migrate'
admin() { PGUSER=surfaced_admin migrate "$dir/sql" "$@"; }
admin; [ $? -eq 1 ] && grep -q 'surfaced_later' "$dir/err" && grep -qF "$command" "$dir/err"; ok $? "a role that is missing"
admin --check; [ $? -eq 1 ] && grep -q 'roles are missing: surfaced_later;' "$dir/err" && grep -qF "$command" "$dir/err"; ok $? "also for --check"
migrate "$dir/sql" && admin --check; ok $? "the superuser makes it"
echo 'SELECT 1;' >"$dir/sql/9001-later.sql"
admin; [ $? -eq 1 ] && grep -q 'superuser' "$dir/err" && grep -qF "$command" "$dir/err"; ok $? "a file that is missing"
admin --check; [ $? -eq 1 ] && grep -q '1 files up to 9001' "$dir/err" && grep -qF "$command" "$dir/err"; ok $? "also for --check"
rm "$dir/sql/9001-later.sql"

echo 'CREATE TABLE half (n int); SELECT 1/0;' >"$dir/sql/9001-broken.sql"
migrate "$dir/sql"; [ $? -eq 1 ]; ok $? "a broken file fails"
[ "$(sql "SELECT count(*) FROM pg_tables WHERE tablename = 'half'")" = 0 ]; ok $? "and leaves nothing behind"
rm "$dir/sql/9001-broken.sql"

echo '-- touched' >>"$dir/sql/0002-audit.sql"
migrate "$dir/sql"; [ $? -eq 1 ] && grep -q '0002-audit.sql has changed' "$dir/err"; ok $? "a file that changed is refused"
cp sql/0002-audit.sql "$dir/sql/"
rm "$dir/sql/9000-extra.sql"
migrate "$dir/sql"; [ $? -eq 1 ] && grep -q 9000-extra "$dir/err"; ok $? "a database newer than the program is refused"
migrate "$dir/nowhere"; [ $? -eq 1 ] && grep -q nowhere "$dir/err"; ok $? "a missing folder is named"
t/helper/pg kill "$dir"
migrate sql; [ $? -eq 4 ]; ok $? "without a server the status is 4"
t/helper/pg resume "$dir"
echo "1..$n"
