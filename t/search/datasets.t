#!/bin/sh
# SPDX-License-Identifier: ISC
# Every searchable dataset, from its import to the answers over nginx (C-401, C-414, C-415, C-418).
. t/lib.sh
world_start

# records DATASET FORMAT: imports standard input.
records()
{
	cat >"$W/in"
	ctl import "$1" --format "$2" "$W/in" >"$W/out" 2>"$W/err" || diag "$(cat "$W/err")"
}

# 240 records of 60 names, with NXDOMAIN and names of many depths; 40 domains; 30 certificates in one file.
awk 'BEGIN {
	for (i = 1; i <= 60; i++) {
		n = (i % 3 ? "www." : "a.b.") "d" i % 20 ".example" (i % 2 ? ".org" : ".net")
		printf "{\"host\":\"%s\",\"record_type\":\"A\",\"answer\":\"192.0.2.%d\",\"ttl\":%d,\"source\":[\"s%d\"]}\n", n, i, i * 10, i % 4
		printf "{\"host\":\"%s\",\"record_type\":\"AAAA\",\"answer\":\"2001:db8::%x\"}\n", n, i
		printf "{\"host\":\"%s\",\"record_type\":\"MX\",\"answer\":\"10 mail.d%d.example.com\"}\n", n, i
		printf "{\"host\":\"none%d.example.org\",\"record_type\":\"A\",\"rcode\":\"NXDOMAIN\"}\n", i
	}
}' | records dns ndjson
awk 'BEGIN { for (i = 1; i <= 40; i++)
	printf "{\"domain\":\"d%d.example%s\",\"whois\":{\"registrar\":\"Registrar %d\",\"status\":[\"clientTransferProhibited\"%s],\"dnssec\":%s}}\n", \
		i, i % 2 ? ".org" : ".net", i % 5, i % 4 ? "" : ",\"clientHold\"", i % 3 ? "false" : "true" }' | records whois ndjson
awk 'BEGIN { for (i = 1; i <= 30; i++)
	printf "{\"fingerprint_sha256\":\"%064x\",\"not_before\":\"2026-01-%02dT00:00:00Z\",\"not_after\":\"20%d-03-01T00:00:00Z\",\"names\":[\"www.d%d.example.org\"],\"issuer\":{\"organisation\":\"CA %d\"},\"spki_sha256\":\"%064x\",\"self_signed\":%s}\n", \
		i, i, i % 2 ? 25 : 99, i, i % 3, i, i % 5 ? "false" : "true" }' | records certificates ndjson
records hosts ndjson <<'END'
{"ip":"192.0.2.7","country_code":"GB","hostnames":["www.d7.example.org"],"services":[{"port":443,"transport":"tcp","product":"nginx"},{"port":53,"transport":"udp"},{"port":8443,"transport":"tcp","product":"nginx"}]}
{"ip":"192.0.2.8","country_code":"FR","services":[{"port":443,"transport":"tcp"}]}
END
# Twelve directories of three hosts; each third one has a large script, beside a large text and a small script.
awk 'BEGIN { for (i = 1; i <= 12; i++)
	printf "{\"host\":\"files%d.example.org\",\"port\":%d,\"title\":\"Index of /pub\",\"files\":[{\"name\":\"bin/run%d.ps1\",\"size\":%d},{\"name\":\"notes.txt\",\"size\":5000},{\"name\":\"a.ps1\",\"size\":10}]}\n", \
		i % 3, 8000 + i, i, i % 3 ? 20 : 2000 }' | records open-directories ndjson
records open-directories ndjson <<'END'
{"ip":"192.0.2.7","port":8080,"path":"/x/","last_seen":"2026-02-01T00:00:00Z","files":[{"name":"only.iso","size":700000000}]}
END

# counted DATASET N
counted()
{
	api GET "/search/$1/count"
	[ "$(field .count)" = "$2" ]
}
for set in dns:240 whois:40 certificates:30 hosts:2 services:4; do
	ok "each record of ${set%:*} becomes searchable (C-401)" world_until 60 counted "${set%:*}" "${set#*:}"
done
# found DATASET N: the same for a dataset without a count
found()
{
	api GET "/search/$1"
	[ "$(field .total.value)" = "$2" ]
}
ok "each open directory becomes searchable (C-401)" world_until 60 found open-directories 13

# ---- search, pages ----

