#!/bin/sh
# SPDX-License-Identifier: ISC
# An independent test of the project's records, t/conformance/records.py: silences, asset services and
# findings over TLS, C-079 to C-083 and C-115 to C-121.
. t/lib.sh
pg_start
api_start
web_start
stranger_new

other=$(ctl --json projects create --account "$ACCOUNT" Sister | jq -er .project.uuid)
# A member who sees the sister project alone, and one who manages the first.
limited=$(ctl --json members create --account "$ACCOUNT" --email limited@example.com --limited Limited | jq -er .member.uuid)
ctl projects grant "$other" "$limited" >/dev/null
manager=$(ctl --json members create --account "$ACCOUNT" --email manager@example.com Manager | jq -er .member.uuid)
ctl projects grant --manager "$P" "$manager" >/dev/null
member_key() { ctl --json keys create --account "$ACCOUNT" --member "$1" --name x --scope "$2" | jq -er .key.key; }

ctl import services --project "$P" - >/dev/null <<'END'
{"service_key":"full","hostname":"a.example.com","ip":"198.51.100.7","port":443,"protocol":"https","confidence":0.5,"technologies":["php","nginx"],"tls_enabled":true,"metadata":{"a":{"b":[1]}},"url":"https://a.example.com/","product":"nginx","version":"1.2","http_status_code":200,"http_title":"T","first_seen_at":"2026-01-02T04:04:05+01:00","last_seen_at":"2026-02-02T03:04:05Z","source_name":"s","source_ref":"r","discovery_channel":"c","discovery_provider":"p"}
{"service_key":"bare","hostname":"b.example.com"}
{"service_key":"third","ip":"198.51.100.9","port":0,"protocol":"icmp"}
{"service_key":"fourth","ip":"198.51.100.9","port":65535,"protocol":"tcp"}
END
{
	n=0
	for type in dangling_dns secret typosquat ai_surface exposed_service; do
		echo "{\"finding_key\":\"key-$n\",\"finding_type\":\"$type\",\"title\":\"T\",\"asset_kind\":\"domain\",\"asset_name\":\"example.com\"}"
		n=$((n + 1))
	done
	echo '{"finding_key":"spare","finding_type":"secret","title":"T","severity":"critical"}'
} | ctl import findings --project "$P" - >/dev/null

rule=$(rule_new)
export DIR="$W"
world_env
{
	cat "$W/env"
	echo "P=$P OTHER=$other FOREIGN=$PROJECT2" | tr ' ' '\n'
	echo "RULE=$rule"
	echo "OTHER_RULE=$(rule_new "$other")"
	echo "FOREIGN_RULE=$(rule_new "$PROJECT2")"
	echo "EXPIRED_SILENCE=$(sql "INSERT INTO alert_silence (project_uuid, rule_uuid, reason, starts_at, ends_at)
		VALUES ('$P', '$rule', 'over', now() - interval '2 days', now() - interval '1 day') RETURNING uuid")"
	echo "MEMBER=$(sql "SELECT uuid FROM member WHERE account_uuid = '$ACCOUNT' AND name = 'Owner'")"
	echo "KEY_VIEW=$(key_new --scope alerts.silences.view)"
	echo "KEY_SECOND=$(key_new --scope all)"
	echo "KEY_FINDINGS_VIEW=$(key_new --scope esi.findings.view)"
	echo "KEY_MANAGER=$(member_key "$manager" esi.findings.view)"
	echo "KEY_CEILING=$(member_key "$limited" all)"
} >"$W/records.env"

PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 t/conformance/records.py "$W/records.env" >"$W/records.out" 2>&1
is $? 0 "t/conformance/records.py ran to its end"
relay "$W/records.out"
like "$(tail -1 "$W/records.out")" '^# [1-9][0-9]{2} statements' \
	"t/conformance/records.py tested more than a hundred statements"
