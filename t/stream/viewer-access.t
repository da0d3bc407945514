#!/bin/sh
# SPDX-License-Identifier: ISC
# Accessibility of the viewer: keyboard alone, axe, light and dark colours; the text of every kind of end.
if [ -z "${LOOPBACK-}" ]; then
	MODULES=$(t/helper/npm) && export MODULES && exec t/helper/loopback "$0" "$@"
	exit 1
fi
. t/lib.sh
. t/helper/viewing/start.sh
viewer_test access.mjs
