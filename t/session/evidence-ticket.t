#!/bin/sh
# SPDX-License-Identifier: ISC
# Evidence tickets: what they open, and that they end with any right of their key (C-218 to C-220).
[ -n "${LOOPBACK-}" ] || exec t/helper/loopback "$0" "$@"
. t/lib.sh
pg_start
api_start
stream_start
port=$(world_ports 1)
web_start "$port"
stranger_new

S=/projects/$P/sessions
u=$(session_new "https://example.com/")
other=$(session_new "https://example.com/")
session_run "$u"

api POST "$S/$u/evidence-ticket"
is "$STATUS $(header Location)" "201 /api/v1$S/$u/timeline" "the creator of a session gets a ticket for its evidence"
is "$(field '.evidence_ticket|keys|tojson')" '["expires_at","token","viewer_url"]' "the answer has exactly these members"
token=$(field .evidence_ticket.token) expires=$(field .evidence_ticket.expires_at)
like "$token" '^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$' "the token is a JWT without a prefix"
ok "the token has at most 512 characters" test "${#token}" -le 512
is "$(field .evidence_ticket.viewer_url)" "/viewer/play.html#$P/$u/$token" "the link has the ticket in its fragment (C-220)"
left=$(($(date -d "$expires" +%s) - $(date -d "$(sql 'SELECT now()')" +%s)))
ok "the ticket ends within 15 minutes (C-219)" test "$left" -gt 0 -a "$left" -le 900
is "$(printf %s "$token" | cut -d. -f2 | tr '_-' '/+' | sed 's/$/==/' | base64 -d 2>/dev/null | jq -r .aud)" evidence "the audience of the token is evidence"

# by TOKEN PATH [curl options]: GET with the ticket and without a key.
by()
{
	_token=$1 _path=$2
	shift 2
	key=none api GET "$_path" -H "X-Evidence-Ticket: $_token" "$@"
}
# refused STATUS CODE TITLE: the evidence with the ticket.
refused()
{
	by "$token" "$S/$u/timeline"
	is "$STATUS $(field .error.code)" "$1 $2" "$3"
}
allowed()
{
	by "$token" "$S/$u/timeline"
	is "$STATUS" 200 "$1"
}

sql "INSERT INTO screenshot (uuid, session_uuid, sha256, bytes, mime, width, height, reason, tab, url, title, taken_at)
	VALUES ('$(uuid_new)', '$u', sha256('picture'), 7, 'image/jpeg', 1, 1, 'load', 1, '', '', now())"
shot=$(sql "SELECT uuid FROM screenshot WHERE session_uuid = '$u'")
sum=$(printf picture | sha256sum | cut -d' ' -f1)
folder=$W/evidence/$(printf %.2s "$sum")/$(printf %s "$sum" | cut -c3-4)
mkdir -p "$folder" && printf picture >"$folder/$sum" && chmod -R a+rX "$W/evidence"
for path in timeline screenshots "screenshots/$shot" network-events network-events.har; do
	by "$token" "$S/$u/$path"
	is "$STATUS" 200 "the ticket reads ${path%/*} without a key"
	by "$token" "$S/$other/$path"
	is "$STATUS $(field .error.code)" "401 evidence_ticket_invalid" "the ticket gets 401 for ${path%/*} of another session (C-218)"
	by "$token" "/projects/$PROJECT2/sessions/$u/$path"
	is "$STATUS $(field .error.code)" "401 evidence_ticket_invalid" "the ticket gets 401 for ${path%/*} below another project (C-218)"
done
by "$token" "$S/$u/screenshots/$shot"
is "$(cat "$W/body")" picture "the ticket reads the bytes of an image"
for path in "$S/$u" "$S" /projects "$S/capabilities" /usage; do
	by "$token" "$path"
	is "$STATUS $(field .error.code)" "401 unauthorized" "the ticket does not open $(printf %s "$path" | sed "s,$P,{P},;s,$u,{u},")"
done
for path in evidence-ticket stream-ticket; do
	key=none api POST "$S/$u/$path" -H "X-Evidence-Ticket: $token"
	is "$STATUS $(field .error.code)" "401 unauthorized" "a ticket gets no $path"
done
key=none api DELETE "$S/$u" -H "X-Evidence-Ticket: $token"
is "$STATUS" 401 "the ticket closes no session"
by "$token" "$S/$u/timeline" -H "X-Evidence-Ticket: $token"
is "$STATUS $(field .error.code)" "401 evidence_ticket_invalid" "two headers with a ticket are refused (C-860)"
by "$token" "$S/$u/timeline" -H "X-API-Key: $KEY"
is "$STATUS $(field .error.code)" "401 evidence_ticket_invalid" "a ticket beside a key is refused (C-860)"
by '' "$S/$u/timeline" -H 'X-Evidence-Ticket;'
is "$STATUS $(field .error.code)" "401 unauthorized" "an empty ticket is like none"
for bad in x "${token%?}" "$token." "a$token" "surfaced.stream.v1.$token"; do
	by "$bad" "$S/$u/timeline"
	is "$STATUS $(field .error.code)" "401 evidence_ticket_invalid" "a damaged ticket is refused"
done

# ---- other kinds, and time ----

