#!/bin/sh
# SPDX-License-Identifier: ISC
# Rates and quotas: each has its code, they apply in order, and only some requests count.
. t/lib.sh
whole_day
WORLD_WORKERS=4 WORLD_SEARCH_WORKERS=4
pg_start
api_start
web_start

# A fresh account, key and group for each case, so that earlier cases do not count.
case_new()
{
	N=$((${N:-0} + 1))
	G=$(ctl --json groups create "group $N" | jq -r .group.uuid)
	A=$(ctl --json accounts create --group "$G" "account $N" | jq -r .account.uuid)
	ctl members create --account "$A" --email "o$N@example.com" --owner Owner >/dev/null
	key=$(ctl --json keys create --account "$A" --name k --scope search.view | jq -r .key.key)
	K=$(echo "$key" | cut -c1-12)
}

set_limits()
{
	ctl limits set "$@" >/dev/null
}

code()
{
	api GET "$@"
	echo "$STATUS $(field .error.code)"
}

month_end()
{
	echo $(($(date -u -d "$(date -u +%Y-%m-01) +1 month" +%s) - $(date +%s)))
}

# wait_until COMMAND TITLE: Retry-After lies between what the command prints before and after the request.
wait_until()
{
	_before=$($1)
	api GET /search/schemas
	_wait=$(header Retry-After)
	ok "$2 ($_wait)" test "$_wait" -le "$_before" -a "$_wait" -ge "$($1)"
}

# stored WANTED SQL TITLE
stored()
{
	flushed
	is "$(sql "$2")" "$1" "$3"
}

calls()
{
	for _i in $(seq "$1"); do
		api GET /search/schemas
		printf '%s ' "$STATUS"
	done
}

case_new
set_limits --key "$K" --rate 3 --window 86400
first=$(date +%s)
is "$(calls 5)" "200 200 200 429 429 " "a rate of three refuses the fourth request"
api GET /search/schemas
is "$(field .error.code) $(field '.error | keys | join(" ")')" "api_key_rate_limit_exceeded code message request_id" \
	"the refusal of a rate has its code and the envelope of search (C-060, C-068)"
wait=$(header Retry-After)
ok "Retry-After of a rate is the end of its window, which began with the first request ($wait)" \
	test "$wait" -le 86400 -a "$wait" -ge $((first + 86400 - $(date +%s) - 1))
is "$(header RateLimit-Policy) $(header RateLimit | cut -d';' -f1-2)" '"key";q=3;w=86400 "key";r=0' \
	"the headers RateLimit show the exhausted rate (C-708)"
api GET /usage
is "$STATUS $(field .error.code) $(field '.error | has("field_errors")')" "429 api_key_rate_limit_exceeded true" \
	"GET /usage obeys the rate of the key (C-070)"
stored 3 "SELECT sum(used) FROM quota_used WHERE owner_uuid = '$A'" \
	"a refused request consumes no unit of a quota (C-069)"
set_limits --key "$K" --rate 4
ok "a raised rate comes into force while the service runs" \
	world_until 10 eval 'api GET /search/schemas; [ "$STATUS" = 200 ]'

case_new
set_limits --account "$A" --search-rate 2 --search-window 86400
is "$(calls 3)" "200 200 429 " "the search rate of the account refuses the third search"
is "$(code /search/schemas)" "429 account_rate_limit_exceeded" "the refusal of the search rate has its code"
api GET /usage
is "$STATUS" 200 "the search rate does not apply to other operations"
other=$(ctl --json keys create --account "$A" --name k --scope search.view | jq -r .key.key)
key=$other
is "$(code /search/schemas)" "429 account_rate_limit_exceeded" \
	"the keys of an account share its search rate"

case_new
set_limits --account "$A" --quota 2
is "$(calls 3)" "200 200 429 " "the quota of the account refuses the third request"
is "$(code /search/schemas)" "429 account_api_quota_exceeded" \
	"the refusal of the account's quota has its code"
wait_until month_end "Retry-After of a quota is the end of the month"
set_limits --key "$K" --rate 1 --window 86400
world_until 10 eval 'api GET /usage; [ "$STATUS" = 429 ]'
wait_until month_end "Retry-After is the longest wait of several limits"
is "$(field .error.code)" api_key_rate_limit_exceeded "the code is that of the first limit in order (C-068)"

case_new
set_limits --group "$G" --quota 1
is "$(calls 2)" "200 429 " "the quota of the group refuses the second request"
is "$(code /search/schemas)" "429 group_api_quota_exceeded" "the refusal of the group's quota has its code"
stored "1 1" "SELECT string_agg(used::text, ' ') FROM quota_used WHERE owner_uuid IN ('$A', '$G')" \
	"a request refused by the group's quota does not count for the account"
set_limits --account "$A" --quota 0
world_until 10 eval '[ "$(code /search/schemas)" = "429 account_api_quota_exceeded" ]'
is "$(code /search/schemas)" "429 account_api_quota_exceeded" \
	"the quota of the account is checked before the group's"
api GET /usage
is "$STATUS $(field '.api_usage.quotas | map("\(.limit) \(.used) \(.exhausted)") | join(",")')" "200 0 1 true,1 1 true" \
	"GET /usage works with exhausted quotas and shows both (C-070)"

case_new
api GET '/search/schemas?x=1'
api GET /search/hosts/count
is "$STATUS" 403 "a request without the scope gets 403"
api GET /search/hosts?q=
first=$STATUS
key=none api GET /search/schemas
api GET /search/schemas
is "$first" 503 "a search without an index gets 503"
stored "3|1|2" "SELECT taken, given_back, requests FROM usage_daily JOIN api_key ON uuid = key_uuid WHERE prefix = '$K'" \
	"a 400 counts, a 403 and a 401 do not, a 503 is given back (C-069)"

# Twenty concurrent requests with one unit left, a hundred times; in every second unit one was used before.
for units in "quota 1 1000" "quota 2 1000" "rate 1000 1" "rate 1000 2"; do
	# shellcheck disable=SC2086 # a list of numbers
	for key in $(accounts_new 50 ${units#* }); do
		case $units in *2*) api GET /search/schemas ;; esac
		crowd "$CURL" "$key" | tally
	done >>"$W/${units%% *}"
done
for unit in quota rate; do
	is "$(tally <"$W/$unit")" "100 1 200 19 429" \
		"one of twenty requests passes with one unit of the $unit left, 100 times of 100 (C-071)"
done
