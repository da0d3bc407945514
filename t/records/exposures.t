#!/bin/sh
# SPDX-License-Identifier: ISC
# The AI surface and exposed services as typed areas (C-164), and the exposures of a service (C-200).
. t/lib.sh
pg_start
api_start
web_start

A=/projects/$P/esi
store() { ctl --json import "$1" --project "$P" - 2>"$W/err" >/dev/null || diag "$(cat "$W/err")"; }
# finding KEY TYPE SEVERITY EVIDENCE [MEMBERS]: stores a finding; prints its UUID.
finding()
{
	store findings <<END
{"finding_key":"$1","finding_type":"$2","title":"T $1","severity":"$3","evidence":$4${5-}}
END
	sql "SELECT uuid FROM finding WHERE finding_key = '$1'"
}
store assets <<END
{"kind":"address","name":"192.0.2.7"}
END
store services <<END
{"asset_kind":"address","asset_name":"192.0.2.7","service_key":"192.0.2.7:6379/tcp","ip":"192.0.2.7","port":6379}
{"asset_kind":"address","asset_name":"192.0.2.7","service_key":"192.0.2.7:22/tcp","ip":"192.0.2.7","port":22}
END
S=$(sql "SELECT uuid FROM asset_service WHERE port = 6379")

rule=b08c9c3b-2468-507d-90db-66a3a07e6dc2
record='"record":{"ip":"192.0.2.7","port":6379,"transport":"tcp","hostname":"a.example.com"}'
named=',"asset_kind":"address","asset_name":"192.0.2.7","service_key":"192.0.2.7:6379/tcp"'
ai=$(finding ai ai_surface high "{\"kind\":\"ai/inference\",\"rule_name\":\"Ollama answers without a login\",\"product\":\"nginx\",\"version\":\"1.24\",\"auth\":\"none\",\"suspect\":false,\"matched_by\":\"address\",\"rule_uuid\":\"$rule\",\"capabilities\":[\"api/ollama\",\"auth/none\"],\"models\":[\"llama3\"],$record}")
own=$(finding own ai_surface info '{"kind":"ai/vector","rule_name":"Qdrant","product":"Qdrant","version":"1.7","auth":"required","record":{"ip":"2001:db8::7","port":6333}}')
db=$(finding db exposed_service critical "{\"kind\":\"database\",\"product\":\"Redis key-value store\",\"version\":\"7.2\",\"auth\":\"none\",\"tls_enabled\":false,\"matched\":[{\"field\":\"services.port\",\"value\":\"6379\"}],\"rule_uuid\":\"$rule\",$record}" \
	",\"exposure_kind\":\"database\"$named")
odd=$(finding odd exposed_service low '{"kind":[1],"matched":{"a":1},"record":"x","tls_enabled":"yes","rule_uuid":"zz"}')

api GET "$A/ai-surface/$ai"
is "$STATUS $(field '.finding|[.kind,.category,.product,.version,.auth,.endpoint,.ip,.port,.hostname,.models,.capabilities,.rule_uuid,.suspect,.matched_by]|tojson')" \
	"200 [\"ai/inference\",\"ai/inference\",\"Ollama\",null,\"none\",\"192.0.2.7:6379\",\"192.0.2.7\",6379,\"a.example.com\",[\"llama3\"],[\"api/ollama\",\"auth/none\"],\"$rule\",false,\"address\"]" \
	"a finding of the AI surface has the product of its rule, and no version of the proxy before it (C-850)"
api GET "$A/ai-surface/$own"
is "$(field '.finding|[.product,.version,.endpoint]|tojson')" '["Qdrant","1.7","[2001:db8::7]:6333"]' \
	"the version of the product itself and the endpoint of an IPv6 address are shown"
api GET "$A/exposures/$db"
is "$STATUS $(field '.finding|[.kind,.product,.version,.auth,.endpoint,.transport,.tls_enabled,.matched,.rule_uuid]|tojson')" \
	"200 [\"database\",\"Redis key-value store\",\"7.2\",\"none\",\"192.0.2.7:6379\",\"tcp\",false,[{\"field\":\"services.port\",\"value\":\"6379\"}],\"$rule\"]" \
	"an exposed service has the members of its evidence"
api GET "$A/exposures/$odd"
is "$STATUS $(field '.finding|[.kind,.ip,.endpoint,.tls_enabled,.matched,.rule_uuid]|tojson')" '200 [null,null,null,null,[],null]' \
	"evidence of another type is null in exposures, never an error"
for path in ai-surface/$ai exposures/$db; do
	api GET "$A/$path"
	area=$(field '.finding|[.uuid,.status,.severity,.title,.created_at,.last_seen_at,.asset_uuid,.service_uuid]|tojson')
	api GET "$A/findings/${path#*/}"
	is "$(field '.finding|[.uuid,.status,.severity,.title,.created_at,.last_seen_at,.asset_uuid,.service_uuid]|tojson')" "$area" \
		"${path%/*} and the findings answer the same members (C-164)"
done
api GET "$A/exposures/$ai"
is "$STATUS $(field .error.code)" "404 finding_not_found" "a finding of the AI surface is not among exposures (C-164)"

names() { api GET "$A/$1"; field '[.findings[].title]|sort|join(" ")'; }
is "$(names 'ai-surface?category=ai/inference')|$(names 'ai-surface?product=OLLAMA')|$(names 'ai-surface?auth=required')" "T ai|T ai|T own" \
	"the AI surface has the filters category, product and auth"
is "$(names 'exposures?kind=database')|$(names 'exposures?auth=none&severity=critical')|$(names 'exposures?auth=required')" "T db|T db|" \
	"exposures have the filters kind and auth beside those of every area"
api GET "$A/exposures?category=x"
is "$STATUS" 400 "exposures have no filter category"

# ---- C-200 ----

exposures() { api GET "$A/services/$S"; field "[.service.exposures[]|[.finding_uuid,.kind,.severity]]|tojson"; }
is "$(exposures)" "[[\"$db\",\"database\",\"critical\"]]" "a service names the open findings that name it (C-200)"
ports() { api GET "$A/services?$1"; field '[.services[].port]|tojson'; }
is "$(ports exposed=true) $(ports exposed=false)" "[6379] [22]" "the filter exposed tells services that an open finding names (C-851)"
low=$(finding low exposed_service low '{}' ",\"exposure_kind\":\"tls\"$named")
is "$(exposures)" "[[\"$db\",\"database\",\"critical\"],[\"$low\",\"tls\",\"low\"]]" "the worst exposure is the first (C-851)"
for f in $db $low; do api POST "$A/findings/$f/resolve"; done
is "$(exposures) $(ports exposed=true)" "[] []" "a finding that is resolved is no exposure of its service (C-200)"
sql "INSERT INTO finding (project_uuid, asset_uuid, service_uuid, finding_key, finding_type, title, severity, first_seen_at, last_seen_at)
	SELECT project_uuid, asset_uuid, service_uuid, 'k' || n, 'exposed_service', 'T', 'low', now(), now()
	  FROM finding, generate_series(1, 40) AS n WHERE uuid = '$low'"
api GET "$A/services/$S"
is "$(field '.service.exposures|length')" 32 "a service has at most 32 exposures (C-851)"
