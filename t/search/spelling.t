#!/bin/sh
# SPDX-License-Identifier: ISC
# One value in several spellings: queries and look-ups take each spelling that people and tools use.
. t/lib.sh
world_start

sum=c6ef0123456789abcdef0123456789abcdef0123456789abcdef0123456789ab
colons=$(printf %s "$sum" | tr '[:lower:]' '[:upper:]' | sed 's/../&:/g; s/:$//')
ctl import hosts --quiet - <<JSON || exit 1
{"ip":"192.0.2.1","hostnames":["www.xn--mnchen-3ya.de"],"services":[{"port":443,"transport":"tcp",
	"http":{"body_hash":"AB:CD:EF"},"tls":{"certificate":{"fingerprint_sha256":"$colons"}}}]}
{"ip":"192.0.2.2","hostnames":["www.Köln.de"],"services":[{"port":443,"transport":"tcp"}]}
JSON
ctl import dns --format ndjson --quiet - <<'JSON' || exit 1
{"host":"_dmarc.xn--mnchen-3ya.de","record_type":"TXT","answer":"\"v=DMARC1\""}
{"host":"www.xn--mnchen-3ya.de","record_type":"A","answer":"192.0.2.1"}
{"host":"m\\195\\188nchen.de","record_type":"A","rcode":"NXDOMAIN"}
{"host":"www.Bücher.example.","record_type":"CNAME","answer":"Köln.de."}
JSON
ctl import whois --format ndjson --quiet - <<'JSON' || exit 1
{"domain":"xn--mnchen-3ya.de","whois":{"registrar":"Example Registrar"}}
{"domain":"Köln.de","whois":{"registrar":"Example Registrar"}}
JSON
ctl import certificates --format ndjson --quiet - <<JSON || exit 1
{"fingerprint_sha256":"$sum","serial_number":"0A1B","spki_sha256":"$sum","not_before":"2026-01-01T00:00:00Z","names":["xn--mnchen-3ya.de"]}
JSON
hosts_wait 2
# counted DATASET N
counted()
{
	api GET "/search/$1/count"
	[ "$(field .count)" = "$2" ]
}
for set in dns:4 whois:2 certificates:1; do
	ok "each record of ${set%:*} becomes searchable" world_until 60 counted "${set%:*}" "${set#*:}"
done

encoded()
{
	printf %s "$1" | jq -sRr @uri
}

# ---- queries ----

while IFS='|' read -r dataset query total; do
	api GET "/search/$dataset?q=$(encoded "$query")"
	is "$STATUS $(field .total.value)" "200 $total" "$query finds $total of $dataset"
done <<JSON
dns|host:münchen.de|2
dns|host:MÜNCHEN.DE.|2
dns|host:"münchen.de"|2
dns|host=www.münchen.de|1
dns|host:_dmarc.münchen.de|1
dns|host:*.münchen.de|2
dns|host:www.münchen.*|1
dns|host:m\\\\195\\\\188nchen.de|1
dns|apex_domain:münchen.de|2
dns|host:{münchen.de,köln.de}|2
dns|host:bücher.example|1
dns|host:xn--bcher-kva.example|1
dns|answer_name:köln.de|1
dns|answer:xn--kln-sna.de|1
hosts|hostnames:münchen.de|1
hosts|hostnames:köln.de|1
hosts|hostnames:xn--kln-sna.de|1
hosts|hostname=www.köln.de|1
services|hostname:köln.de|1
whois|domain:münchen.de|1
whois|domain:köln.de|1
certificates|names:münchen.de|1
certificates|fingerprint_sha256:$colons|1
certificates|fingerprint_sha256:"$colons"|1
certificates|fingerprint_sha256=$colons|1
certificates|fingerprint_sha256:c6ef*|1
certificates|fingerprint_sha256:$(echo "$colons" | cut -c1-20)*|1
certificates|spki_sha256:{$colons}|1
certificates|serial_number:A1:*|1
hosts|services.tls.certificate.fingerprint_sha256:$colons|1
hosts|services.tls.certificate.fingerprint_sha256=$colons|1
hosts|services:(tls.certificate.fingerprint_sha256:"$colons")|1
hosts|services.tls.certificate.fingerprint_sha256:$(echo "$colons" | cut -c1-20)*|1
services|tls.certificate.fingerprint_sha256:$colons|1
services|tls.certificate.fingerprint_sha256=$colons|1
services|tls.certificate.fingerprint_sha256:*$(echo "$colons" | cut -c60-)|1
services|http.body_hash:AB:CD:EF|1
services|http.body_hash=ABCDEF|1
services|http.body_hash=sha1:AbC|0
certificates|serial_number:0a:1b|1
certificates|serial_number:"00:0A:1B"|1
certificates|serial_number=a1b|1
dns|record_type:txt|1
dns|record_type:TYPE16|1
dns|rcode=3|1
JSON

