#!/bin/sh
# SPDX-License-Identifier: ISC
# The resource: create, read, list, close; its members, states and times. SPEC 2.5, 3, CONTRACT A1, A4.
. t/lib.sh
pg_start
api_start
web_start

S=/projects/$P/sessions
api POST "$S" '{"start_url":"HTTPS://Example.COM:443","browser_profile":"macos","egress_country":"GB","viewport":{"width":800,"height":600}}'
is "$STATUS" 202 "a session is accepted with no dispatcher anywhere (C-091)"
u=$(field .session.uuid)
is "$(header Location)" "/api/v1$S/$u" "and where it is"
is "$(header Idempotency-Replayed)" "" "no repeat is claimed"
is "$(field '.session|keys_unsorted|join(" ")')" "uuid project_uuid creator state terminal_reason start_url browser_profile egress_country viewport created_at updated_at last_activity_at ready_at expires_at close_requested_at terminal_at replayed_from_session_uuid" \
	"C-102: these members and no others"
is "$(field '.session|[.project_uuid,.state,.start_url,.browser_profile,.egress_country,.viewport.width,.viewport.height]|map(tostring)|join(" ")')" \
	"$P queued https://example.com/ macos GB 800 600" "what was wanted; the URL in its canonical form"
is "$(field '.session|[.terminal_reason,.last_activity_at,.ready_at,.expires_at,.close_requested_at,.terminal_at,.replayed_from_session_uuid]|map(tostring)|unique|join(" ")')" \
	null "C-120: what is unset is null"
like "$(field .session.created_at)" '^[0-9-]{10}T[0-9:]{8}\.[0-9]{6}Z$' "C-120: times"
is "$(field .session.creator.uuid)" "$(sql "SELECT uuid FROM api_key WHERE prefix = left('$KEY', 12)")" "the creator is the credential"
first=$BODY
api GET "$S/$u"
is "$STATUS $BODY" "200 $first" "it is read as it was answered"

d=$(session_new)
api GET "$S/$d"
is "$(field '.session|[.browser_profile,.egress_country,.viewport.width,.viewport.height]|map(tostring)|join(" ")')" "windows DE 1280 720" \
	"defaults: the profile, the first country, the viewport"
api GET "$S"
is "$(field '.sessions|map(.uuid)|join(" ")') $(field .has_more)" "$d $u false" "newest first"
api GET "$S?limit=1"
is "$(field '.sessions|map(.uuid)|join(" ")') $(field .has_more)" "$d true" "a page"
api GET "$S?limit=1&cursor=$(field .next_cursor)"
is "$(field '.sessions|map(.uuid)|join(" ")') $(field .has_more) $(field .next_cursor)" "$u false null" "and the next"
api GET "$S?state=running"
is "$STATUS $(field '.sessions|length')" "200 0" "none runs"
api GET "$S?state=ready"
is "$STATUS $(field '.error.field_errors[0].field')" "400 state" "an unknown state"

# C-103
api DELETE "$S/$d"
is "$STATUS $(field .session.state) $(field .session.terminal_reason)" "202 closing null" "C-103: a queued one closes, with a body"
when=$(field .session.close_requested_at)
isnt "$when" null "and says since when"
updated=$(field .session.updated_at)
api DELETE "$S/$d"
is "$STATUS $(field .session.close_requested_at) $(field .session.updated_at)" "202 $when $updated" "C-103: again: unchanged"
session_move "$d" claim 2>/dev/null
is "$(sql "SELECT state FROM browser_session WHERE uuid = '$d'")" closing "C-104: it is never started"
session_move "$d" end
api DELETE "$S/$d"
is "$STATUS $(field .session.state) $(field .session.terminal_reason) $(field .session.close_requested_at)" \
	"200 terminal closed_by_creator $when" "C-103: once terminal: 200, unchanged"
is "$(sql "SELECT string_agg(action, ' ' ORDER BY id) FROM audit WHERE subject_id = '$d'")" \
	"browser_session.create browser_session.close browser_session.end" "the audit has every move"

session_move "$u" claim requeue claim ready
api GET "$S/$u"
is "$(field .session.state) $(field '.session|(.expires_at[0:19]+"Z"|fromdate) - (.ready_at[0:19]+"Z"|fromdate)')" "running 1800" \
	"half an hour from ready_at"
session_move "$u" expire
api GET "$S/$u"
is "$(field .session.state) $(field .session.terminal_reason) $(field .session.close_requested_at)" "closing null null" "nobody asked it to close"
session_move "$u" end
api GET "$S/$u"
is "$(field .session.state) $(field .session.terminal_reason)" "terminal expired" "then it is over"
isnt "$(field .session.terminal_at)" null "and says when"

# C-092: what is queued stays queued.
q=$(session_new)
world_kill surfaced
world_kill surfaced-meter
world_pg_stop
world_pg_resume
api_start
api GET "$S/$q"
is "$STATUS $(field .session.state)" "200 queued" "C-092: a queued session outlives every restart"
api GET "$S/$(uuid_new)"
is "$STATUS $(field .error.code)" "404 session_not_found" "one that is not there"
api DELETE "$S/x"
is "$STATUS $(field .error.code)" "400 invalid_request" "C-020: a malformed UUID"
