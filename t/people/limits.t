#!/bin/sh
# SPDX-License-Identifier: ISC
# What ends a sign-in, what a request of a browser must prove, how guessing is slowed down, and which organisation counts.
# shellcheck disable=SC2154 # signed_in and person_new set the cookies and tokens with eval
. t/lib.sh
# shellcheck source=t/people/lib.sh
. t/people/lib.sh
pg_start
api_start
people_web_start

person_new ann owner
person_new bob member

# ---- the end of a sign-in ----

session_of() { eval "key=none api GET /auth/session -H \"Cookie: \$$1_cookie\""; }
sign_in ann
signed_in old
old=$(field .session.uuid)
sql "UPDATE sign_in SET seen_at = now() - interval '7201 s' WHERE uuid = '$old'"
session_of old
is "$(answered)" "401 session_expired" "a sign-in without a request for sign_in_idle is over (C-305)"
is "$(sql "SELECT end_reason FROM sign_in WHERE uuid = '$old'")" expired "a sign-in that is over is stored as expired"
sign_in ann
signed_in old
sql "UPDATE sign_in SET expires_at = now() - interval '1 s', created_at = now() - interval '2 s' WHERE uuid = '$(field .session.uuid)'"
session_of old
is "$(answered)" "401 session_expired" "a sign-in that has reached sign_in_life is over (C-305)"
expires=$(as ann GET /auth/session && field .session.expires_at)
sql "UPDATE sign_in SET authenticated_at = now() - interval '601 s' WHERE ended_at IS NULL"
as ann PUT /auth/password '{"password":"another long pass phrase"}'
is "$(answered)" "401 reauthentication_required" "a password is not set with a sign-in that is not fresh (C-308)"
as ann PUT /auth/person '{"name":"Ann Other","email":"ann@example.com"}'
is "$STATUS $(field .person.name)" "200 Ann Other" "another name needs no fresh sign-in"
as ann PUT /auth/person '{"name":"Ann","email":"annie@example.com"}'
is "$(answered)" "401 reauthentication_required" "another e-mail needs a fresh sign-in"
former=$ann_cookie
sign_in ann "$PASSWORD" -H "Cookie: $ann_cookie"
signed_in ann
is "$(field .session.expires_at)" "$expires" "signing in again keeps the absolute end (C-308)"
isnt "$ann_cookie" "$former" "signing in again gives another token (C-306)"
visit GET /auth/session -H "Cookie: $former"
is "$(answered)" "401 session_expired" "the token before is over at once (C-306)"
sign_in ann
signed_in second
as ann PUT /auth/password '{"password":"another long pass phrase"}'
is "$STATUS" 200 "a person sets a password with a fresh sign-in"
session_of second
is "$(answered)" "401 session_expired" "a new password ends every other sign-in (C-309)"
as ann GET /auth/sign-ins
is "$(field '.sign_ins | length, .[0].current, .[0].methods[0]' | paste -sd ' ')" "1 true password" "a new password keeps the sign-in of the request, which the list shows (C-309)"
sign_in ann 'another long pass phrase' -A 'A browser of the test' -H 'X-Real-IP: 198.51.100.77'
signed_in stolen
as ann GET /auth/sign-ins
is "$(field '.sign_ins[] | select(.current | not) | .address, .agent, .methods[0]' | paste -sd ' ')" \
	"198.51.100.77 A browser of the test password" "the list of sign-ins shows network, browser and method (C-309)"
other=$(field '.sign_ins[] | select(.current | not).uuid')
as bob DELETE "/auth/sign-ins/$other"
is "$(answered)" "404 sign_in_not_found" "nobody ends the sign-in of another person"
as ann DELETE "/auth/sign-ins/$other"
session_of stolen
is "$(answered)" "401 session_expired" "a person ends a sign-in of theirs in another browser (C-309)"
is "$(sql "SELECT count(*) FROM audit WHERE action = 'sign_in.end' AND subject_id = '$other'")" 1 "the end of a sign-in leaves a line of the audit log (C-325)"
as ann GET /auth/session
is "$STATUS" 200 "ending a sign-in elsewhere leaves the one of the request"
as ann DELETE /auth/password
is "$(answered)" "409 last_sign_in_method" "the last way to sign in is not removed (C-323)"

