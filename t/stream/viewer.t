#!/bin/sh
# SPDX-License-Identifier: ISC
# The viewer in Chromium: typing, clicking and scrolling reach the page; messages of the browser are shown.
if [ -z "${LOOPBACK-}" ]; then
	MODULES=$(t/helper/npm) && export MODULES && exec t/helper/loopback "$0" "$@"
	exit 1
fi
. t/lib.sh
. t/helper/viewing/start.sh
viewer_test use.mjs
