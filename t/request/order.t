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

case_ none POST /search/nothing '{' 404 not_found \
	"an unknown route is reported before a missing key (C-014)"
case_ none PUT "$A" '{' 405 method_not_allowed "a wrong method is reported before a missing key (C-014)"
case_ none POST "$A" '{' 401 unauthorized "a missing key is reported before a bad body (C-015)" -H "$text"
case_ none POST "$A?org_uuid=1" '{' 401 unauthorized \
	"a missing key is reported before an account override (C-014)"
case_ "$asleep" POST "$A?org_uuid=1" '{' 400 api_key_account_override \
	"an account override is reported before a suspended account (C-011)"
case_ "$asleep" POST "$A" '{' 403 permission_denied \
	"a suspended account is reported before a bad body (C-008)" -H "$text"
case_ "$asleep" GET /search/hosts/validate '' 403 permission_denied \
	"a key of a suspended account is refused (C-008)"
case_ "$view" POST "$A" '{' 403 permission_denied \
	"a missing scope is reported before a bad body (C-015)" -H "$text"
case_ "$view" POST "$A?org_uuid=1" "$good" 400 api_key_account_override \
	"an account override is reported before a missing scope (C-014)"
case_ "$bare" POST "$A" "$good" 403 permission_denied \
	"a missing scope is reported before a missing entitlement (C-014)"
case_ "$bare" GET '/search/hosts/validate?x=1' '' 503 entitlement_required \
	"a missing entitlement is reported before a bad parameter (C-017)"
case_ "$count" POST "$A?x=1" "$big" 415 unsupported_media_type \
	"a wrong media type is reported before a large body (C-016)" -H "$text"
case_ "$count" POST "$A?x=1" "$big" 413 request_too_large \
	"a large body is reported before a bad parameter (C-016)"
case_ "$count" POST "$A" '{"org_uuid":1,' 400 invalid_json \
	"invalid JSON is reported before an override in the body (C-014)"
case_ "$count" POST "$A" '{"org_uuid":1}' 400 api_key_account_override \
	"an override in the body is reported before a fault of the schema (C-011)"
case_ "$count" POST "$A" '{"aggregations":[{"field":"none"}],"query":"("}' 400 invalid_aggregation \
	"a fault of the schema is reported before a bad query (C-040)"
case_ "$count" POST "$A" '{"aggregations":[{"field":"tags"}],"query":"("}' 400 invalid_search_query \
	"a bad query in a good body is reported (C-040)"
case_ "$view" GET '/search/hosts?limit=0&q=(' '' 400 invalid_pagination \
	"a bad parameter is reported before a bad query (C-014)"
case_ "$view" GET '/search/hosts?cursor=x&q=(' '' 400 invalid_search_query \
	"a bad query is reported before a bad cursor (C-014)"
