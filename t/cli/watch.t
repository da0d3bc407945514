#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl watch: a ticket with the key of whoever types, and a link that opens the stream; or why not.
. t/lib.sh
pg_start
api_start
stream_start
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
web_start "$port"
url=https://localhost:$port
printf '%s\n' "$KEY" >"$W/key"
export SURFACED_API_KEY=

run() { ctl "$@" >"$W/out" 2>"$W/err"; }
watch() { run watch --url "$url" --ca "$W/ca.crt" "$@"; }
# exits STATUS TITLE ARGUMENT...
exits() { want=$1 title=$2; shift 2; watch "$@"; is "$?" "$want" "$title"; }
says() { like "$(cat "$W/err")" "$1" "$2"; }

u=$(session_new)
exits 1 "without a key" "$u"
says '--key-file' "what to do is said"
exits 1 "a file that is not there" --key-file "$W/none" "$u"
says 'none: No such file' "is named"
echo word >"$W/word"
exits 1 "a file without a key" --key-file "$W/word" "$u"
says 'sfk_' "what a key looks like"
exits 2 "no UUID" --key-file "$W/key" word
run watch --key-file "$W/key" "$u"
is "$?" 2 "without an address"
says 'public_url' "what to set"
run watch --url "http://localhost:$port" --key-file "$W/key" "$u"
is "$?" 2 "a key is not sent in the clear"
exits 1 "a session that waits" --key-file "$W/key" "$u"
says 'session_not_ready.*--wait' "can be waited for"
exits 3 "a session that nobody has" --key-file "$W/key" "$(uuid_new)"
exits 3 "nor in that project" --key-file "$W/key" --project "$P" "$(uuid_new)"
says 'private to the key' "and why it may not be seen"
run watch --url "$url" --key-file "$W/key" "$u"
is "$?" 1 "a certificate that nobody vouches for (no --ca)"
says "$url: .*(certificate|SSL)" "is said with the address"

# It waits until the session runs.
ctl watch --url "$url" --ca "$W/ca.crt" --key-file "$W/key" --wait "$u" >"$W/link" 2>"$W/link.err" &
asked() { [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE usename = 'surfaced_admin'")" -ge 1 ]; }
world_until 20 asked
ok "it waits" test ! -s "$W/link"
session_run "$u"
wait $!
is "$?" 0 "and ends well"
like "$(cat "$W/link")" "^$url/viewer/#$P/$u/surfaced\.stream\.v1\.[A-Za-z0-9._-]+$" "with a link of the viewer (C-109: the ticket is in the fragment, which no server sees)"
opened=$(sed 's,.*/,,' "$W/link" | { IFS= read -r t; curl -s --cacert "$W/ca.crt" -o "$W/upgrade" -w '%{http_code}' --max-time 60 --http1.1 \
	-H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==' \
	-H "Sec-WebSocket-Protocol: $t" "$url/api/v1/projects/$P/sessions/$u/stream"; })
is "$opened" 101 "its ticket opens the stream"
SURFACED_API_KEY=$KEY watch --json --project "$P" "$u"
is "$?" 0 "the key from the environment, the project said"
like "$(jq -r .watch.link "$W/out")" "/viewer/#$P/$u/" "as JSON"
like "$(jq -r .watch.expires_at "$W/out")" "^20.*Z$" "with the ticket's end"

key_new --scope all >"$W/other"
exits 1 "another key of the same owner" --key-file "$W/other" --project "$P" "$u"
says 'permission_denied.*created' "may not watch, and why"
session_move "$u" fail
exits 1 "a session that has ended" --key-file "$W/key" "$u"
says 'session_terminal' "is said to have ended"
run watch --url "https://localhost:1" --key-file "$W/key" --project "$P" "$u"
is "$?" 1 "nobody answers"
world_kill "runner-$u"
