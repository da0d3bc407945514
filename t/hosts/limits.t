#!/bin/sh
# SPDX-License-Identifier: ISC
# What two API hosts allow together: quotas and sessions exactly, rates once a host, a revoked key ten seconds.
# C-068, C-090, C-113. t/counting/revocation.t has crowds of requests.
# shellcheck disable=SC2030,SC2031 # "on" works in a subshell of its own
[ -n "${HOSTS_WORLD-}" ] || exec t/helper/hosts-world "$0" "$@"
. t/helper/hosts.sh
hosts_start

# both COMMAND...: on both hosts at once; what they print is in W/both.
both()
{
	on api1 "$@" >"$W/both.1" &
	on api2 "$@" >"$W/both.2"
	wait
	cat "$W/both.1" "$W/both.2" >"$W/both"
}

# asks N: the statuses and codes of N requests with the key $k, a line each.
asks()
{
	_n=$1
	while [ "$_n" -gt 0 ]; do
		_n=$((_n - 1))
		key=$k api GET /search/schemas
		echo "$STATUS $(field .error.code)"
	done
}

whole_day
accounts_new 1 30 1000000 >"$W/keys"
k=$(cat "$W/keys")
both asks 30
is "$(tally <"$W/both")" "30 200 null 30 429 account_api_quota_exceeded" \
	"two hosts admit together exactly the requests of a quota"
accounts_new 1 1000 10 >"$W/keys"
k=$(cat "$W/keys")
both asks 15
is "$(tally <"$W/both")" "20 200 null 10 429 api_key_rate_limit_exceeded" \
	"each host admits the rate of a key, so that two hosts admit twice as much in a window"

# creates N: the statuses of N new sessions.
creates()
{
	_n=$1
	while [ "$_n" -gt 0 ]; do
		_n=$((_n - 1))
		session_new >/dev/null
		echo "$STATUS $(field .error.code)"
	done
}
both creates 8
is "$(tally <"$W/both")" "5 202 null 11 429 caller_session_limit_exceeded" \
	"two hosts admit together exactly the sessions of a key (C-090)"
one=$(uuid_new)
idempotent()
{
	key=$(cat "$W/../other.key") api POST "/projects/$P/sessions" '{"start_url":"https://example.com/"}' -H "Idempotency-Key: $one"
	echo "$STATUS $(field .session.uuid)"
}
key_new --scope browser.sessions.create --scope browser.sessions.view >"$W/other.key"
both idempotent
is "$(sed 's/^[0-9]* //' "$W/both" | sort -u | wc -l)" 1 "an Idempotency-Key that comes to two hosts at once creates one session"

k=$(on api1 key_new --scope search.view)
both asks 1
is "$(tally <"$W/both")" "2 200 null" "both hosts accept a new key"
on api1 ctl keys revoke "$(echo "$k" | cut -c1-12)" >/dev/null
revoked_at=$(date +%s)
refused()
{
	both asks 1
	[ "$(tally <"$W/both")" = "2 401 unauthorized" ]
}
ok "both hosts refuse a revoked key" world_until 10 refused
took=$(($(date +%s) - revoked_at))
ok "they do so within 10 s ($took s)" [ "$took" -le 10 ]

api2_down()
{
	on api2 world_kill surfaced-meter KILL
}
is "$(on api1 ctl --json hosts list | jq -r '.hosts | map(.name | split(":")[0]) | join(" ")')" "api1 api2" \
	"surfacectl hosts list has both hosts, on either of them"
seen()
{
	on api1 ctl --json hosts list | jq -r '.hosts[] | select(.name | startswith("api2:")).seen_at'
}
api2_down
last=$(seen)
on api2 world_meter_start
alive()
{
	[ "$(seen)" != "$last" ]
}
ok "a host whose meter lives again gives a sign of life" world_until 10 alive
