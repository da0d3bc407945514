#!/bin/sh
# SPDX-License-Identifier: ISC
# The viewer for everybody: by keyboard alone, before axe, in the light and the dark; and every end in words.
. t/lib.sh
. t/helper/viewing/start.sh
viewer_test access.mjs
