#!/bin/sh
# SPDX-License-Identifier: ISC
# surfaced-meter and its table of counters: the table is full, expires, is replaced, or passes to another meter.
. t/lib.sh
WORLD_CONF='meter_wait = 5000'
WORLD_SEARCH_WORKERS=12 # so many wait at once
pg_start
printf 'meter_slots = 64\nworker_stuck = 100\n' >>"$W/etc/surfaced-meter.conf"
api_start
web_start

# asked KEY...: sends one request with each key at once; prints the statuses, counted. The bodies are in W/answer.*
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

# meter_again NAME=VALUE...: restarts surfaced-meter with this environment.
meter_again()
{
	world_kill surfaced-meter
	WORLD_ENV="$*" world_meter_start
}

agree()
{
	[ "$(sql 'SELECT sum(requests) FROM usage_daily')" = "$(sql 'SELECT sum(used) FROM quota_used')" ]
}

# A key takes four counters, and an eighth of the table stays empty.
keys=$(accounts_new 20 1000 1000)
# shellcheck disable=SC2086 # a list of keys
like "$(asked $keys)" '^1[0-4] 200 [0-9]* 503$' "a full table of counters refuses further keys"
is "$(jq -r '.error.code // empty' "$W"/answer.* | sort -u)" api_metering_unavailable \
	"a key refused by a full table gets api_metering_unavailable"
others=$(grep -l api_metering_unavailable "$W"/answer.* | sed 's/.*answer\.//' | head -6)
like "$(cat "$W/log/surfaced-meter.log")" '^<3>full slots=64' \
	"the log of the meter has the line full with the number of slots"
if clocks_can_step; then
	clock pg 0
	pg_follows pg || exit 1
	clock pg $((70 * 86400))
	# The boot clock of the meter is advanced too: rates are counted by it.
	meter_again "LD_PRELOAD=$FAKETIME_LIBRARY" FAKETIME=+70d
	ok "counters of past periods leave the table" world_until 10 is_empty
	clock pg 0
	meter_again
	# shellcheck disable=SC2086 # a list of keys
	is "$(asked $others)" "6 200" "keys refused by the full table are served afterwards"
	ok "the units counted in past periods are stored" world_until 30 agree
	agree || diag "$(sql 'SELECT k.prefix, day, taken, given_back FROM usage_daily u JOIN api_key k ON k.uuid = key_uuid; SELECT * FROM quota_used')"
else
	skip "no faketime"
fi

# The database declares this host gone, as after a restore of an older database.
has_begun()
{
	[ "$(sql 'SELECT count(*) FILTER (WHERE closed_at IS NULL), count(*) FROM meter_host')" = "1|2" ]
}
sql 'UPDATE meter_host SET closed_at = now()'
ok "a host that was declared gone registers as a new incarnation" world_until 10 has_begun
is "$(asked "$(accounts_new 1 1000 1000)")" "1 200" "a host with a new incarnation serves requests"

# One meter holds the table; a second one waits for it.
world_spawn other "$BIN/surfaced-meter" -c "$W/etc/surfaced-meter.conf"
world_kill surfaced-meter KILL
serves()
{
	[ "$(asked "$k")" = "1 200" ]
}
k=$(accounts_new 1 1000 1000)
ok "a waiting meter takes over from a killed one" world_until 10 serves
is "$(sql 'SELECT count(*) FROM meter_host')" 2 \
	"the next meter keeps the table and the incarnation of the killed one"
world_kill other
