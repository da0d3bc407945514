#!/bin/sh
# SPDX-License-Identifier: ISC
# The short form of t/bench/alert: every rule evaluates the changed findings, twice.
top=$(cd "$(dirname "$0")/../.." && pwd)
out=$(PATIENCE=100 "$top/t/bench/alert" 40 400 4)
rc=$?
printf '%s\n' "$out" | sed 's/^/# /'
n=0
ok()
{
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}
ok $rc "t/bench/alert succeeds in its short form"
printf '%s\n' "$out" | grep -qE '^JUDGED 400 changes 40 rules 4 projects [0-9]+ ms [0-9]+ a second, [1-9][0-9]* alerts$'
ok $? "the benchmark evaluates 400 changes and raises alerts"
printf '%s\n' "$out" | grep -qE '^CLOSED 200 changes [0-9]+ ms, [1-9][0-9]* closed$'
ok $? "the benchmark closes alerts that no longer match"
echo "1..$n"
