#!/bin/sh
# SPDX-License-Identifier: ISC
# Detection rules: created, replaced, read, deleted and copied (C-145, C-147, C-158, C-163).
. t/lib.sh
pg_start
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
 "produces":{"area":"rule","exposure_kind":"database/redis","rank":10,"title":"Redis at {ip}:{port}"}}'
api POST /rules "$full"
is "$STATUS $(field .rule.origin) $(field .rule.status) $(field .rule.version) $(field .rule.settings.enabled)" "201 account draft 1 true" \
	"a new rule is a draft of the account and enabled"
[ "$STATUS" = 201 ] || diag "$BODY" "$(tail -3 "$W/log/surfaced.log")"
rule=$(field .rule.uuid)
same() { printf %s "$BODY" | jq -cS --argjson in "$1" '.rule | with_entries(select(.key as $k | $in | has($k))) == $in'; }
is "$(same "$full")" true "a created rule has the members that were sent (C-145)"
is "$(header location)" "/api/v1/rules/$rule" "Location is the path of the new rule"
is "$(field '.rule.id')" "$rule" "the id is the uuid by default (C-818)"
is "$(field '[.rule.run, .rule.derived_from_uuid, .rule.replaced_by_uuid]|tostring')" "[null,null,null]" "a rule that nobody has evaluated has no run"
api GET "/rules/$rule"
is "$(same "$full")" true "GET answers the rule as it was stored (C-145)"
api GET /rules
is "$STATUS $(field '.rules|length') $(field '.rules[0].uuid')" "200 1 $rule" "the list has the rule"
api POST /rules "$(content '{"id":"6d0b9f0e-6a0f-4b0e-9a53-2f1f3c7c1d10","status":"testing"}')"
is "$STATUS $(field .rule.id) $(field .rule.status)" "201 6d0b9f0e-6a0f-4b0e-9a53-2f1f3c7c1d10 testing" "a rule may have its author's id, and begin in testing"
api POST /rules "$(content '{"id":"6d0b9f0e-6a0f-4b0e-9a53-2f1f3c7c1d10"}')"
is "$STATUS $(faults)" "400 id" "an id is unique in its account (C-818)"

# ---- faults ----

many=$(jq -cn '[range(21)|{name: "x", record: {}, expect: "match"}]')
api POST /rules "$(content "{\"query\":\"product:(\",\"exclude\":\"colour:red\",\"color\":1,\"tests\":$many,\"techniques\":[\"T1190\",\"t1190\",\"T1190.1\"],
	\"references\":[\"ftp://x\"],\"tags\":[\"no-login\",\"unknown\",\"no-login\"],\"severity\":\"urgent\"}")"
is "$STATUS $(faults)" "400 severity tags[2] tests color query exclude techniques[1] techniques[2] references[0] tags[1]" \
	"one answer names an unknown member, a bad query, a 21st test and every other fault (C-145)"
is "$(field '.error.field_errors[]|select(.field == "query")|.message')" "character 10: the query ends where a test is expected" \
	"the fault of a query has its position (C-145)"
api POST /rules "$(content '{"tests":[{"name":"a","record":{"port":1,"colour":2,"http":{"titel":"x"}},"expect":"match"},{"name":"b","record":[],"expect":"match"}]}')"
is "$STATUS $(faults)" "400 tests[0].record tests[0].record tests[1].record" "an unknown member of a sample is named"
like "$(field '.error.field_errors[1].message')" 'http\.titel' "the fault of a sample names the member"
api POST /rules "$(content "{\"tests\":[{\"name\":\"a\",\"record\":{\"product\":\"$(printf %16400s x | tr ' ' x)\"},\"expect\":\"match\"}]}")"
is "$STATUS $(faults)" "400 tests[0].record" "a sample has at most 16384 bytes"
api POST /rules "$(content '{"produces":{"area":"rule","title":"{port} {colour}"}}')"
is "$STATUS $(faults)" "400 produces.title" "a title names fields of the dataset alone"
api POST /rules '{"produces":{}}'
is "$STATUS $(faults)" "400 name dataset scope query severity produces.area" "each required member is named"
api POST /rules "{\"description\":\"$(head -c 530000 /dev/zero | tr '\0' x)\"}"
is "$STATUS $(field .error.code)" "413 request_too_large" "a body has at most 524288 bytes"

# ---- PUT ----

