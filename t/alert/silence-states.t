#!/bin/sh
# SPDX-License-Identifier: ISC
# The derived states of silences, cancelling, lists with cursors, the audit: C-083, C-701 to C-706, C-770, C-772.
. t/lib.sh
pg_start
api_start
web_start
stranger_new

S=/projects/$P/alerting/silences
rule=$(rule_new) other=$(rule_new)
# put STARTS ENDS [CANCELLED] [RULE]: intervals from now; prints the UUID.
put()
{
	sql "INSERT INTO alert_silence (project_uuid, rule_uuid, reason, created_at, starts_at, ends_at, cancelled_at)
		VALUES ('$P', '${4:-$rule}', 'x', now() - interval '2 days', now() + '$1', now() + '$2', now() + ${3:-NULL::interval})
		RETURNING uuid"
}
pending=$(put '1 hour' '2 hours') active=$(put '-1 hour' '1 hour') expired=$(put '-2 hours' '-1 hour')
cancelled=$(put '-2 hours' '1 hour' "interval '-1 hour'" "$other")

for state in pending active expired cancelled; do
	u=
	eval "u=\$$state"
	api GET "$S?state=$state"
	is "$STATUS $(field '.silences|map(.uuid)|join(" ")') $(field .has_more) $(field .next_cursor)" "200 $u false null" \
		"the list with state=$state has the $state silence only"
	api GET "$S/$u"
	is "$(field .silence.state)" $state "the $state silence has the state $state (C-770)"
done
api GET "$S?rule_uuid=$other"
is "$(field '.silences|map(.uuid)|join(" ")')" "$cancelled" \
	"the filter rule_uuid selects the silence of the rule"
api GET "$S?rule_uuid=$other&state=active"
is "$(field '.silences|length')" 0 "a silence must match both filters (C-706)"
api GET "$S?state=Active"
is "$STATUS $(field '.error.field_errors[0].code')" "400 unsupported" "an unknown state is refused"
api GET "$S?rule_uuid=x"
is "$STATUS $(field '.error.field_errors[0].code')" "400 invalid_format" \
	"a malformed rule_uuid in a filter is refused"
is "$(sql "SELECT string_agg(alert_silence_state(s, at), ' ' ORDER BY at) FROM alert_silence s,
	LATERAL (VALUES (starts_at - interval '1 us'), (starts_at), (ends_at - interval '1 us'), (ends_at)) AS v(at)
	WHERE uuid = '$pending'")" "pending active active expired" \
		"a silence is active from starts_at until just before ends_at (C-083)"
overlap=$(put '0 hours' '3 hours')
is "$(sql "SELECT string_agg(alert_rule_silenced('$rule', now() + at)::text, ' ' ORDER BY at)
	FROM unnest('{-90 minutes,-30 minutes,90 minutes,150 minutes,181 minutes}'::interval[]) AS at")" "true true true true false" \
	"a rule is silenced by the union of its silences (C-083)"
is "$(sql "SELECT alert_rule_silenced('$other', now())")" f \
	"a cancelled silence does not silence its rule (C-083)"
sql "DELETE FROM alert_silence WHERE uuid = '$overlap'"
is "$(sql "SELECT count(*) FROM information_schema.columns WHERE table_name = 'alert_silence' AND column_name = 'state'")" 0 \
	"the table of silences has no column state"

