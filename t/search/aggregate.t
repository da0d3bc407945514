#!/bin/sh
# SPDX-License-Identifier: ISC
# The search operations over five known hosts: C-038, C-039, C-041 to C-057, C-059, C-703 to C-716.
. t/lib.sh
pg_start
host_rows

host()
{
	sql "INSERT INTO host (ip, doc) VALUES (('$1'::jsonb ->> 'ip')::inet, '$1')"
}
host '{"ip":"192.0.2.1","ip_version":4,"country_code":"GB","asn":64500,"as_name":"EXAMPLE-AS","tags":["c2"],"service_count":2,"services":[{"port":443,"transport":"tcp","tls_enabled":true},{"port":443,"transport":"udp"}]}'
host '{"ip":"192.0.2.2","ip_version":4,"country_code":"GB","asn":64500,"as_name":"EXAMPLE-AS","service_count":2,"services":[{"port":22,"transport":"tcp"},{"port":443,"transport":"tcp"}]}'
host '{"ip":"192.0.2.10","ip_version":4,"country_code":"FR","asn":64501,"service_count":1,"services":[{"port":22,"transport":"tcp","tags":["c2"]}]}'
host '{"ip":"198.51.100.1","ip_version":4,"country_code":"DE"}'
host '{"ip":"2001:db8::1","ip_version":6,"country_code":"DE","os":"","services":[{"port":8080,"transport":"tcp","tls_enabled":false}]}'
index_start
api_start
web_start

A=/search/hosts/aggregate
indexed()
{
	api GET /search/hosts/count
	[ "$(field .count)" = 5 ]
}
ok "the hosts become searchable" world_until 20 indexed
is "$(field .count_unit) $(field .query)" "host " "the count has its unit and the query"