put() { api PUT "/rules/$rule" "$(content "{\"version\":$1} + $2")"; }
put 1 '{"query":"product:valkey","tags":["no-login"]}'
is "$STATUS $(field .rule.version) $(field .rule.query) $(field .rule.exclude) $(field '.rule.tests|length') $(field .rule.produces)" "200 2 product:valkey  0 null" \
	"PUT replaces the whole rule (C-145)"
was=$BODY
api GET "/rules/$rule"
is "$BODY" "$was" "a rule as stored by PUT is what GET answers (C-145)"
put 1 '{"query":"product:other"}'
is "$STATUS $(field .error.code)" "409 rule_version_conflict" "an outdated version is refused (C-147)"
api GET "/rules/$rule"
is "$BODY" "$was" "a refused PUT has stored nothing (C-147)"
put 2 '{"query":"product:valkey","tags":["no-login"]}'
is "$STATUS $(field .rule.version)" "200 2" "a PUT of the content that the rule has changes nothing (C-817)"
for n in 1 2; do
	content "{\"version\":2,\"query\":\"port:$n\"}" >"$W/put.$n"
	# shellcheck disable=SC2086 # a list of options
	curl -sS $CURL -o /dev/null -w '%{http_code}\n' -X PUT -H "X-API-Key: $key" -H 'Content-Type: application/json' \
		--data-binary "@$W/put.$n" "$BASE_URL/rules/$rule" >"$W/status.$n" &
	eval "pid$n=\$!"
done
# shellcheck disable=SC2154 # the loop sets both
wait "$pid1" "$pid2"
is "$(cat "$W"/status.? | sort | tr '\n' ' ')" "200 409 " "of two PUTs with the same version at once, one passes (C-147)"
api GET "/rules/$rule"
is "$(field .rule.version)" 3 "the rule has one version more"
is "$(sql "SELECT string_agg(version || ':' || query || ':' || exclude, ' ' ORDER BY version) FROM rule_version WHERE rule_uuid = '$rule'")" \
	"1:product:redis:port:6380 2:product:valkey:" "each replaced query is kept once (C-817)"
query=$(field .rule.query)
put 3 "{\"name\":\"Another\",\"query\":\"$query\"}"
is "$STATUS $(field .rule.version) $(sql "SELECT count(*) FROM rule_version WHERE rule_uuid = '$rule'")" "200 4 2" \
	"another name is a version, but no query goes (C-817)"
api GET "/rules/$rule/versions?limit=1"
is "$STATUS $(field '.versions[0]|[.version, .query, .dataset, .exclude]|join(" ")') $(field .has_more)" "200 2 product:valkey services  true" \
	"the former versions are listed, newest first"
api GET "/rules/$rule/versions?limit=1&cursor=$(field .next_cursor)"
is "$(field '.versions[0].version') $(field .has_more)" "1 false" "the pages of former versions join without a gap"
api GET "/rules/$(uuid_new)/versions"
is "$STATUS $(field .error.code)" "404 rule_not_found" "the versions of an unknown rule are not found"

# ---- Idempotency-Key ----

api POST /rules "$(content '{"name":"Once"}')" -H 'Idempotency-Key: one'
once=$(field .rule.uuid)
api POST /rules "$(content '{"name":"Once"}')" -H 'Idempotency-Key: one'
is "$STATUS $(field .rule.uuid) $(header idempotency-replayed)" "201 $once true" "a repeated request creates no second rule"
api POST /rules "$(content '{"name":"Twice"}')" -H 'Idempotency-Key: one'
is "$STATUS $(field .error.code)" "409 idempotency_key_conflict" "another request with the key is refused"

# ---- filters ----

api POST /rules "$(content '{"name":"Old DNS","dataset":"dns","query":"host:example.com","severity":"low","techniques":["T1071"]}')"
dns=$(field .rule.uuid)
catalogue=$(sql "INSERT INTO rule (id, name, dataset, scope, query, severity, status, content_sha256)
	VALUES (gen_random_uuid(), 'Of the catalogue', 'hosts', 'all', 'os:linux', 'info', 'stable', repeat('0', 64)) RETURNING uuid")
names() { api GET "/rules?$1"; field '[.rules[].name]|sort|join(", ")'; }
is "$(names origin=catalogue) / $(names dataset=dns) / $(names severity=low) / $(names technique=T1071) / $(names name=OLD)" \
	"Of the catalogue / Old DNS / Old DNS / Old DNS / Old DNS" "origin, dataset, severity, technique and name filter rules"
is "$(names tag=no-login) / $(names status=stable) / $(names enabled=false) / $(names 'dataset=dns&severity=high')" \
	" / Of the catalogue / Of the catalogue / " "tag, status and enabled filter rules, and every filter must pass"
api GET '/rules?origin=ours'
is "$STATUS $(field .error.code)" "400 invalid_request" "an unknown origin is refused"

# ---- copy and delete ----

api POST "/rules/$catalogue/copy"
copy=$(field .rule.uuid)
is "$STATUS $(field '.rule|[.origin, .status, .version, .name, .query, .derived_from_uuid]|join(" ")')" \
	"201 account draft 1 Of the catalogue (copy) os:linux $catalogue" "a copy is a draft of the account that names its origin (C-819)"
api DELETE "/rules/$copy"
is "$STATUS $(field .rule.uuid) $(sql "SELECT deleted_at IS NOT NULL FROM rule WHERE uuid = '$copy'")" "200 $copy t" "a deleted rule keeps its row"
for request in "GET /rules/$copy" "DELETE /rules/$copy" "POST /rules/$copy/copy" "POST /rules/$copy/stage"; do
	# shellcheck disable=SC2086 # two words
	api $request
	is "$STATUS $(field .error.code)" "404 rule_not_found" "$request: a deleted rule is not found"
done

# ---- whose rules ----

OTHER=$(ctl --json projects create --account "$ACCOUNT" Other | jq -er .project.uuid)
own=$key
key=$KEY2
for path in "/rules/$rule" "/rules/$rule/versions"; do
	api GET "$path"
	is "$STATUS $(field .error.code)" "404 rule_not_found" "$path of another account is not found (C-158)"
done
is "$(names '')" "Of the catalogue" "another account's rules are not listed (C-158)"
api PUT "/rules/$rule/settings" '{"enabled":true}'
is "$STATUS" 404 "another account cannot change settings of the rule (C-158)"
api GET "/rules/export"
is "$(field '.rules|length')" 0 "another account's rules are not exported (C-158)"
key=$own
api PUT "/rules/$rule/settings" "{\"enabled\":true,\"project_uuids\":[\"$P\",\"$OTHER\"]}"
is "$STATUS $(field '.rule.settings.project_uuids|length')" "200 2" "a rule names projects"
api PUT "/rules/$dns/settings" "{\"enabled\":true,\"project_uuids\":[\"$OTHER\"]}"
key=$(key_new --scope all --project "$P")
is "$(names '')" "Another, Of the catalogue, Once, Redis" "a limited key sees the rules of its project and general ones alone (C-158)"
api GET "/rules/$dns"
is "$STATUS" 404 "a limited key does not find a rule of another project (C-158)"
api GET "/rules/$rule"
is "$(field '.rule.settings.project_uuids|join(" ")')" "$P" "a limited key sees its own projects of a rule alone"

# A limited key changes rules whose projects it sees all of; any other change has an effect on projects that it does not see.
general=$(sql "SELECT uuid FROM rule WHERE account_uuid IS NOT NULL AND name = 'Once' AND deleted_at IS NULL")
body() { content '{version: 1}'; }
refuses()
{
	_rule=$1
	for request in "PUT /rules/$_rule" "DELETE /rules/$_rule" "POST /rules/$_rule/stage" "PUT /rules/$_rule/settings"; do
		case $request in
		*settings) _body="{\"enabled\":false,\"project_uuids\":[\"$P\"]}" ;;
		PUT*) _body=$(body) ;;
		*) _body= ;;
		esac
		# shellcheck disable=SC2086 # a method and a path
		api $request ${_body:+"$_body"}
		is "$STATUS $(field .error.code)" "403 permission_denied" "a limited key gets 403 for $2: ${request%% *} ${request##*"$_rule"}"
	done
}
was=$(sql "SELECT r, s FROM rule r LEFT JOIN rule_setting s ON s.rule_uuid = r.uuid ORDER BY r.uuid")
refuses "$rule" "a rule that names a project which it does not see"
refuses "$general" "a rule that names no project"
api PUT "/rules/$catalogue/settings" "{\"enabled\":true,\"project_uuids\":[\"$P\"]}"
is "$STATUS $(field .error.code)" "403 permission_denied" "a limited key does not set a rule of the catalogue for the organisation"
is "$(sql "SELECT r, s FROM rule r LEFT JOIN rule_setting s ON s.rule_uuid = r.uuid ORDER BY r.uuid")" "$was" "refused requests of a limited key have changed nothing (C-820)"
api POST /rules "$(content '{name: "Confined"}')"
mine=$(field .rule.uuid)
is "$STATUS $(field '.rule.settings.project_uuids|join(" ")')" "201 $P" "a rule that a limited key creates is one of its projects (C-820)"
api POST "/rules/$general/copy"
is "$STATUS $(field '.rule.settings.project_uuids|join(" ")')" "201 $P" "a rule that a limited key copies is one of its projects (C-820)"
api DELETE "/rules/$(field .rule.uuid)"
is "$STATUS" 200 "a limited key deletes a rule of its projects"
api PUT "/rules/$mine/settings" "{\"enabled\":true,\"project_uuids\":[\"$P\",\"$P\"]}"
is "$STATUS $(field '[.error.field_errors[]|.field, .code]|join(" ")')" "400 project_uuids[1] duplicate" \
	"the settings of a rule name a project once"
