#!/bin/sh
# SPDX-License-Identifier: ISC
# Browser sessions in the console, with a real runner, Chromium and sites: start one, watch it live, close it, read its evidence and
# play it back, without a key (C-353).
# shellcheck disable=SC2089,SC2090 # JSON
SITES='{"names": {"*.surfaced-check.net": {"A": ["93.184.216.34"]}}, "pages": {
	"site.surfaced-check.net/": {"headers": {"Content-Type": "text/html; charset=utf-8"},
		"body": "<!doctype html><title>&lt;img src=x onerror=alert(1)&gt; &#8238;evil</title><body style=\"background:#0a8040\"><img src=/missing.png><script>addEventListener(\"click\", () => fetch(\"/late?clicked\")); setTimeout(() => fetch(\"/late?q=%3Cscript%3E\"), 200)</script>hello"},
	"site.surfaced-check.net/late": {"headers": {"Content-Type": "text/plain"}, "body": "late"}}}'
# shellcheck disable=SC2090 # as above
export SITES
if [ -z "${BROWSER_WORLD-}" ]; then
	MODULES=$(t/helper/npm) && export MODULES && exec t/helper/browser-world "$0" "$@"
	exit 1
fi
. t/lib.sh
. t/helper/console/start.sh
console_world
stream_start
browser_start
ANN=$(invitation owner ann@example.com Ann)
BOB=$(invitation member bob@example.com Bob)
export ANN BOB
export HOME="$W/tmp"
console_test sessions.mjs
is "$(grep -lE 'eyJ|surfaced\.stream\.v1' "$W"/log/*.log)" "" "no log contains a ticket of the console (C-109, C-220)"
