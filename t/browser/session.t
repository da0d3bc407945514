#!/bin/sh
# SPDX-License-Identifier: ISC
# A session from the API to a page and back: nginx, a worker, PostgreSQL, the dispatcher, a runner, Chromium,
# surfaced-egress, a site on a public address; then its screenshots and network events over the API.
# shellcheck disable=SC2089 # JSON, quotes and all
SITES='{"names": {"site.surfaced-check.net": {"A": ["93.184.216.34"]}}, "pages": {
	"site.surfaced-check.net/": {"headers": {"Content-Type": "text/html; charset=utf-8", "Set-Cookie": "secret=hunter2"},
		"body": "<!doctype html><title>Harbour</title><body style=\"background:#1b5e8a;color:#fff;font:48px sans-serif\"><h1>A page &auml;</h1><p id=a>loading</p><script src=/s.js></script><img src=http://10.1.2.3/x>"},
	"site.surfaced-check.net/s.js": {"headers": {"Content-Type": "text/javascript"}, "body": "document.getElementById(\"a\").textContent = \"with a script\""}}}'
# shellcheck disable=SC2090
export SITES
[ -n "${BROWSER_WORLD-}" ] || exec t/helper/browser-world "$0" "$@"
. t/lib.sh
pg_start
api_start
web_start
browser_start

S=/projects/$P/sessions
session_new http://site.surfaced-check.net/ >"$W/new"
read -r u <"$W/new"
is "$STATUS" 202 "a session of a real page is created"
ok "the session of a real page runs" \
	session_at "$u" running || diag "$(tail -20 "$W"/log/surfaced-dispatch.log "$W"/log/surfaced-egress.log)"
shots() { api GET "$S/$u/screenshots" && [ "$(field '.screenshots|length')" -ge "$1" ]; }
ok "the running session has a screenshot" world_until 10 shots 1
shot=$(field '.screenshots[-1].uuid')
is "$(field '.screenshots[-1]|[.reason,.url,.width,.height]|tojson')" \
	'["ready","http://site.surfaced-check.net/",1280,720]' \
	"the screenshot has the URL and the size of the viewport"
api GET "$S/$u/screenshots/$shot"
is "$STATUS" 200 "the image of the screenshot can be read"
mime=$(header Content-Type)
cp "$W/body" "${SHOW:-$W/shot}"
like "$mime $(file -b "$W/body")" '^image/(png|jpeg) (PNG|JPEG) image.*1280 ?x ?720' \
	"the screenshot is an image of the viewport's size"
like "$(t/helper/pixel "$W/body" 1200 600)" '^1[a-d]5[d-f]8[9ab]$' \
	"the screenshot has the colour of the page"

events() { api GET "$S/$u/network-events?limit=100" && [ "$(field '.network_events|length')" -ge 3 ] && [ "$(field '[.network_events[]|select(.kind == "page")]|length')" -ge 1 ]; }
ok "the running session has network events" world_until 10 events
is "$(field '.network_events[]|select(.kind == "request" and .url == "http://site.surfaced-check.net/")|[.kind,.method,.status,.mime,.remote_address,.remote_port]|tojson')" \
	'["request","GET",200,"text/html","93.184.216.34",80]' \
	"the event of the document has the address of the site"
is "$(field '.network_events[]|select(.url|endswith("/s.js"))|[.status,.resource_type]|tojson')" '[200,"Script"]' \
	"the script of the page has an event"
isnt "$(field '.network_events[]|select(.url|startswith("http://10."))|.failure')" null \
	"the request to a private address has a failure (C-095)"
is "$(cat "$BROWSER_WORLD/arrived" 2>/dev/null)" "" "no packet reaches the private address (C-095)"
unlike "$BODY" hunter2 "the network events contain no cookie"
api GET "$S/$u/network-events.har"
is "$(field '.log.entries[0].request.url')" http://site.surfaced-check.net/ \
	"the HAR has the same first request"
is "$(field '.log as $l|$l.entries[0].pageref as $p|$l.pages[]|select(.id == $p)|[.title,.pageTimings.onLoad > 0]|tojson')" \
	'["http://site.surfaced-check.net/",true]' "the HAR has the page that the browser loaded, with the time of its load (C-222)"

api DELETE "$S/$u"
ok "the session closes after DELETE" session_at "$u" terminal
ok "the session has a last screenshot" shots 2
is "$(field '.screenshots[0].reason')" close "the last screenshot has the reason close"
api GET "$S/$u"
is "$(field .session.terminal_reason)" closed_by_creator "the session is closed and not failed"
none() { [ -z "$(world_runners)" ]; }
ok "no runner is left after the session" world_until 10 none
is "$(pgrep -fc 'headless-shell' || :)" 0 "no browser is left after the session"

# ---- routes, and the host's dry run ----
r=$(sql "SELECT uuid FROM egress_route WHERE country = 'GB'")
ctl --json routes probe --target site.surfaced-check.net:80 "$r" >"$W/out"
is "$? $(jq -r .route.answered "$W/out")" "0 true" "the probe of a working route succeeds"
ctl --json routes add --kind socks5 --host 93.184.216.34 --port 9 FR >"$W/out"
f=$(jq -r .route.uuid "$W/out")
ctl --json routes probe --target site.surfaced-check.net:80 "$f" >"$W/out"
is "$? $(jq -r '.route.answered, .route.why != null' "$W/out" | tr '\n' ' ')" "1 false true " \
	"the probe of a broken route fails with a reason"
api GET "$S/capabilities"
is "$(field '[.capabilities.egress_countries[].code]|tojson')" '["DE","GB"]' \
	"the capabilities omit the country of a broken route"
ctl browser-check --etc "$W/etc" >"$W/out" 2>&1
is "$?" 0 "browser-check exits with 0 on a good host" || diag "$(cat "$W/out")"
unlike "$(cat "$W/out")" '^failed' "browser-check reports no failed check"
told()
{
	[ "$(sql "SELECT coalesce((SELECT value FROM metric WHERE series = s), 0) + coalesce((SELECT sum(step) FROM metric_step WHERE series = s), 0) > 0
		FROM (SELECT 'surfaced_egress_connections_total{event=\"connected\"}' AS s) AS v")" = t ]
}
ok "the metrics count the connections of egress" world_until 20 told
is "$(sql "SELECT sum(step) > 0 FROM metric_step WHERE series = 'surfaced_session_start_seconds_count'")" t \
	"the metrics count the start of the session"
