#!/bin/sh
# SPDX-License-Identifier: ISC
# Passwords that are hashed at the same time. The hash takes some seconds here, so that other requests meet it.
. t/lib.sh
# shellcheck source=t/people/lib.sh
. t/people/lib.sh
export WORLD_CONF='password_parallel = 1
password_memory = 32768
password_passes = 64'
pg_start
api_start
people_web_start
person_new ann owner
person_new bob member

# waited: the median in microseconds of what twenty requests of a key wait.
waited()
{
	# shellcheck disable=SC2086 # CURL is a list of options
	curl -s $CURL -o /dev/null -w '%{time_starttransfer}\n' -H "X-API-Key: $KEY" "$BASE_URL/access/self#[1-20]" |
		sort -n | sed -n '10s/\.//p'
}

is_hashing() { [ "$(ctl --json workers | jq '[.pools[].busy // 0] | add')" -gt 0 ]; }

# forget: the attempts of before count no more.
forget() { sql "TRUNCATE throttle" >/dev/null; }

(
	sign_in ann "$PASSWORD" -H 'X-Real-IP: 203.0.113.1'
	answered >"$W/first"
) &
first=$!
world_until 60 is_hashing 2>/dev/null
sql "UPDATE person SET password = regexp_replace(password, '.{4}\$', 'AAAA') WHERE email = 'ann@example.com'" >/dev/null
sign_in bob "$PASSWORD" -H 'X-Real-IP: 203.0.113.2'
is "$(answered) $(header Retry-After)" "503 service_unavailable " "one more password than password_parallel is refused (C-315)"
is "$(sql "SELECT count(*) FROM throttle WHERE spent > 0.9 AND at > now() - interval '1 min'")" 5 \
	"an attempt for which there is no place costs its network and its try: beside the first one's three buckets, two are filled"
as ann PUT /auth/password '{"password":"another long pass phrase"}'
is "$(answered)" "503 service_unavailable" "a new password waits for a place as well (C-315)"
visit GET /auth/methods
is "$STATUS" 200 "other requests are served while a password is hashed (C-315)"
during=$(waited)
is "$(is_hashing && echo yes)" yes "the first password is still being hashed"
wait "$first"
is "$(cat "$W/first")" "401 sign_in_failed" "a password that is replaced while it is verified does not sign in"
ok "in the median a request of a key waits 50 ms longer at most while a password is hashed (C-315)" \
	[ $((${during#"${during%%[1-9]*}"} - $(waited | sed 's/^0*//'))) -lt 50000 ]
sign_in bob "$PASSWORD" -H 'X-Real-IP: 203.0.113.3'
is "$STATUS" 201 "when the hash is done, its place is free again"
