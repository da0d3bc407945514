#!/bin/sh
# SPDX-License-Identifier: ISC
# A silence's derived states, cancelling, lists and their cursors, the audit: CONTRACT A2, A5, C-083.
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
	is "$STATUS $(field '.silences|map(.uuid)|join(" ")') $(field .has_more) $(field .next_cursor)" "200 $u false null" "state=$state"
	api GET "$S/$u"
	is "$(field .silence.state)" $state "and by itself"
done
api GET "$S?rule_uuid=$other"
is "$(field '.silences|map(.uuid)|join(" ")')" "$cancelled" "rule_uuid"
api GET "$S?rule_uuid=$other&state=active"
is "$(field '.silences|length')" 0 "both filters must pass"
api GET "$S?state=Active"
is "$STATUS $(field '.error.field_errors[0].code')" "400 unsupported" "an unknown state"
api GET "$S?rule_uuid=x"
is "$STATUS $(field '.error.field_errors[0].code')" "400 invalid_format" "a filter that is no UUID"
is "$(sql "SELECT string_agg(alert_silence_state(s, at), ' ' ORDER BY at) FROM alert_silence s,
	LATERAL (VALUES (starts_at - interval '1 us'), (starts_at), (ends_at - interval '1 us'), (ends_at)) AS v(at)
	WHERE uuid = '$pending'")" "pending active active expired" "C-083: [starts_at, ends_at)"
overlap=$(put '0 hours' '3 hours')
is "$(sql "SELECT string_agg(alert_rule_silenced('$rule', now() + at)::text, ' ' ORDER BY at)
	FROM unnest('{-90 minutes,-30 minutes,90 minutes,150 minutes,181 minutes}'::interval[]) AS at")" "true true true true false" \
	"C-083: silences of a rule add up"
is "$(sql "SELECT alert_rule_silenced('$other', now())")" f "C-083: a cancelled one silences nothing"
sql "DELETE FROM alert_silence WHERE uuid = '$overlap'"
is "$(sql "SELECT count(*) FROM information_schema.columns WHERE table_name = 'alert_silence' AND column_name = 'state'")" 0 \
	"the state is not stored"

api DELETE "$S/$active"
is "$STATUS $(field .silence.state)" "200 cancelled" "an active one is cancelled"
when=$(field .silence.cancelled_at)
like "$when" '^[0-9-]{10}T[0-9:]{8}\.[0-9]{6}Z$' "and says when"
request=$(header X-Request-Id)
api DELETE "$S/$active"
is "$STATUS $(field .silence.cancelled_at)" "200 $when" "again: unchanged"
api DELETE "$S/$pending"
is "$STATUS $(field .silence.state)" "200 cancelled" "a pending one too"
api DELETE "$S/$expired"
is "$STATUS $(field .error.code)" "409 silence_expired" "an expired one is over"
sql "UPDATE alert_silence SET ends_at = now() - interval '1 minute' WHERE uuid = '$cancelled'"
api DELETE "$S/$cancelled"
is "$STATUS $(field .silence.state)" "200 cancelled" "one cancelled before its end stays cancelled"
api DELETE "$S/$(uuid_new)"
is "$STATUS $(field .error.code)" "404 silence_not_found" "none at all"
is "$(sql "SELECT count(*) FROM alert_silence")" 4 "no row is deleted"
is "$(sql "SELECT actor || ' ' || program || ' ' || action || ' ' || (before ->> 'cancelled_at' IS NULL) || ' ' || (after ->> 'cancelled_at' IS NOT NULL)
	|| ' ' || account_uuid FROM audit WHERE subject_id = '$active' AND request_id = '$request'")" \
	"key:$(printf %.12s "$KEY") surfaced_api alert_silence.change true true $ACCOUNT" "the audit has who, what, before, after, request"
is "$(sql "SELECT count(*) FROM audit WHERE subject_id = '$active' AND action = 'alert_silence.change'")" 1 "once"

# Pages: newest first, then by uuid (A2). These four were created in one moment of three.
for _ in 1 2 3; do api POST "$S" "{\"rule_uuid\":\"$rule\",\"reason\":\"x\",\"ends_at\":\"2099-01-01T00:00:00Z\",\"starts_at\":\"2098-12-01T00:00:00Z\"}"; done
all=$(sql "SELECT string_agg(uuid::text, ' ' ORDER BY created_at DESC, uuid) FROM alert_silence")
got='' cursor=''
for _ in 1 2 3 4; do
	api GET "$S?limit=2$cursor"
	got="$got $(field '.silences|map(.uuid)|join(" ")')"
	[ "$(field .has_more)" = true ] || break
	cursor="&cursor=$(field .next_cursor)"
done
is "$got" " $all" "pages hold everything once, in order"
is "$(field .next_cursor)" null "the last has no cursor"
api GET "$S?limit=7"
is "$(field .has_more)" false "a page that is just full is the last"
api GET "$S?limit=2"
next=$(field .next_cursor)
bad() { is "$STATUS $(field .error.code)" "400 invalid_pagination" "$1"; }
for l in 0 101 -1 x '' 2.0; do
	api GET "$S?limit=$l"
	bad "limit=$l"
done
api GET "$S?cursor=x"
bad "a forged cursor"
api GET "$S?cursor="
bad "an empty one"
api GET "$S?limit=2&state=cancelled&cursor=$next"
bad "one of other filters"
api GET "/projects/$P/alerting/rules?cursor=$next"
bad "one of another operation"
api GET "$S?limit=5&cursor=$next"
is "$STATUS $(field '.silences|length')" "200 5" "the limit may change"
key=$(key_new --scope alerts.silences.view)
api GET "$S?limit=2&cursor=$next"
bad "one of another key"
api POST "$S" '{}'
is "$STATUS $(field .error.code)" "403 permission_denied" "C-009: to view is not to manage"
api DELETE "$S/$pending"
is "$STATUS" 403 "C-009: nor to cancel"
key=$(key_new --scope alerts.silences.manage)
api GET "$S"
is "$STATUS" 403 "C-009: nor the reverse"
