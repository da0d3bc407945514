#!/bin/sh
# SPDX-License-Identifier: ISC
# The short form of t/bench/aggregate: every engine present gives the same counts, and the figures end with RATIO
# lines. Other engines are no build dependency: a missing one is named and left out.
top=$(cd "$(dirname "$0")/../.." && pwd)
dir=$(mktemp -d /tmp/8900.XXXXXX)
trap 'rm -rf "$dir"' EXIT

n=0
ok()
{
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

"$top/t/bench/aggregate" --hosts 3000 --runs 3 >"$dir/out" 2>"$dir/err"
rc=$?
[ $rc -eq 0 ] || sed 's/^/# /' "$dir/err"
sed 's/^/# /' "$dir/out"
ok $rc "t/bench/aggregate succeeds in its short form"

! grep -q '^DIFFERENT' "$dir/out"
ok $? "every engine gives the same counts"

grep -q '^our time in ms' "$dir/out"
ok $? "the benchmark shows the share of nginx, FastCGI and JSON"

rivals=$(grep -c '^\(ClickHouse\|DuckDB\) .* loaded' "$dir/out")
ratios=$(grep -cE '^RATIO [a-z-]+ [a-z]+ [0-9.]+$' "$dir/out")
[ "$ratios" -eq $((8 * rivals)) ]
ok $? "the benchmark prints a ratio for each query and engine (C-425)"

[ "$(grep -cE '^SERVER [a-z-]+ [a-z]+ [0-9.]+$' "$dir/out")" -eq $((8 * rivals)) ]
ok $? "the benchmark prints a ratio of server times for each query and engine (C-425)"

[ "$(grep -cE '^ENGINE [a-z-]+ [a-z]+ [0-9.]+$' "$dir/out")" -eq $((8 * rivals)) ]
ok $? "the benchmark prints a ratio of the engines alone for each query and engine"

[ "$((rivals + $(grep -c '^SKIP ' "$dir/out")))" -eq 3 ]
ok $? "each of the three other engines is measured or named as missing (C-425)"

grep -qE '^page of 100 hosts( +[0-9.]+){3}' "$dir/out" && grep -qE '^look-up( +[0-9.]+){3}' "$dir/out"
ok $? "the benchmark measures a page and a look-up beside PostgreSQL"

"$top/t/helper/hostgen" --hosts 20000 >"$dir/hosts"
bytes=$("$top/t/bench/engine" -f "$dir/hosts" -b -d "$dir/index" | sed -n 's/^\([0-9]*\)\.[0-9]* bytes a host$/\1/p')
[ "${bytes:-301}" -le 300 ]
ok $? "the index of 20,000 generated hosts takes at most 300 bytes a host (C-423)"

echo "1..$n"
