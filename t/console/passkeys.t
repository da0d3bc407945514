#!/bin/sh
# SPDX-License-Identifier: ISC
# Passkeys in a real browser with an authenticator of its own, and pages of other origins that try to act for somebody
# (C-313, C-318 to C-320, C-323).
[ -n "${MODULES-}" ] || { MODULES=$(t/helper/npm) && export MODULES || exit 1; }
. t/lib.sh
. t/helper/console/start.sh
console_world
ANN=$(invitation owner ann@example.com Ann)
export ANN
console_test passkeys.mjs
