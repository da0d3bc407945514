#!/bin/sh
# SPDX-License-Identifier: ISC
# Creating, reading and cancelling silences: C-079 to C-082, CONTRACT A5.
. t/lib.sh
pg_start
api_start
web_start
stranger_new

S=/projects/$P/alerting/silences
rule=$(rule_new) foreign=$(rule_new "$PROJECT2")
at() { date -u -d "$1" +%Y-%m-%dT%H:%M:%SZ; }
D1=$(at '+1 day') D2=$(at '+2 days')
# silence MEMBERS: posts them with the rule.
silence() { api POST "$S" "{\"rule_uuid\":\"$rule\"${1:+,$1}}"; }
refused() { is "$STATUS $(field .error.code) $(field '.error.field_errors|map(.field+" "+.code)|join(",")')" "400 invalid_request $1" "$2"; }

silence "\"reason\":\"  maintenance  \",\"starts_at\":\"$D1\",\"ends_at\":\"$D2\""
is "$STATUS" 201 "a silence is created"
s=$(field .silence.uuid)
is "$(header Location)" "/api/v1$S/$s" "and where it is"
is "$(field '.silence|"\(.rule_uuid) \(.reason) \(.starts_at) \(.ends_at) \(.cancelled_at) \(.state)"')" \
	"$rule maintenance ${D1%Z}.000000Z ${D2%Z}.000000Z null pending" "C-120: its members; the reason is trimmed"
api GET "$S/$s"
is "$STATUS $(field .silence.uuid)" "200 $s" "it can be read"
silence "\"reason\":\"x\",\"ends_at\":\"$D2\""
is "$STATUS $(field .silence.state) $(field '.silence.starts_at|.[0:16]')" "201 active $(field '.silence.created_at|.[0:16]')" \
	"starts_at defaults to now"

# C-079
for r in "$foreign" "$(uuid_new)"; do
	api POST "$S" "{\"rule_uuid\":\"$r\",\"reason\":\"x\",\"ends_at\":\"$D2\"}"
	is "$STATUS $(field '.error|del(.request_id)|tojson')" \
		'404 {"code":"alert_rule_not_found","message":"The alert rule was not found.","field_errors":[]}' "C-079: no rule of the project"
done
sql "UPDATE alert_rule SET deleted_at = now() WHERE uuid = '$(rule_new)'" && gone=$(sql "SELECT uuid FROM alert_rule WHERE deleted_at IS NOT NULL")
api POST "$S" "{\"rule_uuid\":\"$gone\",\"reason\":\"x\",\"ends_at\":\"$D2\"}"
is "$STATUS $(field .error.code)" "404 alert_rule_not_found" "C-079: nor a deleted one"

# C-080
silence "\"reason\":\"x\",\"starts_at\":\"$D2\",\"ends_at\":\"$D1\""
refused "ends_at out_of_range" "C-080: an end before the start"
silence "\"reason\":\"x\",\"starts_at\":\"$D1\",\"ends_at\":\"$D1\""
refused "ends_at out_of_range" "C-080: or at the start"
silence "\"reason\":\"x\",\"starts_at\":\"$(at '-2 days')\",\"ends_at\":\"$(at '-1 day')\""
refused "ends_at out_of_range" "C-080: an end in the past"
silence "\"reason\":\"x\",\"starts_at\":\"$(at '-2 days')\",\"ends_at\":\"$D1\""
is "$STATUS $(field .silence.state)" "201 active" "a start in the past is taken"
silence '"reason":"x","starts_at":"2028-02-29T00:00:00Z","ends_at":"2029-02-28T00:00:00Z"'
is "$STATUS" 201 "a year passes"
silence '"reason":"x","starts_at":"2028-02-29T00:00:00Z","ends_at":"2029-02-28T00:00:00.000001Z"'
refused "ends_at out_of_range" "more than a year does not"
silence '"reason":"x","starts_at":"9999-02-28T00:00:00Z","ends_at":"9999-12-31T23:59:59Z"'
is "$STATUS" 201 "nor do years end before they do"
for t in 9999-12-31T23:59:59-01:00 0001-01-01T00:00:00+01:00; do
	silence "\"reason\":\"x\",\"starts_at\":\"$t\",\"ends_at\":\"9999-12-31T23:59:59Z\""
	refused "starts_at invalid_format" "C-081: $t is in no year of UTC that can be said"
done

# C-081
for t in 2099-01-02T03:04:05 2099-01-02 2099-02-30T00:00:00Z 2099-01-02T24:00:00Z '2099-01-02 03:04:05Z ' 4070908800; do
	silence "\"reason\":\"x\",\"starts_at\":\"$t\",\"ends_at\":\"2099-06-01T00:00:00Z\""
	refused "starts_at invalid_format" "C-081: $t"
done
silence '"reason":"x","starts_at":"2099-01-02T03:04:05.5+05:30","ends_at":"2099-01-02T00:00:00-01:00"'
is "$(field '.silence|"\(.starts_at) \(.ends_at)"')" "2099-01-01T21:34:05.500000Z 2099-01-02T01:00:00.000000Z" \
	"C-081: any offset is read, Z is written"

# C-082
for m in uuid created_at cancelled_at state project_uuid; do
	silence "\"reason\":\"x\",\"ends_at\":\"$D2\",\"$m\":\"$D1\""
	refused "$m unknown_field" "C-082: $m is not the client's"
done

silence "\"reason\":\" \u00a0 \",\"ends_at\":\"$D2\""
refused "reason too_short" "a reason of white space"
silence "\"reason\":\" $(printf 'é%.0s' $(seq 500)) \",\"ends_at\":\"$D2\""
is "$STATUS" 201 "500 characters pass"
silence "\"reason\":\"$(printf 'é%.0s' $(seq 501))\",\"ends_at\":\"$D2\""
refused "reason too_long" "501 do not"
api POST "$S" '{"rule_uuid":"x","reason":1}'
refused "rule_uuid invalid_format,reason invalid_type,ends_at required" "every fault in one answer"
silence "\"reason\":null,\"ends_at\":\"$D2\""
refused "reason invalid_type" "null is refused"
