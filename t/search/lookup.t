#!/bin/sh
# SPDX-License-Identifier: ISC
# Look-ups of one record by its key, right after the import, without any index (C-411), and projections (C-414).
. t/lib.sh
pg_start
api_start
web_start

# records DATASET [FORMAT]: imports standard input.
records()
{
	cat >"$W/in"
	ctl import "$1" ${2:+--format "$2"} "$W/in" >"$W/out" 2>"$W/err" || diag "$(cat "$W/err")"
}

records hosts <<'END'
{"ip":"192.0.2.1","country_code":"GB","asn":64500,"services":[{"port":443,"transport":"tcp","http":{"title":"Welcome"}},{"port":53,"transport":"udp"}],"last_seen":"2026-01-02T00:00:00Z"}
{"ip":"2001:db8::1","country_code":"FR"}
END
records dns <<'END'
{"host":"www.example.org","record_type":"A","answer":"192.0.2.1","ttl":60,"first_seen":"2026-01-01T00:00:00Z","last_seen":"2026-01-02T00:00:00Z"}
{"host":"www.example.org","record_type":"A","answer":"192.0.2.2","first_seen":"2026-02-01T00:00:00Z","last_seen":"2026-02-02T00:00:00Z"}
{"host":"www.example.org","record_type":"AAAA","answer":"2001:db8::1","last_seen":"2026-01-02T00:00:00Z"}
{"host":"a.www.example.org","record_type":"A","answer":"192.0.2.9"}
{"host":"*.example.org","record_type":"A","answer":"192.0.2.9"}
END
records whois <<'END'
{"domain":"example.org","whois":{"registrar":"Example Registrar","status":["clientTransferProhibited"]},"last_seen":"2026-01-02T00:00:00Z"}
END
openssl req -x509 -newkey rsa:2048 -nodes -keyout "$W/key" -out "$W/cert" -days 30 -subj /CN=www.example.org \
	-addext subjectAltName=DNS:www.example.org,DNS:example.org 2>/dev/null
records certificates pem <"$W/cert"
print=$(openssl x509 -in "$W/cert" -noout -fingerprint -sha256 | sed 's/.*=//')
sum=$(printf '%s' "$print" | tr -d : | tr '[:upper:]' '[:lower:]')

api GET /search/hosts/192.0.2.1
is "$STATUS $(printf '%s' "$BODY" | jq -c '.host | keys_unsorted[:3]')" '200 ["ip","ip_version","asn"]' \
	"a host is looked up by its address, with its members in the order of the table (C-411, C-414)"
unlike "$BODY" '": |, "' "the answer has no white space between members (C-414)"
api GET /search/hosts/::ffff:192.0.2.1
is "$STATUS $(field .host.ip)" "200 192.0.2.1" "another spelling of the address is the same host (C-411)"
api GET /search/hosts/2001:DB8:0::1
is "$STATUS $(field .host.country_code)" "200 FR" "a host is looked up by an IPv6 address (C-411)"
api GET /search/hosts/192.0.2.9
is "$STATUS $(field .error.code)" "404 not_found" "an address without a host is not found (C-411)"
for bad in 192.0.2 example.org 1; do
	api GET "/search/hosts/$bad"
	is "$STATUS $(field .error.code)" "400 invalid_search_parameter" "$bad is no address of a host (C-411)"
done
api GET /search/hosts/192.0.2.0%2F24
is "$STATUS $(field .error.code) $(field .error.message)" \
	"400 invalid_search_parameter ip: must be one IP address; the hosts of a network are found by /search/hosts?q=NETWORK." \
	"a network is no address of a host, and the message says how it is searched for (C-411)"
api GET /search/hosts%2F192.0.2.1
is "$STATUS $(field .error.code)" "404 not_found" "an encoded slash does not divide a path (C-001)"
api GET /search/hosts/example.org
is "$STATUS $(field .error.code)" "400 invalid_search_parameter" "a name is an invalid address (C-411)"
like "$(field .error.message)" '^ip: must be an IP address' "the message names the parameter of the path"

