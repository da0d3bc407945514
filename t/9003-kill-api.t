#!/bin/sh
# SPDX-License-Identifier: ISC
# The real workers under kill -9, a reload and PostgreSQL behind them: authenticated GETs lose nothing.
. t/lib.sh

WORLD_SEARCH_WORKERS=4
pg_start
api_start
web_start ''
master=$(world_pid surfaced)

api GET /search/schemas
is "$STATUS" 200 "the key works"
for i in 1 2; do
	(
		# shellcheck disable=SC2086 # CURL is a list of options
		curl -sS $CURL -H "X-API-Key: $KEY" -o /dev/null -w '%{http_code}\n' \
			"$BASE_URL/search/schemas#[1-1500]" >"$W/load.$i" 2>&1
		touch "$W/done.$i"
	) &
done
kills=0
while [ ! -e "$W/done.1" ] || [ ! -e "$W/done.2" ]; do
	kill -KILL "$(workers | shuf -n 1)" 2>/dev/null && kills=$((kills + 1))
	[ "$kills" -ne 2 ] || kill -HUP "$master"
	world_until 10 workers_are 6 || break
done
wait
ok "workers were killed in between ($kills)" test "$kills" -ge 1
is "$(cat "$W"/load.* | sort | uniq -c | sed 's/^ *//')" "3000 200" "3,000 GETs, all answered well"
like "$(cat "$W/log/surfaced.log")" 'reloaded program=surfaced' "over a reload"
