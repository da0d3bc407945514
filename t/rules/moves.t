#!/bin/sh
# SPDX-License-Identifier: ISC
# The states of detection rules, what refuses a move, and settings (C-148, C-149, C-150).
. t/lib.sh
pg_start
index_start
api_start
web_start
stranger_new
ctl entitlements grant --account "$ACCOUNT2" rules >/dev/null

content() { jq -cn "{name: \"Redis\", dataset: \"hosts\", scope: \"surface\", query: \"os:linux\", severity: \"high\"} + $1"; }
faults() { field '[.error.field_errors[].field]|join(" ")'; }
rule()
{
	api POST /rules "$(content "${1:-{\}}")"
	field .rule.uuid
}
state() { sql "SELECT status FROM rule WHERE uuid = '$1'"; }
as() { sql "UPDATE rule SET status = '$2' WHERE uuid = '$1'"; }
good='{"name":"a","record":{"os":"linux"},"expect":"match"},{"name":"b","record":{"os":"bsd"},"expect":"no_match"}'

# ---- moves ----

rule=$(rule "{tests: [$good]}")
for status in draft testing stable deprecated; do
	for event in stage publish deprecate redraft; do
		as "$rule" "$status"
		wanted=$(sql "SELECT to_status FROM rule_move WHERE event = '$event' AND from_status = '$status'")
		api POST "/rules/$rule/$event"
		if [ -n "$wanted" ]; then
			is "$STATUS $(field .rule.status)" "200 $wanted" "$event moves a rule from $status to $wanted"
		else
			is "$STATUS $(field .error.code) $(state "$rule")" "409 rule_state_conflict $status" "$event of a rule in $status is refused (C-149)"
		fi
	done
done
as "$rule" testing
other=$(rule)
api POST "/rules/$rule/deprecate?replaced_by_uuid=$(uuid_new)"
is "$STATUS $(faults) $(state "$rule")" "400 replaced_by_uuid testing" "an unknown rule cannot be named as a replacement"
api POST "/rules/$rule/deprecate?replaced_by_uuid=$other"
is "$STATUS $(field .rule.replaced_by_uuid)" "200 $other" "a deprecated rule names the one to use in its place (C-816)"
api POST "/rules/$rule/redraft"
is "$(field .rule.replaced_by_uuid)" null "a move other than deprecate clears the replacement (C-816)"
is "$(sql "SELECT string_agg(action, ' ' ORDER BY id) FROM audit WHERE subject_id = '$rule' AND action NOT LIKE 'rule.create' AND actor LIKE 'key:%'" | grep -o 'rule.deprecate rule.redraft$')" \
	"rule.deprecate rule.redraft" "the audit log names each move"

# ---- samples ----

bad='{"name":"c","record":{"os":"bsd"},"expect":"match"},{"name":"d","record":{"os":"linux"},"expect":"no_match"}'
rule=$(rule "{tests: [$good,$bad]}")
api POST "/rules/$rule/stage"
is "$STATUS $(faults) $(state "$rule")" "400 tests[2] tests[3] draft" "failing samples refuse stage by their place (C-148)"
as "$rule" testing
api POST "/rules/$rule/publish"
is "$STATUS $(faults) $(state "$rule")" "400 tests[2] tests[3] testing" "failing samples refuse publish by their place (C-148)"
api POST /rules "$(content "{tests: [$bad], status: \"testing\"}")"
is "$STATUS $(faults)" "400 tests[0] tests[1]" "failing samples refuse a new rule in testing (C-148)"
api PUT "/rules/$rule" "$(content "{version: 1, name: \"x\", tests: [$bad]}")"
is "$STATUS" 200 "a rule in testing may have failing samples"
as "$rule" stable
was=$(sql "SELECT rule FROM rule WHERE uuid = '$rule'")
api PUT "/rules/$rule" "$(content "{version: 2, name: \"y\", tests: [$bad]}")"
is "$STATUS $(faults)" "400 tests[0] tests[1]" "failing samples refuse an edit of a stable rule (C-148)"
api PUT "/rules/$rule" "$(content "{version: 2, query: \"os:windows\", tests: [$good]}")"
is "$STATUS $(faults)" "400 tests[0]" "a new query refuses an edit of a stable rule when a sample fails (C-148)"
is "$(sql "SELECT rule FROM rule WHERE uuid = '$rule'")" "$was" "a refused edit has stored nothing (C-148)"
api PUT "/rules/$rule" "$(content "{version: 2, tests: [$good]}")"
is "$STATUS $(field .rule.status) $(field .rule.version)" "200 stable 3" "a stable rule whose samples pass is edited and stays stable"
api PUT "/rules/$rule" "$(content "{version: 3, dataset: \"dns\", query: \"host:x.example\"}")"
is "$STATUS $(faults)" "400 dataset" "only a draft changes its dataset (C-813)"
ctl tags set --name Loader --classification malicious --category malware --category malware/loader loader >/dev/null
rule=$(rule '{query: "tags.category:malware", tests: [{name: "a", record: {tags: ["loader"]}, expect: "match"}]}')
api POST "/rules/$rule/stage"
is "$STATUS $(field .rule.status)" "200 testing" "a sample has the categories of its tags"

