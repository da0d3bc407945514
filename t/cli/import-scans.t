#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl import hosts reads the files of scanners: exact counts, the stored documents, and the same file twice (C-404). A
# file of t/cli/data/hosts has the name and version of the tool whose format it has, and beside it what its import gives:
# messages, the summary and all documents. UPDATE=1 writes these anew; read the difference before you commit it.
. t/lib.sh
pg_start
DATA=t/cli/data/hosts

# import DATASET [OPTION ...] FILE: sets STATUS, OUT and ERR.
import()
{
	"$BIN/surfacectl" --database "host=$W/db dbname=surfaced user=surfaced_admin" import "$@" >"$W/out" 2>"$W/err"
	STATUS=$?
	OUT=$(cat "$W/out") ERR=$(cat "$W/err")
}
# Times of the import itself are shown as NOW.
docs() { sql "SELECT doc FROM record ORDER BY dataset, key" | sed "s/\"$(date -u +%Y-%m-%dT)[^\"]*\"/\"NOW\"/g"; }
rows() { sql "SELECT md5(string_agg(key::text || doc || changed::text, '' ORDER BY dataset, key)) FROM record"; }
clear() { sql "TRUNCATE record CASCADE"; }

# golden FILE NAME DATASET FORMAT [OPTION ...]: compares the import with NAME.out, and that --format auto finds the format.
golden()
{
	file=$1 name=$2 dataset=$3 format=$4
	shift 4
	clear
	import "$dataset" --format "$format" "$@" "$file"
	{ printf '%s\n' "$ERR" | sed "s|^$DATA/||"; printf '%s %s\n' "$STATUS" "$OUT"; docs; } | sed '/^$/d' >"$W/got"
	[ -z "${UPDATE-}" ] || cp "$W/got" "$DATA/$name.out"
	ok "the import of $name gives the messages, counts and documents that are expected (C-404)" diff -u "$DATA/$name.out" "$W/got"
	before=$(rows)
	gzip -c "$file" >"$W/file.gz"
	import "$dataset" "$@" "$W/file.gz"
	like "$OUT" "^[0-9]* read, 0 new, 0 changed, " "the format of $name is guessed, and the same file compressed changes nothing (C-404, C-405)"
	is "$(rows)" "$before" "the second import of $name writes no row (C-404)"
}
for file in zmap-4.3.csv zmap-4.3.json naabu-2.3.json naabu-2.0.json naabu-2.3.csv httpx-1.7.json httpx-1.7-paths.json httpx-1.7-products.json httpx-1.7-servers.json \
	httpx-1.2.json tlsx-1.2.json zgrab2-1.0-paths.json zgrab2-1.0.json zgrab2-0.1.json zgrab2-0.2.json nuclei-3.4.json masscan-1.3.list; do
	golden "$DATA/$file" "$file" hosts "${file%%-*}"
done
golden $DATA/masscan-1.3.xml masscan-1.3.xml hosts nmap
golden $DATA/zmap-4.3-default.csv zmap-4.3-default.csv hosts zmap --port 443 --seen 2026-01-02T03:04:05Z
golden $DATA/zmap-2.1.csv zmap-2.1.csv hosts zmap --seen 2026-01-02T03:04:05Z
golden t/cli/data/dns/sonar-rdns-v2.json sonar-rdns-v2.json hosts sonar

# Scripts of nmap.
clear
cat >"$W/scripts.xml" <<'XML'
<?xml version="1.0"?><nmaprun scanner="nmap" start="1767323045" version="7.93"><host starttime="1767323045" endtime="1767323046">
<status state="up"/><address addr="198.51.100.30" addrtype="ipv4"/><ports><port protocol="tcp" portid="8080"><state state="open"/>
<service name="http" method="probed"/>
<script id="http-headers" output="&#xa;  Date: Fri, 02 Jan 2026 03:04:05 GMT&#xa;  WWW-Authenticate: Bearer resource_metadata=&quot;http://a/&quot;&#xa;  Connection: close&#xa;  &#xa;  (Request type: GET)&#xa;"/>
<script id="http-favicon" output="Unknown favicon MD5: 93B885ADFE0DA089CDF634904FD59F71"/>
</port></ports></host></nmaprun>
XML
import hosts "$W/scripts.xml"
is "$(docs | jq -c '.services[0].http')" \
	'{"headers":["www-authenticate: Bearer resource_metadata=\"http://a/\""],"favicon_md5":"93b885adfe0da089cdf634904fd59f71","capabilities":["auth/login"]}' \
	"the headers and the icon that nmap prints are stored, and show the capability mcp"

