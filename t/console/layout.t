#!/bin/sh
# SPDX-License-Identifier: ISC
# Every page of the console at a zoom of 200 % (C-343), and what moves while it is read.
[ -n "${MODULES-}" ] || { MODULES=$(t/helper/npm) && export MODULES || exit 1; }
. t/lib.sh
. t/helper/console/start.sh
console_world
project_world
"$BUILD/t/helper/hostgen" --hosts 300 --seed 7 | ctl import hosts - >/dev/null
datasets
hosts_wait 300
HOST=$(key=$KEY api GET '/search/hosts?q=services.port:443&limit=1' && field '.hosts[0].ip')
ANN=$(invitation owner ann@example.com Ann)
export ANN HOST
console_test layout.mjs
