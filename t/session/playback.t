#!/bin/sh
# SPDX-License-Identifier: ISC
# The page play.html in a real headless Chromium, before nginx over TLS and the API: the picture of chosen moments,
# the bar, the speed, the keys, and the content security policy (C-220, C-223).
if [ -z "${LOOPBACK-}" ]; then
	MODULES=$(t/helper/npm) && export MODULES && exec t/helper/loopback "$0" "$@"
	exit 1
fi
. t/lib.sh
BROWSER=${BROWSER:-$(ls /usr/lib/chromium/chromium-headless-shell /usr/lib/chromium/chromium 2>/dev/null | head -1)}
[ -n "$BROWSER" ] || skip_all "no Chromium"
pg_start
api_start
port=$(world_ports 1)
web_start "$port"

S=/projects/$P/sessions
u=$(session_new "https://example.com/")
session_move "$u" claim ready
PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 t/helper/evidence.py "$W" "$u" >"$W/shots.sql"
sql "$(cat "$W/shots.sql")"
chmod -R a+rX "$W/evidence"
sql "UPDATE browser_session SET state = 'terminal', state_event = 'fail', terminal_reason = 'failed' WHERE uuid = '$u'"
# The session ended after the last event of this test, which lies in the future.
api GET "$S/$u/timeline?limit=500"
ok "the timeline has every screenshot" test "$(field '[.events[]|select(.kind=="screenshot")]|length')" = 32
cp "$W/body" "$W/timeline.json"
api POST "$S/$u/evidence-ticket"
LINK=https://localhost:$port$(field .evidence_ticket.viewer_url)
export MODULES BROWSER W LINK
timeout 600 node t/helper/viewing/playback.mjs >"$W/tap" 2>"$W/tap.err"
is $? 0 "the script came to its end"
relay "$W/tap"
diag "$(cat "$W/tap.err")"
secret=${LINK##*.}
is "$(grep -rlF "$secret" "$W/log" | sed "s,$W/,,")" "" "no log has the ticket of the page (C-220)"
