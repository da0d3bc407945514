#!/bin/sh
# SPDX-License-Identifier: ISC
# Reports of releases before sql/0021, which are documents alone: surfacectl migrate makes their rows, once.
. t/lib.sh
pg_start

uuid() { printf '0190a8c1-0000-7000-8000-%012d' "$1"; }
for n in 1 2 3; do
	printf '{"uuid":"%s","published_at":"2026-01-0%dT00:00:00Z","title":"Old %d","publisher":"Acme","indicators":[{"type":"domain","value":"old%d.example"},{"type":"ipv4","value":"192.0.2.%d"}]}\n' \
		"$(uuid "$n")" "$n" "$n" "$n" "$n"
done >"$W/in"
ctl import reports "$W/in" >"$W/out" 2>"$W/err"
is "$(sql "SELECT count(*) FROM record_reports WHERE NOT gone")" 3 "three reports have documents"

# The tables of the earlier release, whose documents had no visibility; one of them cannot be read.
psql -Xq -f t/helper/undo-later.sql 2>"$W/err"
sql "DELETE FROM schema_migration WHERE version >= 20;
	UPDATE record_reports SET doc = (doc::jsonb - 'visibility')::text;
	UPDATE record_reports SET doc = '{\"title\": 3' WHERE encode(substr(key, 9), 'hex')::uuid = '$(uuid 3)'"
is "$(sql "SELECT to_regclass('report') IS NULL AND count(*) FILTER (WHERE doc ~ 'visibility') = 0 FROM record_reports")" t \
	"the documents of an earlier release have neither rows nor visibility"
ok "migrate succeeds with reports of an earlier release" world_migrate 2>"$W/migrate.err"
is "$(cat "$W/migrate.err")" "" "migrate prints no notice or warning about what it drops"
is "$(sql "SELECT string_agg(concat_ws(' ', title, source_kind, status, revision, account_uuid IS NULL, published_at::date), ',' ORDER BY uuid) FROM report")" \
	"Old 1 native published 1 t 2026-01-01,Old 2 native published 1 t 2026-01-02" "each readable report of an earlier release gets its row"
is "$(sql "SELECT string_agg(value, ' ' ORDER BY report_uuid, value) FROM indicator WHERE withdrawn_at IS NULL")" \
	"192.0.2.1 old1.example 192.0.2.2 old2.example" "reports of an earlier release get their indicators"
is "$(sql "SELECT count(*) FILTER (WHERE doc::jsonb ->> 'visibility' = '*') FROM record_reports WHERE NOT gone AND doc LIKE '%Old%'")" 2 \
	"documents of an earlier release become visible to every account"
is "$(sql "SELECT doc FROM record_reports WHERE encode(substr(key, 9), 'hex')::uuid = '$(uuid 3)'")" '{"visibility":"*","title": 3' \
	"a document that cannot be read gets its visibility and no row, and the others follow"
rows() { sql "SELECT md5(string_agg(r, '' ORDER BY r)) FROM (SELECT xmin::text || r::text FROM report r UNION ALL
	SELECT xmin::text || i::text FROM indicator i UNION ALL SELECT xmin::text || d::text FROM record_reports d) AS every(r)"; }
before=$(rows)
ok "a second migrate succeeds" world_migrate
is "$(rows)" "$before" "a second migrate writes no row of a report"
ctl import reports "$W/in" >"$W/out" 2>"$W/err"
like "$(cat "$W/out")" '^3 read, 1 new, 0 changed, 2 unchanged' "an import of the same reports finds those that have rows unchanged"