# The answer to GET / that nmap prints of a service that it does not know, as nmap 7.95 writes it.
clear
cat >"$W/answer.xml" <<'XML'
<?xml version="1.0"?><nmaprun scanner="nmap" start="1767323045" version="7.95"><host starttime="1767323045" endtime="1767323046">
<status state="up"/><address addr="198.51.100.31" addrtype="ipv4"/><ports><port protocol="tcp" portid="8081"><state state="open"/>
<service name="blackice-icecap" method="table" conf="3"/>
<script id="fingerprint-strings" output="&#xa;  GetRequest: &#xa;"><elem key="FourOhFourRequest">&#xa;    HTTP/1.0 404 Not Found&#xa;    gone</elem>
<elem key="GetRequest">&#xa;    HTTP/1.0 503 Service Unavailable&#xa;    Content-Type: text/html&#xa;    X-Powered-By: Juice/1&#xa;    &lt;title&gt;Down: back soon&lt;/title&gt;&#xa;    key AKIAQ3EGTRBLX4WTPWXN&#xa;    Service Unavailable</elem>
<elem key="HTTPOptions">&#xa;    HTTP/1.0 501 Not Implemented&#xa;    implemented</elem></script>
</port></ports></host></nmaprun>
XML
import hosts "$W/answer.xml"
is "$(docs | jq -c '.services[0].http | {status_code, title, headers}')" \
	'{"status_code":503,"title":"Down: back soon","headers":["content-type: text/html","x-powered-by: Juice/1"]}' \
	"the status, the title and the headers of the answer to GET / are stored from fingerprint-strings"
like "$(docs | jq -r '.services[0].http.body' | tr '\n' '|')" \
	'^<title>Down: back soon</title>\|key .*\|Service Unavailable' "the body that nmap prints is stored"
docs | grep -q AKIAQ3EGTRBLX4WTPWXN
is $? 1 "a credential in the body that nmap prints is masked"

# The forms of masscan's output tell the same.
tail -n +4 $DATA/masscan-1.3.list.out >"$W/list"
tail -n +2 $DATA/masscan-1.3.xml.out >"$W/xml"
ok "the list and the XML of masscan give the same documents" cmp "$W/list" "$W/xml"
clear
import hosts --format masscan $DATA/masscan-1.3.xml
is "$OUT" "8 read, 2 new, 0 changed, 0 unchanged, 0 bad, 0 skipped" "--format masscan reads its XML, too"

# Two files in either order give the same documents.
clear
import hosts $DATA/tlsx-1.2.json
import hosts $DATA/naabu-2.3.json
import hosts $DATA/zgrab2-1.0.json
there=$(docs)
clear
import hosts $DATA/zgrab2-1.0.json
import hosts $DATA/naabu-2.3.json
import hosts $DATA/tlsx-1.2.json
is "$(docs)" "$there" "three scans in another order give the same documents (C-404)"
is "$(docs | jq -r 'select(.ip == "192.0.2.1") | .services[] | select(.port == 443) | [.http.status_code, .product, .tls.version, .last_seen] | join(" ")')" \
	"200 lighttpd TLSv1.3 2026-01-02T03:04:06.000000Z" "a service has the members that each of three tools found (C-888)"
is "$(docs | jq -r 'select(.ip == "192.0.2.1") | .services[] | select(.port == 22) | [.protocol, .product] | join(" ")')" "ssh OpenSSH" \
	"the services of two tools stand in one host"
echo '{"ip":"192.0.2.1","data":{"ssh":{"status":"success","protocol":"ssh","port":22,"result":{},"timestamp":"2026-02-01T00:00:00Z"}}}' >"$W/ssh"
import hosts --format zgrab2 "$W/ssh"
is "$OUT $(docs | jq -r 'select(.ip == "192.0.2.1") | .services[] | select(.port == 22) | .product')" \
	"1 read, 0 new, 1 changed, 0 unchanged, 0 bad, 0 skipped OpenSSH" "a tool that knows the protocol alone does not remove the product (C-888)"

# zmap without a header.
clear
import hosts --columns sport,saddr,classification,success $DATA/zmap-4.3-columns.csv --format zmap
is "$OUT $(docs | jq -c '[.ip, .services[0].port]' | paste -sd ' ')" \
	'2 read, 2 new, 0 changed, 0 unchanged, 0 bad, 0 skipped ["192.0.2.7",443] ["192.0.2.8",443]' "--columns names the columns of a file without a header"
import hosts --format zmap $DATA/zmap-4.3-columns.csv
is "$STATUS $ERR" "1 $DATA/zmap-4.3-columns.csv:1: the first line does not name the column saddr; name the columns with --columns" \
	"columns without names are refused"
