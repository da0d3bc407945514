#!/bin/sh
# SPDX-License-Identifier: ISC
# Passkeys by an authenticator of the test's own: what is taken, and all that is not (C-318 to C-320, C-323).
# shellcheck disable=SC2154 # signed_in and person_new set the cookies and tokens with eval
. t/lib.sh
# shellcheck source=t/people/lib.sh
. t/people/lib.sh
export WORLD_CONF='public_url = https://localhost'
pg_start
api_start
people_web_start

K=$W/tmp

# challenge PURPOSE [NAME]: for somebody who is not signed in, or for this person.
challenge()
{
	if [ $# -gt 1 ]; then
		as "$2" POST /auth/challenge "{\"purpose\":\"$1\"}"
	else
		visit POST /auth/challenge "{\"purpose\":\"$1\"}"
	fi
	field .challenge.challenge
}

# register NAME KEY [name=value ...]
register()
{
	_name=$1 _passkey=$2
	shift 2
	_challenge=$(challenge register "$_name")
	as "$_name" POST /auth/passkeys "$(t/helper/passkey create "$K/$_passkey" "$_challenge" "$@")"
}

# use KEY [name=value ...]: signs in with it.
use()
{
	_passkey=$1
	shift
	_challenge=$(challenge sign_in)
	visit POST /auth/sign-in/passkey "$(t/helper/passkey get "$K/$_passkey" "$_challenge" "$@")"
}

fault()
{
	field '.error.field_errors[0] | .field, .code' | paste -sd ' '
}

for kind in ed25519 p256 p384 rsa2048 rsa1024; do
	t/helper/passkey new "$K/$kind" "$kind"
done
t/helper/passkey new "$K/other" p256
person_new ann owner
person_new bob member

# ---- challenges ----

visit POST /auth/challenge '{"purpose":"sign_in"}'
is "$STATUS $(field .challenge.rp_id)" "200 localhost" "anybody gets a challenge to sign in with"
first=$(field .challenge.challenge)
isnt "$(challenge sign_in)" "$first" "no two challenges are equal"
visit POST /auth/challenge '{"purpose":"register"}'
is "$(answered)" "401 unauthorized" "a challenge to register is for people who are signed in"
visit GET /auth/methods
is "$(field '.methods | .passkey, .rp_id' | paste -sd ' ')" "true localhost" "with public_url passkeys are offered"

# ---- registration ----

for kind in ed25519 p256 rsa2048; do
	register ann $kind "name=$kind"
	is "$STATUS $(field .passkey.name)" "201 $kind" "a key $kind is registered (C-320)"
done
for kind in p384 rsa1024; do
	register ann $kind
	is "$(answered) $(fault)" "400 invalid_request public_key invalid_format" "a key $kind is refused (C-320)"
done
register bob other tail=1
is "$(answered) $(fault)" "400 invalid_request public_key invalid_format" "a byte behind the public key is refused (C-320)"
register bob other id="$K/p256"
is "$(answered) $(fault)" "400 invalid_request id duplicate" "a credential id that is known is refused, also to another person (C-320)"
register bob other origin=https://evil.example
is "$(answered) $(fault)" "400 invalid_request client_data invalid_format" "client data of another origin are refused"
register bob other type=webauthn.get
is "$(answered) $(fault)" "400 invalid_request client_data invalid_format" "client data of another type are refused"
register bob other rp=evil.example
is "$(answered) $(fault)" "400 invalid_request authenticator_data invalid_format" "authenticator data of another site are refused"
register bob other flags=0x41
is "$(answered) $(fault)" "400 invalid_request authenticator_data invalid_format" "a person who was not verified is refused"
as bob POST /auth/passkeys "$(t/helper/passkey create "$K/other" "$(challenge register ann)")"
is "$(answered)" "400 invalid_challenge" "a challenge of another person's is refused (C-926)"
as bob POST /auth/passkeys "$(t/helper/passkey create "$K/other" "$(challenge sign_in)")"
is "$(answered)" "400 invalid_challenge" "a challenge to sign in with registers no passkey (C-926)"
as bob POST /auth/passkeys '{"name":"x","id":"a+b=","public_key":"AAAA","algorithm":-7,"authenticator_data":"AAAA","client_data":"AAAA"}'
is "$(answered) $(fault)" "400 invalid_request id invalid_format" "a member that is no base64url is named"
as ann GET /auth/passkeys
is "$(field '[.passkeys[].name] | join(",")')" "ed25519,p256,rsa2048" "a person's passkeys are listed, the oldest first"
ed=$(field .passkeys[0].uuid) p256=$(field .passkeys[1].uuid) rsa=$(field .passkeys[2].uuid)
as bob GET /auth/passkeys
is "$(field '.passkeys | length')" 0 "nobody sees the passkeys of another person"

# ---- sign-in ----

sign_in ann
is "$STATUS $(field '.step.methods | join(",")')" "202 passkey" "the password alone does not sign in a person with a passkey (C-318)"
finish=$(field .step.token)
visit POST /auth/sign-in/totp "{\"step\":\"$finish\",\"code\":\"000000\"}"
is "$(answered)" "401 sign_in_failed" "a person without codes cannot end that sign-in with a code"
for kind in ed25519 p256 rsa2048; do
	use $kind
	is "$STATUS $(field '.session | (.methods | join(",")), .strong' | paste -sd ' ')" "201 passkey true" \
		"a passkey $kind signs in, and strongly (C-318)"
done
signed_in ann
as ann GET /auth/session
is "$(field .person.email)" "ann@example.com" "the sign-in belongs to the person of the passkey"
use ed25519 handle="$(field .person.uuid)"
is "$STATUS" 201 "a passkey with the user handle of its person signs in"
use ed25519 handle=00000000-0000-4000-8000-000000000000
is "$(answered)" "401 sign_in_failed" "a passkey with the user handle of another person fails"
use other
is "$(answered)" "401 sign_in_failed" "a passkey that nobody has registered fails"
plain=$(printf %s "$BODY" | jq -c 'del(.error.request_id)')
for what in signature authenticator_data; do
	use p256 flip=$what
	is "$STATUS $(printf %s "$BODY" | jq -c 'del(.error.request_id)')" "401 $plain" \
		"an assertion with one bit of its $what changed fails with the same answer (C-319)"
done
use p256 flip=client_data
is "$(answered)" "400 invalid_challenge" "client data with a bit changed are no client data (C-319)"
use p256 'more={"extra":1}'
is "$STATUS" 201 "members of client data that browsers may add do not matter"
for wrong in origin=https://evil.example origin=https://localhost:444 origin=http://localhost rp=evil.example type=webauthn.create \
	flags=0x01 flags=0x04 'more={"crossOrigin":true}'; do
	use ed25519 "$wrong"
	is "$(answered)" "401 sign_in_failed" "a rightly signed assertion with $wrong fails (C-319)"
done
is "$(sql "SELECT count(*) FROM throttle WHERE spent > 1")" 1 "failed passkeys spend the network's bucket alone (C-316)"
for i in $(seq 26); do
	visit POST /auth/links/use "{\"token\":\"$(printf '%043d' "$i")\"}" -H 'X-Real-IP: 198.51.100.9'
done
is "$(answered)" "429 sign_in_rate_limit_exceeded" "the attempts of a network are used up"
visit POST /auth/sign-in/passkey "$(t/helper/passkey get "$K/ed25519" "$(challenge sign_in)")" -H 'X-Real-IP: 198.51.100.9'
is "$STATUS" 201 "a right passkey signs in from a network whose attempts are used up (C-316)"

# ---- challenges count once ----

body=$(t/helper/passkey get "$K/ed25519" "$(challenge sign_in)")
visit POST /auth/sign-in/passkey "$body"
is "$STATUS" 201 "an assertion signs in"
visit POST /auth/sign-in/passkey "$body"
is "$(answered)" "400 invalid_challenge" "the same assertion does not sign in again (C-319)"
body=$(t/helper/passkey get "$K/ed25519" "$(challenge sign_in)")
for i in 1 2 3 4; do
	printf '%s' "$body" | curl -s $CURL -o "$W/tmp/race.$i" -w '%{http_code}\n' -H 'Content-Type: application/json' --data-binary @- \
		"$BASE_URL/auth/sign-in/passkey" >"$W/tmp/race.$i.status" &
	races="${races-} $!"
done
for pid in $races; do
	wait "$pid"
done
is "$(cat "$W"/tmp/race.*.status | sort | paste -sd ' ')" "201 400 400 400" "of four at once with one challenge, one signs in (C-319)"
use ed25519 "type=webauthn.get"
visit POST /auth/sign-in/passkey "$(t/helper/passkey get "$K/ed25519" "$(challenge register ann)")"
is "$(answered)" "400 invalid_challenge" "a challenge to register signs nobody in (C-926)"
visit POST /auth/sign-in/passkey "$(t/helper/passkey get "$K/ed25519" "$(challenge sign_in | tr 'A-Za-z' 'B-ZAb-za')")"
is "$(answered)" "400 invalid_challenge" "a challenge that was changed is refused (C-319)"

# ---- counters ----

use ed25519 count=5
is "$STATUS" 201 "an assertion whose counter increases signs in"
for count in 5 4 0; do
	use ed25519 count=$count
	is "$(answered)" "401 sign_in_failed" "a counter that comes to $count after 5 fails (C-319)"
done
is "$(sql "SELECT count(*), min(subject_id) FROM audit WHERE action = 'passkey.copied'")" "3|$ed" "each counter that did not grow leaves a line in the audit log"
use ed25519 count=6
is "$STATUS" 201 "a passkey still works after a copy was refused"
signed_in ann

# ---- names, and the end ----

as ann PUT "/auth/passkeys/$p256" '{"name":"Phone"}'
is "$STATUS $(field .passkey.name)" "200 Phone" "a passkey is renamed"
as bob PUT "/auth/passkeys/$p256" '{"name":"Mine"}'
is "$(answered)" "404 passkey_not_found" "another person cannot rename a passkey"
as bob DELETE "/auth/passkeys/$p256"
is "$(answered)" "404 passkey_not_found" "another person cannot remove a passkey"
use p256
signed_in spare
as ann DELETE "/auth/passkeys/$ed"
is "$STATUS" 200 "a passkey is removed"
as spare GET /auth/session
is "$(answered)" "401 session_expired" "removing a passkey ends every other sign-in of the person (C-867)"
as ann GET /auth/session
is "$STATUS" 200 "the sign-in that removed a passkey goes on"
use ed25519 count=9
is "$(answered)" "401 sign_in_failed" "a removed passkey signs nobody in"
as ann DELETE "/auth/passkeys/$rsa"
sql "UPDATE person SET password = NULL, password_at = NULL WHERE email = 'ann@example.com'" >/dev/null
as ann DELETE "/auth/passkeys/$p256"
is "$(answered)" "409 last_sign_in_method" "the last way to sign in cannot be removed (C-323)"
register ann ed25519
ed=$(field .passkey.uuid)
for one in "$ed" "$p256"; do
	curl -s $CURL -o /dev/null -w '%{http_code}\n' -X DELETE -H "Cookie: $ann_cookie" -H "X-CSRF-Token: $ann_csrf" \
		"$BASE_URL/auth/passkeys/$one" >"$W/tmp/last.$one" &
	lasts="${lasts-} $!"
done
for pid in $lasts; do
	wait "$pid"
done
is "$(cat "$W"/tmp/last.* | sort | paste -sd ' ')" "200 409" "two removals at once leave one way to sign in (C-323)"

sql "UPDATE person SET password = (SELECT password FROM person WHERE email = 'bob@example.com') WHERE email = 'ann@example.com'" >/dev/null
left=$(sql "SELECT k.uuid FROM passkey k JOIN person p ON p.uuid = k.person_uuid WHERE p.email = 'ann@example.com'")
hold_row person "email = 'ann@example.com'"
for path in /auth/password "/auth/passkeys/$left"; do
	curl -s $CURL -o /dev/null -w '%{http_code}\n' -X DELETE -H "Cookie: $ann_cookie" -H "X-CSRF-Token: $ann_csrf" \
		"$BASE_URL$path" >"$W/tmp/both.${path##*/}" &
	both="${both-} $!"
done
for pid in $both $HOLDER; do
	wait "$pid"
done
is "$(cat "$W"/tmp/both.* | sort | paste -sd ' ')" "200 409" "the password and the last passkey, removed at once, leave one of them (C-323)"

# ---- passkeys of a former public_url ----

t/helper/passkey new "$K/former" p256
person_new carl member
register carl former
former=$(field .passkey.uuid)
sql "UPDATE passkey SET rp_id = 'former.example' WHERE uuid = '$former'" >/dev/null
sign_in carl
is "$STATUS $(field .person.passkeys)" "201 0" "a passkey of a former public_url is no second method beside the password"
signed_in carl
as carl DELETE /auth/password
is "$(answered)" "409 last_sign_in_method" "a passkey of a former public_url does not take the place of the password (C-323)"
t/helper/passkey new "$K/present" p256
register carl present
present=$(field .passkey.uuid)
as carl DELETE /auth/password
is "$STATUS" 200 "a passkey of the present public_url takes the place of the password"
as carl DELETE "/auth/passkeys/$present"
is "$(answered)" "409 last_sign_in_method" "the last passkey that is good stays, whatever others there are (C-323)"
use former
is "$(answered)" "401 sign_in_failed" "a passkey of a former public_url signs nobody in (C-867)"
as carl DELETE "/auth/passkeys/$former"
is "$STATUS" 200 "a passkey of a former public_url is removed, whatever else there is (C-867)"
as carl DELETE "/auth/passkeys/$present"
is "$(answered)" "409 last_sign_in_method" "without it the last passkey that is good stays as before (C-323)"

# ---- limits and recency ----

sql "INSERT INTO passkey (person_uuid, name, credential, spki, algorithm, sign_count, backed_up, rp_id)
	SELECT uuid, 'P', decode(lpad(i::text, 32, '0'), 'hex'), 'x', -7, 0, false, 'localhost'
	  FROM person, generate_series(1, 19) AS i WHERE email = 'bob@example.com'" >/dev/null
register bob other
is "$STATUS" 201 "a person may have twenty passkeys (C-320)"
t/helper/passkey new "$K/more" ed25519
register bob more
is "$(answered)" "409 passkey_limit_exceeded" "a person may not have twenty-one passkeys (C-320)"
sql "UPDATE sign_in SET authenticated_at = now() - interval '1 hour'" >/dev/null
as bob POST /auth/challenge '{"purpose":"register"}'
is "$(answered)" "401 reauthentication_required" "a passkey is registered by a recent sign-in alone (C-308)"
as bob DELETE "/auth/passkeys/$p256"
is "$(answered)" "401 reauthentication_required" "a passkey is removed by a recent sign-in alone (C-308)"
