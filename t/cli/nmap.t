#!/bin/sh
# SPDX-License-Identifier: ISC
# Real input: servers are started here, scanned by nmap, imported and aggregated.
. t/lib.sh
command -v nmap >/dev/null || skip_all "nmap is not installed"
whole=
if [ -x "$BUILD/surfaced" ] && [ -x "$BUILD/surfaced-index" ]; then
	whole=1
	world_start
else
	db_start
fi
host_rows
mkdir "$W/scan"
if ! t/helper/scan "$W/scan" >"$W/scan.out" 2>&1; then
	diag "$(cat "$W/scan.out")"
	fail "t/helper/scan runs nmap over the test servers"
	exit 1
fi
NET='' A='' B='' C='' SIX='' HTTP='' HTTPS='' SSH='' FTP='' TLS=''
# shellcheck disable=SC1091 # written by t/helper/scan
. "$W/scan/scan.env"
diag "network: $NET"

# service ADDRESS PORT MEMBERS: prints the value from the stored document.
service()
{
	sql "SELECT s #>> '{$3}' FROM host, jsonb_array_elements(doc->'services') AS s
		WHERE ip = '$1' AND (s->>'port')::int = $2"
}

import --json "$W/scan/scan.xml"
is "$STATUS$ERR" 0 "an import of nmap's XML succeeds"
is "$OUT" '{"read":3,"new":3,"changed":0,"unchanged":0,"bad":0,"skipped":0,"new_tags":0}' \
	"the import has every host that answered"
is "$(service "$A" "$HTTP" product)/$(service "$A" "$HTTP" protocol)" nginx/http \
	"nginx is stored with product and protocol"
is "$(service "$A" "$HTTP" http,title)" "Customer login &amp; more" "the title of the page is stored"
like "$(service "$A" "$HTTP" http,server)" '^nginx/' "the server header of nginx is stored"
like "$(service "$A" "$HTTP" http,headers)" '"server: nginx' "headers that nmap prints are stored"
is "$(service "$A" "$HTTPS" protocol)/$(service "$A" "$HTTPS" tls_enabled)" https/true \
	"a service with TLS has protocol https"
is "$(service "$A" "$HTTPS" tls,certificate,fingerprint_sha256)" \
	"$(openssl x509 -in "$W/scan/a.crt" -outform DER | sha256sum | cut -c1-64)" \
	"the service with TLS has the fingerprint of its certificate"
is "$(service "$A" "$HTTPS" tls,certificate,names)" '["example.co.uk", "www.example.co.uk"]' \
	"the names of the certificate are stored"
is "$(service "$A" "$HTTPS" tls,certificate,self_signed)" true \
	"a self-signed certificate is marked as self-signed"
is "$(date -u -d "$(service "$A" "$HTTPS" tls,certificate,not_after)" +%s)" \
	"$(date -u -d "$(openssl x509 -in "$W/scan/a.crt" -noout -enddate | cut -d= -f2)" +%s)" \
	"the end of the certificate is stored"
is "$(service "$B" "$TLS" tls,certificate,subject_cn)" b.example.org \
	"openssl s_server is stored with its certificate"
is "$(service "$C" "$SSH" product)/$(service "$C" "$SSH" vendor)" OpenSSH/openbsd \
	"the greeting identifies the product OpenSSH and its vendor"
is "$(service "$C" "$SSH" banner)" "SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3" \
	"the greeting of OpenSSH is stored as the banner"
is "$(service "$C" "$FTP" version)" 3.0.3 "the version of the FTP server is stored"
is "$(sql "SELECT doc->>'os' FROM host WHERE ip = '$C'")" Linux \
	"the operating system is derived from a service"
is "$(sql "SELECT count(*) FROM host, jsonb_array_elements(doc->'services')")" 6 \
	"only the six open ports are stored"
is "$(sql "SELECT bool_and(doc->>'last_seen' > doc->>'first_seen') FROM host")" t \
	"first_seen and last_seen are the start and the end of the scan"

if [ -n "$SIX" ]; then
	import "$W/scan/scan6.xml"
	is "$OUT" "1 read, 1 new, 0 changed, 0 unchanged, 0 bad, 0 skipped" "an import of an IPv6 scan succeeds"
fi
# aggregated QUERY FIELD: prints "value=count ..." from the API.
aggregated()
{
	api POST /search/hosts/aggregate \
		"{\"query\":\"$1\",\"aggregations\":[{\"field\":\"$2\"}]}"
	field '[.groups[0].buckets[] | "\(.value)=\(.count)"] | sort | join(" ")'
}

is_searchable()
{
	case $(aggregated "services.product:vsftpd" services.product) in
	*=*) true ;;
	*) false ;;
	esac
}

if [ -n "$whole" ]; then
	world_until 20 is_searchable || diag "the scan did not become searchable"
	is "$(aggregated "ip:$A OR ip:$B OR ip:$C" services.port)" \
		"$(printf '%s=1\n' "$HTTP" "$HTTPS" "$SSH" "$SMTP" "$FTP" "$TLS" | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')" \
		"the API counts the ports of the scan"
	is "$(aggregated "services.tls_enabled:true" services.tls.certificate.subject_cn)" \
		"b.example.org=1 example.co.uk=1" "the API counts the certificates of the scan"
else
	skip "no index in this build: nothing is aggregated"
fi

import "$W/scan/scan.xml"
is "$OUT" "3 read, 0 new, 0 changed, 3 unchanged, 0 bad, 0 skipped" "importing the same scan again changes nothing"

head -c "$(($(wc -c <"$W/scan/scan.xml") - 400))" "$W/scan/scan.xml" >"$W/cut.xml"
import "$W/cut.xml"
like "$STATUS $OUT $ERR" '^1 .* 1 bad, .*cut.xml:[0-9]+: .*the rest of the file is not read' \
	"a truncated scan is reported with the line of its end"
