#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl import hosts: NDJSON and masscan's JSON are imported into a real database.
. t/lib.sh
db_start
host_rows

doc()
{
	sql "SELECT doc #>> '{$2}' FROM host WHERE ip = '$1'"
}

cat >"$W/a.ndjson" <<'END'
{"ip":"192.0.2.1","asn":64500,"country_code":"gb","tags":["Zeta-New","c2"],"hostnames":["www.example.co.uk."]}

{"ip":"192.0.2.2","services":[{"port":443,"banner":"a"},{"port":22}],"last_seen":"2026-01-02T00:00:00Z"}
{"ip":"192.0.2.3","asn":"x"}
{"ip":"192.0.2.4"
{"ip":"2001:DB8::1","os":"Linux"}
END
import "$W/a.ndjson"
is "$STATUS" 1 "an import with bad records exits with status 1"
is "$OUT" "5 read, 3 new, 0 changed, 0 unchanged, 2 bad, 0 skipped" "the summary counts new and bad records"
is "$ERR" "$W/a.ndjson:4: asn: must be an integer
$W/a.ndjson:5: no valid JSON: the record does not end" \
	"each bad record is reported with its line and member"
is "$(doc 192.0.2.1 country_code)" GB "a country code is stored in upper case"
is "$(doc 192.0.2.1 apex_domains,0)" example.co.uk "an apex domain follows the public suffix list"
is "$(doc 2001:db8::1 ip)" 2001:db8::1 "an address is stored in its canonical form"
is "$(doc 192.0.2.2 services,0,port)" 22 "the services of a host are sorted by port"
is "$(doc 192.0.2.2 first_seen)" 2026-01-02T00:00:00.000000Z \
	"first_seen of a new host defaults to last_seen"
is "$(sql "SELECT name || classification FROM tag WHERE slug = 'zeta-new'")" zeta-newinformational \
	"an unknown tag is registered as informational"

state=$(sql "SELECT md5(string_agg(ip || doc::text || changed::text, '' ORDER BY ip)) FROM host")
import "$W/a.ndjson"
is "$OUT" "5 read, 0 new, 0 changed, 3 unchanged, 2 bad, 0 skipped" "importing the same file again changes no host"
is "$(sql "SELECT md5(string_agg(ip || doc::text || changed::text, '' ORDER BY ip)) FROM host")" "$state" \
	"importing the same file again does not touch the rows"

printf '%s\n' '{"ip":"192.0.2.2","services":[{"port":443,"banner":"b"}],"last_seen":"2026-01-03T00:00:00Z"}' \
	'{"ip":"192.0.2.2","os":"BSD","last_seen":"2026-01-04T00:00:00Z"}' \
	'{"ip":"192.0.2.2","os":"old","last_seen":"2025-01-04T00:00:00Z"}' | {
	import --json -
	echo "$STATUS $OUT" >"$W/merged"
}
is "$(cat "$W/merged")" '0 {"read":3,"new":0,"changed":1,"unchanged":0,"bad":0,"skipped":0,"new_tags":0}' \
	"records of one address merge in the order of the file"
is "$(doc 192.0.2.2 os)" BSD "an older record does not replace newer values (C-908)"
is "$(doc 192.0.2.2 first_seen)/$(doc 192.0.2.2 last_seen)" \
	2025-01-04T00:00:00.000000Z/2026-01-04T00:00:00.000000Z \
	"an older record widens the time in which the host was seen (C-908)"
is "$(doc 192.0.2.2 services,1,banner)$(doc 192.0.2.2 service_count)" b2 \
	"the services of a host merge by port"

import --strict "$W/a.ndjson"
is "$STATUS$OUT" "13 read, 0 new, 0 changed, 2 unchanged, 1 bad, 0 skipped" \
	"--strict stops the import at the first bad record (C-907)"
seq 1 150 | sed 's/.*/{"ip":7}/' >"$W/bad.ndjson"
import --quiet "$W/bad.ndjson"
is "$STATUS/$OUT/$(printf '%s\n' "$ERR" | wc -l)" "1//100" \
	"an import reports at most a hundred bad records and --quiet prints no summary"
import "$W/none"
is "$STATUS" 1 "a missing file makes the import exit with status 1"
echo hello >"$W/hello"
import "$W/hello"
like "$STATUS $ERR" "^1 .*no format known" "a file of an unknown format makes the import exit with status 1"
import --format xml "$W/hello"
is "$STATUS" 2 "a wrong option makes the import exit with status 2"
: >"$W/empty"
import "$W/empty"
is "$STATUS$OUT" "00 read, 0 new, 0 changed, 0 unchanged, 0 bad, 0 skipped" \
	"an empty file imports no host and succeeds"

cat >"$W/masscan.json" <<'END'
[
{   "ip": "198.51.100.7",   "timestamp": "1700000000", "ports": [ {"port": 443, "proto": "tcp", "status": "open", "reason": "syn-ack", "ttl": 55} ] }
,
{   "ip": "198.51.100.8",   "timestamp": "1700000001", "ports": [ {"port": 161, "proto": "udp", "status": "open", "reason": "none", "ttl": 60} ] }
,
{   "ip": "198.51.100.7",   "timestamp": "1700000002", "ports": [ {"port": 443, "proto": "tcp", "service": {"name": "ssl", "banner": "TLS/1.2 cipher:0xc02f, example.com"} } ] }
,
{   "ip": "198.51.100.7",   "timestamp": "1700000003", "ports": [ {"port": 443, "proto": "tcp", "service": {"name": "http.server", "banner": "nginx\u002f1.22.1"} } ] },
{   "ip": "198.51.100.9",   "timestamp": "1700000004", "ports": [ {"port": 80, "proto": "tcp", "status": "closed", "reason": "rst-ack", "ttl": 55} ] },
{finished: 1}
]
END
import "$W/masscan.json"
is "$STATUS$OUT" "05 read, 2 new, 0 changed, 0 unchanged, 0 bad, 0 skipped" \
	"an import of masscan's JSON array counts its records"
is "$(doc 198.51.100.7 services,0,http,server)" nginx/1.22.1 "the banners of masscan belong to one service"
is "$(doc 198.51.100.7 first_seen)" 2023-11-14T22:13:20.000000Z \
	"the time of a masscan record becomes the time of the host"
is "$(doc 198.51.100.8 services,0,transport)" udp "a UDP port of masscan is stored as UDP"
import "$W/masscan.json"
is "$OUT" "5 read, 0 new, 0 changed, 2 unchanged, 0 bad, 0 skipped" \
	"importing the same masscan file again changes nothing"

# A killed import keeps its complete batches, and the next import adds the rest.
sql "DELETE FROM host"
"$BUILD/t/helper/hostgen" --hosts 30000 >"$W/many.ndjson"
mkfifo "$W/fifo"
"$BIN/surfacectl" --database "host=$W/db dbname=surfaced user=surfaced_admin" import hosts "$W/fifo" \
	>"$W/killed" 2>&1 &
pid=$!
exec 3>"$W/fifo"
head -n 12000 "$W/many.ndjson" >&3
some_hosts()
{
	[ "$(sql "SELECT count(*) FROM host")" -ge 4000 ]
}
world_until 20 some_hosts
kill -9 "$pid"
wait "$pid" 2>/dev/null
exec 3>&-
is "$(sql "SELECT count(DISTINCT changed) < 3 AND count(*) BETWEEN 4000 AND 12000 FROM host")" t \
	"a killed import keeps the batches that it has stored (C-907)"
import --json "$W/many.ndjson"
is "$STATUS$(printf %s "$OUT" | jq '.new + .unchanged')" 030000 \
	"the next import adds the missing hosts of a killed one (C-907)"
is "$(sql "SELECT count(*) FROM host")" 30000 "every host is stored after the second import"

# Two imports of the same hosts at the same time: each host is new to one of them, and unchanged or changed to the other.
sql "DELETE FROM record_hosts"
"$BIN/surfacectl" --database "host=$W/db dbname=surfaced user=surfaced_admin" import hosts --json "$W/many.ndjson" >"$W/first" &
pid=$!
import --json "$W/many.ndjson"
wait "$pid"
is "$?$STATUS $(jq -s 'map(.new) | add' "$W/first" - <<END
$OUT
END
) $(sql "SELECT count(*) FROM host")" "00 30000 30000" "two imports at once store each host once"

