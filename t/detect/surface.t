#!/bin/sh
# SPDX-License-Identifier: ISC
# Rules of scope surface: the records of projects' inventories, and the findings that follow (C-129, C-154).
. t/lib.sh
. t/helper/detect.sh
pg_start
index_start
detect_start

findings()
{
	sql "SELECT finding_type || ' ' || severity || ' ' || status || ' ' || (evidence ->> 'matched_by') || ' ' || title
		FROM finding ORDER BY finding_key"
}

# A rule of the catalogue that makes findings of its own kind runs for each project of accounts with esi, without a setting.
open=$(detect_rule services surface 'port:6379 product:redis' account_uuid=NULL "content_sha256='$(printf x | sha256sum | cut -c1-64)'" \
	"produces='{\"area\":\"service\",\"exposure_kind\":\"database\",\"rank\":1,\"title\":\"Redis at {ip}:{port} ({city})\"}'")
detect_asset address 192.0.2.7
detect_asset host www.example.org
redis() { printf '{"port":6379,"transport":"tcp","product":"%s"}' "$1"; }
detect_host 192.0.2.7 2026-11-20T00:00:00Z "$(redis Redis)" ',"city":"Bath"'
detect_host 192.0.2.8 2026-11-20T00:00:00Z "$(redis Redis)"
detect_host 192.0.2.9 2026-11-20T00:00:00Z "$(redis Redis)" ',"hostnames":["www.example.org"]'
detect_host 192.0.2.10 2026-11-20T00:00:00Z "$(redis Redis)" ',"hostnames":["www.example.org"],"tags":["cdn"]'
detect_idle
is "$(observed "$open")" "192.0.2.7/6379/tcp active - 0
192.0.2.9/6379/tcp active - 0" "only records of an inventory are observed, and the names of a CDN do not count"
is "$(findings)" "exposed_service high open address Redis at 192.0.2.7:6379 (Bath)
exposed_service high open hostname Redis at 192.0.2.9:6379 ()" "observations of a stable rule are findings, with the title filled"
is "$(sql "SELECT f.finding_key || ' ' || f.detector || ' ' || f.first_seen_at || ' ' || (a.name) FROM finding f JOIN asset a ON a.uuid = f.asset_uuid
	WHERE f.title LIKE '%Bath%'")" "rule/$open/192.0.2.7/6379/tcp rules 2026-11-20 00:00:00+00 192.0.2.7" \
	"a finding has the key of its rule and record, the data's time and its asset"
is "$(sql "SELECT concat_ws(' ', kind, product, auth, endpoint, transport, rule_uuid = '$open', matched -> 0) FROM exposures ORDER BY endpoint LIMIT 1")" \
	'database Redis unknown 192.0.2.7:6379 tcp t { "field" : "port", "value" : "6379" }' "the area of exposures has the members of what a rule found"
is "$(sql "SELECT DISTINCT project_uuid FROM rule_observation")" "$P" "its observations name the project"

detect_asset address 192.0.2.8
detect_idle
is "$(observed "$open" | wc -l)" 3 "a new asset brings its records (C-154)"
events=$(sql "SELECT count(*) FROM finding_event")
sql "UPDATE record SET doc = doc"
detect_idle
is "$(sql "SELECT count(*) FROM finding_event")" "$events" "documents that are written again unchanged change no finding (C-127)"

detect_host 192.0.2.7 2026-11-20T12:00:00Z "$(redis KeyDB)" ',"city":"Bath"'
detect_idle
is "$(sql "SELECT status FROM finding WHERE title LIKE '%Bath%'")" open "a contradiction of less than a day leaves the finding open"
detect_host 192.0.2.7 2026-11-21T12:00:00Z "$(redis Redis)" ',"city":"Bath"'
detect_idle
detect_host 192.0.2.7 2026-11-23T12:00:00Z "$(redis KeyDB)" ',"city":"Bath"'
detect_idle
is "$(sql "SELECT status FROM finding WHERE title LIKE '%Bath%'")" resolved "a contradiction that stands for a day clears it"

many=$(seq 1000 1049 | sed 's/.*/,{"port":&,"transport":"tcp"}/' | tr -d '\n')
detect_host 192.0.2.8 2026-11-22T00:00:00Z "$(redis Redis)$many"
detect_idle
is "$(sql "SELECT severity || ' ' || (evidence ->> 'suspect') FROM finding WHERE finding_key LIKE '%192.0.2.8/%'")" "info true" \
	"a host with more than 50 services is suspect, and its findings are info"

