#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl import hosts --authoritative: services that the file of a scanner proves to have gone leave their hosts (C-126).
. t/lib.sh
db_start
host_rows

services() { sql "SELECT string_agg((s ->> 'port') || '/' || (s ->> 'transport'), ' ' ORDER BY n) FROM host,
	jsonb_array_elements(doc -> 'services') WITH ORDINALITY AS e (s, n) WHERE ip = '$1'"; }
# stored IP PORT...: the stored services of the host, seen on 1 January 2026.
stored()
{
	_ip=$1
	shift
	sql "DELETE FROM host WHERE ip = '$_ip'"
	printf '%s\n' "$@" | jq -sRc --arg ip "$_ip" '{ip: $ip, last_seen: "2026-01-01T00:00:00Z",
		services: [split("\n")[] | select(. != "") | split("/") | {port: .[0] | tonumber, transport: (.[1] // "tcp")}]}' >"$W/file"
	import "$W/file"
}
port() { printf '<port protocol="%s" portid="%s"><state state="%s"/></port>' "$1" "$2" "$3"; }
# host IP [ATTRIBUTES OF HOST [OF STATUS]]: a host with the elements of standard input; scanned on 14 January 2026.
host()
{
	printf '<host starttime="1768392000" endtime="1768392060"%s><status state="up"%s/><address addr="%s" addrtype="ipv4"/><ports>' "${2:+ $2}" "${3:+ $3}" "$1"
	cat
	echo '</ports></host>'
}
scaninfo() { printf '<scaninfo type="%s" protocol="%s" numservices="3" services="%s"/>' "$1" "$2" "$3"; }
# scan FILE: standard input as the file of a scanner.
scan() { { printf '<?xml version="1.0"?>\n<nmaprun scanner="%s" start="1768392000">\n' "${2:-nmap}" && cat && echo '</nmaprun>'; } >"$W/$1"; }

stored 192.0.2.1 22 80 443 8443 53/udp
{ scaninfo syn tcp 22,80-443 && { port tcp 80 open && port tcp 443 closed; } | host 192.0.2.1; } | scan one
import "$W/one"
is "$(services 192.0.2.1)" "22/tcp 53/udp 80/tcp 443/tcp 8443/tcp" "without the option nothing is removed (C-126)"
stored 192.0.2.1 22 80 443 8443 53/udp
import --authoritative "$W/one"
is "$STATUS $OUT" "0 1 read, 0 new, 1 changed, 0 unchanged, 0 bad, 0 skipped" "a file of nmap names the ports that it has scanned (C-126)"
is "$(services 192.0.2.1)" "53/udp 80/tcp 8443/tcp" \
	"a service on a scanned port that is not open is removed, and one on another port or transport stays (C-126)"
is "$(sql "SELECT string_agg((what::json #>> '{service,port}') || '/' || to_char(at, 'DD'), ' ' ORDER BY what::text) FROM record_event WHERE kind = (SELECT kind FROM record_event
	WHERE what::json #>> '{service,port}' = '22' ORDER BY seq DESC LIMIT 1) AND at = '2026-01-14T12:01:00Z'")" "22/14 443/14" \
	"each removed port is an event service_gone of the time of the scan (C-126, C-407)"
import --authoritative "$W/one"
is "$OUT" "1 read, 0 new, 0 changed, 1 unchanged, 0 bad, 0 skipped" "the same file again changes nothing"

stored 192.0.2.2 22
stored 192.0.2.3 22
{ scaninfo connect tcp 1-1024 && echo '<extraports state="closed" count="1024"/>' | host 192.0.2.2 && echo '<extraports state="closed" count="1024"/>' | host 192.0.2.9; } | scan bare
import --authoritative "$W/bare"
is "$STATUS $OUT" "0 2 read, 0 new, 1 changed, 1 unchanged, 0 bad, 0 skipped" "a host that is up and has no open port is read"
is "$(services 192.0.2.2) $(sql "SELECT doc -> 'services' FROM host WHERE ip = '192.0.2.2'")" " []" "a host that is up and has no open port loses its services (C-126)"
is "$(sql "SELECT count(*) FROM host WHERE ip = '192.0.2.9'")" 0 "a host without an open port is not stored when it is new"
is "$(services 192.0.2.3)" 22/tcp "a host that the file does not have keeps its services"

# skipped TITLE ELEMENTS [ATTRIBUTES OF HOST [OF STATUS]]: a host with these elements proves nothing.
skipped()
{
	stored 192.0.2.4 22 80
	{ scaninfo syn tcp 1-1024 && echo "$2" | host 192.0.2.4 "${3-}" "${4-}"; } | scan skip
	import --authoritative "$W/skip"
	is "$STATUS $(services 192.0.2.4)" "0 22/tcp 80/tcp" "$1"
}
skipped "a host that timed out loses nothing (C-126)" "$(port tcp 80 open)" 'timedout="true"'
skipped "a host that was assumed up and answered on no port loses nothing (C-126)" '<extraports state="filtered" count="1024"/>' '' 'reason="user-set"'
{ scaninfo syn tcp 1-1024 && echo '<extraports state="closed" count="1"/>' | host 192.0.2.4 '' 'reason="user-set"'; } | scan answered
import --authoritative "$W/answered"
is "$(services 192.0.2.4)" "" "a host that was assumed up and has a closed port loses its services"
stored 192.0.2.4 22
{ scaninfo syn tcp 1-1024 && printf '<host endtime="1768392060"><status state="down"/><address addr="192.0.2.4" addrtype="ipv4"/></host>'; } | scan down
import --authoritative "$W/down"
is "$(services 192.0.2.4)" "22/tcp" "a host that is down loses nothing (C-126)"

stored 192.0.2.5 53/udp 123/udp 161/udp 22
{ scaninfo udp udp 1-1024 && { port udp 53 open && port udp 123 'open|filtered' && port udp 161 closed; } | host 192.0.2.5; } | scan udp
import --authoritative "$W/udp"
is "$(services 192.0.2.5)" "22/tcp 53/udp 123/udp" "a UDP port without an answer may be open, and its service stays"
stored 192.0.2.5 53/udp 123/udp
{ scaninfo udp udp 1-1024 && { port udp 53 open && echo '<extraports state="open|filtered" count="1023"/>'; } | host 192.0.2.5; } | scan udp
import --authoritative "$W/udp"
is "$(services 192.0.2.5)" "53/udp 123/udp" "UDP ports without an answer that nmap does not list stay, too"

stored 192.0.2.6 22
sql "UPDATE host SET doc = jsonb_set(doc, '{services,0,last_seen}', '\"2026-02-01T00:00:00.000000Z\"') || '{\"last_seen\": \"2026-02-01T00:00:00.000000Z\"}' WHERE ip = '192.0.2.6'"
{ scaninfo syn tcp 1-1024 && echo '<extraports state="closed" count="1"/>' | host 192.0.2.6; } | scan older
import --authoritative "$W/older"
is "$(services 192.0.2.6)" "22/tcp" "an older scan removes no service that was seen after it (C-407)"

# unnamed TITLE: the file "unnamed" names no ports, and is imported without a removal.
unnamed()
{
	stored 192.0.2.7 22 80
	import --authoritative "$W/unnamed"
	like "$STATUS $OUT $ERR" '^1 [12] read, 0 new, 1 changed, 0 unchanged, 1 bad,.*does not name the ports that were scanned' "$1 is imported with a message"
	is "$(services 192.0.2.7)" "22/tcp 80/tcp 443/tcp" "$1 removes nothing"
}
port tcp 443 open | host 192.0.2.7 | scan unnamed
unnamed "a file of nmap without scaninfo"
{ scaninfo ack tcp 1-1024 && port tcp 443 open | host 192.0.2.7; } | scan unnamed
unnamed "a scan that finds no open ports"
echo '[{"ip": "192.0.2.7", "timestamp": "1768392000", "ports": [{"port": 443, "proto": "tcp", "status": "open"}]}]' >"$W/unnamed"
unnamed "a file of masscan without ports"
stored 192.0.2.7 22
{ scaninfo syn tcp 22,x && port tcp 443 open | host 192.0.2.7; } | scan wrong
import --authoritative "$W/wrong"
like "$STATUS $ERR $(services 192.0.2.7)" '^1 .*wrong:3: the ports of scaninfo are no list.* 22/tcp 443/tcp$' "a malformed list of ports is reported and removes nothing"

# masscan has a host element for each port.
stored 192.0.2.8 22 80 443 8443
{ scaninfo syn tcp 1-1024
	for p in 80 993; do port tcp $p open | host 192.0.2.8; done; } | scan masscan masscan
import --authoritative "$W/masscan"
is "$STATUS $(services 192.0.2.8)" "0 80/tcp 993/tcp 8443/tcp" "a file of masscan that names its ports removes what it did not find"

import --authoritative --replace-ports 22 "$W/one"
like "$STATUS $ERR" '^2 .*--authoritative and --replace-ports exclude one another' "the file or the list names the ports, not both"
echo '{"ip":"192.0.2.1"}' >"$W/own"
import --authoritative "$W/own"
like "$STATUS $ERR" '^2 .*--authoritative belongs to --format nmap masscan' "a format without scanned ports is refused"
ctl import dns --authoritative "$W/one" 2>"$W/err"
like "$? $(cat "$W/err")" '^2 .*wrong option --authoritative' "datasets without services have no authoritative scan"
