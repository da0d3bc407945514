#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl: limits, usage, rotation; a revoked key stops on every worker (how soon: 1304).
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
	is "$?" 2 "wrong usage: $*"
}

ok "a key's rate" tool limits set --key "$K" --rate 7 --window 5
is "$(ctl --json limits show --key "$K" | jq -c '.limits | [.prefix, .rate, .rate_window, .own]')" "[\"$K\",7,5,true]" "is shown"
ok "taken back" tool limits set --key "$K" --rate default --window default
is "$(ctl --json limits show --key "$K" | jq -c '.limits | [.rate, .rate_window, .own]')" "[1000000000,60,false]" "the default again"
ok "the defaults" tool limits set --rate 100000
is "$(ctl --json limits show --key "$K" | jq .limits.rate)" 100000 "are those of every key without its own"
tool limits set --account Example --quota 5000 --search-rate 9000 --search-window 10
is "$(ctl --json limits show --account "$ACCOUNT" | jq -c '.limits | [.quota, .search_rate, .search_window]')" "[5000,9000,10]" \
	"an account's"
ctl groups create Both >/dev/null
tool limits set --group Both --quota 77
like "$diag_out" 'quota 77 used 0 own yes' "a group's"
refused limits set --key "$K" --quota 5
refused limits set --group Both --rate 5
refused limits set --rate default
refused limits set --key "$K" --rate -1
refused limits show --key "$K" --group Both
refused usage days
tool limits set --key "$K" --rate 0
is "$?" 1 "the database refuses what cannot be"
tool limits set --key sfk_00000000 --rate 5
is "$?" 3 "no such key"
is "$(sql "SELECT count(*) FROM audit WHERE action = 'meter_default.change'")" 2 "defaults leave their line in the audit"

for _ in 1 2 3; do api GET /search/schemas; done
flushed
is "$(ctl --json usage days --key "$K" --days 7 | jq -c '.days | [length, .[-1].requests]')" "[7,3]" "usage of a key"
is "$(ctl usage days --account Example --days 2 | awk 'NR == 3 { print $2 }')" 3 "of an account, as a table"
like "$(ctl usage days --key "$K" --days 2 --chart | tail -1)" ' 3 #{54}$' "as bars"
is "$(ctl --json usage months --account Example | jq -c '.months | map([.used, .limit])')" "[[3,5000]]" "by month"

# Rotation and revocation, seen by every worker.
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
ok "the new key works" world_until 10 works
key=$old
ok "and the old one, until then" world_until 10 works
key=$new
N=$(echo "$new" | cut -c1-12)
next=$(ctl --json keys rotate "$N" | jq -r .key.key)
ok "rotated at once: the old one stops" world_until 60 all_refuse
is "$STATUS" 401 "with 401 (C-003)"
key=$next
ok "the next one works" world_until 10 works
tool keys rotate "$N"
is "$?" 3 "a revoked key is not rotated"
for _ in 1 2 3 4 5 6 7 8; do works; done
ctl keys revoke "$(echo "$next" | cut -c1-12)" >/dev/null
ok "revoked: every worker refuses" world_until 60 all_refuse

# bounds LOW HIGH WHOSE... OPTION: both can be set, and what is beyond is refused in words.
bounds()
{
	low=$1 high=$2
	shift 2
	tool limits set "$@" "$low" && tool limits set "$@" "$high"
	is "$?" 0 "$* is $low to $high"
	[ "$low" -eq 0 ] || ! tool limits set "$@" $((low - 1)) || fail "$* can be less"
	tool limits set "$@" $((high + 1))
	is "$? $(sed 's/^surfacectl: [^:]*: a[a-z ]* is [0-9]* to [0-9]* .*/said/' "$W/err")" "1 said" "... and nothing else"
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
