#!/bin/sh
# SPDX-License-Identifier: ISC
# What the console's search makes of texts, without a page: queries, completion, repair, commands for sh, CSV, the map.
exec node t/helper/console/texts.mjs
