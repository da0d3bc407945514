#!/bin/sh
# SPDX-License-Identifier: ISC
# Idempotency-Key: C-084 to C-089.
. t/lib.sh
pg_start
api_start
web_start

S=/projects/$P/sessions
sql "UPDATE session_policy SET caller_sessions = 1000, organisation_sessions = 1000"
# post KEY [BODY]
post() { api POST "$S" "${2-{\"start_url\":\"https://example.com/\"\}}" -H "Idempotency-Key: $1"; }
again() { is "$STATUS $(field .session.uuid) $(header Idempotency-Replayed)" "202 $1 true" "$2"; }
count() { sql "SELECT count(*) FROM browser_session"; }

# C-084
api POST "$S" '{"start_url":"https://example.com/"}' -H 'Idempotency-Key;'
is "$STATUS $(field '.error.field_errors[0]|.field+" "+.code')" "400 Idempotency-Key too_short" "C-084: empty"
k200=$(printf 'k%.0s' $(seq 200))
post "${k200}k"
is "$STATUS $(field '.error.field_errors[0]|.field+" "+.code')" "400 Idempotency-Key too_long" "C-084: 201 characters"
post "$k200"
is "$STATUS $(header Idempotency-Replayed)" "202 " "C-084: 200"
post "$(printf 'é%.0s' $(seq 200))"
is "$STATUS" 202 "C-084: characters, not bytes"
api POST "$S" '{"start_url":"https://example.com/"}' -H 'Idempotency-Key: a' -H 'Idempotency-Key: a'
is "$STATUS $(field '.error.field_errors[0].code')" "400 duplicate" "C-084: twice"
api POST "$S" '{"start_url":"https://example.com/"}'
is "$STATUS" 202 "C-084: absent"
is "$(count)" 3 "what was refused made nothing"

# C-086, C-088
post one '{"start_url":"https://example.com/a?b","viewport":{"width":1280,"height":720}}'
one=$(field .session.uuid)
post one '{"viewport":{"height":720.0,"width":1280},"start_url":"HTTPS://EXAMPLE.com:443/a?b"}'
again "$one" "C-086: key order, host case, default port"
is "$(header Location)" "/api/v1$S/$one" "and where it is"
post one '{"start_url":"https://example.com/a?b","browser_profile":"windows","egress_country":"DE"}'
again "$one" "C-086: defaults, said or not"
session_move "$one" claim ready
post one '{"start_url":"https://example.com/a?b"}'
is "$(field .session.uuid) $(field .session.state)" "$one running" "C-088: the current state"
sql "UPDATE session_policy SET caller_sessions = 0"
post one '{"start_url":"https://example.com/a?b"}'
again "$one" "C-088: before admission"
post new
is "$STATUS" 429 "where a new one is refused"
sql "UPDATE session_policy SET caller_sessions = 1000"
ctl routes disable "$(sql "SELECT uuid FROM egress_route WHERE country = 'DE'")" >/dev/null
post one '{"start_url":"https://example.com/a?b"}'
again "$one" "C-086: another default since changes nothing"
post one '{"start_url":"https://example.com/a?b","egress_country":"DE"}'
again "$one" "C-088: nor does its country's end"
post one '{"start_url":"https://example.com/a?b","egress_country":"GB"}'
is "$STATUS $(field .error.code)" "409 idempotency_key_conflict" "C-087: another country"
sql "UPDATE egress_route SET enabled = true"

# C-087
for other in '{"start_url":"https://example.com/a"}' '{"start_url":"https://example.com/a?b","browser_profile":"linux"}' \
	'{"start_url":"https://example.com/a?b","viewport":{"width":1280,"height":721}}' '{"start_url":"http://example.com/a?b"}'; do
	post one "$other"
	is "$STATUS $(field .error.code)" "409 idempotency_key_conflict" "C-087: $other"
done
unlike "$BODY" "$one" "C-087: nothing of the first is revealed"

# C-085
n=$(count)
mine=$key
key=$(key_new --scope browser.sessions.create)
post one '{"start_url":"https://example.com/a?b"}'
is "$STATUS $(header Idempotency-Replayed) $(count)" "202  $((n + 1))" "C-085: another credential"
key=$mine
other=$(ctl --json projects create --account "$ACCOUNT" Other | jq -er .project.uuid)
api POST "/projects/$other/sessions" '{"start_url":"https://example.com/a?b"}' -H 'Idempotency-Key: one'
is "$STATUS $(header Idempotency-Replayed) $(count)" "202  $((n + 2))" "C-085: another project"
session_move "$one" fail
api POST "$S/$one/replay" -H 'Idempotency-Key: one'
is "$STATUS $(header Idempotency-Replayed) $(count)" "202  $((n + 3))" "C-085: another operation"
replay=$(field .session.uuid)
api POST "$S/$one/replay" -H 'Idempotency-Key: one'
again "$replay" "which repeats its own"
api POST "$S/$replay/replay" -H 'Idempotency-Key: one'
is "$STATUS $(field .error.code)" "409 session_not_terminal" "another source is another request"

# C-089
post fails '{"start_url":"http://localhost/"}'
is "$STATUS" 400 "C-089: one that fails"
post fails
is "$STATUS $(header Idempotency-Replayed)" "202 " "C-089: burns no key"
sql "UPDATE session_policy SET caller_sessions = 0"
post full
is "$STATUS $(field .error.code)" "429 caller_session_limit_exceeded" "C-089: nor one that is not admitted"
sql "UPDATE session_policy SET caller_sessions = 1000"
post full
is "$STATUS $(header Idempotency-Replayed)" "202 " "C-089: it works later"
n=$(count)
# shellcheck disable=SC2086 # CURL is a list of options
seq 16 | xargs -P 16 -I{} curl -sS $CURL -o "$W/twin.{}" -H "X-API-Key: $key" -H 'Content-Type: application/json' \
	-H 'Idempotency-Key: twins' -d '{"start_url":"https://example.com/"}' "$BASE_URL$S"
is "$(cat "$W"/twin.* | jq -r .session.uuid | sort | uniq -c | awk '{print $1}') $(count)" "16 $((n + 1))" "C-089: twins make one row"
is "$(sql "SELECT count(*) FROM browser_session WHERE state <> 'terminal'") $(sql "SELECT sum(active) FROM session_caller")" \
	"$(sql "SELECT active FROM session_organisation") $(sql "SELECT active FROM session_organisation")" "C-090: the counters are what is there"
