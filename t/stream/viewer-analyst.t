#!/bin/sh
# SPDX-License-Identifier: ISC
# The viewer as an analyst needs it: the past of the session, rows that open as a whole, pages that cannot be loaded,
# a splitter, actual size, small windows, connections that die silently, forced colours. SHOW=DIR keeps pictures.
if [ -z "${LOOPBACK-}" ]; then
	MODULES=$(t/helper/npm) && export MODULES && exec t/helper/loopback "$0" "$@"
	exit 1
fi
. t/lib.sh
. t/helper/viewing/start.sh
viewer_test analyst.mjs
