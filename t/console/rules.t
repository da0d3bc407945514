#!/bin/sh
# SPDX-License-Identifier: ISC
# The page of detection rules with surfaced-detect: the switch of a rule, its open findings, and what the drawer says while a
# rule is evaluated.
[ -n "${MODULES-}" ] || { MODULES=$(t/helper/npm) && export MODULES || exit 1; }
. t/lib.sh
. t/helper/detect.sh
. t/helper/console/start.sh
console_world
ctl rules load src/detect/rules >/dev/null
detect_start
printf '{"kind":"address","name":"192.0.2.%s"}\n' 7 8 | ctl import assets --project "$P" - >/dev/null 2>&1
redis='{"port":6379,"transport":"tcp","product":"Redis","version":"7.2.4"}'
detect_host 192.0.2.7 2026-11-20T00:00:00Z "$redis"
detect_host 192.0.2.8 2026-11-20T00:00:00Z "$redis"
detect_idle
hosts_wait 2
ANN=$(invitation owner ann@example.com Ann)
BOB=$(invitation member bob@example.com Bob)
export ANN BOB
console_test rules.mjs
