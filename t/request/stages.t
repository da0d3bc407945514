#!/bin/sh
# SPDX-License-Identifier: ISC
# The log line of a refused request names the stage that refused it; t/request/order.t tests the order of the stages.
. t/lib.sh
pg_start
api_start
web_start

A=/search/hosts/aggregate
good='{"aggregations":[{"field":"tags"}]}'
text='Content-Type: text/plain'
big=$(head -c 32769 /dev/zero | tr '\0' ' ')
view=$(key_new --scope search.view)
count=$(key_new --scope search.aggregate)

# The error code and the stage in the log line of the last request.
logged()
{
	sed -n "s/.*done req=$(header X-Request-Id) .* code=\([^ ]*\) stage=\([^ ]*\) us=[0-9]*$/\1 \2/p" "$W/log/surfaced.log"
}

# refused_by STAGE CODE KEY METHOD PATH [BODY [curl options]]
refused_by()
{
	_stage=$1 _code=$2 key=$3
	shift 3
	api "$@"
	is "$(logged)" "$_code $_stage" "the log of a request with $_code names the stage $_stage"
}

refused_by route not_found none GET /search/nothing
refused_by auth_who unauthorized none POST "$A" "$good"
refused_by auth_override api_key_account_override "$count" POST "$A?org_uuid=1" "$good"
refused_by auth_scope permission_denied "$view" POST "$A" "$good"
refused_by path_uuids invalid_request "$KEY" GET /projects/x/members
refused_by auth_project project_not_found "$KEY" GET /projects/00000000-0000-4000-8000-000000000000/members
refused_by body_type unsupported_media_type "$count" POST "$A" "$good" -H "$text"
refused_by body_read request_too_large "$count" POST "$A" "$big"
refused_by params invalid_pagination "$view" GET '/search/hosts?limit=0'
refused_by idempotency invalid_request "$KEY" POST "/projects/$P/sessions" '{}' -H 'Idempotency-Key;'
refused_by body_decode invalid_json "$count" POST "$A" '{'
refused_by handler invalid_search_query "$view" GET '/search/hosts?q=('
key=$KEY
api GET /usage
is "$STATUS $(logged)" "200 - -" "the log of a request that succeeded names no stage"
