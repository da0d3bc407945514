#!/bin/sh
# SPDX-License-Identifier: ISC
# Stored hosts of megabytes: an import and enrich read and write them in bounded memory, and leave a host as it is that
# would become too large or that they cannot read.
. t/lib.sh
db_start
host_rows

# ---- a thin scan over large hosts ----

# Six hosts of 5 MB fill two rounds. After them come 40 documents of 15 MB. The import cannot read them, so the test need not
# wait until each is merged.
sql "INSERT INTO host (ip, doc) SELECT ip::inet, jsonb_build_object('ip', ip, 'first_seen', '2026-01-01T00:00:00Z',
	'last_seen', '2026-01-01T00:00:00Z', 'services', (SELECT jsonb_agg(jsonb_build_object('port', p, 'banner', repeat('x', 55000),
		'last_seen', '2026-01-01T00:00:00Z') ORDER BY p) FROM generate_series(1000, 1090) AS p))
	FROM generate_series(1, 6) AS i, LATERAL (SELECT '192.0.2.' || i AS ip) AS a"
sql "INSERT INTO record (dataset, key, doc) SELECT 1, host_key(('198.51.100.' || i)::inet), '[' || repeat(' ', 15000000)
	FROM generate_series(10, 49) AS i"
{
	seq -f '192.0.2.%g' 1 7
	seq -f '198.51.100.%g' 10 49
} | jq -Rc '{ip: ., services: [{port: 22}], last_seen: "2026-01-02T00:00:00Z"}' >"$W/thin"
# Prints the largest memory of the command in MB, after its output.
cat >"$W/measure" <<'END'
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
sys.exit(status)
END
OUT=$(python3 "$W/measure" "$BIN/surfacectl" --database "host=$W/db dbname=surfaced user=surfaced_admin" \
	import hosts "$W/thin" 2>"$W/err")
STATUS=$?
ERR=$(cat "$W/err")
is "$STATUS $(printf '%s\n' "$OUT" | head -1)" "1 47 read, 1 new, 6 changed, 0 unchanged, 40 bad, 0 skipped" \
	"a thin scan over hosts of 600 MB is imported"
diag "the import had $(printf '%s\n' "$OUT" | tail -1) MB"
ok "the memory of the import is less than the stored documents of the batch" test "$(printf '%s\n' "$OUT" | tail -1)" -lt 400
is "$(printf '%s\n' "$ERR" | grep -c 'the stored document 198.51.100.[0-9]* of hosts cannot be read and stays as it is: ')" 40 \
	"the import names each stored document that it cannot read"
is "$(sql "SELECT count(*) FROM record WHERE dataset = 1 AND key BETWEEN host_key('192.0.2.1') AND host_key('192.0.2.6')
	AND jsonb_array_length(doc::jsonb -> 'services') = 92")" 6 "each large host gets the service of the scan"
is "$(sql "SELECT count(*), count(DISTINCT key) FROM record_event WHERE dataset = 1 AND kind = 4")" "6|6" \
	"each large host has one event of the service (C-412)"
import "$W/thin"
is "$OUT" "47 read, 0 new, 0 changed, 7 unchanged, 40 bad, 0 skipped" "the same scan again changes no large host"