api PUT "/rules/$mine/settings" "{\"enabled\":true,\"project_uuids\":[\"$OTHER\",\"$P\"]}"
is "$STATUS $(field '[.error.field_errors[]|.field, .code]|join(" ")')" "400 project_uuids[0] not_found" \
	"a project outside the ceiling is not found"
api PUT "/rules/$mine/settings" '{"enabled":true}'
is "$STATUS $(field .error.code)" "403 permission_denied" "a limited key does not make a rule general"
api PUT "/rules/$mine/settings" "{\"enabled\":false,\"project_uuids\":[\"$P\"]}"
is "$STATUS $(field .rule.settings.enabled)" "200 false" "a limited key sets a rule of its projects"
api DELETE "/rules/$mine"
api POST /rules/tags '{"slug":"confined"}'
is "$STATUS $(field .error.code)" "403 permission_denied" "a limited key adds no tag to the organisation"
key=$own
api PUT "/rules/$rule/settings" "{\"enabled\":false,\"project_uuids\":[\"$P\"]}"

# ---- rights ----

key=$(key_new --scope rules.view)
api GET "/rules/$rule"
is "$STATUS" 200 "a key with rules.view reads a rule (C-163)"
api POST /rules "$(content '{}')"
is "$STATUS $(field .error.code)" "403 permission_denied" "rules.view does not write (C-163)"
api POST /rules/validate '{"dataset":"hosts","query":""}'
is "$STATUS" 403 "rules.view does not validate (C-163)"
key=$(key_new --scope rules.manage)
api POST /rules "$(content '{"name":"Managed"}')"
is "$STATUS" 201 "a key with rules.manage creates a rule (C-163)"
for path in /rules "/rules/$rule" "/rules/$rule/versions" /rules/export; do
	api GET "$path"
	is "$STATUS $(field .error.code)" "403 permission_denied" "rules.manage does not read $path (C-163)"
