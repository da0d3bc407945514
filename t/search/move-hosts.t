#!/bin/sh
# SPDX-License-Identifier: ISC
# sql/0014 moves the table host of earlier releases into record: documents, keys, deletions, and the index that follows them.
. t/lib.sh
pg_start
dir=$W/tmp
cat >"$dir/conf" <<END
database = host=$W/db dbname=surfaced user=surfaced_index
index_directory = $W/index
END

once() { "$BIN/surfaced-index" --once -c "$dir/conf" 2>>"$dir/log"; }
hits() { "$BUILD/t/bench/engine" -d "$W/index" -q "$1"; }
rebuilds() { grep -c 'dataset=hosts .*how=rebuild' "$dir/log"; }

# earlier: the table of earlier releases with the rows of record, as if this database had not been migrated yet.
earlier()
{
	{
		echo "SET client_min_messages = warning; SET ROLE surfaced_owner; BEGIN; DROP TABLE host, host_gone, host_gone_horizon;"
		sed -n '/^CREATE TABLE host (/,/^CREATE TABLE tag/{/^CREATE TABLE tag/d;p;}; /^CREATE TABLE host_gone/,$p' sql/0003-hosts.sql
		echo "INSERT INTO host (ip, doc, changed) SELECT (doc::jsonb ->> 'ip')::inet, doc::jsonb, changed FROM record_hosts WHERE NOT gone;
			UPDATE host_gone_horizon SET begun = '3';
			DELETE FROM record_hosts; DELETE FROM search_feed WHERE dataset = 1;
			DROP TABLE record_event, record_history; DROP INDEX record_report;
			DROP VIEW export_right; DROP TABLE search_export, export_month CASCADE; DROP TYPE export_wanted CASCADE;
			ALTER TABLE meter_default DROP COLUMN export_records; ALTER TABLE account DROP COLUMN export_records;
			ALTER TABLE search_feed DROP COLUMN epoch, DROP COLUMN refill;
			DELETE FROM metric_kind WHERE name ~ '^surfaced_(export|search_feed_age)'; DELETE FROM schema_migration WHERE version >= 14; COMMIT"
	} >"$dir/earlier.sql"
	psql -Xq -v ON_ERROR_STOP=1 -f t/helper/undo-later.sql && psql -Xq -v ON_ERROR_STOP=1 -f "$dir/earlier.sql"
}

cat >"$dir/hosts" <<'END'
{"ip":"192.0.2.1","os":"Linux","services":[{"port":22,"banner":"a \"b\" \\ c: {"}],"last_seen":"2026-01-02T00:00:00Z"}
{"ip":"192.0.2.2","os":"Linux","last_seen":"2026-01-02T00:00:00Z"}
{"ip":"255.255.255.255","os":"Linux","last_seen":"2026-01-02T00:00:00Z"}
{"ip":"0.0.0.0","os":"Linux","last_seen":"2026-01-02T00:00:00Z"}
{"ip":"2001:db8::1","os":"Linux","last_seen":"2026-01-02T00:00:00Z"}
{"ip":"::","os":"Linux","last_seen":"2026-01-02T00:00:00Z"}
END
import "$dir/hosts"
keys=$(sql "SELECT string_agg(key::text, ' ' ORDER BY key) FROM record_hosts")
docs=$(sql "SELECT string_agg(doc::jsonb::text, ' ' ORDER BY key) FROM record_hosts")
once
is "$(hits os:linux) $(rebuilds)" "6 1" "the index of the earlier release has every host"

earlier || exit 1
sql "UPDATE host SET doc = doc || '{\"os\": \"BSD\"}' WHERE ip = '2001:db8::1';
	INSERT INTO host (ip, doc) VALUES ('192.0.2.9', '{\"ip\": \"192.0.2.9\", \"os\": \"New\"}');
	DELETE FROM host WHERE ip = '192.0.2.2'; INSERT INTO host_gone (ip) VALUES ('192.0.2.2'), ('192.0.2.2'), ('192.0.2.1')"
ok "migrate moves the hosts of an earlier release" world_migrate
is "$(sql "SELECT began > now() - interval '1 hour' FROM record_history")" t \
	"the history of a database with hosts begins with the migration (C-412)"
is "$(psql -XqAt -c "SET ROLE surfaced_api; SELECT doc ->> 'os', bytes FROM host WHERE ip = '2001:db8::1'")" "BSD|$(sql "SELECT octet_length(doc::text) FROM host WHERE ip = '2001:db8::1'")" \
	"workers of the earlier release still read the table host"
