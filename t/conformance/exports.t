#!/bin/sh
# SPDX-License-Identifier: ISC
# An independent test of exports over TLS, t/conformance/exports.py: C-413 and C-414.
. t/lib.sh
world_start
export_start

for n in 1 2 3; do
	echo "{\"ip\":\"192.0.2.$n\",\"services\":[{\"port\":443,\"transport\":\"tcp\"}]}"
done | ctl import hosts - >/dev/null
hosts_wait 3
export DIR="$W"
world_env
{
	cat "$W/env"
	echo "KEY_SECOND=$(key_new --scope all)"
	echo "KEY_NONE=$(key_new --scope alerts.silences.view)"
} >"$W/exports.env"

PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 t/conformance/exports.py "$W/exports.env" >"$W/exports.out" 2>&1
is $? 0 "t/conformance/exports.py ran to its end"
relay "$W/exports.out"
like "$(tail -1 "$W/exports.out")" '^# [4-9][0-9] statements' "t/conformance/exports.py tested more than forty statements"
