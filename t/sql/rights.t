#!/bin/sh
# SPDX-License-Identifier: ISC
# schema_right records the rights that the files of sql/ grant; surfacectl migrate restores each that was revoked.
. t/lib.sh
pg_start

# rights FROM EXCEPT: prints the rights that are in one table and not in the other, sorted.
rights()
{
	sql "SELECT kind || ' ' || name || ' ' || privilege || ' ' || grantee FROM
		(SELECT * FROM $1 EXCEPT SELECT * FROM $2) AS d ORDER BY 1"
}

is "$(rights schema_right schema_right_now)$(rights schema_right_now schema_right)" "" \
	"a fresh database has exactly the recorded rights"
like "$(sql "SELECT count(*) FROM schema_right WHERE grantee = 'surfaced_index'")" '^[1-9]' "the rights of surfaced_index are recorded"
is "$(sql "SELECT count(DISTINCT kind) FROM schema_right")" 6 "rights on tables, routines, types, domains, the schema and the database are recorded"

is "$(sql "SELECT p.oid::regprocedure FROM pg_proc p WHERE p.prosecdef AND p.pronamespace = 'public'::regnamespace
	AND NOT 'search_path=public, pg_temp' = ANY (coalesce(p.proconfig, '{}'))")" "" \
	"every SECURITY DEFINER function searches the temporary schema last"

sql "REVOKE SELECT ON record FROM surfaced_index; REVOKE USAGE ON TYPE session_wanted FROM surfaced_api;
	REVOKE EXECUTE ON FUNCTION session_create FROM surfaced_api; REVOKE UPDATE (cancelled_at) ON alert_silence FROM surfaced_api;
	REVOKE USAGE ON SCHEMA public FROM surfaced_meter; REVOKE CONNECT ON DATABASE surfaced FROM surfaced_api;
	GRANT SELECT ON member TO surfaced_index"
is "$(rights schema_right schema_right_now | wc -l)" 6 "each revoked right is found missing"
ok "migrate succeeds after rights were revoked" world_migrate
is "$(rights schema_right schema_right_now)" "" "migrate restores every right that was revoked"
is "$(rights schema_right_now schema_right)" "TABLE public.member SELECT surfaced_index" \
	"a right that was granted by hand is found"

sql "DROP OWNED BY surfaced_meter; DROP ROLE surfaced_meter"
ok "migrate creates a dropped role again" world_migrate
is "$(rights schema_right schema_right_now)" "" "a role that was created again gets all its rights"

cp -R "$SQL" "$W/sql"
cat >"$W/sql/9001-rights.sql" <<'END'
CREATE TABLE later (n integer);
GRANT SELECT ON later TO surfaced_api;
REVOKE SELECT ON tag FROM surfaced_index;
END
SQL=$W/sql
ok "migrate applies a later file with new rights" world_migrate
is "$(sql "SELECT count(*) FROM schema_right WHERE name = 'public.later'")" 1 "a right that a later file grants is recorded"
is "$(sql "SELECT count(*) FROM schema_right WHERE name = 'public.tag' AND grantee = 'surfaced_index'")" 0 \
	"a right that a later file revokes is recorded no longer"
is "$(rights schema_right_now schema_right)" "TABLE public.member SELECT surfaced_index" "a right granted by hand is not recorded by a later file"
is "$(sql "SELECT to_regclass('schema_right_by_hand') IS NULL")" t "the files leave no table behind that they do not name"
