#!/bin/sh
# SPDX-License-Identifier: ISC
# surfaced-meter and what becomes of its table: full, over, replaced, handed on.
. t/lib.sh
WORLD_CONF='meter_wait = 5000'
WORLD_SEARCH_WORKERS=12 # so many wait at once
pg_start
printf 'meter_slots = 64\nworker_stuck = 100\n' >>"$W/etc/surfaced-meter.conf"
api_start
web_start

# asked KEY...: all at once; the statuses, counted. Bodies are in W/answer.*
asked()
{
	rm -f "$W"/answer.*
	# shellcheck disable=SC2086 # CURL is a list of options
	printf '%s\n' "$@" | xargs -P 20 -I{} curl -sS $CURL -H 'X-API-Key: {}' -o "$W/answer.{}" -w '%{http_code}\n' \
		"$BASE_URL/search/schemas" | tally
}

slots()
{
	curl -sS --max-time 60 --unix-socket "$W/run/metrics.sock" http://localhost/metrics |
		sed -n 's/^surfaced_meter_slots //p'
}

is_empty()
{
	[ "$(slots)" = 0 ]
}

# meter_again NAME=VALUE...: another surfaced-meter, with this environment.
meter_again()
{
	world_kill surfaced-meter
	WORLD_ENV="$*" world_meter_start
}

agree()
{
	[ "$(sql 'SELECT sum(requests) FROM usage_daily')" = "$(sql 'SELECT sum(used) FROM quota_used')" ]
}

# Four counters a key, and an eighth of the table stays empty.
keys=$(accounts_new 20 1000 1000)
# shellcheck disable=SC2086 # a list of keys
like "$(asked $keys)" '^1[0-4] 200 [0-9]* 503$' "a table that is full is closed to others"
is "$(jq -r '.error.code // empty' "$W"/answer.* | sort -u)" api_metering_unavailable "with its code"
others=$(grep -l api_metering_unavailable "$W"/answer.* | sed 's/.*answer\.//' | head -6)
like "$(cat "$W/log/surfaced-meter.log")" '^<3>full slots=64' "and says what to do"
if clocks_can_step; then
	clock pg 0
	pg_follows pg || exit 1
	clock pg $((70 * 86400))
	# The meter's boot clock is ahead as well: rates are counted by it.
	meter_again "LD_PRELOAD=$FAKETIME_LIBRARY" FAKETIME=+70d
	ok "periods that are over leave it" world_until 10 is_empty
	clock pg 0
	meter_again
	# shellcheck disable=SC2086 # a list of keys
	is "$(asked $others)" "6 200" "and there is room for others"
	ok "what they had counted is stored" world_until 30 agree
	agree || diag "$(sql 'SELECT k.prefix, day, taken, given_back FROM usage_daily u JOIN api_key k ON k.uuid = key_uuid; SELECT * FROM quota_used')"
else
	skip "no faketime"
fi

# The database says that this host has begun anew: a copy of it, or a database of yesterday.
has_begun()
{
	[ "$(sql 'SELECT count(*) FILTER (WHERE closed_at IS NULL), count(*) FROM meter_host')" = "1|2" ]
}
sql 'UPDATE meter_host SET closed_at = now()'
ok "a host that was declared gone begins anew" world_until 10 has_begun
is "$(asked "$(accounts_new 1 1000 1000)")" "1 200" "and serves"

# One holds the table; another one waits for it.
world_spawn other "$BIN/surfaced-meter" -c "$W/etc/surfaced-meter.conf"
world_kill surfaced-meter KILL
serves()
{
	[ "$(asked "$k")" = "1 200" ]
}
k=$(accounts_new 1 1000 1000)
ok "the next meter takes over from one that was killed" world_until 10 serves
is "$(sql 'SELECT count(*) FROM meter_host')" 2 "and goes on with its table"
world_kill other
