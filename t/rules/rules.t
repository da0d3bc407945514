#!/bin/sh
# SPDX-License-Identifier: ISC
# Detection rules: created, replaced, read, deleted and copied (C-145, C-147, C-158, C-163).
. t/lib.sh
pg_start
index_start
api_start
web_start
ctl tags set --name "No login" no-login >/dev/null
stranger_new
ctl entitlements grant --account "$ACCOUNT2" rules >/dev/null

# content MEMBERS: a body with these members besides, or in place of, those that are required.
content() { jq -cn "{name: \"Redis\", dataset: \"services\", scope: \"surface\", query: \"product:redis\", severity: \"high\"} + $1"; }
faults() { field '[.error.field_errors[].field]|join(" ")'; }

# ---- what is stored ----

full='{"name":"Redis without a login","description":"Line\n<b>é</b>","author":"Us","licence":"CC0-1.0","dataset":"services",
 "scope":"surface","query":"product:redis","exclude":"port:6380","severity":"high","tags":["no-login"],
 "techniques":["T1190","T1059.001"],"references":["https://redis.io/docs"],"false_positives":["Honeypots"],
 "tests":[{"name":"open","record":{"port":6379,"product":"Redis", "host":{"asn":1}},"expect":"match"}],
 "produces":{"area":"service","exposure_kind":"database/redis","rank":10,"title":"Redis at {ip}:{port}"}}'
api POST /rules "$full"
is "$STATUS $(field .rule.origin) $(field .rule.status) $(field .rule.version) $(field .rule.settings.enabled)" "201 account draft 1 true" \
	"a new rule is a draft of the account and enabled"
[ "$STATUS" = 201 ] || diag "$BODY" "$(tail -3 "$W/log/surfaced.log")"
rule=$(field .rule.uuid)
same() { printf %s "$BODY" | jq -cS --argjson in "$1" '.rule | with_entries(select(.key as $k | $in | has($k))) == $in'; }
is "$(same "$full")" true "a created rule has the members that were sent (C-145)"
is "$(header location)" "/api/v1/rules/$rule" "Location is the path of the new rule"
is "$(field '.rule.id')" "$rule" "the id is the uuid by default"
is "$(field '[.rule.run, .rule.derived_from_uuid, .rule.replaced_by_uuid]|tostring')" "[null,null,null]" "a rule that nobody has evaluated has no run"
api GET "/rules/$rule"
is "$(same "$full")" true "GET answers the rule as it was stored (C-145)"