sql "INSERT INTO rule_setting (account_uuid, rule_uuid, enabled) VALUES ('$ACCOUNT', '$open', false)"
ended() { [ "$(observed "$open" | grep -c active)" = 0 ]; }
ok "a setting that is not enabled ends the rule for its account" world_until 30 ended

# ---- rules of an account ----

own=$(detect_rule hosts surface 'services.port:6379')
detect_idle
is "$(observed "$own")" "" "an own rule of scope surface without projects looks at nothing"
sql "INSERT INTO rule_setting (account_uuid, rule_uuid, enabled, project_uuids, severity)
	VALUES ('$ACCOUNT', '$own', true, '{$P}', 'low')"
detect_idle
is "$(observed "$own" | wc -l) $(sql "SELECT count(*) FROM finding WHERE finding_type = 'rule_match'")" "3 0" \
	"with a project it observes its records, and makes no findings"
sql "UPDATE rule_setting SET findings = true WHERE rule_uuid = '$own'"
detect_idle
is "$(sql "SELECT string_agg(DISTINCT severity, ' ') || count(*) FROM finding WHERE finding_type = 'rule_match'")" "info low3" \
	"with findings enabled, each observation is a finding with the severity of the setting"

# ---- a rule of scope all ----

all=$(detect_rule services all 'port:6379' "name='everywhere'")
sql "INSERT INTO rule_setting (account_uuid, rule_uuid, enabled, project_uuids, findings) VALUES ('$ACCOUNT', '$all', true, '{$P}', true)"
detect_idle
is "$(observed "$all" | wc -l) $(sql "SELECT count(*) FROM finding WHERE title = 'everywhere'") $(sql "SELECT count(*) FROM rule_run WHERE rule_uuid = '$all'")" \
	"4 3 1" "a rule of scope all observes every record in one run, and the findings are of the project's records"
detect_asset address 192.0.2.10
detect_idle
is "$(sql "SELECT status FROM finding WHERE title = 'everywhere' AND finding_key LIKE '%192.0.2.10/%'")" open \
	"a new asset brings the findings of a rule of scope all, too"
detect_host 192.0.2.9 2026-11-20T12:00:00Z '{"port":22,"transport":"tcp"}' ',"hostnames":["www.example.org"]'
detect_idle
is "$(sql "SELECT status FROM finding WHERE title = 'everywhere' AND finding_key LIKE '%192.0.2.9/%'")" open \
	"a finding of a rule of scope all stays open for a day after its record contradicts it (C-129)"
detect_host 192.0.2.9 2026-11-25T00:00:00Z '{"port":22,"transport":"tcp"}' ',"hostnames":["www.example.org"]'
detect_idle
is "$(sql "SELECT status FROM finding WHERE title = 'everywhere' AND finding_key LIKE '%192.0.2.9/%'")" resolved \
	"a finding of a rule of scope all is cleared when its record still contradicts it after a day (C-129)"

# ---- the service of a finding ----

dns=$(detect_rule services surface 'port:53 product:unbound' account_uuid=NULL "content_sha256='$(printf x | sha256sum | cut -c1-64)'" \
	"name='Unbound'" "produces='{\"area\":\"service\",\"rank\":1,\"title\":\"Unbound over {transport}\"}'")
for transport in tcp udp; do
	sql "INSERT INTO asset_service (project_uuid, asset_uuid, service_key, protocol, port, first_seen_at, last_seen_at, last_observed_at)
		SELECT project_uuid, uuid, '192.0.2.7/53/$transport', '$transport', 53, now(), now(), now() FROM asset WHERE name = '192.0.2.7'"
done
echo '{"ip":"192.0.2.7","first_seen":"2026-11-26T00:00:00Z","last_seen":"2026-11-26T00:00:00Z","services":[
	{"port":53,"transport":"udp","product":"Unbound"},{"port":53,"transport":"tcp","product":"Unbound"}]}' | tr -d '\n' | import --format ndjson -
detect_idle
is "$(sql "SELECT string_agg(f.title || ' ' || s.service_key, ', ' ORDER BY f.title) FROM finding f JOIN asset_service s ON s.uuid = f.service_uuid
	WHERE f.finding_key LIKE 'rule/$dns/%'")" "Unbound over tcp 192.0.2.7/53/tcp, Unbound over udp 192.0.2.7/53/udp" \
	"a finding names the service of its port and transport"