# forged AUDIENCE FROM SECONDS: a token with the key of the service, whose life begins FROM seconds from now.
forged()
{
	python3 - "$W/etc/stream-keys" "$P" "$u" "$(sql "SELECT key_uuid FROM browser_session WHERE uuid = '$u'")" "$@" <<'END'
import base64, hashlib, hmac, json, sys, time, uuid
keys, project, session, key, audience, start, seconds = sys.argv[1:]
kid, secret = open(keys).readline().strip().split(":")
text = lambda b: base64.urlsafe_b64encode(b).rstrip(b"=").decode()
now = int(time.time()) + int(start)
body = text(json.dumps({"alg": "HS256", "typ": "JWT", "kid": kid}).encode()) + "." + text(json.dumps({
    "iss": "surfaced", "aud": audience, "iat": now, "nbf": now, "exp": now + int(seconds), "jti": str(uuid.uuid4()),
    "project": project, "session": session, "key": key}).encode())
print(body + "." + text(hmac.new(bytes.fromhex(secret), body.encode(), hashlib.sha256).digest()))
END
}
by "$(forged evidence 0 900)" "$S/$u/timeline"
is "$STATUS" 200 "a ticket of this form is accepted, so the following ones fail for the one thing that is wrong with them"
by "$(forged evidence -901 900)" "$S/$u/timeline"
is "$STATUS $(field .error.code)" "401 evidence_ticket_invalid" "a ticket is refused 15 minutes after it was issued (C-219)"
by "$(forged evidence 0 3600)" "$S/$u/timeline"
is "$STATUS $(field .error.code)" "401 evidence_ticket_invalid" "a ticket that claims a longer life is refused (C-219)"
by "$(forged stream 0 30)" "$S/$u/timeline"
is "$STATUS $(field .error.code)" "401 evidence_ticket_invalid" "a token for the stream opens no evidence (C-219)"
api POST "$S/$u/stream-ticket"
is "$STATUS" 201 "the session has a stream, and its key gets a ticket for it"
by "$(field .stream_ticket.subprotocol)" "$S/$u/timeline"
is "$STATUS $(field .error.code)" "401 evidence_ticket_invalid" "a stream ticket opens no evidence (C-219)"
upgrade() # SUBPROTOCOL: the status
{
	curl -s --cacert "$W/ca.crt" -o "$W/upgrade" -w '%{http_code}' --max-time 60 --http1.1 -H 'Connection: Upgrade' \
		-H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==' \
		-H "Sec-WebSocket-Protocol: $1" "https://localhost:$port/api/v1$S/$u/stream"
}
is "$(upgrade "surfaced.stream.v1.$token")" 401 "an evidence ticket opens no stream (C-219)"
is "$(upgrade "$token")" 401 "the token of an evidence ticket is no subprotocol (C-219)"

# ---- rights that end ----

owner=$KEY
key=$(key_new --scope browser.sessions.manage --scope browser.sessions.view)
api POST "$S/$u/evidence-ticket"
is "$STATUS $(field .error.code)" "403 permission_denied" "a manager gets no ticket (C-218)"
key=$(key_new --scope browser.sessions.view)
api POST "$S/$u/evidence-ticket"
is "$STATUS $(field .error.code)" "404 session_not_found" "another key gets no ticket (C-218)"
key=$KEY2
api POST "$S/$u/evidence-ticket"
is "$STATUS $(field .error.code)" "404 project_not_found" "a key of another account gets no ticket (C-218)"
key=$owner

allowed "the ticket is used many times"
ctl accounts deny "$ACCOUNT" browser.sessions.view >/dev/null
refused 403 permission_denied "a ticket gets 403 when its key has lost the scope (C-219)"
ctl accounts allow "$ACCOUNT" browser.sessions.view >/dev/null
allowed "the ticket reads again when the scope is back"
sql "DELETE FROM entitlement WHERE account_uuid = '$ACCOUNT' AND name = 'browser'"
refused 403 entitlement_required "a ticket gets 403 when the entitlement has ended (C-219)"
sql "INSERT INTO entitlement (account_uuid, name) VALUES ('$ACCOUNT', 'browser')"
allowed "the ticket reads again when the entitlement is back"
sql "UPDATE account SET state = 'suspended' WHERE uuid = '$ACCOUNT'"
refused 403 permission_denied "a ticket gets 403 when the account is suspended"
sql "UPDATE account SET state = 'active' WHERE uuid = '$ACCOUNT'"
prefix=$(printf %.12s "$owner")
second=$(ctl --json projects create --account "$ACCOUNT" Second | jq -er .project.uuid)
sql "UPDATE api_key SET projects = ARRAY['$second']::uuid[] WHERE prefix = '$prefix'"
refused 404 project_not_found "a ticket gets 404 when its key has lost the project (C-219)"
sql "UPDATE api_key SET projects = NULL WHERE prefix = '$prefix'"
allowed "the ticket reads again when the project is back"
ctl keys revoke "$prefix" >/dev/null
refused 401 evidence_ticket_invalid "a ticket gets 401 when its key was revoked (C-219)"
by "$token" "$S/$u/screenshots/$shot"
is "$STATUS" 401 "a ticket of a revoked key reads no image (C-219)"

# ---- no trace ----

secret=$(printf %s "$token" | cut -d. -f3)
is "$(grep -rlF "$secret" "$W/log" | sed "s,$W/,,")" "" "no log has the ticket (C-220)"
world_kill "runner-$u"
