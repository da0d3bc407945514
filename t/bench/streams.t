#!/bin/sh
# SPDX-License-Identifier: ISC
# The short form of t/bench/stream: streams open through the proxy, and it and nginx are measured.
top=$(cd "$(dirname "$0")/../.." && pwd)
out=$(mktemp)
trap 'rm -f "$out"' EXIT

"$top/t/bench/stream" 10 5 1 >"$out" 2>&1
rc=$?
sed 's/^/# /' "$out"
[ $rc -eq 0 ] && echo "ok 1 - t/bench/stream runs in its short form" || echo "not ok 1 - t/bench/stream runs in its short form"
rows=$(grep -cE '^# (surfaced-stream|nginx) +10 +5 +[0-9.]+ +[0-9]*[1-9][0-9]* ' "$out")
[ "$rows" -eq 2 ] && echo "ok 2 - the proxy and nginx have figures" || echo "not ok 2 - the proxy and nginx have figures"
echo "1..2"
