#!/bin/sh
# SPDX-License-Identifier: ISC
# kill -9 of workers under load: nginx retries a GET once on the same queue and none is lost; it does not repeat
# a POST; each client gets the answer or an envelope.
. t/lib.sh

world
WORLD_PROGRAM=$BIN/t/helper/echo
WORLD_WORKERS=4
world_weights
key=none
api_start
web_start ''

# load CLIENT: sends requests one after another until there were enough kills; writes a line with each status and
# a file with each answer.
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

# Requests under way at a kill have been answered: on a slow machine the next kill would hit their second attempt.
all_went_on()
{
	[ "$(answers 1)" -gt $((had1 + 1)) ] && [ "$(answers 2)" -gt $((had2 + 1)) ] && [ "$(answers 3)" -gt $((had3 + 1)) ]
}

ok "the pools have seven workers at first" world_until 5 workers_are 7
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
is "$kills" 20 "twenty workers were killed under load"
is "$(cat "$W"/load.* | sort -u)" 200 "all of $(cat "$W"/load.* | wc -l) GET requests succeed"
ok "every killed worker was replaced" world_until 10 workers_are 7

api GET /die
is "$STATUS/$(field .error.code)" 503/service_unavailable \
	"a request that kills its worker twice gets 503 (C-019)"
api POST /search/die '{}'
is "$STATUS/$(field .error.code)" 502/search_upstream_failed \
	"a POST to a killed worker is not repeated (C-065)"
is "$(field '.error | has("field_errors")')" false "a search has its own envelope after a kill (C-060)"
is "$(grep -c 'worker_died.*pool=surfaced_search signal=9' "$W/log/surfaced.log")" \
	"$(($(grep -c 'worker_died.*pool=surfaced_search' "$W/log/surfaced.log")))" \
	"every dead worker of the search pool is logged with its signal"
