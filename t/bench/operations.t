#!/bin/sh
# SPDX-License-Identifier: ISC
# The short form of t/bench/requests: every operation is measured against the empty FastCGI program.
top=$(cd "$(dirname "$0")/../.." && pwd)
out=$(mktemp)
trap 'rm -f "$out"' EXIT

"$top/t/bench/requests" --hosts 100 --runs 1 --ms 500 >"$out" 2>&1
rc=$?
sed 's/^/# /' "$out"
[ $rc -eq 0 ] && echo "ok 1 - t/bench/requests runs in its short form" || echo "not ok 1 - t/bench/requests runs in its short form"
ratios=$(grep -cE '^RATIO [a-z0-9-]+ [0-9.]*[1-9][0-9.]*/s [0-9.]+ tls [0-9.]*[1-9][0-9.]*/s [0-9.]+$' "$out")
[ "$ratios" -eq 9 ] && echo "ok 2 - each of the nine operations has a ratio without and with TLS" || echo "not ok 2 - each of the nine operations has a ratio without and with TLS"
echo "1..2"
