#!/bin/sh
# SPDX-License-Identifier: ISC
# The master replaces stuck, short-lived and failing workers, and stops cleanly.
. t/lib.sh

WORLD_CONF='worker_stuck = 3000
worker_requests = 5'
world
WORLD_PROGRAM=$BIN/t/helper/echo
WORLD_WORKERS=1 WORLD_SEARCH_WORKERS=1
world_weights
key=none
api_start
web_start ''
master=$(world_pid surfaced)

log_has()
{
	grep -q "$1" "$W/log/surfaced.log"
}

api POST /stuck '{}'
is "$STATUS/$(field .error.code)" 503/service_unavailable \
	"the client of a stuck worker gets 503 in the envelope"
ok "the watchdog kills the stuck worker" log_has 'worker_stuck pid=[0-9]* pool=surfaced_api'
api GET /x
is "$STATUS" 200 "another worker serves the next request"

pids=
for _ in 1 2 3 4 5 6 7 8 9 10 11; do
	api GET /x
	pids="$pids$STATUS $(printf '%s\n' "$BODY" | sed -n 's/^pid=//p')
"
done
is "$(printf %s "$pids" | cut -d' ' -f1 | sort -u)" 200 \
	"no request is lost while workers are replaced after worker_requests"
ok "eleven requests are served by three workers at least" \
	test "$(printf %s "$pids" | sort -u | wc -l)" -ge 3
unlike "$(cat "$W/log/surfaced.log")" 'worker_died.*status' \
	"a worker that has served worker_requests is not logged as dead"
ok "both pools have their workers again" world_until 10 workers_are 3

world_kill surfaced
ok "SIGTERM ends the master and all workers" test "$(pgrep -f "$W/etc/surfaced.conf" | wc -l)" -eq 0
is "$(find "$W/run" -name '*api*' -o -name '*search*')" "" "a stopped master removes its sockets"
like "$(tail -1 "$W/log/surfaced.log")" 'stopped' "the log ends with the line stopped"
api GET /x
is "$STATUS/$(field .error.code)" 503/service_unavailable \
	"nginx answers 503 in the envelope without workers"

# A crash of the master leaves sockets behind and ends its workers.
api_start
master=$(world_pid surfaced)
victims=$(pgrep -P "$master")
kill -KILL "$master"
gone()
{
	for _v in $victims; do
		[ ! -d "/proc/$_v" ] || return 1
	done
}
ok "workers exit when their master was killed" world_until 10 gone
api_start
api GET /x
is "$STATUS" 200 "a new master replaces the sockets of a crashed one"
is "$("$WORLD_PROGRAM" -c "$W/etc/surfaced.conf" 2>&1 | grep -c 'another process listens')" 1 \
	"a second master refuses the sockets of a running one"

world_kill surfaced
ECHO_FAIL=1
export ECHO_FAIL
started=$(date +%s%3N)
api_start
unset ECHO_FAIL
died()
{
	[ "$(grep -c 'worker_died.*status=9' "$W/log/surfaced.log")" -ge "$1" ]
}
ok "a worker that fails at once is started again" world_until 10 died 4
world_until 20 died 15 # five for each of the three workers
ok "each worker that fails at once is restarted later than before" test $(($(date +%s%3N) - started)) -ge 1000
