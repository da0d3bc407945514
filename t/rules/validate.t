#!/bin/sh
# SPDX-License-Identifier: ISC
# POST /rules/validate counts what a search counts, and stores nothing (C-146, C-163).
. t/lib.sh
world_start
ctl tags set --name "No login" no-login >/dev/null
awk 'BEGIN { for (i = 0; i < 10001; i++) printf "{\"ip\":\"10.0.%d.%d\",\"os\":\"%s\",\"last_seen\":\"2026-01-01T00:00:00Z\",\"services\":[{\"port\":%d,\"transport\":\"tcp\",\"product\":\"%s\"}]}\n",
	i / 250, i % 250, i % 3 ? "linux" : "bsd", 6379 + i % 4, i % 5 ? "redis" : "ssh" }' >"$W/hosts"
ctl import hosts "$W/hosts" >/dev/null 2>&1
printf '%s\n' '{"host":"www.example.com","record_type":"A","answer":"192.0.2.7","rcode":"NOERROR","last_seen":"2026-01-01T00:00:00Z"}' \
	'{"host":"gone.example.com","record_type":"A","rcode":"NXDOMAIN","last_seen":"2026-01-01T00:00:00Z"}' >"$W/dns"
ctl import dns "$W/dns" >/dev/null 2>&1
printf '%s\n' '{"domain":"example.com","last_seen":"2026-01-01T00:00:00Z"}' >"$W/whois"
ctl import whois "$W/whois" >/dev/null 2>&1
printf '%s\n' '{"ip":"192.0.2.7","port":8080,"path":"/files/","last_seen":"2026-01-01T00:00:00Z","files":[{"name":"a.ps1"}]}' \
	'{"url":"http://files.example.com/pub/","host":"files.example.com","port":80,"path":"/pub/","last_seen":"2026-01-01T00:00:00Z","files":[{"name":"b.ps1"}]}' >"$W/directories"
ctl import open-directories "$W/directories" >/dev/null 2>&1
hosts_wait 10001
searchable() { api GET "/search/$1"; [ "$STATUS" = 200 ] && [ "$(field '.total.value')" = "$2" ]; }
for wanted in 'dns 2' 'whois 1' 'open-directories 2'; do
	# shellcheck disable=SC2086 # two words
	ok "$wanted can be searched" world_until 60 searchable $wanted || diag "$BODY" "$(cat "$W/log/surfaced-index.log" | tail -2)"
done

validate() { api POST /rules/validate "$(jq -cn --arg d "$1" --arg q "$2" --arg e "${3-}" "{dataset: \$d, query: \$q, exclude: \$e} + ${4:-{\}}")"; }

# ---- counts ----

before=$(sql "SELECT count(*) FROM rule"; sql "SELECT count(*) FROM audit")
while IFS='|' read -r dataset query exclude; do
	validate "$dataset" "$query" "$exclude"
	got="$STATUS $(field .valid) $(field .matches.value) $(field .matches.relation) $(field .too_broad)"
	all="($query) AND NOT ($exclude)"
	[ -n "$exclude" ] || all=$query
	[ -n "$query" ] || all="NOT ($exclude)"
	[ -n "$query$exclude" ] || all=
	api GET "/search/$dataset/count?q=$(printf %s "$all" | jq -sRr @uri)"
	broad=false
	[ "$(field .count)" -le 10000 ] || broad=true
	is "$got" "200 true $(field .count) eq $broad" "$dataset: ($query) without ($exclude) counts as a search does (C-146)"
done <<'Q'
hosts||
hosts|os:linux|
hosts|os:linux|services.port:6379
hosts|os:linux OR os:bsd|services.port:6379 OR services.product:ssh
hosts|NOT os:linux|NOT services.port:6379
hosts||os:linux
hosts|services:(port:6379 product:redis)|NOT (os:linux)
hosts|os:linux AND services.port:6379|os:linux AND services.product:ssh
hosts|os:nothing|
services||
services|product:redis|port:{6379,6380}
services|product:redis -port:6379|ip:10.0.1.0/24
dns|host:example.com|rcode:NXDOMAIN
whois|domain:example.com|
Q
validate hosts '' ''
is "$(field .matches.value) $(field .too_broad)" "10001 true" "10001 matches are too broad (C-146)"
validate hosts 'NOT ip:10.0.0.0' ''
is "$(field .matches.value) $(field .too_broad)" "10000 false" "10000 matches are not too broad (C-146)"
long=$(awk 'BEGIN { for (i = 0; i < 250; i++) printf "%sservices.port:%d", i ? " OR " : "", 6400 + i }')
validate hosts "os:linux OR $long" "os:bsd OR $long"
is "$STATUS $(field .matches.value)" "200 $(validate hosts os:linux; field .matches.value)" "a query and an exclude may be longer than one query together"

