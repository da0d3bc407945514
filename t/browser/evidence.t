#!/bin/sh
# SPDX-License-Identifier: ISC
# Evidence over the API: screenshots and network events, for the creating credential alone (C-100 to C-102,
# C-106), with a runner that shows what it is told to.
. t/lib.sh
pg_start
api_start
web_start
dispatch_start
stranger_new

S=/projects/$P/sessions
# finished [URL]: a session that has run and ended; prints its UUID.
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
is "$STATUS $(field '.screenshots|length') $(field .has_more)" "200 4 false" "three and the last one"
is "$(field '[.screenshots[].reason]|tojson')" '["close","load","load","ready"]' "the newest first"
is "$(field '.screenshots[0]|keys|tojson')" \
	'["bytes","created_at","height","mime","reason","session_uuid","sha256","tab","taken_at","title","url","uuid","width"]' "what is said of one"
shot=$(field '.screenshots[3].uuid') sum=$(field '.screenshots[3].sha256') bytes=$(field '.screenshots[3].bytes')
api GET "$S/$u/screenshots?limit=3"
cursor=$(field .next_cursor)
is "$(field .has_more) $(field '.screenshots|length')" "true 3" "A2: a page"
api GET "$S/$u/screenshots?limit=3&cursor=$cursor"
is "$(field '[.screenshots[].uuid]|tojson') $(field .next_cursor)" "[\"$shot\"] null" "A2: the next one"

api GET "$S/$u/screenshots/$shot"
is "$STATUS $(header Content-Type) $(header ETag)" "200 image/jpeg \"$sum\"" "an image, its type and its sum"
is "$(sha256sum <"$W/body" | cut -d' ' -f1) $(wc -c <"$W/body")" "$sum $bytes" "and those are its bytes"
is "$(header Cache-Control) $(header X-Content-Type-Options)" "no-store nosniff" "nobody keeps it"
api HEAD "$S/$u/screenshots/$shot"
is "$STATUS $(header Content-Length) $(header ETag)" "200 $bytes \"$sum\"" "HEAD says the same without them"
file=$W/evidence/$(printf %.2s "$sum")/$(printf %s "$sum" | cut -c3-4)/$sum
ok "the file is named by its sum" test -f "$file"
is "$(stat -c %a "$file") $(find "$W/evidence" -name '.*' | wc -l)" "640 0" "for the group to read; nothing unfinished"

api GET "$S/$u/network-events"
is "$STATUS $(field '.network_events|length') $(field .has_more) $(field .truncated)" "200 25 true false" "a page of events"
is "$(field '[.network_events[].at]|.==sort')" true "in the order of time"
is "$(field '.network_events[0]|keys|length') $(field '.network_events[0].tls.version')" "20 TLS 1.3" "with all their members"
is "$(field '.network_events[1]|[.status,.failure]|tojson')" '[null,"net::ERR_FAILED"]' "null where there is none"
cursor=$(field .next_cursor)
field '.network_events[].id' >"$W/ids"
api GET "$S/$u/network-events?cursor=$cursor"
is "$(field '.network_events|length') $(field .has_more)" "15 false" "the rest"
field '.network_events[].id' >>"$W/ids"
is "$(wc -l <"$W/ids") $(sort -u "$W/ids" | wc -l)" "40 40" "no event twice, none left out"
api GET "$S/$u/network-events?failed=true&limit=100"
is "$(field '.network_events|length') $(field '[.network_events[].failure]|unique|tojson')" '20 ["net::ERR_FAILED"]' "those that failed"
api GET "$S/$u/network-events?failed=false&limit=100&tab=1&kind=request"
is "$(field '.network_events|length')" 20 "filters together"
api GET "$S/$u/network-events?tab=2"
is "$(field '.network_events|length')" 0 "of another tab"
api GET "$S/$u/network-events?kind=dialog&cursor=$cursor"
is "$STATUS $(field .error.code)" "400 invalid_pagination" "A2: a cursor is bound to its filters"
for bad in kind=x failed=yes tab=x limit=0 tab=70000; do
	api GET "$S/$u/network-events?$bad"
	is "$STATUS" 400 "$bad is refused"
done
unlike "$(sql "SELECT doc FROM network_event WHERE session_uuid = '$u'")" hunter2 "no secret of a request is stored, whatever the runner says"
like "$(sql "SELECT doc FROM network_event WHERE session_uuid = '$u' LIMIT 1")" \
	'redacted]@example.com.*' "what was taken out is marked"
is "$(sql "SELECT doc -> 'response_headers' FROM network_event WHERE session_uuid = '$u' LIMIT 1")" \
	'[{"name": "SET-Cookie", "value": "[redacted]"}, {"name": "Proxy-Thing", "value": "[redacted]"}, {"name": "Server", "value": "x"}]' \
	"header by header, in any case"

api GET "$S/$u/network-events.har"
is "$STATUS $(field .log.version) $(field '.log.entries|length')" "200 1.2 40" "the same as HAR 1.2"
is "$(field '.log.entries|map(select((.startedDateTime and .request.method and .response and .timings and .cache)|not))|length')" 0 "with what an entry has"
is "$(field '.log.entries[0]|[.request._bytesSent, .response._transferSize, .response.content.size]|tojson')" '[100,200,-1]' "what went over the network; the size of a body is not known"
is "$(field '.log.entries[0].serverIPAddress') $(field '.log.entries[0].response.status')" "93.184.216.34 200" "where it went and what came"