# ---- too broad ----

awk 'BEGIN { for (i = 0; i < 10001; i++) printf "{\"ip\":\"10.0.%d.%d\",\"os\":\"%s\",\"last_seen\":\"2026-01-01T00:00:00Z\"}\n", i / 250, i % 250, i ? "linux" : "bsd" }' >"$W/hosts"
ctl import hosts "$W/hosts" >/dev/null 2>&1
hosts_wait 10001
narrow=$(rule '{scope: "all", query: "os:linux"}')
api POST "/rules/$narrow/stage"
is "$STATUS $(field .rule.status)" "200 testing" "a rule of scope all may match 10000 records"
broad=$(rule '{scope: "all", query: ""}')
api POST "/rules/$broad/stage"
is "$STATUS $(field .error.code) $(state "$broad")" "409 rule_too_broad draft" "a rule of scope all with 10001 matches is not staged (C-814)"
like "$(field .error.message)" ' 10001 ' "the message has the number of matches (C-814)"
api POST /rules "$(content '{scope: "all", query: "", status: "testing"}')"
is "$STATUS $(field .error.code)" "409 rule_too_broad" "a rule that is too broad is not created in testing"
api PUT "/rules/$narrow" "$(content '{version: 1, scope: "all", query: ""}')"
is "$STATUS $(field .error.code)" "409 rule_too_broad" "an evaluated rule does not become too broad"
surface=$(rule '{query: ""}')
api POST "/rules/$surface/stage"
is "$STATUS" 200 "a rule of scope surface may match any number (C-814)"
api PUT "/rules/$broad/settings" '{"enabled":true,"exclude":"os:bsd"}'
api POST "/rules/$broad/stage"
is "$STATUS" 200 "what the settings exclude does not count (C-814)"
api PUT "/rules/$broad/settings" '{"enabled":true,"exclude":""}'
is "$STATUS $(field .error.code)" "409 rule_too_broad" "an exclude is not lifted when the rule is too broad without it"
api PUT "/rules/$broad/settings" '{"enabled":false,"exclude":""}'
api PUT "/rules/$broad/settings" '{"enabled":true,"exclude":""}'
is "$STATUS $(field .error.code) $(sql "SELECT enabled FROM rule_setting WHERE rule_uuid = '$broad'")" "409 rule_too_broad f" \
	"a rule that is too broad is not enabled (C-814)"

# ---- rules without an anchor ----

sql "INSERT INTO rule (account_uuid, id, name, dataset, scope, query, severity, status)
	SELECT '$ACCOUNT', gen_random_uuid(), 'unanchored', 'hosts', 'surface', 'os:lin*', 'low', 'testing' FROM generate_series(1,
		50 - (SELECT count(*)::int FROM rule WHERE account_uuid = '$ACCOUNT' AND deleted_at IS NULL AND query = '' AND status IN ('testing', 'stable')))"
many=$(rule '{query: "os:bsd*"}')
api POST "/rules/$many/stage"
is "$STATUS $(field .error.code) $(state "$many")" "409 rule_limit_exceeded draft" "an account has at most 50 evaluated rules without an anchor (C-815)"
api POST /rules "$(content '{query: "os:bsd*", status: "testing"}')"
is "$STATUS $(field .error.code)" "409 rule_limit_exceeded" "a rule without an anchor beyond them is not created in testing"
api PUT "/rules/$narrow" "$(content '{version: 1, query: "os:bsd*"}')"
is "$STATUS $(field .error.code)" "409 rule_limit_exceeded" "an evaluated rule does not lose its anchor beyond them (C-815)"
api POST "/rules/$(rule '{query: "os:bsd"}')/stage"
is "$STATUS" 200 "a rule with an anchor does not count among them"
one=$(sql "SELECT uuid FROM rule WHERE name = 'unanchored' LIMIT 1")
sql "INSERT INTO rule (account_uuid, id, name, dataset, scope, query, severity, status)
	SELECT '$ACCOUNT', gen_random_uuid(), 'unanchored', 'hosts', 'surface', 'os:lin*', 'low', 'testing' FROM generate_series(1, 2)"
