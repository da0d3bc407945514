#!/bin/sh
# SPDX-License-Identifier: ISC
# t/helper/demo and t/instance in a clone whose folder has a name that needs quotes, is longer than a socket's, and is closed to
# others, as its files are (umask 077); TMPDIR is closed and long. As root, where the daemons run as another user, and as an
# ordinary user. No packet can leave the machine.
if [ "${1-}" != inside ]; then
	[ "$(id -u)" -ne 0 ] || exec unshare --net sh -c 'ip link set lo up && exec "$0" inside' "$0"
	# shellcheck disable=SC2016 # for the inner shell
	exec unshare --map-root-user --net sh -c 'ip link set lo up && exec unshare --map-user="$1" --map-group="$2" "$0" inside' \
		"$0" "$(id -u)" "$(id -g)"
fi
. t/lib.sh

world
# tree DIR USER: a copy of what a demo needs of the tree and of the build.
tree()
{
	mkdir -p "$1"
	t/helper/files bootstrap t sql nginx src/access/passwords src/detect/rules src/tbl | xargs cp --parents -pt "$1"
	(cd "$BUILD" && cp --parents -pt "$1" surface surfaced surfaced-alert surfaced-detect surfaced-dispatch surfaced-egress \
		surfaced-export surfaced-index surfaced-meter surfaced-runner surfaced-stream surfacectl t/helper/hostgen)
	chmod -R go= "$1"
	chown -R "$2" "$1"
}

# in_tree COMMAND...: in the folder of the tree, as $who, with an umask and a TMPDIR that others cannot use.
in_tree()
{
	(
		umask 077
		unset TOP_BUILDDIR PG_USER
		[ "$(id -u "$who")" = "$(id -u)" ] || set -- setpriv --reuid="$who" --regid="$(id -g "$who")" --clear-groups --inh-caps=-all "$@"
		cd "$T" && exec env HOME="$W/home" TMPDIR="$tmp" DEMO_HOSTS=100 "$@"
	)
}
# The processes of the world in demo.
left()
{
	[ -z "$world" ] || pgrep -f "$world/"
}
forever=$(printf 'x%.0s' $(seq 120))
whos=$(id -un)
! world_root || whos="root nobody"
trap 'for T in "$W"/home/*/it*; do who=${T#"$W/home/"} who=${who%%/*}; in_tree t/instance stop demo; rm -f "$(place_name "$T")" "/tmp/surfaced-tree.$(id -u "$who").$(printf %s "$T" | cksum | tr " " -)"; done >/dev/null 2>&1; lib_exit' EXIT
for who in $whos; do
	T="$W/home/$who/it's a \"new\" clöne: \$$forever" tmp=$W/home/$who/tmp-$forever
	mkdir -p "$T" "$tmp"
	tree "$T" "$who"
	chmod 700 "$tmp" "$W/home/$who"
	chown "$who" "$tmp" "$W/home/$who"

	in_tree t/helper/demo >"$W/shown" 2>"$W/err"
	is "$?" 0 "$who: the demo in a hostile folder exits with status 0" || diag "$(cat "$W/err")"
	like "$(sed -n '/^# surface(1)/,/^$/p' "$W/shown")" '^  [0-9.]+ ' "$who: the command surface prints a table of hosts"
	world=$(sed -n "s/^W='\(.*\)'$/\1/p" "$T/demo/env")
	is "$(stat -c %a "$T/demo/env")" 600 "$who: others cannot read the file with the key"

	# As after a start of the machine: the files of pids are there, the processes are not.
	kill -s KILL "$(head -n 1 "$world/db/pg/postmaster.pid")"
	ok "$who: a world whose PostgreSQL is gone can be stopped" in_tree t/instance stop demo
	is "$(ls "$T/demo") $(left)" "log " "$who: a stop leaves the logs alone, and no process"
	ok "$who: a stop leaves no folder in /tmp" test ! -e "$world/run"

	# Interrupted, at a time when some of the programs run.
	for signal in HUP INT TERM KILL; do
		# Below nohup, or in the background of a shell, the suite itself ignores some of the signals.
		# shellcheck disable=SC2016 # for the inner shell
		(in_tree env --default-signal setsid --fork sh -c 'echo $$ && exec t/helper/demo' >"$W/shown" 2>"$W/err")
		group() { pid=$(head -n 1 "$W/shown") && [ -n "$pid" ]; }
		world_until 10 group
		begun() { [ -f "$T/demo/env" ] && world=$(sed -n "s/^W='\(.*\)'$/\1/p" "$T/demo/env") && [ -S "$world/db/.s.PGSQL.5432" ]; }
		ok "$who: the demo that gets SIG$signal has begun" world_until 60 begun
		# A terminal sends a signal to all processes of the foreground.
		kill -s "$signal" -- "-$pid"
		gone() { ! pgrep -g "$pid" >/dev/null; }
		ok "$who: the demo ends when it gets SIG$signal" world_until 60 gone
		[ "$signal" = KILL ] || is "$(ls "$T/demo") $(left)" "log " "$who: a demo that got SIG$signal leaves the logs alone, and no process" || diag "$(cat "$W/err")"
	done
	in_tree t/instance start demo 2>"$W/err"
	is "$?" 0 "$who: a start replaces a demo that was killed" || diag "$(cat "$W/err")"
	is "$(left)" "" "$who: a start ends the processes of a demo that was killed"
	world=$(sed -n "s/^W='\(.*\)'$/\1/p" "$T/demo/env")
	ok "$who: the world that replaced it can be stopped" in_tree t/instance stop demo
	is "$(left)" "" "$who: no process of that world is left"
	in_tree sh -c 'echo mine >demo/diary'
	in_tree t/instance start demo >"$W/out" 2>&1
	like "$?/$(cat "$W/out")" '^1/.*demo has other files than those of a world: remove it' "$who: a folder with files of others is refused"
done
