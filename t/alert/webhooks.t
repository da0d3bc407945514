#!/bin/sh
# SPDX-License-Identifier: ISC
# Webhooks to a real receiver over TLS: signatures, retries, failures, and that no request reaches an address
# that is not public.
. t/lib.sh
. t/helper/hooks.sh
pg_start
api_start
web_start
hooks_start

A=/projects/$P/alerting
all='' gone='' twice=''
for kind in ok quiet twice later never odd redirect inward gone endless stall; do
	d=$(hook $kind)
	eval "$kind=\$d"
	all="$all $d"
done
fail=$(hook fail)
# shellcheck disable=SC2086 # a list of UUIDs
rule=$(hooks_rule $all)

# those_that_answer: every delivery is settled except those to receivers that never answer.
those_that_answer()
{
	[ "$(sql "SELECT count(*) FROM alert_change")" -eq 0 ] &&
		[ "$(sql "SELECT count(*) FROM alert_delivery d JOIN alert_destination t ON t.uuid = d.destination_uuid
			WHERE t.name <> 'stall' AND t.url NOT LIKE 'https://mute.%' AND d.state = 'pending'")" -eq 0 ]
}
# settles TITLE: receivers that answer have as long as a slow machine needs; one that never answers has its first
# attempt meanwhile and fails soon afterwards.
settles()
{
	ok "$1" world_until 60 those_that_answer
	hooks_alert_kill KILL
	sql "UPDATE alert_delivery SET leased_until = now(), due_at = now() WHERE leased_until IS NOT NULL"
	hooks_alert "webhook_attempts = 4" "webhook_timeout = 1000"
	ok "every delivery is settled after the time-out" world_until 60 hooks_settled
	hooks_alert_kill TERM
}
hooks_alert "webhook_attempts = 4"
hooks_import 1 3
# state KIND: prints the state of its deliveries with attempts, status and failure.
state()
{
	sql "SELECT DISTINCT state || ' ' || attempts || ' ' || coalesce(http_status_code::text, '-') || ' ' || coalesce(failure, '-')
		FROM alert_delivery d JOIN alert_destination t ON t.uuid = d.destination_uuid WHERE t.name = '$1' ORDER BY 1"
}
settles "receivers that answer are served while one stalls (C-779)"

sql "UPDATE alert_rule SET enabled = false"
hooks_rule "$fail" >"$W/rule"
touch "$H/fail"
hooks_alert
hooks_import 1 3 low # another change
failed_once() { [ "$(hooks_got 'map(select(.kind == "fail") | .id) | unique | length' 2>/dev/null)" = 3 ]; }
ok "three deliveries reach a receiver that fails" world_until 30 failed_once
rm "$H/fail" # it comes back
ok "every delivery is settled after the receiver works again" world_until 60 hooks_settled
hooks_alert_kill TERM
is "$(state ok)" "delivered 1 200 -" "a receiver that answers 200 gets each delivery once"
is "$(state quiet)" "delivered 1 204 -" "a receiver that answers 204 gets each delivery once"
is "$(state twice)" "delivered 3 200 -" "a delivery succeeds at the third attempt after two failures (C-777)"
is "$(state later)" "delivered 3 200 -" "a delivery succeeds after Retry-After has passed twice"
is "$(state never)" "delivered 3 200 -" "a delivery succeeds despite a huge Retry-After, which is bounded (C-777)"
is "$(state odd)" "failed 4 - the receiver answered 799" "an unknown status counts as a failure"
is "$(state endless)" "delivered 1 200 -" "an answer without an end is cut off and counts as delivered"
like "$(state fail)" "^delivered ([2-9]|10) 200 -$" "a receiver that works again gets every delivery"
is "$(state redirect)" "failed 4 302 the receiver answered 302; redirects are not followed" \
	"a redirect is not followed and counts as a failure (C-777)"
is "$(state inward)" "failed 4 307 the receiver answered 307; redirects are not followed" \
	"a redirect to a private address is not followed"
like "$(state gone)" "^failed [01] (410|-) " "a receiver that answers 410 fails its deliveries"
is "$(sql "SELECT enabled FROM alert_destination WHERE uuid = '$gone'")" f \
	"the answer 410 disables the destination (C-778)"
is "$(sql "SELECT actor || ' ' || (before ->> 'enabled') || ' ' || (after ->> 'enabled') FROM audit WHERE subject_id = '$gone' ORDER BY id DESC LIMIT 1")" \
	"role:surfaced_alert true false" "the audit has the disabling of the destination"
is "$(state stall)" "failed 4 - the receiver did not answer in time" \
	"a delivery to a receiver that stalls fails after its attempts"

is "$(hooks_got 'map(select(.signed | not)) | length')" 0 \
	"every request is signed with the secret of its destination (C-776)"
is "$(hooks_got 'map(select(((.timestamp - .at) | fabs) > 60)) | length')" 0 \
	"the timestamp of a request is the time of the attempt"
is "$(hooks_got 'map(.type) | unique | join(" ")') $(hooks_got 'map(.agent) | unique | join(" ")')" "application/json surfaced/0.1.0" \
	"a request has the media type JSON and the program's name"
