#!/bin/sh
# SPDX-License-Identifier: ISC
# Without the index of searches rules are written and read, and validate answers 503 (C-163).
. t/lib.sh
pg_start
api_start
web_start

key=$(key_new --scope rules.manage --scope rules.view)
api POST /rules/validate '{"dataset":"hosts","query":"os:linux"}'
is "$STATUS $(field .error.code)" "503 search_upstream_failed" "validate is 503 while the index is away (C-163)"
api POST /rules/validate '{"dataset":"hosts","query":"os:("}'
is "$STATUS $(field .valid)" "200 false" "a bad query needs no index"
rule='{"name":"x","dataset":"hosts","scope":"all","query":"os:linux","severity":"low"'
api POST /rules "$rule}"
is "$STATUS" 201 "a rule is created while the index is away (C-163)"
uuid=$(field .rule.uuid)
for event in stage publish deprecate redraft; do
	[ "$event" != redraft ] || sql "UPDATE rule SET status = 'testing' WHERE uuid = '$uuid'"
	api POST "/rules/$uuid/$event"
	is "$STATUS" 200 "$event works while the index is away (C-163)"
done
api PUT "/rules/$uuid" "$rule,\"version\":1,\"exclude\":\"asn:1\"}"
is "$STATUS" 200 "a rule is replaced while the index is away (C-163)"
api PUT "/rules/$uuid/settings" '{"enabled":true,"exclude":"asn:2"}'
is "$STATUS" 200 "settings are written while the index is away (C-163)"
api POST "/rules/$uuid/copy"
is "$STATUS" 201 "a rule is copied while the index is away (C-163)"
api POST /rules/import "{\"rules\":[$rule,\"status\":\"testing\"}]}"
is "$STATUS $(field .created)" "200 1" "rules are imported while the index is away (C-163)"
for path in "/rules" "/rules/$uuid" "/rules/$uuid/versions" "/rules/export"; do
	api GET "$path"
	is "$STATUS" 200 "$path is read while the index is away (C-163)"
done
api DELETE "/rules/$uuid"
is "$STATUS" 200 "a rule is deleted while the index is away (C-163)"
