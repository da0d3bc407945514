#!/bin/sh
# SPDX-License-Identifier: ISC
# The header Idempotency-Key when sessions are created: C-084 to C-089.
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
is "$STATUS $(field '.error.field_errors[0]|.field+" "+.code')" "400 Idempotency-Key too_short" \
	"an empty Idempotency-Key is refused (C-084)"
k200=$(printf 'k%.0s' $(seq 200))
post "${k200}k"
is "$STATUS $(field '.error.field_errors[0]|.field+" "+.code')" "400 Idempotency-Key too_long" \
	"an Idempotency-Key of 201 characters is refused (C-084)"
post "$k200"
is "$STATUS $(header Idempotency-Replayed)" "202 " \
	"an Idempotency-Key of 200 characters is accepted (C-084)"
post "$(printf 'é%.0s' $(seq 200))"
is "$STATUS" 202 "the length of an Idempotency-Key counts characters, not bytes (C-084)"
api POST "$S" '{"start_url":"https://example.com/"}' -H 'Idempotency-Key: a' -H 'Idempotency-Key: a'
is "$STATUS $(field '.error.field_errors[0].code')" "400 duplicate" \
	"a request with two Idempotency-Keys is refused (C-084)"
api POST "$S" '{"start_url":"https://example.com/"}'
is "$STATUS" 202 "a session without an Idempotency-Key is created (C-084)"
is "$(count)" 3 "a refused request creates no session"

# C-086, C-088
post one '{"start_url":"https://example.com/a?b","viewport":{"width":1280,"height":720}}'
one=$(field .session.uuid)
post one '{"viewport":{"height":720.0,"width":1280},"start_url":"HTTPS://EXAMPLE.com:443/a?b"}'
again "$one" "a request that differs in form only is replayed (C-086)"
is "$(header Location)" "/api/v1$S/$one" "Location of a replay has the path of the first session"
post one '{"start_url":"https://example.com/a?b","browser_profile":"windows","egress_country":"DE"}'
again "$one" "a request with the defaults written out is replayed (C-086)"
session_move "$one" claim ready
post one '{"start_url":"https://example.com/a?b"}'
is "$(field .session.uuid) $(field .session.state)" "$one running" \
	"a replay shows the current state of the session (C-088)"
sql "UPDATE session_policy SET caller_sessions = 0"
post one '{"start_url":"https://example.com/a?b"}'
again "$one" "a replay is answered at the session limit (C-088)"
post new
is "$STATUS" 429 "a new Idempotency-Key is refused at the session limit"
sql "UPDATE session_policy SET caller_sessions = 1000"
ctl routes disable "$(sql "SELECT uuid FROM egress_route WHERE country = 'DE'")" >/dev/null
post one '{"start_url":"https://example.com/a?b"}'
again "$one" "a request is replayed after the default country has changed (C-086)"
post one '{"start_url":"https://example.com/a?b","egress_country":"DE"}'
again "$one" "a request is replayed after its country was disabled (C-088)"
post one '{"start_url":"https://example.com/a?b","egress_country":"GB"}'
is "$STATUS $(field .error.code)" "409 idempotency_key_conflict" \
	"another country with the same Idempotency-Key is a conflict (C-087)"
sql "UPDATE egress_route SET enabled = true"

# C-087
for other in '{"start_url":"https://example.com/a"}' '{"start_url":"https://example.com/a?b","browser_profile":"linux"}' \
	'{"start_url":"https://example.com/a?b","viewport":{"width":1280,"height":721}}' '{"start_url":"http://example.com/a?b"}'; do
	post one "$other"
	is "$STATUS $(field .error.code)" "409 idempotency_key_conflict" \
		"the other body $other is a conflict (C-087)"
done
unlike "$BODY" "$one" "the conflict does not reveal the first session (C-087)"

# C-085
n=$(count)
mine=$key
key=$(key_new --scope browser.sessions.create)
post one '{"start_url":"https://example.com/a?b"}'
is "$STATUS $(header Idempotency-Replayed) $(count)" "202  $((n + 1))" \
	"another API key may use the same Idempotency-Key (C-085)"
key=$mine
other=$(ctl --json projects create --account "$ACCOUNT" Other | jq -er .project.uuid)
api POST "/projects/$other/sessions" '{"start_url":"https://example.com/a?b"}' -H 'Idempotency-Key: one'
is "$STATUS $(header Idempotency-Replayed) $(count)" "202  $((n + 2))" \
	"another project may use the same Idempotency-Key (C-085)"
session_move "$one" fail
api POST "$S/$one/replay" -H 'Idempotency-Key: one'
is "$STATUS $(header Idempotency-Replayed) $(count)" "202  $((n + 3))" \
	"another operation may use the same Idempotency-Key (C-085)"
replay=$(field .session.uuid)
api POST "$S/$one/replay" -H 'Idempotency-Key: one'
again "$replay" "a repeated replay operation returns its own session"
api POST "$S/$replay/replay" -H 'Idempotency-Key: one'
is "$STATUS $(field .error.code)" "409 session_not_terminal" \
	"replaying another session with the same key is another request"

# C-089
post fails '{"start_url":"http://localhost/"}'
is "$STATUS" 400 "a request with an Idempotency-Key fails with 400 (C-089)"
post fails
is "$STATUS $(header Idempotency-Replayed)" "202 " \
	"an Idempotency-Key can be used again after a failure (C-089)"
sql "UPDATE session_policy SET caller_sessions = 0"
post full
is "$STATUS $(field .error.code)" "429 caller_session_limit_exceeded" \
	"a request with an Idempotency-Key is refused at the limit (C-089)"
sql "UPDATE session_policy SET caller_sessions = 1000"
post full
is "$STATUS $(header Idempotency-Replayed)" "202 " \
	"an Idempotency-Key can be used again after a refusal (C-089)"
n=$(count)
# shellcheck disable=SC2086 # CURL is a list of options
seq 16 | xargs -P 16 -I{} curl -sS $CURL -o "$W/twin.{}" -H "X-API-Key: $key" -H 'Content-Type: application/json' \
	-H 'Idempotency-Key: twins' -d '{"start_url":"https://example.com/"}' "$BASE_URL$S"
is "$(cat "$W"/twin.* | jq -r .session.uuid | sort | uniq -c | awk '{print $1}') $(count)" "16 $((n + 1))" \
	"concurrent requests with one Idempotency-Key create one session (C-089)"
is "$(sql "SELECT count(*) FROM browser_session WHERE state <> 'terminal'") $(sql "SELECT sum(active) FROM session_caller")" \
	"$(sql "SELECT active FROM session_organisation") $(sql "SELECT active FROM session_organisation")" \
	"the counters equal the number of active sessions (C-090)"
