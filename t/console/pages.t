#!/bin/sh
# SPDX-License-Identifier: ISC
# Each page of the console, full, empty, loading and failed: axe, widths, and the keyboard.
[ -n "${MODULES-}" ] || { MODULES=$(t/helper/npm) && export MODULES || exit 1; }
. t/lib.sh
. t/helper/console/start.sh
console_world
project_world
ANN=$(invitation owner ann@example.com Ann)
export ANN
console_test pages.mjs
