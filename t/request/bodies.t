#!/bin/sh
# SPDX-License-Identifier: ISC
# The body of aggregate: C-021 to C-037. Most requests are refused before they reach the index.
. t/lib.sh
pg_start
api_start
web_start

A=/search/hosts/aggregate
good='{"aggregations":[{"field":"tags"}]}'

# Any status but 4xx means that the body was accepted, also 503 because there is no index.
passes()
{
	unlike "$STATUS" '^4' "$1"
}

# refused CODE BODY TITLE
refused()
{
	api POST $A "$2"
	is "$STATUS $(field .error.code)" "400 $1" "$3"
}

for type in 'application/json' 'Application/JSON' 'application/json;charset=utf-8' 'application/json; charset="UTF-8"'; do
	api POST $A "$good" -H "Content-Type: $type"
	passes "the media type $type is accepted (C-021)"
done
for type in 'text/json' 'application/x+json' 'application/json; charset=utf8' 'application/json; charset=utf-16' \
	'application/json; charset=utf-8; charset=utf-8' 'application/json; q=1' 'application/json, application/json'; do
	api POST $A "$good" -H "Content-Type: $type"
	is "$STATUS $(field .error.code)" "415 unsupported_media_type" \
		"the media type $type is refused (C-021)"
done
api POST $A "$good" -H 'Content-Type:'
is "$STATUS" 415 "a body without a media type is refused (C-021)"
api POST $A "$good" -H 'Content-Type: application/json' -H 'Content-Type: application/json'
isnt "$STATUS" 200 "a request with two Content-Type headers is refused (C-021)"
api POST $A "$good" -H 'Content-Encoding: gzip'
is "$STATUS $(field .error.code)" "415 unsupported_media_type" "a body in gzip is refused (C-022)"
api POST $A "$good" -H 'Content-Encoding: identity'
passes "a body with Content-Encoding identity is accepted (C-022)"
api POST $A "$good" --http1.1 -H 'Transfer-Encoding: chunked'
passes "a chunked body is accepted (C-022)"