# ---- proof against forged requests ----

for header in 'Origin: https://evil.example' 'Sec-Fetch-Site: cross-site' 'Sec-Fetch-Site: same-site' 'Sec-Fetch-Site: none'; do
	as ann POST /search/hosts/aggregate '{"aggregations":[{"field":"tags"}]}' -H "$header"
	is "$(answered)" "403 csrf_required" "a right token with $header is refused (C-312)"
done
visit POST /auth/sign-in/password '{"email":"ann@example.com","password":"x"}' -H 'Origin: https://evil.example'
is "$(answered)" "403 csrf_required" "a page of another site cannot sign somebody in (C-313)"
as ann POST /projects '{"name":"from here"}' -H 'Origin: https://localhost' -H 'Sec-Fetch-Site: same-origin'
is "$STATUS" 201 "a request of the page's own origin passes"
as bob POST /search/hosts/aggregate '{"aggregations":[{"field":"tags"}]}' -H "X-CSRF-Token: $ann_csrf"
is "$(answered)" "403 csrf_required" "two CSRF tokens are refused (C-311)"
is "$(printf '%s' "$HEADERS" | grep -ci '^access-control-')" 0 "no answer has a header that lets other sites read it (C-312)"
for path in /openapi.json /nothing /auth/methods; do
	visit GET "$path"
	is "$(header X-Content-Type-Options) $(header Content-Security-Policy)" "nosniff default-src 'none'; frame-ancestors 'none'; sandbox" \
		"the answer of $path is data and no page (C-326)"
done

# ---- which organisation ----

second=$(ctl --json accounts create Second | jq -r .account.uuid)
project=$(ctl --json projects create --account "$second" There | jq -r .project.uuid)
as bob POST /auth/links/use "{\"token\":\"$(link_new member bob@second.example Bob "$second")\"}"
is "$STATUS $(field '.organisations | length')" "201 2" "somebody who is signed in joins another organisation with the token alone"
as bob GET /projects
is "$(answered)" "400 organisation_required" "in two organisations one must be named (C-327)"
as bob GET /projects -H "X-Org-UUID: $second"
is "$STATUS $(field '.projects[0].uuid')" "200 $project" "the header names the organisation (C-327)"
as bob GET "/projects?org_uuid=$second"
is "$STATUS $(field '.projects[0].uuid')" "200 $project" "the parameter names the organisation (C-327)"
as bob GET "/projects/$project"
is "$STATUS" 200 "a path with a project needs no name (C-327)"
as bob GET "/projects/$project" -H "X-Org-UUID: $ACCOUNT"
is "$(answered)" "404 project_not_found" "a project of another organisation than the named one is not found (C-327)"
as bob GET "/projects?org_uuid=$second" -H "X-Org-UUID: $ACCOUNT"
is "$(answered)" "400 invalid_org_uuid" "two different names are refused (C-327)"
as bob GET /projects -H 'X-Org-UUID: x'
is "$(answered)" "400 invalid_org_uuid" "a name that is no UUID is refused (C-327)"
as bob GET /projects -H "X-Account-UUID: $second"
is "$(answered)" "400 invalid_org_uuid" "another name for the organisation is refused (C-327)"
as bob GET /projects -H "X-Org-UUID: $project"
is "$(answered)" "404 organisation_not_found" "an organisation that does not exist is not found (C-327)"
as ann GET /projects -H "X-Org-UUID: $second"
is "$(answered)" "404 organisation_not_found" "an organisation of others is not found (C-327)"
sql "UPDATE account SET sign_in = 'strong' WHERE uuid = '$second'"
as bob GET /projects -H "X-Org-UUID: $second"
is "$(answered)" "401 reauthentication_required" "a sign-in by a password alone does not reach the strong one of two organisations (C-334)"
as bob GET /projects -H "X-Org-UUID: $ACCOUNT"
is "$STATUS" 200 "the same sign-in reaches the other organisation (C-334)"
sql "UPDATE account SET sign_in = 'any' WHERE uuid = '$second'"
key=$KEY api GET /projects -H "X-Org-UUID: $ACCOUNT"
is "$(answered)" "400 api_key_account_override" "a key names no organisation, not even its own (C-011)"

