#!/bin/sh
# SPDX-License-Identifier: ISC
# The descriptor store of a service manager: while the master restarts or dies, new requests wait in the stored
# sockets, and none is refused.
. t/lib.sh

world
WORLD_WORKERS=2
key=none
install -m 755 t/helper/store.py "$W/run/"
world_spawn manager python3 "$W/run/store.py" "$W/run/notify" "$BIN/t/helper/echo" -c "$W/etc/surfaced.conf"

events()
{
	grep -c "$1" "$W/log/manager.log"
}

had()
{
	[ "$(events "$1")" -ge "$2" ]
}

load()
{
	# shellcheck disable=SC2086 # CURL is a list of options
	curl -sS $CURL -o /dev/null -w '%{http_code}\n' "$BASE_URL/x?[1-$1]" >"$2" 2>&1
}

ok "the master stores the sockets of the three pools" world_until 10 had 'ready stored=3' 1
web_start ''
for i in 1 2 3; do
	load 400 "$W/load.$i" &
done
for i in 1 2 3 4; do
	kill -s USR1 "$(world_pid manager)"
	world_until 10 had '^ready' $((i + 1)) || break
done
wait
is "$(cat "$W"/load.* | sort | uniq -c | sed 's/^ *//')" "1200 200" \
	"1,200 requests during four restarts succeed"
is "$(events '^ended')" 4 "the master has ended four times"

kill -s USR2 "$(world_pid manager)"
world_until 10 had '^ready' 6
load 20 "$W/load.killed"
is "$(sort "$W/load.killed" | uniq -c | sed 's/^ *//')" "20 200" \
	"a new master serves on the stored sockets after kill -9"

sed -i 's,search.sock,other.sock,' "$W/etc/upstreams.conf"
kill -HUP "$(pgrep -P "$(world_pid manager)" -x echo)"
ok "a reload stores the socket of a new pool and drops the old one" world_until 10 had 'ready stored=3' 7
ok "the file of a dropped socket is removed" test ! -e "$W/run/search.sock"
rm -f "$W/run/api.sock"
kill -s USR1 "$(world_pid manager)"
world_until 10 had '^ready' 8
ok "a stored socket whose file is missing is created again" test -S "$W/run/api.sock"
ok "a socket that clients cannot reach is dropped from the store" \
	test "$(grep '^ready' "$W/log/manager.log" | tail -1)" = "ready stored=3"
kill -s USR1 "$(world_pid manager)"
world_until 10 had '^ready' 9
load 20 "$W/load.anew"
is "$(sort "$W/load.anew" | uniq -c | sed 's/^ *//')" "20 200" "requests succeed after the next restart"
is "$(python3 -c 'import socket, struct, sys
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
print(struct.unpack("3i", s.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0])' "$W/run/api.sock")" \
	"$(pgrep -P "$(world_pid manager)" -x echo)" \
	"the peer credentials of the socket name the current master"

# A restart gives an adopted socket the mode and group that nginx needs.
restarts=9
restart()
{
	restarts=$((restarts + 1))
	kill -s USR1 "$(world_pid manager)"
	world_until 10 had '^ready' $restarts
}
inode=$(stat -c %i "$W/run/api.sock")
chmod 000 "$W/run/api.sock"
restart
is "$(stat -c %a "$W/run/api.sock")" 660 "a restart gives an adopted socket its mode again"
is "$(stat -c %i "$W/run/api.sock")" "$inode" "a socket whose mode was wrong is kept with its queue"
if world_root; then
	group=$(stat -c %G "$W/run/api.sock")
	chgrp daemon "$W/run/api.sock"
	restart
	is "$(stat -c '%a %G' "$W/run/api.sock")" "660 $group" "a restart gives an adopted socket its group again"
	chgrp daemon "$W/run"
	chmod g+s "$W/run"
	restart
	is "$(stat -c '%a %G' "$W/run/api.sock")" "660 daemon" \
		"a socket gets the group of its directory, though the daemon is not in it"
	is "$(grep '^ready' "$W/log/manager.log" | tail -1)" "ready stored=3" "a replaced socket takes the place of the old one in the store"
	chown root:root "$W/run/api.sock"
	restart
	is "$(stat -c '%U %a %G' "$W/run/api.sock")" "$WORLD_USER 660 daemon" "a restart replaces a socket that belongs to another user"
else
	skip "no root"
fi
load 20 "$W/load.mended"
is "$(sort "$W/load.mended" | uniq -c | sed 's/^ *//')" "20 200" "requests are answered through the mended sockets"
world_kill manager
