#!/bin/sh
# SPDX-License-Identifier: ISC
# The places for hashes of passwords are shared out between people and networks. The hash takes seconds here, so that a
# request finds the place of another one taken.
# shellcheck disable=SC2154 # signed_in and person_new set the cookies and tokens with eval
. t/lib.sh
# shellcheck source=t/people/lib.sh
. t/people/lib.sh
export WORLD_WORKERS=4 WORLD_CONF='password_parallel = 2
password_memory = 32768
password_passes = 40'
pg_start
api_start
people_web_start
person_new ann owner
person_new bob member
sign_in bob "$PASSWORD" -H 'X-Real-IP: 2001:db8:1:2::b'
is "$STATUS" 201 "bob signs in from an office"

busy() { [ "$(ctl --json workers | jq '[.pools[].busy // 0] | add')" -gt "${1:-0}" ]; }
# guess ADDRESS E-MAIL: a wrong password.
guess()
{
	visit POST /auth/sign-in/password "{\"email\":\"$2@example.com\",\"password\":\"not the pass phrase\"}" -H "X-Real-IP: $1"
}
# behind FILE COMMAND...: runs the request in the background, with its answer in the file, and waits until a worker serves it.
behind()
{
	_to=$1
	shift
	(
		W_BODY=$W
		W=$W/tmp/$_to
		mkdir -p "$W"
		"$@"
		answered >"$W_BODY/tmp/$_to.answer"
	) &
	eval "$_to=$!"
	world_until 60 busy
}

behind first guess 2001:db8:1:1::a somebody
guess 2001:db8:1:1::a nobody
is "$(answered)" "503 service_unavailable" "a network whose password is hashed gets no second place"
guess 2001:db8:1:ff::a nobody
is "$(answered)" "503 service_unavailable" "all networks of 64 bits in one of 48 bits have one place"
guess 2001:db8:2::a somebody
is "$(answered)" "503 service_unavailable" "an e-mail whose password is hashed gets no second place"
sign_in bob "$PASSWORD" -H 'X-Real-IP: 2001:db8:1:2::b'
is "$STATUS" 201 "a person who is known in a network gets a place beside a stranger of that network (C-865)"
wait "$first"
is "$(cat "$W/tmp/first.answer")" "401 sign_in_failed" "the attempt that had the place of its network was tried"

behind first guess 2001:db8:1:1::a bob
sign_in bob "$PASSWORD" -H 'X-Real-IP: 2001:db8:1:2::b'
is "$STATUS" 201 "a stranger who tries the password of a person takes nothing of the person's place in a known network (C-865)"
wait "$first"

behind first as ann PUT /auth/password '{"password":"another long pass phrase"}'
as ann PUT /auth/password '{"password":"one more long pass phrase"}'
is "$(answered)" "503 service_unavailable" "a person who sets a password has one place"
guess 203.0.113.5 nobody
is "$(answered)" "401 sign_in_failed" "the other place is for others"
wait "$first"
is "$(cat "$W/tmp/first.answer")" "200 " "the password that had the place is set"