while IFS='|' read -r dataset query message; do
	api GET "/search/$dataset?q=$(encoded "$query")"
	is "$STATUS $(field .error.message)" "400 Character $message" "the refusal of $query says what to write"
done <<'END'
dns|host:a⸮.de|6 of the query: host takes a DNS name, not "a⸮.de"
hosts|hostnames:a⸮.de|11 of the query: hostnames takes a DNS name, not "a⸮.de"
dns|host:mün*.de|6 of the query: a label with * or ? has letters of ASCII alone; write the whole name, or *. before it
END

# ---- warnings ----

while IFS='|' read -r dataset query warning; do
	api GET "/search/$dataset?q=$(encoded "$query")"
	is "$STATUS $(field .total.value) $(field '.warnings[0].message')" "200 0 $warning" \
		"C-418: $query finds nothing and is warned of"
done <<'END'
hosts|port:99999|services.port has numbers from 1 to 65535 and never "99999"
hosts|port:0|services.port has numbers from 1 to 65535 and never "0"
services|port:{70000}|port has numbers from 1 to 65535 and never "70000"
dns|record_type:FOO|record_type never has "FOO", which is no type of DNS records such as AAAA or TYPE65
dns|rcode:FOO|rcode never has "FOO", which is no DNS response code such as NOERROR or NXDOMAIN
certificates|fingerprint_sha256:c6ef|fingerprint_sha256 never has "c6ef", which is no SHA-256: 64 hexadecimal digits
dns|tld:.com|tld has no dot and never ".com"; write tld:com
dns|tld=.de|tld has no dot and never ".de"; write tld:de
whois|tld:{.de}|tld has no dot and never ".de"; write tld:de
certificates|serial_number:xyz|serial_number never has "xyz", which is no serial number in hexadecimal
END

long=$(printf '%61s' '' | sed 's/ /😀/g')
api GET "/search/reports/validate?q=$(encoded "indicator_types:$long")"
is "$(field '.warnings[0].message|endswith("'" and never \\\"$long\\\""'")')" true "a warning has the whole of a long value (C-418)"

# ---- look-ups ----

name=$(encoded www.münchen.de)
api GET "/search/dns/$name"
is "$STATUS $(field .name) $(field '.records|length')" "200 www.xn--mnchen-3ya.de 1" \
	"a look-up takes a name with letters beyond ASCII (C-411)"
for at in "whois/$name" "whois/$(encoded Köln.de)"; do
	api GET "/search/$at"
	is "$STATUS $(field .whois_domain.whois.registrar)" "200 Example Registrar" "a look-up takes the domain of /search/$at (C-411)"
done
for at in dns whois; do
	api GET "/search/$at/$(encoded a⸮.de)"
	is "$STATUS $(field .error.code)" "400 invalid_search_parameter" "a look-up of $at refuses a name that IDNA does not know"
done
api POST /search/dns/bulk '{"names":["www.münchen.de"]}'
is "$STATUS $(field '.results[0].name')" "200 www.xn--mnchen-3ya.de" "a bulk look-up takes a name with letters beyond ASCII"
api POST /search/dns/bulk '{"names":["ü\u0000x.de"]}'
is "$STATUS $(field .error.code)" "400 invalid_request" "a name with U+0000 is not cut there"
api POST /search/whois/bulk '{"domains":["münchen.de","xn--mnchen-3ya.de"]}'
is "$STATUS $(field .error.message)" "400 domains[1]: is repeated." "two spellings of one domain are a repetition"
