#!/bin/sh
# SPDX-License-Identifier: ISC
# A surfaced-export of the release before goes on between a migration and its restart: the statements that it has prepared
# find the functions of the new schema (C-413).
. t/lib.sh
pg_start
psql -Xq -f t/helper/undo-later.sql 2>"$W/err"
# The functions as the release before had them; what they did does not matter here.
psql -Xq -v ON_ERROR_STOP=1 <<'END_SQL' 2>>"$W/err"
SET ROLE surfaced_owner;
CREATE FUNCTION export_begin(export uuid, claim bigint, had bigint, OUT epoch bigint, OUT resumed bigint) RETURNS SETOF record
	LANGUAGE sql SECURITY DEFINER AS 'SELECT 7::bigint, 7::bigint';
CREATE FUNCTION export_sweep(present uuid[], days bigint) RETURNS SETOF uuid LANGUAGE sql SECURITY DEFINER
	AS 'SELECT unnest(present)';
GRANT EXECUTE ON FUNCTION export_begin, export_sweep TO surfaced_export;
DELETE FROM schema_migration WHERE version >= 20;
END_SQL
cat >"$W/tmp/session.sql" <<END_SQL
PREPARE begin_export (uuid, bigint, bigint) AS SELECT epoch, resumed FROM export_begin(\$1, \$2, \$3);
PREPARE sweep_exports (text[], bigint) AS SELECT uuid FROM export_sweep(\$1::text[]::uuid[], \$2) AS uuid;
EXECUTE begin_export ('00000000-0000-4000-8000-000000000001', 1, 0);
\\! PGUSER=${PGUSER-} $BIN/surfacectl --database '' migrate --sql-dir $SQL >$W/tmp/migrate.out 2>&1 && echo migrated
EXECUTE begin_export ('00000000-0000-4000-8000-000000000001', 1, 0);
EXECUTE sweep_exports ('{00000000-0000-4000-8000-000000000001}', 90);
END_SQL
is "$(PGUSER=surfaced_export psql -XqAt -v ON_ERROR_STOP=1 -f "$W/tmp/session.sql" 2>&1)" "7|7
migrated
00000000-0000-4000-8000-000000000001" "prepared statements of the release before go on after the migration (C-413)"
diag "$(tail -n 3 "$W/tmp/migrate.out" "$W/err")"
