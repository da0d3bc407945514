#!/bin/sh
# SPDX-License-Identifier: ISC
# Every worker refuses a revoked or rotated key: within a second on this host and within ten on another, even if
# the notification is lost. Crowds of requests are sent; it is a failure if one sent after the time is served.
# If a crowd takes longer than a quarter of the time, the limit is four times the crowd's duration.
. t/lib.sh
WORLD_SEARCH_WORKERS=4
pg_start
api_start
web_start
host2_start

ms()
{
	date +%s%3N
}

# last_served CURL-OPTIONS KEY SINCE LIMIT: prints how many ms after SINCE the last request was sent that was
# served, and how long the longest crowd took; no crowd is sent after the first one beyond LIMIT.
last_served()
{
	_last=0 _sent=$3 _longest=0
	while [ "$_sent" -lt $(($3 + $4)) ]; do
		sleep 0.05
		_sent=$(ms)
		if crowd "$1" "$2" | grep -q 200; then _last=$((_sent - $3)); fi
		_took=$(($(ms) - _sent))
		[ "$_took" -le "$_longest" ] || _longest=$_took
	done
	echo "$_last $_longest"
}

# refused_within KEY LIMIT TITLE COMMAND...: no worker serves the key LIMIT ms after the command.
refused_within()
{
	_key=$1 _limit=$2 _title=$3
	shift 3
	for _ in 1 2 3; do crowd "$CURL" "$_key" && crowd "$CURL2" "$_key"; done | tally >"$W/before"
	is "$(cat "$W/before")" "120 200" "$_title: every worker of both hosts accepts the key before"
	"$@" >/dev/null
	_since=$(ms)
	last_served "$CURL2" "$_key" "$_since" "$_limit" >"$W/last2" &
	last_served "$CURL" "$_key" "$_since" "$_limit" >"$W/last1"
	wait
	for _host in 1 2; do
		read -r _last _longest <"$W/last$_host"
		_most=$((4 * _longest))
		[ "$_most" -gt "$_limit" ] || _most=$_limit
		ok "$_title: host $_host serves the key no longer than $_limit ms (last: $_last)" test "$_last" -lt "$_most"
	done
}

prefix()
{
	echo "$1" | cut -c1-12
}

k=$(key_new --scope search.view)
refused_within "$k" 1000 "a revoked key" ctl keys revoke "$(prefix "$k")"
key=$k api GET /search/schemas
is "$STATUS $(field .error.code)" "401 unauthorized" \
	"a revoked key gets the answer of an unknown key (C-003)"

k=$(key_new --scope search.view)
rotate()
{
	ctl --json keys rotate "$(prefix "$k")" | jq -r .key.key >"$W/new"
}
refused_within "$k" 1000 "a rotated key" rotate
is "$(for c in "$CURL" "$CURL2"; do crowd "$c" "$(cat "$W/new")"; done | tally)" "40 200" \
	"every worker of both hosts accepts the new key"

# No notification is sent: the trigger is disabled.
quietly()
{
	sql "SET session_replication_role = replica;
		UPDATE api_key SET revoked_at = now() WHERE prefix = '$(prefix "$k")'; $1"
}
k=$(key_new --scope search.view)
refused_within "$k" 1000 "a key revoked while every listener loses its connection" \
	quietly "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'surfaced_api'"
k=$(key_new --scope search.view)
refused_within "$k" 10000 "a key revoked without a notification" quietly ""
