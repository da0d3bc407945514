#!/bin/sh
# SPDX-License-Identifier: ISC
# Accessibility of the viewer: keyboard alone, axe, light and dark colours; the text of every kind of end.
. t/lib.sh
. t/helper/viewing/start.sh
viewer_test access.mjs