# PostgreSQL stops during an import.
"$BIN/surfacectl" --database "host=$W/db dbname=surfaced user=surfaced_admin" import hosts "$W/fifo" \
	>"$W/lost" 2>&1 &
pid=$!
exec 3>"$W/fifo"
head -n 6000 "$W/many.ndjson" >&3
world_pg_kill
sed -n '6001,12000p' "$W/many.ndjson" >&3 2>/dev/null
exec 3>&-
wait "$pid"
is "$?" 4 "an import exits with status 4 when the database stops"
world_pg_resume

# A host grows with each record until it would exceed the limit of a document. Its records are merged before they are stored.
python3 - >"$W/grow" <<'END'
import json
print(json.dumps({"ip": "192.0.2.80"}))
for r in range(6):
    print(json.dumps({"ip": "192.0.2.81", "services": [{"port": r * 60 + p, "banner": "x" * 60000} for p in range(1, 61)]}))
print(json.dumps({"ip": "192.0.2.82"}))
END
import "$W/grow"
is "$STATUS/$OUT" "1/8 read, 3 new, 0 changed, 0 unchanged, 2 bad, 0 skipped" \
	"a host above the limit does not stop the import"
is "$ERR" "$W/grow:6: the record would be too large
$W/grow:7: the record would be too large" \
	"the import reports the host above the limit"
is "$(doc 192.0.2.81 service_count)" 240 "a host above the limit keeps its earlier services"