# pages DATASET QUERY KEY: reads all pages of 7; sets SEEN, the keys of the records in their order, and TOTAL.
pages()
{
	SEEN='' _more='' _n=0
	while [ $((_n += 1)) -le 60 ]; do
		api GET "/search/$1?limit=7&q=$2$_more"
		TOTAL=$(field .total.value)
		[ "$STATUS" = 200 ] || break
		SEEN="$SEEN$(field ".$(printf %s "$1" | tr - _)[]|$3")
"
		[ "$(field .has_more)" = true ] || break
		_more="&cursor=$(field .next_cursor)"
	done
}
number() { printf '%s' "$1" | wc -l; }
unique() { printf '%s' "$1" | sort -u | wc -l; }

pages dns '' '"\(.host) \(.record_type) \(.rcode) \(.answer)"'
is "$STATUS $TOTAL $(number "$SEEN") $(unique "$SEEN")" "200 240 240 240" "the pages of DNS records have each record once (C-401)"
is "$SEEN" "$(sql "SELECT doc::json->>'host' || ' ' || (doc::json->>'record_type') || ' ' || (doc::json->>'rcode') || ' ' ||
	coalesce(doc::json->>'answer', 'null') FROM record WHERE dataset = 3 ORDER BY key")
" "DNS records come in the order of their keys (C-401)"
pages whois '' .domain
is "$STATUS $TOTAL $(number "$SEEN") $(unique "$SEEN")" "200 40 40 40" "the pages of domains have each domain once (C-401)"
pages certificates '' .not_before
is "$STATUS $TOTAL $(number "$SEEN") $(unique "$SEEN")" "200 30 30 30" "the pages of certificates have each certificate once (C-401)"
is "$SEEN" "$(printf '%s' "$SEEN" | sort -r)
" "certificates come newest first (C-401)"
pages dns 'record_type:A+AND+rcode:NXDOMAIN' .host
is "$TOTAL $(unique "$SEEN")" "60 60" "a query on DNS records selects by type and answer code (C-401)"
pages open-directories '' '"\(.host) \(.port)"'
is "$STATUS $TOTAL $(number "$SEEN") $(unique "$SEEN")" "200 13 13 13" "the pages of open directories have each directory once (C-401)"
is "$SEEN" "$(sql "SELECT coalesce(doc::json->>'host', 'null') || ' ' || (doc::json->>'port') FROM record WHERE dataset = 7 ORDER BY key")
" "open directories come in the order of their keys (C-401)"

api GET '/search/dns?limit=7'
cursor=$(field .next_cursor)
api GET "/search/whois?limit=7&cursor=$cursor"
is "$STATUS $(field .error.code)" "400 invalid_search_cursor" "a cursor of another dataset is refused (C-703)"
api GET "/search/dns?limit=7&q=ttl:10&cursor=$cursor"
is "$STATUS $(field .error.code)" "400 invalid_search_cursor" "a cursor of another query is refused (C-703)"
api GET '/search/dns?limit=1000'
is "$STATUS $(field '.dns|length') $(field .has_more) $(field .next_cursor)" "200 240 false null" "a page has up to 1000 documents (C-415)"
for limit in 0 1001; do
	api GET "/search/dns?limit=$limit"
	is "$STATUS $(field .error.code)" "400 invalid_pagination" "a limit of $limit is refused (C-415)"
done
api GET '/search/dns?q=host:www.d7.example.org+AND+answer:192.0.2.7&fields=host,answer_ip'
is "$(printf '%s' "$BODY" | jq -c .dns)" '[{"host":"www.d7.example.org","answer_ip":"192.0.2.7"}]' "fields selects the members of DNS records (C-414)"
api GET '/search/hosts?q=port:443+country:GB&fields=ip'
is "$(printf '%s' "$BODY" | jq -c .hosts)" '[{"ip":"192.0.2.7","matched_services":[{"port":443,"transport":"tcp"}]}]' \
	"a projected host keeps the services that match (C-414)"
api GET '/search/dns?fields=host,colour'
is "$STATUS $(field .error.code) $(field .error.message | grep -c colour)" "400 invalid_search_parameter 1" "an unknown field of a search is named (C-414)"
api GET '/search/dns?q=answer_ip:192.0.2.0/29&limit=1000'
is "$(field .total.value)" 7 "a network selects DNS records by their address"
api GET '/search/certificates?q=names:d7.example.org&fields=names'
is "$(printf '%s' "$BODY" | jq -c .certificates)" '[{"names":["www.d7.example.org"]}]' "a certificate is found by the domain of its names"
api GET "/search/hosts?q=hostnames:$(field '.certificates[0].names[0]')&fields=ip"
is "$(field '.hosts[].ip')" 192.0.2.7 "the name of a certificate leads to its host"
api GET '/search/whois?q=whois.registrant.country_code:Germany'
is "$STATUS $(field .total.value) $(field '.warnings|length')" "200 0 1" "a value that no domain can have is answered with a warning (C-418)"

