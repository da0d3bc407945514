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

ok "the pools have seven workers at first" world_until 10 workers_are 7
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

# A master dies after it has forked a worker and before that worker has run. The worker is stopped in between, if the
# build has t/helper/faults.so (a sanitizer's runtime has to come first).
stopped_worker() { for _w in $(workers); do ! grep -q '^State:.T' "/proc/$_w/status" || echo "$_w"; done; }
has_stopped_worker() { stopped=$(stopped_worker) && [ -n "$stopped" ]; }
none_runs() { for _w in $family; do [ ! -d "/proc/$_w" ] || grep -q '^State:.Z' "/proc/$_w/status" || return 1; done; }
world_kill surfaced
preload=
if [ -f "$BUILD/t/helper/faults.so" ]; then
	install -m 755 "$BUILD/t/helper/faults.so" "$W/run/"
	preload=$W/run/faults.so
fi
WORLD_ENV="STOP_CHILDREN=$W/run/stop LD_PRELOAD=$preload" api_start
ok "the pools have seven workers again" world_until 10 workers_are 7
touch "$W/run/stop"
kill -KILL "$(workers | head -1)"
stopped=
[ -z "$preload" ] || ok "a new worker is stopped before it runs" world_until 30 has_stopped_worker
family=$(workers)
kill -KILL "$(world_pid surfaced)"
world_until 30 world_gone surfaced
rm "$W/run/stop"
[ -z "$stopped" ] || kill -CONT "$stopped"
ok "no worker outlives its killed master, not even one that had not run yet" world_until 30 none_runs
[ -z "$stopped" ] || kill -KILL "$stopped" 2>/dev/null || :
