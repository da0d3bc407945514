#!/bin/sh
# SPDX-License-Identifier: ISC
# meter.map is replaced while workers serve requests: every answer is charged once, and no leased unit is lost.
. t/lib.sh
WORLD_CONF='meter_wait = 20000'
pg_start
printf 'meter_slots = 4096\n' >>"$W/etc/surfaced-meter.conf"
api_start
web_start
key=$(accounts_new 1 100000 100000)

# load N: N requests of the key, four at once; W/load has their statuses.
load()
{
	# shellcheck disable=SC2086 # CURL is a list of options
	yes "$BASE_URL/search/schemas" | head -n "$1" |
		xargs -P 4 -n 1 curl -sS $CURL -H "X-API-Key: $key" -o /dev/null -w '%{http_code}\n' >"$W/load"
}

served()
{
	[ "$(wc -l <"$W/load")" -ge "$1" ]
}

# agree N: PostgreSQL has N requests, as usage and as quota.
agree()
{
	[ "$(sql 'SELECT (SELECT sum(requests) FROM usage_daily), (SELECT sum(used) FROM quota_used)')" = "$1|$1" ]
}

told()
{
	agree "$1" || diag "usage and quota: $(sql 'SELECT (SELECT sum(requests) FROM usage_daily), (SELECT sum(used) FROM quota_used)')"
}

closed()
{
	[ "$(sql 'SELECT count(*) FROM meter_host WHERE closed_at IS NOT NULL')" = "$1" ]
}

load 10
is "$(tally <"$W/load")" "10 200" "requests are served with the first file"

# The file gets another size: what was counted in the old one is stored, and its leases are returned.
: >"$W/load"
load 120 &
pid=$!
world_until 10 served 20
world_kill surfaced-meter
sed -i 's/^meter_slots.*/meter_slots = 8192/' "$W/etc/surfaced-meter.conf"
served=$(wc -l <"$W/load")
world_until 10 served $((served + 10)) # counted while no meter runs
world_meter_start
wait "$pid"
is "$(tally <"$W/load")" "120 200" "no request fails while the file gets another size"
ok "a new number of slots closes the incarnation of the old file" world_until 10 closed 1
ok "each answer is charged once when the file gets another size (C-069)" world_until 10 agree 130
told 130
is "$(stat -c %s "$W/run/meter.map")" $((4096 + 8192 * 64 + 1024 * 64)) "the new file has the new number of slots"

# Somebody removes the file: the next meter makes another one, which the very next request charges.
: >"$W/load"
world_kill surfaced-meter
used=$(sql 'SELECT sum(requests) FROM usage_daily')
rm "$W/run/meter.map"
world_meter_start
load 1
is "$(tally <"$W/load")" "1 200" "the request after a removal of the file waits for the new one"
usage_is()
{
	[ "$(sql 'SELECT sum(requests) FROM usage_daily')" = "$1" ]
}
ok "the request after a removal of the file is charged in the new one" world_until 10 usage_is $((used + 1))
finish
