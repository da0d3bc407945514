#!/bin/sh
# SPDX-License-Identifier: ISC
# Usage is exact under kill -9 of workers amid nginx's repeated requests: each answered GET is charged once, and a
# request without an answer is not charged (C-069). make campaign-usage is the long form.
#   KILLS: how many
. t/lib.sh
whole_day

KILLS=${KILLS:-60}
CLIENTS=4
WORLD_SEARCH_WORKERS=4
pg_start
api_start
web_start

# client N: requests until told to stop, a line with the status of each.
client()
{
	until [ -e "$W/stop" ]; do
		# shellcheck disable=SC2086 # CURL is a list of options
		curl -sS --max-time 60 $CURL -o /dev/null -w '%{http_code}\n' -H "X-API-Key: $KEY" \
			"$BASE_URL/search/schemas#[1-50]" >>"$W/codes.$1" 2>/dev/null
	done
}

answers()
{
	cat "$W"/codes.* 2>/dev/null | wc -l
}

went_on()
{
	[ "$(answers)" -gt $((had + CLIENTS)) ]
}

# What the meter has stored of the key's usage, and of its account's quota.
charged()
{
	sql "SELECT coalesce(sum(requests), 0) || ' ' || (SELECT coalesce(sum(used), 0) FROM quota_used) FROM usage_daily"
}

charged_is()
{
	[ "$(charged)" = "$1 $1" ]
}

for i in $(seq $CLIENTS); do
	client "$i" &
done
kills=0
while [ "$kills" -lt "$KILLS" ]; do
	had=$(answers)
	kill -KILL "$(workers | shuf -n 1)" 2>/dev/null && kills=$((kills + 1))
	# nginx repeats a request once: a second kill would leave it without an answer.
	world_until 60 went_on || break
done
touch "$W/stop"
wait
is "$kills" "$KILLS" "workers are killed while they answer"
good=$(cat "$W"/codes.* | grep -c '^200')
is "$(cat "$W"/codes.* | sort -u | tr '\n' ' ')" "200 " "every GET is answered ($good)"
ok "usage and quota are the number of answers" world_until 20 charged_is "$good" || diag "charged: $(charged), answered: $good"