api DELETE "$S/$active"
is "$STATUS $(field .silence.state)" "200 cancelled" "an active silence is cancelled with 200"
when=$(field .silence.cancelled_at)
like "$when" '^[0-9-]{10}T[0-9:]{8}\.[0-9]{6}Z$' "a cancelled silence has the time in cancelled_at"
request=$(header X-Request-Id)
api DELETE "$S/$active"
is "$STATUS $(field .silence.cancelled_at)" "200 $when" "a second DELETE does not change cancelled_at (C-772)"
api DELETE "$S/$pending"
is "$STATUS $(field .silence.state)" "200 cancelled" "a pending silence is cancelled with 200"
api DELETE "$S/$expired"
is "$STATUS $(field .error.code)" "409 silence_expired" "an expired silence cannot be cancelled (C-772)"
sql "UPDATE alert_silence SET ends_at = now() - interval '1 minute' WHERE uuid = '$cancelled'"
api DELETE "$S/$cancelled"
is "$STATUS $(field .silence.state)" "200 cancelled" "a silence cancelled before its end stays cancelled"
api DELETE "$S/$(uuid_new)"
is "$STATUS $(field .error.code)" "404 silence_not_found" "an unknown silence gets 404"
is "$(sql "SELECT count(*) FROM alert_silence")" 4 "no silence is deleted from the table (C-772)"
is "$(sql "SELECT actor || ' ' || program || ' ' || action || ' ' || (before ->> 'cancelled_at' IS NULL) || ' ' || (after ->> 'cancelled_at' IS NOT NULL)
	|| ' ' || account_uuid FROM audit WHERE subject_id = '$active' AND request_id = '$request'")" \
	"key:$(printf %.12s "$KEY") surfaced_api alert_silence.cancel true true $ACCOUNT" \
	"the audit has actor, program, change and request of the cancellation"
is "$(sql "SELECT count(*) FROM audit WHERE subject_id = '$active' AND action = 'alert_silence.cancel'")" 1 \
	"a silence cancelled twice has one audit entry"

# Pages are ordered by time, newest first, then by uuid (C-701). Four of these rows were created at the same time.
for _ in 1 2 3; do api POST "$S" "{\"rule_uuid\":\"$rule\",\"reason\":\"x\",\"ends_at\":\"2099-01-01T00:00:00Z\",\"starts_at\":\"2098-12-01T00:00:00Z\"}"; done
all=$(sql "SELECT string_agg(uuid::text, ' ' ORDER BY created_at DESC, uuid) FROM alert_silence")
got='' cursor=''
for _ in 1 2 3 4; do
	api GET "$S?limit=2$cursor"
	got="$got $(field '.silences|map(.uuid)|join(" ")')"
	[ "$(field .has_more)" = true ] || break
	cursor="&cursor=$(field .next_cursor)"
done
is "$got" " $all" "the pages contain every silence once and in order (C-704)"
is "$(field .next_cursor)" null "the last page has no cursor (C-701)"
api GET "$S?limit=7"
is "$(field .has_more)" false "a last page that is full has no more"
api GET "$S?limit=2"
next=$(field .next_cursor)
bad() { is "$STATUS $(field .error.code)" "400 invalid_pagination" "$1"; }
for l in 0 101 -1 x '' 2.0; do
	api GET "$S?limit=$l"
	bad "the list refuses limit=$l (C-702)"
done
api GET "$S?cursor=x"
bad "the list refuses a forged cursor"
api GET "$S?cursor="
bad "the list refuses an empty cursor"
api GET "$S?limit=2&state=cancelled&cursor=$next"
bad "the list refuses a cursor of other filters (C-703)"
api GET "/projects/$P/alerting/rules?cursor=$next"
bad "the list of rules refuses a cursor of silences"
api GET "$S?limit=5&cursor=$next"
is "$STATUS $(field '.silences|length')" "200 5" "the limit may differ between pages (C-703)"
key=$(key_new --scope alerts.silences.view)
api GET "$S?limit=2&cursor=$next"
bad "the list refuses a cursor of another key (C-703)"
api POST "$S" '{}'
is "$STATUS $(field .error.code)" "403 permission_denied" \
	"the scope to view silences does not allow creating one (C-009)"
api DELETE "$S/$pending"
is "$STATUS" 403 "the scope to view silences does not allow cancelling one (C-009)"
key=$(key_new --scope alerts.silences.manage)
api GET "$S"
is "$STATUS" 403 "the scope to manage silences does not allow listing them (C-009)"
