#!/bin/sh
# SPDX-License-Identifier: ISC
# A key that is revoked or rotated is refused by every worker: within a second on this host, within ten on
# another, whatever becomes of the news. Asked are crowds of requests; one that is sent after the time and
# served is a failure. Where a crowd takes longer than a quarter of the time, so may the news.
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

# last_served CURL-OPTIONS KEY SINCE LIMIT: how many ms after SINCE a request was sent, the last that was
# served, and how long the longest crowd took; none is sent after the first crowd beyond LIMIT.
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

# refused_within KEY LIMIT TITLE COMMAND...: after the command, in ms.
refused_within()
{
	_key=$1 _limit=$2 _title=$3
	shift 3
	for _ in 1 2 3; do crowd "$CURL" "$_key" && crowd "$CURL2" "$_key"; done | tally >"$W/before"
	is "$(cat "$W/before")" "120 200" "$_title: every worker of two hosts knows the key"
	"$@" >/dev/null
	_since=$(ms)
	last_served "$CURL2" "$_key" "$_since" "$_limit" >"$W/last2" &
	last_served "$CURL" "$_key" "$_since" "$_limit" >"$W/last1"
	wait
	for _host in 1 2; do
		read -r _last _longest <"$W/last$_host"
		_most=$((4 * _longest))
		[ "$_most" -gt "$_limit" ] || _most=$_limit
		ok "... and none on host $_host $_limit ms later (served last: $_last)" test "$_last" -lt "$_most"
	done
}

prefix()
{
	echo "$1" | cut -c1-12
}

k=$(key_new --scope search.view)
refused_within "$k" 1000 "revoked" ctl keys revoke "$(prefix "$k")"
key=$k api GET /search/schemas
is "$STATUS $(field .error.code)" "401 unauthorized" "like a key that never was (C-003)"

k=$(key_new --scope search.view)
rotate()
{
	ctl --json keys rotate "$(prefix "$k")" | jq -r .key.key >"$W/new"
}
refused_within "$k" 1000 "rotated" rotate
is "$(for c in "$CURL" "$CURL2"; do crowd "$c" "$(cat "$W/new")"; done | tally)" "40 200" \
	"the new one works everywhere"

# Nobody is told: the trigger is asleep.
quietly()
{
	sql "SET session_replication_role = replica;
		UPDATE api_key SET revoked_at = now() WHERE prefix = '$(prefix "$k")'; $1"
}
k=$(key_new --scope search.view)
refused_within "$k" 1000 "revoked while every listener loses its connection" \
	quietly "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'surfaced_api'"
k=$(key_new --scope search.view)
refused_within "$k" 10000 "revoked with the news lost" quietly ""
