#!/bin/sh
# SPDX-License-Identifier: ISC
# GET /usage: SPEC 2.6 and 4.7, C-070, C-072 to C-078, with two hosts.
. t/lib.sh
whole_day
pg_start
api_start
web_start
host2_start

now()
{
	date -u +%s
}

usage()
{
	api GET "/usage$1"
}

usage ""
is "$STATUS" 200 "a valid key is enough"
is "$(field '.api_usage | keys | join(" ")')" \
	"api_key daily freshness from month_to_date quotas rate_limit timezone to totals" "the members of 2.6"
is "$(field '.api_usage.api_key | keys | join(" ")')" "key_prefix name owner_name owner_uuid scopes uuid" "of api_key"
is "$(field '.api_usage.api_key | "\(.name) \(.owner_name) \(.key_prefix) \(.scopes | index("search.view") != null)"')" \
	"everything Owner $(echo "$KEY" | cut -c1-12) true" "names, prefix, scopes"
unlike "$BODY" "$(echo "$KEY" | cut -c14-)" "never the secret (C-074)"
is "$(field '.api_usage.daily | length')" 30 "thirty days unless asked"
for n in 7 30 90 180; do
	usage "?window=${n}d"
	is "$(field '.api_usage.daily | "\(length) \(map(.date) == (map(.date) | sort | unique)) \(.[-1].date)"')" \
		"$n true $(date -u +%Y-%m-%d)" "$n days, ascending, today last (A5)"
	is "$(field .api_usage.from)" "$(date -u -d "-$((n - 1)) days" +%Y-%m-%d)T00:00:00.000000Z" "from their first midnight"
done
for bad in window=07d window=7D window=7 window=31d window= window=7d\&window=7d days=7 window=%207d; do
	usage "?$bad"
	is "$STATUS $(field .error.code) $(field '.error.field_errors | type')" "400 invalid_request array" "400: $bad (C-075)"
done

# Counts: this host's memory at once, the other's when it is stored.
k=$(key_new --scope search.view)
key=$k
for _ in 1 2 3; do api GET /search/schemas; done
host2 api GET /search/schemas
api GET '/search/schemas?x=1'
usage ""
field .api_usage.totals.requests >"$W/first"
like "$(cat "$W/first")" '^[45]$' "this host's four count at once"
totals()
{
	usage "$1"
	[ "$(field .api_usage.totals.requests)" = 5 ]
}
ok "the other host's within a second or two" world_until 3 totals ""
is "$(field '.api_usage | "\(.daily | map(.requests) | add) \(.month_to_date.requests)"')" "5 5" "the sums agree (C-076)"
ok "both hosts say the same" world_until 3 host2 totals '?window=7d'
day=$(date -u -d '-40 days' +%Y-%m-%d)
sql "INSERT INTO usage_daily SELECT k.uuid, '$day', h.incarnation, 12, 2 FROM api_key k, meter_host h
	WHERE k.prefix = '$(echo "$k" | cut -c1-12)' ORDER BY h.started_at LIMIT 1"
usage '?window=90d'
is "$(field ".api_usage | \"\(.totals.requests) \(.month_to_date.requests) \(.daily[] | select(.date == \"$day\").requests)\"")" \
	"15 5 10" "an older day counts in its window, not in the month"
usage '?window=30d'
is "$(field '.api_usage | "\(.totals.requests) \(.month_to_date.requests)"')" "5 5" "and not in a shorter one"
is "$(field '.api_usage.daily | map(select(.partial)) | map(.date) | join(" ")')" "$(date -u +%Y-%m-%d)" \
	"today alone is partial (C-078)"
is "$(field '.api_usage | .freshness.persisted_through <= .freshness.current_through and .freshness.current_through <= .to')" \
	true "the order of the three times (C-077)"
is "$(field '.api_usage | "\(.timezone) \(.month_to_date.from)"')" "UTC $(date -u +%Y-%m-01)T00:00:00.000000Z" "UTC"
key=$KEY
usage ""
is "$(field .api_usage.totals.requests)" 0 "another key's are its own (C-074)"
is "$(field '.api_usage.quotas | length')" 1 "an account without a group has one quota"
is "$(field '.api_usage.quotas[0] | "\(.owner_uuid) \(.used) \(.limit - .used == .remaining) \(.exhausted) \(.reset_at)"')" \
	"$ACCOUNT 5 true false $(date -u -d "$(date -u +%Y-%m-01) +1 month" +%Y-%m-%d)T00:00:00.000000Z" "the quota (C-072)"
is "$(field '.api_usage.rate_limit | "\(.limit) \(.window_seconds)"')" "1000000000 60" "the rate that is enforced (C-073)"
is "$(header RateLimit-Policy)" '"key";q=1000000000;w=60' "is that of the header"
was=$(sql 'SELECT sum(used) FROM quota_used')
for _ in 1 2 3; do usage ""; done
flushed
is "$(sql 'SELECT sum(used) FROM quota_used')" "$was" "GET /usage consumes nothing (C-070)"

# A host that flushes no more holds persisted_through back; yesterday would then be partial.
pkill -STOP -P "$(cat "$W2/run/surfaced-meter.pid")"
slow_host()
{
	sql "UPDATE meter_host SET flushed_through = now() - interval '2 days'"
	usage ""
	[ "$(field '.api_usage.daily | map(select(.partial)) | length')" = 3 ]
}
ok "days that the slowest host has not passed are partial" world_until 60 slow_host
pkill -CONT -P "$(cat "$W2/run/surfaced-meter.pid")"
