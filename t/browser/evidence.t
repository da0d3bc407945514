#!/bin/sh
# SPDX-License-Identifier: ISC
# Evidence over the API: screenshots and network events, for the creating key only (C-100 to C-102, C-106), with a
# runner that shows what its URL requests.
. t/lib.sh
pg_start
api_start
web_start
dispatch_start
stranger_new

S=/projects/$P/sessions
# finished URL SHOTS EVENTS: runs a session to its end; prints its UUID.
finished()
{
	_u=$(session_new "$1")
	session_at "$_u" running >/dev/null && world_until 10 evidence_is "$_u" "$2" "$3" && api DELETE "$S/$_u" &&
		session_at "$_u" terminal >/dev/null || diag "$_u: $(sql "SELECT * FROM session_evidence WHERE session_uuid = '$_u'")"
	printf %s "$_u"
}
evidence_is()
{
	[ "$(sql "SELECT screenshots || ' ' || network_events FROM session_evidence WHERE session_uuid = '$1'")" = "$2 $3" ]
}

u=$(finished "https://example.com/?shots=3&events=40&secret" 3 40)
api GET "$S/$u/screenshots"
is "$STATUS $(field '.screenshots|length') $(field .has_more)" "200 4 false" \
	"the list has three screenshots and the last one"
is "$(field '[.screenshots[].reason]|tojson')" '["close","load","load","ready"]' \
	"the list has the newest screenshot first"
is "$(field '.screenshots[0]|keys|tojson')" \
	'["bytes","created_at","height","mime","reason","session_uuid","sha256","tab","taken_at","title","url","uuid","width"]' \
	"a screenshot has exactly these members"
shot=$(field '.screenshots[3].uuid') sum=$(field '.screenshots[3].sha256') bytes=$(field '.screenshots[3].bytes')
api GET "$S/$u/screenshots?limit=3"
cursor=$(field .next_cursor)
is "$(field .has_more) $(field '.screenshots|length')" "true 3" \
	"a page of screenshots has limit entries and has_more (C-701)"
api GET "$S/$u/screenshots?limit=3&cursor=$cursor"
is "$(field '[.screenshots[].uuid]|tojson') $(field .next_cursor)" "[\"$shot\"] null" \
	"the next page has the remaining screenshot (C-704)"

api GET "$S/$u/screenshots/$shot"
is "$STATUS $(header Content-Type) $(header ETag)" "200 image/jpeg \"$sum\"" \
	"the image has its type and its checksum as ETag"
is "$(sha256sum <"$W/body" | cut -d' ' -f1) $(wc -c <"$W/body")" "$sum $bytes" \
	"the image has the checksum and length of its record"
is "$(header Cache-Control) $(header X-Content-Type-Options)" "no-store nosniff" \
	"the image may not be stored by caches"
api HEAD "$S/$u/screenshots/$shot"
is "$STATUS $(header Content-Length) $(header ETag)" "200 $bytes \"$sum\"" \
	"HEAD of the image has its length and ETag"
file=$W/evidence/$(printf %.2s "$sum")/$(printf %s "$sum" | cut -c3-4)/$sum
ok "the file of the image is named by its checksum" test -f "$file"
is "$(stat -c %a "$file") $(find "$W/evidence" -name '.*' | wc -l)" "640 0" \
	"the file is readable by its group and no temporary file is left"

api GET "$S/$u/network-events"
is "$STATUS $(field '.network_events|length') $(field .has_more) $(field .truncated)" "200 25 true false" \
	"the first page of events has 25 entries"
is "$(field '[.network_events[].at]|.==sort')" true "the events are in the order of time"
is "$(field '.network_events[0]|keys|length') $(field '.network_events[0].tls.version')" "20 TLS 1.3" \
	"an event has its twenty members"
is "$(field '.network_events[1]|[.status,.failure]|tojson')" '[null,"net::ERR_FAILED"]' \
	"an unset status of an event is null"
cursor=$(field .next_cursor)
field '.network_events[].id' >"$W/ids"
api GET "$S/$u/network-events?cursor=$cursor"
is "$(field '.network_events|length') $(field .has_more)" "15 false" \
	"the next page has the remaining events"
field '.network_events[].id' >>"$W/ids"
is "$(wc -l <"$W/ids") $(sort -u "$W/ids" | wc -l)" "40 40" "the pages contain each event once"
api GET "$S/$u/network-events?failed=true&limit=100"
is "$(field '.network_events|length') $(field '[.network_events[].failure]|unique|tojson')" '20 ["net::ERR_FAILED"]' \
	"the filter failed=true selects the failed events"
