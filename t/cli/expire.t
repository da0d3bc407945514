#!/bin/sh
# SPDX-License-Identifier: ISC
# What leaves the stored hosts: services that a full scan no longer shows, and what was not seen for a time (C-407).
. t/lib.sh
db_start
host_rows

services()
{
	sql "SELECT string_agg((s ->> 'port') || '/' || (s ->> 'transport'), ' ' ORDER BY n) || ' of ' || (doc ->> 'service_count')
		FROM host, jsonb_array_elements(doc -> 'services') WITH ORDINALITY AS e (s, n) WHERE ip = '$1' GROUP BY doc"
}
put()
{
	printf '%s\n' "$@" >"$W/file"
	import "$W/file"
}
scan()
{
	ports=$1
	shift
	printf '%s\n' "$@" >"$W/scan"
	import --replace-ports "$ports" "$W/scan"
}

# ---- import hosts --replace-ports ----

put '{"ip":"192.0.2.1","last_seen":"2026-01-01T00:00:00Z","services":[{"port":22},{"port":80},{"port":443},{"port":443,"transport":"udp"},{"port":8443}]}' \
	'{"ip":"192.0.2.2","last_seen":"2026-01-01T00:00:00Z","services":[{"port":22}]}'
scan 22,80,443 '{"ip":"192.0.2.1","last_seen":"2026-01-02T00:00:00Z","services":[{"port":80},{"port":993}]}'
is "$STATUS $OUT" "0 1 read, 0 new, 1 changed, 0 unchanged, 0 bad, 0 skipped" "a full scan changes the hosts that it has"
is "$(services 192.0.2.1)" "80/tcp 443/udp 993/tcp 8443/tcp of 4" \
	"services on the ports of a full scan that it does not show leave the host, and no others (C-407)"
is "$(services 192.0.2.2)" "22/tcp of 1" "a full scan leaves hosts alone that it does not have (C-407)"
scan 22,80,443 '{"ip":"192.0.2.1","last_seen":"2026-01-02T00:00:00Z","services":[{"port":80},{"port":993}]}'
is "$OUT" "1 read, 0 new, 0 changed, 1 unchanged, 0 bad, 0 skipped" "the same full scan again changes nothing"
scan 400-500/udp,8000-9000 '{"ip":"192.0.2.1","last_seen":"2026-01-03T00:00:00Z"}'
is "$(services 192.0.2.1)" "80/tcp 993/tcp of 2" "a list of ports has ranges and transports"
scan 1-65535 '{"ip":"192.0.2.1","last_seen":"2026-01-04T00:00:00Z","services":[]}' \
	'{"ip":"192.0.2.3","last_seen":"2026-01-04T00:00:00Z","services":[{"port":1}]}'
is "$(sql "SELECT doc -> 'services' FROM host WHERE ip = '192.0.2.1'") $(services 192.0.2.3)" "[] 1/tcp of 1" \
	"a full scan without services removes all of them, and new hosts are stored"
put '{"ip":"192.0.2.5","last_seen":"2026-02-02T00:00:00Z","services":[{"port":22,"last_seen":"2026-01-01T00:00:00Z"},{"port":80,"last_seen":"2026-01-02T00:00:00Z"},{"port":443}]}'
scan 1-65535 '{"ip":"192.0.2.5","last_seen":"2026-01-02T00:00:00Z","services":[]}'
is "$(services 192.0.2.5)" "443/tcp of 1" "an older full scan removes no service that was seen after it (C-407)"
scan 1-65535 '{"ip":"192.0.2.5"}'
is "$(sql "SELECT doc -> 'services' FROM host WHERE ip = '192.0.2.5'")" "[]" \
	"a full scan without a time is the latest, and removes every service that it does not show (C-407)"
for list in '' 0 65536 '22,' ',22' 80-22 22/icmp 22-x; do
	import --replace-ports "$list" "$W/scan"
	like "$STATUS $ERR" '^2 .*replace-ports wants ports such as' "\"$list\" is no list of ports"
done
echo '[{"ip": "192.0.2.3", "timestamp": "1", "ports": [{"port": 5, "status": "open"}]}]' >"$W/masscan"
import --replace-ports 1-65535 "$W/masscan"
like "$STATUS $ERR" '^2 .*belongs to --format ndjson nmap' "a full scan needs a format that has a host in one record"
put '{"ip":"192.0.2.4","last_seen":"2026-01-01T00:00:00Z","services":[{"port":22}]}'
for port in 80 443; do
	echo "<host endtime=\"1770000000\"><address addr=\"192.0.2.4\" addrtype=\"ipv4\"/><ports>
		<port protocol=\"tcp\" portid=\"$port\"><state state=\"open\"/></port></ports></host>"
