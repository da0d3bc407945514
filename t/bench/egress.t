#!/bin/sh
# SPDX-License-Identifier: ISC
# The short form of t/bench/egress succeeds and prints its figures.
cd "$(dirname "$0")/../.." || exit 1
unshare -Urnm true 2>/dev/null || {
	echo "1..0 # SKIP this machine forbids user namespaces"
	exit 0
}
out=$(MB=64 RUNS=1 t/bench/egress 2>&1)
rc=$?
printf '%s\n' "$out" | sed 's/^/# /'
[ "$rc" -eq 0 ] && [ "$(printf '%s\n' "$out" | grep -cE ' [0-9]+ +[0-9]+ +[0-9]+\.[0-9][0-9]')" -eq 4 ] || printf 'not '
echo "ok 1 - t/bench/egress prints four figures, directly and through egress"
echo 1..1
