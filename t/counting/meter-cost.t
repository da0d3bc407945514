#!/bin/sh
# SPDX-License-Identifier: ISC
# Rates, quotas and metrics add at most 4 % to the instructions of a request; 1 % of this is the
# journal that keeps usage exact when a worker is killed.
cd "$(dirname "$0")/../.." || exit 1
command -v valgrind >/dev/null || {
	echo "1..0 # SKIP no valgrind"
	exit 0
}
if nm -D "${TOP_BUILDDIR:-.}/surfaced" | grep -q __asan; then
	echo "1..0 # SKIP valgrind and a sanitizer exclude each other"
	exit 0
fi
figures=$(t/bench/meter 100) || exit 1
if [ "$(echo "${figures##* } <= 4" | bc)" = 1 ]; then
	echo "ok 1 - rates, quotas and metrics cost at most 4 % of a request: $figures"
else
	echo "not ok 1 - rates, quotas and metrics cost at most 4 % of a request: $figures"
fi
echo "1..1"