for port in 0 65536 443/icmp x; do
	import hosts --format zmap --port "$port" $DATA/zmap-2.1.csv
	is "$STATUS $(printf '%s\n' "$ERR" | head -1)" "2 surfacectl: --port wants a port, such as 443 or 53/udp" "the port $port is refused"
done
import hosts --port 80 $DATA/naabu-2.3.json
is "$STATUS $(printf '%s\n' "$ERR" | head -1)" "2 surfacectl: --port belongs to --format zmap" "--port is refused for a tool that tells the port"

# ---- several datasets in one reading ----

counts() { sql "SELECT string_agg(dataset || ':' || n, ' ' ORDER BY dataset) FROM (SELECT dataset, count(*) AS n FROM record GROUP BY dataset) AS a"; }
clear
import hosts --also dns,certificates $DATA/httpx-1.7.json
is "$STATUS $OUT" "1 9 read, 4 new, 0 changed, 0 unchanged, 1 bad, 2 skipped
dns: 5 new, 0 changed, 0 unchanged
certificates: 1 new, 0 changed, 0 unchanged" "httpx feeds hosts, dns and certificates in one reading, each with its counts (C-905)"
is "$(counts)" "1:4 3:5 5:1" "the stored records of three datasets are as many as were counted"
is "$(sql "SELECT doc FROM record WHERE dataset = 3" | jq -r '[.host, .record_type, .answer] | join(" ")' | sort)" \
	"alias.example.org CNAME edge.example.net
only.example.org A 192.0.2.7
www.example.org A 192.0.2.1
www.example.org A 192.0.2.6
www.example.org AAAA 2001:db8::6" "addresses behind an alias are no addresses of the host"
before=$(rows)
import hosts --json --also certificates,dns,hosts $DATA/httpx-1.7.json
is "$(printf '%s\n' "$OUT" | jq -c '[.read, .new, .unchanged, .also]')" \
	'[9,0,4,{"dns":{"new":0,"changed":0,"unchanged":5},"certificates":{"new":0,"changed":0,"unchanged":1}}]' \
	"--json has the counts of each dataset, and the second import changes nothing (C-404)"
is "$(rows)" "$before" "the second import of three datasets writes no row (C-404)"
clear
import dns $DATA/httpx-1.7.json
is "$STATUS $OUT $(counts)" "1 9 read, 5 new, 0 changed, 0 unchanged, 1 bad, 3 skipped 3:5" "httpx feeds dns alone; lines without a name and an address are skipped"

clear
import certificates --also hosts $DATA/tlsx-1.2.json
is "$STATUS $OUT" "0 5 read, 4 new, 0 changed, 0 unchanged, 0 bad, 1 skipped
hosts: 3 new, 0 changed, 0 unchanged" "tlsx feeds certificates and hosts in one reading"
there=$(docs)
clear
import hosts --also certificates $DATA/tlsx-1.2.json
is "$OUT" "5 read, 3 new, 0 changed, 0 unchanged, 0 bad, 1 skipped
certificates: 4 new, 0 changed, 0 unchanged" "tlsx feeds hosts and certificates in one reading"
is "$(docs)" "$there" "the dataset of the command makes no difference to what is stored (C-905)"
clear
import certificates --also hosts $DATA/zgrab2-1.0.json
is "$OUT $(counts) $(sql "SELECT count(*) FROM record_blob")" "7 read, 2 new, 0 changed, 0 unchanged, 1 bad, 2 skipped
hosts: 3 new, 0 changed, 0 unchanged 1:3 5:2 2" "zgrab2 feeds certificates with their bytes, also of lines without an address"
clear
import dns --also hosts t/cli/data/dns/sonar-rdns-v2.json
is "$OUT $(counts)" "$(sed -n 1p t/cli/data/dns/sonar-rdns-v2.out | cut -d ' ' -f 2-)
hosts: 2 new, 0 changed, 0 unchanged 1:2 3:2" "RDNS feeds dns and the names of hosts"

import hosts --also dns --format nmap $DATA/masscan-1.3.xml
is "$STATUS $(printf '%s\n' "$ERR" | head -1)" "2 surfacectl: --also dns: nmap has no records of them" "--also is refused for a dataset that the format does not feed"
import hosts --also findings,x $DATA/httpx-1.7.json
is "$STATUS $(printf '%s\n' "$ERR" | head -1)" "2 surfacectl: --also: there is no dataset findings" "--also is refused for a dataset that is not imported"
import hosts --source mine $DATA/naabu-2.3.json
is "$STATUS $(printf '%s\n' "$ERR" | head -1)" "2 surfacectl: --source is of no use here: records of hosts have no source" "--source is refused where no record has a source"
clear
import hosts --source mine --also dns $DATA/httpx-1.7.json
is "$(sql "SELECT doc FROM record WHERE dataset = 3" | jq -c .source | sort -u)" '["mine"]' "--source names the source of DNS records that hosts bring along"

