#!/bin/sh
# SPDX-License-Identifier: ISC
# The console's search and the pages of records: completion, repair, facets, map, ports, exports, hostile data.
[ -n "${MODULES-}" ] || { MODULES=$(t/helper/npm) && export MODULES || exit 1; }
. t/lib.sh
. t/helper/console/start.sh
HOSTS=2999 # and one more, below
console_world
export_start
"$BUILD/t/helper/hostgen" --hosts "$HOSTS" --seed 7 | ctl import hosts - >/dev/null
datasets
/usr/bin/python3 t/helper/console/hostile.py | ctl import hosts - >/dev/null
hosts_wait $((HOSTS + 1))
ANN=$(invitation owner ann@example.com Ann)
export ANN KEY CACERT
console_test search.mjs