api GET "$S/$u/network-events?failed=false&limit=100&tab=1&kind=request"
is "$(field '.network_events|length')" 20 "several filters select the matching events"
api GET "$S/$u/network-events?tab=2"
is "$(field '.network_events|length')" 0 "the filter tab selects the events of another tab"
api GET "$S/$u/network-events?kind=dialog&cursor=$cursor"
is "$STATUS $(field .error.code)" "400 invalid_pagination" "a cursor with other filters is refused (C-703)"
for bad in kind=x failed=yes tab=x limit=0 tab=70000; do
	api GET "$S/$u/network-events?$bad"
	is "$STATUS" 400 "the filter $bad is refused"
done
unlike "$(sql "SELECT doc FROM network_event WHERE session_uuid = '$u'")" hunter2 \
	"no secret of a request is stored, even if the runner sends it"
like "$(sql "SELECT doc FROM network_event WHERE session_uuid = '$u' LIMIT 1")" \
	'redacted]@example.com.*' "a removed credential is marked in the stored URL"
is "$(sql "SELECT doc -> 'response_headers' FROM network_event WHERE session_uuid = '$u' LIMIT 1")" \
	'[{"name": "SET-Cookie", "value": "[redacted]"}, {"name": "Proxy-Thing", "value": "[redacted]"}, {"name": "Server", "value": "x"}]' \
	"the headers of credentials are redacted in any case of letters"

api GET "$S/$u/network-events.har"
is "$STATUS $(field .log.version) $(field '.log.entries|length')" "200 1.2 40" \
	"the HAR has version 1.2 and every event"
is "$(field '.log|del(.entries, .creator.version)|.pages|=map(.id)|tojson')" \
	'{"version":"1.2","creator":{"name":"surfaced"},"comment":"","pages":["page_1"]}' \
	"the frame of a complete HAR has the creator, one page for its requests and an empty comment"
is "$(field '.log.entries|map(select((.startedDateTime and .request.method and .response and .timings and .cache)|not))|length')" 0 \
	"each entry of the HAR has the required members"
is "$(field '.log.entries[0]|[.request._bytesSent, .response._transferSize, .response.content.size]|tojson')" '[100,200,-1]' \
	"an entry of the HAR has the bytes on the network and no size of the body"
is "$(field '.log.entries[0].serverIPAddress') $(field '.log.entries[0].response.status')" "93.184.216.34 200" \
	"an entry of the HAR has address and status"

# ---- access to evidence (C-100 to C-102) ----
owner=$KEY
paths="screenshots screenshots/$shot network-events network-events.har"
for who in "same 404 session_not_found" "manager 403 permission_denied" "stranger 404 project_not_found" "create 403 permission_denied"; do
	case ${who%% *} in
	same) key=$(key_new --scope browser.sessions.view --scope browser.sessions.create) ;;
	manager) key=$(key_new --scope browser.sessions.view --scope browser.sessions.manage) ;;
	stranger) key=$KEY2 ;;
	create) key=$(key_new --scope browser.sessions.create) ;;
	esac
	for path in $paths; do
		api GET "$S/$u/$path"
		is "$STATUS $(field .error.code)" "${who#* }" \
			"$path gets ${who#* } for another key: ${who%% *} (C-100, C-101)"
	done
	[ "${who%% *}" != manager ] || {
		api GET "$S/$u"
		is "$STATUS" 200 "a manager may read the metadata of a session (C-101)"
		unlike "$BODY$HEADERS" "$shot|$sum|vm:|lease|epoch|evidence" \
			"the metadata shows neither evidence nor infrastructure (C-102)"
		api GET "$S/$(uuid_new)/screenshots"
		is "$STATUS" 404 "the screenshots of an unknown session get 404 (C-101)"
	}
done
key=$owner
v=$(finished "https://example.com/?shots=1&events=1" 1 1)
api GET "$S/$v/screenshots/$shot"
is "$STATUS $(field .error.code)" "404 screenshot_not_found" \
	"a screenshot is not found below another session"

# ---- damaged files and hostile runners ----
printf x >>"$file"
api GET "$S/$u/screenshots/$shot"
is "$STATUS $(field .error.code)" "503 service_unavailable" \
	"an image whose bytes have changed is not delivered"
rm "$file"
api GET "$S/$u/screenshots/$shot"
is "$STATUS $(field .error.code)" "503 service_unavailable" "an image whose file is missing gets 503"
for bad in unsealed magic mime big; do
	w=$(session_new "https://example.com/?shots=2&events=1&bad=$bad")
	ok "bad=$bad: the session of the runner runs" session_at "$w" running
	ok "bad=$bad: the event of the runner is stored" world_until 10 evidence_is "$w" 0 1
	api DELETE "$S/$w"
	session_at "$w" terminal
	is "$(sql "SELECT count(*) FROM screenshot WHERE session_uuid = '$w'")" 0 \
		"bad=$bad: the image of the runner is not stored"
