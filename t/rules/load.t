#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl rules load, list, show, import and export; migrate loads the catalogue. C-148, C-150, C-160.
. t/lib.sh
pg_start
D=$W/tmp

get() { jq -r "$1" "$D/out"; }
rules() { ctl --json rules "$@" >"$D/out" 2>"$D/err"; }
loads() { want=$1 title=$2; shift 2; rules load "$@"; is "$? $(jq -c .load "$D/out")" "0 $want" "$title"; }
# row ID MEMBERS: columns of a rule of the catalogue.
row() { sql "SELECT $2 FROM rule WHERE account_uuid IS NULL AND id = '$1'"; }

mkdir -p "$D/cat/a" "$D/own"
A=11111111-1111-4111-8111-111111111111 B=22222222-2222-4222-8222-222222222222 C=33333333-3333-4333-8333-333333333333
# rule ID TITLE QUERY [LINE...]
rule()
{
	printf "title: '%s'\n" "$2"; printf 'id: %s\nstatus: stable\nlevel: high\nreferences: [https://example.org/]\ntags: [x, attack.t1190]\n' "$1"
	_query=$3
	shift 3
	for line; do printf '%s\n' "$line"; done
	cat <<-END
		surface:
		  dataset: services
		  scope: surface
		  query: '$_query'
		  produces: {area: service, exposure_kind: database, rank: 10, title: "{product} at {ip}:{port}"}
		  tests:
		    - {name: "yes, \"it\" matches", expect: match, record: {port: 6379, product: Redis, version: "7.20", http: {status_code: 200}}}
		    - {name: it does not, expect: no_match, record: {port: 80, product: "a: b #c"}}
	END
}
rule $A "Redis" 'product:redis' >"$D/cat/a/a.yml"
rule $B "Redis 7" 'product:redis version:7.*' >"$D/cat/b.yaml"
echo 'no rule' >"$D/cat/README"

loads '{"fresh":2,"changed":0,"unchanged":0,"deprecated":0}' "a directory becomes the catalogue, with the directories below it" "$D/cat"
is "$(row $A "version, status, severity, scope, produces ->> 'rank', tags, techniques, json_array_length(tests), content_sha256")" \
	"1|stable|high|surface|10|{x}|{T1190}|2|$(sha256sum "$D/cat/a/a.yml" | cut -d ' ' -f 1)" \
	"the rule has the members of its file and the hash of its content"
is "$(row $A "tests -> 0 -> 'record' -> 'http' ->> 'status_code' || ' ' || (tests -> 0 -> 'record' ->> 'version')")" "200 7.20" \
	"a sample has the types and the texts of its file"
before=$(sql "SELECT json_agg(r ORDER BY id) FROM rule AS r")
loads '{"fresh":0,"changed":0,"unchanged":2,"deprecated":0}' "the same directory again changes nothing" "$D/cat"
is "$(sql "SELECT json_agg(r ORDER BY id) FROM rule AS r")" "$before" "an unchanged rule keeps its row, which surfaced-detect follows"

# What an account has set stands through a new version. C-150
account=$(sql "SELECT account_uuid FROM project WHERE uuid = '$P'")
sql "INSERT INTO rule_setting (account_uuid, rule_uuid, enabled, severity, exclude)
	SELECT '$account', uuid, false, 'low', 'ip:192.0.2.1' FROM rule WHERE id = '$A'" >/dev/null
set="SELECT enabled, severity, exclude FROM rule_setting"
rule $A "Redis" 'product:{redis,valkey}' >"$D/cat/a/a.yml"
uuid=$(row $A uuid)
loads '{"fresh":0,"changed":1,"unchanged":1,"deprecated":0}' "a changed file changes its rule alone" "$D/cat"
is "$(row $A "uuid, version, query")" "$uuid|2|product:{redis,valkey}" "a changed query is the next version of the same rule (C-830)"
is "$(sql "SELECT version, dataset, query, exclude FROM rule_version WHERE rule_uuid = '$uuid'")" "1|services|product:redis|" \
	"the former query is kept with its version"
