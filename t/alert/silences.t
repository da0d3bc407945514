#!/bin/sh
# SPDX-License-Identifier: ISC
# Silences are created, read and cancelled: C-079 to C-082, C-771, C-772.
. t/lib.sh
pg_start
api_start
web_start
stranger_new

S=/projects/$P/alerting/silences
rule=$(rule_new) foreign=$(rule_new "$PROJECT2")
at() { date -u -d "$1" +%Y-%m-%dT%H:%M:%SZ; }
D1=$(at '+1 day') D2=$(at '+2 days')
# silence MEMBERS: creates a silence of the rule with these members.
silence() { api POST "$S" "{\"rule_uuid\":\"$rule\"${1:+,$1}}"; }
refused() { is "$STATUS $(field .error.code) $(field '.error.field_errors|map(.field+" "+.code)|join(",")')" "400 invalid_request $1" "$2"; }

silence "\"reason\":\"  maintenance  \",\"starts_at\":\"$D1\",\"ends_at\":\"$D2\""
is "$STATUS" 201 "a silence is created with 201"
s=$(field .silence.uuid)
is "$(header Location)" "/api/v1$S/$s" "Location has the path of the new silence"
is "$(field '.silence|"\(.rule_uuid) \(.reason) \(.starts_at) \(.ends_at) \(.cancelled_at) \(.state)"')" \
	"$rule maintenance ${D1%Z}.000000Z ${D2%Z}.000000Z null pending" \
	"the new silence has its members and a trimmed reason (C-120)"
api GET "$S/$s"
is "$STATUS $(field .silence.uuid)" "200 $s" "the new silence can be read"
silence "\"reason\":\"x\",\"ends_at\":\"$D2\""
is "$STATUS $(field .silence.state) $(field '.silence.starts_at|.[0:16]')" "201 active $(field '.silence.created_at|.[0:16]')" \
	"the default of starts_at is the current time"

# C-079
for r in "$foreign" "$(uuid_new)"; do
	api POST "$S" "{\"rule_uuid\":\"$r\",\"reason\":\"x\",\"ends_at\":\"$D2\"}"
	is "$STATUS $(field '.error|del(.request_id)|tojson')" \
		'404 {"code":"alert_rule_not_found","message":"The alert rule was not found.","field_errors":[]}' \
		"a rule outside the project is not found (C-079)"
done
sql "UPDATE alert_rule SET deleted_at = now() WHERE uuid = '$(rule_new)'" && gone=$(sql "SELECT uuid FROM alert_rule WHERE deleted_at IS NOT NULL")
api POST "$S" "{\"rule_uuid\":\"$gone\",\"reason\":\"x\",\"ends_at\":\"$D2\"}"
is "$STATUS $(field .error.code)" "404 alert_rule_not_found" "a deleted rule is not found (C-079)"

# C-080
silence "\"reason\":\"x\",\"starts_at\":\"$D2\",\"ends_at\":\"$D1\""
refused "ends_at out_of_range" "an end before the start is refused (C-080)"
silence "\"reason\":\"x\",\"starts_at\":\"$D1\",\"ends_at\":\"$D1\""
refused "ends_at out_of_range" "an end equal to the start is refused (C-080)"
silence "\"reason\":\"x\",\"starts_at\":\"$(at '-2 days')\",\"ends_at\":\"$(at '-1 day')\""
refused "ends_at out_of_range" "an end in the past is refused (C-080)"
silence "\"reason\":\"x\",\"starts_at\":\"$(at '-2 days')\",\"ends_at\":\"$D1\""
is "$STATUS $(field .silence.state)" "201 active" "a start in the past is accepted"
silence '"reason":"x","starts_at":"2028-02-29T00:00:00Z","ends_at":"2029-02-28T00:00:00Z"'
is "$STATUS" 201 "a silence of one year is accepted"
silence '"reason":"x","starts_at":"2028-02-29T00:00:00Z","ends_at":"2029-02-28T00:00:00.000001Z"'
refused "ends_at out_of_range" "a silence of more than one year is refused"
silence '"reason":"x","starts_at":"9999-02-28T00:00:00Z","ends_at":"9999-12-31T23:59:59Z"'
is "$STATUS" 201 "a silence at the end of year 9999 is accepted"
for t in 9999-12-31T23:59:59-01:00 0001-01-01T00:00:00+01:00; do
	silence "\"reason\":\"x\",\"starts_at\":\"$t\",\"ends_at\":\"9999-12-31T23:59:59Z\""
	refused "starts_at invalid_format" \
		"the start $t outside the years 1 to 9999 in UTC is refused (C-081)"
done

# C-081
for t in 2099-01-02T03:04:05 2099-01-02 2099-02-30T00:00:00Z 2099-01-02T24:00:00Z '2099-01-02 03:04:05Z ' 4070908800; do
	silence "\"reason\":\"x\",\"starts_at\":\"$t\",\"ends_at\":\"2099-06-01T00:00:00Z\""
	refused "starts_at invalid_format" "the malformed start $t is refused (C-081)"
done
silence '"reason":"x","starts_at":"2099-01-02T03:04:05.5+05:30","ends_at":"2099-01-02T00:00:00-01:00"'
is "$(field '.silence|"\(.starts_at) \(.ends_at)"')" "2099-01-01T21:34:05.500000Z 2099-01-02T01:00:00.000000Z" \
	"a time with any offset is accepted and returned in UTC (C-081)"

# C-082
for m in uuid created_at cancelled_at state project_uuid; do
	silence "\"reason\":\"x\",\"ends_at\":\"$D2\",\"$m\":\"$D1\""
	refused "$m unknown_field" "the member $m is refused as unknown (C-082)"
done

silence "\"reason\":\" \u00a0 \",\"ends_at\":\"$D2\""
refused "reason too_short" "a reason of white space is refused"
silence "\"reason\":\" $(printf 'é%.0s' $(seq 500)) \",\"ends_at\":\"$D2\""
is "$STATUS" 201 "a reason of 500 characters is accepted"
silence "\"reason\":\"$(printf 'é%.0s' $(seq 501))\",\"ends_at\":\"$D2\""
refused "reason too_long" "a reason of 501 characters is refused"
api POST "$S" '{"rule_uuid":"x","reason":1}'
refused "rule_uuid invalid_format,reason invalid_type,ends_at required" \
	"one answer names every fault of the body"
silence "\"reason\":null,\"ends_at\":\"$D2\""
refused "reason invalid_type" "a reason of null is refused"
