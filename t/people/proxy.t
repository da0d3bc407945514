#!/bin/sh
# SPDX-License-Identifier: ISC
# Signing in by the company's proxy: nginx asks it with auth_request in one location, and nobody else can say who they
# are (C-322). The proxy is a server of nginx that answers as oauth2-proxy does; the rest is the example that is shipped.
# shellcheck disable=SC2154 # signed_in and person_new set the cookies and tokens with eval
. t/lib.sh
# shellcheck source=t/people/lib.sh
. t/people/lib.sh
export WORLD_CONF='proxy_sign_in = yes'
world
sed -e "s,/etc/surfaced/nginx/,$W/etc/nginx/,; s,http://127.0.0.1:4180,http://unix:$W/run/proxy.sock:," \
	nginx/proxy-sign-in.example >"$W/etc/nginx/proxy-sign-in.conf"
# The proxy knows the browser by a cookie of its own. The last of its answers is 401 without an e-mail.
export WORLD_HTTP="
	map \$http_cookie \$proxy_email {
		default '';
		'~proxy=ann' Ann@example.com;
		'~proxy=eve' eve@example.com;
		'~proxy=bob' bob@corp.example;
		'~proxy=ceo' ceo@corp.example;
		'~proxy=dan' dan@example.com;
		'~proxy=odd' 'no e-mail';
	}
	server {
		listen unix:$W/run/proxy.sock;
		location = /oauth2/auth {
			if (\$http_cookie !~ proxy=) {
				return 401;
			}
			if (\$http_cookie ~ __Host-surfaced) {
				return 403;
			}
			add_header X-Auth-Request-Email \$proxy_email always;
			return 202;
		}
	}"
export WORLD_SITE="include $W/etc/nginx/proxy-sign-in.conf;"
pg_start
api_start
people_web_start
person_new ann owner

# proxy COOKIE [curl options]: a sign-in by the proxy.
proxy()
{
	_jar=$1
	shift
	visit POST /auth/sign-in/proxy '{}' -H "Cookie: $_jar" "$@"
}

# ---- an e-mail that somebody typed is not yet an identity ----

rival=$(ctl --json accounts create Rival | jq -r .account.uuid)
person_new mallory owner "$rival"
as mallory POST /access/members '{"name":"Ceo","email":"ceo@corp.example","role":"owner"}'
[ "$STATUS" = 201 ] || diag "$STATUS $BODY"
invited=$(field '.link.url // .link.token' | sed 's,.*/,,')
join "$invited" Ceo ceo@corp.example 'the pass phrase of mallory'
is "$STATUS" 201 "the owner of an organisation joins with the e-mail of somebody else, whom they have invited"
signed_in fake
visit POST /auth/sign-in/password '{"email":"ceo@corp.example","password":"the pass phrase of mallory"}'
signed_in other
proxy 'proxy=ceo'
is "$STATUS $(field '.person | .email, .has_password' | paste -sd ' ')" "201 ceo@corp.example false" \
	"the person whom the proxy names signs in, and has no password that somebody else chose"
signed_in ceo
as ceo POST /auth/links/use "{\"token\":\"$(link_new owner ceo@corp.example Ceo)\"}"
is "$STATUS $(field '[.organisations[].name] | sort | join(" ")')" "201 Example Rival" "the person joins their own organisation"
for thief in fake other; do
	as $thief GET /projects -H "X-Org-UUID: $ACCOUNT"
	is "$(answered)" "401 session_expired" "the sign-in $thief of before the proxy named the person is over (C-869)"
	as $thief PUT /auth/password '{"password":"another phrase of mallory"}'
	is "$(answered)" "401 session_expired" "the sign-in $thief of before sets no password"
done
visit POST /auth/sign-in/password '{"email":"ceo@corp.example","password":"the pass phrase of mallory"}'
is "$(answered)" "401 sign_in_failed" "the password of before the proxy named the person is gone (C-869)"
as ceo PUT /auth/password '{"password":"the phrase of the ceo"}'
proxy 'proxy=ceo'
is "$STATUS $(field .person.has_password)" "201 true" "a password that the person sets afterwards stays when the proxy signs them in again"
person_new dan member
proxy "proxy=dan; $dan_cookie"
is "$STATUS $(field .person.has_password)" "201 true" "a person who is signed in when the proxy first names them keeps their password"
signed_in dan
as dan GET /auth/session
is "$STATUS" 200 "the sign-in of that browser goes on"

