#!/bin/sh
# SPDX-License-Identifier: ISC
# The body of aggregate: C-021 to C-037. Nothing here gets as far as the engine but where it says so.
. t/lib.sh
pg_start
api_start
web_start

A=/search/hosts/aggregate
good='{"aggregations":[{"field":"tags"}]}'

# Any answer of the engine, also that there is no index, means that the body passed.
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
	passes "C-021: $type"
done
for type in 'text/json' 'application/x+json' 'application/json; charset=utf8' 'application/json; charset=utf-16' \
	'application/json; charset=utf-8; charset=utf-8' 'application/json; q=1' 'application/json, application/json'; do
	api POST $A "$good" -H "Content-Type: $type"
	is "$STATUS $(field .error.code)" "415 unsupported_media_type" "C-021: $type"
done
api POST $A "$good" -H 'Content-Type:'
is "$STATUS" 415 "C-021: none"
api POST $A "$good" -H 'Content-Type: application/json' -H 'Content-Type: application/json'
isnt "$STATUS" 200 "C-021: two"
api POST $A "$good" -H 'Content-Encoding: gzip'
is "$STATUS $(field .error.code)" "415 unsupported_media_type" "C-022: gzip"
api POST $A "$good" -H 'Content-Encoding: identity'
passes "C-022: identity"
api POST $A "$good" --http1.1 -H 'Transfer-Encoding: chunked'
passes "C-022: chunked"

pad()
{
	printf '%s%*s' "$good" $(($1 - ${#good})) ''
}
api POST $A "$(pad 32768)"
passes "C-023: 32768 bytes"
api POST $A "$(pad 32769)"
is "$STATUS $(field .error.code)" "413 request_too_large" "C-023: 32769 bytes"
api POST $A "$(pad 32769)" --http1.1 -H 'Transfer-Encoding: chunked'
is "$STATUS $(field .error.code)" "413 request_too_large" "C-023: 32769 bytes, counted"
api POST $A "$(pad 300000)"
is "$STATUS $(field .error.code)" "413 request_too_large" "C-023: 300000 bytes"

refused invalid_json '' "C-024: an empty body"
refused invalid_json "$good x" "C-024: trailing data"
refused invalid_json "$(printf '\357\273\277')$good" "C-024: a BOM"
refused invalid_json "$(printf '{"query":"\377"}')" "C-024: invalid UTF-8"
refused invalid_json '{"query":"\ud800"}' "C-024: a lone surrogate"
refused invalid_json '{"aggregations":[{"field":"tags","limit":NaN}]}' "C-024: NaN"
refused invalid_json '{"aggregations":[{"field":"tags","limit":Infinity}]}' "C-024: Infinity"
refused invalid_json '{/**/}' "C-024: a comment"
refused invalid_json '{"aggregations":[{"field":"tags"},]}' "C-024: a trailing comma"
for top in '[]' '"x"' null 1 true; do
	refused invalid_request "$top" "C-025: $top at the top"
done
refused invalid_json '{"query":"","query":""}' "C-026: a duplicate key"
refused invalid_json '{"x":1,"\u0078":1}' "C-026: also when it is unknown, and after unescaping"
refused invalid_json '{"aggregations":[{"field":"tags","field":"tags"}]}' "C-026: at any depth"
refused invalid_request "{\"aggregations\":[{\"field\":\"tags\"}],\"Query\":\"\"}" "C-027: keys have case"
refused invalid_request '{"aggregations":[{"field":"tags"}],"query":null}' "C-028: null query"
refused invalid_request '{"aggregations":null}' "C-028: null aggregations"
refused invalid_aggregation '{"aggregations":[null]}' "C-028: a null item"
refused invalid_aggregation '{"aggregations":[{"field":null}]}' "C-028: a null field"
refused invalid_aggregation '{"aggregations":[{"field":"tags","limit":null}]}' "C-028: a null limit"
refused invalid_request '{"aggregations":[{"field":"tags"}],"x":1}' "C-029: an unknown member at the top"
refused invalid_aggregation '{"aggregations":[{"field":"tags","x":1}]}' "C-029: an unknown member below"
deep=$(head -c 15000 /dev/zero | tr '\0' '[')
refused invalid_json "$deep" "C-030: deep nesting"
refused invalid_json "{\"aggregations\":$deep$(printf %s "$deep" | tr '[' ']')}" "C-030: deep nesting, closed"
for query in 'x=1' 'q=1' 'limit=1&limit=1'; do
	api POST "$A?$query" "$good"
	is "$STATUS $(field .error.code)" "400 invalid_search_parameter" "C-031: ?$query"
done

refused invalid_aggregation '{}' "C-032: none"
refused invalid_aggregation '{"aggregations":{}}' "C-032: no array"
refused invalid_aggregation '{"aggregations":[]}' "C-032: 0 items"
fields='tags country_code services.port services.tags asn os city region cpe'
items()
{
	# shellcheck disable=SC2086 # a list of words
	printf '%s\n' $fields | head -"$1" | jq -Rsc '{aggregations: split("\n") | map(select(. != "") | {field: .})}'
}
refused invalid_aggregation "$(items 9)" "C-032: 9 items"
api POST $A "$(items 8)"
passes "C-032: 8 items"
refused invalid_request '{"aggregations":[{"field":"tags"}],"query":1}' "C-032: a query that is no string"
refused invalid_search_query '{"aggregations":[{"field":"tags"}],"query":"port:("}' "C-032: one that does not parse"
long()
{
	head -c "$1" /dev/zero | tr '\0' "$2"
}
refused invalid_aggregation "{\"aggregations\":[{\"field\":\"tags$(long 125 ' ')\"}]}" "C-033: 129 characters as sent"
api POST $A "{\"aggregations\":[{\"field\":\"tags$(long 124 ' ')\"}]}"
passes "C-033: 128 characters as sent"
refused invalid_aggregation '{"aggregations":[{"field":" "}]}' "C-033: nothing after trimming"
refused invalid_aggregation '{"aggregations":[{"field":""}]}' "C-033: nothing"
api POST $A '{"aggregations":[{"field":"\u2003 Country_CODE\u00a0"}]}'
passes "C-034: Unicode white space and ASCII case"
refused invalid_aggregation '{"aggregations":[{"field":"organi\u017fation"}]}' "C-034: no other case"
refused invalid_aggregation '{"aggregations":[{"field":"tags"},{"field":" TAGS"}]}' "C-035: unique"
for field in port none ptr services.banner first_seen host.asn services; do
	refused invalid_aggregation "{\"aggregations\":[{\"field\":\"$field\"}]}" "C-036: $field"
done
for limit in 0 101 -1 '"25"' true 2.5 1e400 99999999999999999999; do
	refused invalid_aggregation "{\"aggregations\":[{\"field\":\"tags\",\"limit\":$limit}]}" "C-037: limit $limit"
done
for limit in 1 100 25.0 1e1; do
	api POST $A "{\"aggregations\":[{\"field\":\"tags\",\"limit\":$limit}]}"
	passes "C-037: limit $limit"
done
q8192="tags:$(long 8187 x)"
api POST $A "{\"aggregations\":[{\"field\":\"tags\"}],\"query\":\"$q8192\"}"
passes "C-038: 8192 characters"
refused invalid_request "{\"aggregations\":[{\"field\":\"tags\"}],\"query\":\"${q8192}x\"}" "C-038: 8193 characters"
refused invalid_request "{\"aggregations\":[{\"field\":\"tags\"}],\"query\":\"$(printf '\303\251')${q8192#x}\"}" "C-038: 8192 characters of more bytes"

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
