#!/bin/sh
# SPDX-License-Identifier: ISC
# The timeline of a session: its states, screenshots and network events in one order (C-217, C-218).
. t/lib.sh
pg_start
api_start
web_start
stranger_new

S=/projects/$P/sessions
u=$(session_new "https://example.com/")
session_move "$u" fail
api GET "$S/$u/timeline"
is "$(field '[.events[]|select(.kind=="state")|[.title,.failure]]|tojson')" '[["queued",null],["terminal","failed"]]' \
	"the timeline of a failed session names the failure"
is "$(field '.events[0].offset_ms')" 0 "offsets of a session that never ran begin at its creation"

dispatch_start
u=$(session_new "https://example.com/?shots=4&events=60")
ok "the session becomes a running one" session_at "$u" running
stored() { [ "$(sql "SELECT screenshots || ' ' || network_events FROM session_evidence WHERE session_uuid = '$u'")" = "4 60" ]; }
ok "the evidence of the session is stored" world_until 60 stored
api GET "$S/$u/timeline?limit=500"
is "$STATUS $(field '[.events[]|select(.kind=="state").title]|tojson')" '200 ["queued","starting","running"]' \
	"the timeline of a running session has its states (C-217)"
api DELETE "$S/$u"
ok "the session is terminal" session_at "$u" terminal

# all QUERY: every page of the timeline, one event on each line of W/events.
all()
{
	: >"$W/events"
	_next=
	while :; do
		api GET "$S/$u/timeline?$1${_next:+&cursor=$_next}"
		[ "$STATUS" = 200 ] || return 1
		printf %s "$BODY" | jq -c '.events[]' >>"$W/events"
		_next=$(field .next_cursor)
		[ "$_next" != null ] || return 0
	done
}
events() { jq -r "$1" "$W/events"; }

ok "every page of the timeline gets 200" all limit=7
cp "$W/events" "$W/small"
ok "the timeline is read as one page" all limit=500
ok "pages of seven events join to the same timeline without a gap (C-217)" cmp "$W/small" "$W/events"
is "$(events 'select(.kind=="state").title' | tr '\n' ' ')" "queued starting running closing terminal " \
	"the timeline has every state of the session in order"
is "$(jq -s 'map(.at)|.==sort' "$W/events")" true "the events are in the order of their time"
is "$(jq -s '.[0]|keys|tojson' -r "$W/events")" \
	'["at","bytes","failure","kind","network_event_id","offset_ms","screenshot_uuid","status","tab","title","url"]' \
	"an event of the timeline has exactly these members"

sql "SELECT uuid FROM screenshot WHERE session_uuid = '$u' ORDER BY taken_at, uuid" >"$W/want"
events 'select(.screenshot_uuid).screenshot_uuid' >"$W/have"
ok "the screenshots of the timeline are those of their list, once (C-217)" cmp "$W/want" "$W/have"
sql "SELECT uuid FROM network_event WHERE session_uuid = '$u' ORDER BY at, doc ->> 'kind', uuid" >"$W/want"
events 'select(.network_event_id).network_event_id' >"$W/have"
ok "the network events of the timeline are those of their list, once (C-217)" cmp "$W/want" "$W/have"
is "$(events 'select(.title=="running").offset_ms')" 0 "the offset of the running state is 0"
ok "events before the running state have a negative offset (C-858)" \
	test "$(events 'select(.title=="queued").offset_ms')" -lt 0
is "$(events 'select(.kind=="request" and .status==200).failure' | sort -u)" null "a request with a status has no failure"
is "$(events 'select(.kind=="request" and .status==null).failure' | sort -u)" net::ERR_FAILED \
	"a request without a status has its failure"
api GET "$S/$u/timeline?limit=1"
like "$(field .duration_ms)" '^[0-9]+$' "the timeline has the duration of the session"
is "$(field .truncated)" false "a complete timeline is not truncated"

# Events of one time are ordered by kind and UUID, which pages of one event keep.
sql "INSERT INTO network_event (session_uuid, seq, uuid, at, doc)
	SELECT '$u', 100 + i, gen_random_uuid(), ready_at, jsonb_build_object('kind', (ARRAY['request', 'crash', 'dialog'])[i % 3 + 1],
	'tab', 2, 'url', '', 'bytes_received', 0) FROM generate_series(1, 12) AS i, browser_session WHERE uuid = '$u'"
sql "SELECT uuid FROM network_event WHERE session_uuid = '$u' AND doc ->> 'tab' = '2' ORDER BY doc ->> 'kind', uuid" >"$W/want"
ok "the events of tab 2 are read one by one" all "limit=1&tab=2"
events .network_event_id >"$W/have"
ok "events of one time are ordered by kind and UUID across pages (C-217)" cmp "$W/want" "$W/have"

# ---- filters ----

all "limit=500&kind=screenshot"
is "$(jq -s 'length' "$W/events") $(events .kind | sort -u)" "5 screenshot" "the filter kind selects screenshots"
all "limit=500&to_ms=0"
is "$(jq -s 'map(.offset_ms)|max < 0' "$W/events")" true "to_ms=0 selects the events before the running state (C-858)"
all "limit=500&from_ms=0"
is "$(jq -s 'map(.offset_ms)|min' "$W/events")" 0 "from_ms=0 selects the events from the running state on (C-858)"
for bad in limit=0 limit=501 kind=picture tab=-2 from_ms=1.5 to_ms=x cursor=xyz colour=1; do
	api GET "$S/$u/timeline?$bad"
	is "$STATUS" 400 "the parameter $bad is refused"
done

# ---- access ----

key=$(key_new --scope browser.sessions.manage --scope browser.sessions.view)
api GET "$S/$u/timeline"
is "$STATUS $(field .error.code)" "403 permission_denied" "a manager of the project gets 403 for the timeline (C-218)"
key=$(key_new --scope browser.sessions.view)
api GET "$S/$u/timeline"
is "$STATUS $(field .error.code)" "404 session_not_found" "another key gets 404 for the timeline (C-218)"
key=$KEY2
api GET "$S/$u/timeline"
is "$STATUS $(field .error.code)" "404 project_not_found" "a key of another account gets 404 for the timeline (C-218)"

# ---- states ----

for change in "UPDATE session_event SET state = 'queued'" "DELETE FROM session_event" "TRUNCATE session_event"; do
	like "$(sql "$change" 2>&1)" 'evidence is never changed' "the database refuses: $change"
done