is "$(psql -XqAt -c "SET ROLE surfaced_admin; UPDATE host SET doc = doc" 2>&1)" "ERROR:  hosts are stored in the table record since this database was migrated
HINT:  Upgrade surfaced on this machine, then repeat the import.
CONTEXT:  PL/pgSQL function host_moved_away() line 3 at RAISE" "an import of the earlier release is refused, for nothing would follow it"
is "$(sql "SELECT string_agg(key::text, ' ' ORDER BY key) FROM record_hosts WHERE key <> '\\x04c0000209'")" "$keys" \
	"moved hosts have the keys that an import makes"
is "$(sql "SELECT encode(key, 'hex') FROM record_hosts WHERE gone")" 04c0000202 "a deletion that an index may not know is moved once"
is "$(hits os:linux)" 6 "the index answers from its files after the move"
once
is "$(hits os:linux) $(hits os:bsd) $(hits os:new) $(hits '*') $(rebuilds)" "4 1 1 6 1" \
	"the index goes on with the changes and deletions that it had not seen, without a rebuild (C-408)"

# An index whose snapshot the horizon excludes, and one that no other dataset knows, are built again.
earlier || exit 1
sql "UPDATE host_gone_horizon SET purged = pg_current_xact_id()"
world_migrate >"$W/log/migrate.log" 2>&1
once
is "$(hits '*') $(rebuilds)" "6 2" "an index that deletions were purged for is built again"
earlier || exit 1
sql "DELETE FROM search_feed"
world_migrate >"$W/log/migrate.log" 2>&1
once
is "$(hits '*') $(rebuilds)" "6 3" "an index that followed hosts alone is built again"

# Moved documents have the spelling of jsonb until the next import.
is "$(sql "SELECT doc FROM record_hosts WHERE key = '\\x04c0000209'")" '{"ip": "192.0.2.9", "os": "New"}' \
	"a moved document is not spelt as an import does"
api_start
web_start
api GET /search/hosts/192.0.2.1
is "$STATUS $BODY" '200 {"host":{"ip":"192.0.2.1","ip_version":4,"os":"Linux","service_count":1,"first_seen":"2026-01-02T00:00:00.000000Z","last_seen":"2026-01-02T00:00:00.000000Z","services":[{"port":22,"transport":"tcp","banner":"a \"b\" \\ c: {","banner_hash":"'"$(printf %s 'a "b" \ c: {' | sha256sum | cut -d' ' -f1)"'","first_seen":"2026-01-02T00:00:00.000000Z","last_seen":"2026-01-02T00:00:00.000000Z"}]}}' \
	"a moved document is answered in the order of the field table without white space (C-414)"
import "$dir/hosts"
is "$STATUS $OUT" "0 6 read, 1 new, 5 changed, 0 unchanged, 0 bad, 0 skipped" \
	"an import finds the moved hosts by their keys and spells them anew, and fills the mark of a deletion"
is "$(sql "SELECT string_agg(key::text || ' ' || kind, ', ' ORDER BY key) FROM record_event")" "\\x04c0000202 1, \\x0620010db8000000000000000000000001 2" \
	"a document that is only spelt anew has no event"
import "$dir/hosts"
is "$OUT" "6 read, 0 new, 0 changed, 6 unchanged, 0 bad, 0 skipped" "the next import changes nothing"
sql "DELETE FROM record_hosts WHERE key = '\\x04c0000209'"
is "$(sql "SELECT string_agg(doc::jsonb::text, ' ' ORDER BY key) FROM record_hosts")" "$docs" "no member of a document was lost"

# A backup of the earlier release is restored into this one.
earlier || exit 1
sql "INSERT INTO host (ip, doc) VALUES ('192.0.2.99', '{\"ip\": \"192.0.2.99\"}')"
mkdir -p "$W/evidence"
count=$(sql "SELECT count(*) FROM host")
echo "backup_key_file = $W/backup-key" >"$W/backup.conf"
"$BIN/surfacectl" -c "$W/backup.conf" --database "host=$W/db dbname=surfaced user=postgres" backup --evidence "$W/evidence" "$W/backup" >"$W/out" 2>"$W/err"
like "$? $(cat "$W/err")" "^0 surfacectl: $W/backup-key is new: [^:]*\$" "a database of an earlier release is backed up"
"$BIN/surfacectl" -c "$W/backup.conf" --database "host=$W/db dbname=surfaced user=postgres" restore --evidence "$W/evidence" --sql-dir "$SQL" --replace "$W/backup" \
	>"$W/out" 2>"$W/err"
is "$? $(cat "$W/err") $(sql "SELECT count(*) FROM record_hosts WHERE NOT gone")" "0  $count" \
	"a restore moves the hosts of a backup of an earlier release"
