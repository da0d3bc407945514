#!/bin/sh
# SPDX-License-Identifier: ISC
# make demo as root in a clone below /root: the daemons' user cannot enter the folder of the programs.
# No packet can leave the machine.
[ "$(id -u)" -eq 0 ] || {
	echo "1..0 # SKIP an ordinary user's daemons enter what the user can enter"
	exit 0
}
[ "${1-}" = inside ] || exec unshare -n "$0" inside
ip link set lo up
. t/lib.sh
world
dir=$W/demo
trap 't/instance stop "$dir" >/dev/null 2>&1 || :; lib_exit' EXIT
mkdir -m 700 "$W/closed"
ln -s "$BUILD"/* "$W/closed"
TOP_BUILDDIR=$W/closed DEMO_DIR=$dir DEMO_HOSTS=300 t/helper/demo >"$W/shown" 2>"$W/err"
is "$?" 0 "the demo of a closed folder exits with status 0"
diag "$(cat "$W/err")"
like "$(sed -n '/^# surface(1)/,/^$/p' "$W/shown")" '^  [0-9.]+ ' "the command surface prints a table of hosts"

# As after a start of the machine: the files of pids are there, the processes are not.
kill -s KILL "$(head -n 1 "$(sed -n "s/^PGHOST='\(.*\)'$/\1/p" "$dir/env")/pg/postmaster.pid")"
ok "a world whose PostgreSQL is gone can be stopped" t/instance stop "$dir"
