#!/bin/sh
# SPDX-License-Identifier: ISC
# Access to sessions by creator, other keys, managers and strangers: C-100, C-101, C-105, C-106.
. t/lib.sh
pg_start
api_start
web_start
stranger_new

S=/projects/$P/sessions
sql "UPDATE session_policy SET caller_sessions = 1000, organisation_sessions = 1000"
all="--scope browser.sessions.view --scope browser.sessions.create"
# shellcheck disable=SC2086 # a list of options
creator=$(key_new $all) sibling=$(key_new $all) viewer=$(key_new --scope browser.sessions.view)
manager=$(key_new --scope browser.sessions.manage --scope browser.sessions.create) overseer=$(key_new --scope browser.sessions.manage)
none=$(key_new --scope search.view)
key=$creator
live=$(session_new) done=$(session_new) victim=$(session_new)
session_move "$done" claim ready fail
source=$(sql "SELECT s FROM browser_session s WHERE uuid = '$done'")

# try KEY METHOD PATH STATUS CODE TITLE
try()
{
	key=$1
	api "$2" "$S$3"
	is "$STATUS $(field .error.code)" "$4 $5" "$6"
}
for session in "$live" "$done"; do
	try "$creator" GET "/$session" 200 null "the creator may read a session (C-100)"
	try "$overseer" GET "/$session" 200 null "a manager may read the metadata of a session (C-101)"
	try "$sibling" GET "/$session" 404 session_not_found \
		"another key of the same owner does not find the session (C-100)"
	try "$viewer" GET "/$session" 404 session_not_found \
		"a key with the scope to view does not find the session (C-101)"
	try "$none" GET "/$session" 403 permission_denied \
		"a key without a scope for sessions is refused (C-008)"
	try "$KEY2" GET "/$session" 404 project_not_found \
		"a key of another organisation does not find the project"
	try "$sibling" DELETE "/$session" 404 session_not_found \
		"another key of the same owner cannot close the session (C-101)"
	try "$viewer" DELETE "/$session" 403 permission_denied \
		"a key with the scope to view cannot close the session (C-009)"
	try "$sibling" POST "/$session/replay" 404 session_not_found \
		"another key of the same owner cannot replay the session (C-105)"
	try "$manager" POST "/$session/replay" 403 permission_denied \
		"a manager cannot replay the session of another key (C-105)"
	try "$overseer" POST "/$session/replay" 403 permission_denied \
		"a key without the scope to create cannot replay a session (C-009)"
done
key=$sibling
api GET "$S/$live"
missing=$(printf '%s' "$BODY" | jq -c '.error|del(.request_id)')
api GET "$S/$(uuid_new)"
is "$(printf '%s' "$BODY" | jq -c '.error|del(.request_id)')" "$missing" \
	"a session of another key gets the answer of an unknown one (C-101)"

list() { key=$1; api GET "$S"; is "$STATUS $(field '.sessions|length')" "$2" "$3"; }
list "$creator" "200 3" "the list of the creator has its three sessions"
list "$overseer" "200 3" "the list of a manager has every session of the project (C-101)"
list "$sibling" "200 0" "the list of another key has none of these sessions (C-101)"
list "$viewer" "200 0" "the list of a key with the scope to view is empty (C-101)"
other=$(ctl --json projects create --account "$ACCOUNT" Other | jq -er .project.uuid)
key=$creator
api GET "/projects/$other/sessions/$live"
is "$STATUS $(field .error.code)" "404 session_not_found" "a session is not found below another project"
key=$overseer
api GET "/projects/$other/sessions"
is "$(field '.sessions|length')" 0 "the list of another project does not have the session"

key=$overseer
api DELETE "$S/$victim"
is "$STATUS $(field .session.state)" "202 closing" "a manager may close a session of another key (C-101)"
session_move "$victim" end
api GET "$S/$victim"
is "$(field .session.terminal_reason)" closed_by_manager \
	"the reason of the closed session is closed_by_manager"

# C-105
key=$creator
api POST "$S/$live/replay"
is "$STATUS $(field .error.code)" "409 session_not_terminal" "a running session cannot be replayed (C-105)"
api POST "$S/$done/replay"
is "$STATUS $(field .session.state) $(field .session.replayed_from_session_uuid)" "202 queued $done" \
	"a replay creates a queued session that names its source (C-105, C-224)"
like "$(header Location)" "^/api/v1$S/$(field .session.uuid)\$" \
	"Location has the path of the replayed session"
isnt "$(field .session.uuid)" "$done" "a replayed session has its own uuid"
is "$(sql "SELECT s FROM browser_session s WHERE uuid = '$done'")" "$source" \
	"a replay does not change its source (C-105, C-224)"
sql "UPDATE session_policy SET caller_sessions = 1"
api POST "$S/$done/replay"
is "$STATUS $(field .error.code)" "429 caller_session_limit_exceeded" \
	"a replay is refused at the session limit (C-105)"
sql "UPDATE session_policy SET caller_sessions = 1000"
sql "UPDATE egress_route SET enabled = country <> 'DE'"
api POST "$S/$done/replay"
is "$STATUS $(field '.error.field_errors[0]|.field+" "+.code')" "400 egress_country not_allowed" \
	"a replay is refused if the country has no route (C-105)"

# C-106
ctl keys revoke "$(printf %.12s "$creator")" >/dev/null
try "$creator" GET "/$done" 401 unauthorized "a revoked key cannot read its session (C-003)"
try "$overseer" GET "/$done" 200 null "a session remains after its key was revoked (C-106)"
sql "UPDATE member SET removed_at = now() WHERE uuid = (SELECT owner_uuid FROM api_key WHERE prefix = left('$creator', 12))"
is "$(sql "SELECT count(*) FROM browser_session WHERE uuid = '$done'")" 1 \
	"a session remains after its member was removed (C-106)"

# C-102: no member, header or column shows the infrastructure.
unlike "$BODY$HEADERS" 'lease|epoch|host"|route|proxy|socks|here' \
	"the answer does not show the infrastructure (C-102)"
ok "the role surfaced_api cannot read host and lease (C-102)" \
	sh -c "! psql -XqAt -U surfaced_api -c 'SELECT host, lease_epoch FROM browser_session' 2>/dev/null"
ok "the role surfaced_api cannot read the address of a route" \
	sh -c "! psql -XqAt -U surfaced_api -c 'SELECT host FROM egress_route' 2>/dev/null"
ok "the role surfaced_api cannot write a state" \
	sh -c "! psql -XqAt -U surfaced_api -c \"UPDATE browser_session SET state = 'terminal'\" 2>/dev/null"
