#!/bin/sh
# SPDX-License-Identifier: ISC
# The short form of t/bench/browser succeeds and prints the figures of both sides.
exec "$(dirname "$0")/../bench/browser" --sessions 2 --several 1 --seconds 2
