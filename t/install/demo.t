#!/bin/sh
# SPDX-License-Identifier: ISC
# make demo: what it shows works, and so does what it says of browsers, in an Internet of the test's own.
# shellcheck disable=SC2089,SC2090 # JSON
SITES='{"names": {"example.com": {"A": ["93.184.216.34"]}}}'
export SITES
[ -n "${BROWSER_WORLD-}" ] || exec t/helper/browser-world "$0" "$@"
. t/lib.sh
world
dir=$W/demo
trap 't/instance stop "$dir" >/dev/null 2>&1 || :; lib_exit' EXIT
DEMO_DIR=$dir DEMO_HOSTS=300 t/helper/demo >"$W/shown" 2>"$W/err"
is "$?" 0 "make demo"
[ -f "$dir/env" ] || diag "$(cat "$W/err" "$W/shown")"
like "$(cat "$W/shown")" '^  .*"label":"AS' "it counts"
like "$(cat "$W/shown")" 'did you mean "country"' "it explains a mistake"
like "$(cat "$W/shown")" '^  .*"state":"silenced","attempts":0' "a silence keeps an alert from being sent"
is "$(grep -cvE '^demo: starting|read, 300 new' "$W/err")" 0 "without noise"

# What stands behind the word Browse is pasted; what it explains is indented.
sed -n '/^# Browse/,/^It goes on/{/^#/d;/^It goes/d;/^  [a-z/].*\.$/d;/^  prints/d;/^  \//d;p}' "$W/shown" >"$W/pasted"
sed -i "s|> session.har|> $W/session.har|" "$W/pasted"
sh -c '. "$1" && . "$2"' sh "$dir/env" "$W/pasted" >"$W/out" 2>&1
diag "$(cat "$W/pasted" "$W/out")"
like "$(sed -n 1p "$W/out")" '"code":"DE"' "the countries"
like "$(cat "$W/out")" '^https://localhost:[0-9]+/viewer/#[0-9a-f-]+/[0-9a-f-]+/surfaced' "a link to the viewer"
like "$(tail -1 "$W/out")" '^(closing|terminal)$' "the session is closed"
ok "HAR" jq -e .log.version "$W/session.har"

DEMO_DIR=$dir DEMO_HOSTS=10 t/helper/demo >"$W/again" 2>&1
is "$?" 0 "again, in place of the one before"