# ---- samples ----

sample() { validate "$@"; field '.sample|join(" ")'; }
is "$(sample hosts 'ip:{10.0.0.1,10.0.0.2}')" "10.0.0.1 10.0.0.2" "keys of hosts are addresses (C-823)"
is "$(sample services 'ip:10.0.0.1')" "10.0.0.1/6380/tcp" "keys of services have address, port and transport (C-823)"
is "$(sample dns '')" "gone.example.com/A/NXDOMAIN www.example.com/A/$(printf 192.0.2.7 | sha256sum | cut -c1-32)" "keys of DNS records have the answer's hash, or the rcode (C-823)"
is "$(sample whois '')" "example.com" "keys of whois are domains"
is "$(sample open_directories '')" "192.0.2.7:8080/files/ http://files.example.com/pub/" "keys of open directories are URLs, or address, port and path"
validate hosts ''
is "$(field '.sample|length')" 10 "at most ten keys are answered"
validate hosts os:nothing
is "$(field '.sample|tojson')" '[]' "no match gives no key"

# ---- the rest of the answer ----

validate hosts 'os:linux' '' '{tests: [{name: "a", record: {os: "Linux"}, expect: "match"}, {name: "b", record: {os: "linux"}, expect: "no_match"}]}'
is "$(field '.tests|tojson')" '[{"name":"a","passed":true},{"name":"b","passed":false}]' "each sample is judged"
validate hosts os:linux
is "$(field .anchored) $(field .uses_now) $(field .error)" "true false null" "a query of one keyword is anchored"
validate hosts 'os:linux OR last_seen:>now-7d'
is "$(field .anchored) $(field .uses_now)" "false true" "a query that depends on the time is reported"
validate hosts os:linux 'os:('
is "$STATUS $(field '[.valid, .error.member, .error.position, .matches, (.tests|length), (.sample|length)]|tojson')" '200 [false,"exclude",5,null,0,0]' \
	"a bad text is answered with its member and position"
validate hosts os:linux '' '{applies_tags: true}'
is "$(field .valid)" true "a rule that asks for no tags may apply them"
for query in tags:no-login 'services.tags:no-login' 'NOT (os:linux AND tags.category:malware)' 'services:(port:1 tags:no-login)'; do
	validate hosts "$query" '' '{applies_tags: true}'
	is "$(field .valid) $(field .error.member)" "false query" "a rule that asks for $query must not apply tags"
done
validate hosts os:linux tags:no-login '{applies_tags: true}'
is "$(field .valid) $(field .error.member) $(field .error.position)" "false exclude 6" "the exclude of a rule that applies tags may not ask for tags (C-828)"
validate hosts tags:no-login
is "$(field .valid)" true "a rule that applies none may ask for tags (C-828)"
validate hosts os:linux '' '{tests: [{name: "a", record: {colour: 1}, expect: "match"}], produces: {area: "rule", title: "{colour}"}}'
is "$STATUS $(field '[.error.field_errors[].field]|join(" ")')" "400 tests[0].record produces.title" "faults other than those of query and exclude are refused, as for a new rule"
api POST /rules/validate '{"dataset":"reports","query":""}'
is "$STATUS $(field '.error.field_errors[0].field')" "400 dataset" "reports have no rules"
is "$(sql "SELECT count(*) FROM rule"; sql "SELECT count(*) FROM audit")" "$before" "a validation stores nothing (C-146)"

key=$(key_new --scope rules.manage)
validate hosts os:linux
is "$STATUS" 200 "validate wants no scope of search (C-163)"
