#!/bin/sh
# SPDX-License-Identifier: ISC
# The order of the checks: each request has several faults, and the first in the order of C-014 is the answer.
. t/lib.sh
pg_start
api_start
web_start

A=/search/hosts/aggregate
good='{"aggregations":[{"field":"tags"}]}'
view=$(key_new --scope search.view)
count=$(key_new --scope search.aggregate)

# A second organisation, suspended, and a third without search.
org()
{
	ctl --json accounts create "$@" | jq -er .account.uuid
}
org_key()
{
	ctl members create --account "$1" --email "o@$2.example.com" --owner Owner >/dev/null
	ctl --json keys create --account "$1" --name k --scope search.view | jq -er .key.key
}
asleep_org=$(org Asleep)
asleep=$(org_key "$asleep_org" asleep)
ctl accounts suspend "$asleep_org" >/dev/null
bare_org=$(org Bare)
bare=$(org_key "$bare_org" bare)
ctl entitlements revoke --account "$bare_org" search >/dev/null

# case KEY METHOD PATH BODY STATUS CODE TITLE [curl options]
case_()
{
	key=$1 _m=$2 _p=$3 _b=$4 _s=$5 _c=$6 _t=$7
	shift 7
	if [ -n "$_b" ]; then api "$_m" "$_p" "$_b" "$@"; else api "$_m" "$_p" "$@"; fi
	is "$STATUS $(field .error.code)" "$_s $_c" "$_t"
}

text='Content-Type: text/plain'
big=$(head -c 32769 /dev/zero | tr '\0' ' ')

case_ none POST /search/nothing '{' 404 not_found "C-014: the route is before the key"
case_ none PUT "$A" '{' 405 method_not_allowed "C-014: the method is before the key"
case_ none POST "$A" '{' 401 unauthorized "C-015: no key and a bad body" -H "$text"
case_ none POST "$A?org_uuid=1" '{' 401 unauthorized "C-014: the key is before the override"
case_ "$asleep" POST "$A?org_uuid=1" '{' 400 api_key_account_override "C-011: the override is before the account's state"
case_ "$asleep" POST "$A" '{' 403 permission_denied "C-008: the account's state is before the body" -H "$text"
case_ "$asleep" GET /search/hosts/validate '' 403 permission_denied "C-008: an inactive account"
case_ "$view" POST "$A" '{' 403 permission_denied "C-015: a wrong scope and a bad body" -H "$text"
case_ "$view" POST "$A?org_uuid=1" "$good" 400 api_key_account_override "C-014: the override is before the scope"
case_ "$bare" POST "$A" "$good" 403 permission_denied "C-014: the scope is before the entitlement"
case_ "$bare" GET '/search/hosts/validate?x=1' '' 503 entitlement_required "C-017: the entitlement is before the parameters"
case_ "$count" POST "$A?x=1" "$big" 415 unsupported_media_type "C-016: 415 before 413" -H "$text"
case_ "$count" POST "$A?x=1" "$big" 413 request_too_large "C-016: 413 before 400"
case_ "$count" POST "$A" '{"org_uuid":1,' 400 invalid_json "C-014: JSON is before an override in the body"
case_ "$count" POST "$A" '{"org_uuid":1}' 400 api_key_account_override "C-011: an override in the body is before the schema"
case_ "$count" POST "$A" '{"aggregations":[{"field":"none"}],"query":"("}' 400 invalid_aggregation "C-040: the schema is before the query"
case_ "$count" POST "$A" '{"aggregations":[{"field":"tags"}],"query":"("}' 400 invalid_search_query "C-040: then the query"
case_ "$view" GET '/search/hosts?limit=0&q=(' '' 400 invalid_pagination "C-014: parameters are before the query"
case_ "$view" GET '/search/hosts?cursor=x&q=(' '' 400 invalid_search_query "C-014: the query is before the cursor"