is "$(sql "$set")" "f|low|ip:192.0.2.1" "the settings of an account stand through a new version (C-150)"
rule $A "Redis, again" 'product:{redis,valkey}' >"$D/cat/a/a.yml"
loads '{"fresh":0,"changed":1,"unchanged":1,"deprecated":0}' "a changed title changes the rule" "$D/cat"
is "$(row $A "version, name")" "2|Redis, again" "without another query the version stays"
is "$(sql "SELECT count(*) FROM rule_version")" 1 "without another query no former one is kept"

# What is gone is deprecated, and comes back.
mv "$D/cat/b.yaml" "$D/b.yaml"
loads '{"fresh":0,"changed":0,"unchanged":1,"deprecated":1}' "a rule whose file is gone is deprecated (C-830)" "$D/cat"
is "$(row $B "status, status_event, deleted_at IS NULL")" "deprecated|deprecate|t" "a deprecated rule keeps its row"
loads '{"fresh":0,"changed":0,"unchanged":1,"deprecated":0}' "a deprecated rule is deprecated once" "$D/cat"
mv "$D/b.yaml" "$D/cat/b.yaml"
loads '{"fresh":0,"changed":1,"unchanged":1,"deprecated":0}' "a rule that is back has its status again" "$D/cat"
is "$(row $B "status, status_event, version")" "stable|publish|1" "a rule that is back has its version"
rule $C "Redis 8" 'product:redis version:8.*' "related: [{id: $B, type: obsolete}, {id: $A, type: derived}]" |
	sed 's/"7.20"/"8.0"/' >"$D/cat/c.yml"
loads '{"fresh":1,"changed":0,"unchanged":2,"deprecated":0}' "a further file is a further rule" "$D/cat"
is "$(row $B replaced_by_uuid) $(row $C derived_from_uuid)" "$(row $C uuid) $(row $A uuid)" \
	"related rules name what replaces them and what they are derived from"

# All or nothing.
rule $A "Redis" 'product:(' >"$D/cat/a/a.yml"
rule $B "Redis 7" 'product:redis' >"$D/cat/b.yaml"
before=$(sql "SELECT json_agg(r ORDER BY id) FROM rule AS r")
rules load "$D/cat"
is "$?" 1 "a catalogue with one bad rule is refused"
like "$(cat "$D/err")" 'cat/a/a.yml:1: surface.query, character' "the bad rule is named with its file"
is "$(sql "SELECT json_agg(r ORDER BY id) FROM rule AS r")" "$before" "nothing of a refused catalogue is stored (C-830)"
rules load "$D/own"
is "$?" 1 "an empty directory is refused, which would deprecate every rule"
rules load "$D/nowhere"
is "$?" 1 "a directory that does not exist is refused"
rule $A "Redis" 'port:6379' | sed 's/port: 80/port: 81/' >"$D/cat/a/a.yml"
rules load "$D/cat"
like "$(cat "$D/err")" 'is no evidence alone' "a rule of the catalogue with a bare port is refused (C-193)"

# list, show
rule $A "Redis" 'product:redis' >"$D/cat/a/a.yml"
rules load "$D/cat"
rules list
is "$(get '.rules | map(.name) | join(", ")')" "Redis, Redis 7, Redis 8" "the list has the catalogue by name"
rules show $A
is "$(get '.rule | [.id, .version, .query, .produces.rank, (.tests | length)] | tojson')" "[\"$A\",3,\"product:redis\",10,2]" \
	"a rule is shown by its id"
rules show "$(row $A uuid)"
is "$(get .rule.id)" $A "a rule is shown by its uuid"
rules show "$(uuid_new)"
is "$?" 3 "an unknown rule is exit status 3"

# Rules of accounts. C-160
own() { rule "$@" | sed 's/area: service/area: rule/; s/^status: stable/status: experimental/'; }
{ own $A "Ours: \"x\" # z" 'product:redis' 'description: |' '  Two' '  lines	and a tab, é.' 'author: no' 'falsepositives: [1.10, "#"]' &&
	echo --- && own $B "Ours too" 'product:redis version:7.*' "related: [{id: $A, type: obsolete}]"; } >"$D/own/own.yml"
