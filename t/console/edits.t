#!/bin/sh
# SPDX-License-Identifier: ISC
# Every form of the console that changes a record: it is opened and saved without a change, and the API takes what it sends.
[ -n "${MODULES-}" ] || { MODULES=$(t/helper/npm) && export MODULES || exit 1; }
. t/lib.sh
. t/helper/hooks.sh
. t/helper/console/start.sh
console_world
hooks_start
project_world
hooks_rule "$(hook ok)" >/dev/null
ctl rules load src/detect/rules >/dev/null
ANN=$(invitation owner ann@example.com Ann)
BOB=$(invitation member bob@example.com Bob)
export ANN BOB
# Each is a form that this script saves, but for the switch and the settings of a rule, which t/console/rules.t saves.
is "$(grep -o 'api\.put(' -r nginx/html/console | wc -l)" 15 "the console has fifteen requests that replace a record"
console_test edits.mjs