# agg QUERY FIELD[:LIMIT]...
agg()
{
	_q=$1
	shift
	_b=$(printf '%s\n' "$@" | jq -Rsc --arg q "$_q" '{query: $q, aggregations: split("\n")
		| map(select(. != "") | split(":") | {field: .[0], limit: ((.[1] // "25")|tonumber)})}')
	api POST $A "$_b"
}
values='[.groups[].buckets|map("\(.value)=\(.count)")|join(" ")]|join("; ")'


agg '' services.port country_code
is "$(field "$values")" "22=2 443=2 8080=1; DE=2 GB=2 FR=1" \
	"groups are in request order, buckets by count and value (C-041, C-042, C-049)"
is "$(field '[.groups[]|"\(.field) \(.count_unit) \(.value_type)"]|join(";")')" \
	"services.port host integer;country_code host string" \
	"a group has field, unit and type of value (C-041 to C-043)"
is "$(field '.groups[0].buckets[0].value|type')" number "the value of a port is a number (C-044)"
is "$(field '[.groups[]|"\(.relation) \(.sampled) \(.has_more)"]|unique|join(";")')" "eq false false" \
	"the counts of a group are exact (C-046)"
is "$(field '[.groups[]|keys|join(",")]|unique|join(";")')" \
	"buckets,count_unit,field,has_more,relation,sampled,value_type" \
	"a group has no other members (C-054)"
is "$(field '[.groups[].buckets[]|keys|join(",")]|unique|join(";")')" "count,value" \
	"a bucket has no members but count and value (C-054)"
is "$(field 'keys|join(",")')" "groups,query" "the answer has no members but groups and query (C-054)"
first=$BODY
agg '' services.port country_code
is "$BODY" "$first" "the same request gets the same answer again (C-049)"

agg 'services.port:22' services.port
is "$(field "$values")" "22=2 443=1" "an aggregation counts the other ports of matching hosts (C-045)"
agg '' services.tls_enabled ip
is "$(field "$values")" \
	"false=1 true=1; 192.0.2.1=1 192.0.2.2=1 192.0.2.10=1 198.51.100.1=1 2001:db8::1=1" \
	"booleans and addresses are in the order of their values (C-044, C-049)"
is "$(field '.groups[0].buckets[0].value|type')" boolean "the value of a boolean field is a boolean (C-044)"
agg '' ip:5 country_code:2 services.port:1
is "$(field '[.groups[].has_more]|join(" ")')" "false true true" \
	"has_more is true if buckets are left out (C-048)"
agg '' os
is "$(field "$values")" "" "an empty string makes no bucket (C-050)"
agg '' asn
is "$(field '[.groups[0].buckets[]|"\(.value) \(.label)"]|join(";")')" "64500 EXAMPLE-AS;64501 null" \
	"a bucket of asn has the name as its label, or null (C-051)"
agg '' tags services.tags tags.category
is "$(field '.groups[0].buckets[0].tag|tojson')" \
	'{"slug":"c2","name":"Command and control","categories":["malware","malware/c2"],"classification":"malicious"}' \
	"a bucket of tags has the whole tag (C-052, C-053)"
is "$(field '.groups[1].buckets[0].tag.slug')" c2 "a bucket of services.tags has the tag (C-052)"
is "$(field '[.groups[2].buckets[]|has("tag")]|any')" false "a bucket of tags.category has no tag (C-052)"
agg 'country_code:XX' services.port os
is "$STATUS $(field '[.groups[]|"\(.value_type) \(.buckets|length)"]|join(";")')" "200 integer 0;string 0" \
	"a query without matches gets empty groups (C-055)"

query=' port:22  OR country:fr '
agg "$query" services.port
is "$(field '.query + "|"')" "$query|" "the answer repeats the query as it was sent (C-039)"
api POST $A '{"aggregations":[{"field":"country_code"}]}'
is "$STATUS $(field '.query + "|"') $(field "$values")" "200 | DE=2 GB=2 FR=1" \
	"the answer has an empty query when none was sent (C-039)"

q=$(head -c 8187 /dev/zero | tr '\0' x)
api GET "/search/hosts/count?q=$(printf 'tags:%s' "$q" | od -An -v -tx1 | tr -d '\n' | tr ' ' %)"
is "$STATUS $(field .count)" "200 0" "a query of 8192 percent-encoded bytes is accepted (C-057)"
api GET "/search/hosts/count?q=tags:%27%3B%20DROP%20TABLE%20host"
unlike "$STATUS" '^5' "a query with SQL in it is searched as text (C-059)"
api GET '/search/hosts/count?q=port:22+country%3Agb'
is "$(field .query) $(field .count)" "port:22 country:gb 1" "a plus in a query string means a space (C-058)"

api GET '/search/hosts?limit=2&q=services.port:443'
is "$(field '[.hosts[].ip]|join(" ")') $(field .has_more) $(field .total.value) $(field .next_cursor)" \
	"192.0.2.1 192.0.2.2 false 2 null" "a page of hosts is in the order of addresses (C-710)"
is "$(field '.hosts[0].matched_services|map("\(.port)/\(.transport)")|join(" ")')" "443/tcp 443/udp" \
	"a host lists its matched services (C-878)"
is "$(field '.hosts[0].tags|tojson')" '["c2"]' "the tags of a document are slugs (C-712)"
seen='' cursor=''
while :; do
	api GET "/search/hosts?limit=2$cursor"
	[ "$STATUS" = 200 ] || break
	seen="$seen $(field '[.hosts[].ip]|join(" ")')"
	[ "$(field .has_more)" = true ] || break
	cursor="&cursor=$(field .next_cursor)"
done
is "$seen" " 192.0.2.1 192.0.2.2 192.0.2.10 198.51.100.1 2001:db8::1" \
	"the pages contain every host once and in order (C-704)"
api GET "/search/hosts?limit=2&q=port:22$cursor"
is "$STATUS $(field .error.code)" "400 invalid_search_cursor" "a cursor of another query is refused (C-703)"
api GET "/search/hosts?limit=2${cursor%?}"
is "$STATUS $(field .error.code)" "400 invalid_search_cursor" "a truncated cursor is refused (C-703)"
key=$(key_new --scope search.view)
api GET "/search/hosts?limit=2$cursor"
is "$STATUS $(field .error.code)" "400 invalid_search_cursor" "a cursor of another key is refused (C-703)"
key=$KEY

api GET '/search/hosts/validate?q=port:22'
is "$(field tojson)" '{"valid":true,"query":"port:22"}' "validate accepts a good query (C-714)"
warned='[{"message":"country_code has two-letter codes and never \"Germany\"; did you mean DE?","position":9}]'
api GET '/search/hosts/validate?q=country:Germany'
is "$(field '.valid') $(field '.warnings|tojson')" "true $warned" "C-418: validate warns of a country that no host can have"
api GET '/search/hosts?q=country:Germany'
is "$STATUS $(field '.total.value') $(field '.warnings|tojson')" "200 0 $warned" "C-418: the search finds nothing and has the same warning"
api GET '/search/hosts/validate?q=port:(22'
is "$STATUS $(field .valid) $(field '.error|keys|join(",")')" "200 false message,position" \
	"validate shows message and position of a fault (C-714)"

api POST /search/hosts/bulk '{"ips":["2001:DB8:0::1","192.0.2.1","203.0.113.9"],"limit_per_ip":1}'
is "$(field '[.results[]|"\(.ip) \(.found) \(.services_has_more) \(.host.services|length)"]|join(";")')" \
	"2001:db8::1 true false 1;192.0.2.1 true true 1;203.0.113.9 false false 0" \
	"bulk answers in the order of the request (C-716)"
for ips in '[]' '["x"]' '["192.0.2.0/24"]' '["192.0.2.1","192.0.2.1"]' '["2001:db8::1","2001:DB8:0::1"]' '"192.0.2.1"' '[1]' null \
	"$(seq 0 100 | jq -sc 'map("192.0.2.\(.)")')"; do
	api POST /search/hosts/bulk "{\"ips\":$ips}"
	is "$STATUS $(field .error.code)" "400 invalid_ip_batch" \
		"bulk refuses the addresses $(printf %.40s "$ips") (C-716)"
done
for limit in 0 101 '"1"' null 1.5; do
	api POST /search/hosts/bulk "{\"ips\":[\"192.0.2.1\"],\"limit_per_ip\":$limit}"
	is "$STATUS $(field .error.code)" "400 invalid_limit_per_ip" "bulk refuses limit_per_ip $limit (C-716)"
done