# ---- roles ----

bob=$(sql "SELECT uuid FROM member WHERE account_uuid = '$ACCOUNT' AND email = 'bob@example.com'")
f=$(sql "SELECT finding_uuid FROM (SELECT 1) x, LATERAL (SELECT gen_random_uuid() AS finding_uuid) y")
as bob POST "/projects/$P/esi/findings/$f/resolve" '{}' -H "X-Org-UUID: $ACCOUNT"
is "$(answered)" "403 permission_denied" "a member does not resolve findings (C-330)"
sql "INSERT INTO project_member (account_uuid, project_uuid, member_uuid, role) VALUES ('$ACCOUNT', '$P', '$bob', 'manager')"
as bob POST "/projects/$P/esi/findings/$f/resolve" '{}' -H "X-Org-UUID: $ACCOUNT"
is "$(answered)" "404 finding_not_found" "the manager of a project may resolve its findings (C-330, C-331)"
other=$(ctl --json projects create --account "$ACCOUNT" Other | jq -r .project.uuid)
as bob POST "/projects/$other/esi/findings/$f/resolve" '{}' -H "X-Org-UUID: $ACCOUNT"
is "$(answered)" "403 permission_denied" "the manager of a project may not resolve findings of another (C-331)"
ctl accounts deny Example esi.findings.manage >/dev/null
as bob POST "/projects/$P/esi/findings/$f/resolve" '{}' -H "X-Org-UUID: $ACCOUNT"
is "$(answered)" "403 permission_denied" "a scope that the organisation denies is taken from people, too (C-330)"
sql "UPDATE account SET quota = 0 WHERE uuid = '$ACCOUNT'"
as bob GET /projects -H "X-Org-UUID: $ACCOUNT"
is "$STATUS" 200 "people are answered when the quota is used up (C-335)"
isnt "$(header RateLimit)" "" "the answer to a person has a RateLimit header (C-335)"

# ---- guessing ----

from() { sign_in ann "$2" -H "X-Real-IP: $1"; }
for i in 1 2 3 4 5 6 7 8 9 10; do from "203.0.113.$i" 'not the pass phrase'; done
is "$(answered)" "401 sign_in_failed" "the tenth attempt within the limit is verified (C-314)"
from 203.0.113.11 'another long pass phrase'
is "$(answered)" "429 sign_in_rate_limit_exceeded" "the eleventh attempt from new networks is refused, even with the right password (C-314)"
like "$(header Retry-After)" '^[1-9][0-9]*$' "the refusal has Retry-After (C-314)"
is "$(sql "SELECT count(*) FROM audit WHERE action = 'sign_in.throttled'")" 1 "a bucket that fills leaves one line of the audit log (C-325)"
wait=$(header Retry-After)
sql "UPDATE sign_in SET address = '198.51.100.7' WHERE uuid = (SELECT uuid FROM sign_in WHERE ended_at IS NULL LIMIT 1) OR true"
from 198.51.100.7 'another long pass phrase'
is "$STATUS" 201 "the person can still sign in from a network that they used before (C-316)"
sql "UPDATE throttle SET at = at - interval '$wait s'" >/dev/null
from 203.0.113.12 'another long pass phrase'
is "$STATUS" 201 "after the time of Retry-After the person signs in from a new network (C-314)"
# Fifty at once, each from a network of its own. A refusal because two passwords are hashed already is repeated (C-315).
sql "TRUNCATE throttle" >/dev/null
guess()
{
	code=503
	while [ "$code" = 503 ]; do
		# shellcheck disable=SC2086 # CURL is a list of options
		code=$(curl -s $CURL -o /dev/null -w '%{http_code}' -H 'Content-Type: application/json' -H "X-Real-IP: 192.0.2.$1" \
			--data '{"email":"bob@example.com","password":"not the pass phrase"}' "$BASE_URL/auth/sign-in/password")
	done
	echo "$code" >"$W/tmp/guess.$1"
}
began=$(date +%s)
guesses=
for i in $(seq 50); do
	guess "$i" &
	guesses="$guesses $!"