# ---- count, validate, aggregate, schemas ----

while read -r dataset unit field query; do
	api GET "/search/$dataset/count"
	is "$STATUS $(field .count_unit)" "200 $unit" "the count of $dataset has the unit $unit (C-401)"
	api GET "/search/$dataset/validate?q=$query"
	is "$STATUS $(field .valid)" "200 true" "validate accepts $query for $dataset (C-401)"
	api GET "/search/$dataset/validate?q=services.port:1"
	is "$STATUS $(field .valid)" "200 $(case $dataset in hosts | services) echo true ;; *) echo false ;; esac)" \
		"services.port is a field of hosts and services alone: $dataset"
	api GET "/search/$dataset/count?q=nosuch:1"
	is "$STATUS $(field .error.code)" "400 invalid_search_query" "an unknown field in a query of $dataset is refused (C-401)"
	api POST "/search/$dataset/aggregate" "{\"aggregations\":[{\"field\":\"$field\"}]}"
	is "$STATUS $(field '.groups[0]|"\(.field) \(.count_unit) \(.relation)"')" "200 $field $unit eq" "$dataset are aggregated by $field (C-401)"
done <<END
hosts host country_code services.port:443
services service port port:443+country_code:GB
dns dns_record record_type record_type:AAAA
whois whois_domain whois.registrar whois.dnssec:true
certificates certificate issuer.organisation self_signed:true
END
# The fields that the specification of the API names can be aggregated (C-036).
for field in record_type host apex_domain rcode answer; do
	api POST /search/dns/aggregate "{\"aggregations\":[{\"field\":\"$field\"}]}"
	is "$STATUS $(field '.groups[0].field')" "200 $field" "DNS records are aggregated by $field (C-401)"
done
for field in whois.registrar whois.status whois.dnssec; do
	api POST /search/whois/aggregate "{\"aggregations\":[{\"field\":\"$field\"}]}"
	is "$STATUS $(field '.groups[0].field')" "200 $field" "domains are aggregated by $field (C-401)"
done
api POST /search/dns/aggregate '{"query":"host:example.org","aggregations":[{"field":"rcode"},{"field":"record_type"},{"field":"ttl","limit":1}]}'
is "$(printf '%s' "$BODY" | jq -c '[.groups[].buckets[:2]|map([.value,.count])]')" "$(sql "WITH d AS (SELECT doc::json AS doc FROM record
	WHERE dataset = 3 AND doc::json->>'host' LIKE '%.example.org')
	SELECT json_build_array(
	(SELECT json_agg(json_build_array(v, n)) FROM (SELECT doc->>'rcode' AS v, count(*) AS n FROM d GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 2) AS x),
	(SELECT json_agg(json_build_array(v, n)) FROM (SELECT doc->>'record_type' AS v, count(*) AS n FROM d GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 2) AS x),
	(SELECT json_agg(json_build_array(v, n)) FROM (SELECT (doc->>'ttl')::int AS v, count(*) AS n FROM d WHERE doc->>'ttl' IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1) AS x))" | jq -c .)" \
	"the buckets of DNS records equal those of SQL (C-402)"
api GET '/search/certificates/count?q=expired:true'
is "$(field .count)" "$(sql "SELECT count(*) FROM record WHERE dataset = 5 AND (doc::json->>'not_after')::timestamptz < now()")" \
	"expired certificates are those whose not_after has passed (C-879)"
api GET /search/schemas
is "$(field '[.schemas[]|"\(.dataset):\(.count_unit)"]|join(" ")')" "hosts:host dns:dns_record whois:whois_domain certificates:certificate reports:report open-directories:null services:service" \
	"the schemas list each dataset with its unit (C-401)"

# ---- open directories, which have no count ----

pages open-directories 'files:(extension:ps1+AND+size:>1000)' '"\(.port) \(.matched_files|map(.name)|join(","))"'
is "$TOTAL $(printf '%s' "$SEEN" | sort)" "4 8003 bin/run3.ps1
8006 bin/run6.ps1
8009 bin/run9.ps1
8012 bin/run12.ps1" "one file must pass all tests of files in brackets, and is named in matched_files (C-878)"
pages open-directories 'files.extension:ps1+AND+files.size:>1000+AND+port:8001' '.matched_files|length'
is "$TOTAL $SEEN" "1 3
" "tests of files without brackets may be passed by different files (C-878)"
api GET '/search/open-directories?q=192.0.2.0/24&fields=ip,files.name'
is "$(printf '%s' "$BODY" | jq -c '[.open_directories, .total.value]')" '[[{"ip":"192.0.2.7","files":[{"name":"only.iso"}],"matched_files":[]}],1]' \
	"an open directory is found by its address, and fields selects its members (C-414)"
