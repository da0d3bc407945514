#!/bin/sh
# SPDX-License-Identifier: ISC
# A test that hangs is ended by t/helper/failures. It is named, and so is what it waited for; its world is stopped.
. t/lib.sh

world
# A tree with tests of its own.
mkdir -p "$W/tree/t/x"
ln -s "$TOP"/* "$TOP/.proverc" "$W/tree/" 2>/dev/null
ln -s "$TOP"/t/* "$W/tree/t/" 2>/dev/null
cat >"$W/tree/t/x/wait.t" <<-'END'
	#!/bin/sh
	. t/lib.sh
	pg_start
	alert_start
	web_start
	echo "$W" >../world
	never() { : >../waits; false; }
	world_until 100000 never 7
END
cat >"$W/tree/t/x/block.t" <<-'END'
	#!/usr/bin/python3
	import signal, subprocess
	signal.signal(signal.SIGTERM, signal.SIG_IGN)
	other = subprocess.Popen(["sleep", "86400.SUFFIX"], start_new_session=True)
	other.wait()
END
sed -i "s/SUFFIX/$$/" "$W/tree/t/x/block.t" # another run of this test has other processes
chmod +x "$W"/tree/t/x/*.t

# hangs COMMAND...: in this tree, with a limit that the test reaches.
hangs()
{
	(cd "$W/tree" && unset TEST_RUN TOP_BUILDDIR && TOP_BUILDDIR=$BUILD TEST_LIMIT=$limit TEST_GRACE=$grace FAILURES=$W/failures "$@") >"$W/out" 2>&1
	STATUS=$?
	return "$STATUS"
}
# The signal that its alarm sends arrives as soon as the test waits, so that no limit is too short for a slow machine.
limit=1200 grace=600
hangs prove t/x/wait.t &
ok "the test that hangs waits for its condition" world_until 60 test -e "$W/waits"
pkill -ALRM -f 't/helper/failures t/x/wait\.t'
wait $!
STATUS=$?
isnt "$STATUS" 0 "prove fails when a test hangs"
like "$(cat "$W/failures")" '^# t/x/wait.t did not end within 1200 seconds' "the list of failures names the test and its limit"
like "$(cat "$W/failures")" '^# waiting for: never 7' "the list of failures has the condition for which the test waited"
ok "the test that hangs had a world" test -s "$W/world"
is "$(pgrep -f "$(cat "$W/world" || echo nothing)/")" "" "no process of the world of the test is left"
ok "the folder of the world is removed" test ! -e "$(cat "$W/world")"

# As by Ctrl-C in a terminal.
rm "$W/world"
limit=0 grace=600
hangs env --default-signal setsid --fork sh -c 'echo $$ >group && exec prove t/x/wait.t'
ok "a test of which prove will be interrupted has a world" world_until 30 test -s "$W/world"
kill -s INT -- "-$(cat "$W/tree/group")"
ended() { ! pgrep -g "$(cat "$W/tree/group")" >/dev/null; }
ok "an interrupted test ends" world_until 60 ended
is "$(pgrep -f "$(cat "$W/world")/")" "" "an interrupted test leaves no process of its world"
ok "an interrupted test removes the folder of its world" test ! -e "$(cat "$W/world")"

limit=5 grace=1
hangs t/x/wait.t
like "$(cat "$W/out")" '^# t/x/wait.t did not end within 5 seconds' "a test that is run without prove has the limit, too"
hangs prove t/x/block.t
like "$(cat "$W/out" "$W/failures")" '^# t/x/block.t did not end within' "a test that ignores SIGTERM is ended"
is "$(pgrep -f "sleep 86400\\.$$\$")" "" "no process that such a test has started is left"
