#!/bin/sh
# SPDX-License-Identifier: ISC
# PostgreSQL or the meter away: closed with the right code, and service again without a restart of ours.
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
is "$(code)" "200 null" "service"
world_pg_stop
is "$(code)" "503 authentication_unavailable" "PostgreSQL stopped: no key can be trusted (C-018)"
like "$(cat "$W/log/surfaced.log")" '^(<3>)?database req=[0-9a-f]+ why="connection to server .*"' "and the log says why"
world_pg_resume
ok "PostgreSQL started: service" world_until 10 serves

# A server that hangs does not cost each request its whole budget, which is a minute here.
server()
{
	pid=$(head -1 "$W/db/pg/postmaster.pid")
	# shellcheck disable=SC2046 # a list of processes
	kill -s "$1" "$pid" $(pgrep -P "$pid")
}
k=$(key_new --scope search.view)
server STOP
key=$k api GET /search/schemas --max-time 50
is "$STATUS $(field .error.code)" "503 authentication_unavailable" "PostgreSQL hangs: the same, soon (C-018)"
server CONT
ok "it goes on: service" eval 'key=$k world_until 10 serves'

# What was leased of the larger quota is surrendered first.
surrendered()
{
	[ "$(sql 'SELECT sum(charged) FROM quota_month')" -le 100 ]
}
sql "UPDATE account SET quota = 100"
world_until 5 surrendered
serves
world_kill surfaced-meter KILL
worker_gone()
{
	! pgrep -f "surfaced-meter -c $W/etc" >/dev/null
}
world_until 5 worker_gone
n=0
while serves && [ "$n" -lt 400 ]; do n=$((n + 1)); done
is "$(code)" "503 api_metering_unavailable" "without the meter what was leased is used up, then it is closed ($n more)"
is "$(header Retry-After)" "" "without Retry-After (C-067)"
k=$(key_new --scope search.view)
is "$(key=$k code)" "503 api_metering_unavailable" "nor does a key that was never seen get in"
world_meter_start
ok "the meter started: service" world_until 10 serves
flushed
left=$((100 - $(sql 'SELECT sum(used) FROM quota_used')))
more=0
while serves && [ "$more" -lt 400 ]; do more=$((more + 1)); done
is "$more" "$left" "and what was counted meanwhile was not forgotten"

# A host without power: its memory is gone, what it had leased counts as used.
ctl limits set --account "$ACCOUNT" --quota 1000 >/dev/null
world_until 5 serves
for daemon in nginx surfaced surfaced-meter; do
	world_kill $daemon KILL
done
world_until 5 worker_gone
charged=$(sql 'SELECT charged FROM quota_month')
used=$(sql 'SELECT sum(used) FROM quota_used')
rm -f "$W/run/meter.map" "$W"/run/*.sock "$W/run/nginx.pid"
api_start
web_start
ok "service after it" world_until 10 serves
is "$(sql 'SELECT count(*) FILTER (WHERE closed_at IS NULL), count(*) FROM meter_host')" "1|2" "a new incarnation"
api GET /usage
ok "the lease is written off: $(field '.api_usage.quotas[0].used') used after $used used and $charged leased" \
	test "$(field '.api_usage.quotas[0].used')" -gt "$charged"