rules import --account "$account" "$D/own"
is "$? $(jq -c .import "$D/out")" '0 {"fresh":2,"changed":0,"unchanged":0,"skipped":0}' "an account gets rules of its own from YAML"
is "$(sql "SELECT name, status, content_sha256 IS NULL FROM rule WHERE account_uuid = '$account' AND id = '$A'")" "Ours: \"x\" # z|testing|t" \
	"Sigma's status experimental is testing"
is "$(sql "SELECT count(*) FROM rule WHERE id = '$A'")" 2 "an account's rule may have the id of one of the catalogue"
rules import --account "$account" "$D/own"
is "$?" 1 "rules that the account has are refused by default"
like "$(cat "$D/err")" "the account has the rule $A" "the first rule that the account has is named"
rules import --account "$account" --on-existing skip "$D/own"
is "$(jq -c .import "$D/out")" '{"fresh":0,"changed":0,"unchanged":0,"skipped":2}' "skip leaves rules that the account has alone"
own $A "Ours" 'product:valkey' | sed 's/product: Redis/product: Valkey/' >"$D/new.yml"
own $C "Ours three" 'product:redis' >"$D/three.yml"
rules import --account "$account" "$D/three.yml" "$D/new.yml"
is "$? $(sql "SELECT count(*) FROM rule WHERE account_uuid = '$account'")" "1 2" "an import with one refused rule stores none"
rules import --account "$account" --on-existing update "$D/new.yml"
is "$(sql "SELECT version, query FROM rule WHERE account_uuid = '$account' AND id = '$A'")" "2|product:valkey" "update is a new version of the rule"
rules import --account "$account" --on-existing update "$D/own"

ctl rules export --account "$account" >"$D/first.yml"
"$BIN/surfacectl" rules check "$D/first.yml" >"$D/out" 2>"$D/err" || sed "s/^/# /" "$D/err" "$D/first.yml"
is "$?" 0 "an export is accepted by the check"
accounts_new 1 100 100 >/dev/null
other=$(sql "SELECT uuid FROM account WHERE uuid <> '$account' ORDER BY created_at DESC LIMIT 1")
rules import --account "$other" "$D/first.yml"
is "$?" 0 "an export is imported into an empty account"
ctl rules export --account "$other" >"$D/second.yml"
is "$(cat "$D/second.yml")" "$(cat "$D/first.yml")" "export, import into an empty account and export give the same bytes (C-160)"
ctl rules export --account "$other" $B >"$D/one.yml"
is "$(grep -c '^id: ' "$D/one.yml")" 1 "one rule is exported by its id"
ctl rules export --account "$other" "$(uuid_new)" >"$D/one.yml" 2>"$D/err"
is "$?" 3 "the export of a rule that the account does not have is exit status 3"
rules list --account "$other"
is "$(get '.rules | map(.name) | join(", ")')" "Ours too, Ours: \"x\" # z" "the list has the rules of an account"

rule $C "Ours" 'product:redis' >"$D/area.yml"
rules import --account "$account" "$D/area.yml"
like "$(cat "$D/err")" 'surface.produces.area: a rule of an account has the area rule' "a rule of an account has no area of the catalogue"
own $C "Ours" 'product:redis' | sed 's/^surface:/&\n  applies_tags: true/' >"$D/area.yml"
rules import --account "$account" "$D/area.yml"
like "$(cat "$D/err")" 'surface.applies_tags: only rules of the catalogue' "a rule of an account puts no tags on shared documents (C-158)"
own $C "Ours" 'product:valkey' >"$D/area.yml"
rules import --account "$account" "$D/area.yml"
like "$(cat "$D/err")" 'surface.tests\[0\]: the rule does not match' "an import with a failing sample is refused (C-148)"

# Rules that are tried on every document (C-815).
sql "INSERT INTO rule (account_uuid, id, name, dataset, scope, query, severity, status)
	SELECT '$account', gen_random_uuid(), 'unanchored', 'hosts', 'surface', 'os:lin*', 'low', 'testing' FROM generate_series(1, 50)"
