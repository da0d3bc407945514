#!/bin/sh
# SPDX-License-Identifier: ISC
# Rules are imported all or not at all, and exported in the form that imports take (C-160).
. t/lib.sh
pg_start
api_start
web_start
ctl tags set --name "No login" no-login >/dev/null
stranger_new
ctl entitlements grant --account "$ACCOUNT2" rules >/dev/null
own=$key

content() { jq -cn "{name: \"Redis\", dataset: \"services\", scope: \"surface\", query: \"product:redis\", severity: \"high\"} + $1"; }
import_rules() { api POST /rules/import "{\"rules\":[$1]${2:+,\"on_existing\":\"$2\"}}"; }
counts() { field '[.created, .updated, .skipped]|join(" ")'; }
faults() { field '[.error.field_errors[].field]|join(" ")'; }
rows() { sql "SELECT count(*) FROM rule WHERE account_uuid = '$ACCOUNT' AND deleted_at IS NULL"; }
id() { printf '6d0b9f0e-6a0f-4b0e-9a53-2f1f3c7c1d%02d' "$1"; }

# ---- all or nothing ----

good=$(content "{\"id\":\"$(id 1)\"}")
import_rules "$good,$(content '{"query":"product:("}'),$(content '{"severity":"urgent","color":1}'),$(content '{"query":"colour:red","tags":["unknown"],"tests":[{"name":"a","record":{"x":1},"expect":"match"}]}')"
is "$STATUS $(rows)" "400 0" "one bad rule stops the import of all (C-160)"
is "$(faults)" "rules[2].severity rules[2].color rules[1].query rules[3].query rules[3].tests[0].record rules[3].tags[0]" "every fault has the place of its rule (C-160)"
import_rules "$good,$(content '{"status":"testing","tests":[{"name":"a","record":{"product":"ssh"},"expect":"match"}]}')"
is "$STATUS $(faults) $(rows)" "400 rules[1].tests[0] 0" "a failing sample of a rule in testing stops the import of all (C-160)"
import_rules "$good,$(content '{"tests":[{"name":"a","record":{"product":"ssh"},"expect":"match"}]}'),$good"
is "$STATUS $(faults) $(rows)" "400 rules[2].id 0" "a repeated id stops the import of all rules (C-160)"
import_rules "$good,$(content '{}')"
is "$STATUS $(counts) $(rows)" "200 2 0 0 2" "good rules are created"
api POST /rules/import "$(jq -cn --argjson r "$(content '{}')" '{rules: [range(201)|$r]}')"
is "$STATUS $(faults)" "400 rules" "an import has at most 200 rules"
api POST /rules/import "{\"rules\":[],\"x\":\"$(head -c 1048576 /dev/zero | tr '\0' x)\"}"
is "$STATUS $(field .error.code)" "413 request_too_large" "an import has at most 1 MiB"

# ---- rules that there are ----

import_rules "$good"
is "$STATUS $(faults)" "400 rules[0].id" "an id that the account has is a fault by default (C-818)"
import_rules "$(content "{\"id\":\"$(id 1)\",\"name\":\"Other\"}"),$(content "{\"id\":\"$(id 2)\"}")" skip
is "$STATUS $(counts) $(sql "SELECT name FROM rule WHERE id = '$(id 1)'")" "200 1 0 1 Redis" "skip does not change an existing rule"
import_rules "$(content "{\"id\":\"$(id 1)\",\"query\":\"product:valkey\"}"),$(content "{\"id\":\"$(id 2)\"}")" update
is "$STATUS $(counts) $(sql "SELECT query || ' ' || version FROM rule WHERE id = '$(id 1)'")" "200 0 1 1 product:valkey 2" \
	"update replaces a rule that differs and skips one that does not (C-818)"
is "$(sql "SELECT query FROM rule_version")" product:redis "the query that an import replaces is kept"
sql "UPDATE rule SET status = 'testing' WHERE id = '$(id 1)'"
import_rules "$(content "{\"id\":\"$(id 1)\",\"dataset\":\"hosts\",\"query\":\"os:linux\"}")" update
is "$STATUS $(faults)" "400 rules[0].dataset" "only a draft changes its dataset (C-813)"
OTHER=$(ctl --json projects create --account "$ACCOUNT" Other | jq -er .project.uuid)
api PUT "/rules/$(sql "SELECT uuid FROM rule WHERE id = '$(id 1)'")/settings" "{\"enabled\":true,\"project_uuids\":[\"$OTHER\"]}"
key=$(key_new --scope all --project "$P")
import_rules "$(content "{\"id\":\"$(id 1)\"}")" update
is "$STATUS $(faults)" "400 rules[0].id" "a limited key does not replace a rule of another project (C-158)"
import_rules "$(content "{\"id\":\"$(id 9)\"}")" fail
is "$STATUS $(sql "SELECT project_uuids FROM rule_setting s JOIN rule r ON r.uuid = s.rule_uuid WHERE r.id = '$(id 9)'")" "200 {$P}" \
	"a rule that a limited key imports is one of its projects"
sql "DELETE FROM rule_setting s USING rule r WHERE r.uuid = s.rule_uuid AND r.id = '$(id 9)'; DELETE FROM rule WHERE id = '$(id 9)'"
key=$own

# ---- export, import, export ----

i=10
for status in draft testing stable deprecated; do
	i=$((i + 1))
	full="$full${full:+,}$(content "{\"id\":\"$(id $i)\",\"status\":\"$status\",\"name\":\"ünï \\\"$i\\\"\",\"description\":\"a\\n\\tb\",\"author\":\"Us\",\"licence\":\"CC0-1.0\",
		\"exclude\":\"port:6380\",\"tags\":[\"no-login\"],\"techniques\":[\"T1190\"],\"references\":[\"https://redis.io/\"],\"false_positives\":[\"x\"],
		\"tests\":[{\"name\":\"a\",\"record\":{\"port\":6379,\"product\":\"Redis\",\"http\":{\"headers\":1.0}},\"expect\":\"match\"}],
		\"produces\":{\"area\":\"rule\",\"exposure_kind\":\"db/redis\",\"rank\":$i,\"title\":\"{ip}\"}}" | sed 's/,"http":{"headers":1.0}//; s/"port":6379/"port" : 6379.0/')"
done
import_rules "$full,$(content "{\"id\":\"$(id 9)\",\"produces\":{\"area\":\"rule\"}}")"
is "$STATUS $(counts)" "200 5 0 0" "rules of every state are imported"
api GET '/rules/export'
cp "$W/body" "$W/first"
is "$STATUS $(field '.rules|length') $(field '[.rules[]|keys[]]|unique|join(" ")')" \
	"200 8 author dataset description exclude false_positives id licence name produces query references scope severity status tags techniques tests" \
	"an export has the members that imports take"
sql "INSERT INTO rule (id, name, dataset, scope, query, severity, status, content_sha256)
	VALUES (gen_random_uuid(), 'Of the catalogue', 'hosts', 'surface', 'os:linux', 'info', 'stable', repeat('0', 64))"
key=$KEY2
api POST /rules/import "$(cat "$W/first")"
is "$STATUS $(counts)" "200 8 0 0" "an export is imported into an empty account as it is (C-160)"
api GET '/rules/export'
ok "exported again it is the same bytes (C-160)" cmp "$W/body" "$W/first"
api POST /rules/import "$(jq -c '. + {on_existing: "update"}' "$W/first")"
is "$STATUS" 200 "the import is repeated"
api GET '/rules/export'
is "$(jq -S . "$W/body" | cksum)" "$(jq -S . "$W/first" | cksum)" "a repeated import changes nothing that an export has"
api GET '/rules/export?status=stable'
is "$(field '[.rules[].id]|join(" ")')" "$(id 13)" "the filters of the list select what is exported"
api GET '/rules/export?origin=catalogue'
is "$(field '[.rules[].name]|join(" ")')" "Of the catalogue" "rules of the catalogue are exported when they are asked for"

# ---- limits ----

sql "INSERT INTO rule (account_uuid, id, name, dataset, scope, query, severity)
	SELECT '$ACCOUNT', gen_random_uuid(), 'x', 'hosts', 'surface', '', 'info' FROM generate_series(1, 499 - $(rows))"
key=$own
import_rules "$(content '{}'),$(content '{}')"
is "$STATUS $(field .error.code) $(rows)" "409 rule_limit_exceeded 499" "an import beyond the limit creates nothing (C-160)"
import_rules "$(content '{}')"
is "$STATUS $(rows)" "200 500" "an import up to the limit is done"
