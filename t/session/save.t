#!/bin/sh
# SPDX-License-Identifier: ISC
# surface play and surfacectl play: the link of playback, and the evidence in a folder (C-220, C-221).
[ -n "${LOOPBACK-}" ] || exec t/helper/loopback "$0" "$@"
. t/lib.sh
pg_start
api_start
port=$(world_ports 1)
web_start "$port"
dispatch_start
stranger_new

S=/projects/$P/sessions
u=$(session_new "https://example.com/?shots=5&events=40")
ok "the session becomes a running one" session_at "$u" running
stored() { [ "$(sql "SELECT screenshots || ' ' || network_events FROM session_evidence WHERE session_uuid = '$u'")" = "5 40" ]; }
ok "the evidence of the session is stored" world_until 60 stored
api DELETE "$S/$u"
ok "the session becomes a terminal one" session_at "$u" terminal

surface play "$u"
is "$STATUS" 0 "surface play exits with 0"
like "$OUT" "^https://[^/]*/viewer/play\.html#$P/$u/[A-Za-z0-9_.-]+\$" "surface play prints a link with the ticket in its fragment (C-220)"
token=${OUT##*/}
key=none api GET "$S/$u/timeline" -H "X-Evidence-Ticket: $token"
is "$STATUS" 200 "the ticket of the link reads the timeline"

d=$W/saved/evidence
surface play "$u" --save "$d"
is "$STATUS $ERR" "0 " "surface play --save exits with 0"
is "$(cd "$d" && find . -type f | grep -v screenshots/ | sort | tr '\n' ' ')" "./SHA256SUMS ./network.har ./session.json ./timeline.ndjson " \
	"the folder has the four documents"
is "$(cd "$d" && find screenshots -type f | wc -l)" 6 "the folder has every screenshot"
is "$(cd "$d" && sha256sum -c --quiet SHA256SUMS 2>&1 && wc -l <SHA256SUMS)" 9 "SHA256SUMS verifies every other file (C-221)"
is "$(jq -r .uuid "$d/session.json") $(jq -r .log.version "$d/network.har") $(jq -s 'map(select(.network_event_id))|length' "$d/timeline.ndjson")" \
	"$u 1.2 40" "the documents are the session, its HAR and its timeline"
ls "$d/screenshots" | sed 's/\..*//' | sort >"$W/have"
jq -r 'select(.screenshot_uuid).screenshot_uuid' "$d/timeline.ndjson" | sort >"$W/want"
ok "the images are those of the timeline" cmp "$W/want" "$W/have"

# ---- a run that was interrupted ----

before=$(cd "$d/screenshots" && stat -c '%n %i' -- * | sort)
first=$(cd "$d/screenshots" && find . -type f | sort | head -1)
second=$(cd "$d/screenshots" && find . -type f | sort | sed -n 2p)
rm "$d/screenshots/$first" "$d/SHA256SUMS"
echo damaged >"$d/screenshots/$second"
surface play "$u" --save "$d"
is "$STATUS" 0 "a second run resumes (C-221)"
is "$(cd "$d" && sha256sum -c --quiet SHA256SUMS 2>&1 && wc -l <SHA256SUMS)" 9 "a second run replaces the missing and the damaged image (C-221)"
after=$(cd "$d/screenshots" && stat -c '%n %i' -- * | sort)
is "$(printf '%s\n%s\n' "$before" "$after" | grep -v -e "${first#./}" -e "${second#./}" | sort | uniq -c | awk '$1 != 2' | wc -l)" 0 \
	"a second run leaves the other images as they are (C-221)"

# ---- other keys ----

key=$(key_new --scope browser.sessions.view)
surface play "$u" --save "$W/other"
is "$STATUS" 4 "another key gets the API's 404 (C-221)"
key=$(key_new --scope browser.sessions.manage --scope browser.sessions.view)
surface play "$u" --save "$W/other"
is "$STATUS" 5 "a manager's key gets the API's 403 (C-221)"
ok "a refused run leaves no checksums" test ! -e "$W/other/SHA256SUMS"
key=$KEY
surface play word
is "$STATUS" 2 "a session that is no UUID is refused"

# ---- a server with other names ----

cat >"$W/hostile.py" <<'END'
import http.server, json, ssl, sys
cert, key, ready, uuid = sys.argv[1:]
SHA = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" # "test"
class Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path = self.path.split("?")[0]
        name = "../../../escaped" if uuid == "bad" else uuid
        body = b"test" if path.count("/screenshots/") else json.dumps(
            {"screenshots": [{"uuid": name, "mime": "../../png", "sha256": SHA}], "next_cursor": None} if path.endswith("/screenshots") else
            {"events": [], "next_cursor": None} if path.endswith("/timeline") else
            {"log": {}} if path.endswith(".har") else {"session": {"uuid": "../../name"}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *words):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(cert, key)
server.socket = context.wrap_socket(server.socket, server_side=True)
with open(ready + ".new", "w") as f:
    f.write(str(server.server_port))
import os
os.rename(ready + ".new", ready)
server.serve_forever()
END
# hostile NAME: a server that names its one screenshot so; surface saves from it into W/box/in.
hostile()
{
	rm -rf "$W/box" "$W/ready"
	python3 "$W/hostile.py" "$W/tls/server.crt" "$W/tls/server.key" "$W/ready" "$1" &
	_server=$!
	world_until 20 test -e "$W/ready" || return
	SURFACE_ENV="SURFACED_URL=https://localhost:$(cat "$W/ready") SURFACED_UNIX_SOCKET=" surface play "$u" --save "$W/box/in"
	kill "$_server"
	wait "$_server" 2>/dev/null
}
hostile bad
is "$STATUS $ERR" "1 surface: a screenshot has no UUID or no SHA-256" "a screenshot whose name is a path is refused (C-221)"
is "$(cd "$W/box" && find . -type f | sort | tr '\n' ' ')" "./in/network.har ./in/session.json ./in/timeline.ndjson " \
	"no name of a server makes a path (C-221)"
hostile 5E551011-0000-4000-8000-00000000000A
is "$STATUS $(cd "$W/box/in" && sha256sum -c --quiet SHA256SUMS 2>&1 && ls screenshots)" "0 5e551011-0000-4000-8000-00000000000a.jpg" \
	"the name of an image is the UUID in its usual form, whatever the server's media type (C-221)"

# ---- surfacectl ----

printf '%s\n' "$KEY" >"$W/key"
export SURFACED_API_KEY=
PATH=$BUILD:$PATH
ctl play --url "https://localhost:$port" --ca "$W/ca.crt" --key-file "$W/key" "$u" >"$W/link" 2>"$W/err"
is "$?" 0 "surfacectl play exits with 0"
like "$(cat "$W/link")" "^https://localhost:$port/viewer/play\.html#$P/$u/[A-Za-z0-9_.-]+\$" "surfacectl play prints a link as watch does"
ctl play --json --url "https://localhost:$port" --ca "$W/ca.crt" --key-file "$W/key" "$u" >"$W/out" 2>"$W/err"
like "$(jq -r '.play.link, .play.expires_at' "$W/out" | tr '\n' ' ')" "^https://.*/viewer/play.* 20.*Z $" "surfacectl play --json prints the link and its end"
mkdir -m 777 "$W/tmp/administrator"
ctl play --url "https://localhost:$port" --ca "$W/ca.crt" --key-file "$W/key" --save "$W/tmp/administrator/saved" "$u" >"$W/out" 2>"$W/err"
is "$? $(cat "$W/err")" "0 " "surfacectl play --save exits with 0"
is "$(cd "$W/tmp/administrator/saved" && sha256sum -c --quiet SHA256SUMS 2>&1 && wc -l <SHA256SUMS)" 9 "surfacectl play --save stores the same files (C-221)"
key_new --scope browser.sessions.manage --scope browser.sessions.view >"$W/other.key"
ctl play --url "https://localhost:$port" --ca "$W/ca.crt" --key-file "$W/other.key" "$u" >"$W/out" 2>"$W/err"
is "$?" 1 "surfacectl play exits with 1 for a manager's key"
like "$(cat "$W/err")" 'permission_denied' "surfacectl play names the code of the refusal"