done
truncated() { [ "$(sql "SELECT network_truncated FROM session_evidence WHERE session_uuid = '$w'")" = t ]; }
for bad in net doc; do
	w=$(session_new "https://example.com/?shots=1&events=2&bad=$bad")
	ok "bad=$bad: the evidence after the bad message is stored" world_until 20 evidence_is "$w" 1 2
	ok "bad=$bad: the events are marked as truncated" truncated
	api GET "$S/$w/network-events.har"
	is "$(field .log.comment)" "There was more than a session stores." \
		"bad=$bad: the comment of the HAR names the truncation"
	api DELETE "$S/$w"
	session_at "$w" terminal
done
w=$(session_new "https://example.com/?shots=1&bad=word")
ok "bad=word: the unknown message of the runner is logged" \
	world_until 20 grep -q 'why="not understood" message="nonsense"' "$W/log/surfaced-dispatch.log"
ok "bad=word: the dispatcher survives the unknown message" world_running surfaced-dispatch
api DELETE "$S/$w"

# ---- the log ----
said() { grep "session=$w" "$W/log/surfaced-dispatch.log" | grep -q "detail=\"$1\""; }
w=$(finished "https://example.com/?shots=3&events=40&twice" 3 40)
api GET "$S/$w/network-events?limit=100"
is "$(field '.network_events|length') $(field .truncated)" "40 false" \
	"evidence that is sent twice is stored once"
ok "evidence that is sent twice is acknowledged" \
	world_until 20 said "closed_by_creator, answered 7 of 7, stored 0"
w=$(finished "https://example.com/?shots=3&events=40&plain" 3 40)
ok "a runner without numbers is told of its stored screenshots" \
	world_until 20 said "closed_by_creator, answered 0 of 0, stored 4"
is "$(sql "SELECT evidence_network('$w', 1, 5, '{}', false) || evidence_network('$w', 1, 5, '{}', false) ||
	evidence_network('$w', 1, 4, '{NULL}', true) || evidence_network('$w', 2, 6, '{}', false) || network_truncated
	FROM session_evidence WHERE session_uuid = '$w'")" "storedstoredstoredstalefalse" \
		"evidence with a number already stored changes nothing"
w=$(session_new "https://example.com/?shots=50&events=40&die=shown")
ok "a session ends when its runner exits at once" session_at "$w" terminal
ok "the last message of a runner that exits is read" said "last words"
ok "all evidence of a runner that exits is stored" world_until 20 evidence_is "$w" 50 40

# ---- bounds and permanence of evidence (C-106) ----
w=$(session_new "https://example.com/?shots=203&events=1")
session_at "$w" running
ok "a session stores 200 screenshots at most" world_until 20 evidence_is "$w" 200 1
api DELETE "$S/$w"
session_at "$w" terminal
is "$(sql "SELECT count(*) FROM screenshot WHERE session_uuid = '$w'")" 200 \
	"no screenshot is stored above the limit of 200"
refused() { ok "$2" sh -c "! psql -XqAt -v ON_ERROR_STOP=1 -c \"$1\" >/dev/null 2>&1"; }
refused "UPDATE session_evidence SET screenshot_bytes = 209715201 WHERE session_uuid = '$w'" \
	"the database refuses more than 200 MiB of screenshots"
key_uuid=$(sql "SELECT key_uuid FROM browser_session WHERE uuid = '$v'")
refused "DELETE FROM api_key WHERE uuid = '$key_uuid'" "a key that has sessions cannot be deleted (C-106)"
refused "DELETE FROM browser_session WHERE uuid = '$v'" "a session with evidence cannot be deleted (C-106)"
refused "DELETE FROM screenshot" "a screenshot in the database cannot be deleted (C-106)"
refused "UPDATE network_event SET doc = '{}'" "a network event in the database cannot be changed (C-106)"
ctl keys revoke "$(printf %.12s "$KEY")" >/dev/null
sql "UPDATE member SET removed_at = now() WHERE account_uuid = '$ACCOUNT'"
is "$(sql "SELECT count(*) FROM screenshot WHERE session_uuid = '$v'") $(sql "SELECT state FROM browser_session WHERE uuid = '$v'")" "2 terminal" \
	"screenshots and metadata outlive the key and its owner (C-106)"
is "$(find "$W/evidence" -type f | wc -l)" "$(sql "SELECT count(DISTINCT sha256) FROM screenshot")" \
	"each stored screenshot has its file (C-106)"