# A password that is hashed while the proxy names the person for the first time.
mkfifo "$W/naming"
person_new gil member
psql -Xq -v ON_ERROR_STOP=1 <"$W/naming" >"$W/naming.out" 2>&1 &
holder=$!
exec 9>"$W/naming"
printf '%s\n' "BEGIN; SELECT person_bind('gil@example.com', 'gil@corp.example'), 'bound';" >&9
late() { grep -q bound "$W/naming.out"; }
ok "a transaction names a person for the first time" world_until 60 late
(as gil PUT /auth/password '{"password":"another phrase of mallory"}'; answered >"$W/named.answer") &
setting=$!
setting_waits() { [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%person_password_set%'")" = 1 ]; }
ok "a new password waits for it" world_until 60 setting_waits
echo 'COMMIT;' >&9
exec 9>&-
wait "$holder" "$setting"
is "$(cat "$W/named.answer")" "401 session_expired" "a sign-in that ended while its password was hashed does not set it"
is "$(sql "SELECT password IS NULL FROM person WHERE email = 'gil@example.com'")" t "the person has no password then"

# ---- signing in ----

visit GET /auth/methods
is "$(field .methods.proxy)" true "a sign-in by the company is offered"
proxy 'proxy=ann'
is "$STATUS $(field '.person.email, (.session | (.methods | join(",")), .strong)' | paste -sd ' ')" "201 ann@example.com proxy false" \
	"a person whom the proxy identifies is signed in (C-322)"
signed_in ann
as ann GET /auth/session
is "$STATUS" 200 "a sign-in by the proxy opens an ordinary session"
visit DELETE /auth/session -H "Cookie: $ann_cookie"
is "$(answered)" "403 csrf_required" "a session by the proxy needs the CSRF token as others do (C-311)"
for jar in "proxy=ann; $ann_cookie" "$ann_cookie; proxy=ann" "a=b; $ann_cookie; proxy=ann"; do
	proxy "$jar"
	is "$STATUS" 201 "the proxy gets its own cookies, and not ours"
	signed_in ann
done
as ann PUT /auth/person '{"name":"Ann","email":"ann.new@example.com"}'
is "$STATUS $(field '.error.field_errors[0] | .field, .code' | paste -sd ' ')" "400 email not_allowed" \
	"a person whom the proxy names takes no e-mail by which somebody else may come (C-870)"
for i in $(seq 26); do
	visit POST /auth/links/use "{\"token\":\"$(printf '%043d' "$i")\"}"
done
is "$(answered)" "429 sign_in_rate_limit_exceeded" "colleagues have filled the bucket of the network"
proxy 'proxy=ann'
is "$STATUS" 201 "a person whom the proxy names signs in although the bucket of the network is full"
signed_in ann
proxy 'none=1'
is "$(answered) $(header WWW-Authenticate)" '401 sign_in_failed ApiKey header="X-API-Key"' \
	"the proxy refuses a browser that it does not know before anything counts"
sql "TRUNCATE throttle" >/dev/null
person_new bob member
for email in ann@example.org ANN@example.com; do
	as bob PUT /auth/person "{\"name\":\"Bob\",\"email\":\"$email\"}"
	is "$STATUS $(field '.error.field_errors[0] | .field, .code' | paste -sd ' ')" "400 email not_allowed" \
		"with a proxy that names people nobody takes the e-mail $email"
done
as bob PUT /auth/person '{"name":"Bobby","email":"bob@example.com"}'
is "$STATUS" 200 "with a proxy that names people one's own name can be changed"
ctl people bind bob@example.com bob@corp.example >/dev/null
as bob GET /auth/session
is "$(answered)" "401 session_expired" "surfacectl people bind ends the sign-ins of a person whom the proxy did not know"
sign_in bob "$PASSWORD"
is "$(answered)" "401 sign_in_failed" "surfacectl people bind removes the password of such a person"
proxy 'proxy=bob'
signed_in bob
is "$STATUS" 201 "the proxy signs the person in whom surfacectl people bind has bound"
for email in ann@example.com newhire@corp.example; do
	as bob PUT /auth/person "{\"name\":\"Bob\",\"email\":\"$email\"}"
	is "$STATUS $(field '.error.field_errors[0] | .field, .code' | paste -sd ' ')" "400 email not_allowed" \
		"a person whom surfacectl people bind has bound does not take the e-mail $email (C-870)"
done
as bob PUT /auth/person '{"name":"Bob","email":"bob@corp.example"}'
is "$STATUS" 200 "a person takes the e-mail by which the proxy knows them"
ctl people bind bob@corp.example robert@corp.example >/dev/null
as bob GET /auth/session
is "$(answered)" "401 session_expired" "a sign-in ends when the proxy knows somebody else under the person's name"
ctl people bind bob@corp.example bob@corp.example >/dev/null
person_new eve member
ctl people bind eve@example.com eve@corp.example >/dev/null
proxy 'proxy=eve'
is "$(answered)" "401 sign_in_failed" "the proxy does not find a bound person by another e-mail of theirs"
ctl people bind eve@example.com none >/dev/null
proxy 'proxy=eve'
is "$STATUS $(field .person.email)" "201 eve@example.com" "an unbound person is found by their e-mail again"
mkfifo "$W/bind"
psql -Xq -v ON_ERROR_STOP=1 <"$W/bind" >"$W/bind.out" 2>&1 &
binding=$!
exec 9>"$W/bind"
ctl people bind eve@example.com none >/dev/null
printf '%s\n' "BEGIN; UPDATE person SET proxy_identity = 'eve@corp.example' WHERE email = 'eve@example.com' RETURNING 'bound';" >&9
bound() { grep -q bound "$W/bind.out"; }
ok "a transaction is about to bind a person" world_until 60 bound
(proxy 'proxy=eve'; answered >"$W/late") &
sign_in=$!
waits() { [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%person_of_proxy%'")" = 1 ]; }
ok "a sign-in by the proxy waits for it" world_until 60 waits
echo 'COMMIT;' >&9
exec 9>&-
wait "$binding" "$sign_in"
is "$(cat "$W/late")" "401 sign_in_failed" "a person who is bound meanwhile is not found by their e-mail any more"
link=$(link_new member carl@example.com Carl)
join "$link" Carl dora@example.com
is "$STATUS $(field '.error.field_errors[0] | .field, .code' | paste -sd ' ')" "400 email not_allowed" \
	"with a proxy that names people nobody joins with another e-mail than the invitation's (C-870)"
join "$link" Carl Carl@example.com
is "$STATUS" 201 "a new person joins with the e-mail of the invitation"
proxy 'none=1'
is "$(answered)" "401 sign_in_failed" "a person whom the proxy does not identify is refused, in an envelope"
proxy 'proxy=eve'
is "$(answered)" "401 sign_in_failed" "an e-mail without a person is refused, and no member is created (C-322)"
proxy 'proxy=odd'
is "$(answered)" "401 sign_in_failed" "an answer of the proxy that is no e-mail is refused"
for header in 'SIGN_IN_EMAIL' 'Sign-In-Email' 'HTTP_SIGN_IN_EMAIL' 'X-Auth-Request-Email' 'X-Forwarded-Email' 'X-Forwarded-User' 'Remote-Email'; do
	proxy 'none=1' -H "$header: ann@example.com"
	is "$(answered)" "401 sign_in_failed" "a header $header signs nobody in (C-322)"
	proxy 'proxy=eve' -H "$header: ann@example.com"
	is "$(answered)" "401 sign_in_failed" "a header $header does not replace the person of the proxy (C-322)"
done
for path in /auth/sign-in/proxy/ /auth/sign-in//proxy /auth/sign-in/./proxy /auth/sign-in/%70roxy /auth/x/../sign-in/proxy; do
	visit POST "$path" '{}' --path-as-is -H 'SIGN_IN_EMAIL: ann@example.com' -H 'Sign-In-Email: ann@example.com'
	like "$(answered)" '^(401 sign_in_failed|404 not_found)$' "the path $path does not reach the operation of the proxy"
done
proxy 'proxy=ann' -H 'Sec-Fetch-Site: cross-site'
is "$(answered)" "403 csrf_required" "another site signs nobody in by the proxy (C-313)"
visit GET /auth/sign-in/proxy -H 'Cookie: proxy=ann'
is "$(answered)" "405 method_not_allowed" "a link or an image signs nobody in by the proxy"
ctl people disable ann@example.com >/dev/null
proxy 'proxy=ann'
is "$(answered)" "401 sign_in_failed" "a disabled person is refused"
ctl people enable ann@example.com >/dev/null
ctl members remove "$(ctl --json members list --account "$ACCOUNT" | jq -r '.members[] | select(.email == "ann@example.com").uuid')" >/dev/null
proxy 'proxy=ann'
is "$(answered)" "401 sign_in_failed" "a person who is a member of no organisation is refused (C-322)"
