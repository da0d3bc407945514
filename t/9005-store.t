#!/bin/sh
# SPDX-License-Identifier: ISC
# A service manager's descriptor store: over restarts, and ends of the master, new requests wait in the
# sockets that it kept, and none is refused.
. t/lib.sh

world
WORLD_WORKERS=2
key=none
cp t/helper/store.py "$W/run/"
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

ok "it stores the sockets of both pools" world_until 10 had 'ready stored=2' 1
web_start ''
for i in 1 2 3; do
	load 400 "$W/load.$i" &
done
for i in 1 2 3 4; do
	kill -s USR1 "$(world_pid manager)"
	world_until 10 had '^ready' $((i + 1)) || break
done
wait
is "$(cat "$W"/load.* | sort | uniq -c | sed 's/^ *//')" "1200 200" "1,200 requests over four restarts, all answered"
is "$(events '^ended')" 4 "it ended four times"

kill -s USR2 "$(world_pid manager)"
world_until 10 had '^ready' 6
load 20 "$W/load.killed"
is "$(sort "$W/load.killed" | uniq -c | sed 's/^ *//')" "20 200" "after a kill -9 of the master it serves on the same sockets"

sed -i 's,search.sock,other.sock,' "$W/etc/upstreams.conf"
kill -HUP "$(pgrep -P "$(world_pid manager)" -x echo)"
ok "a reload stores a new pool's socket and gives back one that is gone" world_until 10 had 'ready stored=2' 7
ok "whose file is gone" test ! -e "$W/run/search.sock"
rm -f "$W/run/api.sock"
kill -s USR1 "$(world_pid manager)"
world_until 10 had '^ready' 8
ok "a stored socket without a file is made anew" test -S "$W/run/api.sock"
ok "and the one that nobody could connect to is stored no longer" test "$(grep '^ready' "$W/log/manager.log" | tail -1)" = "ready stored=2"
kill -s USR1 "$(world_pid manager)"
world_until 10 had '^ready' 9
load 20 "$W/load.anew"
is "$(sort "$W/load.anew" | uniq -c | sed 's/^ *//')" "20 200" "it serves after the next restart too"
is "$(python3 -c 'import socket, struct, sys
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
print(struct.unpack("3i", s.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0])' "$W/run/api.sock")" \
	"$(pgrep -P "$(world_pid manager)" -x echo)" "who connects learns the master of now, which surfacectl looks into"
world_kill manager