pad()
{
	printf '%s%*s' "$good" $(($1 - ${#good})) ''
}
api POST $A "$(pad 32768)"
passes "a body of 32768 bytes is accepted (C-023)"
api POST $A "$(pad 32769)"
is "$STATUS $(field .error.code)" "413 request_too_large" "a body of 32769 bytes is refused (C-023)"
api POST $A "$(pad 32769)" --http1.1 -H 'Transfer-Encoding: chunked'
is "$STATUS $(field .error.code)" "413 request_too_large" "a chunked body of 32769 bytes is refused (C-023)"
api POST $A "$(pad 300000)"
is "$STATUS $(field .error.code)" "413 request_too_large" "a body of 300000 bytes is refused (C-023)"

refused invalid_json '' "an empty body is refused (C-024)"
refused invalid_json "$good x" "a body with trailing data is refused (C-024)"
refused invalid_json "$(printf '\357\273\277')$good" "a body with a BOM is refused (C-024)"
refused invalid_json "$(printf '{"query":"\377"}')" "a body of invalid UTF-8 is refused (C-024)"
refused invalid_json '{"query":"\ud800"}' "a body with a lone surrogate is refused (C-024)"
refused invalid_json '{"aggregations":[{"field":"tags","limit":NaN}]}' "a body with NaN is refused (C-024)"
refused invalid_json '{"aggregations":[{"field":"tags","limit":Infinity}]}' \
	"a body with Infinity is refused (C-024)"
refused invalid_json '{/**/}' "a body with a comment is refused (C-024)"
refused invalid_json '{"aggregations":[{"field":"tags"},]}' \
	"a body with a trailing comma is refused (C-024)"
for top in '[]' '"x"' null 1 true; do
	refused invalid_request "$top" "the body $top is refused, being no object (C-025)"
done
refused invalid_json '{"query":"","query":""}' "a duplicate key at the top is refused (C-026)"
refused invalid_json '{"x":1,"\u0078":1}' "a duplicate unknown key is refused after unescaping (C-026)"
refused invalid_json '{"aggregations":[{"field":"tags","field":"tags"}]}' \
	"a duplicate key in an item is refused (C-026)"
refused invalid_request "{\"aggregations\":[{\"field\":\"tags\"}],\"Query\":\"\"}" \
	"the name of a member is case-sensitive (C-027)"
refused invalid_request '{"aggregations":[{"field":"tags"}],"query":null}' \
	"a query of null is refused (C-028)"
refused invalid_request '{"aggregations":null}' "a list of aggregations that is null is refused (C-028)"
refused invalid_aggregation '{"aggregations":[null]}' "an aggregation that is null is refused (C-028)"
refused invalid_aggregation '{"aggregations":[{"field":null}]}' "a field of null is refused (C-028)"
refused invalid_aggregation '{"aggregations":[{"field":"tags","limit":null}]}' \
	"a limit of null is refused (C-028)"
refused invalid_request '{"aggregations":[{"field":"tags"}],"x":1}' \
	"an unknown member at the top is refused (C-029)"
refused invalid_aggregation '{"aggregations":[{"field":"tags","x":1}]}' \
	"an unknown member of an aggregation is refused (C-029)"
deep=$(head -c 15000 /dev/zero | tr '\0' '[')
refused invalid_json "$deep" "a body of 15000 open brackets is refused (C-030)"
refused invalid_json "{\"aggregations\":$deep$(printf %s "$deep" | tr '[' ']')}" \
	"a body nested 15000 deep is refused (C-030)"
for query in 'x=1' 'q=1' 'limit=1&limit=1'; do
	api POST "$A?$query" "$good"
	is "$STATUS $(field .error.code)" "400 invalid_search_parameter" \
		"the query string ?$query is refused (C-031)"
done

refused invalid_aggregation '{}' "a body without aggregations is refused (C-032)"
refused invalid_aggregation '{"aggregations":{}}' "aggregations that are no array are refused (C-032)"
refused invalid_aggregation '{"aggregations":[]}' "an empty list of aggregations is refused (C-032)"
fields='tags country_code services.port services.tags asn os city region cpe'
items()
{
	# shellcheck disable=SC2086 # a list of words
	printf '%s\n' $fields | head -"$1" | jq -Rsc '{aggregations: split("\n") | map(select(. != "") | {field: .})}'
}
refused invalid_aggregation "$(items 9)" "a list of 9 aggregations is refused (C-032)"
api POST $A "$(items 8)"
passes "a list of 8 aggregations is accepted (C-032)"
refused invalid_request '{"aggregations":[{"field":"tags"}],"query":1}' \
	"a query that is no string is refused (C-032)"
refused invalid_search_query '{"aggregations":[{"field":"tags"}],"query":"port:("}' \
	"a query that does not parse is refused (C-032)"
long()
{
	head -c "$1" /dev/zero | tr '\0' "$2"
}
refused invalid_aggregation "{\"aggregations\":[{\"field\":\"tags$(long 125 ' ')\"}]}" \
	"a field of 129 characters before trimming is refused (C-033)"
api POST $A "{\"aggregations\":[{\"field\":\"tags$(long 124 ' ')\"}]}"
passes "a field of 128 characters before trimming is accepted (C-033)"
refused invalid_aggregation '{"aggregations":[{"field":" "}]}' "a field of white space is refused (C-033)"
refused invalid_aggregation '{"aggregations":[{"field":""}]}' "an empty field is refused (C-033)"
api POST $A '{"aggregations":[{"field":"\u2003 Country_CODE\u00a0"}]}'
passes "a field is trimmed of Unicode white space and matches in any ASCII case (C-034)"
refused invalid_aggregation '{"aggregations":[{"field":"organi\u017fation"}]}' \
	"a field with a long s does not match by case folding (C-034)"
refused invalid_aggregation '{"aggregations":[{"field":"tags"},{"field":" TAGS"}]}' \
	"two aggregations of one field are refused (C-035)"
for field in port none ptr services.banner first_seen host.asn services; do
	refused invalid_aggregation "{\"aggregations\":[{\"field\":\"$field\"}]}" \
		"the field $field cannot be aggregated (C-036)"
done
for limit in 0 101 -1 '"25"' true 2.5 1e400 99999999999999999999; do
	refused invalid_aggregation "{\"aggregations\":[{\"field\":\"tags\",\"limit\":$limit}]}" \
		"the limit $limit is refused (C-037)"
done
for limit in 1 100 25.0 1e1; do
	api POST $A "{\"aggregations\":[{\"field\":\"tags\",\"limit\":$limit}]}"
	passes "the limit $limit is accepted (C-037)"
done
q8192="tags:$(long 8187 x)"
api POST $A "{\"aggregations\":[{\"field\":\"tags\"}],\"query\":\"$q8192\"}"
passes "a query of 8192 characters is accepted (C-038)"
refused invalid_request "{\"aggregations\":[{\"field\":\"tags\"}],\"query\":\"${q8192}x\"}" \
	"a query of 8193 characters is refused (C-038)"
refused invalid_request "{\"aggregations\":[{\"field\":\"tags\"}],\"query\":\"$(printf '\303\251')${q8192#x}\"}" \
	"a query above 8192 characters with a two-byte character is refused (C-038)"

# nginx sends a query string above 49,152 bytes in place of the body. Empty pairs would be skipped.
for n in 49152 49153 65536; do
	api POST "$A?$(long "$n" '&')" "$good" --http1.1
	case $n in
	49152) passes "C-056: a body behind $n bytes of query string arrives" ;;
	*)
		is "$STATUS $(field .error.code)" "400 invalid_search_parameter" "C-056: a body behind $n bytes of query string is refused"
		like "$(field .error.message)" 'query string is longer than 49152 bytes' "C-056: the refusal of $n bytes names the query string"
		;;
	esac
done
api POST "/projects/$P/alerting/silences?$(long 50000 '&')" '{}' --http1.1
is "$STATUS $(field .error.code)" "400 invalid_request" "C-056: another operation with a body refuses a long query string"
like "$(field .error.message)" 'query string is longer than 49152 bytes' "C-056: the refusal of another operation names the query string"
