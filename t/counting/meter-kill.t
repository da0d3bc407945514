#!/bin/sh
# SPDX-License-Identifier: ISC
# Two hosts, one database, four clients; workers, meters and PostgreSQL's backends are killed meanwhile. The quota
# grows a little each round, so that it is always nearly used up. The stored usage equals the limit in the end: the
# quota is never exceeded, and no unit is lost.
# make campaign-meter is the long form.
. t/lib.sh

ROUNDS=${ROUNDS:-40}
LIMIT=${LIMIT:-3000}
pg_start
sql "UPDATE account SET quota = 0"
api_start
web_start
host2_start

# client CURL-OPTIONS FILE: sends requests until the end; writes a line with the status of each.
client()
{
	while [ ! -e "$W/stop" ]; do
		# shellcheck disable=SC2086 # a list of options
		curl -sS --max-time 20 $1 -o /dev/null -w '%{http_code}\n' -H "X-API-Key: $KEY" \
			"$BASE_URL/search/schemas#[1-50]" >>"$2" 2>/dev/null
	done
}

backends()
{
	pgrep -P "$(head -1 "$W/db/pg/postmaster.pid")" -f 'postgres: surfaced_(meter|api)'
}

# Prints a process to kill: a worker in every second round, otherwise a meter, sometimes a backend.
victim()
{
	case $1 in
	*[13579]) pgrep -P "$(cat "$W/run/surfaced.pid" "$W2/run/surfaced.pid" | paste -sd,)" ;;
	*0) backends ;;
	*) pgrep -P "$(cat "$W/run/surfaced-meter.pid" "$W2/run/surfaced-meter.pid" | paste -sd,)" ;;
	esac | shuf -n 1
}

is_over()
{
	[ "$(sql 'SELECT charged > quota FROM quota_month, account' 2>/dev/null)" = t ]
}

charged()
{
	sql 'SELECT coalesce(sum(charged), 0) FROM quota_month' 2>/dev/null || echo down
}

used()
{
	sql 'SELECT coalesce(sum(used), 0) FROM quota_used' 2>/dev/null || echo down
}

is_used_up()
{
	[ "$(used)" = "$LIMIT" ]
}

for i in 1 2; do
	client "$CURL" "$W/codes.1$i" &
	client "$CURL2" "$W/codes.2$i" &
done
kills=0 round=0 over=0
while [ "$round" -lt "$ROUNDS" ]; do
	round=$((round + 1))
	# The raised quota leaves requests to admit when a process dies.
	sql "UPDATE account SET quota = $((LIMIT * round / ROUNDS))" 2>/dev/null
	pid=$(victim "$round")
	[ -z "$pid" ] || ! kill -KILL "$pid" 2>/dev/null || kills=$((kills + 1))
	! is_over || over=$((over + 1))
	sleep 0.05
done
ok "$kills processes were killed in $ROUNDS rounds" test "$kills" -ge $((ROUNDS / 2))
world_until 10 sql "UPDATE account SET quota = $LIMIT" 2>/dev/null
is "$over" 0 "the leased units never exceed the quota"
ok "the whole quota is used in the end" world_until 60 is_used_up
touch "$W/stop"
wait
sleep 1 # for a last flush, after which nothing may change
is "$(used) $(charged)" "$LIMIT $LIMIT" "the stored and the leased units equal the quota"
admitted=$(cat "$W"/codes.* | grep -c '^200')
ok "$admitted of $LIMIT requests were answered with 200" test "$admitted" -le "$LIMIT"
diag "$(cat "$W"/codes.* | sort | uniq -c | tr -s ' \n' ' ')"
api GET /search/schemas
is "$STATUS $(field .error.code)" "429 account_api_quota_exceeded" \
	"the next request after the quota gets 429"
api GET /usage
is "$(field '.api_usage.quotas[0] | "\(.used) \(.remaining) \(.exhausted)"')" "$LIMIT 0 true" \
	"GET /usage works and shows the exhausted quota (C-070, C-072)"
like "$(field .api_usage.totals.requests)" '^[0-9]+$' \
	"GET /usage counts the requests of the key: $(field .api_usage.totals.requests)"
