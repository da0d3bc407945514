#!/bin/sh
# SPDX-License-Identifier: ISC
# One-time links that are used wrongly or by several at once: nobody waits for them, and neither they nor the e-mails that
# others have can be tried for ever. The hash of a password takes seconds here, so that others meet it.
# shellcheck disable=SC2154 # signed_in and person_new set the cookies and tokens with eval
. t/lib.sh
# shellcheck source=t/people/lib.sh
. t/people/lib.sh
export WORLD_CONF='password_parallel = 1
password_memory = 32768
password_passes = 48'
pg_start
api_start
people_web_start

# use TOKEN ADDRESS [NAME]: uses a link as a new person with this e-mail, or with that of ann.
use()
{
	visit POST /auth/links/use "{\"token\":\"$1\",\"name\":\"Eve\",\"email\":\"${3:-ann}@example.com\",\"password\":\"$PASSWORD\"}" \
		-H "X-Real-IP: $2"
}
# try TOKEN ADDRESS: a use that is refused without a hash.
try()
{
	visit POST /auth/links/use "{\"token\":\"$1\",\"name\":\"Eve\",\"email\":\"eve@example.com\",\"password\":\"short\"}" -H "X-Real-IP: $2"
}

# ---- several at once ----

person_new ann owner
link=$(link_new member eve@example.com Eve)
is_hashing() { [ "$(ctl --json workers | jq '[.pools[].busy // 0] | add')" -gt 0 ]; }
(
	use "$link" 203.0.113.1
	answered >"$W/tmp/first"
) &
first=$!
ok "a request with the link hashes a password" world_until 60 is_hashing
is "$(sql "SELECT count(*) FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
	WHERE l.mode IN ('RowShareLock', 'RowExclusiveLock') AND c.relkind = 'r' AND c.relname !~ '^pg_'")" 0 \
	"no row of any table is locked while the password is hashed"
visit GET /auth/methods
is "$STATUS $(is_hashing && echo still)" "200 still" "another request is answered while the password is hashed"
wait "$first"
is "$(cat "$W/tmp/first")" "400 invalid_request" "the e-mail of another person is refused after the hash"

# Another transaction has the link until the test ends it: as a request that is about to commit.
mkfifo "$W/hold"
psql -Xq -v ON_ERROR_STOP=1 <"$W/hold" >"$W/hold.out" 2>&1 &
holder=$!
exec 9>"$W/hold"
printf '%s\n' "BEGIN; SELECT 'held' FROM sign_in_link WHERE sha256 = sha256('$link'::bytea) FOR UPDATE;" >&9
held() { grep -q held "$W/hold.out"; }
ok "another transaction holds the link" world_until 60 held
use "$link" 203.0.113.2 eve
is "$(answered)" "409 link_in_use" "the second who uses a link at the same time is told so at once, and does not wait (C-868)"
echo 'ROLLBACK;' >&9
exec 9>&-
wait "$holder"
use "$link" 203.0.113.3 eve
is "$STATUS $(field .person.email)" "201 eve@example.com" "a link that was in use is still good when it was not used"

# ---- links that fail ----

link=$(link_new member flo@example.com Flo)
for i in 1 2 3 4 5 6 7 8 9; do
	try "$link" "192.0.2.$i"
done
is "$(answered)" "400 invalid_request" "the ninth use that is refused leaves the link as it is"
visit POST /auth/links/open "{\"token\":\"$link\"}"
is "$STATUS $(field '.link | .name, .email' | paste -sd ' ')" "200 Flo flo@example.com" "a link that was refused nine times can be looked at, with the name and the e-mail of the invitation"
use "$link" 192.0.2.10
is "$(answered)" "400 invalid_request" "the tenth use is refused for its e-mail"
use "$link" 192.0.2.11 flo
is "$(answered)" "404 link_not_found" "a link that was refused ten times is revoked (C-868)"
is "$(sql "SELECT actor FROM audit WHERE after->>'revoked_at' IS NOT NULL
	AND subject_id = (SELECT uuid::text FROM sign_in_link WHERE sha256 = sha256('$link'::bytea))")" public "the audit log has one line about the link that was revoked (C-868)"

# ---- who fails ----

unknown=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
refused()
{
	visit POST /auth/links/use "{\"token\":\"$1\"}" -H "X-Real-IP: $2"
}
for i in $(seq 20); do
	refused "$(printf '%043d' "$i")" 198.51.100.9
done
is "$(answered)" "404 link_not_found" "the twentieth link from a network within the limit is looked for"
link=$(link_new member gil@example.com Gil)
use "$link" 198.51.100.9 gil
is "$(answered)" "429 sign_in_rate_limit_exceeded" "a network that used twenty links in vain uses no more of them for now (C-314)"
like "$(header Retry-After)" '^[1-9][0-9]*$' "the refusal has Retry-After"
is "$(sql "SELECT failures FROM sign_in_link WHERE sha256 = sha256('$link'::bytea)")" 0 "a use that was not tried is no failure of the link"

# An IPv6 network counts with the networks around it. A bucket empties meanwhile, so that it takes a few more.
# refused_from FORMAT N: uses links in vain, each from another network, until the answer is not 404, N times at most.
refused_from()
{
	for i in $(seq "$2"); do
		N=$((N + 1))
		# shellcheck disable=SC2059 # the format of an address
		refused "$(printf '6%042d' "$N")" "$(printf "$1" "$i")"
		[ "$STATUS" = 404 ] || break
	done
}
N=0
refused_from 2001:db8:1:%x::1 40
is "$(answered)" "404 link_not_found" "forty networks of 64 bits in one of 56 bits may try once each (C-862)"
refused_from 2001:db8:1:8%x::1 15
is "$(answered)" "429 sign_in_rate_limit_exceeded" "more networks of 64 bits in the same one of 56 bits may not (C-862)"
refused_from 2001:db8:1:1%02x::1 35
is "$(answered)" "404 link_not_found" "another network of 56 bits may try"
refused_from 2001:db8:1:2%02x::1 30
is "$(answered) $((N < 130))" "429 sign_in_rate_limit_exceeded 1" "the network of 48 bits around them is full before a third one of 56 bits is (C-862)"
refused "$unknown" 2001:db8:2::1
is "$(answered)" "404 link_not_found" "another network of 48 bits is another client"
