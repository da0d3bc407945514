#!/bin/sh
# SPDX-License-Identifier: ISC
# The alerts of the inbox and the history of deliveries as records.
. t/lib.sh
pg_start
api_start
web_start

A=/projects/$P/alerting
rule=$(rule_new)
member=$(sql "SELECT uuid FROM member WHERE account_uuid = '$ACCOUNT'")
d=$(sql "INSERT INTO alert_destination (project_uuid, name, url, secret) VALUES ('$P', 'x', 'https://x.example.com', 'whsec_' || repeat('A', 43) || '=') RETURNING uuid")
source=$(uuid_new)
alert() { sql "INSERT INTO alert (project_uuid, rule_uuid, source, source_uuid, title, severity) VALUES ('$P', '$rule', 'finding', '$source', 'T', 'high') RETURNING uuid"; }
a=$(alert)

api GET "$A/alerts/$a"
is "$STATUS $(field '.alert|"\(.state) \(.rule_uuid) \(.source) \(.source_uuid) \(.severity) \(.raised_count) \(.acknowledged_at) \(.closed_at)"')" \
	"200 open $rule finding $source high 1 null null" \
	"the inbox shows the alert with its rule, source and severity"
api POST "$A/alerts/$a/acknowledge"
is "$STATUS $(field '.alert|"\(.state) \(.acknowledged_by_membership_uuid)"')" "200 acknowledged $member" \
	"an alert is acknowledged by the owner of the key"
same=$(field '.alert|tojson')
api POST "$A/alerts/$a/acknowledge"
is "$STATUS $(field '.alert|tojson')" "200 $same" "a second acknowledgement changes nothing (C-789)"
api POST "$A/alerts/$a/close"
is "$STATUS $(field '.alert|"\(.state) \(.closed_by_membership_uuid) \(.acknowledged_by_membership_uuid)"')" "200 closed $member $member" \
	"a closed alert names who acknowledged and who closed it"
api POST "$A/alerts/$a/acknowledge"
is "$STATUS $(field .error.code)" "409 alert_state_conflict" "a closed alert cannot be acknowledged (C-789)"
newer=$(alert)
api POST "$A/alerts/$a/reopen"
is "$STATUS $(field .error.code)" "409 alert_state_conflict" \
	"an alert cannot be reopened beside an open one of the same source (C-789)"
api POST "$A/alerts/$newer/close"
api POST "$A/alerts/$a/reopen"
is "$STATUS $(field '.alert|"\(.state) \(.acknowledged_at) \(.closed_at)"')" "200 open null null" \
	"a closed alert is reopened when no other one is open"
is "$(sql "SELECT string_agg(action, ' ' ORDER BY id) FROM audit WHERE subject_id = '$a'")" "alert.acknowledge alert.close alert.reopen" \
	"the audit has every change of the alert"
api GET "$A/alerts?state=closed&severity=high&source=finding&rule_uuid=$rule"
is "$(field '.alerts|map(.uuid)|join(" ")')" "$newer" "the filters of the inbox select the matching alert"
api GET "$A/alerts?limit=1"
is "$(field '.alerts|length') $(field .has_more)" "1 true" \
	"a page of the inbox has limit alerts and has_more"
api GET "$A/alerts/$(uuid_new)"
is "$STATUS $(field .error.code)" "404 alert_not_found" "an unknown alert gets 404"

v=$(sql "INSERT INTO alert_delivery (project_uuid, alert_uuid, destination_uuid, state, attempts, http_status_code, failure, last_attempt_at)
	VALUES ('$P', '$a', '$d', 'failed', 3, 500, 'no', now()) RETURNING uuid")
w=$(sql "INSERT INTO alert_delivery (project_uuid, alert_uuid, destination_uuid) VALUES ('$P', '$newer', '$d') RETURNING uuid")
api GET "$A/deliveries/$v"
is "$STATUS $(field '.delivery|"\(.state) \(.attempts) \(.http_status_code) \(.failure) \(.delivered_at)"')" "200 failed 3 500 no null" \
	"a failed delivery has attempts, status and failure"
api GET "$A/deliveries/$w"
is "$(field '.delivery|"\(.state) \(.http_status_code) \(.failure) \(.last_attempt_at)"')" "pending null null null" \
	"a pending delivery has neither status nor failure"
api GET "$A/deliveries?state=failed&alert_uuid=$a&destination_uuid=$d"
is "$(field '.deliveries|map(.uuid)|join(" ")')" "$v" \
	"the filters of deliveries select the matching delivery"
api GET "$A/deliveries/$(uuid_new)"
is "$STATUS $(field .error.code)" "404 alert_delivery_not_found" "an unknown delivery gets 404"
key=$(key_new --scope alerts.rules.view)
api POST "$A/alerts/$a/close"
is "$STATUS" 403 "the scope to view rules does not allow closing an alert (C-009)"
