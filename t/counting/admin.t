#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl: limits, usage, rotation; every worker refuses a revoked key (1304 tests how soon).
. t/lib.sh
WORLD_SEARCH_WORKERS=4
pg_start
api_start
web_start
K=$(echo "$KEY" | cut -c1-12)

tool()
{
	ctl "$@" >"$W/out" 2>"$W/err"
	_rc=$?
	diag_out=$(tr '\n' ' ' <"$W/out" | tr -s ' ')
	return $_rc
}

refused()
{
	tool "$@"
	is "$?" 2 "surfacectl exits with status 2 after wrong usage: $*"
}

ok "surfacectl sets the rate of a key" tool limits set --key "$K" --rate 7 --window 5
is "$(ctl --json limits show --key "$K" | jq -c '.limits | [.prefix, .rate, .rate_window, .own]')" "[\"$K\",7,5,true]" \
	"surfacectl shows the rate of a key as its own"
ok "surfacectl resets the rate of a key to the default" \
	tool limits set --key "$K" --rate default --window default
is "$(ctl --json limits show --key "$K" | jq -c '.limits | [.rate, .rate_window, .own]')" "[1000000000,60,false]" \
	"surfacectl shows the default rate after the reset"
ok "surfacectl sets the default rate" tool limits set --rate 100000
is "$(ctl --json limits show --key "$K" | jq .limits.rate)" 100000 \
	"the default rate applies to a key without its own"
tool limits set --account Example --quota 5000 --search-rate 9000 --search-window 10
is "$(ctl --json limits show --account "$ACCOUNT" | jq -c '.limits | [.quota, .search_rate, .search_window]')" "[5000,9000,10]" \
	"surfacectl sets quota and search rate of an account"
ctl groups create Both >/dev/null
tool limits set --group Both --quota 77
like "$diag_out" 'quota 77 used 0 own yes' "surfacectl shows the quota of a group as its own"
refused limits set --key "$K" --quota 5
refused limits set --group Both --rate 5
refused limits set --rate default
refused limits set --key "$K" --rate -1
refused limits show --key "$K" --group Both
refused usage days
tool limits set --key "$K" --rate 0
is "$?" 1 "the database refuses a rate of 0"
tool limits set --key sfk_00000000 --rate 5
is "$?" 3 "surfacectl exits with status 3 for an unknown key"
is "$(sql "SELECT count(*) FROM audit WHERE action = 'meter_default.change'")" 2 \
	"the audit has an entry for each change of the defaults"

for _ in 1 2 3; do api GET /search/schemas; done
flushed
is "$(ctl --json usage days --key "$K" --days 7 | jq -c '.days | [length, .[-1].requests]')" "[7,3]" \
	"surfacectl shows the daily usage of a key"
is "$(ctl usage days --account Example --days 2 | awk 'NR == 3 { print $2 }')" 3 \
	"surfacectl shows the daily usage of an account as a table"
like "$(ctl usage days --key "$K" --days 2 --chart | tail -1)" ' 3 #{54}$' \
	"surfacectl shows the daily usage of a key as a bar chart"
is "$(ctl --json usage months --account Example | jq -c '.months | map([.used, .limit])')" "[[3,5000]]" \
	"surfacectl shows the monthly usage of an account"

# Every worker learns of rotations and revocations.
works()
{
	api GET /search/schemas
	[ "$STATUS" = 200 ]
}
all_refuse()
{
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
		! works || return 1
	done
}
old=$KEY
new=$(ctl --json keys rotate --until 1h "$K" | jq -r .key.key)
key=$new
ok "a key made by rotation works" world_until 10 works
key=$old
ok "the old key works until the time given to the rotation" world_until 10 works
key=$new
N=$(echo "$new" | cut -c1-12)
next=$(ctl --json keys rotate "$N" | jq -r .key.key)
ok "the old key stops after a rotation without --until" world_until 60 all_refuse
is "$STATUS" 401 "the old key gets 401 after a rotation (C-003)"
key=$next
ok "the key made by the second rotation works" world_until 10 works
tool keys rotate "$N"
is "$?" 3 "surfacectl refuses to rotate a revoked key"
for _ in 1 2 3 4 5 6 7 8; do works; done
ctl keys revoke "$(echo "$next" | cut -c1-12)" >/dev/null
ok "every worker refuses a revoked key" world_until 60 all_refuse

# bounds LOW HIGH WHOSE... OPTION: both ends can be set, and a value beyond is refused with a message.
bounds()
{
	low=$1 high=$2
	shift 2
	tool limits set "$@" "$low" && tool limits set "$@" "$high"
	is "$?" 0 "$* accepts the values $low and $high"
	[ "$low" -eq 0 ] || ! tool limits set "$@" $((low - 1)) || fail "$* accepts a value below $low"
	tool limits set "$@" $((high + 1))
	is "$? $(sed 's/^surfacectl: [^:]*: a[a-z ]* is [0-9]* to [0-9]* .*/said/' "$W/err")" "1 said" \
		"$* refuses a value above $high with a message"
}
# shellcheck disable=SC2086 # an option and its value
for whose in "--key $K" ""; do
	bounds 1 1000000000 $whose --rate
	bounds 1 86400 $whose --window
done
# shellcheck disable=SC2086 # an option and its value
for whose in "--account Example" ""; do
	bounds 1 1000000000 $whose --search-rate
	bounds 1 86400 $whose --search-window
	bounds 0 4000000000 $whose --quota
done
bounds 0 4000000000 --group Both --quota
bounds 0 4000000000 --group-quota
