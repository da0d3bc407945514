#!/bin/sh
# SPDX-License-Identifier: ISC
# The sandbox of the converters: t/helper/bad-converter tries what a converter does that a document has taken over. Each wall
# is also seen alone, because the filter of system calls hides the others.
. t/lib.sh
! nm -D "$BUILD/surfacectl" | grep -q __asan || skip_all "a sanitizer needs more memory than the limit of a converter"
bwrap --unshare-all --ro-bind / / true 2>/dev/null || skip_all "bubblewrap cannot make namespaces here"
pg_start
install -m 755 "$BUILD/t/helper/bad-converter" "$W/"
printf 'text_program = %s\ntext_seconds = 3600\n' "$W/bad-converter" >>"$W/etc/surfacectl.conf"

echo '<html>WALLS</html>' >"$W/walls.html"
ctl import reports "$W/walls.html" >"$W/out" 2>"$W/err"
is "$?" 0 "the text of a hostile converter is a report"
sql "SELECT text FROM report_text" >"$W/text"
is "$(grep '^user ' "$W/text")" "user 65534 65534 65534" "a converter is the user nobody, also when root imports"
is "$(grep '^processes ' "$W/text")" "processes 0 0" "a converter may have no other process"
is "$(grep -c ' refused$' "$W/text")" 23 "a converter makes 23 attempts"
is "$(grep ' done$' "$W/text")" "" "no attempt of a converter succeeds (C-811)"

# ---- each wall alone, in a converter that runs ----

# below PID: the youngest descendant.
below()
{
	_child=$(pgrep -P "$1" | head -1)
	if [ -n "$_child" ]; then below "$_child"; else echo "$1"; fi
}
runs()
{
	PID=$(below "$import")
	[ "$(tr '\0' ' ' <"/proc/$PID/cmdline" 2>/dev/null)" = "/convert " ]
}
status()
{
	awk -v name="$1:" '$1 == name { print $2 }' "/proc/$PID/status"
}

echo '<html>ENDLESS</html>' >"$W/endless.html"
$CTL import reports "$W/endless.html" >"$W/out" 2>"$W/err" &
import=$!
ok "a converter without an end runs" world_until 20 runs
is "$(status Seccomp) $(status Seccomp_filters)" "2 1" "a converter has one filter of system calls"
is "$(status NoNewPrivs) $(status CapPrm) $(status CapBnd)" "1 0000000000000000 0000000000000000" "a converter has no capability"
is "$(awk '/^Max processes/ { print $3, $4 }' "/proc/$PID/limits")" "0 0" "the kernel counts the processes of a converter"
is "$(nsenter -t "$PID" -U --preserve-credentials unshare -U true 2>&1)" "unshare: unshare failed: No space left on device" \
	"a process without the filter can make no user namespace in that of a converter"
is "$(unshare -U true 2>&1)" "" "the same process can make a user namespace outside"
kill -9 "$import"
gone() { ! kill -0 "$PID" 2>/dev/null; }
ok "a converter ends with the import" world_until 20 gone
