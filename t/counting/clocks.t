#!/bin/sh
# SPDX-License-Identifier: ISC
# Clocks that step by an hour, a day and over a month's end, of the workers, of surfaced-meter and of PostgreSQL: no
# wait is longer than its window (C-067), no unit of a quota is lost or counted twice, no key is locked out.
. t/lib.sh
whole_day
pg_start
clocks_can_step || skip_all "no faketime, or a sanitizer that wants to be loaded first"

WINDOW=3600 RATE=3 QUOTA=10

for name in pg surfaced-meter surfaced; do
	clock $name 0
done
pg_follows pg || exit 1
WORLD_ENV=$(clock_env surfaced-meter)
world_meter_start
WORLD_ENV=$(clock_env surfaced)
api_start
WORLD_ENV=
web_start

# ask N KEY: N requests with the key; their statuses and waits are added to the file W/answers.
ask()
{
	for _i in $(seq "$1"); do
		# shellcheck disable=SC2086 # CURL is a list of options
		curl -sS $CURL -o /dev/null -w '%{http_code} %header{retry-after}\n' -H "X-API-Key: $2" \
			"$BASE_URL/search/schemas" >>"$W/answers"
	done
}

answers()
{
	cut -d' ' -f1 "$W/answers" | tally
}

longest_wait()
{
	cut -d' ' -f2 "$W/answers" | sort -n | tail -1
}

# step NAME SECONDS: the clock of one program steps, and steps back.
step()
{
	clock "$1" "$2"
	[ "$1" != pg ] || world_until 10 quota_clock_is_at "$2" || fail "the quota's clock follows PostgreSQL's"
}

# A key with a rate of three: the fourth request is refused whatever the clocks do, for one window at most.
rate_holds()
{
	: >"$W/answers"
	_key=$(accounts_new 1 1000 $RATE)
	sql "UPDATE api_key SET rate_window = $WINDOW WHERE prefix = left('$_key', 12)"
	ask 2 "$_key"
	step "$1" "$2"
	ask 2 "$_key"
	step "$1" 0
	ask 2 "$_key"
	is "$(answers)" "3 200 3 429" "$1 by $2 s: three of six requests pass a rate of three"
	ok "$1 by $2 s: the longest wait, $(longest_wait) s, is within the window" test "$(longest_wait)" -le $WINDOW
}

# Of sixteen requests with a quota of ten, ten pass; a clock of PostgreSQL that passes a month's end has two quotas.
quota_holds()
{
	: >"$W/answers"
	_key=$(accounts_new 1 $QUOTA 1000)
	ask 6 "$_key"
	step "$1" "$2"
	ask 6 "$_key"
	step "$1" 0
	ask 4 "$_key"
	_good=$(grep -c '^200' "$W/answers")
	_of="JOIN api_key k ON k.account_uuid = q.owner_uuid WHERE k.prefix = left('$_key', 12)"
	world_until 20 stored "$_good" "SELECT sum(used) FROM quota_used q $_of" ||
		diag "$(sql "SELECT q.* FROM quota_used q $_of")"
	# Quotas and usage are stored one after the other.
	world_until 20 stored "$_good" "SELECT sum(requests) FROM usage_daily u JOIN api_key k ON k.uuid = u.key_uuid
		WHERE k.prefix = left('$_key', 12)" || true
	is "$(sql "SELECT sum(used), max(used) <= $QUOTA, (SELECT sum(requests) FROM usage_daily u WHERE u.key_uuid = k.uuid)
		FROM quota_used q $_of GROUP BY k.uuid")" "$_good|t|$_good" "$1 by $2 s: every answer is counted once ($_good)"
	is "$(answers)" "$3" "$1 by $2 s: a quota of ten"
}

stored()
{
	[ "$(sql "$2")" = "$1" ]
}

now=$(date +%s)
next_month=$(($(date -u -d "$(date -u +%Y-%m-01) 1 month" +%s) + 3600 - now))
last_month=$(($(date -u -d "$(date -u +%Y-%m-01)" +%s) - 3600 - now))
for seconds in 3600 -3600 86400 -86400 "$next_month" "$last_month"; do
	for name in surfaced surfaced-meter pg; do
		rate_holds $name "$seconds"
		case $name.$seconds in
		pg."$next_month" | pg."$last_month") quota_holds $name "$seconds" "16 200" ;;
		*) quota_holds $name "$seconds" "10 200 6 429" ;;
		esac
	done
done
