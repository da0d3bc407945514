#!/bin/sh
# SPDX-License-Identifier: ISC
# The indexes of sql/indexes.sql: surfacectl migrate builds those that are missing or invalid, --check names them, and a
# page of the audit log with any one filter reads from one of them (C-216; t/bench/audit measures it).
. t/lib.sh
pg_start

admin() { "$BIN/surfacectl" --database "host=$W/db dbname=surfaced user=postgres" --json migrate --sql-dir "$SQL" "$@" >"$W/out" 2>"$W/err"; }

admin --check
is "$?" 0 "a migrated database has every index"
sql "DROP INDEX audit_account_actor; UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'audit_account_at'::regclass"
admin --check
is "$?" 1 "migrate --check fails without an index"
like "$(cat "$W/err")" 'audit_account_at, audit_account_actor' "migrate --check names the missing index and the invalid one"
admin
is "$?" 0 "migrate builds both indexes"
admin --check
is "$?" 0 "migrate leaves every index valid"
is "$(sql "SELECT count(*) FROM pg_class WHERE relname ~ '^audit_account_' AND pg_get_userbyid(relowner) <> 'surfaced_owner'")" 0 \
	"the indexes belong to the owner of the table"

sql "ALTER TABLE audit SET (autovacuum_enabled = off);
	INSERT INTO audit (actor, action, subject, subject_id, account_uuid, at, request_id, after)
	SELECT 'os:a' || n % 500, (ARRAY['tag.change', 'alert_rule.create', 'finding.resolve'])[n % 3 + 1], 'kind' || chr(97 + n % 26),
		n::text, '$ACCOUNT', now() - interval '1 s' * n, 'r' || n,
		CASE WHEN n % 1000 = 0 THEN jsonb_build_object('project_uuid', '$P') END
	FROM generate_series(1, 60000) AS n;
	INSERT INTO audit (actor, action, subject, subject_id, account_uuid, at) VALUES ('os:rare', 'database.restore', 'rare', 'rare',
		'$ACCOUNT', now() - interval '5 years');
	SET default_statistics_target = 1000; ANALYZE audit"

# plan ARGUMENTS: the names of the indexes from which the function reads lines of audit.
plan()
{
	psql -XqAt -v ON_ERROR_STOP=1 2>&1 >/dev/null <<END | grep -oE 'Seq Scan on audit|Index .*Scan.* using [a-z_]+ on audit|Bitmap Index Scan on [a-z_]+' |
LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on;
SET auto_explain.log_level = notice;
SELECT count(*) FROM $1;
END
		grep -oE 'Seq Scan|audit_[a-z_]+' | grep -v '^audit$' | sort -u | tr '\n' ' '
}
reader=$(sql "SELECT uuid FROM api_key WHERE account_uuid = '$ACCOUNT' LIMIT 1")
page() { plan "audit_page('$reader', NULL, NULL, 26, $1, $2, $3, $4, $5, $6, $7, $8)"; }

n=NULL
is "$(page $n $n $n $n $n $n $n $n)" "audit_account_at " "a page without a filter reads from an index (C-216)"
is "$(page "'rare'" $n $n $n $n $n $n $n)" "audit_account_actor " "a page with actor reads from an index (C-216)"
is "$(page $n "'database.restore'" $n $n $n $n $n $n)" "audit_account_action " "a page with action reads from an index (C-216)"
is "$(page $n $n "'rare'" $n $n $n $n $n)" "audit_account_kind " "a page with subject reads from an index (C-216)"
is "$(page $n $n $n "'17'" $n $n $n $n)" "audit_account_subject_id " "a page with subject_id reads from an index (C-216)"
is "$(page $n $n $n $n "'$P'" $n $n $n)" "audit_account_project " "a page with project_uuid reads from an index (C-216)"
is "$(page $n $n $n $n $n "now() - interval '9 years'" "now() - interval '4 years'" $n)" "audit_account_at " \
	"a page with since and until reads from an index (C-216)"
is "$(page $n $n $n $n $n $n $n "'r77'")" "audit_account_request " "a page with request_id reads from an index (C-216)"
is "$(page $n $n "'rare'" "'rare'" $n $n $n $n | grep -cxE 'audit_account_(kind|subject_id) ')" 1 \
	"a page with subject and subject_id reads from an index of one of them (C-216)"
is "$(plan "audit_feed('$reader', 0, 0, 101)")" "audit_account_changed " "a page of the feed reads from an index (C-216)"
is "$(sql "SELECT count(*), count(DISTINCT uuid), count(project_uuid) FROM audit_page('$reader', now() - interval '1 s' * 0.5, NULL, 100000,
	NULL, NULL, NULL, NULL, '$P', NULL, NULL, NULL) WHERE request_id LIKE 'r%'")" "60|60|60" \
	"lines have a uuid each, and the project of their record"
