#!/bin/sh
# SPDX-License-Identifier: ISC
# The viewer in Chromium: typing, clicking and scrolling reach the page; messages of the browser are shown.
. t/lib.sh
. t/helper/viewing/start.sh
viewer_test use.mjs
