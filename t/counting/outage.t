#!/bin/sh
# SPDX-License-Identifier: ISC
# PostgreSQL or the meter is away: requests fail with the right code, and service resumes without a restart.
. t/lib.sh
WORLD_CONF='meter_wait = 5000
auth_wait = 5000'
pg_start
api_start
web_start

code()
{
	api GET /search/schemas
	echo "$STATUS $(field .error.code)"
}

serves()
{
	[ "$(code)" = "200 null" ]
}

serves
is "$(code)" "200 null" "a search is answered while all services run"
world_pg_stop
is "$(code)" "503 authentication_unavailable" "requests get 503 while PostgreSQL is stopped (C-018)"
like "$(cat "$W/log/surfaced.log")" '^(<3>)?database req=[0-9a-f]+ why="connection to server .*"' \
	"the log has the reason why the database is unavailable"
world_pg_resume
ok "requests succeed after PostgreSQL has started" world_until 10 serves

# While PostgreSQL hangs, a request fails before its whole budget (a minute here) has passed.
server()
{
	pid=$(head -1 "$W/db/pg/postmaster.pid")
	# shellcheck disable=SC2046 # a list of processes
	kill -s "$1" "$pid" $(pgrep -P "$pid")
}
k=$(key_new --scope search.view)
server STOP
key=$k api GET /search/schemas --max-time 50
is "$STATUS $(field .error.code)" "503 authentication_unavailable" \
	"a new key gets 503 within 50 s while PostgreSQL hangs (C-018)"
server CONT
ok "requests succeed after PostgreSQL continues" eval 'key=$k world_until 10 serves'

# The units leased of the larger quota are given back first.
surrendered()
{
	[ "$(sql 'SELECT sum(charged) FROM quota_month')" -le 100 ]
}
sql "UPDATE account SET quota = 100"
world_until 10 surrendered
serves
world_kill surfaced-meter KILL
worker_gone()
{
	! pgrep -f "surfaced-meter -c $W/etc" >/dev/null
}
world_until 10 worker_gone
n=0
while serves && [ "$n" -lt 400 ]; do n=$((n + 1)); done
is "$(code)" "503 api_metering_unavailable" \
	"requests get 503 after the leased units are used up without a meter ($n more)"
is "$(header Retry-After)" "" "the answer 503 of metering has no Retry-After (C-067)"
k=$(key_new --scope search.view)
is "$(key=$k code)" "503 api_metering_unavailable" "a new key gets 503 without a meter"
world_meter_start
ok "requests succeed after the meter has started" world_until 10 serves
flushed
left=$((100 - $(sql 'SELECT sum(used) FROM quota_used')))
more=0
while serves && [ "$more" -lt 400 ]; do more=$((more + 1)); done
is "$more" "$left" "requests counted without a meter are charged afterwards"

# A host loses power: its memory is lost and the units leased to it count as used.
ctl limits set --account "$ACCOUNT" --quota 1000 >/dev/null
world_until 10 serves
for daemon in nginx surfaced surfaced-meter; do
	world_kill $daemon KILL
done
world_until 10 worker_gone
charged=$(sql 'SELECT charged FROM quota_month')
used=$(sql 'SELECT sum(used) FROM quota_used')
rm -f "$W/run/meter.map" "$W"/run/*.sock "$W/run/nginx.pid"
api_start
web_start
ok "requests succeed after a host has lost its memory" world_until 10 serves
is "$(sql 'SELECT count(*) FILTER (WHERE closed_at IS NULL), count(*) FROM meter_host')" "1|2" \
	"a host that lost its memory registers as a new incarnation"
api GET /usage
ok "the lost lease counts as used: $(field '.api_usage.quotas[0].used') used after $used used and $charged leased" \
	test "$(field '.api_usage.quotas[0].used')" -gt "$charged"
