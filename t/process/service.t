#!/bin/sh
# SPDX-License-Identifier: ISC
# The master under a service manager: sockets that listen already, what it is told, its watchdog; the
# user that workers run as; workers whose master was killed.
. t/lib.sh

WORLD_CONF='worker_stuck = 6000'
world
WORLD_WORKERS=2 WORLD_SEARCH_WORKERS=1
world_weights
key=none
cp t/helper/service.py "$W/run/service.py"
echo=$BIN/t/helper/echo
cat >"$W/run/service" <<-END
	#!/bin/sh
	exec /usr/bin/python3 "$W/run/service.py" "$W/run/notes" "$W/run/api.sock" -- "$echo" "\$@"
END
chmod 755 "$W/run/service"

inode()
{
	stat -c %i "$W/run/$1.sock" 2>/dev/null
}

told()
{
	[ "$(grep -c -e "$1" "$W/run/notes")" -ge "$2" ]
}

workers()
{
	pgrep -P "$1" | sort -n
}

workers_are()
{
	[ "$(workers "$1" | wc -l)" -eq "$2" ]
}

WORLD_PROGRAM=$W/run/service
api_start
web_start ''
master=$(world_pid surfaced)
lent=$(inode api)
ok "READY=1 with the master's pid" world_until 5 told "^READY=1 MAINPID=$master\$" 1
ok "both pools are complete" world_until 5 workers_are "$master" 4
api GET /x
is "$STATUS" 200 "workers accept from the socket of the service manager"
is "$(inode api)" "$lent" "which is not replaced"
ok "WATCHDOG=1 comes in time" world_until 5 told '^WATCHDOG=1$' 4

kill -HUP "$master"
ok "RELOADING=1 has the time" world_until 5 told '^RELOADING=1 MONOTONIC_USEC=[0-9]' 1
ok "and READY=1 follows" world_until 5 told '^READY=1' 2
fed=$(grep -c '^WATCHDOG=1$' "$W/run/notes")
ok "so does the watchdog" world_until 5 told '^WATCHDOG=1$' $((fed + 3))
api GET /x
is "$STATUS/$(inode api)" "200/$lent" "on the same socket"

world_kill surfaced
ok "STOPPING=1" world_until 5 told '^STOPPING=1$' 1
is "$(inode api)" "$lent" "the service manager's socket stays"
like "$(inode search)" "^[0-9]+$" "and so does ours, which it keeps in its store (see process/store.t)"
rm -f "$W/run/api.sock"

# ---- a master that is killed, and its workers ----

WORLD_PROGRAM=$echo
api_start
master=$(world_pid surfaced)
world_until 5 workers_are "$master" 4
victims=$(workers "$master")
# One that waits for init to take its status has no command line.
alive()
{
	_n=0
	for _v in $victims; do
		[ -z "$(tr -d '\0' 2>/dev/null <"/proc/$_v/cmdline")" ] || _n=$((_n + 1))
	done
	[ "$_n" -le "$1" ]
}
# The socket's name stays, so each takes the queue of a worker.
ask()
{
	# shellcheck disable=SC2086 # CURL is a list of options
	curl -sS $CURL -o /dev/null -w '%{http_code}' "$BASE_URL/$1" >"$W/$2" 2>&1 &
}
busy()
{
	[ "$(for _v in $victims; do cat "/proc/$_v/wchan"; echo; done | grep -cE 'nanosleep|pause')" -ge "$1" ]
}
ask stuck stuck
stuck=$!
ok "one is stuck" world_until 5 busy 1
ask slow slow
slow=$!
ok "one is slow" world_until 5 busy 2
kill -KILL "$master"
ok "idle workers end with their master" world_until 60 alive 2
: >"$W/run/go"
wait "$slow"
is "$(cat "$W/slow")" 200 "a request under way is answered"
ok "that worker ends then" world_until 60 alive 1
ok "and a stuck one when its time is over" world_until 60 alive 0
wait "$stuck"
is "$(cat "$W/stuck")" 503 "whose client gets an envelope"

# ---- the user of the workers ----

echo 'user = nobody-of-this-name' >>"$W/etc/surfaced.conf"
like "$("$echo" -t -c "$W/etc/surfaced.conf" 2>&1)" 'user nobody-of-this-name is unknown' "an unknown user is refused"
sed -i "s/^user = .*/user = $WORLD_USER/" "$W/etc/surfaced.conf"
if ! world_root; then
	skip "only root can become another user"
	exit
fi
# As root, the master itself.
world_as()
{
	exec "$@"
}
api_start
master=$(world_pid surfaced)
world_until 5 workers_are "$master" 4
ids()
{
	sed -n 's/^[UG]id:[[:space:]]*//p' "/proc/$1/status" | tr '\n\t' '  ' | sed 's/ $//'
}
is "$(ids "$master")" "0 0 0 0 0 0 0 0" "the master stays root"
uid=$(id -u "$WORLD_USER") gid=$(id -g "$WORLD_USER")
for worker in $(workers "$master"); do
	is "$(ids "$worker")" "$uid $uid $uid $uid $gid $gid $gid $gid" "worker $worker is $WORLD_USER alone"
	is "$(sed -n 's/^CapEff:[[:space:]]*//p' "/proc/$worker/status")" 0000000000000000 "without capabilities"
done
is "$(stat -c '%U %a' "$W/run/api.sock")" "$WORLD_USER 660" "the socket is the user's"
api GET /x
is "$STATUS" 200 "and served"
kill -HUP "$master"
log_has()
{
	grep -q "$1" "$W/log/surfaced.log"
}
ok "a reload works as root, too" world_until 5 log_has 'reloaded program=echo'
api GET /x
is "$STATUS" 200 "and serves"
kill -KILL "$master"
victims=$(workers "$master")
ok "workers of another user end with their master, too" world_until 5 alive 0
