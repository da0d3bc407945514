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

# ---- enrich ----

sql "DELETE FROM record WHERE dataset = 1 AND key > host_key('198.51.100.10')"
t/helper/mmdb nested "$W/asn.mmdb" <<'END' || exit 1
192.0.2.0/24 {"autonomous_system_number":64500,"autonomous_system_organization":"Example Net"}
END
# full DAY LAST: a host of 304 services, the last one with a banner of that many bytes, in records that an import merges.
full()
{
	python3 - "$@" <<'END'
import json
import sys
for first in range(1, 305, 60):
    services = [{"port": p, "banner": "x" * (int(sys.argv[2]) if p == 304 else 55000)} for p in range(first, min(first + 60, 305))]
    print(json.dumps({"ip": "192.0.2.9", "last_seen": sys.argv[1], "services": services}))
END
}
full 2026-01-01T00:00:00Z 30000 >"$W/full"
import "$W/full"
bytes() { sql "SELECT bytes FROM record WHERE dataset = 1 AND key = host_key('192.0.2.9')"; }
full 2026-01-02T00:00:00Z $((30000 + 16777216 - $(bytes) - 10)) >"$W/full"
import "$W/full"
is "$(bytes)" 16777206 "a host may have 10 bytes less than the largest document"
echo "mmdb_asn = $W/asn.mmdb" >>"$W/etc/surfacectl.conf"
OUT=$(ctl enrich hosts 2>"$W/err")
STATUS=$?
is "$STATUS $OUT" "0 9 read, 7 changed" "enrich goes on after a host that would become too large and one that it cannot read"
is "$(grep -c '^surfacectl: the stored document 192.0.2.9 of hosts stays as it is: it would be larger than 16777216 bytes$' "$W/err")" 1 \
	"enrich names the host that would become too large"
is "$(grep -c '^surfacectl: the stored document 198.51.100.10 of hosts cannot be read and stays as it is: ' "$W/err")" 1 \
	"enrich names the stored document that it cannot read"
is "$(bytes) $(sql "SELECT count(*) FROM record WHERE dataset = 1 AND doc LIKE '%\"asn\":64500,%'")" "16777206 7" \
	"enrich leaves the host that would become too large as it is"
