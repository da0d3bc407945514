#!/bin/sh
# SPDX-License-Identifier: ISC
# The console as its people use it: links, signing in and out, a session that ends under a page, several tabs.
[ -n "${MODULES-}" ] || { MODULES=$(t/helper/npm) && export MODULES || exit 1; }
. t/lib.sh
. t/helper/console/start.sh
console_world
other=$(ctl --json accounts create --entitlement search Other | jq -r .account.uuid)
ANN=$(invitation owner ann@example.com Ann)
ANN_OTHER=$(invitation member ann@example.com Ann "$other")
BOB=$(invitation member bob@example.com Bob)
export ANN ANN_OTHER BOB
console_test people.mjs