is "$(hooks_got 'map(.id) | unique | length')" "$(sql "SELECT count(*) FROM alert_delivery WHERE attempts > 0")" \
	"every delivery has an id of its own"
is "$(hooks_got 'group_by(.id) | map(map(.body) | unique | length) | unique | join(" ")')" 1 \
	"a delivery has the same body at every attempt (C-776)"
is "$(hooks_got 'group_by([.name, (.body | fromjson | .data.alert.uuid)]) | map(map(.id) | unique | length) | unique | join(" ")')" 1 \
	"an alert is sent to a destination under one id (C-776)"
is "$(hooks_got '[.[] | select(.name == "later")] | group_by(.id) | map(.[1].at - .[0].at >= 1 and .[2].at - .[1].at >= 1) | all')" true \
	"the attempts are at least Retry-After apart"
is "$(hooks_got 'map(select(.kind == "ok"))[0].body | fromjson | "\(.type) \(.data.project_uuid) \(.data.rule.uuid) \(.data.alert.severity) \(.data.finding.finding_type) \(.data.alert.state)"')" \
	"alert.raised $P $rule high exposed_port open" \
	"a notification has its type, project, rule, alert and finding"
is "$(sql "SELECT count(*) FROM alert_attempt WHERE ended_at IS NULL AND failure IS NULL")" 0 \
	"the history has the end of every attempt"
is "$(sql "SELECT count(*) FROM alert_delivery d WHERE attempts <> (SELECT count(*) FROM alert_attempt a WHERE a.delivery_uuid = d.uuid)")" 0 \
	"the history has every attempt of a delivery"
api GET "$A/deliveries/$(sql "SELECT uuid FROM alert_delivery WHERE destination_uuid = '$twice' LIMIT 1")"
is "$(field '.delivery.history | map("\(.number) \(.http_status_code) \(.failure)") | join(", ")')" \
	"1 503 the receiver answered 503, 2 503 the receiver answered 503, 3 200 null" \
	"the API shows the history of a delivery"
unlike "$(cat "$W/log/surfaced-alert.log")" "whsec_" "the log of the engine contains no secret"

# Names that resolve to private addresses: none of them is connected to.
sql "UPDATE alert_rule SET enabled = false"
inside=
for host in inward mixed mapped rebind mute closed none; do
	inside="$inside $(hook ok $host.example.com | tail -1)"
	cp "$H/secrets/ok" "$H/secrets/ok.$host"
done
both=$(hook ok both.example.com)
# shellcheck disable=SC2086 # a list of UUIDs
hooks_rule $inside "$both" >"$W/rule"
hooks_alert "webhook_attempts = 4"
hooks_import 4 4
settles "deliveries to names that resolve are settled"
host() { sql "SELECT d.state || ' ' || coalesce(failure, '-') FROM alert_delivery d JOIN alert_destination t ON t.uuid = d.destination_uuid WHERE t.url LIKE 'https://$1.%'"; }
for host in inward mixed mapped; do
	is "$(host $host)" "failed the name has an address that is not public" \
		"the name $host with a private address is refused"
done
is "$(host mute)" "failed the name could not be resolved in time" \
	"a delivery fails if the name server does not answer"
is "$(host none)" "failed the name could not be resolved" "a delivery fails if the name does not exist"
is "$(host closed)" "failed no secure connection to the receiver could be made" \
	"a delivery fails if the connection is refused"
is "$(host rebind)" "delivered -" "a name is delivered to if its address is public at that time"
is "$(host both)" "delivered -" "a name with IPv4 and IPv6 is delivered to"
hooks_alert "webhook_attempts = 4"
sql "SELECT alert_destination_test(project_uuid, uuid) FROM alert_destination WHERE url LIKE 'https://rebind.%'" >"$W/test"
ok "the test notifications to the rebinding name are settled" world_until 30 hooks_settled
is "$(host rebind | sort | head -1)" "delivered -" \
	"the first notification to the rebinding name is delivered"
like "$(host rebind)" "^failed the name has an address that is not public" \
	"the next notification to the rebinding name is refused (C-782)"
sql "ALTER TABLE alert_destination DROP CONSTRAINT alert_destination_url_check; UPDATE alert_destination SET url = v FROM
	unnest('{https://10.0.0.1/ok/ok,http://hooks.example.com/ok/ok,https://hooks.example.com@10.0.0.1/ok/ok}'::text[],
	'{inward,mixed,mapped}'::text[]) AS u(v, h) WHERE url LIKE 'https://' || h || '.%'"
before=$(hooks_got length)
for d in $inside; do sql "SELECT alert_destination_test('$P', '$d') WHERE (SELECT url FROM alert_destination WHERE uuid = '$d') !~ '(closed|mute|none|rebind)'"; done >"$W/test"
ok "deliveries to URLs that the API refuses are settled" world_until 30 hooks_settled
is "$(sql "SELECT DISTINCT failure FROM alert_delivery WHERE kind = 'test' AND uuid NOT IN (SELECT uuid FROM alert_delivery WHERE failure LIKE 'the name%')")" \
	"the destination's URL is not one that webhooks are sent to" \
	"a URL that the API refuses is not sent to"
is "$(hooks_got length)" "$before" "no request was sent to a refused URL"
is "$(cat "$H/private" 2>/dev/null)" "" "no request reached a private address"
