#!/bin/sh
# SPDX-License-Identifier: ISC
# surface session and watch: sessions as records, their evidence, and the live stream over TLS (C-108).
. t/lib.sh
pg_start
api_start
stream_start
web_start
SURFACE_ENV='COLUMNS=100'

surface session create https://example.com/ --country DE
like "$STATUS $ERR" '^[0358] ' "a country that no route has is refused or taken"
surface session create https://example.com/
is "$STATUS $(printf '%s' "$OUT" | jq -r .state)" "0 queued" "surface session create queues a session"
s=$(printf '%s' "$OUT" | jq -r .uuid)
surface session list
is "$(printf '%s\n' "$OUT" | jq -r .uuid | grep -c "$s")" 1 "surface session list prints the session"
surface session list --table --state queued
like "$OUT" "^$s  queued  " "a table of sessions keeps the whole UUID"
SURFACE_ENV='SURFACED_PROJECT=' surface session show "$s"
is "$STATUS $(printf '%s' "$OUT" | jq -r .start_url)" "0 https://example.com/" "the only project of a key needs no name"
surface session show "$s" --project x
is "$STATUS" 2 "a project that is no UUID is refused"
surface session show "$(uuid_new)"
is "$STATUS|$ERR" "4|surface: The session was not found." "an unknown session is exit status 4"
surface session create http://10.0.0.1/
is "$STATUS" 3 "a private address is refused as a start URL"
like "$ERR" '^surface: start_url: ' "the refusal names the member"
surface session events "$s"
is "$STATUS|$OUT" "0|" "a session without events prints none"
surface session events "$s" --har
is "$STATUS $(printf '%s' "$OUT" | jq -r .log.version)" "0 1.2" "surface session events --har prints a HAR document"
surface session screenshots "$s"
is "$STATUS|$OUT" "0|" "a session without screenshots prints none"

# ---- the live stream ----

session_run "$s"
# watch_begin SESSION: follows the stream in the background.
watch_begin()
{
	(
		surface watch "$1"
		exit "$STATUS"
	) &
	watch=$!
}
echoed()
{
	grep -q '"type":"quality"' "$W/out"
}
watch_begin "$s"
ok "surface watch prints the messages of the stream" world_until 20 echoed
first=$(cat "$W/out")
surface watch "$s"
is "$STATUS|$ERR" "8|surface: The session has a controlling stream. (stream_already_active)" "a second stream of a session is refused"
world_kill "runner-$s" KILL
wait "$watch"
is "$?" 6 "a stream that breaks because the browser died is exit status 6"
like "$first" '^\{"type":"quality","fps":1,"quality":1\}$' "a message of the stream is one line"
session_move "$s" expire end
surface watch "$s"
is "$STATUS|$ERR" "8|surface: The session has ended. (session_terminal)" "the stream of a session that has ended is refused"
surface session stop "$s"
is "$STATUS $(printf '%s' "$OUT" | jq -r .state)" "0 terminal" "stopping a session again changes nothing"

key=$(key_new --scope all)
s=$(session_new)
session_run "$s"
: >"$W/out"
watch_begin "$s"
ok "a second session has a stream too" world_until 20 echoed
sql "UPDATE api_key SET revoked_at = now() WHERE sha256 = sha256('$key')"
wait "$watch"
is "$?" 5 "a stream whose key is revoked is exit status 5"
key=$KEY

# ---- evidence ----

dispatch_start
s=$(session_new 'https://example.com/?shots=3&events=4')
ok "the session comes to run" session_at "$s" running
surface session stop "$s"
ok "the session comes to its end" session_at "$s" terminal
surface session screenshots "$s"
shots=$(printf '%s\n' "$OUT" | grep -c '"sha256"')
ok "surface session screenshots prints the screenshots" test "$shots" -ge 3
surface session screenshots "$s" -o "$W/shots"
is "$STATUS $(find "$W/shots" -name '*.jpg' | wc -l)" "0 $shots" "every screenshot is stored as a file"
is "$(for f in "$W"/shots/*; do sha256sum <"$f"; done | cut -d' ' -f1 | sort -u | tr '\n' ' ')" \
	"$(surface session screenshots "$s" && printf '%s\n' "$OUT" | jq -r .sha256 | sort -u | tr '\n' ' ')" \
	"the stored screenshots have the SHA-256 of their records"
surface session events "$s" --table
is "$(printf '%s\n' "$OUT" | grep -c '^20..-..-.. ')" 4 "surface session events prints a row for each event"
