#!/bin/sh
# SPDX-License-Identifier: ISC
# The limits of keys and organisations under 16 concurrent clients: C-090, C-067.
. t/lib.sh
pg_start
api_start
web_start
stranger_new

S=/projects/$P/sessions
live() { sql "SELECT count(*) FROM browser_session WHERE state <> 'terminal' AND account_uuid = '$ACCOUNT'"; }
counters() { sql "SELECT (SELECT active FROM session_organisation WHERE account_uuid = '$ACCOUNT') || ' ' ||
	(SELECT sum(c.active) FROM session_caller c JOIN api_key k ON k.uuid = c.key_uuid WHERE k.account_uuid = '$ACCOUNT')"; }

# The default limits: 5 sessions for a key, 20 for an organisation.
for _ in 1 2 3 4 5; do session_new >/dev/null; done
is "$STATUS" 202 "the fifth session of a key is accepted"
session_new >/dev/null
is "$STATUS $(field .error.code)" "429 caller_session_limit_exceeded" \
	"the sixth session of a key is refused (C-090)"
is "$(header Retry-After)" 1800 "Retry-After of a queued session is its whole lifetime (C-067)"
api GET "$S?state=queued&limit=1"
u=$(field '.sessions[0].uuid')
session_move "$u" claim ready
session_new >/dev/null
like "$STATUS $(header Retry-After)" '^429 1[0-8][0-9][0-9]$' \
	"Retry-After of a running session is the time until it expires (C-067)"
api DELETE "$S/$u"
session_new >/dev/null
is "$STATUS $(header Retry-After)" "429 10" "a closing session still counts, with Retry-After 10 (C-090)"
session_move "$u" end
session_new >/dev/null
is "$STATUS" 202 "a terminal session no longer counts (C-090)"
api DELETE "$S/$(field .session.uuid)"
is "$STATUS" 202 "a session can be closed at the limit (C-103)"

ctl sessions limits --key "$(printf %.12s "$KEY")" --max 0 >/dev/null
session_new >/dev/null
is "$STATUS $(field .error.code)" "429 caller_session_limit_exceeded" \
	"a limit below the number of sessions refuses new ones"
ctl sessions limits --key "$(printf %.12s "$KEY")" --max default >/dev/null
ctl sessions limits --account "$ACCOUNT" --max 5 >/dev/null
key=$(key_new --scope browser.sessions.create --scope browser.sessions.view)
session_new >/dev/null
is "$STATUS $(field .error.code)" "429 organisation_session_limit_exceeded" \
	"a key without sessions is refused at the organisation's limit (C-090)"
api GET "$S/capabilities"
is "$(field '.capabilities.limits|[.organisation_sessions,.caller_sessions]|tojson')" "[5,5]" \
	"the capabilities show the enforced limits"
mine=$key key=$KEY2
P=$PROJECT2 session_new >/dev/null
is "$STATUS" 202 "another organisation is not affected by the limit"
key=$mine

# 16 concurrent clients with 4 keys; meanwhile a watcher counts the sessions in the database.
empty()
{
	sql "UPDATE browser_session SET state = 'closing', state_event = 'close', terminal_reason = 'closed_by_creator' WHERE state = 'queued' AND account_uuid = '$ACCOUNT'"
	sql "UPDATE browser_session SET state = 'terminal', state_event = 'end' WHERE state = 'closing'"
	is "$(live) $(counters)" "0 0 0" "all sessions are closed and the counters are 0"
}
# rush LIMIT ADMITTED: with this limit of the organisation, 300 clients create a session.
rush()
{
	empty
	ctl sessions limits --account "$ACCOUNT" --max "$1" >/dev/null
	rm -f "$W/over" "$W"/answer.*
	(while [ ! -f "$W/over" ]; do live; done >"$W/seen") &
	# shellcheck disable=SC2086,SC2016 # CURL is a list of options; $0 and $1 are of the inner shell
	xargs -P 16 -L 1 sh -c 'curl -sS '"$CURL"' -o "'"$W"'/answer.$0" -w "%{http_code}\n" -H "X-API-Key: $1" \
		-H "Content-Type: application/json" -d "{\"start_url\":\"https://example.com/\"}" "'"$BASE_URL$S"'"' \
		<"$W/work" >"$W/statuses"
	touch "$W/over"
	wait
	is "$(sort "$W/statuses" | uniq -c | awk '{print $2 ":" $1}' | tr '\n' ' ')" "202:$2 429:$((300 - $2)) " \
		"exactly $2 of 300 concurrent sessions are admitted (C-090)"
	is "$(live) $(counters)" "$2 $2 $2" \
		"the counters equal the number of active sessions after the rush (C-090)"
	ok "the number of sessions never exceeds $2 (C-090)" test "$(sort -n "$W/seen" | tail -1)" -le "$2"
	is "$(sql "SELECT count(*) FROM session_caller WHERE active > 5")" 0 \
		"no key exceeds its own limit (C-090)"
}
for i in 1 2 3 4; do key_new --scope browser.sessions.create >"$W/key.$i"; done
for n in $(seq 300); do echo "$n $(cat "$W/key.$((n % 4 + 1))")"; done >"$W/work"
rush 12 12
ok "the limit of the organisation refuses the other sessions" \
	grep -q organisation_session_limit_exceeded "$W"/answer.*
rush 100 20
is "$(cat "$W"/answer.* | jq -r '.error.code // "made"' | sort -u | tr '\n' ' ')" "caller_session_limit_exceeded made " \
	"the limit of the keys refuses the other sessions"