api GET '/search/hosts/192.0.2.1?fields=ip,services.http'
is "$STATUS $BODY" '200 {"host":{"ip":"192.0.2.1","services":[{"http":{"title":"Welcome"}}]}}' \
	"fields selects members and the objects below them (C-414)"
api GET '/search/hosts/192.0.2.1?fields=ip,colour'
is "$STATUS $(field .error.code)" "400 invalid_search_parameter" "an unknown name of fields is refused (C-414)"
like "$(field .error.message)" '"colour"' "the refusal names the unknown field (C-414)"
api GET "/search/hosts/192.0.2.1?fields=$(printf '<b>%%' | jq -sRr @uri)"
unlike "$(field .error.message)" '<' "the refusal repeats no markup of the client (C-062)"
api GET "/search/hosts/192.0.2.1?fields=$(seq 64 | sed 's/.*/ip/' | paste -sd,)"
is "$STATUS $BODY" '200 {"host":{"ip":"192.0.2.1"}}' "64 names of fields are accepted (C-414)"
api GET "/search/hosts/192.0.2.1?fields=$(seq 65 | sed 's/.*/ip/' | paste -sd,)"
is "$STATUS $(field .error.code)" "400 invalid_search_parameter" "65 names of fields are refused (C-414)"

api GET /search/hosts/192.0.2.1/services/443/tcp
is "$STATUS $(printf '%s' "$BODY" | jq -c '[.service.ip, .service.port, .service.http.title, .service.host]')" \
	'200 ["192.0.2.1",443,"Welcome",{"asn":64500,"country_code":"GB"}]' "a service is looked up with the place of its host (C-411)"
api GET /search/hosts/192.0.2.1/services/443/udp
is "$STATUS $(field .error.code)" "404 not_found" "a service that the host does not have is not found (C-411)"
for bad in 0/tcp 65536/tcp 443/quic x/tcp; do
	api GET "/search/hosts/192.0.2.1/services/$bad"
	is "$STATUS $(field .error.code)" "400 invalid_search_parameter" "$bad names no service (C-411)"
done

api GET /search/dns/WWW.Example.org
is "$STATUS $(field .name) $(field '.records|length') $(field '[.records[].record_type]|join(" ")')" "200 www.example.org 3 A A AAAA" \
	"the records of a name are those of the name itself, by type (C-411)"
api GET '/search/dns/www.example.org?type=aaaa'
is "$STATUS $(field '[.records[].answer]|join(" ")')" "200 2001:db8::1" "type selects the records of one type (C-411)"
api GET '/search/dns/www.example.org?until=2026-01-15T00:00:00Z&type=A'
is "$STATUS $(field '[.records[].answer]|join(" ")')" "200 192.0.2.1" "the parameter until leaves out a record that was first seen later (C-881)"
api GET '/search/dns/www.example.org?since=2026-01-15T00:00:00Z'
is "$STATUS $(field '[.records[].answer]|join(" ")')" "200 192.0.2.2" "the parameter since leaves out a record that was last seen earlier (C-881)"
api GET '/search/dns/*.example.org'
is "$STATUS $(field '.records[0].wildcard')" "200 true" "a wildcard is a name, too (C-411)"
seen='' more='' pages=0
while [ "$pages" -lt 5 ]; do
	api GET "/search/dns/www.example.org?limit=1&fields=answer$more"
	seen="$seen $(field '.records[].answer')" pages=$((pages + 1))
	[ "$(field .has_more)" = true ] || break
	more="&cursor=$(field .next_cursor)"
done
is "$pages $(printf '%s\n' $seen | sort -u | wc -l) $(field .next_cursor)" "3 3 null" "the pages of a name have each record once"
api GET "/search/dns/a.www.example.org?limit=1$more"
is "$STATUS $(field .error.code)" "400 invalid_search_cursor" "a cursor of another name is refused"
api GET /search/dns/none.example.org
is "$STATUS $(field .error.code)" "404 not_found" "a name without records is not found (C-411)"
for bad in org com. a 'a..b.org' 'www.example.org?type=nosuch' 'www.example.org?since=yesterday'; do
	api GET "/search/dns/$bad"
	is "$STATUS $(field .error.code)" "400 invalid_search_parameter" "$bad is an invalid look-up of DNS records (C-411)"
	[ "$bad" != org ] || is "$(field .error.message)" "name: must be a DNS name with a dot." "the refusal of a single label says what a name is"
