#!/bin/sh
# SPDX-License-Identifier: ISC
# Sessions are created, read, listed and closed; their members, states and times. C-091, C-092, C-102 to C-104, C-740 to C-744.
. t/lib.sh
pg_start
api_start
web_start

S=/projects/$P/sessions
api POST "$S" '{"start_url":"HTTPS://Example.COM:443","browser_profile":"macos","egress_country":"GB","viewport":{"width":800,"height":600}}'
is "$STATUS" 202 "a session is accepted while no dispatcher runs (C-091)"
u=$(field .session.uuid)
is "$(header Location)" "/api/v1$S/$u" "Location has the path of the new session"
is "$(header Idempotency-Replayed)" "" "a new session has no Idempotency-Replayed"
is "$(field '.session|keys_unsorted|join(" ")')" "uuid project_uuid creator state terminal_reason start_url browser_profile egress_country viewport created_at updated_at last_activity_at ready_at expires_at close_requested_at terminal_at replayed_from_session_uuid" \
	"a session has exactly the members of C-102"
is "$(field '.session|[.project_uuid,.state,.start_url,.browser_profile,.egress_country,.viewport.width,.viewport.height]|map(tostring)|join(" ")')" \
	"$P queued https://example.com/ macos GB 800 600" \
	"a session has the requested values and the canonical URL (C-741)"
is "$(field '.session|[.terminal_reason,.last_activity_at,.ready_at,.expires_at,.close_requested_at,.terminal_at,.replayed_from_session_uuid]|map(tostring)|unique|join(" ")')" \
	null "the unset members of a session are null (C-120)"
like "$(field .session.created_at)" '^[0-9-]{10}T[0-9:]{8}\.[0-9]{6}Z$' \
	"the times of a session have microseconds and Z (C-120)"
is "$(field '.session.creator | .kind, .uuid' | paste -sd ' ')" "key $(sql "SELECT uuid FROM api_key WHERE prefix = left('$KEY', 12)")" \
	"the creator of a session is the key"
first=$BODY
api GET "$S/$u"
is "$STATUS $BODY" "200 $first" "GET returns the session exactly as POST did"

d=$(session_new)
api GET "$S/$d"
is "$(field '.session|[.browser_profile,.egress_country,.viewport.width,.viewport.height]|map(tostring)|join(" ")')" "windows DE 1280 720" \
	"the defaults are the first profile, the first country and 1280 by 720 (C-740)"
api GET "$S"
is "$(field '.sessions|map(.uuid)|join(" ")') $(field .has_more)" "$d $u false" \
	"the list has the newest session first"
api GET "$S?limit=1"
is "$(field '.sessions|map(.uuid)|join(" ")') $(field .has_more)" "$d true" \
	"a page of sessions has limit entries and has_more"
api GET "$S?limit=1&cursor=$(field .next_cursor)"
is "$(field '.sessions|map(.uuid)|join(" ")') $(field .has_more) $(field .next_cursor)" "$u false null" \
	"the next page has the remaining session"
api GET "$S?state=running"
is "$STATUS $(field '.sessions|length')" "200 0" "the list of running sessions is empty"
api GET "$S?state=ready"
is "$STATUS $(field '.error.field_errors[0].field')" "400 state" "an unknown state in a filter is refused"

# C-103
api DELETE "$S/$d"
is "$STATUS $(field .session.state) $(field .session.terminal_reason)" "202 closing null" \
	"closing a queued session gets 202 with the session (C-103)"
when=$(field .session.close_requested_at)
isnt "$when" null "a closing session has close_requested_at"
updated=$(field .session.updated_at)
api DELETE "$S/$d"
is "$STATUS $(field .session.close_requested_at) $(field .session.updated_at)" "202 $when $updated" \
	"a second DELETE does not change the session (C-103)"
session_move "$d" claim 2>/dev/null
is "$(sql "SELECT state FROM browser_session WHERE uuid = '$d'")" closing \
	"a closing session is never started (C-104)"
session_move "$d" end
api DELETE "$S/$d"
is "$STATUS $(field .session.state) $(field .session.terminal_reason) $(field .session.close_requested_at)" \
	"200 terminal closed_by_creator $when" \
	"DELETE of a terminal session gets 200 and changes nothing (C-103)"
is "$(sql "SELECT string_agg(action, ' ' ORDER BY id) FROM audit WHERE subject_id = '$d'")" \
	"browser_session.create browser_session.close browser_session.end" \
	"the audit has every transition of the session"

session_move "$u" claim requeue claim ready
api GET "$S/$u"
is "$(field .session.state) $(field '.session|(.expires_at[0:19]+"Z"|fromdate) - (.ready_at[0:19]+"Z"|fromdate)')" "running 1800" \
	"a session expires half an hour after ready_at (C-744)"
session_move "$u" expire
api GET "$S/$u"
is "$(field .session.state) $(field .session.terminal_reason) $(field .session.close_requested_at)" "closing null null" \
	"an expired session is closing without a request to close"
session_move "$u" end
api GET "$S/$u"
is "$(field .session.state) $(field .session.terminal_reason)" "terminal expired" \
	"an expired session is terminal with the reason expired (C-744)"
isnt "$(field .session.terminal_at)" null "a terminal session has terminal_at"

# C-092: a queued session stays queued.
q=$(session_new)
world_kill surfaced
world_kill surfaced-meter
world_pg_stop
world_pg_resume
api_start
api GET "$S/$q"
is "$STATUS $(field .session.state)" "200 queued" \
	"a queued session survives a restart of every service (C-092)"
api GET "$S/$(uuid_new)"
is "$STATUS $(field .error.code)" "404 session_not_found" "an unknown session gets 404"
api DELETE "$S/x"
is "$STATUS $(field .error.code)" "400 invalid_request" "a malformed uuid of a session is refused (C-020)"