api GET '/search/open-directories?q=files.name:only.*'
is "$(field '.open_directories[0]|"\(.path) \(.file_count) \(.total_size)"')" "/x/ 1 700000000" "an open directory is found by the name of a file"
api GET '/search/open-directories?q=host:files1.example.org'
is "$STATUS $(field .total.value) $(field '.open_directories[0].matched_files|length')" "200 4 0" "a search without tests of files matches no files"
api GET '/search/open-directories/validate?q=files.size:x'
is "$STATUS $(field .valid)" "200 false" "validate refuses a size that is no number (C-401)"
api GET /search/open-directories/count
is "$STATUS $(field .error.code)" "404 not_found" "open directories have no count (C-717)"
api POST /search/open-directories/aggregate '{"aggregations":[{"field":"port"}]}'
is "$STATUS $(field .error.code)" "404 not_found" "open directories are not aggregated (C-401)"

# ---- services, a view of hosts ----

pages services '' '"\(.ip) \(.port) \(.transport)"'
is "$TOTAL $SEEN" "4 192.0.2.7 53 udp
192.0.2.7 443 tcp
192.0.2.7 8443 tcp
192.0.2.8 443 tcp
" "services come by address, port and transport (C-401)"
api GET '/search/services?q=product:nginx&limit=1'
is "$(printf '%s' "$BODY" | jq -c '[(.services | map(del(.first_seen, .last_seen))), .total.value]')" \
	'[[{"ip":"192.0.2.7","port":443,"transport":"tcp","product":"nginx","host":{"country_code":"GB","hostnames":["www.d7.example.org"],"apex_domains":["example.org"]}}],2]' \
	"a service is answered with the place of its host (C-403)"
api GET "/search/services?q=product:nginx&limit=1&cursor=$(field .next_cursor)"
is "$(field '.services[].port') $(field .has_more)" "8443 false" "the next page has the other service of the same host"
api GET '/search/services?q=product:nginx&fields=port,host.country_code'
is "$(printf '%s' "$BODY" | jq -c .services)" '[{"port":443,"host":{"country_code":"GB"}},{"port":8443,"host":{"country_code":"GB"}}]' \
	"fields selects the members of services and of their hosts (C-414)"
api GET '/search/services?fields=port,colour'
is "$STATUS $(field .error.message | grep -c '"colour"')" "400 1" "an unknown field of services is named without a prefix (C-414)"
api GET '/search/services/count?q=product:nginx'
is "$(field .count)" 2 "two services of one host count two (C-403)"
api GET '/search/hosts/count?q=services.product:nginx'
is "$(field .count)" 1 "the host of two matching services counts one (C-403)"
api GET '/search/hosts?q=services.port:(443+OR+53)'
n=$(field '[.hosts[].matched_services|length]|add')
api GET '/search/services/count?q=port:(443+OR+53)'
is "$(field .count)" "$n" "the services that hosts match are those that a query of services counts (C-403)"
for field in port tags tags.category http.capabilities; do
	api POST /search/services/aggregate "{\"aggregations\":[{\"field\":\"$field\"}]}"
	is "$STATUS $(field '.groups[0]|"\(.field) \(.count_unit)"')" "200 $field service" "services are aggregated by $field (C-401)"
done

# ---- changes ----

echo '{"host":"new.example.org","record_type":"TXT","answer":"\"hello\""}' | records dns ndjson
ok "a new DNS record becomes searchable" world_until 60 counted dns 241
sql "UPDATE record SET gone = true, doc = '' WHERE dataset = 3 AND doc LIKE '%\"new.example.org\"%'" >/dev/null
ok "a DNS record that is gone leaves the index" world_until 60 counted dns 240

key=$(key_new --scope search.aggregate)
api GET /search/dns
is "$STATUS $(field .error.code)" "403 permission_denied" "a search of DNS records needs the scope search.view (C-009)"
key=$(key_new --scope search.view)
api POST /search/dns/aggregate '{"aggregations":[{"field":"rcode"}]}'
is "$STATUS $(field .error.code)" "403 permission_denied" "an aggregation of DNS records needs the scope search.aggregate (C-009)"
