#!/bin/sh
# SPDX-License-Identifier: ISC
# t/conformance/contract.py calls every operation of the served openapi.json with valid and invalid input, and
# validates every answer with an independent JSON Schema validator (C-122).
. t/lib.sh
whole_day
pg_start
index_start
api_start
stream_start
export_start
web_start
dispatch_start
stranger_new

A=alerting
finding() { printf '{"finding_key":"%s","finding_type":"secret","title":"T","asset_kind":"domain","asset_name":"%s.example.com"}\n' "$1" "$1"; }
area_finding() { sql "INSERT INTO finding (project_uuid, finding_key, finding_type, title, first_seen_at, last_seen_at)
	VALUES ('$P', '$1', '$1', 'T', now(), now()) RETURNING uuid"; }
alert() { sql "INSERT INTO alert (project_uuid, rule_uuid, source, source_uuid, title, severity, state) VALUES ('$P', '$rule', 'finding', '$1', 'T', 'high', '$2') RETURNING uuid"; }
delivery() { sql "INSERT INTO alert_delivery (project_uuid, alert_uuid, destination_uuid, state, attempts, delivered_at)
	VALUES ('$P', '$alert', '$destination', '$1', 1, $2) RETURNING uuid"; }
silence() { sql "INSERT INTO alert_silence (project_uuid, rule_uuid, reason, starts_at, ends_at) VALUES ('$P', '$rule', 'x', now() - interval '2 days', now() + interval '$1 days') RETURNING uuid"; }
evidence() { [ "$(sql "SELECT screenshots || ' ' || network_events FROM session_evidence WHERE session_uuid = '$terminal'")" = "1 6" ]; }

echo '{"ip":"192.0.2.1","country_code":"GB","services":[{"port":443,"transport":"tcp","service_name":"http"}]}' | ctl import hosts - >/dev/null
echo '{"host":"www.example.com","record_type":"AAAA","answer":"2001:db8::1","ttl":60,"first_seen":"2026-01-15T00:00:00Z"}' | ctl import dns - >/dev/null
echo '{"domain":"example.com","whois":{"registrar":"Example Registrar","dnssec":true}}' | ctl import whois - >/dev/null
echo '{"host":"files.example.com","port":80,"path":"/pub/","files":[{"name":"run.ps1","size":2048},{"name":"readme","size":5}]}' | ctl import open-directories - >/dev/null
echo '{"uuid":"0190a8c1-0000-7000-8000-000000000001","title":"T","tlp":"clear","published_at":"2026-01-15T00:00:00Z","indicators":[{"type":"domain","value":"login.example.net","labels":["phishing"]}]}' | ctl import reports - >/dev/null
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout /dev/null -out "$W/cert" -days 30 \
	-subj /CN=www.example.com 2>/dev/null
ctl import certificates --format pem "$W/cert" >/dev/null
echo '{"service_key":"full","hostname":"a.example.com","ip":"198.51.100.7","port":443,"protocol":"https"}' | ctl import services --project "$P" - >/dev/null
{ finding one && finding two && finding three; } | ctl import findings --project "$P" - >/dev/null
rule=$(rule_new)
destination=$(sql "INSERT INTO alert_destination (project_uuid, name, url, secret) VALUES ('$P', 'x', 'https://x.example.com', 'whsec_' || repeat('A', 43) || '=') RETURNING uuid")
one=$(uuid_new) old=$(uuid_new)
alert=$(alert "$one" open)
closed=$(alert "$(uuid_new)" open)
api POST "/projects/$P/$A/alerts/$closed/close"
old_alert=$(alert "$old" open)
api POST "/projects/$P/$A/alerts/$old_alert/close"
alert "$old" open >/dev/null
resolved=$(sql "SELECT uuid FROM finding WHERE finding_key = 'two'")
api POST "/projects/$P/esi/findings/$resolved/resolve"

sql "UPDATE session_policy SET caller_sessions = 100000, organisation_sessions = 100000"
terminal=$(session_new "https://example.com/?shots=1&events=6")
ok "a session with a fake runner is running" session_at "$terminal" running
ok "the screenshot and the events of the session are stored" world_until 10 evidence
api DELETE "/projects/$P/sessions/$terminal"
ok "a session ends after its deletion" session_at "$terminal" terminal
world_kill surfaced-dispatch
terminal2=$(session_new) running=$(session_new) running2=$(session_new)
session_move "$terminal2" fail
session_run "$running"
session_move "$running2" claim ready
sql "UPDATE browser_session SET lease_until = now() + interval '1 day' WHERE uuid = '$running2'"

unentitled=$(ctl --json accounts create Unentitled | jq -er .account.uuid)
ctl members create --account "$unentitled" --email owner@example.org --owner O >/dev/null
# One project of a suspended account; one key with a single request a day, which is used up.
frozen=$(ctl --json accounts create --entitlement search --entitlement alerting --entitlement esi --entitlement browser --entitlement rules Frozen | jq -er .account.uuid)
ctl members create --account "$frozen" --email owner@example.edu --owner O >/dev/null
suspended=$(ctl --json keys create --account "$frozen" --name x --scope all | jq -er .key.key)
sql "UPDATE account SET state = 'suspended' WHERE uuid = '$frozen'"
# An account with as many verdicts, tags, rules and enabled rules as it may have.
full=$(ctl --json accounts create --entitlement reports --entitlement rules Full | jq -er .account.uuid)
ctl members create --account "$full" --email owner@example.info --owner O >/dev/null
sql "INSERT INTO indicator_verdict (account_uuid, type, value, disposition, reason)
	SELECT '$full', 'domain', 'x' || n || '.example', 'ignored', 'x' FROM generate_series(1, 5000) AS n;
	INSERT INTO tag (account_uuid, slug, name) SELECT '$full', 'x' || n, 'x' FROM generate_series(1, 1000) AS n;
	INSERT INTO rule (account_uuid, id, name, dataset, scope, query, severity, status)
	SELECT '$full', gen_random_uuid(), 'x', 'hosts', 'surface', '', 'low', 'testing' FROM generate_series(1, 1000) AS n"
detection=$(sql "INSERT INTO rule (account_uuid, id, name, dataset, scope, query, severity, status)
	VALUES ('$ACCOUNT', gen_random_uuid(), 'x', 'services', 'all', '*', 'low', 'stable') RETURNING uuid")
# evaluated: a rule in testing, whose sample passes.
evaluated() { sql "INSERT INTO rule (account_uuid, id, name, dataset, scope, query, severity, status, tests)
	VALUES ('$ACCOUNT', gen_random_uuid(), 'x', 'services', 'surface', 'port:443', 'low', 'testing',
		'[{\"name\":\"https\",\"record\":{\"port\":443},\"expect\":\"match\"}]') RETURNING uuid"; }
observation=$(sql "WITH run AS (INSERT INTO rule_run (rule_uuid, rule_version, active_count) VALUES ('$detection', 1, 2) RETURNING uuid),
	o AS (INSERT INTO rule_observation (run_uuid, dataset, record_key, document_key, rule_version, record, matched, first_seen_at, last_seen_at)
		SELECT uuid, 2, '192.0.2.1/' || port || '/tcp', 'x', 1, jsonb_build_object('ip', '192.0.2.1', 'port', port, 'transport', 'tcp'),
			'[{\"field\":\"port\",\"value\":\"443\"}]', now(), now() FROM run, unnest('{443,8443}'::integer[]) AS port RETURNING *),
	e AS (INSERT INTO observation_event (run_uuid, observation_uuid, event) SELECT run_uuid, uuid, 'appeared' FROM o)
	SELECT uuid FROM o LIMIT 1")
slow=$(key_new --scope all)
sql "UPDATE api_key SET rate = 1, rate_window = 86400 WHERE prefix = '$(printf %.12s "$slow")'"
key=$slow api GET /usage
is "$STATUS" 200 "a key with one request a day is used up"
api POST /search/hosts/exports '{"query":"*"}'
export=$(printf %s "$BODY" | jq -er .export.uuid)
complete() { [ "$(sql "SELECT state FROM search_export WHERE uuid = '$export'")" = complete ]; }
ok "an export is written" world_until 20 complete
export DIR="$W"
world_env
{
	cat "$W/env"
	echo "P=$P FOREIGN=$PROJECT2 RULE=$rule DESTINATION=$destination ALERT=$alert CLOSED_ALERT=$closed OLD_ALERT=$old_alert" | tr ' ' '\n'
	echo "DELIVERY=$(delivery failed NULL)"
	echo "DELIVERED=$(delivery delivered "now()")"
	echo "SILENCE=$(silence 1)"
	echo "EXPIRED_SILENCE=$(silence -1)"
	echo "KEY_UUID=$(sql "SELECT uuid FROM api_key WHERE account_uuid = '$ACCOUNT' LIMIT 1")"
	echo "MEMBER=$(sql "SELECT uuid FROM member WHERE account_uuid = '$ACCOUNT' LIMIT 1")"
	echo "ASSET=$(sql "SELECT uuid FROM asset WHERE project_uuid = '$P' LIMIT 1")"
	echo "SERVICE=$(sql "SELECT uuid FROM asset_service WHERE project_uuid = '$P' LIMIT 1")"
	echo "FINDING=$(sql "SELECT uuid FROM finding WHERE finding_key = 'one'")"
	echo "THIRD=$(sql "SELECT uuid FROM finding WHERE finding_key = 'three'")"
	echo "RESOLVED=$resolved TERMINAL=$terminal TERMINAL2=$terminal2 RUNNING=$running RUNNING2=$running2 QUEUED=$(session_new)" | tr ' ' '\n'
	echo "SCREENSHOT=$(sql "SELECT uuid FROM screenshot WHERE session_uuid = '$terminal' LIMIT 1")"
	echo "EXPORT=$export"
	echo "FINGERPRINT=$(openssl x509 -in "$W/cert" -noout -fingerprint -sha256 | sed 's/.*=//' | tr -d : | tr '[:upper:]' '[:lower:]')"
	echo "ACCESS_KEY=$(sql "SELECT uuid FROM api_key WHERE prefix = left('$KEY', 12)")"
	echo "DRAFT=$(sql "INSERT INTO rule (account_uuid, id, name, dataset, scope, query, severity)
		VALUES ('$ACCOUNT', gen_random_uuid(), 'x', 'services', 'surface', '', 'low') RETURNING uuid")"
	echo "CATALOGUE=$(sql "INSERT INTO rule (id, name, dataset, scope, query, severity, status, content_sha256)
		VALUES (gen_random_uuid(), 'x', 'services', 'surface', 'port:1', 'low', 'stable', repeat('0', 64)) RETURNING uuid")"
	echo "PUBLISHED=$(evaluated) DEPRECATED=$(evaluated) REDRAFTED=$(evaluated)" | tr ' ' '\n'
	echo "DETECTION=$detection OBSERVATION=$observation" | tr ' ' '\n'
	echo "TAG=$(sql "INSERT INTO tag (account_uuid, slug, name, categories) VALUES ('$ACCOUNT', 'own', 'x', '{own,own/critical}') RETURNING uuid")"
	echo "COMMON_TAG=$(sql "SELECT uuid FROM tag WHERE slug = 'c2' AND account_uuid IS NULL")"
	api POST /reports '{"title":"Own","text":"# Indicators of compromise\n\n- login.example.net\n"}'
	echo "REPORT=$(field .report.uuid)"
	echo "VERDICT=$(sql "INSERT INTO indicator_verdict (account_uuid, type, value, disposition, reason)
		VALUES ('$ACCOUNT', 'domain', 'cdn.example.net', 'ignored', 'x') RETURNING uuid")"
	echo "KEY_FULL=$(ctl --json keys create --account "$full" --name x --scope all | jq -er .key.key)"
	echo "KEY_OTHER=$(key_new --scope esi.detectors.manage) KEY_AUDIT=$(key_new --scope audit.view)" | tr ' ' '\n'
	echo "WATCHED=$(sql "INSERT INTO watched_domain (project_uuid, domain) VALUES ('$P', 'example.net') RETURNING uuid")"
	full_project=$(sql "INSERT INTO project (account_uuid, name) VALUES ('$ACCOUNT', 'Full') RETURNING uuid")
	sql "INSERT INTO watched_domain (project_uuid, domain) SELECT '$full_project', 'x' || n || '.com' FROM generate_series(1, 100) AS n"
	echo "FULL_PROJECT=$full_project"
	echo "DANGLING=$(area_finding dangling_dns)"
	echo "SECRET=$(area_finding exposed_secret)"
	echo "LOOKALIKE=$(area_finding typosquatting)"
	echo "AI_SURFACE=$(area_finding ai_surface)"
	echo "EXPOSURE=$(area_finding exposed_service)"
	echo "KEY_SUSPENDED=$suspended"
	echo "KEY_SLOW=$slow"
	echo "KEY_UNENTITLED=$(ctl --json keys create --account "$unentitled" --name x --scope all | jq -er .key.key)"
} >"$W/contract.env"
grep -n '=$' "$W/contract.env" | sed 's/^/# empty: /'

PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 t/conformance/contract.py "$W/contract.env" >"$W/contract.out" 2>&1
is $? 0 "t/conformance/contract.py ran to its end"
relay "$W/contract.out"
like "$(tail -1 "$W/contract.out")" '^# [1-9][0-9]{3,} requests' \
	"t/conformance/contract.py sent more than a thousand requests"