api PUT "/rules/$one" "$(content '{version: 1, query: "os:bsd*"}')"
is "$STATUS $(field .rule.query)" "200 os:bsd*" "a rule that had no anchor before may change when there are too many of them"
sql "DELETE FROM rule WHERE name = 'unanchored' AND uuid IN (SELECT uuid FROM rule WHERE name = 'unanchored' LIMIT 3)"
sql "WITH r AS (INSERT INTO rule (id, name, dataset, scope, query, severity, status, content_sha256)
		SELECT gen_random_uuid(), 'unanchored', 'hosts', 'surface', 'os:win*', 'info', 'stable', repeat('0', 64) FROM generate_series(1, 5) RETURNING uuid)
	INSERT INTO rule_setting (account_uuid, rule_uuid, enabled) SELECT '$ACCOUNT', uuid, true FROM r"
api POST "/rules/$many/stage"
is "$STATUS $(state "$many")" "200 testing" "rules of the catalogue that the account uses do not count among its own"
sql "UPDATE rule SET deleted_at = now() WHERE uuid = '$many'; DELETE FROM rule_setting WHERE rule_uuid IN (SELECT uuid FROM rule WHERE name = 'unanchored')"
sql "DELETE FROM detect_work; DELETE FROM rule WHERE name = 'unanchored'"

# ---- the catalogue ----

catalogue=$(sql "INSERT INTO rule (id, name, dataset, scope, query, severity, status, content_sha256)
	VALUES (gen_random_uuid(), 'Of the catalogue', 'hosts', 'surface', 'os:linux', 'info', 'testing', repeat('0', 64)) RETURNING uuid")
was=$(sql "SELECT rule FROM rule WHERE uuid = '$catalogue'")
api PUT "/rules/$catalogue" "$(content '{version: 1}')"
is "$STATUS $(field .error.code)" "409 rule_read_only" "a rule of the catalogue is not replaced (C-150)"
api DELETE "/rules/$catalogue"
is "$STATUS $(field .error.code)" "409 rule_read_only" "a rule of the catalogue is not deleted (C-150)"
for event in stage publish deprecate redraft; do
	api POST "/rules/$catalogue/$event"
	is "$STATUS $(field .error.code)" "409 rule_read_only" "$event of a rule of the catalogue is refused (C-150)"
done
is "$(sql "SELECT rule FROM rule WHERE uuid = '$catalogue'")" "$was" "the rule of the catalogue is as it was (C-150)"
settings() { field '.rule.settings|[.enabled, .severity, .exclude, .findings, (.project_uuids|join("+"))]|join(" ")'; }
api GET "/rules/$catalogue"
is "$(field .rule.origin) $(settings)" "catalogue false   false " "a rule of the catalogue is not enabled by itself (C-821)"
api PUT "/rules/$catalogue/settings" "{\"enabled\":true,\"severity\":\"critical\",\"exclude\":\"ip:192.0.2.1\",\"findings\":true,\"project_uuids\":[\"$P\"]}"
is "$STATUS $(settings)" "200 true critical ip:192.0.2.1 true $P" "a rule of the catalogue takes settings (C-150)"
api GET '/rules?severity=critical'
is "$(field '.rules[0].uuid') $(field '.rules[0].severity')" "$catalogue info" "the filter of the severity means that of the settings"
own=$key
key=$KEY2
api GET "/rules/$catalogue"
is "$(settings)" "false   false " "settings are the account's alone (C-150)"
key=$own
sql "UPDATE rule SET version = 2, query = 'os:bsd', content_sha256 = repeat('1', 64) WHERE uuid = '$catalogue'"
api GET "/rules/$catalogue"
is "$(field .rule.version) $(settings)" "2 true critical ip:192.0.2.1 true $P" "settings stand through a new version (C-150)"
api PUT "/rules/$catalogue/settings" '{"enabled":true,"exclude":"colour:red","severity":"urgent"}'
is "$STATUS $(faults)" "400 severity" "each fault of settings is named"
api PUT "/rules/$catalogue/settings" '{"enabled":true,"exclude":"colour:red"}'
is "$STATUS $(faults)" "400 exclude" "an exclude is a query of the rule's dataset"
api PUT "/rules/$(uuid_new)/settings" '{"enabled":true}'
is "$STATUS $(field .error.code)" "404 rule_not_found" "an unknown rule takes no settings"

# ---- the run ----

api GET "/rules/$catalogue"
is "$(field .rule.run)" null "a rule without a run has none in its answer"
sql "INSERT INTO rule_run (rule_uuid, account_uuid, rule_version, state, active_count, anchored, evaluated_at)
	VALUES ('$catalogue', '$ACCOUNT', 2, 'current', 7, true, '2026-01-01T00:00:00Z')"
api GET "/rules/$catalogue"
is "$(field '.rule.run|tojson')" '{"state":"current","active_count":7,"relation":"eq","anchored":true,"uses_now":false,"evaluated_at":"2026-01-01T00:00:00.000000Z","error":null}' \
	"the run of a rule is that of rule_run"
key=$KEY2
api GET "/rules/$catalogue"
is "$(field .rule.run)" null "another account does not see it"