done
ctl entitlements revoke --account "$ACCOUNT2" rules >/dev/null
key=$KEY2
entitled() { api GET /rules; [ "$STATUS" = 403 ] && [ "$(field .error.code)" = entitlement_required ]; }
ok "rules want the entitlement" world_until 20 entitled
key=$own

# ---- limits ----

sql "INSERT INTO rule (account_uuid, id, name, dataset, scope, query, severity)
	SELECT '$ACCOUNT', gen_random_uuid(), 'x', 'hosts', 'surface', '', 'info' FROM generate_series(1,
		500 - (SELECT count(*)::int FROM rule WHERE account_uuid = '$ACCOUNT' AND deleted_at IS NULL))"
api POST /rules "$(content '{}')"
is "$STATUS $(field .error.code)" "409 rule_limit_exceeded" "an account has at most 500 rules of its own"
api POST "/rules/$catalogue/copy"
is "$STATUS $(field .error.code)" "409 rule_limit_exceeded" "copies count as rules of the account"
sql "INSERT INTO rule (id, name, dataset, scope, query, severity, content_sha256)
	SELECT gen_random_uuid(), 'x', 'hosts', 'surface', '', 'info', repeat('0', 64) FROM generate_series(1, 500);
	INSERT INTO rule_setting (account_uuid, rule_uuid, enabled) SELECT '$ACCOUNT', uuid, true FROM rule WHERE account_uuid IS NULL AND name = 'x'"
api PUT "/rules/$catalogue/settings" '{"enabled":true}'
first=$STATUS
api PUT "/rules/$rule/settings" '{"enabled":true}'
is "$first $STATUS $(field .error.code)" "200 409 rule_limit_exceeded" "an account has at most 1000 enabled rules"
