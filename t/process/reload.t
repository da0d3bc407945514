#!/bin/sh
# SPDX-License-Identifier: ISC
# SIGHUP: the master executes itself with the same pid and sockets; no request is lost, the numbers of workers
# follow the upstream file, a bad file changes nothing. Reloads of nginx lose no request either.
. t/lib.sh

world
WORLD_WORKERS=2
# An upgrade replaces the program while it runs; the copy can be replaced.
install -m 755 "$BUILD/t/helper/echo" "$W/run/surfaced-echo"
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

# Each request has its own connection, which HTTP/2 does not allow: a reload of nginx closes idle connections, and
# a request may be on its way in one of them.
load()
{
	# shellcheck disable=SC2086 # CURL is a list of options
	curl -sS $CURL --http1.1 -H 'Connection: close' -o /dev/null -w '%{http_code}\n' "$BASE_URL/x?[1-$1]" >"$2" 2>&1
}

ok "two pools have two workers each, a third has one" world_until 10 workers_are 5
for i in 1 2 3; do
	load 400 "$W/load.$i" &
done
for i in 1 2 3 4 5; do
	old=$(workers)
	cp "$W/run/surfaced-echo" "$W/run/new" && mv "$W/run/new" "$W/run/surfaced-echo"
	kill -HUP "$master"
	world_until 10 log_has 'reloaded program=surfaced' "$i" || break
	kill -HUP "$(cat "$W/run/nginx.pid")"
done
wait
is "$(cat "$W"/load.* | sort | uniq -c | sed 's/^ *//')" "1200 200" \
	"1,200 requests during five reloads of master and nginx succeed"
is "$(log_count 'reloaded program=surfaced')" 5 "the master has executed itself five times"
is "$(tr '\0' '\n' <"/proc/$master/cmdline" | head -1)" "$WORLD_PROGRAM" \
	"the master keeps its pid and runs the replaced file"
ok "the old workers have exited" world_until 10 workers_are 5
isnt "$(workers)" "$old" "new workers replace the old ones"

# shellcheck disable=SC2086 # CURL is a list of options
curl -sS $CURL -o /dev/null -w '%{http_code}\n' "$BASE_URL/slow" >"$W/slow" &
slow=$!
busy()
{
	pgrep -P "$master" | while read -r p; do cat "/proc/$p/wchan"; echo; done | grep -q nanosleep
}
world_until 10 busy
kill -HUP "$master"
: >"$W/run/go"
wait "$slow"
is "$(cat "$W/slow")" 200 "the old worker answers a request that was under way"
world_until 10 log_has 'reloaded program=surfaced' 6

sed -i 's/weight=2/weight=3/' "$W/etc/upstreams.conf"
kill -HUP "$master"
world_until 10 log_has 'reloaded program=surfaced' 7
ok "the numbers of workers follow the upstream file" world_until 10 workers_are 7

before=$(workers)
echo '}' >>"$W/etc/upstreams.conf"
kill -HUP "$master"
ok "a bad upstream file is refused" world_until 10 log_has reload_refused 1
is "$(workers)" "$before" "the workers survive a refused upstream file"
api GET /x
is "$STATUS" 200 "the workers serve requests after a refused reload"
sed -i '$d' "$W/etc/upstreams.conf"
echo 'no such line' >>"$W/etc/surfaced.conf"
kill -HUP "$master"
ok "a bad configuration file is refused" world_until 10 log_has reload_refused 2
is "$(workers)" "$before" "the workers survive a refused configuration"
sed -i '$d' "$W/etc/surfaced.conf"

# A stopped worker of surfaced_heavy outlives a reload, after which its pool has another place in the file, or none.
# kill_retired NAME: the line of its death in the log.
kill_retired()
{
	_pid=$(pgrep -n -P "$master" -x surfaced_heavy)
	_reloads=$(log_count 'reloaded program=surfaced')
	kill -STOP "$_pid"
	mv "$W/etc/$1" "$W/etc/upstreams.conf"
	kill -HUP "$master"
	world_until 10 log_has 'reloaded program=surfaced' $((_reloads + 1))
	kill -KILL "$_pid"
	world_until 10 log_has "worker_died pid=$_pid " 1
	sed -n "s/.*worker_died pid=$_pid \\(pool=[^ ]*\\) .*/\\1/p" "$W/log/surfaced.log"
}

{
	sed -n '/^upstream surfaced_heavy/,/^}/p' "$W/etc/upstreams.conf"
	sed '/^upstream surfaced_heavy/,/^}/d' "$W/etc/upstreams.conf"
} >"$W/etc/reordered"
sed '/^upstream surfaced_heavy/,/^}/d' "$W/etc/upstreams.conf" >"$W/etc/shorter"
is "$(kill_retired reordered)" pool=surfaced_heavy "the log names the pool of an old worker after the pools changed their order"
is "$(kill_retired shorter)" pool=- "an old worker of a removed pool is in no other pool"
