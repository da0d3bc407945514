#!/bin/sh
# SPDX-License-Identifier: ISC
# The viewer drives a real session through nginx over TLS: it types into a form, and the site receives the text.
# shellcheck disable=SC2089,SC2090 # JSON
SITES='{"names": {"*.surfaced-check.net": {"A": ["93.184.216.34"]}}, "pages": {
	"site.surfaced-check.net/": {"headers": {"Content-Type": "text/html; charset=utf-8"},
		"body": "<!doctype html><title>Form</title><body style=\"background:#0a8040\"><form action=/took><input name=word style=\"position:absolute;left:100px;top:100px;width:400px;height:60px\"></form>"},
	"site.surfaced-check.net/took": {"headers": {"Content-Type": "text/html; charset=utf-8"},
		"body": "<!doctype html><title>Took</title><style>button,a{position:absolute;left:100px;width:300px;height:60px}</style><body style=\"margin:0;background:#0010c0\"><div style=\"height:900px;background:#8000c0\"><button style=\"top:200px\" onclick=\"fetch(&apos;/echo?answer=&apos; + (document.title = prompt(&apos;Your name?&apos;, &apos;x&apos;)))\">ask</button><a style=\"top:300px\" target=_blank href=http://other.surfaced-check.net/>other</a></div><div style=\"height:3000px\"></div>"},
	"other.surfaced-check.net/": {"headers": {"Content-Type": "text/html"}, "body": "<!doctype html><title>Other</title>other"},
	"other.surfaced-check.net/x": {"headers": {"Content-Type": "text/html"}, "body": "<!doctype html><title>X</title>x"}}}'
# shellcheck disable=SC2090 # as above
export SITES
if [ -z "${BROWSER_WORLD-}" ]; then
	MODULES=$(t/helper/npm) && export MODULES && exec t/helper/browser-world "$0" "$@"
	exit 1
fi
. t/lib.sh
pg_start
api_start
stream_start
port=$(world_ports 1)
web_start "$port"
browser_start
printf '%s\n' "$KEY" >"$W/key"

session_new http://site.surfaced-check.net/ >"$W/new"
read -r u <"$W/new"
WATCH="$CTL watch --url https://localhost:$port --ca $W/ca.crt --key-file $W/key --wait $u"
LINK=$(timeout 600 $WATCH)
like "$LINK" "^https://localhost:$port/viewer/#$P/$u/surfaced" \
	"surfacectl watch waits for the session and prints a link"
BROWSER=/usr/lib/chromium/chromium-headless-shell
export WATCH BROWSER W HOME="$W/tmp"
timeout 1500 node t/helper/viewing/real.mjs >"$W/tap" 2>"$W/tap.err" &
viewer=$!
near_end() { grep -q '^# close' "$W/tap" || ! kill -0 "$viewer" 2>/dev/null; }
world_until 120 near_end
api GET "/projects/$P/sessions/$u/screenshots"
like "$(field '[.screenshots[].reason]|join(" ")')" request \
	"the screenshot that the viewer requested is kept"
api DELETE "/projects/$P/sessions/$u"
wait "$viewer"
relay "$W/tap"
diag "$(cat "$W/tap.err")"
ok "the session ends after its deletion" session_at "$u" terminal
# The loopback addresses carry the viewer's own connection.
is "$(grep -vE '"to": "(127\.0\.0\.1|::1)"' "$BROWSER_WORLD/arrived")" "" \
	"no packet goes to an address that is not public (C-095)"
is "$(grep -lE 'eyJ|surfaced\.stream\.v1' "$W"/log/*.log)" "" "no log contains a ticket (C-109)"