done >"$W/hosts"
for format in auto nmap; do
	(echo '<?xml version="1.0"?><nmaprun scanner="masscan">' && cat "$W/hosts" && echo '</nmaprun>') >"$W/masscan"
	import --format "$format" --replace-ports 1-65535 "$W/masscan"
	like "$STATUS $OUT $ERR" '^1 1 read, 0 new, 0 changed, 0 unchanged, 1 bad, .*masscan:1: .*masscan.*--replace-ports' \
		"masscan's XML with --format $format is refused as a full scan"
	is "$(services 192.0.2.4)" "22/tcp of 1" "a refused full scan with --format $format changes nothing (C-407)"
done
ctl import dns --replace-ports 22 "$W/scan" 2>"$W/err"
like "$? $(cat "$W/err")" '^2 .*wrong option --replace-ports' "datasets without services have no full scan"

# ---- expire hosts ----

sql "DELETE FROM host"
put '{"ip":"192.0.2.1","last_seen":"2020-01-01T00:00:00Z","services":[{"port":22}]}' \
	'{"ip":"192.0.2.2","first_seen":"2020-01-01T00:00:00Z","last_seen":"2026-01-01T00:00:00Z","services":[{"port":22,"last_seen":"2020-01-01T00:00:00Z"},{"port":23,"last_seen":"2026-01-01T00:00:00Z"}]}' \
	'{"ip":"192.0.2.3","last_seen":"2026-01-01T00:00:00Z","services":[{"port":22,"last_seen":"2020-01-01T00:00:00Z"}]}' \
	'{"ip":"192.0.2.4","last_seen":"2026-01-01T00:00:00Z"}' \
	'{"ip":"192.0.2.5","services":[{"port":22}]}'
rows=$(sql "SELECT string_agg(key::text || doc || changed::text, ' ' ORDER BY key) FROM record_hosts")
is "$(ctl expire hosts --unseen 2021-01-01 --dry-run)" "5 read, 1 hosts and 2 services of other hosts to be removed" \
	"a dry run of expire counts what is older"
is "$(sql "SELECT string_agg(key::text || doc || changed::text, ' ' ORDER BY key) FROM record_hosts")" "$rows" "a dry run of expire removes nothing"
is "$(ctl expire hosts --unseen 2021-01-01 --json)" '{"read":5,"hosts":1,"services":2,"dry_run":false}' \
	"expire counts the hosts and services that it removes"
is "$(sql "SELECT string_agg(host(ip), ' ' ORDER BY ip) FROM host")" "192.0.2.2 192.0.2.3 192.0.2.4 192.0.2.5" \
	"hosts that were not seen since are removed (C-407)"
is "$(services 192.0.2.2) $(sql "SELECT doc -> 'services' FROM host WHERE ip = '192.0.2.3'")" "23/tcp of 1 []" \
	"services that were not seen since are removed, and their hosts stay (C-407)"
is "$(ctl expire hosts --unseen 2021-01-01)" "4 read, 0 hosts and 0 services of other hosts removed" "a second run removes nothing"
ctl expire hosts --unseen 30d >/dev/null
is "$(sql "SELECT string_agg(host(ip), ' ') FROM host")" "192.0.2.5" "an age is counted from now"
ctl expire hosts >/dev/null 2>"$W/err"
is "$? $(grep -c -- '--unseen is missing' "$W/err")" "2 1" "expire needs a time"

ctl expire hosts --unseen 9999-01-01 2>"$W/err"
is "$? $(grep -c -- '--unseen wants a time in the past' "$W/err")" "2 1" "expire refuses a time in the future"

# More hosts than one transaction has.
sql "DELETE FROM host"
sql "SELECT format('{\"ip\":\"%s\",\"last_seen\":\"2020-01-01T00:00:00Z\"}', host('10.0.0.0'::inet + i)) FROM generate_series(1, 2500) AS i" >"$W/many"
import "$W/many"
is "$(ctl expire hosts --unseen 30d) $(sql 'SELECT count(*) FROM host')" \
	"2500 read, 2500 hosts and 0 services of other hosts removed 0" "every host of several transactions is removed"
