#!/bin/sh
# SPDX-License-Identifier: ISC
# Routing, headers and envelopes: C-001, C-002, C-013, C-020, C-060 to C-064, C-120 to C-122.
. t/lib.sh
pg_start
api_start
web_start

for path in /search/hosts/aggregate/ //search/hosts /search//hosts /search/hosts%2Faggregate /search/./hosts \
	/search/x/../hosts /search/%2e/hosts /search/hosts%3Fq=1 /Search/hosts /search/HOSTS / ''; do
	api GET "$path"
	is "$STATUS $(field .error.code)" "404 not_found" "the path $path is no operation (C-001)"
done
api GET https://localhost/search/hosts
is "$STATUS" 404 "an operation outside /api/v1 is not found (C-001)"
api GET /search/%68osts/validate
is "$STATUS" 200 "a percent-encoded letter in a path means that letter"

api DELETE /search/hosts/aggregate
is "$STATUS $(field .error.code) $(header Allow)" "405 method_not_allowed POST" \
	"the answer 405 names POST in Allow"
api PATCH /search/hosts
is "$STATUS $(field .error.code) $(header Allow)" "405 method_not_allowed GET, HEAD" \
	"the answer 405 names GET and HEAD in Allow"
for verb in TRACE CONNECT; do
	api GET /search/hosts/aggregate --request-target /api/v1/search/hosts/aggregate -X $verb
	is "$STATUS $(field .error.code) $(header Allow)" "405 method_not_allowed POST" \
		"the method $verb gets 405 with Allow"
done
api HEAD /search/schemas
is "$STATUS" 200 "HEAD of a GET operation succeeds"

# The envelope of each area has exactly these members.
shape='.error|keys|join(",")'
api GET /search/hosts?x=1
is "$(field "$shape")" code,message,request_id \
	"an error of a search has code, message and request_id only (C-060)"
api GET /search/nothing
is "$(field "$shape")" code,message,request_id \
	"an unknown search operation has the envelope of search (C-060)"
key=none
api GET /search/hosts
is "$(field "$shape")" code,message,request_id "a search without a key has the envelope of search (C-060)"
api GET /openapi.json?x=1
is "$(field "$shape")" code,field_errors,message,request_id \
	"an error outside search has field_errors too (C-061)"
api GET /nothing
is "$STATUS $(field "$shape") $(field .error.field_errors)" "404 code,field_errors,message,request_id []" \
	"an unknown operation outside search has field_errors too (C-061)"
key=$KEY

api GET '/search/hosts?x=<script>' -H 'X-Request-Id: mine'
like "$(field .error.code)" '^[a-z][a-z0-9_]*$' \
	"an error code has lower-case letters, digits and underscores only (C-062)"
unlike "$(field .error.message)" '<|>|SELECT|/|localhost' \
	"an error message does not repeat the request (C-062)"
is "$(field .error.request_id)" "$(header X-Request-Id)" \
	"the request id of the body equals X-Request-Id (C-063)"
like "$(header X-Request-Id)" '^[0-9a-f]{32}$' "the request id of the client is not used (C-063)"
is "$(header Content-Type)" application/json "the media type of an error is application/json"
is "$(header Cache-Control)" no-store "no cache may store an error"
api GET /search/schemas
is "$(header Content-Type) $(header Cache-Control)" "application/json no-store" "no cache may store an answer"
is "$(field '.schemas[]|select(.dataset=="hosts").fields[]|select(.name=="services.port")|"\(.type) \(.value_type) \(.aggregatable) \(.nested) \(.aliases|join(","))"')" \
	"integer integer true true port" "the search schema has type, flags and alias of services.port"

is "$(field '[.schemas[].fields[].name|select(test("organi[sz]ation"))|split(".")|last]|unique|join(" ")')" organisation \
	"the search schema uses British spelling (C-013)"

key=none
api GET /openapi.json
is "$STATUS $(field .info.version)" "200 1.0.0" "openapi.json needs no key (C-122)"
is "$(field '.paths["/search/hosts/aggregate"].post.operationId')" aggregateHosts \
	"openapi.json has the operation aggregateHosts (C-122)"
for document in openapi asyncapi; do
	api GET "/$document.json"
	etag=$(header ETag)
	is "${etag#W/} $(header Cache-Control)" "\"$(printf '%s\n' "$BODY" | sha256sum | cut -d' ' -f1)\" public, max-age=300" \
		"C-416: the ETag of $document.json is its hash, and caches keep it"
	for sent in "$etag" "W/$etag" "\"x\", W/$etag" '*'; do
		api GET "/$document.json" -H "If-None-Match: $sent"
		is "$STATUS $(header ETag) $(header Cache-Control) $BODY" "304 $etag public, max-age=300 " \
			"C-416: a client that has $document.json sends If-None-Match: $sent and gets 304"
	done
	api GET "/$document.json" -H 'If-None-Match: "x", W/"y"'
	is "$STATUS $(header ETag)" "200 $etag" "C-416: another ETag gets the whole $document.json"
	api GET "/$document.json?x=1" -H "If-None-Match: $etag"
	is "$STATUS $(header Cache-Control)|$(header ETag)" "400 no-store|" "an error about $document.json is not stored"
done
key=$KEY

api POST /search/hosts/bulk '{"ips":["192.0.2.1
"]}'
is "$(field .error.code)" invalid_json "a raw newline in a JSON string is refused"
api POST /search/hosts/bulk '{"ips":["192.0.2.1\n"]}'
is "$(field .error.code)" invalid_ip_batch "an address with a trailing newline is refused (C-064)"
api GET '/search/hosts?limit=5%0A'
is "$(field .error.code)" invalid_pagination "a limit with a trailing newline is refused (C-064)"
