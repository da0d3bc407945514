# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# viewer_test SCRIPT: t/helper/viewing/SCRIPT before nginx over TLS, which serves the viewer's files; where
# surfaced-stream and a runner would be, front.mjs does the handshake and live-echo paints a page.
viewer_test()
{
	BROWSER=${BROWSER:-$(ls /usr/lib/chromium/chromium-headless-shell /usr/lib/chromium/chromium 2>/dev/null | head -1)}
	[ -n "$BROWSER" ] || skip_all "no Chromium"
	[ -x "$BUILD/t/helper/live-echo" ] || skip_all "t/helper/live-echo is not built: it needs libjpeg"
	world
	_port=$(world_ports 1)
	web_start "$_port"
	export MODULES BROWSER W
	BASE=https://localhost:$_port ECHO=$BUILD/t/helper/live-echo timeout 1700 node "t/helper/viewing/$1" >"$W/tap" 2>"$W/tap.err"
	is $? 0 "the script came to its end"
	relay "$W/tap"
	diag "$(cat "$W/tap.err")"
}
