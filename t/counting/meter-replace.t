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

# Somebody removes the file while the meter runs.
used_is()
{
	[ "$(sql 'SELECT sum(taken - given_back) FROM quota_lease')|$(sql 'SELECT sum(requests) FROM usage_daily')" = "$1|$2" ]
}
quota=$(sql 'SELECT sum(taken - given_back) FROM quota_lease') used=$((used + 1))
rm "$W/run/meter.map"
load 1
is "$(tally <"$W/load")" "1 200" "a running meter makes the file again after its removal"
ok "the request after a removal under a running meter is charged once" \
	world_until 10 used_is $((quota + 1)) $((used + 1))

# The meter cannot log in to the database while the file is removed: the counts of the old file wait in the meter.
meter_may()
{
	sql "ALTER ROLE surfaced_meter $1; SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'surfaced_meter'" >/dev/null
}
meter_may NOLOGIN
load 7
is "$(tally <"$W/load")" "7 200" "leases of the file admit requests while the meter has no database"
rm "$W/run/meter.map"
load 1 &
pid=$!
meter_may LOGIN
wait "$pid"
is "$(tally <"$W/load")" "1 200" "a request waits for the new file until the meter has a database again"
ok "counts of a removed file are stored when the meter has a database again" \
	world_until 10 used_is $((quota + 9)) $((used + 9))
is "$(sql "SELECT sum(granted - surrendered - taken + given_back) FROM quota_lease JOIN (SELECT incarnation
	FROM meter_host WHERE closed_at IS NOT NULL ORDER BY closed_at DESC LIMIT 2) h USING (incarnation)")" 0 \
	"the unused leases of each removed file are returned"
finish