done

api GET /search/whois/Example.org
is "$STATUS $(field .whois_domain.domain) $(field .whois_domain.whois.registrar)" "200 example.org Example Registrar" \
	"the registration of a domain is looked up (C-411)"
api GET /search/whois/a.b.example.org
is "$STATUS $(field .whois_domain.domain)" "200 example.org" "a subdomain is answered with its registered domain (C-411)"
api GET /search/whois/example.net
is "$STATUS $(field .error.code)" "404 not_found" "a domain without a registration is not found (C-411)"
api GET /search/whois/192.0.2.1%20
is "$STATUS $(field .error.code)" "400 invalid_search_parameter" "a text with a blank is no domain (C-411)"

api GET "/search/certificates/$sum"
is "$STATUS $(field .certificate.fingerprint_sha256)" "200 $sum" "a certificate is looked up by its fingerprint (C-411)"
api GET "/search/certificates/$print"
is "$STATUS $(field .certificate.subject.common_name)" "200 www.example.org" \
	"a fingerprint with colons and upper-case digits is the same certificate (C-411)"
openssl x509 -in "$W/cert" -outform der -out "$W/der"
api GET "/search/certificates/$sum" -H 'Accept: application/pkix-cert'
is "$STATUS $(header content-type) $(cmp "$W/der" "$W/body" && echo same)" "200 application/pkix-cert same" \
	"Accept: application/pkix-cert gives the DER that was imported (C-411)"
api GET "/search/certificates/$sum" -H 'Accept: text/html, application/x-pem-file;q=0.9'
is "$STATUS $(header content-type) $(cmp "$W/cert" "$W/body" && echo same)" "200 application/x-pem-file same" \
	"Accept: application/x-pem-file gives the PEM (C-411)"
# The JSON is answered while nobody may read the table of DER.
mkfifo "$W/locked"
{
	echo 'BEGIN; LOCK TABLE record_blob IN ACCESS EXCLUSIVE MODE;'
	echo "SELECT 'locked';"
	cat "$W/locked"
} | psql -X -q -A -t >"$W/lock" 2>"$W/err" &
locker=$!
world_until 60 grep -q locked "$W/lock"
api GET "/search/certificates/$sum"
is "$STATUS $(field .certificate.fingerprint_sha256)" "200 $sum" "the look-up of a certificate as JSON does not read its DER"
: >"$W/locked"
wait "$locker"
api GET "/search/certificates/$(printf '%064d' 0)"
is "$STATUS $(field .error.code)" "404 not_found" "a fingerprint without a certificate is not found (C-411)"
api GET "/search/certificates/$(printf '%063d' 0)"
is "$STATUS $(field .error.code)" "400 invalid_search_parameter" "63 digits are no fingerprint (C-411)"

# 2,500 records of one name, of which the last one alone was seen in this year. Their keys are those of src/record/key.c.
sql "INSERT INTO record (dataset, key, doc) SELECT 3, '\\x6f7267016578616d706c65016d616e79010000100000'::bytea || decode(lpad(to_hex(i), 32, '0'), 'hex'),
	'{\"host\":\"many.example.org\",\"record_type\":\"TXT\",\"answer\":\"' || i || '\",\"first_seen\":\"2025-01-01T00:00:00.000000Z\",\"last_seen\":\"'
	|| CASE WHEN i = 2500 THEN 2026 ELSE 2025 END || '-01-01T00:00:00.000000Z\"}' FROM generate_series(1, 2500) AS i" >/dev/null
