#!/bin/sh
# SPDX-License-Identifier: ISC
# C-122: the examples of openapi.json are valid requests, and every answer has a description.
. t/lib.sh
world_start

api GET /openapi.json
spec=$W/openapi.json
printf '%s' "$BODY" >"$spec"
printf '%s\n' bulkLookupCertificates bulkLookupDns bulkLookupHosts bulkLookupWhois getCertificate getDnsName getHost getHostHistory getHostHistoryServices getHostService getWhoisDomain getWhoisHistory listSearchSchemas >"$W/others"
is "$(jq -r '[.paths[][].operationId|select(test("^[a-z]+([A-Z][a-z]+)+$")|not)]|join(" ")' "$spec")" "" \
	"every operationId is in camel case"
is "$(jq -r '[.paths|to_entries[]|select(.key|startswith("/search/")).value[]|select(.tags[0]|IN("Search", "Reports")).operationId]|sort|join(" ")' "$spec")" \
	"$({
		for d in Certificates Dns Hosts Reports Services Whois; do
			printf '%s\n' "aggregate$d" "count$d" "search$d" "validate$d"
		done
		printf '%s\n' searchOpenDirectories validateOpenDirectories
	} | sort - "$W/others" | paste -sd' ')" \
	"the operations of search have the expected names"
is "$(jq -r '[.paths[][]|[.responses|to_entries[]|select(.key < "300").value.description|length]|select(. == [] or min < 10)]|length' "$spec")" 0 \
	"every successful answer has a description"
is "$(jq -r '[.paths[][]|select(.requestBody and (.requestBody.content["application/json"].example|not)).operationId]|join(",")' "$spec")" "" \
	"every body has an example"
is "$(jq -r '. as $d | [.paths[][]|select(.tags[0]|IN("Search", "Reports"))|. as $o
	| select(["502", "503"]|map($o.responses[.]["$ref"]|ltrimstr("#/components/responses/")
		| $d.components.responses[.].content["application/json"].schema.allOf[1].properties.error.properties.code.enum)
		| (.[0]|index("search_upstream_failed")|not) or (.[1]|index("search_busy")|not))
	| .operationId]|join(",")' "$spec")" "" "every search may be answered with 502 and 503 search_busy"

# Bodies of people are sent by people (t/people).
jq -c '.paths|to_entries[]|.key as $p|select($p|startswith("/auth/")|not)|.value|to_entries[]
	|select(.value.requestBody and (.value.security != [{"signIn": []}]))
	|{path: $p, method: (.key|ascii_upcase), body: .value.requestBody.content["application/json"].example}' "$spec" >"$W/bodies"
# A path may name a record that is not there; the body is good all the same.
while read -r line; do
	path=$(printf '%s' "$line" | jq -r .path)
	api "$(printf '%s' "$line" | jq -r .method)" "$(printf '%s' "$path" |
		sed "s/{project_uuid}/$P/; s/{[a-z]*_uuid}/3f0b6a52-5d0c-4c3a-9a55-0f6d1c2b7e91/")" \
		"$(printf '%s' "$line" | jq -c .body)"
	like "$STATUS" '^(200|201|202|404)$' "the operation accepts the example of $path"
	case $path in # a key may have two exports under way
	*/exports) api DELETE "/search/exports/$(field .export.uuid)" ;;
	esac
done <"$W/bodies"
jq -r '. as $d | .paths | to_entries[] | .key as $p | .value.get.parameters // [] | .[]["$ref"] // empty
	| ltrimstr("#/components/parameters/") | $d.components.parameters[.] | select(.name == "q")
	| "\($p)?q=\(.example | @uri)"' "$spec" >"$W/queries"
is "$(wc -l <"$W/queries")" 20 "search, count and validate of each dataset have an example of q"
while read -r path; do
	api GET "$path"
	is "$STATUS $(field '.valid // true')" "200 true" "the example of $path is a valid query"
done <"$W/queries"
