#!/bin/sh
# SPDX-License-Identifier: ISC
# A fresh installation: the first owner joins by a link, signs in, searches, sees projects and signs out.
# shellcheck disable=SC2154 # signed_in and person_new set the cookies and tokens with eval
. t/lib.sh
# shellcheck source=t/people/lib.sh
. t/people/lib.sh
pg_start
index_start
api_start
people_web_start
hosts_wait 0

# ---- links ----

token=$(ctl --json members create --account "$ACCOUNT" --owner --email ann@example.com Ann | jq -r .member.token)
like "$token" '^[A-Za-z0-9_-]{43}$' "members create --owner prints the token of a link to join (C-301)"
ctl members create --account "$ACCOUNT" --owner --email zoe@example.com Zoe >/dev/null 2>"$W/err"
like "$(cat "$W/err")" 'set public_url' "without public_url, the command advises to set it"
visit POST /auth/links/open "{\"token\":\"$token\"}"
is "$STATUS $(field '.link | .purpose, .organisation_name, .email' | paste -sd ' ')" "200 join Example ann@example.com" \
	"a link can be looked at (C-321)"
visit POST /auth/links/open "{\"token\":\"$token\"}"
is "$STATUS" 200 "a link that was looked at can be looked at again (C-321)"
for member in name email password; do
	visit POST /auth/links/use "$(jq -cn --arg token "$token" "{token: \$token, name: \"Ann\", email: \"ann@example.com\",
		password: \"$PASSWORD\"} | del(.$member)")"
	is "$(answered) $(field '.error.field_errors[] | .field, .code' | paste -sd ' ')" "400 invalid_request $member required" \
		"a new person without $member is refused"
done
for path in /auth/links/open /auth/links/use; do
	visit GET "$path?token=$token"
	is "$STATUS" 405 "a GET of $path, as the preview of a link sends, uses nothing (C-321)"
done
join "$token" Ann ann@example.com 'short'
is "$(answered) $(field .error.field_errors[0].field)" "400 invalid_request password" "a short password is refused and named (C-302)"
join "$token" Ann ann@example.com
is "$STATUS $(field .person.email)" "201 ann@example.com" "a link makes a person with a password (C-301)"
like "$(header Set-Cookie)" '^__Host-surfaced=[A-Za-z0-9_-]{43}; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=[0-9]+$' \
	"the cookie has its name and its attributes, and no Domain (C-304)"
signed_in ann
unlike "$BODY" "${ann_cookie#*=}" "the token of the cookie is in no body (C-304)"
join "$token" Ann ann@example.com
is "$(answered)" "404 link_not_found" "a used link is not found (C-301)"
visit POST /auth/links/open '{"token":"x"}'
is "$(answered)" "404 link_not_found" "a malformed link is not found"
first=$(link_new owner eve@example.com Eve)
ctl members link "$(sql "SELECT uuid FROM member WHERE email = 'eve@example.com'")" >/dev/null 2>&1
visit POST /auth/links/open "{\"token\":\"$first\"}"
is "$(answered)" "404 link_not_found" "a newer link ends the former one (C-321)"

over=$(link_new member eve@other.example Eve)
sql "UPDATE sign_in_link SET expires_at = now() - interval '1 s', created_at = now() - interval '2 s' WHERE sha256 = sha256('$over'::bytea)" >/dev/null
visit POST /auth/links/open "{\"token\":\"$over\"}"
is "$(answered)" "404 link_not_found" "a link whose time is over cannot be looked at (C-321)"
join "$over" Eve eve@other.example
is "$(answered)" "404 link_not_found" "a link whose time is over makes nobody a member (C-321)"
twice=$(link_new member flo@example.com Flo)
for name in flo floyd; do
	printf '{"token":"%s","name":"%s","email":"%s@example.com","password":"%s"}' "$twice" $name $name "$PASSWORD" >"$W/tmp/$name.in"
	# shellcheck disable=SC2086 # CURL is a list of options
	curl -s $CURL -o "$W/tmp/$name.answer" -w '%{http_code}\n' -H 'Content-Type: application/json' --data-binary "@$W/tmp/$name.in" \
		"$BASE_URL/auth/links/use" >"$W/tmp/$name.status" &
	users="${users-} $!"
