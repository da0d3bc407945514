#!/bin/sh
# SPDX-License-Identifier: ISC
# The viewer as an analyst needs it: the past of the session, rows that open as a whole, pages that cannot be loaded,
# a splitter, actual size, small windows, connections that die silently, forced colours. SHOW=DIR keeps pictures.
. t/lib.sh
. t/helper/viewing/start.sh
viewer_test analyst.mjs
