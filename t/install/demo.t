#!/bin/sh
# SPDX-License-Identifier: ISC
# make demo: the commands that it shows work, also those for browsers, in an Internet of the test's own.
# shellcheck disable=SC2089,SC2090 # JSON
SITES='{"names": {"example.com": {"A": ["93.184.216.34"]}}}'
export SITES
[ -n "${BROWSER_WORLD-}" ] || exec t/helper/browser-world "$0" "$@"
. t/lib.sh
world
dir=$W/demo
trap 't/instance stop "$dir" >/dev/null 2>&1 || :; lib_exit' EXIT
DEMO_DIR=$dir DEMO_HOSTS=300 t/helper/demo >"$W/shown" 2>"$W/err"
is "$?" 0 "t/helper/demo exits with status 0"
[ -f "$dir/env" ] || diag "$(cat "$W/err" "$W/shown")"
like "$(cat "$W/shown")" '^  .*"label":"AS' "the demo shows an aggregation with labels"
like "$(cat "$W/shown")" 'did you mean "country"' "the demo shows the explanation of a mistake"
like "$(sed -n '/^# The names of self-signed/,/^# Alert/p' "$W/shown")" '^  \{"ip":"[0-9.]+".*"matched_services"' \
	"the demo shows that the name of a certificate leads to a host"
like "$(sed -n '/^# The history of the host/,/^# A threat/p' "$W/shown")" '^  \{"kind":"service_changed".*"after":\{"http":\{"title":"Maintenance"\}\}\}' \
	"the demo shows the change of a host's title in its history"
like "$(sed -n '/^# The history of the host/,/^# A threat/p' "$W/shown")" '^  \{"kind":"service_added","port":2222' \
	"the demo shows a new service of a host in its history"
like "$(sed -n '/^# The hosts that they find/,/^# Alert/p' "$W/shown")" '^  \{"ip":"[0-9.]+".*"country_code"' \
	"the demo shows that a search of a report finds a host"
for kind in dangling_dns typosquatting sensitive_file ai_surface exposed_service; do
	like "$(sed -n '/^# ... and findings/,/^# Why/p' "$W/shown")" "\"finding_type\":\"$kind\"" \
		"the demo shows a finding of the type $kind"
done
like "$(sed -n '/^# surfaced-detect has made/,/^# ... and/p' "$W/shown")" '"kind":"address","name":"192.0.2.10"' \
	"the demo shows an asset that the inventory found below its seed"
like "$(sed -n '/^# The dashboard/,/^# Browse/p' "$W/shown")" '^  \{"exposure":[1-9]' \
	"the demo shows a dashboard with an exposure score"
like "$(cat "$W/shown")" '^  .*"state":"silenced","attempts":0' \
	"the demo shows an alert that a silence suppresses"
is "$(sed -n '/^# All hosts as a file/,/^# DNS/p' "$W/shown" | grep -oE '^  [0-9a-f]{64} ' | uniq -c | tr -s ' ' | cut -d' ' -f2)" 2 \
	"the demo shows an export whose file has the SHA-256 of the API"
is "$(grep -cvE '^demo: starting|read, 300 new' "$W/err")" 0 \
	"the demo prints nothing unexpected to standard error"

like "$(cat "$W/shown")" '^https://localhost:[0-9]+/console/#/link/[A-Za-z0-9_-]{43}$' \
	"the demo ends with a link by which an owner enters the console"

# The commands below the heading Browse are pasted; the explanations are indented.
sed -n '/^# Browse/,/^The web console/{/^#/d;/^The web console/d;/^  [a-z/].*\.$/d;/^  prints/d;/^  \//d;p}' "$W/shown" >"$W/pasted"
sed -i "s|> session.har|> $W/session.har|" "$W/pasted"
sh -c '. "$1" && . "$2"' sh "$dir/env" "$W/pasted" >"$W/out" 2>&1
diag "$(cat "$W/pasted" "$W/out")"
like "$(sed -n 1p "$W/out")" '"code":"DE"' "the pasted commands list the countries of browsers"
like "$(cat "$W/out")" '^https://localhost:[0-9]+/viewer/#[0-9a-f-]+/[0-9a-f-]+/surfaced' \
	"the pasted commands print a link to the viewer"
like "$(tail -1 "$W/out")" '^(closing|terminal)$' "the pasted commands close the session"
ok "the pasted commands write a valid HAR file" jq -e .log.version "$W/session.har"

DEMO_DIR=$dir DEMO_HOSTS=10 t/helper/demo >"$W/again" 2>&1
is "$?" 0 "a second demo replaces the first one"