api GET '/search/dns/many.example.org?since=2026-01-01T00:00:00Z'
is "$STATUS $(field '.records|length') $(field .has_more)" "200 0 true" "a page with since looks at a bounded number of records"
api GET "/search/dns/many.example.org?since=2026-01-01T00:00:00Z&cursor=$(field .next_cursor)"
is "$STATUS $(field '[.records[].answer]|join(" ")') $(field .has_more) $(field .next_cursor)" "200 2500 false null" \
	"the next page goes on behind the last record that was looked at"
seen='' more='' pages=0
while [ $((pages += 1)) -le 9 ]; do
	api GET "/search/dns/many.example.org?until=2025-06-01T00:00:00Z&limit=999&fields=answer$more"
	seen="$seen $(field '[.records[].answer]|join(" ")')"
	[ "$(field .has_more)" = true ] || break
	more="&cursor=$(field .next_cursor)"
done
# shellcheck disable=SC2086 # a list
is "$(printf '%s\n' $seen)" "$(seq 2500)" "the pages of a name with many records in the range have each record once"

# ---- many at once ----

api POST /search/dns/bulk '{"names":["WWW.example.org","none.example.org","*.example.org"],"limit_per_name":2}'
is "$STATUS $(printf '%s' "$BODY" | jq -c '[.results[]|[.name,.found,(.records|length),.records_has_more]]')" \
	'200 [["www.example.org",true,2,true],["none.example.org",false,0,false],["*.example.org",true,1,false]]' \
	"a bulk look-up answers the first records of each name, in the order of the request (C-716)"
api POST '/search/dns/bulk?fields=answer' '{"names":["a.www.example.org"]}'
is "$STATUS $BODY" '200 {"results":[{"name":"a.www.example.org","found":true,"records":[{"answer":"192.0.2.9"}],"records_has_more":false}]}' \
	"fields selects the members of a bulk answer (C-414)"
api POST '/search/whois/bulk?fields=nothing' '{"domains":["example.org"]}'
is "$STATUS $(field .error.code)" "400 invalid_search_parameter" "a bulk look-up names an unknown field (C-414)"
api POST /search/whois/bulk '{"domains":["example.org","org"]}'
is "$STATUS $(field .error.code)" "400 invalid_request" "a name without a dot is refused in a bulk look-up, too"
api POST /search/whois/bulk '{"domains":["a.example.org","example.net","example.org"]}'
is "$STATUS $(printf '%s' "$BODY" | jq -c '[.results[]|[.domain,.found,.whois_domain.domain]]')" \
	'200 [["a.example.org",true,"example.org"],["example.net",false,null],["example.org",true,"example.org"]]' \
	"a bulk look-up of domains answers a name with its registered domain (C-880)"
api POST /search/certificates/bulk "{\"fingerprints\":[\"$(printf '%064d' 0)\",\"$print\"]}"
is "$STATUS $(printf '%s' "$BODY" | jq -c '[.results[]|[.found,.certificate.subject.common_name]]')" \
	'200 [[false,null],[true,"www.example.org"]]' "a bulk look-up of fingerprints answers certificates"
api POST '/search/hosts/bulk?fields=ip,services.port' '{"ips":["192.0.2.1"],"limit_per_ip":1}'
is "$STATUS $(printf '%s' "$BODY" | jq -c '.results[0].host')" '200 {"ip":"192.0.2.1","services":[{"port":53}]}' \
	"fields selects the members of a bulk answer of hosts (C-414)"
for body in '{"names":[]}' '{"names":["a.org","A.org."]}' '{"names":["a..org"]}' '{"names":["a.org"],"limit_per_name":101}' '{}' \
	"{\"names\":$(seq 101 | jq -sc 'map("n\(.).org")')}"; do
	api POST /search/dns/bulk "$body"
	is "$STATUS $(field .error.code)" "400 invalid_request" "a bulk look-up refuses $(printf '%.40s' "$body") (C-716)"
done

key=$(key_new --scope search.aggregate)
api GET /search/hosts/192.0.2.1
is "$STATUS $(field .error.code)" "403 permission_denied" "a look-up needs the scope search.view (C-008)"
