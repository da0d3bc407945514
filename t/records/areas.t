#!/bin/sh
# SPDX-License-Identifier: ISC
# Typed areas of the external surface: C-164, and dangling DNS as one of them.
. t/lib.sh
pg_start
api_start
web_start
stranger_new

A=/projects/$P/esi/dangling-dns
F=/projects/$P/esi/findings
import() { ctl --json import findings --project "${2:-$P}" - 2>"$W/err" <<END
$1
END
}
# finding KEY TYPE EVIDENCE [PROJECT]: stores a finding; prints its UUID.
finding()
{
	import "{\"finding_key\":\"$1\",\"finding_type\":\"$2\",\"title\":\"T $1\",\"severity\":\"high\",\"confidence\":0.5,\"evidence\":$3,\"asset_kind\":\"host\",\"asset_name\":\"$1.example.com\"}" "${4:-$P}" >/dev/null
	sql "SELECT uuid FROM finding WHERE finding_key = '$1' AND project_uuid = '${4:-$P}'"
}

whole=$(finding whole dangling_dns '{"kind":"cname_claimable","host":"whole.example.com","record_type":"CNAME","target":"x.example.net","provider":"Example","claim":"open","region":"eu","matched_by":"hostname","remediation":"R","chain":[{"name":"whole.example.com","type":"CNAME","rcode":"NOERROR","seen_at":"2026-11-20T00:00:00Z","more":1},{"name":"x.example.net","rcode":"NXDOMAIN"}]}')
odd=$(finding odd dangling_dns '{"kind":7,"host":["a"],"target":{"b":1},"chain":{"c":2}}')
bare=$(finding bare dangling_dns '{}')
other=$(finding other exposed_service '{"kind":"cname_claimable"}')
theirs=$(finding theirs dangling_dns '{"kind":"cname_claimable"}' "$PROJECT2")

api GET "$A/$whole"
is "$STATUS $(field '.finding|del(.uuid,.created_at,.first_seen_at,.last_seen_at,.asset_uuid)|tojson')" \
	'200 {"status":"open","severity":"high","confidence":0.5,"stale":false,"title":"T whole","service_uuid":null,"kind":"cname_claimable","host":"whole.example.com","record_type":"CNAME","target":"x.example.net","chain":[{"name":"whole.example.com","type":"CNAME","rcode":"NOERROR","seen_at":"2026-11-20T00:00:00Z"},{"name":"x.example.net","type":null,"rcode":"NXDOMAIN","seen_at":null}],"provider":"Example","claim":"open","region":"eu","matched_by":"hostname","remediation":"R"}' \
	"the members of an area come from the evidence (C-839)"
api GET "$A/$odd"
is "$STATUS $(field '.finding|[.kind,.host,.target,.provider,.chain]|tojson')" '200 [null,null,null,null,[]]' \
	"evidence of another type is null in the area, never an error (C-839)"
api GET "$A/$bare"
is "$STATUS $(field '.finding|[.kind,.chain]|tojson')" '200 [null,[]]' "evidence without any member is null in the area"
for f in $whole $odd $bare; do
	api GET "$A/$f"
	area=$(field '.finding|[.uuid,.status,.severity,.confidence,.stale,.title,.created_at,.first_seen_at,.last_seen_at,.asset_uuid,.service_uuid]|tojson')
	api GET "$F/$f"
	is "$(field '.finding|[.uuid,.status,.severity,.confidence,.stale,.title,.created_at,.first_seen_at,.last_seen_at,.asset_uuid,.service_uuid]|tojson')" \
		"$area" "the area and the findings answer the same members of $f (C-164)"
done
api GET "$A/$other"
is "$STATUS $(field .error.code)" "404 finding_not_found" "a finding of another type is not in the area (C-164)"
api GET "$A/$theirs"
is "$STATUS $(field .error.code)" "404 finding_not_found" "a finding of another project is not in the area (C-164)"

# ---- the list ----

names() { api GET "$A?$1"; field '[.findings[].title]|sort|join(" ")'; }
is "$(names '')" "T bare T odd T whole" "the list has the findings of the type and the project"
is "$(names 'kind=cname_claimable')" "T whole" "the filter kind compares the evidence"
is "$(names 'provider=Example&host=WHOLE.example.com')" "T whole" "the filters of the area compare its members"
is "$(names 'provider=example')" "" "the filter provider compares exactly"
is "$(names 'status=resolved')" "" "the filter status is that of findings"
is "$(names 'severity=high&stale=false')" "T bare T odd T whole" "the filters severity and stale are those of findings"
api GET "$A/$whole"
is "$(names "asset_uuid=$(field .finding.asset_uuid)")" "T whole" "the filter asset_uuid finds the findings of an asset"
api GET "$A?kind=nothing"
is "$STATUS $(field .error.code)" "400 invalid_request" "an unknown kind is refused"
api GET "$A?limit=2"
next=$(field .next_cursor)
is "$(field '.findings|length') $(field .has_more)" "2 true" "a page has as many records as were asked for"
api GET "$A?limit=2&cursor=$next"
is "$(field '.findings|length') $(field .has_more)" "1 false" "the next page has the rest"
api POST "$F/$whole/resolve"
is "$(names 'status=resolved')" "T whole" "a move of the finding shows in the area"
is "$(sql "SET enable_seqscan = off; EXPLAIN SELECT uuid FROM dangling_dns WHERE project_uuid = '$P' ORDER BY created_at DESC, uuid LIMIT 10" | grep -c finding_typed)" 1 \
	"a page is read from an index"
