#!/bin/sh
# SPDX-License-Identifier: ISC
# Every numbered check of the contract is cited by an assertion.
cd "$(dirname "$0")/../.." || exit 1

# C-001 to C-083: transport, authentication, aggregate, query strings, errors, rates, quotas, usage, silences.
# C-084 to C-114: browser sessions, their evidence, the live stream.
# C-115 to C-119: the external surface. C-120 to C-122: general.
finished="$(seq 1 122)"
cited=$(grep -rhoIE '^[^#]*C-[0-9]+.*' t --include='*.t' --include='*.c' --include='*.tsv' --include='*.py' |
	grep -vE '^[[:space:]]*(\*|//)' | grep -oE 'C-[0-9]+' | sed 's/C-0*//' | sort -un)
n=0
for number in $finished; do
	n=$((n + 1))
	if printf '%s\n' "$cited" | grep -qx "$number"; then
		echo "ok $n - $(printf 'C-%03d' "$number") has an assertion"
	else
		echo "not ok $n - $(printf 'C-%03d' "$number") has no assertion"
	fi
done
echo "1..$n"
