# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# For tests of surfacectl that need no daemons: t/lib.sh's world with an empty, migrated database.

db_start()
{
	world
	t/helper/pg start "$W/db" || exit 1
	"$BIN/surfacectl" --database "host=$W/db dbname=surfaced user=postgres" \
		migrate --sql-dir "$TOP/sql" >"$W/log/migrate.log" 2>&1 || {
		diag "$(cat "$W/log/migrate.log")"
		exit 1
	}
	PGHOST=$W/db PGDATABASE=surfaced PGUSER=postgres
	export PGHOST PGDATABASE PGUSER
}

# import ARGUMENT...: sets OUT (stdout), ERR (stderr) and STATUS.
import()
{
	"$BIN/surfacectl" --database "host=$W/db dbname=surfaced user=surfaced_admin" import hosts "$@" \
		>"$W/out" 2>"$W/err"
	# shellcheck disable=SC2034 # for the caller
	STATUS=$?
	# shellcheck disable=SC2034 # for the caller
	OUT=$(cat "$W/out") ERR=$(cat "$W/err")
}
