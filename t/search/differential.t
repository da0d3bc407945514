#!/bin/sh
# SPDX-License-Identifier: ISC
# The index is exact: random queries of the grammar, each with six facets, are compared with plain SQL over the
# stored documents (C-041 to C-049); changed and added hosts are in segments of their own. t/bench/differential
# does the same with a million hosts.
. t/lib.sh
world_start

generate()
{
	"$BUILD/t/helper/hostgen" "$@"
}

generate --hosts 3000 | ctl import hosts --quiet - || exit 1
hosts_wait 3000
# 200 of the next 600 hosts are known and change, 400 are new.
generate --start 2800 --hosts 600 | sed 's/"os":"[^"]*"/"os":"Plan 9"/; s/"city":"/&New /' |
	ctl import hosts --quiet - || exit 1
hosts_wait 3400
export DIR="$W"
world_env
PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 t/helper/differential.py "$W" --queries 400 --seed "${SEED:-1}" \
	>"$W/table.out" 2>&1
relay "$W/table.out"
is "$(grep -cE '^ok ' "$W/table.out")" 400 "every query was compared with SQL"
like "$(tail -1 "$W/log/surfaced-index.log")" 'segments=[2-9]' "the index has more than one segment"
