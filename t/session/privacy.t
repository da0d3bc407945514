#!/bin/sh
# SPDX-License-Identifier: ISC
# Who sees and does what with a session: C-100, C-101, C-105, C-106.
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
	try "$creator" GET "/$session" 200 null "C-100: the creator reads it"
	try "$overseer" GET "/$session" 200 null "C-101: a manager reads its metadata"
	try "$sibling" GET "/$session" 404 session_not_found "C-100: another key of the same owner is a stranger"
	try "$viewer" GET "/$session" 404 session_not_found "C-101: so is one that may view"
	try "$none" GET "/$session" 403 permission_denied "C-008: without a scope"
	try "$KEY2" GET "/$session" 404 project_not_found "another organisation"
	try "$sibling" DELETE "/$session" 404 session_not_found "C-101: a stranger closes nothing"
	try "$viewer" DELETE "/$session" 403 permission_denied "C-009: to view is not to close"
	try "$sibling" POST "/$session/replay" 404 session_not_found "C-105: nor replays"
	try "$manager" POST "/$session/replay" 403 permission_denied "C-105: not even a manager"
	try "$overseer" POST "/$session/replay" 403 permission_denied "C-009: without the scope"
done
key=$sibling
api GET "$S/$live"
missing=$(printf '%s' "$BODY" | jq -c '.error|del(.request_id)')
api GET "$S/$(uuid_new)"
is "$(printf '%s' "$BODY" | jq -c '.error|del(.request_id)')" "$missing" "C-101: as if it did not exist"

list() { key=$1; api GET "$S"; is "$STATUS $(field '.sessions|length')" "$2" "$3"; }
list "$creator" "200 3" "the creator's list"
list "$overseer" "200 3" "C-101: a manager's list has every one of the project"
list "$sibling" "200 0" "C-101: others' have their own"
list "$viewer" "200 0" "C-101: none here"
other=$(ctl --json projects create --account "$ACCOUNT" Other | jq -er .project.uuid)
key=$creator
api GET "/projects/$other/sessions/$live"
is "$STATUS $(field .error.code)" "404 session_not_found" "not below another project"
key=$overseer
api GET "/projects/$other/sessions"
is "$(field '.sessions|length')" 0 "nor in its list"

key=$overseer
api DELETE "$S/$victim"
is "$STATUS $(field .session.state)" "202 closing" "C-101: a manager terminates"
session_move "$victim" end
api GET "$S/$victim"
is "$(field .session.terminal_reason)" closed_by_manager "and it says so"

# C-105
key=$creator
api POST "$S/$live/replay"
is "$STATUS $(field .error.code)" "409 session_not_terminal" "C-105: terminal alone"
api POST "$S/$done/replay"
is "$STATUS $(field .session.state) $(field .session.replayed_from_session_uuid)" "202 queued $done" "C-105: a new queued one that names its source"
like "$(header Location)" "^/api/v1$S/$(field .session.uuid)\$" "and where it is"
isnt "$(field .session.uuid)" "$done" "with a UUID of its own"
is "$(sql "SELECT s FROM browser_session s WHERE uuid = '$done'")" "$source" "C-105: the source is unchanged"
sql "UPDATE session_policy SET caller_sessions = 1"
api POST "$S/$done/replay"
is "$STATUS $(field .error.code)" "429 caller_session_limit_exceeded" "C-105: admission again"
sql "UPDATE session_policy SET caller_sessions = 1000"
sql "UPDATE egress_route SET enabled = country <> 'DE'"
api POST "$S/$done/replay"
is "$STATUS $(field '.error.field_errors[0]|.field+" "+.code')" "400 egress_country not_allowed" "C-105: validation again"

# C-106
ctl keys revoke "$(printf %.12s "$creator")" >/dev/null
try "$creator" GET "/$done" 401 unauthorized "C-003: a revoked key"
try "$overseer" GET "/$done" 200 null "C-106: what it made stays"
sql "UPDATE member SET removed_at = now() WHERE uuid = (SELECT owner_uuid FROM api_key WHERE prefix = left('$creator', 12))"
is "$(sql "SELECT count(*) FROM browser_session WHERE uuid = '$done'")" 1 "C-106: also when the member is gone"

# C-102: no member, header or column of the infrastructure.
unlike "$BODY$HEADERS" 'lease|epoch|host"|route|proxy|socks|here' "C-102: nothing of the infrastructure"
ok "C-102: the workers cannot read it" sh -c "! psql -XqAt -U surfaced_api -c 'SELECT host, lease_epoch FROM browser_session' 2>/dev/null"
ok "nor a route's address" sh -c "! psql -XqAt -U surfaced_api -c 'SELECT host FROM egress_route' 2>/dev/null"
ok "nor write a state" sh -c "! psql -XqAt -U surfaced_api -c \"UPDATE browser_session SET state = 'terminal'\" 2>/dev/null"