done
for pid in $guesses; do
	wait "$pid"
done
is "$(cat "$W"/tmp/guess.* | sort -u | paste -sd ' ')" "401 429" "of fifty parallel guesses each is tried or refused for their number (C-314)"
tried=$(cat "$W"/tmp/guess.* | grep -c 401)
# The bucket loses one of its ten in a minute.
ok "ten of fifty parallel guesses are tried at most, and $tried were (C-314)" [ "$tried" -le $((10 + ($(date +%s) - began) / 60)) ]
sql "TRUNCATE throttle" >/dev/null
visit POST /auth/sign-in/password '{"email":"nobody@example.com","password":"not the pass phrase"}' -H 'X-Real-IP: 198.51.100.9'
unknown=$(printf '%s' "$BODY" | jq -c 'del(.error.request_id)')
visit POST /auth/sign-in/password '{"email":"bob@example.com","password":"not the pass phrase"}' -H 'X-Real-IP: 198.51.100.9'
is "$unknown" "$(printf '%s' "$BODY" | jq -c 'del(.error.request_id)')" "an unknown e-mail and a wrong password have one answer (C-303)"
for i in 1 2 3 4 5 6 7 8 9 10; do
	visit POST /auth/sign-in/password '{"email":"j\u00f6rg@example.com","password":"not the pass phrase"}' -H "X-Real-IP: 192.0.2.$i"
done
visit POST /auth/sign-in/password '{"email":"J\u00d6RG@example.com","password":"not the pass phrase"}' -H 'X-Real-IP: 192.0.2.11'
is "$(answered)" "429 sign_in_rate_limit_exceeded" "an e-mail in capitals shares the bucket of the e-mail in small letters (C-314)"

# ---- the administrator ----

ctl people disable bob@example.com >/dev/null
as bob GET /auth/session
is "$(answered)" "401 session_expired" "a person who is disabled is signed out (C-337)"
sign_in bob "$PASSWORD" -H 'X-Real-IP: 198.51.100.10'
is "$(answered)" "401 sign_in_failed" "a person who is disabled does not sign in (C-303)"
ctl people enable bob@example.com >/dev/null
sign_in bob "$PASSWORD" -H 'X-Real-IP: 198.51.100.10'
signed_in bob
is "$STATUS" 201 "a person who is enabled again signs in"
is "$(ctl --json people sign-ins bob@example.com --end | jq '.sign_ins | length')" 1 "people sign-ins --end lists what it ends"
as bob GET /auth/session
is "$(answered)" "401 session_expired" "people sign-ins --end signs the person out (C-933)"
token=$(ctl --json people recover bob@example.com | jq -r .person.token)
sign_in bob "$PASSWORD" -H 'X-Real-IP: 198.51.100.10'
signed_in bob
is "$STATUS" 201 "printing a link to recover changes nothing (C-933)"
visit POST /auth/links/use "{\"token\":\"$token\",\"password\":\"a whole new pass phrase\"}"
is "$STATUS $(field .person.email)" "201 bob@example.com" "a link to recover sets a password (C-323)"
as bob GET /auth/session
is "$(answered)" "401 session_expired" "using a link to recover ends every sign-in (C-323)"
pg_dump --data-only --inserts >"$W/dump" 2>"$W/dump.err"
isnt "$(grep -c 'INSERT INTO public.sign_in ' "$W/dump")" 0 "the dump of the database has the sign-ins"
is "$(grep -cF -e "${ann_cookie#*=}" -e "${bob_cookie#*=}" -e "$token" -e 'pass phrase' "$W/dump")" 0 \
	"no table has the token of a cookie, a link or a password (C-304)"
sql "SELECT before::text, after::text FROM audit" >"$W/lines"
cat "$W/log/surfaced.log" >>"$W/lines"
is "$(grep -cF -e 'argon2id' -e "${ann_cookie#*=}" -e "$token" -e 'pass phrase' "$W/lines")" 0 \
	"no line of the audit log or the journal has a password, its hash, a token or a link (C-325)"