own $C "Ours" 'product:*edis' >"$D/area.yml"
rules import --account "$account" "$D/area.yml"
is "$? $(sql "SELECT count(*) FROM rule WHERE account_uuid = '$account' AND id = '$C'")" "1 0" "a 51st evaluated rule without an anchor is not imported (C-815)"
like "$(cat "$D/err")" 'the account would have 51 evaluated rules without an anchor, and may have 50' "the message has both numbers"
own $C "Ours" 'product:redis' >"$D/area.yml"
rules import --account "$account" "$D/area.yml"
is "$?" 0 "a rule with an anchor is imported beside them"
sql "DELETE FROM detect_work; DELETE FROM rule WHERE name = 'unanchored'"

# A rule of the AI surface brings the one that is derived from it.
D1=44444444-4444-4444-8444-444444444444
mkdir "$D/ai"
ai() { rule $D1 "$1" "$2" | sed "s,area: service\, exposure_kind: database,area: ai_surface\, exposure_kind: $3,; s/high/informational/"; }
ai Agent 'product:redis' ai/agent >"$D/ai/a.yml"
loads '{"fresh":2,"changed":0,"unchanged":0,"deprecated":3}' "a rule of the AI surface makes two rules (C-831)" "$D/ai"
derived="SELECT %s FROM rule WHERE account_uuid IS NULL AND name = 'Agent answers without a login'"
# shellcheck disable=SC2059
of() { sql "$(printf "$derived" "$1")"; }
is "$(of "severity, status, query, tags, techniques, produces ->> 'title', derived_from_uuid = (SELECT uuid FROM rule WHERE id = '$D1')")" \
	'critical|stable|(product:redis) AND http.capabilities:"auth/none"|{x,no-login}|{T1190}|{product} at {ip}:{port} answers without a login|t' \
	"the derived rule asks for the proof, has the severity of its category, and names its origin"
is "$(of "(SELECT string_agg(t ->> 'expect', ' ') FROM json_array_elements(tests) AS t)")" "match no_match no_match" \
	"the derived rule has the samples with the proof, and those that matched without it"
uuid=$(of uuid)
ai Agent 'product:{redis,valkey}' ai/vector >"$D/ai/a.yml"
loads '{"fresh":0,"changed":2,"unchanged":0,"deprecated":0}' "a changed query changes both rules" "$D/ai"
is "$(of "uuid, version, severity")" "$uuid|2|high" "the derived rule stays the same rule, and follows its category"
ai Agent 'product:redis' ai/other >"$D/ai/a.yml"
loads '{"fresh":0,"changed":1,"unchanged":0,"deprecated":1}' "a category without a severity has no derived rule" "$D/ai"
ai "$(printf '%0200d' 0)" 'product:redis' ai/agent >"$D/ai/a.yml"
rules load "$D/ai"
like "$? $(cat "$D/err")" '1 .*a.yml:1: title: is too long for the rule that is derived from it' "a title that leaves no room for the derived one is refused"

# migrate loads the catalogue, unless a later release has done so.
migrate() { PGUSER=postgres "$BIN/surfacectl" --database '' --json migrate --sql-dir sql --rules-dir "$@" >"$D/out" 2>"$D/err"; }
migrate src/detect/rules
is "$?" 0 "migrate loads the shipped catalogue"
is "$(sql "SELECT count(*) FROM rule WHERE account_uuid IS NULL AND status = 'stable'")" \
	"$(find src/detect/rules src/detect/rules/ai -name '*.yml' | wc -l)" \
	"after migrate the shipped rules are the catalogue, and those of the AI surface have one more each"
is "$(sql "SELECT count(*) FROM rule WHERE account_uuid IS NULL AND status = 'deprecated'")" 5 "the rules of another directory are deprecated"
sql "UPDATE schema_functions SET release = '99.0'" >/dev/null
migrate "$D/cat"
is "$? $(sql "SELECT status FROM rule WHERE account_uuid IS NULL AND id = '$A'")" "0 deprecated" \
	"the migrate of an older release leaves the catalogue of a later one alone"