# ---- who sees it (C-100 to C-102) ----
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
		is "$STATUS $(field .error.code)" "${who#* }" "C-100, C-101: $path for ${who%% *}"
	done
	[ "${who%% *}" != manager ] || {
		api GET "$S/$u"
		is "$STATUS" 200 "C-101: metadata a manager may"
		unlike "$BODY$HEADERS" "$shot|$sum|vm:|lease|epoch|evidence" "C-102: which has no evidence and nothing of the infrastructure"
		api GET "$S/$(uuid_new)/screenshots"
		is "$STATUS" 404 "C-101: of a session there is not"
	}
done
key=$owner
v=$(finished "https://example.com/?shots=1&events=1" 1 1)
api GET "$S/$v/screenshots/$shot"
is "$STATUS $(field .error.code)" "404 screenshot_not_found" "another session's screenshot is nobody's"

# ---- what is bad ----
printf x >>"$file"
api GET "$S/$u/screenshots/$shot"
is "$STATUS $(field .error.code)" "503 service_unavailable" "bytes that are not what was stored are not given out"
rm "$file"
api GET "$S/$u/screenshots/$shot"
is "$STATUS $(field .error.code)" "503 service_unavailable" "a file that is gone: an envelope"
for bad in unsealed magic mime big; do
	w=$(session_new "https://example.com/?shots=2&events=1&bad=$bad")
	ok "bad=$bad: the session runs" session_at "$w" running
	ok "bad=$bad: what else it shows is stored" world_until 10 evidence_is "$w" 0 1
	api DELETE "$S/$w"
	session_at "$w" terminal
	is "$(sql "SELECT count(*) FROM screenshot WHERE session_uuid = '$w'")" 0 "bad=$bad: the image is not"
done
truncated() { [ "$(sql "SELECT network_truncated FROM session_evidence WHERE session_uuid = '$w'")" = t ]; }
for bad in net doc; do
	w=$(session_new "https://example.com/?shots=1&events=2&bad=$bad")
	ok "bad=$bad: what comes after is stored" world_until 20 evidence_is "$w" 1 2
	ok "bad=$bad: the mark says that there was more" truncated
	api DELETE "$S/$w"
	session_at "$w" terminal
done
w=$(session_new "https://example.com/?shots=1&bad=word")
ok "bad=word: is not understood" world_until 20 grep -q 'why="not understood" message="nonsense"' "$W/log/surfaced-dispatch.log"
ok "bad=word: the dispatcher lives" world_running surfaced-dispatch
api DELETE "$S/$w"

# ---- the log ----
said() { grep "session=$w" "$W/log/surfaced-dispatch.log" | grep -q "detail=\"$1\""; }
w=$(finished "https://example.com/?shots=3&events=40&twice" 3 40)
api GET "$S/$w/network-events?limit=100"
is "$(field '.network_events|length') $(field .truncated)" "40 false" "what comes twice is stored once"
ok "and answered" world_until 20 said "closed_by_creator, answered 7 of 7, stored 0"
w=$(finished "https://example.com/?shots=3&events=40&plain" 3 40)
ok "a runner without numbers hears of its shots" world_until 20 said "closed_by_creator, answered 0 of 0, stored 4"
is "$(sql "SELECT evidence_network('$w', 1, 5, '{}', false) || evidence_network('$w', 1, 5, '{}', false) ||
	evidence_network('$w', 1, 4, '{NULL}', true) || evidence_network('$w', 2, 6, '{}', false) || network_truncated
	FROM session_evidence WHERE session_uuid = '$w'")" "storedstoredstoredstalefalse" "a number that was there is nothing new"
w=$(session_new "https://example.com/?shots=50&events=40&die=shown")
ok "a runner that exits as it speaks" session_at "$w" terminal
ok "has its last words heard" said "last words"
ok "and all that it showed stored" world_until 20 evidence_is "$w" 50 40

# ---- bounds, and that nothing ends it (C-106) ----
w=$(session_new "https://example.com/?shots=203&events=1")
session_at "$w" running
ok "200 screenshots a session" world_until 20 evidence_is "$w" 200 1
api DELETE "$S/$w"
session_at "$w" terminal
is "$(sql "SELECT count(*) FROM screenshot WHERE session_uuid = '$w'")" 200 "and no more"
refused() { ok "$2" sh -c "! psql -XqAt -v ON_ERROR_STOP=1 -c \"$1\" >/dev/null 2>&1"; }
refused "UPDATE session_evidence SET screenshot_bytes = 209715201 WHERE session_uuid = '$w'" "200 MiB a session"
key_uuid=$(sql "SELECT key_uuid FROM browser_session WHERE uuid = '$v'")
refused "DELETE FROM api_key WHERE uuid = '$key_uuid'" "C-106: a key that has sessions stays as a row"
refused "DELETE FROM browser_session WHERE uuid = '$v'" "C-106: so does a session with evidence"
refused "DELETE FROM screenshot" "C-106: and evidence"
refused "UPDATE network_event SET doc = '{}'" "C-106: which nobody changes"
ctl keys revoke "$(printf %.12s "$KEY")" >/dev/null
sql "UPDATE member SET removed_at = now() WHERE account_uuid = '$ACCOUNT'"
is "$(sql "SELECT count(*) FROM screenshot WHERE session_uuid = '$v'") $(sql "SELECT state FROM browser_session WHERE uuid = '$v'")" "2 terminal" \
	"C-106: screenshots and metadata outlive the key and its owner"
is "$(find "$W/evidence" -type f | wc -l)" "$(sql "SELECT count(DISTINCT sha256) FROM screenshot")" "C-106: as do the files; the one removed here came again with its like"
