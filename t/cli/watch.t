#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl watch gets a ticket with the caller's key and prints a link that opens the stream, or explains why not.
[ -n "${LOOPBACK-}" ] || exec t/helper/loopback "$0" "$@"
. t/lib.sh
pg_start
api_start
stream_start
port=$(world_ports 1)
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
exits 1 "watch exits with 1 without a key" "$u"
says '--key-file' "watch without a key suggests --key-file"
exits 1 "watch exits with 1 if the key file is missing" --key-file "$W/none" "$u"
says 'none: No such file' "watch names the missing key file"
echo word >"$W/word"
exits 1 "watch exits with 1 if the file contains no key" --key-file "$W/word" "$u"
says 'sfk_' "watch explains how a key begins"
exits 2 "watch exits with 2 for a malformed uuid" --key-file "$W/key" word
run watch --key-file "$W/key" "$u"
is "$?" 2 "watch exits with 2 if the address is unknown"
says 'public_url' "watch without an address names the parameter public_url"
run watch --url "http://localhost:$port" --key-file "$W/key" "$u"
is "$?" 2 "watch refuses to send a key over plain HTTP"
exits 1 "watch exits with 1 for a queued session" --key-file "$W/key" "$u"
says 'session_not_ready.*--wait' "watch suggests --wait for a queued session"
exits 3 "watch exits with 3 for an unknown session" --key-file "$W/key" "$(uuid_new)"
exits 3 \
	"watch exits with 3 for an unknown session of the project" --key-file "$W/key" --project "$P" "$(uuid_new)"
says 'private to the key' "watch explains that sessions are private to their key"
run watch --url "$url" --key-file "$W/key" "$u"
is "$?" 1 "watch exits with 1 for an unknown certificate"
says "$url: .*(certificate|SSL)" "watch names the address and the fault of the certificate"

# watch --wait prints the link when the session runs.
ctl watch --url "$url" --ca "$W/ca.crt" --key-file "$W/key" --wait "$u" >"$W/link" 2>"$W/link.err" &
asked() { [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE usename = 'surfaced_admin'")" -ge 1 ]; }
world_until 20 asked
ok "watch --wait prints no link before the session runs" test ! -s "$W/link"
session_run "$u"
wait $!
is "$?" 0 "watch --wait exits with 0 when the session runs"
like "$(cat "$W/link")" "^$url/viewer/#$P/$u/surfaced\.stream\.v1\.[A-Za-z0-9._-]+$" \
	"watch prints a link with the ticket in its fragment (C-109)"
opened=$(sed 's,.*/,,' "$W/link" | { IFS= read -r t; curl -s --cacert "$W/ca.crt" -o "$W/upgrade" -w '%{http_code}' --max-time 60 --http1.1 \
	-H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==' \
	-H "Sec-WebSocket-Protocol: $t" "$url/api/v1/projects/$P/sessions/$u/stream"; })
is "$opened" 101 "the ticket of the link opens the stream"
SURFACED_API_KEY=$KEY watch --json --project "$P" "$u"
is "$?" 0 "watch takes the key from the environment"
like "$(jq -r .watch.link "$W/out")" "/viewer/#$P/$u/" "watch --json prints the link of the viewer"
like "$(jq -r .watch.expires_at "$W/out")" "^20.*Z$" "watch --json prints the expiry of the ticket"

key_new --scope all >"$W/other"
exits 1 "watch exits with 1 for another key of the same owner" --key-file "$W/other" --project "$P" "$u"
says 'permission_denied.*created' "watch explains that only the creating key may watch"
session_move "$u" fail
exits 1 "watch exits with 1 for a session that has ended" --key-file "$W/key" "$u"
says 'session_terminal' "watch names the code session_terminal"
run watch --url "https://localhost:1" --key-file "$W/key" --project "$P" "$u"
is "$?" 1 "watch exits with 1 if the connection is refused"
world_kill "runner-$u"
