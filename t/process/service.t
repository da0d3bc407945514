#!/bin/sh
# SPDX-License-Identifier: ISC
# The master under a service manager: inherited sockets, notifications, the watchdog; the user of the workers;
# workers whose master was killed.
. t/lib.sh

WORLD_CONF='worker_stuck = 6000'
world
WORLD_WORKERS=2 WORLD_SEARCH_WORKERS=1
world_weights
key=none
install -m 755 t/helper/service.py "$W/run/service.py"
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
ok "the master sends READY=1 with its pid" world_until 10 told "^READY=1 MAINPID=$master\$" 1
ok "both pools have their workers" world_until 10 workers_are "$master" 4
api GET /x
is "$STATUS" 200 "workers accept from the socket of the service manager"
is "$(inode api)" "$lent" "the master does not replace the inherited socket"
ok "the master sends WATCHDOG=1 in time" world_until 10 told '^WATCHDOG=1$' 4

kill -HUP "$master"
ok "the master sends RELOADING=1 with the time" world_until 10 told '^RELOADING=1 MONOTONIC_USEC=[0-9]' 1
ok "the master sends READY=1 after the reload" world_until 10 told '^READY=1' 2
fed=$(grep -c '^WATCHDOG=1$' "$W/run/notes")
ok "the master sends WATCHDOG=1 after the reload" world_until 10 told '^WATCHDOG=1$' $((fed + 3))
api GET /x
is "$STATUS/$(inode api)" "200/$lent" "the inherited socket serves requests after the reload"

world_kill surfaced
ok "the master sends STOPPING=1 at its end" world_until 10 told '^STOPPING=1$' 1
is "$(inode api)" "$lent" "a stopped master keeps the inherited socket"
like "$(inode search)" "^[0-9]+$" "a stopped master keeps its own socket in the store (see process/store.t)"
rm -f "$W/run/api.sock"

# ---- a master that is killed, and its workers ----

WORLD_PROGRAM=$echo
api_start
master=$(world_pid surfaced)
world_until 10 workers_are "$master" 4
victims=$(workers "$master")
# A process that waits for init to reap it has no command line.
alive()
{
	_n=0
	for _v in $victims; do
		[ -z "$(tr -d '\0' 2>/dev/null <"/proc/$_v/cmdline")" ] || _n=$((_n + 1))
	done
	[ "$_n" -le "$1" ]
}
# The socket's path remains, so each request waits in the queue of a worker.
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
ok "one worker is stuck in a request" world_until 10 busy 1
ask slow slow
slow=$!
ok "another worker serves a slow request" world_until 10 busy 2
kill -KILL "$master"
ok "idle workers exit when their master was killed" world_until 60 alive 2
: >"$W/run/go"
wait "$slow"
is "$(cat "$W/slow")" 200 "the slow request is answered without a master"
ok "the slow worker exits after its request" world_until 60 alive 1
ok "the stuck worker is killed after worker_stuck" world_until 60 alive 0
wait "$stuck"
is "$(cat "$W/stuck")" 503 "the client of the stuck worker gets 503"

# ---- the user of the workers ----

echo 'user = nobody-of-this-name' >>"$W/etc/surfaced.conf"
like "$("$echo" -t -c "$W/etc/surfaced.conf" 2>&1)" 'user nobody-of-this-name is unknown' \
	"the master refuses an unknown user"
sed -i "s/^user = .*/user = $WORLD_USER/" "$W/etc/surfaced.conf"
if ! world_root; then
	skip "only root can become another user"
	exit
fi
# This time the master itself runs as root.
world_as()
{
	exec "$@"
}
api_start
master=$(world_pid surfaced)
world_until 10 workers_are "$master" 4
ids()
{
	sed -n 's/^[UG]id:[[:space:]]*//p' "/proc/$1/status" | tr '\n\t' '  ' | sed 's/ $//'
}
is "$(ids "$master")" "0 0 0 0 0 0 0 0" "the master keeps the identity of root"
uid=$(id -u "$WORLD_USER") gid=$(id -g "$WORLD_USER")
for worker in $(workers "$master"); do
	is "$(ids "$worker")" "$uid $uid $uid $uid $gid $gid $gid $gid" \
		"worker $worker has the identity of $WORLD_USER only"
	is "$(sed -n 's/^CapEff:[[:space:]]*//p' "/proc/$worker/status")" 0000000000000000 \
		"worker $worker has no capability"
done
is "$(stat -c '%U %a' "$W/run/api.sock")" "$WORLD_USER 660" "the socket belongs to the user of the workers"
api GET /x
is "$STATUS" 200 "workers of another user serve requests"
reloads=$(grep -c 'reloaded program=' "$W/log/surfaced.log")
kill -HUP "$master"
reloaded_again()
{
	[ "$(grep -c 'reloaded program=' "$W/log/surfaced.log")" -gt "$reloads" ]
}
ok "a master that runs as root can be reloaded" world_until 10 reloaded_again
api GET /x
is "$STATUS" 200 "workers of another user serve requests after the reload"
kill -KILL "$master"
victims=$(workers "$master")
ok "workers of another user exit when their master was killed" world_until 10 alive 0
