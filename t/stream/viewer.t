#!/bin/sh
# SPDX-License-Identifier: ISC
# The viewer in Chromium: what is typed, clicked and scrolled arrives; what the browser says is shown.
. t/lib.sh
. t/helper/viewing/start.sh
viewer_test use.mjs
