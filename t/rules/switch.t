#!/bin/sh
# SPDX-License-Identifier: ISC
# Whether a rule of the catalogue is on: it is evaluated and makes findings exactly if the API says that it is enabled, and an
# organisation that turns it off has no active finding of it. The rule has the number of its active findings.
. t/lib.sh
. t/helper/detect.sh
pg_start
ctl rules load src/detect/rules >/dev/null
index_start
api_start
web_start
detect_start
stranger_new
ctl entitlements grant --account "$ACCOUNT2" rules >/dev/null
ctl entitlements revoke --account "$ACCOUNT2" esi >/dev/null

findings=/projects/$P/esi/findings
rule_of() { api GET "/rules?origin=catalogue&name=$(jq -rn --arg n "$1" '$n|@uri')"; field ".rules[]|select(.name == \"$1\")|.uuid"; }
# shown RULE: enabled, whether it has a run, the number of active findings.
shown() { api GET "/rules/$1"; field '.rule|[.settings.enabled, (.run != null), .active_findings]|map(tostring)|join(" ")'; }
shows() { [ "$(shown "$1")" = "$2" ]; }
becomes() { ok "$3" world_until 60 shows "$1" "$2" || diag "$(shown "$1")"; }
active_titles() { api GET "$findings?status=active&rule_uuid=$1"; field '[.findings[].title]|sort|join(", ")'; }
switch() { api PUT "/rules/$1/settings" "{\"enabled\":$2}"; }

open=$(rule_of 'Redis answers without a login')
present=$(rule_of Redis)
broad=$(rule_of 'Self-signed certificate')
printf '{"kind":"address","name":"192.0.2.%s"}\n' 7 8 | ctl import assets --project "$P" - >/dev/null 2>&1
redis='{"port":6379,"transport":"tcp","product":"Redis","version":"7.2.4"}'
detect_host 192.0.2.7 2026-11-20T00:00:00Z "$redis"
detect_host 192.0.2.8 2026-11-20T00:00:00Z "$redis"
detect_idle

becomes "$open" "true true 2" "a rule of the catalogue that has made findings is enabled, has a run, and counts its active findings"
api GET '/rules?enabled=true&origin=catalogue&name=redis'
is "$(field "[.rules[]|select(.uuid == \"$open\" or .uuid == \"$present\")]|length")" 2 "the filter enabled finds the rules that make findings"
is "$(active_titles "$open")" "Redis at 192.0.2.7:6379 answers without a login, Redis at 192.0.2.8:6379 answers without a login" \
	"the filter rule_uuid finds the findings of the rule"
is "$(active_titles "$(uuid_new)")" "" "a rule that does not exist has no findings"
api GET "/projects/$P/esi/exposures?auth=none"
is "$(field '[.findings[].title]|sort|join(", ")')" "Redis at 192.0.2.7:6379 answers without a login, Redis at 192.0.2.8:6379 answers without a login" \
	"a service that answers without a login has auth none in the record of its area (C-199)"
api GET "/rules/observations?rule_uuid=$open"
is "$(field '[.observations[].record_key]|sort|join(" ")')" "192.0.2.7/6379/tcp 192.0.2.8/6379/tcp" "the observations of the rule are listed"

# ---- an organisation without findings ----

own=$key
key=$KEY2
is "$(shown "$open")" "false false null" "an organisation without the entitlement esi has no findings: the rule is off, and nothing is counted"
key=$(key_new --scope rules.view)
is "$(shown "$open")" "true true null" "a key that may not see findings gets no number of findings"
key=$own

# ---- off, and on again ----

api POST "$findings/$(api GET "$findings?rule_uuid=$open" && field '.findings[0].uuid')/acknowledge"
is "$STATUS" 200 "one finding is acknowledged"
is "$(shown "$open")" "true true 2" "an acknowledged finding is active"
switch "$open" false
is "$STATUS $(field '.rule|[.settings.enabled, .active_findings]|map(tostring)|join(" ")')" "200 false 0" "a rule that is turned off has no active finding at once"
becomes "$open" "false false 0" "a rule that is off is not evaluated"
api GET "$findings?rule_uuid=$open"
is "$(field '[.findings[].status]|join(" ")')" "resolved resolved" "the findings of a rule that is off are resolved (C-822)"
is "$(active_titles "$present")" "Redis at 192.0.2.7:6379, Redis at 192.0.2.8:6379" "the findings of other rules stay open"
detect_host 192.0.2.8 2026-11-21T00:00:00Z "$redis"
api PUT "/projects/$P/esi/detectors/rules" '{"enabled":true,"min_severity":"low","exclude":""}'
api PUT "/projects/$P/esi/detectors/rules" '{"enabled":true,"min_severity":"info","exclude":""}'
detect_idle
is "$(shown "$open")" "false false 0" "neither new data nor settings of the detector open findings of a rule that is off (C-822)"
switch "$open" true
is "$STATUS" 200 "the rule is turned on again"
becomes "$open" "true true 2" "the findings of a rule that is turned on again open, since their records still match (C-822)"

# ---- limits and rights ----

is "$(shown "$broad" | cut -d' ' -f1)" true "each rule of the catalogue that makes findings is on (C-821)"
api POST "/rules/$open/copy"
is "$STATUS $(field '.rule|[.origin, .produces.area, (.tags|join("+")), .active_findings]|map(tostring)|join(" ")')" "201 account rule database+no-login 0" \
	"the copy of a rule has the tags of the catalogue and the area of a rule of an organisation (C-145)"
copy=$(field .rule.uuid)
api PUT "/rules/$copy" "$(printf %s "$BODY" | jq -c '.rule|{version, name, description, author, licence, dataset, scope, query, exclude, severity, tags, techniques, references, false_positives, tests, produces}')"
is "$STATUS $(field .rule.version)" "200 1" "a copy is stored again as it is, without a new version"
for area in ai_surface service; do
	api PUT "/rules/$copy" "{\"version\":1,\"name\":\"x\",\"dataset\":\"services\",\"scope\":\"surface\",\"query\":\"port:1\",\"severity\":\"low\",\"produces\":{\"area\":\"$area\"}}"
	is "$STATUS $(field '.error.field_errors[0].field')" "400 produces.area" "a rule of an organisation has no area $area (C-193)"
	api POST /rules/import "{\"rules\":[{\"name\":\"x\",\"dataset\":\"services\",\"scope\":\"surface\",\"query\":\"port:1\",\"severity\":\"low\",\"produces\":{\"area\":\"$area\"}}]}"
	is "$STATUS $(field '.error.field_errors[0].field')" "400 rules[0].produces.area" "an imported rule has no area $area (C-193)"
done
api GET '/rules/tags?limit=100&origin=catalogue'
is "$(field '[.tags[]|select(.slug == "ai-inference" or .slug == "no-login" or .slug == "tls")|.slug + " " + .name + " " + .classification]|sort|join(", ")')" \
	"ai-inference AI inference informational, no-login No login informational, tls Tls informational" "the tags of the catalogue's rules are common tags (C-145)"
ctl tags set --name "Asks for no login" --classification suspicious no-login >/dev/null
ctl rules load src/detect/rules >/dev/null
is "$(ctl --json tags list | jq -r '.tags[]|select(.slug == "no-login")|.name + " " + .classification')" "Asks for no login suspicious" \
	"loading the catalogue leaves what surfacectl has stored of a tag"