# A broken line costs itself, in any clothes.
for file in naabu-2.3.json httpx-1.7.json nuclei-3.4.json zgrab2-1.0.json; do
	clear
	import hosts $DATA/$file
	there=$(docs) counts=$OUT
	jq -s . $DATA/$file >"$W/indented"
	clear
	import hosts "$W/indented"
	is "$OUT" "$counts" "$file as one indented array has the counts of its lines"
	is "$(docs)" "$there" "$file as one indented array has the documents of its lines"
done
{ head -1 $DATA/naabu-2.3.json; echo '{"ip":"192.0.2.9","port":'; sed -n 3p $DATA/naabu-2.3.json; } >"$W/broken"
clear
import hosts "$W/broken"
is "$STATUS $OUT $ERR" "1 3 read, 2 new, 0 changed, 0 unchanged, 1 bad, 0 skipped $W/broken:2: no valid JSON: the record does not end" \
	"a broken line of naabu costs itself alone (C-404)"

# The product of a web server is known from its header, whichever tool has it, also without a version.
cat >"$W/server.xml" <<'XML'
<?xml version="1.0"?><nmaprun scanner="nmap" start="1767323045"><host starttime="1767323045" endtime="1767323046"><status state="up"/><address addr="198.51.100.40" addrtype="ipv4"/><ports>
<port protocol="tcp" portid="80"><state state="open"/><service name="http" method="table"/><script id="http-server-header" output="nginx"><elem>nginx</elem></script></port>
<port protocol="tcp" portid="81"><state state="open"/><service name="http" method="table"/><script id="http-headers" output="&#xa;  Server: Apache (Debian)&#xa;"/></port>
<port protocol="tcp" portid="82"><state state="open"/><service name="http" product="Apache httpd" version="2.4.57" method="probed"/><script id="http-server-header" output="nginx"><elem>nginx</elem></script></port>
<port protocol="tcp" portid="83"><state state="open"/><service name="http" method="table"/><script id="http-server-header" output="secret sauce"><elem>secret sauce</elem></script></port>
</ports></host></nmaprun>
XML
cat >"$W/server.json" <<'JSON'
[{"ip":"198.51.100.41","timestamp":"1767323045","ports":[{"port":80,"proto":"tcp","service":{"name":"http","banner":"HTTP/1.1 200 OK\r\nServer: cloudflare\r\n\r\n"}}]},
{"ip":"198.51.100.42","timestamp":"1767323045","ports":[{"port":80,"proto":"tcp","service":{"name":"http.server","banner":"Microsoft-IIS/10.0"}}]}]
JSON
cat >"$W/server.zgrab2" <<'JSON'
{"ip":"198.51.100.43","data":{"http":{"status":"success","protocol":"http","result":{"response":{"status_code":200,"headers":{"server":["openresty"]},"request":{"url":{"path":"/"}}}},"timestamp":"2026-01-02T03:04:05Z"}}}
{"ip":"198.51.100.44","data":{"http":{"status":"unknown-error","protocol":"http","result":{"response":{"request":{"tls_log":{"handshake_log":{"server_hello":{"version":{"name":"TLSv1.2"}}}}}}},"timestamp":"2026-01-02T03:04:05Z"}}}
JSON
cat >"$W/server.httpx" <<'JSON'
{"timestamp":"2026-01-02T03:04:05Z","port":"80","url":"http://198.51.100.45","input":"198.51.100.45","host":"198.51.100.45","path":"/","tech":["jQuery:3.6.0","IIS:10.0"],"status_code":200,"failed":false}
JSON
clear
import hosts "$W/server.xml"
import hosts "$W/server.json"
import hosts "$W/server.zgrab2"
import hosts "$W/server.httpx"
is "$(docs | jq -r '.ip as $ip | .services[] | [$ip, .port, .product // "-", .version // "-", .protocol // "-"] | join(" ")' | sort)" "198.51.100.40 80 nginx - http
198.51.100.40 81 Apache - http
198.51.100.40 82 Apache httpd 2.4.57 http
198.51.100.40 83 - - http
198.51.100.41 80 cloudflare - http
198.51.100.42 80 Microsoft-IIS 10.0 -
198.51.100.43 80 openresty - http
198.51.100.44 80 - - -
198.51.100.45 80 Microsoft-IIS 10.0 http" "each importer knows the product of a server that hides its version, and keeps the one that its tool has found"
