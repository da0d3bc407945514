#!/bin/sh
# SPDX-License-Identifier: ISC
# kill -9 of the real workers and a reload, with PostgreSQL behind them: no authenticated GET is lost.
. t/lib.sh

WORLD_SEARCH_WORKERS=4
pg_start
api_start
web_start ''
master=$(world_pid surfaced)

api GET /search/schemas
is "$STATUS" 200 "a search with the key succeeds before the kills"
for i in 1 2; do
	mkdir "$W/answers.$i"
	(
		# shellcheck disable=SC2086 # CURL is a list of options
		curl -sS $CURL -H "X-API-Key: $KEY" -o "$W/answers.$i/#1" -w '%{http_code}\n' \
			"$BASE_URL/search/schemas#[1-1500]" >"$W/load.$i" 2>&1
		touch "$W/done.$i"
	) &
done
answers()
{
	find "$W/answers.$1" -type f | wc -l
}
# Requests under way at a kill have been answered: on a slow machine the next kill would hit their second attempt.
both_went_on()
{
	{ [ -e "$W/done.1" ] || [ "$(answers 1)" -gt $((had1 + 1)) ]; } && { [ -e "$W/done.2" ] || [ "$(answers 2)" -gt $((had2 + 1)) ]; }
}
kills=0
while [ ! -e "$W/done.1" ] || [ ! -e "$W/done.2" ]; do
	kill -KILL "$(workers | shuf -n 1)" 2>/dev/null && kills=$((kills + 1))
	[ "$kills" -ne 2 ] || kill -HUP "$master"
	had1=$(answers 1) had2=$(answers 2)
	world_until 60 workers_are 7 && world_until 60 both_went_on || break
done
wait
ok "workers were killed under load ($kills)" test "$kills" -ge 1
is "$(cat "$W"/load.* | sort | uniq -c | sed 's/^ *//')" "3000 200" \
	"3,000 GET requests succeed while workers are killed"
like "$(cat "$W/log/surfaced.log")" 'reloaded program=surfaced' "the log has the reload of the master"
