#!/bin/sh
# SPDX-License-Identifier: ISC
# SIGHUP: the master becomes its own successor with the same pid and sockets; no request is lost, the
# worker counts follow the upstream file, a bad file changes nothing. nginx reloads lose nothing either.
. t/lib.sh

world
WORLD_WORKERS=2
# The program as an upgrade leaves it: replaced while it runs.
cp "$BUILD/t/helper/echo" "$W/run/surfaced-echo"
WORLD_PROGRAM=$W/run/surfaced-echo
key=none
api_start
web_start ''
master=$(world_pid surfaced)

log_count()
{
	grep -c "$1" "$W/log/surfaced.log"
}

log_has()
{
	[ "$(log_count "$1")" -ge "$2" ]
}

# A connection a request, which HTTP/2 has not: nginx's reload ends idle kept ones, and a request may be on its
# way in one then.
load()
{
	# shellcheck disable=SC2086 # CURL is a list of options
	curl -sS $CURL --http1.1 -H 'Connection: close' -o /dev/null -w '%{http_code}\n' "$BASE_URL/x?[1-$1]" >"$2" 2>&1
}

ok "two pools of two workers and one of one worker run" world_until 5 workers_are 5
for i in 1 2 3; do
	load 400 "$W/load.$i" &
done
for i in 1 2 3 4 5; do
	old=$(workers)
	cp "$W/run/surfaced-echo" "$W/run/new" && mv "$W/run/new" "$W/run/surfaced-echo"
	kill -HUP "$master"
	world_until 10 log_has 'reloaded program=echo' "$i" || break
	kill -HUP "$(cat "$W/run/nginx.pid")"
done
wait
is "$(cat "$W"/load.* | sort | uniq -c | sed 's/^ *//')" "1200 200" \
	"1,200 requests over five re-execs and nginx reloads, all answered"
is "$(log_count 'reloaded program=echo')" 5 "the master was its own successor five times"
is "$(tr '\0' '\n' <"/proc/$master/cmdline" | head -1)" "$WORLD_PROGRAM" "with its pid, from the replaced file"
ok "the old workers have ended" world_until 5 workers_are 5
isnt "$(workers)" "$old" "and new ones came"

# shellcheck disable=SC2086 # CURL is a list of options
curl -sS $CURL -o /dev/null -w '%{http_code}\n' "$BASE_URL/slow" >"$W/slow" &
slow=$!
busy()
{
	pgrep -P "$master" | while read -r p; do cat "/proc/$p/wchan"; echo; done | grep -q nanosleep
}
world_until 5 busy
kill -HUP "$master"
: >"$W/run/go"
wait "$slow"
is "$(cat "$W/slow")" 200 "a request under way is finished by the old worker"
world_until 5 log_has 'reloaded program=echo' 6

sed -i 's/weight=2/weight=3/' "$W/etc/upstreams.conf"
kill -HUP "$master"
world_until 10 log_has 'reloaded program=echo' 7
ok "the number of workers follows the upstream file" world_until 5 workers_are 7

before=$(workers)
echo '}' >>"$W/etc/upstreams.conf"
kill -HUP "$master"
ok "a bad upstream file is refused" world_until 5 log_has reload_refused 1
is "$(workers)" "$before" "and the workers stay"
api GET /x
is "$STATUS" 200 "and serve"
sed -i '$d' "$W/etc/upstreams.conf"
echo 'no such line' >>"$W/etc/surfaced.conf"
kill -HUP "$master"
ok "so is a bad configuration" world_until 5 log_has reload_refused 2
is "$(workers)" "$before" "with the same workers"
