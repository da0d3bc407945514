#!/bin/sh
# SPDX-License-Identifier: ISC
# Attempts of colleagues behind one address, of an office that the operator has named, and of people who set passwords.
# shellcheck disable=SC2154 # signed_in and person_new set the cookies and tokens with eval
. t/lib.sh
# shellcheck source=t/people/lib.sh
. t/people/lib.sh
export WORLD_CONF='sign_in_networks = 192.0.2.0/24 2001:db8:0:8::/64
sign_in_networks_attempts = 24'
pg_start
api_start
people_web_start
person_new ann owner
person_new bob member

# fail_from ADDRESS N: N attempts that are refused for certain; they use links that do not exist, since these need no hash.
fail_from()
{
	for i in $(seq "$2"); do
		N=$((N + 1))
		visit POST /auth/links/use "{\"token\":\"$(printf '%043d' "$N")\"}" -H "X-Real-IP: $1"
	done
}
N=0

# ---- colleagues ----

sign_in ann "$PASSWORD" -H 'X-Real-IP: 198.51.100.77'
is "$STATUS" 201 "ann signs in from the office"
fail_from 198.51.100.77 26
is "$(answered)" "429 sign_in_rate_limit_exceeded" "somebody of the office has filled the bucket of its network"
sign_in bob "$PASSWORD" -H 'X-Real-IP: 198.51.100.77'
is "$(answered)" "429 sign_in_rate_limit_exceeded" "a person who is new in the office does not sign in for now"
sign_in ann "$PASSWORD" -H 'X-Real-IP: 198.51.100.77'
is "$STATUS" 201 "a person who is known in the office signs in all the same (C-316)"
signed_in ann
as ann PUT /auth/person '{"name":"Ann","email":"annie@example.com"}' -H 'X-Real-IP: 198.51.100.77'
is "$STATUS" 200 "what others of the network failed at does not keep a person who is signed in from changing their e-mail"
as ann PUT /auth/person '{"name":"Ann","email":"ann@example.com"}' -H 'X-Real-IP: 198.51.100.77'
for i in $(seq 25); do
	as ann PUT /auth/person '{"name":"Ann","email":"bob@example.com"}' -H "X-Real-IP: 198.51.100.$i"
done
is "$(answered)" "429 sign_in_rate_limit_exceeded" "a person finds out twenty times whether an e-mail is taken, from whatever network (C-864)"
is "$(sql "SELECT count(*) FROM audit WHERE action = 'sign_in.throttled'")" 2 "each bucket that fills leaves one line of the audit log (C-325)"

# ---- an office with a name ----

fail_from 192.0.2.1 12
fail_from 192.0.2.2 12
is "$(answered)" "404 link_not_found" "a network of sign_in_networks may try as often as sign_in_networks_attempts says (C-863)"
fail_from 192.0.2.3 8
is "$(answered)" "429 sign_in_rate_limit_exceeded" "all addresses of a network of sign_in_networks count together (C-863)"
fail_from 2001:db8:0:8::1 24
is "$(answered)" "404 link_not_found" "a network of sign_in_networks with IPv6 may try as often"
fail_from 192.0.3.1 1
is "$(answered)" "404 link_not_found" "another network is not concerned"

# ---- passwords ----

sign_in bob "$PASSWORD" -H 'X-Real-IP: 203.0.113.7'
signed_in bob
for i in 1 2 3 4; do
	as bob PUT /auth/password "{\"password\":\"a long pass phrase number $i\"}"
done
as bob PUT /auth/password '{"password":"short"}'
is "$(answered)" "400 invalid_request" "a password that is refused is not one of the five in an hour (C-864)"
as bob PUT /auth/password '{"password":"a long pass phrase number 5"}'
is "$STATUS" 200 "a person sets five passwords in an hour (C-864)"
as bob PUT /auth/password '{"password":"a long pass phrase number 6"}'
is "$(answered)" "429 sign_in_rate_limit_exceeded" "the sixth password in an hour is refused (C-864)"
like "$(header Retry-After)" '^[1-9][0-9][0-9]$' "Retry-After says when the next one may be set"
as ann PUT /auth/password '{"password":"a long pass phrase of ann"}'
is "$STATUS" 200 "another person sets a password meanwhile"
sign_in bob 'a long pass phrase number 5' -H 'X-Real-IP: 203.0.113.7'
is "$STATUS" 201 "a person who has set too many passwords signs in with the last one"
for i in $(seq 9); do
	sign_in bob 'a long pass phrase number 5' -H 'X-Real-IP: 203.0.113.7'
done
is "$STATUS" 201 "sign-ins that succeed fill no bucket of wrong passwords"
