#!/bin/sh
# SPDX-License-Identifier: ISC
# kill -9 of workers under load: a GET is tried once more on the same queue and none is lost; a POST is
# not repeated; each answer is a good one or an envelope.
. t/lib.sh

world
WORLD_PROGRAM=$BIN/t/helper/echo
WORLD_WORKERS=4
world_weights
key=none
api_start
web_start ''

# load CLIENT: its requests, one after another, until there were kills enough; a line with the status of each, and
# a file for each answer.
load()
{
	_round=0
	until [ -e "$W/enough" ]; do
		_round=$((_round + 1))
		# shellcheck disable=SC2086 # CURL is a list of options
		curl -sS $CURL -o "$W/answers.$1/$_round.#1" -w '%{http_code}\n' "$BASE_URL/x?[1-500]" 2>&1
	done >"$W/load.$1"
}

answers()
{
	find "$W/answers.$1" -type f | wc -l
}

# What was under way at a kill has been answered: on a slow machine the next one would hit its other try.
all_went_on()
{
	[ "$(answers 1)" -gt $((had1 + 1)) ] && [ "$(answers 2)" -gt $((had2 + 1)) ] && [ "$(answers 3)" -gt $((had3 + 1)) ]
}

ok "every pool has its workers" world_until 5 workers_are 7
for i in 1 2 3; do
	mkdir "$W/answers.$i"
	load "$i" &
done
kills=0
while [ "$kills" -lt 20 ] && kill -KILL "$(workers | shuf -n 1)"; do
	kills=$((kills + 1)) had1=$(answers 1) had2=$(answers 2) had3=$(answers 3)
	world_until 60 workers_are 7 && world_until 60 all_went_on || break
done
touch "$W/enough"
wait
is "$kills" 20 "workers were killed in between"
is "$(cat "$W"/load.* | sort -u)" 200 "$(cat "$W"/load.* | wc -l) GETs, all answered well"
ok "every dead worker was replaced" world_until 10 workers_are 7

api GET /die
is "$STATUS/$(field .error.code)" 503/service_unavailable "what kills its worker twice is given up (C-019)"
api POST /search/die '{}'
is "$STATUS/$(field .error.code)" 502/search_upstream_failed "a POST is not repeated (C-065)"
is "$(field '.error | has("field_errors")')" false "search has its own envelope (C-060)"
is "$(grep -c 'worker_died.*pool=surfaced_search signal=9' "$W/log/surfaced.log")" \
	"$(($(grep -c 'worker_died.*pool=surfaced_search' "$W/log/surfaced.log")))" "and is in the log"
