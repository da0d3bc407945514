#!/bin/sh
# SPDX-License-Identifier: ISC
# The pages of a session's HAR: each entry belongs to a page that exists, and the times agree with the timeline (C-222).
. t/lib.sh
pg_start
api_start
web_start

S=/projects/$P/sessions
u=$(session_new "https://example.com/")
session_move "$u" claim ready
# event AT KIND TAB URL DURATION: seconds since the session was ready.
_seq=0
event()
{
	_seq=$((_seq + 1))
	sql "INSERT INTO network_event (session_uuid, seq, uuid, at, doc) SELECT uuid, $_seq, gen_random_uuid(),
		ready_at + $1 * interval '1 s', jsonb_build_object('tab', $3, 'kind', '$2', 'method', 'GET', 'url', '$4',
		'resource_type', '', 'mime', NULL, 'protocol', NULL, 'failure', NULL, 'remote_address', NULL, 'remote_port', NULL, 'tls', NULL, 'redirected_from', NULL, 'status', 200,
		'request_headers', '[]'::jsonb, 'response_headers', '[]'::jsonb, 'bytes_sent', 1, 'bytes_received', 2,
		'duration_ms', $5) FROM browser_session WHERE uuid = '$u'"
}
shot()
{
	sql "INSERT INTO screenshot (uuid, session_uuid, sha256, bytes, mime, width, height, reason, tab, url, title, taken_at)
		SELECT gen_random_uuid(), uuid, sha256('x'), 1, 'image/jpeg', 1, 1, '$2', $3, '', '', ready_at + $1 * interval '1 s'
		  FROM browser_session WHERE uuid = '$u'"
}
events=$u
event 1 request 1 https://example.com/early 10
event 2 request 1 https://example.com/a 100
event 2.2 request 1 https://example.com/a.js 100
event 2.5 page 1 https://example.com/a 500
shot 2.6 ready 1
event 4 websocket 1 https://example.com/socket 100
event 5 request 1 https://example.com/b 100
event 5.25 page 1 https://example.com/b 250
shot 5.3 load 1
shot 5.4 request 2
event 6 request 2 https://example.org/popup 100
event 6.5 dialog 2 https://example.org/popup NULL
event 7 request 0 https://example.org/worker.js 100

api GET "$S/$u/network-events.har"
is "$STATUS $(field '.log.pages|length') $(field '.log.entries|length')" "200 5 7" \
	"the HAR has a page for each load and for requests without one"
is "$(t/helper/valid har-1.2 "$W/body" 2>&1)" "" "the HAR has the members and types of HAR 1.2 (C-222)"
is "$(field '[.log.entries[].pageref] - [.log.pages[].id]|length') $(field '[.log.entries[]|select(.pageref|not)]|length')" "0 0" \
	"every entry of the HAR names a page that exists (C-222)"
is "$(field '.log as $l|[$l.entries[]|[(.request.url|split("/")[-1]), (.pageref as $p|$l.pages[]|select(.id==$p).title|split("/")[-1])]|join(">")]|join(" ")')" \
	"early>early a>a a.js>a socket>a b>b popup>popup worker.js>worker.js" \
	"an entry belongs to the page of its tab that was loading or shown at its time"
is "$(field '[.log.pages[].pageTimings.onLoad]|tojson')" '[-1,500,250,-1,-1]' "onLoad is the time from the request of the document to its load"
is "$(field '[.log.pages[]._screenshots|map(.reason)]|tojson')" '[[],["ready"],["load"],[],[]]' \
	"a page has the screenshots of its tab until the next page (C-859)"
is "$(field '[.log.pages[]|keys]|unique|tojson')" '[["_screenshots","_tab","id","pageTimings","startedDateTime","title"]]' \
	"a page has the members of HAR 1.2 and two whose names begin with an underscore"
is "$(field '[.log.pages[].startedDateTime]|.==sort')" true "the pages are in the order of their time"
# ISO 8601 with microseconds, as a number that jq can compare.
field '[.log.pages[]|select(.pageTimings.onLoad>=0)|((.startedDateTime|sub("\\.[0-9]+Z";"Z")|fromdate)*1000 +
	((.startedDateTime|capture("\\.(?<f>[0-9]+)Z").f|tonumber)/1000) + .pageTimings.onLoad|round)]|tojson' >"$W/har"
api GET "$S/$u/timeline?kind=page"
field '[.events[]|((.at|sub("\\.[0-9]+Z";"Z")|fromdate)*1000 + ((.at|capture("\\.(?<f>[0-9]+)Z").f|tonumber)/1000)|round)]|tojson' >"$W/line"
is "$(cat "$W/har")" "$(cat "$W/line")" "startedDateTime and onLoad of a page give the time of its event in the timeline (C-222)"

u=$(session_new "https://example.com/")
api GET "$S/$u/network-events.har"
is "$(t/helper/valid har-1.2 "$W/body" 2>&1)" "" "the HAR of a session without requests has the members of HAR 1.2 (C-222)"
is "$(field '.log|[.pages,.entries]|tojson')" '[[],[]]' "the HAR of a session without requests has neither pages nor entries"

# ---- an event that cannot be read ----

api GET "$S/$events/network-events?limit=100"
is "$STATUS $(field '.network_events|length')" "200 10" "the list has all events"
# Such a row is the work of damage: the product stores whole events alone.
sql "INSERT INTO network_event (session_uuid, seq, uuid, at, doc) SELECT uuid, 99, gen_random_uuid(), ready_at,
	'{\"tab\":1,\"kind\":\"request\"}' FROM browser_session WHERE uuid = '$events'"
api GET "$S/$events/network-events?limit=5"
is "$STATUS $(field '.network_events|length') $(field .has_more)" "200 5 true" "an event that cannot be read hides no other (C-861)"
is "$(field '[.network_events[] | select(.failure == "The stored event cannot be read.")] | length')" 1 \
	"an event that cannot be read says so"