done
for pid in $users; do
	wait "$pid"
done
like "$(cat "$W/tmp/flo.status" "$W/tmp/floyd.status" | sort | paste -sd ' ') $(sql "SELECT count(*) FROM person WHERE email LIKE 'flo%'")" '^201 (404|409|503) 1$' \
	"of two who use a link at once, one joins and the other is nobody (C-321)"

# ---- the cookie in place of a key ----

as ann GET /auth/session
is "$STATUS $(field '.organisations[0] | .name, .role' | paste -sd ' ')" "200 Example owner" "a person sees their organisations"
as ann GET /projects
is "$STATUS $(field .projects[0].uuid)" "200 $P" "a person sees the projects of the organisation"
as ann GET '/search/hosts?q=ip:192.0.2.1'
is "$STATUS" 200 "a person searches with the cookie alone"
as ann POST /search/hosts/aggregate '{"aggregations":[{"field":"tags"}]}'
is "$STATUS" 200 "a person aggregates with the CSRF token (C-311)"
visit POST /search/hosts/aggregate '{"aggregations":[{"field":"tags"}]}' -H "Cookie: $ann_cookie"
is "$(answered) $(field '.error | has("field_errors")')" "403 csrf_required false" \
	"without the CSRF token a person may not even aggregate, and the answer has the envelope of searches (C-311)"
visit POST /search/hosts/aggregate '{"aggregations":[{"field":"tags"}]}' -H "Cookie: $ann_cookie" -H "X-CSRF-Token: ${ann_csrf%?}"
is "$(answered)" "403 csrf_required" "a CSRF token that lacks a character is refused (C-311)"
visit GET /projects -H "Cookie: $ann_cookie" -H 'X-API-Key: sfk_nobodyyy_x'
is "$(answered)" "401 unauthorized" "a request with a bad key is refused despite a valid cookie (C-310)"
visit GET /projects -H "Cookie: $ann_cookie" -H 'X-API-Key;'
is "$(answered)" "401 unauthorized" "a request with an empty key is refused despite a valid cookie (C-310)"
visit GET /projects -H "Cookie: $ann_cookie; $ann_cookie"
is "$(answered)" "401 unauthorized" "two cookies of the name are refused (C-310)"
visit GET /projects -H "Cookie: ${ann_cookie}x"
is "$(answered)" "401 unauthorized" "a cookie of 44 characters is refused (C-310)"
visit GET /projects -H "Cookie: a=b; $ann_cookie; c=d"
is "$STATUS" 200 "the cookie is found among others"

# ---- by password, and out ----

sign_in ann "$PASSWORD" -H 'Cookie: __Host-surfaced=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
is "$STATUS $(field '.session.methods[0]')" "201 password" "a person signs in with their password"
isnt "$(cookie_of)" "__Host-surfaced=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" "a token that the client chose is not adopted (C-306)"
visit GET /auth/session -H 'Cookie: __Host-surfaced=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
is "$(answered)" "401 unauthorized" "a token that was never issued is unauthorized (C-305)"
sign_in ann 'eleven small green kettle'
is "$(answered)" "401 sign_in_failed" "a wrong password does not sign in (C-303)"
isnt "$(grep -c 'sign_in refused req=[0-9a-f]* address=' "$W/log/surfaced.log")" 0 "a refused sign-in leaves a line in the journal (C-325)"
visit GET /auth/methods -H "Cookie: $ann_cookie"
is "$(field '.signed_in, .methods.password' | paste -sd ' ')" "true true" "GET /auth/methods says that somebody is signed in"
as ann DELETE /auth/session
is "$STATUS $(header Set-Cookie)" "200 __Host-surfaced=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0" \
	"signing out clears the cookie (C-307)"
as ann GET /projects
is "$(answered)" "401 session_expired" "after signing out, a copy of the cookie is refused (C-307)"
visit GET /auth/methods -H "Cookie: $ann_cookie"
is "$(field .signed_in)" false "GET /auth/methods says that nobody is signed in"
